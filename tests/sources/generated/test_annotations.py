from __future__ import annotations

import csv
import json

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.records import Written
from tiltmeter.sources.generated.annotations import COLUMNS, export_annotations, import_annotations, majority

SENTENCES = [
    Written("1", "x", "A man, his math.", "male", "man", "math", "math"),
    Written("2", "x", "The girl is bad at math.", "female", "girl", "math", "math"),
    Written("3", "x", "He likes math.", "male", "he", "math", "math"),
    Written("4", "x", "math", "male", "he", "math", "math", dropped="lacks the group term"),
]


def sheet(folder, name: str, marks: dict[str, dict[str, str]]):
    path = folder / f"{name}.csv"
    export_annotations(path, SENTENCES)
    rows = list(csv.DictReader(path.open()))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(row | marks.get(row["id"], {}) for row in rows)
    return path


def test_a_sheet_has_a_blank_cell_for_every_issue(tmp_path) -> None:
    export_annotations(tmp_path / "a.csv", SENTENCES)
    rows = list(csv.DictReader((tmp_path / "a.csv").open()))
    assert [row["id"] for row in rows] == ["1", "2", "3"]
    assert rows[0]["text"] == "A man, his math."
    assert all(row[f"I{number}"] == "" for row in rows for number in range(1, 9))
    export_annotations(tmp_path / "a.jsonl", SENTENCES)
    assert json.loads((tmp_path / "a.jsonl").read_text().splitlines()[1])["id"] == "2"


def test_labels_come_back_and_a_row_without_marks_was_not_judged(tmp_path) -> None:
    ann = sheet(tmp_path, "ann", {"1": {"I1": "x"}, "2": {"I4": "1", "I2": "0"}, "3": {"none": "x"}})
    bob = sheet(tmp_path, "bob", {"1": {"I1": "yes"}, "2": {"I1": "0"}})
    cid = sheet(tmp_path, "cid", {"1": {"none": "1"}})
    found = import_annotations([ann, bob, cid])
    assert found.by_annotator["ann"] == {"1": {"I1"}, "2": {"I4"}, "3": frozenset()}
    assert found.by_annotator["bob"] == {"1": {"I1"}, "2": frozenset()}
    most = majority(found)
    assert most.labels == {"1": {"I1"}, "2": frozenset(), "3": frozenset()}
    assert most.tied == {"2": {"I4"}}


def test_json_lines_come_back_too(tmp_path) -> None:
    path = tmp_path / "ann.jsonl"
    export_annotations(path, SENTENCES)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    rows[0]["I3"] = True
    rows[1]["I4"] = 1
    path.write_text("\n".join(map(json.dumps, rows)))
    assert import_annotations([path]).by_annotator == {"ann": {"1": {"I3"}, "2": {"I4"}}}
    path.write_text("[]\n")
    with pytest.raises(InvalidData, match="no rows; write"):
        import_annotations([path])


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ({"1": {"I1": "maybe"}}, "row 1 has `maybe` under `I1`; write x or 1"),
        ({"2": {"I1": "x", "none": "x"}}, "row 2 has an issue and is also marked as having none"),
    ],
)
def test_marks_that_cannot_be_read_are_refused(tmp_path, marks, message) -> None:
    with pytest.raises(InvalidData, match=message):
        import_annotations([sheet(tmp_path, "ann", marks)])


def test_one_annotator_has_one_sheet(tmp_path) -> None:
    path = sheet(tmp_path, "ann", {})
    with pytest.raises(InvalidData, match="a second sheet of the annotator `ann`"):
        import_annotations([path, path])
    (tmp_path / "other.csv").write_text("id,text\n1,x\n")
    with pytest.raises(InvalidData, match="no `I1`; it is not an annotation sheet"):
        import_annotations([tmp_path / "other.csv"])
