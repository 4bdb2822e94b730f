from __future__ import annotations

import pytest

from tiltmeter.stats.structures.pairs import pair_structures
from tiltmeter.stats.views.pairs import PairItem


def items(values: dict[str, list[float | None]], bias: str = "gender") -> list[PairItem]:
    """Each structure's values, one attribute for each place of the list."""
    return [
        PairItem(bias, f"attribute {place}", "set", value, structure=name)
        for name, found in values.items()
        for place, value in enumerate(found)
    ]


def test_by_hand():
    found = pair_structures(items({"plain": [1, 1, 0, 1], "cleft": [1, 1, 1, 1], "question": [0, 0, 1, 0]}))["gender"]
    assert found.whole.value == pytest.approx(8 / 12)
    assert {name: one.value for name, one in found.by_structure.items()} == {
        "plain": 0.75,
        "cleft": 1,
        "question": 0.25,
    }
    assert found.side_kept.value == pytest.approx(2 / 3)
    assert found.reversed == ("question",)


def test_one_half_neither_keeps_the_side_nor_reverses_it():
    found = pair_structures(items({"plain": [1, 1], "cleft": [1, 0]}))["gender"]
    assert found.side_kept.value == 0.5
    assert found.reversed == ()


def test_a_structure_without_a_score_is_unscored():
    found = pair_structures(items({"plain": [1, 1], "cleft": [None, None]}))["gender"]
    assert (found.side_kept.value, found.side_kept.n, found.side_kept.n_unscored) == (1.0, 1, 1)


def test_a_share_of_one_half_over_all_is_on_no_side():
    found = pair_structures(items({"plain": [1, 1], "cleft": [0, 0]}))["gender"]
    assert found.side_kept.value is None
    assert found.side_kept.note


def test_biases_with_one_structure_or_none_are_left_out():
    plain = [PairItem("age", "old", "set", 1.0)]
    assert [*pair_structures([*items({"only": [1.0]}, "race"), *plain, *items({"a": [1.0], "b": [0.0]})])] == ["gender"]
