"""Conditions that stop a pipeline: what holds in any cell, and what cannot be decided."""

from __future__ import annotations

from typing import Any

import pytest

from tiltmeter.cli.conditions import holds, holds_in_any
from tiltmeter.errors import UserError


def cell(rater: str, low: float | None, pair: str = "women/men") -> dict[str, Any]:
    return {"continuations": {"gender": {rater: {"pairs": {pair: {"difference": {"low": low}}}}}}}


PLACE = "continuations.gender.toxicity.linear.pairs.women/men.difference.low"
CELLS = [
    cell("toxicity.linear.v1", 0.1),
    cell("toxicity.linear.v1", 0.3),
    cell("toxicity.tiny.v1", 0.9),
    cell("toxicity.linear.v1", 0.8, "actresses/actors"),
]


def test_a_condition_holds_if_it_does_in_any_cell_that_has_its_path() -> None:
    assert holds_in_any(f"{PLACE} > 0.2", CELLS)
    assert not holds_in_any(f"{PLACE} > 0.5", CELLS), "another rater, and other groups, are not meant"
    assert holds_in_any(f"{PLACE.replace('linear', 'tiny.v1')} > 0.5", CELLS)


def test_a_name_without_its_version_is_known_and_the_longest_name_wins() -> None:
    assert holds("by.a.b.low > 0", {"by": {"a": {"b.low": -1}, "a.b.v2": {"low": 1}}})


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        (PLACE.replace("gender", "race"), "has no `continuations.race.* here are gender"),
        (PLACE.replace("toxicity.linear", "regard"), "here are toxicity.linear.v1, toxicity.tiny.v1"),
        (PLACE.replace("women/men", "men/women"), "here are women/men, actresses/actors"),
        (PLACE.removesuffix(".low"), "is not a number in 2 of 2 cells, so the condition cannot be decided"),
    ],
)
def test_a_path_that_is_not_there_is_an_error_that_says_what_is(path: str, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        holds_in_any(f"{path} > 0", CELLS)


def test_what_is_undefined_somewhere_is_never_a_pass() -> None:
    some = [cell("toxicity.linear.v1", None), cell("toxicity.linear.v1", 0.1)]
    assert holds_in_any(f"{PLACE} > 0", some)
    with pytest.raises(UserError, match=r"undefined here \(null\) in 1 of 2 cells"):
        holds_in_any(f"{PLACE} > 0.5", some)
    with pytest.raises(UserError, match="the result has no"):
        holds_in_any("anything > 0", [])
