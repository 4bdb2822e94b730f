"""`tiltmeter analyze` and `tiltmeter import` on logs of other programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.results.logged import archive, crows, harness, inspect_sample, sample

pytestmark = pytest.mark.slow
ASKED = {"messages": [{"role": "user", "content": "Describe them."}]}


def questions(shift: float) -> list[dict[str, object]]:
    """Decisions of twelve kinds about people of two groups."""
    return [
        sample(
            at,
            {"decision_question_id": at // 2, "group": "ab"[at % 2], "category": "credit"},
            f"May {'ab'[at % 2]} have {at // 2}?",
            {"yes": -1.0 - at % 3 - shift * (at % 2), "no": -2.0},
            "yes",
        )
        for at in range(24)
    ]


def test_an_imported_log_is_compared_ranked_and_reported_as_a_run(tiltmeter: Command, tmp_path: Path) -> None:
    for name, shift in (("one", 0.0), ("two", 1.5)):
        harness(tmp_path / "logs" / name, "decide", questions(shift), f"org/{name}")
        harness(tmp_path / "logs" / name, "crows_pairs", crows(shift=shift), f"org/{name}")
    done = tiltmeter("import", "logs", "--out", "run", "--json")
    assert done.json["models"] == ["org/one", "org/two"]
    assert (done.json["pairs"], done.json["prompts"]) == (6, 24)
    compared = tiltmeter("compare", "run", "--json").json
    assert set(compared["views"]) == {"pairs", "continuations"}
    boards = tiltmeter("leaderboard", "run", "--view", "pairs", "--json")
    assert boards.status == 0 and len(boards.json["boards"]) == 1
    asked = tiltmeter("multiverse", "run", "--list", "--json").json["questions"]
    assert {(one["view"], one["bias"], *one["groups"]) for one in asked} == {
        ("continuations", "credit", "a", "b"),
        ("pairs", "gender", "disadvantaged", "advantaged"),
    }
    arguments = ("-q", "1", "--model", "org/two", "--permutations", "99", "--json")
    [answer] = tiltmeter("multiverse", "run", *arguments).json["answers"]
    assert answer["verdict"]["of"] == 2
    planned = tiltmeter("plan", "run", "--width", "0.2")
    assert planned.status == 0 or "bug" not in planned.err
    assert tiltmeter("report", "run").status == 0
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert "settings not stated" in page and "another program" in page


def test_a_gate_stands_over_a_log(tiltmeter: Command, tmp_path: Path) -> None:
    log = harness(tmp_path, "crows_pairs", crows())
    done = tiltmeter("analyze", log, "--fail-if", "preference.gender.value > 0.6", "--json")
    assert done.status == 1 and done.json["cells"][1]["n"] == 6
    assert tiltmeter("analyze", log, "--fail-if", "preference.gender.value > 0.9").status == 0
    assert tiltmeter("analyze", log, "--fail-if", "preference.race.value > 0.9").status == 2


def test_a_chat_log_is_rated_and_analysed_by_one_command(tiltmeter: Command, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    said = [
        ("a", "They are wonderful.", None),
        ("a", None, "Not this."),
        ("b", "They are awful.", None),
        ("b", "", None),
    ]
    rows = [{"group": group, **ASKED, "reply": {"content": text, "refusal": no}} for group, text, no in said]
    log.write_text("\n".join(map(json.dumps, rows)))
    done = tiltmeter("analyze", log, "--rater", "sentiment.vader", "--json")
    means = {one["group"]: one for one in done.json["cells"] if one["figure"] == "mean" and "sentiment" in one["rater"]}
    assert means["a"]["value"] > 0 > means["b"]["value"]
    assert [(one["n"], one["n_unscored"]) for one in means.values()] == [(1, 1), (1, 1)]
    refused = {one["group"]: one["value"] for one in done.json["cells"] if one["rater"].startswith("refusal")}
    assert (refused["a"], refused["b"]) == (0.5, 0.0)
    left = tiltmeter("analyze", log, "--rater", "regard.minilm", "--json")
    assert any("regard.minilm" in note for note in left.json["notes"])
    shown = tiltmeter("analyze", log, "--rater", "sentiment.vader")
    assert shown.status == 0 and "declined" in shown.err and "sentiment vader" in shown.out


def test_a_log_of_inspect_is_analysed_where_it_lies(tiltmeter: Command, tmp_path: Path) -> None:
    made = [
        inspect_sample(at, text="Yes" if at % 2 else "No", target="yes", metadata={"who": "ab"[at % 2]})
        for at in range(8)
    ]
    archive(tmp_path / "log.eval", made)
    refused = tiltmeter("analyze", "log.eval")
    assert refused.status == 2 and "--columns group=FIELD" in refused.err and "`metadata.who`" in refused.err
    found = tiltmeter("analyze", "log.eval", "--columns", "group=metadata.who", "--json").json["cells"]
    assert {one["group"]: one["value"] for one in found if one["figure"] == "mean"} == {"a": 0.0, "b": 1.0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["import", "nowhere.jsonl", "--out", "r"], "no such file"),
        (["import", "empty", "--out", "r"], "holds no log"),
        (["import", "table.csv", "--out", "r"], "no log that is known"),
        (["analyze", "log", "table.csv"], "no log that is known"),
        (["analyze", "log", "samples_x.jsonl", "--columns", "people=a"], "no column `people`"),
        (["analyze", "log", "samples_x.jsonl", "--where", "scorers=a"], "did you mean `scorer`"),
        (["analyze", "samples_x.jsonl", "--rater", "nobody"], "no rater `nobody`"),
    ],
)
def test_what_is_no_log_is_one_sentence(tiltmeter: Command, tmp_path: Path, arguments: list[str], said: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    harness(tmp_path, "x", crows()).rename(tmp_path / "samples_x.jsonl")
    done = tiltmeter(*arguments)
    assert done.status == 2 and said in done.err and not (tmp_path / "r").exists()
