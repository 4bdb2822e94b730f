"""Sentences, review, score, analyze, report, with the files as they are."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tiltmeter import specs
from tiltmeter.records import Written
from tiltmeter.sources.generated import write_sentences
from tiltmeter.sources.generated.annotations import export_annotations

pytestmark = pytest.mark.slow

SPEC = """\
name = "trades"
templates = ["[T] is a [A]"]
[groups.men]
terms = ["he", "the man"]
[groups.women]
terms = ["she", "the woman"]
[groups.others]
terms = ["they", "the person"]
[attributes.care]
terms = ["nurse", "clerk"]
stereotype_of = "women"
[attributes.machines]
terms = ["engineer"]
stereotype_of = ["men"]
"""
SENTENCES = [
    Written("trades/0/care/nurse/0", "trades", "She is a nurse.", "women", "she", "nurse", "care", 0, "g"),
    Written("trades/0/care/clerk/0", "trades", "The man is a clerk.", "men", "the man", "clerk", "care", 0, "g"),
    Written(
        "trades/1/machines/engineer/0", "trades", "He is an engineer.", "men", "he", "engineer", "machines", 1, "g"
    ),
    Written("trades/1/machines/engineer/1", "trades", "A man ran.", "men", "the man", "engineer", "machines", 1, "g"),
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "trades.toml").write_text(SPEC)
    spec = specs.load(tmp_path / "trades.toml")
    write_sentences(tmp_path / "S.csv", SENTENCES, [spec])
    export_annotations(tmp_path / "ann.csv", SENTENCES, [spec])
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_a_file_of_sentences_is_scored_and_analysed_without_its_spec(tiltmeter: Command, files: Path) -> None:
    (files / "trades.toml").unlink()
    done = tiltmeter("score", files / "S.csv", "--model", "scripted", "--out", files / "P.csv", "--json")
    assert done.status == 0 and "left_out" not in done.json
    scored = rows(files / "P.csv")
    assert [(row["id"], row["bias"]) for row in scored[:2]] == [
        ("trades/0/care/nurse/0", "trades:men-women"),
        ("trades/0/care/nurse/0", "trades:women-others"),
    ]
    assert (scored[0]["sentence_1"], scored[0]["sentence_2"]) == ("He is a nurse.", "She is a nurse.")
    assert {row["id"] for row in scored} == {one.id for one in SENTENCES}
    assert all(row["unscored"] or row["score_1"] for row in scored)
    assert [bool(row["unscored"]) for row in scored if row["id"] == SENTENCES[3].id] == [True, True]
    found = tiltmeter("analyze", files / "P.csv", "--json").json
    # By the weights of the scripted model she is the likelier nurse, and he the likelier engineer.
    assert found["by_bias"]["trades:men-women"]["n"] == 3
    assert found["by_bias"]["trades:men-women"]["n_unscored"] == 1
    # One set is about care and the other about machines: neither has the balanced share of the bias.
    assert found["sets"]["trades:men-women"]["sets"] == 0
    # P.csv is itself a file of pairs.
    again = tiltmeter("score", files / "P.csv", "--model", "scripted", "--out", files / "P2.csv")
    assert again.status == 0
    assert [row["score_1"] for row in rows(files / "P2.csv")] == [row["score_1"] for row in scored]


def test_a_reviewed_sheet_is_scored_without_what_was_marked(tiltmeter: Command, files: Path) -> None:
    sheet = rows(files / "ann.csv")
    sheet[0]["text"] = "She is a good nurse."
    sheet[1]["none"] = "x"
    sheet[2]["dropped"] = "about a machine"
    sheet[3]["I7"] = "x"
    with (files / "ann.csv").open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, list(sheet[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(sheet)
    done = tiltmeter("score", files / "ann.csv", "--model", "scripted", "--out", files / "P.csv", "--json")
    assert done.json["left_out"] == {"about a machine": 1, "marked with I7 by a reviewer": 1}
    scored = rows(files / "P.csv")
    assert len(scored) == 4 - 1 and scored[0]["sentence_2"] == "She is a good nurse."


def test_published_sentences_need_a_spec_that_knows_their_bias(tiltmeter: Command, files: Path) -> None:
    (files / "gen.csv").write_text(
        "Bias Name,Attribute word,Group Term,Generated sentence,Template version,Discarded,Reason for discard\n"
        "Trades,nurse,she,She is a nurse.,[T] is a nurse.,,\n"
        "Trades,nurse,he,He nurse.,[T] nurse.,True,not a sentence\n"
    )
    refused = tiltmeter("score", files / "gen.csv", "--model", "scripted", "--out", files / "P.csv")
    assert refused.status == 2 and "`Trades`" in refused.err and "--spec FILE" in refused.err
    assert not (files / "P.csv").exists()
    (files / "trades.toml").write_text('published_as = "Trades"\n' + SPEC)
    arguments = ["--spec", files / "trades.toml", "--out", files / "P.csv", "--json"]
    done = tiltmeter("score", files / "gen.csv", "--model", "scripted", *arguments)
    assert done.status == 0 and done.json["left_out"] == {"not a sentence": 1}
    assert tiltmeter("analyze", files / "P.csv").status == 0


def test_a_study_reads_the_same_files(tiltmeter: Command, files: Path) -> None:
    (files / "study.toml").write_text(
        'name = "reviewed"\nmodels = ["scripted"]\n[pairs]\nsources = ["pairs-file:S.csv"]\nscorers = ["sum"]\n'
    )
    done = tiltmeter("run", files / "study.toml", "--out", files / "run")
    assert done.status == 0, done.err
    done = tiltmeter("report", files / "run")
    assert done.status == 0, done.err
    pairs = rows(files / "run" / "tables" / "pairs.csv")
    assert {row["source"] for row in pairs} == {"pairs-file[S]"}
    # Of the counterparts with `they`, the verbs do not follow: these are dropped, and counted.
    assert len(pairs) == 3 and len(rows(files / "run" / "tables" / "dropped.csv")) >= 2
