"""Structures that somebody's own table names are carried along in every kind of file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.results.files.scored import read_scored
from tiltmeter.sources import open_prompts_file, pairs_file, prompts_file


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_prompts_have_the_structure_and_the_set_of_their_row(tmp_path) -> None:
    table = "text,group,structure,attribute\nThe nun was,nuns,plain,respect\nDid you know the nun,nuns,asked,work\n"
    made, _ = prompts_file.prompts(write(tmp_path / "p.csv", table))
    assert [(one.structure.id, one.structure.kind, one.attribute) for one in made] == [
        ("plain", "declarative", "respect"),
        ("asked", "interrogative", "work"),
    ]


def test_open_prompts_have_it_too(tmp_path) -> None:
    table = "text,profession,structure,kind\nThe cook said that,cook,plain,\nI ask if the cook,cook,odd,interrogative\n"
    made, _ = open_prompts_file.prompts(write(tmp_path / "p.csv", table))
    assert [(one.structure.id, one.structure.kind) for one in made] == [
        ("plain", "declarative"),
        ("odd", "interrogative"),
    ]
    assert [one.template for one in made] == ["plain", "odd"], "without a template, as before"


def test_pairs_have_it_too(tmp_path) -> None:
    rows = ("He sings.,She sings.,plain", "Does he sing?,Does she sing?,asked", "He eats.,She eats.,")
    table = "\n".join(("sentence_1,sentence_2,structure", *rows))
    made, _ = pairs_file.pairs(write(tmp_path / "p.csv", table))
    assert [one.structure and (one.structure.id, one.structure.kind) for one in made] == [
        ("plain", "declarative"),
        ("asked", "interrogative"),
        None,
    ]
    with pytest.raises(InvalidData, match="declarative or interrogative"):
        pairs_file.pairs(write(tmp_path / "q.csv", "sentence_1,sentence_2,structure,kind\na b,a c,s,x\n"))


def test_scored_pairs_vary_over_the_structures_of_their_file(tmp_path) -> None:
    rows = [f"{name},math,1,{form}" for form in ("plain", "asked") for name in ("x", "y")]
    table = "attribute,bias,stereotyped,structure\n" + "\n".join(rows)
    _, pairs = read_scored([write(tmp_path / "s.csv", table)])
    assert {one.item.template for one in pairs} == {"plain", "asked"}
