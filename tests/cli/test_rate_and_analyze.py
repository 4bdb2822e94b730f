"""Rate texts and compare the groups, as the issue's user does."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.slow

pytest.importorskip("vaderSentiment")

OPENINGS = ["Her cousin", "Our boss", "That pupil", "A neighbour", "One visitor", "The guest"]


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "texts.csv"
    lines = ["group,origin,prompt,text"]
    for index, opening in enumerate(OPENINGS):
        lines.append(f"kind,o{index},p{index},{opening} was wonderful{' and happy' * (index % 3)}.")
        lines.append(f"rude,o{index},p{index},{opening} was a nasty liar{' and sad' * (index % 2)}.")
    lines.append("rude,o0,p0,")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def rated(tiltmeter: Command, texts: Path, tmp_path: Path) -> Path:
    out = tmp_path / "rated.csv"
    done = tiltmeter("rate", texts, "--text", "text", "--rater", "sentiment.vader", "--rater", "refusal", "--out", out)
    assert (done.status, done.out) == (0, "")
    assert "sentiment.vader.v1: 1 of 13 texts not rated: the text is empty" in done.err
    return out


def test_rate_adds_a_column_for_each_rater_and_for_the_reasons(rated: Path) -> None:
    with rated.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0])[4:] == [
        "sentiment.vader.v1",
        "sentiment.vader.v1.unrated",
        "refusal.v5",
        "refusal.v5.unrated",
        "refusal.v5.label",
    ]
    assert float(rows[0]["sentiment.vader.v1"]) > 0 > float(rows[1]["sentiment.vader.v1"])
    assert (rows[-1]["sentiment.vader.v1"], rows[-1]["sentiment.vader.v1.unrated"]) == ("", "the text is empty")


def test_texts_without_an_origin_are_said_to_count_as_independent(tiltmeter: Command, tmp_path: Path) -> None:
    rows = [f"{group},{'' if place < 3 else f'o{place % 6}'},{place / 20}" for place in range(12) for group in "ab"]
    (tmp_path / "t.csv").write_text("\n".join(["group,origin,v", *rows]), encoding="utf-8")
    asked = ("analyze", tmp_path / "t.csv", "--view", "continuations", "--columns", "value=v")
    printed, found = tiltmeter(*asked), tiltmeter(*asked, "--json").json
    for figures in ("3 of 12 texts", "6 of 24 texts"):
        [note] = [note for note in found["notes"] if figures in note]
        assert note in printed.err


def test_analyze_compares_the_groups(tiltmeter: Command, rated: Path) -> None:
    done = tiltmeter("analyze", rated, "--view", "continuations", "--columns", "value=sentiment.vader", "--json")
    assert done.status == 0
    found = done.json
    assert found["view"] == "continuations"
    assert (found["groups"]["rude"]["n"], found["groups"]["rude"]["n_unscored"]) == (6, 1)
    assert found["groups"]["rude"]["unscored"] == {"the text is empty": 1}
    [pair] = found["pairs"]
    assert (pair["a"], pair["b"], pair["ratio"]) == ("kind", "rude", None)
    assert pair["ratio_withheld"] == "the ratings are signed: they go below zero"
    assert pair["difference"]["low"] > 0.5
    assert pair["difference"]["p"] < 0.01


def test_tables_for_people_and_conditions_for_pipelines(tiltmeter: Command, rated: Path) -> None:
    command = ["analyze", rated, "--view", "continuations", "--columns", "value=sentiment.vader.v1,group=group"]
    command += ["--columns", "origin=origin,prompt=prompt", "--most-k", "1,2", "--threshold", "0.5"]
    done = tiltmeter(*command, "--reference", "rude", "--fail-if", "pairs.kind/rude.difference.low > 0.5")
    assert done.status == 1
    assert "kind − rude" in done.out and "most_k=2" in done.out and "any_above" in done.out
    assert "no ratio of kind / rude" in done.err
    assert tiltmeter(*command, "--fail-if", "groups.rude.mean > 0").status == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--columns", "value=sentimnt.vader.v1"],
            "did you mean `sentiment.vader.v1`?; set it with `--columns",
        ),
        ([], "rated texts need the column of the ratings: --columns value=COLUMN"),
        (["--columns", "value=refusal.v5", "--most-k", "1"], "--most-k counts within prompts"),
        (["--columns", "value=refusal.v5,prompt=prompt", "--most-k", "0"], "whole numbers from 1 up"),
        (["--columns", "value=refusal.v5", "--scale", "1"], "write the lowest and the highest value, e.g. 0,1"),
        (["--columns", "value=refusal.v5", "--reference", "rud"], "there is no group `rud`; did you mean `rude`?"),
        (["--columns", "value=text"], "line 2, `text`: 'Her cousin was wonderful.' is no rating"),
    ],
)
def test_bad_requests_get_one_sentence(tiltmeter: Command, rated: Path, arguments: list[str], sentence: str) -> None:
    done = tiltmeter("analyze", rated, "--view", "continuations", *arguments)
    assert (done.status, done.out) == (2, "")
    assert sentence in done.err and len(done.err.splitlines()) == 1


def test_options_of_one_view_are_refused_by_the_other(tiltmeter: Command, rated: Path) -> None:
    done = tiltmeter("analyze", "pairs", rated, "--most-k", "1")
    assert done.status == 2
    assert "--most-k is for `tiltmeter analyze` `texts` and `blocks`, not for `pairs`" in done.err


def test_the_options_say_what_a_file_holds_where_nothing_else_does(tiltmeter: Command, rated: Path) -> None:
    named = ("--columns", "value=sentiment.vader,group=group,origin=origin", "--json")
    plain = tiltmeter("analyze", "texts", rated, *named)
    assert plain.status == 0
    for other in (
        ("analyze", rated),
        ("analyze", rated, "--view", "continuations"),
        ("analyze", "--view=texts", rated),
    ):
        assert tiltmeter(*other, *named).out == plain.out
    assert "view" in tiltmeter("analyze", rated, "--view", "sentences").err


def test_bad_ratings_leave_nothing_behind(tiltmeter: Command, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "never.csv"
    for arguments, sentence in (
        (["--rater", "sentiment.vadr"], "did you mean `sentiment.vader`?"),
        (["--rater", "refusal", "--text", "txt"], "texts.csv, line 1: there is no column `txt`; did you mean `text`?"),
        (["--rater", "refusal", "--mask-terms", "=x"], "write TERM,TERM or GROUP=TERM,TERM"),
        (["--rater", "refusal", "--group", "grup"], "did you mean `group`?; set it with `--group`"),
        (["--rater", "groups.first"], "needs the words of at least two groups: give --group-spec"),
        (["--rater", "judge:sentiment"], "write judge:sentiment:smollm2-135m"),
        (["--rater", "judge:mood:smollm2-135m"], "there is no question `mood`"),
        (["--rater", "judge:sentiment:scripted"], "scripted has no chat template"),
        (["--rater", "refusal", "--language", "Italian"], "is not a language code in lower case, e.g. it"),
    ):
        done = tiltmeter("rate", texts, *arguments, "--out", out)
        assert (done.status, done.out) == (2, "")
        assert sentence in done.err
    assert not out.exists()


def test_groups_and_languages_can_be_asked_for(tiltmeter: Command, texts: Path, tmp_path: Path) -> None:
    command = ["rate", texts, "--rater", "groups.first", "--mask-terms", "relatives=cousin,neighbour"]
    done = tiltmeter(*command, "--mask-terms", "bosses=boss", "--out", "named.csv", "--json")
    assert done.status == 0, done.err
    assert done.json["rows"] == 13
    assert done.json["raters"][0]["unrated"] == {"no word of any group": 6, "the text is empty": 1}
    with (tmp_path / "named.csv").open(encoding="utf-8", newline="") as file:
        labels = [row["groups.first.v1.label"] for row in csv.DictReader(file)]
    assert labels[:4] == ["relatives", "relatives", "bosses", "bosses"]
    again = tiltmeter("rate", "named.csv", *command[2:], "--group-spec", "gender-math-arts", "--out", "named.csv")
    assert again.status == 2
    assert "there is a column `groups.first.v1` already; --overwrite replaces it" in again.err
    other = tiltmeter("rate", texts, "--rater", "sentiment.vader", "--language", "it", "--out", "it.csv")
    assert other.status == 0
    assert "sentiment.vader.v1: 12 of 13 texts not rated: the text is Italian and the rater reads English" in other.err


def test_raters_are_listed_with_what_they_need(tiltmeter: Command) -> None:
    from tiltmeter import registry

    listed = tiltmeter("raters", "list", "--json").json
    assert [row["name"] for row in listed] == registry.names("rater")
    by_name = {row["name"]: row for row in listed}
    assert by_name["regard.minilm.v2"]["wants_mask"] is True
    assert by_name["judge.chat.v1"]["by_name"] is False
    assert "tiltmeter[text]" in by_name["sentiment.vader.v1"]["needs"]
    assert "lexicon.hurtlex.v1:FILE" in tiltmeter("raters", "list").out


def test_the_tilt_of_a_rater(tiltmeter: Command) -> None:
    command = ["raters", "tilt", "--rater", "sentiment.vader", "--spec", "gender-math-arts"]
    [found] = tiltmeter(*command, "--json").json["raters"]
    [pair] = found["pairs"]
    assert found["groups"][pair["a"]]["origins"] == 72
    assert found["by_kind"]["harmless"]["groups"][pair["a"]]["value"] > 0
    assert found["by_kind"]["harmful"]["groups"][pair["a"]]["value"] < 0
    assert pair["difference"]["value"] == pytest.approx(0, abs=1e-12)
    done = tiltmeter(*command)
    assert done.status == 0 and f"{pair['a']} − {pair['b']}" in done.out
