from __future__ import annotations

import csv
import json

import pytest

from tiltmeter.sources import open_prompts_file
from tiltmeter.sources.word_sets import BUILT_IN

CORPUS = """A glazier is a tradesperson who cuts and fits glass in buildings. Glazing is the craft of fitting glass.

A fireman is a person who puts out fires in a town. A baker is a craftsperson who bakes bread in an oven at night.
"""


@pytest.mark.slow
def test_prompts_are_built_corrected_and_applied(tiltmeter, tmp_path) -> None:
    pytest.importorskip("spacy")
    (tmp_path / "corpus.txt").write_text(CORPUS, encoding="utf-8")
    done = tiltmeter("natural", "build", "corpus.txt", "--out", "n.jsonl", "--accounting", "a.csv", "--json")
    assert done.status == 0, done.err
    assert (done.json["sentences"], done.json["professions"], done.json["prompts"]) == (4, 2, 2)
    assert sum(done.json["reasons"].values()) == 4
    with (tmp_path / "a.csv").open(encoding="utf-8") as file:
        account = {row["profession"]: row for row in csv.DictReader(file)}
    assert account["fireman"]["outcome"] == "a gendered profession"
    assert sum(int(row["sentences"]) for row in account.values()) == 4
    lines = [json.loads(line) for line in (tmp_path / "n.jsonl").read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["profession"] == "baker":
            line["use"] = False
    (tmp_path / "n.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    done = tiltmeter("natural", "apply", "n.jsonl", "--out", "p.csv", "--json")
    assert done.status == 0, done.err
    assert done.json["professions"] == 1
    with (tmp_path / "p.csv").open(encoding="utf-8") as file:
        (row,) = csv.DictReader(file)
    assert row["text"] == "A glazier is a person who cuts and fits glass in buildings, where"
    assert (row["profession"], row["subject"], row["status"]) == ("glazier", "glazier", "natural")
    assert (row["subject_start"], row["subject_end"]) == ("2", "9")
    [prompt], _ = open_prompts_file.read(tmp_path / "p.csv", BUILT_IN["he-she"])
    assert (prompt.subject_spans, prompt.status) == (((2, 9),), "natural")


def test_our_own_sentences_and_the_templates_become_tables(tiltmeter, tmp_path) -> None:
    done = tiltmeter("natural", "apply", "--out", "own.csv", "--json")
    assert done.status == 0, done.err
    assert done.json["professions"] >= 300
    assert done.json["lengths"]["words"] > 10
    (tmp_path / "mine.txt").write_text("cook\nusher\n", encoding="utf-8")
    done = tiltmeter("natural", "templates", "--professions", "mine.txt", "--out", "t.csv")
    assert done.status == 0, done.err
    assert "2 professions with 34 prompts, 4.2 ± 0.4 words" in done.err
    assert (tmp_path / "t.csv").read_text(encoding="utf-8").count("\n") == 35


def test_templates_of_the_user_take_the_place_of_the_seventeen(tiltmeter, tmp_path) -> None:
    (tmp_path / "mine.txt").write_text("cook\nusher\n", encoding="utf-8")
    own = ("--template", "The [A] sang that", "--template", "An [A] left because")
    done = tiltmeter("natural", "templates", "--professions", "mine.txt", *own, "--out", "t.csv")
    assert done.status == 0, done.err
    with (tmp_path / "t.csv").open(encoding="utf-8") as file:
        assert [row["text"] for row in csv.DictReader(file)] == [
            "The cook sang that",
            "A cook left because",
            "The usher sang that",
            "An usher left because",
        ]
    done = tiltmeter("natural", "templates", "--template", "He said that")
    assert (done.status, "a template needs one [A]" in done.err) == (2, True)


def test_lengths_that_cannot_be_and_tables_are_refused(tiltmeter, tmp_path) -> None:
    (tmp_path / "corpus.txt").write_text(CORPUS, encoding="utf-8")
    (tmp_path / "p.csv").write_text("text\nA cook cooks.\n", encoding="utf-8")
    done = tiltmeter("natural", "build", "corpus.txt", "--out", "n.jsonl", "--least", 20, "--most", 8)
    assert done.status == 2
    assert done.err.startswith("tiltmeter: a prompt cannot have at least 20 words and at most 8")
    done = tiltmeter("natural", "build", "p.csv", "--out", "n.jsonl")
    assert done.status == 2
    assert done.err.startswith("tiltmeter: p.csv: a table is not a corpus; give plain text")
    assert not (tmp_path / "n.jsonl").exists()


def test_bad_input_is_one_sentence_and_leaves_nothing_behind(tiltmeter, tmp_path) -> None:
    done = tiltmeter("natural", "build", "missing.txt", "--out", "n.jsonl")
    assert (done.status, done.err) == (2, "tiltmeter: missing.txt: there is no such file\n")
    (tmp_path / "bad.jsonl").write_text('{"annotated": "A cook waits"}\n', encoding="utf-8")
    done = tiltmeter("natural", "apply", "bad.jsonl", "--out", "p.csv")
    assert done.status == 2
    assert done.err.startswith("tiltmeter: bad.jsonl, line 1, `annotated`: 0 professions are marked")
    assert not (tmp_path / "n.jsonl").exists()
    assert not (tmp_path / "p.csv").exists()
