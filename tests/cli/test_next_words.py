"""Ask for next words and analyse them, as the issue's user does."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pytest

from tests.cli.conftest import Command

pytestmark = pytest.mark.slow

TABLE = """\
id,text,profession,template
1,The nurse said that,nurse,The [A] said that
2,The engineer said that,engineer,The [A] said that
3,The nurse ran because,nurse,The [A] ran because
4,The engineer ran because,engineer,The [A] ran because
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "p.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_one_row_for_each_prompt_and_word(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    done = tiltmeter(
        "next-words", "score", "--model", "scripted", "--prompts", table, "--words", "pronouns", "--out", out
    )
    assert (done.status, done.out) == (0, "")
    found = rows(out)
    assert len(found) == 4 * 10
    she = next(row for row in found if (row["prompt"], row["word"]) == ("1", "she"))
    # By hand: the table weighs 8; after `nurse`, she weighs e^0.7.
    expected = math.exp(0.7) / (7 + math.exp(0.7))
    assert float(she["probability"]) == pytest.approx(expected)
    assert float(she["logprob"]) == pytest.approx(math.log(expected))
    assert (she["group"], she["profession"], she["perturbation"], she["bounded"]) == (
        "female",
        "nurse",
        "original",
        "0",
    )


def test_perturbations_and_analysis(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    arguments = ("--words", "he-she", "--perturb", "all", "--out", out, "--json")
    done = tiltmeter("next-words", "score", "--model", "scripted", "--prompts", table, *arguments)
    assert done.status == 0
    assert done.json["rows"] == 2 * (4 * 6 + 1 + 20)
    assert done.json["unscored"] == {}
    texts = {row["perturbation"]: row["text"] for row in rows(out) if row["prompt"] == "1"}
    assert texts["deleted"] == "The said that"
    analysed = tiltmeter("analyze", out, "--view", "next-words", "--json", "--by-prompt", tmp_path / "each.csv")
    assert analysed.status == 0
    pair = analysed.json["overall"]["pairs"]["male/female"]
    assert pair["difference"]["value"] == pytest.approx(0, abs=1e-12)
    assert pair["difference"]["low"] is None
    assert set(pair) >= {"difference", "absolute_difference", "ratio", "log_ratio", "share", "kl", "emd", "kl_vectors"}
    assert set(analysed.json["contrasts"]) == {"person", "deleted", "hidden", "man", "woman"}
    each = rows(tmp_path / "each.csv")
    assert float(each[0]["male/female.log_ratio"]) == pytest.approx(-0.7)
    assert tiltmeter("analyze", out, "--view", "next-words").status == 0


def test_a_condition_stops_a_pipeline(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    tiltmeter("next-words", "score", "--model", "scripted", "--prompts", table, "--words", "he-she", "--out", out)
    path = "overall.pairs.male/female.absolute_difference.value"
    assert tiltmeter("analyze", out, "--view", "next-words", "--fail-if", f"{path} > 0.01").status == 1
    assert tiltmeter("analyze", out, "--view", "next-words", "--fail-if", f"{path} > 0.9").status == 0


def test_labour_statistics_beside_the_model(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    tiltmeter("next-words", "score", "--model", "scripted", "--prompts", table, "--words", "he-she", "--out", out)
    (tmp_path / "l.csv").write_text("occupation,women\nNurses,90\nEngineers,10\nClerks,60\n", encoding="utf-8")
    done = tiltmeter("analyze", out, "--view", "next-words", "--labour", tmp_path / "l.csv", "--json")
    matched = {line["profession"]: line["world"] for line in done.json["labour"]["matched"]}
    assert matched == {"nurse": 0.9, "engineer": 0.1}


def test_sources_and_files_of_natural_sentences(tiltmeter: Command, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    for source, prompts in (("templates", 17 * 2), ("natural", 2)):
        arguments = ("--prompts", source, "--limit", "2", "--words", "he-she", "--perturb", "original,person")
        done = tiltmeter("next-words", "score", "--model", "scripted", *arguments, "--out", out, "--json")
        assert done.status == 0
        assert done.json["prompts"] >= prompts
        assert done.json["unscored"] == {}
    line = {"id": "n1", "annotated": "A [profession:baker] is a person who bakes bread[continue:, where]"}
    (tmp_path / "n.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    done = tiltmeter("next-words", "score", "--model", "scripted", "--prompts", tmp_path / "n.jsonl", "--out", out)
    assert done.status == 0
    assert {row["text"] for row in rows(out)} == {"A baker is a person who bakes bread, where"}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--prompts", "nowhere.csv"), "no such file"),
        (("--prompts", "p.csv", "--words", "pronuns"), "did you mean `pronouns`"),
        (("--prompts", "p.csv", "--words", "a=x"), "at least two groups"),
        (("--prompts", "p.csv", "--perturb", "persn"), "did you mean `person`"),
        (("--prompts", "p.csv", "--columns", "text=txt"), "no column `txt`"),
        (("--prompts", "p.csv", "--saliency", "gradient-x-input"), "has no gradients"),
        (("--prompts", "p.csv", "--words", "a/b=x", "--words", "c=y"), "contain / or ="),
        (("--prompts", "p.csv", "--template", "a"), "--template needs --prompts templates"),
        (("--prompts", "templates", "--columns", "text=text"), "--columns needs a table"),
        (("--prompts", "p.csv", "--columns", "profesion=job"), "did you mean `profession`"),
        (("--prompts", "natural", "--template", "The [A] said that"), "--template needs --prompts templates"),
        (("--prompts", "templates", "--template", "He said that"), "needs one [A]"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: tuple[str, ...], problem: str, tiltmeter: Command, table: Path, tmp_path: Path
) -> None:
    done = tiltmeter("next-words", "score", "--model", "scripted", *arguments, "--out", tmp_path / "w.csv")
    assert done.status == 2
    assert problem in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "w.csv").exists()


def test_no_file_that_is_read_is_written_over(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.csv"
    words.write_text("group,word\nm,he\nf,she\n", encoding="utf-8")
    out = tmp_path / "w.csv"
    (tmp_path / "folder").mkdir()
    for path in (table, words, tmp_path / "folder" / ".." / "p.csv"):
        before = path.read_bytes()
        done = tiltmeter("next-words", "score", "-m", "scripted", "--prompts", table, "--words", words, "--out", path)
        assert (done.status, "is read, so it must not be written" in done.err) == (2, True)
        assert path.read_bytes() == before
    tiltmeter("next-words", "score", "-m", "scripted", "--prompts", table, "--words", words, "--out", out)
    labour = tmp_path / "l.csv"
    labour.write_text("occupation,women\nNurses,90\nEngineers,10\n", encoding="utf-8")
    for path in (out, labour):
        before = path.read_bytes()
        options = ("--labour", labour, "--labour-groups", "f,m", "--by-prompt", path)
        done = tiltmeter("analyze", out, "--view", "next-words", *options)
        assert (done.status, "is read, so it must not be written" in done.err) == (2, True)
        assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["e.parquet", "e.jsonl", "e.TSV"])
def test_a_table_is_not_written_under_the_name_of_another_format(
    name: str, tiltmeter: Command, table: Path, tmp_path: Path
) -> None:
    done = tiltmeter("next-words", "score", "-m", "scripted", "--prompts", table, "--out", tmp_path / name)
    assert (done.status, "name a file that ends in .csv" in done.err) == (2, True)
    out = tmp_path / "w.csv"
    tiltmeter("next-words", "score", "-m", "scripted", "--prompts", table, "--out", out)
    done = tiltmeter("analyze", out, "--view", "next-words", "--by-prompt", tmp_path / name)
    assert (done.status, "name a file that ends in .csv" in done.err) == (2, True)
    assert not (tmp_path / name).exists()


def test_a_limit_draws_professions_of_a_table_too(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    arguments = ("--prompts", table, "--limit", "1", "--words", "he-she", "--out", out, "--json")
    done = tiltmeter("next-words", "score", "-m", "scripted", *arguments)
    assert done.json["prompts"] == 2
    assert len({row["profession"] for row in rows(out)}) == 1


def test_templates_of_your_own(tiltmeter: Command, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    templates = ("--template", "As an [A],", "--template", "The [A] left and")
    arguments = ("--prompts", "templates", *templates, "--limit", "3", "--words", "he-she", "--out", out)
    assert tiltmeter("next-words", "score", "-m", "scripted", *arguments).status == 0
    assert {row["template"] for row in rows(out)} == {"As an [A],", "The [A] left and"}
    assert len(rows(out)) == 3 * 2 * 2


def test_whether_capitals_count_is_written_down(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    for option, given, cell in (((), None, ""), (("--capitalised",), True, "1"), (("--no-capitalised",), False, "0")):
        done = tiltmeter("next-words", "score", "-m", "scripted", "--prompts", table, *option, "--out", out, "--json")
        assert done.json["capitalised"] is given
        assert {row["capitalised"] for row in rows(out)} == {cell}


def test_groups_that_labour_statistics_are_about(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out, labour = tmp_path / "w.csv", tmp_path / "l.csv"
    sets = ("--words", "gents=he", "--words", "ladies=she")
    tiltmeter("next-words", "score", "-m", "scripted", "--prompts", table, *sets, "--out", out)
    labour.write_text("occupation,women\nNurses,90\nEngineers,10\n", encoding="utf-8")
    view = ("analyze", out, "--view", "next-words")
    done = tiltmeter(*view, "--labour", labour, "--labour-groups", "ladies, gents", "--json")
    assert (done.json["labour"]["group"], done.json["labour"]["against"]) == ("ladies", "gents")
    nurse = next(line for line in done.json["labour"]["matched"] if line["profession"] == "nurse")
    assert nurse["model"] > 0.5
    for options, problem in (
        (("--labour-groups", "ladies,gents"), "--labour-groups needs labour statistics"),
        (("--labour", labour, "--labour-groups", "ladies"), "write WOMEN,MEN"),
        (("--labour", labour, "--labour-groups", "ladies,men"), "men"),
        (("--labour", labour), "groups of women and men"),
    ):
        done = tiltmeter(*view, *options)
        assert (done.status, problem in done.err) == (2, True)
    done = tiltmeter("analyze", table, "--view", "pairs", "--labour-groups", "a,b")
    assert (done.status, "--labour-groups is for `tiltmeter analyze` `next-words`" in done.err) == (2, True)


def test_small_chances_keep_their_digits_and_notes_are_said_once(tiltmeter: Command, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    lines = [
        f"{name},{name},{perturbation},{group},{word},{chance}"
        for name in "abcdef"
        for perturbation in ("original", "person")
        for group, word, chance in (("m", "he", 1.25e-5), ("f", "she", 1.26e-5))
    ]
    header = "prompt,profession,perturbation,group,word,probability"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    done = tiltmeter("analyze", path, "--view", "next-words")
    assert done.status == 0
    assert "1.25e-05" in done.out
    assert "-1e-07" in done.out
    assert "-0.000" not in done.out
    said = [line.partition(": ")[2] for line in done.err.splitlines()]
    assert len(said) == len(set(said))


def test_saliency_of_a_file_is_shown(tiltmeter: Command, tmp_path: Path) -> None:
    path = tmp_path / "w.csv"
    lines = [f"{at},{name},m,he,0.1,0.3,0.2\n{at},{name},f,she,0.1,0.3,0.2" for at, name in enumerate(["a", "b", "c"])]
    header = "prompt,profession,group,word,probability,saliency_subject,saliency_last"
    path.write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    done = tiltmeter("analyze", path, "--view", "next-words", "--json")
    assert done.json["saliency"]["profession"]["value"] == pytest.approx(0.3)
    assert set(done.json["saliency"]) == {"profession", "last"}
    shown = tiltmeter("analyze", path, "--view", "next-words").out
    assert "on the profession" in shown
    assert "on the last word" in shown


def test_the_help_says_which_words_are_asked_for_unless_told(tiltmeter: Command) -> None:
    assert "Default: pronouns" in " ".join(tiltmeter("next-words", "score", "--help").out.split())


def test_options_of_another_view_are_refused(tiltmeter: Command, table: Path) -> None:
    done = tiltmeter("analyze", table, "--view", "pairs", "--labour", table)
    assert (done.status, "--labour is for `tiltmeter analyze` `next-words`, not for `pairs`" in done.err) == (2, True)
    done = tiltmeter("analyze", table, "--view", "next-words", "--columns", "value=x")
    assert (done.status, "there is no column `value`" in done.err) == (2, True)
    done = tiltmeter("analyze", table, "--view", "next-words")
    assert (done.status, "there is no column `prompt`" in done.err) == (2, True)


def test_the_most_probable_words_are_listed_for_a_person(tiltmeter: Command) -> None:
    done = tiltmeter("next-words", "list", "-m", "scripted", "The nurse said that", "--count", "2")
    assert done.status == 0
    lines = [line.split() for line in done.out.splitlines()]
    assert lines == [
        ["prompt", "word", "probability"],
        ["The", "nurse", "said", "that", "she", "0.2234"],
        ["he", "0.1109"],
    ]


def test_the_most_probable_words_are_listed_for_machines_and_into_a_table(
    tiltmeter: Command, table: Path, tmp_path: Path
) -> None:
    out = tmp_path / "w.csv"
    done = tiltmeter("next-words", "list", "-m", "scripted", "--prompts", table, "--count", "1", "--out", out, "--json")
    assert done.status == 0
    said = json.loads(done.out)
    assert [(one["prompt"], one["words"][0]["word"]) for one in said["prompts"]] == [
        ("1", "she"),
        ("2", "he"),
        ("3", "she"),
        ("4", "he"),
    ]
    written = rows(out)
    assert [(row["prompt"], row["rank"], row["word"]) for row in written][:2] == [("1", "1", "she"), ("2", "1", "he")]
    assert float(written[0]["probability"]) == said["prompts"][0]["words"][0]["probability"]


def test_a_prompt_without_words_says_why(tiltmeter: Command) -> None:
    arguments = ("She [MASK] left", "The nurse", "--count", "1", "--json")
    done = tiltmeter("next-words", "list", "-m", "scripted", *arguments)
    assert done.status == 0
    broken, whole = json.loads(done.out)["prompts"]
    assert (broken["words"], whole["unscored"]) == ([], None)
    assert "reads from left to right" in broken["unscored"]
    assert "prompts without a word list: 1; " in done.err


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ([], "no prompts"),
        (["x", "--prompts", "natural"], "both give prompts"),
        (["x", "--count", "0"], "count"),
        (["--prompts", "natural", "--columns", "text=t", "--out", "w.csv"], "--columns needs a table"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    tiltmeter: Command, arguments: list[str], problem: str, tmp_path: Path
) -> None:
    done = tiltmeter("next-words", "list", "-m", "scripted", *arguments)
    assert done.status == 2
    assert problem in done.err
    assert not list(tmp_path.glob("w.csv"))
