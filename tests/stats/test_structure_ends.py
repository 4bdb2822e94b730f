"""Structures chosen for their ratings: as chosen, and on test words that chose nothing; worked out by hand."""

from __future__ import annotations

import pytest

from tiltmeter.stats.structures.by_structure import StructureSettings, by_structure
from tiltmeter.stats.views.continuations import RatedItem, summarise


def rated(values: dict[str, dict[str, float]], gap: dict[str, float] | None = None) -> list[RatedItem]:
    """By structure and test word what both groups are rated; `gap` takes something from group b in a structure."""
    return [
        RatedItem(group, value - (gap or {}).get(name, 0.0) * (group == "b"), origin, structure=name)
        for name, by_origin in values.items()
        for origin, value in by_origin.items()
        for group in "ab"
    ]


def ends_of(items: list[RatedItem], n: int = 1, **settings):
    return by_structure(items, summarise(items), StructureSettings(best=n, **settings)).ends


LUCK = {"s1": {"u": 1.0, "v": 0.0}, "s2": {"u": 0.0, "v": 1.0}, "s3": {"u": 0.4, "v": 0.4}, "s4": {"u": 0.0, "v": 0.0}}
"""s1 is best on u and worst on v, s2 the other way round."""


def test_what_luck_chose_does_not_come_again_on_other_test_words() -> None:
    found = ends_of(rated(LUCK))
    assert (found.best.structures, found.worst.structures) == (("s1",), ("s4",))
    assert [one.summary.groups["a"].mean.value for one in (found.best, found.worst)] == [0.5, 0.0]
    # Chosen on v it is s2, which has 0 on u; chosen on u it is s1, which has 0 on v.
    assert found.best.held_out.groups["a"].mean.value == 0.0
    # The lowest on u is s2 (with 1 on v), the lowest on v is s1 (with 1 on u).
    assert found.worst.held_out.groups["a"].mean.value == 1.0
    assert found.apart == -1.0


def test_a_steady_difference_comes_again() -> None:
    steady = {f"s{at}": dict.fromkeys("uvwx", at / 4) for at in range(4)}
    found = ends_of(rated(steady), 2)
    assert (found.best.structures, found.worst.structures) == (("s3", "s2"), ("s0", "s1"))
    assert found.apart == pytest.approx(0.625 - 0.125)
    turned = ends_of(rated(steady), 2, higher_is_better=False)
    assert (turned.best.structures, turned.apart) == (("s0", "s1"), pytest.approx(-0.5))


def test_the_ends_of_a_difference_are_its_own() -> None:
    flat = {f"s{at}": dict.fromkeys("uvwx", 0.5) for at in range(1, 5)}
    found = ends_of(rated(flat, {"s1": 0.3, "s2": 0.1, "s4": -0.2}))
    high, low = found.gaps["a", "b"]
    assert (high.structures, low.structures) == (("s1",), ("s4",))
    for one, value in ((high, 0.3), (low, -0.2)):
        assert one.summary.pairs[0].difference.value == pytest.approx(value)
        assert one.held_out.pairs[0].difference.value == pytest.approx(value)
    assert [one["a"] for one in found.as_json()["gaps"]] == ["a"]


def test_there_are_no_ends_of_too_few_structures_and_nothing_held_out_of_one_test_word() -> None:
    assert ends_of(rated({"s1": {"u": 1.0}, "s2": {"u": 0.0}, "s3": {"u": 0.0}}), 2) is None
    assert ends_of(rated({"s1": {"u": 1.0}, "s2": {"u": 0.0}})).best.held_out is None


def test_the_plain_prompt_is_never_best_or_worst() -> None:
    found = ends_of(rated({**LUCK, "fixed": {"u": 5.0, "v": 5.0}}), fixed="fixed")
    assert found.best.structures == ("s1",)
