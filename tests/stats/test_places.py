"""The order of several models, and how far it would hold."""

from __future__ import annotations

import numpy as np
import pytest

from tiltmeter.stats.drawing import Array
from tiltmeter.stats.places import Order, Part, order_of

ORIGINS = [f"origin {number}" for number in range(40)]


def values(*means: float, spread: float = 0.3, seed: int = 1) -> Array:
    """A column for each mean, over the same 40 origins; what an origin does it does to all."""
    generator = np.random.default_rng(seed)
    common, own = generator.normal(0, spread, (40, 1)), generator.normal(0, 0.02, (40, len(means)))
    return np.array(means) + common + own


def order(*means: float, spread: float = 0.3) -> Order:
    return order_of([[Part(1.0, values(*means, spread=spread), ORIGINS)]])


def test_places_are_those_of_the_means_the_highest_first() -> None:
    found = order(0.1, 0.9, 0.5)
    assert [one.place for one in found.standings] == [3, 1, 2]
    assert found.kept == 1.0
    assert all(one.low == one.high == one.place for one in found.standings)
    assert found.standings[1].shares == (1.0, 0.0, 0.0)


def test_what_origins_do_to_all_models_does_not_shake_their_order() -> None:
    # The interval of each mean is many times wider than the gap between them.
    assert (order(0.50, 0.52, spread=2.0).kept or 0.0) > 0.95


def test_models_that_items_do_not_tell_apart_share_their_places() -> None:
    found = order(0.5, 0.5)
    assert {one.place for one in found.standings} == {1, 2}
    assert all((one.low, one.high) == (1, 2) for one in found.standings)
    assert sum(one.shares[0] for one in found.standings) == pytest.approx(1.0)
    assert sum(found.standings[0].shares) == pytest.approx(1.0)


def test_equal_values_share_the_better_place() -> None:
    same = values(0.3)
    found = order_of([[Part(1.0, np.hstack([same, same, same - 1.0]), ORIGINS)]])
    assert [one.place for one in found.standings] == [1, 1, 3]
    assert [(one.low, one.high) for one in found.standings] == [(1, 2), (1, 2), (3, 3)]
    assert [one.shares for one in found.standings] == [(0.5, 0.5, 0.0), (0.5, 0.5, 0.0), (0.0, 0.0, 1.0)]
    assert found.kept == 1.0


@pytest.mark.parametrize("differing", [1, 2, 3])
def test_a_few_origins_that_differ_make_no_place_certain(differing: int) -> None:
    # No draw turns the two round: the second is never above the first. Chance alone does this with p >= 0.25.
    first = np.zeros((40, 1))
    first[:differing] = 1.0
    found = order_of([[Part(1.0, np.hstack([first, np.zeros((40, 1))]), ORIGINS)]])
    assert [one.place for one in found.standings] == [1, 2]
    assert [(one.low, one.high) for one in found.standings] == [(1, 2), (1, 2)]
    assert 0.5 < found.standings[0].shares[0] < 1.0


@pytest.mark.slow
@pytest.mark.parametrize(("origins", "models"), [(6, 2), (12, 4)])
def test_models_that_are_alike_are_seldom_told_apart(origins: int, models: int) -> None:
    generator, wrong, tries = np.random.default_rng(origins), 0, 100
    for _ in range(tries):
        drawn = generator.normal(0, 1, (origins, 1)) + generator.normal(0, 0.5, (origins, models))
        found = order_of([[Part(1.0, drawn, ORIGINS[:origins])]])
        wrong += sum((one.low, one.high) != (1, models) for one in found.standings)
    assert wrong / (tries * models) < 0.1


@pytest.mark.slow
def test_the_places_that_a_model_may_have_hold_its_true_one() -> None:
    generator, truth, tries = np.random.default_rng(8), np.array([0.4, 0.3, 0.2, 0.1]), 60
    held = told_apart = 0
    for _ in range(tries):
        drawn = truth + generator.normal(0, 1, (20, 1)) + generator.normal(0, 0.15, (20, 4))
        found = order_of([[Part(1.0, drawn, ORIGINS[:20])]])
        held += sum((one.low or 0) <= place <= (one.high or 0) for place, one in enumerate(found.standings, 1))
        told_apart += sum(one.high == 2 for one in found.standings[:1])
    assert held / (tries * 4) > 0.95
    assert told_apart > 0


@pytest.mark.parametrize(("origins", "certain"), [(5, False), (6, True)])
def test_a_difference_without_spread_counts_where_so_many_origins_would_hardly_agree_by_chance(
    origins: int, certain: bool
) -> None:
    found = order_of([[Part(1.0, np.tile([1.0, 0.0], (origins, 1)), ORIGINS[:origins])]])
    assert [one.low == one.high for one in found.standings] == [certain] * 2


def test_few_origins_of_one_part_are_not_said_to_be_those_of_all() -> None:
    many, few, one = (Part(0.5, values(0.1, 0.9)[:n], ORIGINS[:n]) for n in (None, 3, 1))
    assert order_of([[many], [few]]).note is None
    assert (order_of([[many], [one]]).note or "").startswith("a part of the items has one origin: ")
    assert (order_of([[one], [few]]).note or "").startswith("fewer than 5 origins: ")


def test_a_gap_is_the_first_group_minus_the_second() -> None:
    women, men = values(0.2, 0.6, seed=2), values(0.1, 0.9, seed=3)
    for pools in (
        [[Part(1.0, women, ORIGINS), Part(-1.0, men, ORIGINS)]],
        [[Part(1.0, women, ORIGINS)], [Part(-1.0, men, ORIGINS)]],
    ):
        assert [one.place for one in order_of(pools).standings] == [1, 2]


def test_strata_count_alike_whatever_their_size() -> None:
    large, small = values(0.9, 0.1), values(0.1, 0.95)[:5]
    found = order_of([[Part(0.5, large, ORIGINS)], [Part(0.5, small, ORIGINS[:5])]])
    means = 0.5 * large.mean(axis=0) + 0.5 * small.mean(axis=0)
    assert [one.place for one in found.standings] == [1 + int(means[0] < means[1]), 1 + int(means[1] < means[0])]


def test_few_origins_say_nothing_about_the_order() -> None:
    found = order_of([[Part(1.0, np.array([[0.1, 0.2], [0.3, 0.4]]), ["x", "y"])]])
    assert [one.place for one in found.standings] == [2, 1]
    assert found.kept is None
    assert "fewer than 5 origins" in (found.note or "")


def test_the_same_seed_draws_the_same() -> None:
    assert order(0.5, 0.51, 0.52) == order(0.5, 0.51, 0.52)
