"""A file of sentences makes pairs by itself, also after people worked on it."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.shared import shared
from tiltmeter import specs
from tiltmeter.errors import InvalidData
from tiltmeter.records import AttributeSet, Group, Pair, Spec, Written
from tiltmeter.sources.generated import pairs, write_sentences
from tiltmeter.sources.generated.annotations import export_annotations
from tiltmeter.sources.generated.sentence_files import specs_in
from tiltmeter.sources.generated.sentence_specs import decode, encode
from tiltmeter.sources.pairs_file import Table, read, stream

# Terms with the signs that separate cells and parts; three groups; a set that is nobody's stereotype.
SPEC = Spec(
    "harbour-trust",
    "Harbours",
    (
        Group("port", ("docker; crane=1", "pilot")),
        Group("inland", ("bargee", "lock keeper")),
        Group("city", ("clerk", "tram driver")),
    ),
    (
        AttributeSet("good", ("reliable",), ("port",), neutral="around"),
        AttributeSet("bad", ("greedy",), ("inland", "city")),
        AttributeSet("control", ("tall",)),
    ),
    compare=(("port", "inland"), ("city", "port"), ("inland", "city")),
)
SENTENCES = [
    Written("h/0", "harbour-trust", "The pilot is reliable.", "port", "pilot", "reliable", "good", 0, "one"),
    Written("h/1", "harbour-trust", "A bargee is greedy.", "inland", "bargee", "greedy", "bad", 1, "one"),
    Written("h/2", "harbour-trust", "Every clerk is tall.", "city", "clerk", "tall", "control", 1, "one"),
]


def table(path: Path, edit=lambda rows: rows, **layout: str) -> Path:
    """Write the sentences, and write the table again as a person's program may."""
    write_sentences(path, SENTENCES, [SPEC])
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", encoding=layout.get("encoding", "utf-8"), newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=layout.get("delimiter", ","))
        writer.writeheader()
        writer.writerows(edit(rows))
    return path


def made(found: Table) -> list[tuple[str, tuple[str, str], tuple[str, str], int | None]]:
    return [(row.pair.bias, row.pair.groups, row.pair.texts, row.pair.stereotyped) for row in found.rows if row.pair]


@pytest.mark.parametrize("layout", [{}, {"delimiter": ";", "encoding": "utf-8-sig"}, {"encoding": "cp1252"}])
def test_the_pairs_of_a_file_are_those_of_the_spec(tmp_path: Path, layout: dict[str, str]) -> None:
    found = read(table(tmp_path / "S.csv", **layout))
    direct = pairs(SENTENCES, SPEC)[0]
    assert [row.pair for row in found.rows] == direct and len(direct) == 6 - 1
    assert [row.cells["id"] for row in found.rows] == ["h/0", "h/0", "h/1", "h/2", "h/2"]
    first = found.rows[0].cells
    assert (first["sentence_1"], first["sentence_2"]) == ("The pilot is reliable.", "The lock keeper is reliable.")
    assert (first["label_1"], first["label_2"], first["term_2"]) == ("stereotype", "anti-stereotype", "lock keeper")
    assert set(first) >= set(found.columns) - {"group"}


def test_terms_with_the_signs_of_the_encoding_come_back() -> None:
    parts = [("a", "x; y=z"), ("b", "back\\slash"), ("c", "=")]
    assert decode(encode(parts)) == parts
    assert decode("a = one ; b=two;") == [("a", "one"), ("b", "two"), ("",)]
    assert decode("") == []


def test_what_people_did_to_the_file_counts(tmp_path: Path) -> None:
    def edit(rows):
        rows[0]["text"] = "A calm pilot is reliable."
        rows[1]["dropped"] = "x"
        return [*rows, {**rows[2], "id": "h/3", "text": "Nobody is tall."}, {**rows[2], "id": "h/4", "text": " "}]

    found = read(table(tmp_path / "S.csv", edit))
    assert made(found)[0][2] == ("A calm pilot is reliable.", "A calm lock keeper is reliable.")
    assert dict(found.left_out) == {"struck by a reviewer": 1}
    lost = {row.cells["id"]: row.reason for row in found.rows if row.pair is None}
    assert set(lost) == {"h/3", "h/4"} and all(lost.values())
    doubled = read(table(tmp_path / "D.csv", lambda rows: [*rows, {**rows[0], "id": "again"}]))
    assert [row.reason for row in doubled.rows if row.pair is None] == [
        f"the same two texts already exist as h/0/{groups}/port" for groups in ("port-inland", "city-port")
    ]


@pytest.mark.parametrize("name", ["ann.csv", "ann.jsonl"])
def test_a_sheet_that_came_back_leaves_out_what_was_marked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    export_annotations(path, SENTENCES, [SPEC])
    if name.endswith("csv"):
        rows = list(csv.DictReader(path.open(encoding="utf-8", newline="")))
    else:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    rows[0] |= {"I4": "x", "I8": "1"}
    rows[1] |= {"none": "x", "text": "An old bargee is greedy."}
    if name.endswith("csv"):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    else:
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    found = read(path)
    assert dict(found.left_out) == {"marked with I4, I8 by a reviewer": 1}
    assert [row.cells["id"] for row in found.rows] == ["h/1", "h/2", "h/2"]
    assert made(found)[0][2][1] == "An old bargee is greedy."
    assert sum(isinstance(one, Pair) for one in stream(path)) == 3


def test_specs_fill_in_what_a_file_does_not_say(tmp_path: Path) -> None:
    write_sentences(tmp_path / "S.csv", SENTENCES)
    with pytest.raises(InvalidData, match="no spec has the bias `harbour-trust`.*--spec FILE"):
        read(tmp_path / "S.csv")
    assert [row.pair for row in read(tmp_path / "S.csv", [SPEC]).rows] == pairs(SENTENCES, SPEC)[0]
    # A sheet of the workbench has nothing but an id that begins with the bias.
    (tmp_path / "sheet.csv").write_text(
        "id,text,term,attribute,I1,I2,I3,I4,I5,I6,I7,I8,none\n"
        "generated[by=x]:harbour-trust/0/good/reliable/0.0,The pilot is reliable.,pilot,reliable,,,,,,,,,x\n"
    )
    assert [one[0] for one in made(read(tmp_path / "sheet.csv", [SPEC]))] == [
        "harbour-trust:port-inland",
        "harbour-trust:city-port",
    ]


def test_a_published_name_is_looked_up_and_what_was_discarded_left_out(tmp_path: Path) -> None:
    path = tmp_path / "gen.csv"
    path.write_text(
        "Bias Name,Attribute word,Group Term,Generated sentence,Template version,Discarded,Reason for discard\n"
        "Harbours_vs_Trust,reliable,pilot,The pilot is reliable.,the [T] is reliable.,,\n"
        "Harbours_vs_Trust,reliable,lock-keeper,Our lockkeeper is reliable.,our [T] is reliable.,,\n"
        "Harbours_vs_Trust,reliable,pilot,A pilot is.,a [T] is.,1,no attribute\n"
        "Harbours_vs_Trust,reliable,sailor,A sailor is reliable.,a [T] is reliable.,,\n"
    )
    with pytest.raises(InvalidData, match="`Harbours_vs_Trust`"):
        read(path)
    found = read(path, [replace(SPEC, published_as="Harbours_vs_Trust")])
    assert dict(found.left_out) == {"no attribute": 1}
    assert [row.reason for row in found.rows if row.reason] == [
        "`sailor` is not a term of any group of `harbour-trust`"
    ]
    assert made(found)[2][2] == ("Our pilot is reliable.", "Our lock keeper is reliable.")


def test_the_real_published_sentences_nearly_all_make_pairs() -> None:
    found = read(shared("biastestgpt/generated_1.csv"), [specs.load(name) for name in specs.names()])
    assert len(found.rows) == 806
    assert sum(row.pair is not None for row in found.rows) > 780
    assert all(row.reason for row in found.rows if row.pair is None)


def test_the_spec_of_a_file_can_be_had(tmp_path: Path) -> None:
    (spec,) = specs_in(table(tmp_path / "S.csv"))
    assert {group.name: group.terms for group in spec.groups} == {
        "port": ("pilot", "docker; crane=1"),
        "inland": ("lock keeper", "bargee"),
        "city": ("tram driver", "clerk"),
    }
    assert spec.compare == SPEC.compare and spec.attributes[1].stereotype_of == ("inland", "city")
