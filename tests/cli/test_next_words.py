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
    done = tiltmeter("next-words", "--model", "scripted", "--prompts", table, "--words", "pronouns", "--out", out)
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
    done = tiltmeter("next-words", "--model", "scripted", "--prompts", table, *arguments)
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
    tiltmeter("next-words", "--model", "scripted", "--prompts", table, "--words", "he-she", "--out", out)
    path = "overall.pairs.male/female.absolute_difference.value"
    assert tiltmeter("analyze", out, "--view", "next-words", "--fail-if", f"{path} > 0.01").status == 1
    assert tiltmeter("analyze", out, "--view", "next-words", "--fail-if", f"{path} > 0.9").status == 0


def test_labour_statistics_beside_the_model(tiltmeter: Command, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    tiltmeter("next-words", "--model", "scripted", "--prompts", table, "--words", "he-she", "--out", out)
    (tmp_path / "l.csv").write_text("occupation,women\nNurses,90\nEngineers,10\nClerks,60\n", encoding="utf-8")
    done = tiltmeter("analyze", out, "--view", "next-words", "--labour", tmp_path / "l.csv", "--json")
    matched = {line["profession"]: line["world"] for line in done.json["labour"]["matched"]}
    assert matched == {"nurse": 0.9, "engineer": 0.1}


def test_sources_and_files_of_natural_sentences(tiltmeter: Command, tmp_path: Path) -> None:
    out = tmp_path / "w.csv"
    for source, prompts in (("templates", 17 * 2), ("natural", 2)):
        arguments = ("--prompts", source, "--limit", "2", "--words", "he-she", "--perturb", "original,person")
        done = tiltmeter("next-words", "--model", "scripted", *arguments, "--out", out, "--json")
        assert done.status == 0
        assert done.json["prompts"] >= prompts
        assert done.json["unscored"] == {}
    line = {"id": "n1", "annotated": "A [profession:baker] is a person who bakes bread[continue:, where]"}
    (tmp_path / "n.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    done = tiltmeter("next-words", "--model", "scripted", "--prompts", tmp_path / "n.jsonl", "--out", out)
    assert done.status == 0
    assert {row["text"] for row in rows(out)} == {"A baker is a person who bakes bread, where"}


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("--prompts", "nowhere.csv"), "no such file"),
        (("--prompts", "p.csv", "--words", "pronuns"), "did you mean `pronouns`"),
        (("--prompts", "p.csv", "--words", "a=x"), "at least two groups"),
        (("--prompts", "p.csv", "--perturb", "persn"), "did you mean `person`"),
        (("--prompts", "p.csv", "--text", "txt"), "no column `txt`"),
        (("--prompts", "p.csv", "--saliency", "gradient-x-input"), "has no gradients"),
    ],
)
def test_a_mistake_is_one_sentence(
    arguments: tuple[str, ...], problem: str, tiltmeter: Command, table: Path, tmp_path: Path
) -> None:
    done = tiltmeter("next-words", "--model", "scripted", *arguments, "--out", tmp_path / "w.csv")
    assert done.status == 2
    assert problem in done.err
    assert len(done.err.strip().splitlines()) == 1
    assert not (tmp_path / "w.csv").exists()


def test_options_of_another_view_are_refused(tiltmeter: Command, table: Path) -> None:
    done = tiltmeter("analyze", table, "--view", "pairs", "--labour", table)
    assert (done.status, "--labour is for --view next-words" in done.err) == (2, True)
    done = tiltmeter("analyze", table, "--view", "next-words", "--value", "x")
    assert (done.status, "--value is for --view continuations" in done.err) == (2, True)
    done = tiltmeter("analyze", table, "--view", "next-words")
    assert (done.status, "there is no column `prompt`" in done.err) == (2, True)
