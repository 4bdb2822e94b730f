"""What readers call groups and biases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.present.next_words import make_asked_run
from tests.present.synthetic import Tilt, make_run
from tiltmeter.results.names import names_of
from tiltmeter.sources.word_sets import CALLED
from tiltmeter.store import Run


def named(*specs: dict[str, Any]) -> Run:
    run = make_run(Path("r"), tilts=(Tilt("one", 0.5, terms=2, title="One"), Tilt("two", 0.5, terms=2, title="Two")))
    known = run.meta["resolved"]["specs"]
    changed = [{**spec, **more} for spec, more in zip(known, (*specs, {}, {}), strict=False)]
    return replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "specs": changed}})


def groups(**nouns: str) -> list[dict[str, Any]]:
    return [{"name": name, "terms": ["a"], "noun": noun} for name, noun in nouns.items()]


def test_a_noun_is_what_a_group_is_called_and_a_name_without_one_is_quoted() -> None:
    names = names_of([named({"groups": groups(urban="townspeople", rural="")})])
    called = [names.group(name, "one") for name in ("urban", "rural", "unheard-of")]
    assert tuple(called) == (*("townspeople", "“rural”", "“unheard-of”"),)


def test_a_spec_of_a_run_made_before_nouns_can_be_read() -> None:
    old = [{"name": "group-1", "terms": ["he"]}]
    assert names_of([named({"groups": old})]).group("group-1", "one") == "“group-1”"


def test_two_specs_may_call_one_group_differently() -> None:
    names = names_of([named({"groups": groups(x="boys")}, {"groups": groups(x="men")})])
    assert (names.group("x", "one"), names.group("x", "two:x-y")) == ("boys", "men")
    assert names.group("x", "three") == "“x”"
    agreed = names_of([named({"groups": groups(x="men")}, {"groups": groups(x="men")})])
    assert agreed.group("x", "three") == "men"


def test_a_bias_has_the_title_of_its_spec_and_two_of_one_title_their_names_too() -> None:
    names = names_of([named()])
    assert (names.bias("one"), names.bias("own/thing")) == ("One", "thing (own)")
    both = names_of([named({"title": "Same"}, {"title": "Same"})])
    assert (both.bias("one"), both.bias("two")) == ("Same (one)", "Same (two)")


def test_one_of_several_comparisons_is_named_after_its_two_groups() -> None:
    compare = [["x", "y"], ["x", "z-z"]]
    names = names_of([named({"groups": groups(x="exes", y="whys", **{"z-z": ""}), "compare": compare})])
    assert names.bias("one:x-y") == "One: exes and whys"
    assert names.bias("one:x-z-z") == "One: exes and “z-z”"


def test_built_in_words_and_sources_name_the_groups_that_they_bring() -> None:
    names = names_of([make_asked_run(Path("r"), professions=("nurse",))])
    assert CALLED and all(names.group(name, "professions") == called for name, called in CALLED.items())
    run = make_run(Path("r"), tilts=())
    texts = {"samples": 1, "sources": [{"name": "own-prompts.v1"}, {"name": "of-a-plug-in.v1"}]}
    known = replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "continuations": texts}})
    assert names_of([known]).group("female", "own-prompts/gender") == "women"
