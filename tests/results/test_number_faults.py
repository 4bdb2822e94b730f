"""A template that speaks of one person, and terms that name several: warned of, dropped or counted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tiltmeter import specs
from tiltmeter.cli.specs import app
from tiltmeter.results.summary.number_faults import number_faults
from tiltmeter.sources.templates import pairs
from tiltmeter.word_kinds import number_fault

SPEC = """
name = "heights"
title = "Heights"
citation = "made up for a test"
templates = ["[T] is [A]", "We called [T] [A]"]
[groups.tall]
terms = ["a tall person", "tall people", "tall women"]
[groups.short]
terms = ["a short person", "short people", "a short woman"]
[attributes.brave]
terms = ["brave", "calm"]
stereotype_of = "tall"
[attributes.shy]
terms = ["shy", "vain"]
stereotype_of = "short"
"""


@pytest.mark.parametrize(
    ("template", "term", "word"),
    [
        ("[T] is [A]", "tall people", "is"),
        ("[T] was called [A]", "the tall women", "was"),
        ("The [T] works as a [A]", "tall people", "works"),
        ("A [T] met a [A]", "tall people", "a"),
        ("Is [T] [A]?", "tall people", "is"),
        ("People say [T] who is [A] won", "tall people", "is"),
        ("[T] are [A]", "a tall person", "are"),
        ("[T] are [A]", "tall people", None),
        ("[T] will be [A]", "tall people", None),
        ("[T] always sing [A]", "tall people", None),
        ("The boss of [T] is [A]", "tall people", None),
        ("Most people find [T] [A]", "tall people", None),
        ("[T] is [A]", "bagpipe", None),
        ("[T] is [A]", "James", None),
        ("[T] is [A]", "he", None),
    ],
)
def test_a_word_of_the_other_number_is_found(template: str, term: str, word: str | None) -> None:
    assert number_fault(template, term) == word


def test_pairs_with_the_fault_in_one_text_are_dropped_and_those_with_it_in_both_are_counted() -> None:
    made, dropped = pairs(specs.parse(SPEC))
    assert {one.text for one in dropped} == {f"Tall women is {name}" for name in ("brave", "calm", "shy", "vain")}
    assert {one.reason for one in dropped} == {"`is` does not fit `tall women` in '[T] is [A]'"}
    found = number_faults(made)
    assert found and (found.pairs, found.of, found.template) == (4, 20, "[T] is [A]")
    assert "4 of 20 pairs have" in found.sentence()
    assert number_faults(one for one in made if "people" not in one.terms[0]) is None
    kept, _ = pairs(specs.parse(SPEC), agreement="as-published")
    assert len(kept) == 24, "what was published is not changed"


def test_specs_check_names_template_and_term(tmp_path: Path) -> None:
    file = tmp_path / "heights.toml"
    file.write_text(SPEC, encoding="utf-8")
    said = CliRunner().invoke(app, ["check", str(file)])
    assert said.exit_code == 0, "a warning leaves a spec usable"
    assert "warning: in the template '[T] is [A]', `is` does not fit the term `tall people`" in said.output
    [record] = json.loads(CliRunner().invoke(app, ["check", str(file), "--json"]).output)
    assert record["ok"] and len(record["warnings"]) == 3


@pytest.mark.parametrize("name", specs.names())
def test_the_library_has_no_such_fault(name: str) -> None:
    assert specs.warnings(specs.load(name)) == []
