from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.results.written import SOURCE, as_tested, chosen, labelled, written
from tiltmeter.errors import InvalidData
from tiltmeter.records import Pair, Written
from tiltmeter.results.measurements.people import label_rows
from tiltmeter.results.summary.generated import summarise_generated
from tiltmeter.results.summary.labels import judged_by_people, labels_by_people, matched, read_labels, summarise_people
from tiltmeter.sources.generated.annotations import COLUMNS, export_annotations
from tiltmeter.sources.generated.pairs import sentence_of

PAIRS = [written("math", 1), written("math", 2), written("art", 1), written("dance", 1)]


def sentences(pairs: list[Pair], prefix: str = "") -> list[Written]:
    """The sentences of the pairs, as a sheet is written for them."""
    return [
        Written(f"{prefix}{sentence_of(pair)}", pair.bias, pair.texts[0], "male", "man", pair.attribute or "", "topics")
        for pair in pairs
    ]


def sheet(path: Path, found: list[Written], marks: dict[int, str]) -> Path:
    """A sheet as it comes back: `marks` are the columns with an x, by the number of the row."""
    export_annotations(path, found)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for number, names in marks.items():
        rows[number] |= dict.fromkeys(names.split(), "x")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_the_id_of_a_sentence_is_that_of_its_pair_without_source_and_groups() -> None:
    assert sentence_of(PAIRS[0]) == "gender/0/topics/math/1"
    several = replace(PAIRS[0], id=f"{SOURCE}:religion/0/x/a/b/1/male-female/male", bias="religion:male-female")
    assert sentence_of(several) == "religion/0/x/a/b/1"


@pytest.mark.parametrize("prefix", ["", f"{SOURCE}:"])
def test_labels_go_out_and_come_back(tmp_path: Path, prefix: str) -> None:
    found = sentences(PAIRS, prefix)
    ann = sheet(tmp_path / "ann.csv", found, {0: "I1", 1: "none", 2: "I4"})
    bob = sheet(tmp_path / "bob.csv", found, {0: "I1", 1: "none", 2: "none"})
    run, table = labelled(PAIRS, read_labels([ann, bob]), tmp_path)
    # art: one of two found I4, which is a tie and no label; dance: nobody judged it.
    assert judged_by_people(table) == {
        PAIRS[0].id: frozenset({"I1"}),
        PAIRS[1].id: frozenset(),
        PAIRS[2].id: frozenset(),
    }
    audit = {pair.id: frozenset({"I1"}) for pair in PAIRS}
    people = summarise_people(labels_by_people(table), run.pairs, audit)
    assert people is not None
    assert (dict(people.annotators), people.sentences, people.unjudged, people.tied) == ({"ann": 3, "bob": 3}, 4, 1, 1)
    [first] = [one for one in people.audit if one.label == "I1"]
    assert (first.items, first.precision, first.recall) == (3, 1 / 3, 1.0)
    [fourth] = [one for one in people.agreement if one.label == "I4"]
    assert fourth.alpha == 0.0


def test_the_effect_by_people_leaves_out_what_nobody_judged(tmp_path: Path) -> None:
    ann = sheet(tmp_path / "ann.csv", sentences(PAIRS), {0: "I1", 1: "none", 2: "none"})
    run, table = labelled(PAIRS, read_labels([ann]), tmp_path)
    judged = judged_by_people(table)
    values = [1, 0, 1, 0]
    scores = [chosen(pair, value) for pair, value in zip(run.pairs, values, strict=True)]
    summary = summarise_generated(as_tested(scores), [], audit=None, people=judged)
    assert summary is not None
    assert summary.by_audit is None
    assert summary.by_people is not None
    effect = summary.by_people.overall[0]
    # math 1, 0 and art 1: 3/4; without math-1: 0 and 1.
    assert (effect.before.value, effect.after.value) == (3 / 4, 1 / 2)
    assert summary.by_people.unjudged == 1


def test_labels_of_another_text_under_the_same_id_are_not_taken(tmp_path: Path) -> None:
    found = sentences(PAIRS)
    found[0] = replace(found[0], text="The man hated math.")
    found[1] = replace(found[1], text=f"  {found[1].text} ")
    labels = read_labels([sheet(tmp_path / "ann.csv", found, {0: "I1", 1: "I1"})])
    assert list(matched(labels, PAIRS[:2])) == [PAIRS[1].id]


def test_json_lines_are_read_as_well(tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    export_annotations(path, sentences(PAIRS))
    path.write_text(path.read_text(encoding="utf-8").replace('"I1": ""', '"I1": "x"', 1), encoding="utf-8")
    run, table = labelled(PAIRS, read_labels([path]), tmp_path)
    assert run.pairs == PAIRS
    assert judged_by_people(table) == {PAIRS[0].id: frozenset({"I1"})}


def test_labels_of_another_source_say_nothing(tmp_path: Path) -> None:
    labels = read_labels([sheet(tmp_path / "ann.csv", sentences(PAIRS, "generated[by=other]:"), {0: "I1"})])
    run, table = labelled(PAIRS, labels, tmp_path)
    assert summarise_people(labels_by_people(table), run.pairs, None) is None
    assert judged_by_people(table) is None


def test_sheets_that_have_other_texts_under_one_id_are_refused(tmp_path: Path) -> None:
    found = sentences(PAIRS)
    ann = sheet(tmp_path / "ann.csv", found, {0: "I1"})
    other = [replace(one, text=f"Once, {one.text}") for one in found]
    bob = sheet(tmp_path / "bob.csv", other, {0: "none"})
    with pytest.raises(InvalidData, match=r"bob\.csv.*the id `gender/0/topics/math/1` has another text"):
        read_labels([ann, bob])
    blank = sheet(tmp_path / "blank.csv", [replace(one, text="") for one in found], {0: "I1"})
    assert read_labels([ann, blank]).texts[found[0].id] == found[0].text, "no text is no other text"


def test_ids_that_are_numbers_are_read_as_text(tmp_path: Path) -> None:
    path = tmp_path / "ann.jsonl"
    path.write_text(json.dumps({**dict.fromkeys(COLUMNS, ""), "id": 7, "text": "x", "I1": 1}), encoding="utf-8")
    labels = read_labels([path])
    assert list(labels.texts) == labels.annotations.ids == ["7"]


def test_what_people_say_is_added_once_and_leaves_other_cells_alone(tmp_path: Path) -> None:
    ann = sheet(tmp_path / "ann.csv", sentences(PAIRS), {0: "I1"})
    run, table = labelled(PAIRS, read_labels([ann]), tmp_path)
    assert {cell.rater for cell in table.by_people("pairs")} == {"human:ann"}
    assert table.of("pairs") == [], "flags are no cells of the test"
    before = {cell.measure: cell.rows for cell in table.by_people("pairs")}
    table.add("pairs", label_rows(run, read_labels([ann])))
    assert {cell.measure: cell.rows for cell in table.by_people("pairs")} == before
    assert [row.value for row in before["I1"]] == [1.0]
    table.add("pairs", ())
    assert table.by_people("pairs") == []
