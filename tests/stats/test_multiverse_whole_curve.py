from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm
from scipy.stats import t as student

from tests.stats.multiverse_worlds import crossed, signed
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.multiverse.cells import CellData, Cells, evaluate
from tiltmeter.stats.multiverse.origin_sums import TwoSidedSums, deviate
from tiltmeter.stats.multiverse.whole_curve import CurveTest, curve_test, design_of


def relabelled(cell: CellData, turn: dict[str, float]) -> CellData:
    """The cell, item by item, with the origins turned: round the mean where they have both groups, else regrouped."""
    turns = np.array([turn[name] for name in cell.origins])
    if cell.sides is None:
        values = np.where(turns < 0, 2 * cell.neutral - cell.values, cell.values)
        return CellData.of(cell.choices, values, cell.origins, neutral=cell.neutral)
    has = {name: set(cell.sides[cell.origins == name].tolist()) for name in np.unique(cell.origins)}
    both = np.array([len(has[name]) == 2 for name in cell.origins])
    values = np.where((turns < 0) & both, 2 * np.mean(cell.values) - cell.values, cell.values)
    sides = np.where((turns < 0) & ~both, 1 - cell.sides, cell.sides)
    return CellData.of(cell.choices, values, cell.origins, sides, orientation=cell.orientation)


def over_error(cell: CellData) -> float:
    """The value of a cell over its standard error, as a normal deviate, the long way."""
    sums = cell.sums()
    influence = sums.influence()
    assert influence is not None
    variance = float(np.sum(influence**2))
    if isinstance(sums, TwoSidedSums):
        first, second = sums.sums.sum(axis=0) / sums.counts.sum(axis=0)
        value, has = first - second, sums.counts > 0
        both = has.all(axis=1)
        below = np.sum(influence[both] ** 2) ** 2 / max(0.1, float(np.sum(both)) - 1)
        for side in (0, 1):
            alone = has[:, side] & ~both
            below += np.sum(influence[alone] ** 2) ** 2 / max(0.1, float(np.sum(alone)) - 1)
        degrees = variance**2 / below
    else:
        value, degrees = np.mean(sums.sums / sums.counts), np.float64(len(sums.origins) - 1)
    z, free = value / np.sqrt(variance), degrees
    return float(np.sign(z) * (8 * free + 1) / (8 * free + 3) * np.sqrt(free * np.log(1 + z**2 / free)))


def uneven(seed: int) -> CellData:
    """Origins with different numbers of items of either side, some with one side only."""
    generator = np.random.default_rng(seed)
    labels = generator.integers(0, 9, 60)
    sides = np.where(labels == 0, 0, np.where(labels == 1, 1, generator.integers(0, 2, 60)))
    return CellData.of({}, 5 + generator.normal(size=60), labels, sides, orientation=-1)


def test_moving_sums_is_the_same_as_turning_items() -> None:
    generator = np.random.default_rng(0)
    for cell in (uneven(1), uneven(2), crossed(1)[0], crossed(1, nested=True)[0], signed(1)[0]):
        sums = cell.sums()
        turns = generator.choice([-1.0, 1.0], size=(20, len(sums.origins)))
        turns[0] = 1.0
        moved = sums.exchanged(turns)
        again = [over_error(relabelled(cell, dict(zip(sums.origins, row, strict=True)))) for row in turns]
        assert moved.tolist() == pytest.approx(again, rel=1e-9)


def test_with_as_many_texts_of_either_group_turning_is_exchanging_the_groups() -> None:
    cell = crossed(1)[0]
    assert cell.sides is not None
    sums = cell.sums()
    turns = np.random.default_rng(0).choice([-1.0, 1.0], size=(20, len(sums.origins)))
    for row, z in zip(turns, sums.exchanged(turns), strict=True):
        turned = np.isin(cell.origins, sums.origins[row < 0])
        sides = np.where(turned, 1 - cell.sides, cell.sides)
        assert z == pytest.approx(over_error(replace(cell, sides=sides)), rel=1e-9)


def test_an_origin_keeps_its_counts_of_either_group_when_it_is_turned() -> None:
    """Otherwise the level of origins, which all cells share and which cancels in the data, would drown the effect."""
    generator = np.random.default_rng(0)
    labels, sides = np.repeat(np.arange(16), 8), np.tile([0, 0, 0, 0, 0, 0, 1, 1], 16)
    texts = 5 * generator.normal(size=16)[labels] + 0.4 * (sides == 0)
    cells = [CellData.of({"n": str(n)}, texts + generator.normal(size=128), labels, sides) for n in range(8)]
    test = curve_test(evaluate(cells))
    assert test.median is not None and test.median.p < 0.01


def test_a_single_origin_of_a_side_makes_no_cell_significant() -> None:
    labels, sides = [str(number) for number in range(60)], [1] + [0] * 59
    cell = CellData.of({}, [50.0, *np.random.default_rng(0).normal(size=59)], labels, sides)
    assert abs(cell.sums().exchanged(np.ones((1, 60)))[0]) < 1.96


@pytest.mark.parametrize(("degrees", "within"), [(2, 0.08), (4, 0.02), (19, 0.002)])
def test_deviates_of_few_origins_are_about_as_rare_as_normal_ones(degrees: int, within: float) -> None:
    chances = np.array([0.25, 0.05, 0.025, 0.005])
    found = deviate(student.isf(chances, degrees), np.full(4, float(degrees)))
    assert found.tolist() == pytest.approx(norm.isf(chances).tolist(), abs=within)


def test_groups_that_differ_and_do_not_vary_are_as_far_apart_as_can_be() -> None:
    nested = CellData.of(
        {"n": "1"}, [1.0] * 12 + [0.0] * 12, [str(number) for number in range(24)], [0] * 12 + [1] * 12
    )
    both = CellData.of({"n": "2"}, [1.0] * 12 + [0.0] * 12, [f"x{number}" for number in range(12)] * 2, nested.sides)
    for cell in (nested, both):
        assert cell.sums().exchanged(np.ones((1, len(cell.sums().origins))))[0] > 10
    found = curve_test(evaluate([nested, both]))
    assert found.significant_share is not None and found.significant_share.value == 1.0
    assert found.p is not None and found.p < 0.01


def test_p_is_the_share_of_all_exchanges_where_they_can_be_counted() -> None:
    generator = np.random.default_rng(3)
    names = np.repeat([str(origin) for origin in range(7)], 2)
    values = generator.normal(0.5, 1, (3, 14))
    cells = [CellData.of({"scorer": str(number)}, row, names) for number, row in enumerate(values)]
    every = [dict(zip(np.unique(names), turn, strict=True)) for turn in product((1.0, -1.0), repeat=7)]
    zs = np.array([[over_error(relabelled(cell, turn)) for cell in cells] for turn in every])
    medians = np.abs(np.median(zs, axis=1))
    signs = np.maximum(np.sum(zs > 0, axis=1), np.sum(zs < 0, axis=1))
    found = curve_test(evaluate(cells), permutations=9_999)
    assert found.median is not None and found.sign_share is not None
    assert found.median.value == pytest.approx(medians[0], abs=1e-6)
    assert found.median.p == pytest.approx(np.mean(medians >= medians[0] - 1e-9), abs=0.015)
    assert found.sign_share.p == pytest.approx(np.mean(signs >= signs[0]), abs=0.015)
    assert (found.turned, found.exchanged, found.cells) == (7, 0, 3)


def test_an_origin_is_turned_in_every_cell_or_in_none() -> None:
    cells = crossed(1)
    twins = [
        *cells,
        *(CellData.of({**c.choices, "again": "1"}, c.values, c.origins, c.sides, orientation=-1) for c in cells),
    ]
    once, twice = curve_test(evaluate(cells)), curve_test(evaluate(twins))
    assert once.median == twice.median and once.p == twice.p


def test_nested_origins_exchange_groups_only_where_they_meet() -> None:
    design = design_of(crossed(1, nested=True))
    assert not len(design.alone) and [len(members) for members, _ in design.pools] == [24, 24]
    sources = [{name[:3] for name in design.origins[members]} for members, _ in design.pools]
    assert sources == [{"nat"}, {"tem"}]
    (turns,) = design.turns(500, 0)
    for members, sides in design.pools:
        # As many origins of each group as there were.
        assert np.all(np.sum(turns[:, members] * sides, axis=1) == sides.sum())
        assert abs(turns[:, members].mean()) < 0.1


def test_strata_keep_nested_origins_apart() -> None:
    origins, sides = [str(number) for number in range(12)], [0, 1] * 6
    cell = CellData.of({}, np.arange(12.0), origins, sides, strata=["actors"] * 4 + ["singers"] * 8)
    assert sorted(len(members) for members, _ in design_of([cell]).pools) == [4, 8]


def test_an_origin_in_two_strata_is_turned_in_both() -> None:
    origins, strata = list("abcdefgabcdefg"), ["career"] * 7 + ["family"] * 7
    values = [3.0, 1, 2, 4, 1, 2, 3, 1, 3, 2, 2, 4, 1, 0]
    one = CellData.of({"n": "1"}, values, origins, strata=strata)
    # As many rows as there are origins in all, and yet not the same.
    other = CellData.of({"n": "2"}, [*values, *values], [*origins, *map(str, range(14))])
    found = curve_test(evaluate([one, other]))
    assert found.median is not None and found.median.p < 0.01
    order = np.random.default_rng(0).permutation(14)
    again = CellData.of({"n": "1"}, np.array(values)[order], np.array(origins)[order], strata=np.array(strata)[order])
    assert curve_test(evaluate([again, other])) == found


def test_unscored_items_do_not_make_a_crossed_origin_nested() -> None:
    cell = CellData.of({}, [1.0, None, 2.0, 3.0], list("aabb"), [0, 1, 0, 1])
    assert len(design_of([cell]).alone) == 2


def test_origins_of_which_nothing_was_scored_are_not_counted_nor_exchanged() -> None:
    few = CellData.of({}, [0.4, 0.6, 0.5, *[None] * 9], [f"o{n}" for n in range(12)])
    other = replace(few, choices={"a": "2"})
    found = curve_test(evaluate([few, other]))
    assert (found.turned, found.p) == (3, None), "three origins can be turned in eight ways only"
    sides = [n % 2 for n in range(12)]
    nested = CellData.of({}, [*(float(n) for n in range(9)), None, None, None], [f"o{n}" for n in range(12)], sides)
    [(members, of)] = design_of([nested]).pools
    assert len(members) == 9 and int((of > 0).sum()) == 5


def test_an_origin_with_one_group_here_and_the_other_there_is_crossed() -> None:
    here, there = (CellData.of({"a": str(side)}, [1.0, 2.0], ["x", "y"], [side, 1 - side]) for side in (0, 1))
    assert len(design_of([here, there]).alone) == 2


def p_values(worlds: list[list[CellData]]) -> Array:
    found = []
    for seed, cells in enumerate(worlds):
        sums = tuple(cell.sums() for cell in cells)
        # Their intervals play no part in the test and would take most of the time.
        plain = evaluate([cells[0]]).results * len(cells)
        test: CurveTest = curve_test(Cells(tuple(cells), plain, sums), permutations=199, seed=seed)
        assert test.p is not None
        found.append(test.p)
    return np.array(found)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["crossed", "nested", "signed", "copies"])
def test_without_an_effect_p_is_below_five_per_cent_five_times_in_a_hundred(kind: str) -> None:
    worlds = {
        "crossed": lambda seed: crossed(seed, origins=10),
        "nested": lambda seed: crossed(seed, origins=10, nested=True),
        "signed": lambda seed: signed(seed, origins=12),
        "copies": lambda seed: crossed(seed, origins=10, noise=0.02),
    }
    found = p_values([worlds[kind](seed) for seed in range(80)])
    # Four standard errors; the real check, of 2,000 rounds, is benchmarks/multiverse_test.py.
    assert np.mean(found < 0.05) < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 80)
    assert np.mean(found < 0.5) == pytest.approx(0.5, abs=4 * np.sqrt(0.25 / 80))
    assert found.mean() == pytest.approx(0.5, abs=4 * np.sqrt(1 / 12 / 80))


def test_too_few_origins_give_no_test() -> None:
    cells = [CellData.of({"n": str(n)}, [1.0 + n, 2.0, 3.0, 1.0, 2.0], list("abcde")) for n in range(2)]
    found = curve_test(evaluate(cells))
    assert (found.p, found.median, found.permutations) == (None, None, 0)
    assert found.note == "no test of the whole curve: the groups of 5 origins can be exchanged in too few ways"
    nothing = curve_test(evaluate([CellData.of({}, [None], ["a"])]))
    assert nothing.note == "no test of the whole curve: no cell has a value"


def test_the_same_seed_gives_the_same_p() -> None:
    cells = evaluate(crossed(1, 0.2))
    assert curve_test(cells) == curve_test(cells)
    assert curve_test(cells, seed=1).p == pytest.approx(curve_test(cells).p, abs=0.05)


def test_many_origins_are_drawn_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = evaluate(crossed(1, 0.2))
    monkeypatch.setattr("tiltmeter.stats.multiverse.whole_curve.CHUNK", 1_000)
    found = curve_test(cells, permutations=99)
    assert found.permutations == 99 and found.p is not None and round(found.p * 100) == pytest.approx(found.p * 100)


def in_templates(professions: int, *, lean: float = 0.0, of_templates: float = 0.0, seed: int = 0) -> list[CellData]:
    """Three measures of prompts that are professions in 12 templates."""
    generator = np.random.default_rng(seed)
    names, templates = np.repeat(np.arange(professions), 12), np.tile(np.arange(12), professions)
    common = lean + of_templates * generator.normal(size=12)[templates] + 0.3 * generator.normal(size=len(names))
    return [
        CellData.of(
            {"n": str(n)},
            common + 0.1 * generator.normal(size=len(names)),
            [f"profession {name}" for name in names],
            templates=[str(name) for name in templates],
        )
        for n in range(3)
    ]


def test_what_only_these_templates_show_is_no_evidence() -> None:
    """Every profession leans alike, since the twelve templates happen to: others might not."""
    cells = in_templates(30, lean=0.3, of_templates=1.0, seed=4)
    alone = curve_test(evaluate([replace(cell, templates=None) for cell in cells]))
    both = curve_test(evaluate(cells))
    assert alone.p is not None and alone.p < 0.01
    assert both.p is not None and both.p > 0.05
    assert both.median is not None and alone.median is not None and both.median.value < alone.median.value / 2


@pytest.mark.parametrize("professions", [30, 8])
def test_a_lean_of_all_professions_in_all_templates_is_found(professions: int) -> None:
    found = curve_test(evaluate(in_templates(professions, lean=0.8, of_templates=0.3)))
    assert found.p is not None and found.p < 0.01


def test_templates_are_turned_where_professions_are_too_few() -> None:
    found = curve_test(evaluate(in_templates(3, lean=0.8, of_templates=0.3)))
    assert (found.over_templates, found.turned) == (True, 12)
    assert found.p is not None and found.p < 0.01


def test_of_professions_and_templates_the_larger_p_counts() -> None:
    found = curve_test(evaluate(in_templates(6, lean=0.8, of_templates=0.3)))
    # Twelve templates could be turned in 4,096 ways, but six professions in 64, with two that come to the same.
    assert not found.over_templates
    assert found.p == pytest.approx(2 / 64, abs=0.01)


def test_a_long_tail_on_one_side_is_no_effect_on_the_other() -> None:
    """Without an effect on the whole, most origins lean a little to the one side and vary little there."""
    generator = np.random.default_rng(5)
    alarms = 0
    for _ in range(200):
        lean = generator.lognormal(0, 1, 20) - np.exp(0.5)
        labels = np.repeat(np.arange(20), 3)
        cells = [CellData.of({"n": str(n)}, lean[labels] + 0.3 * generator.normal(size=60), labels) for n in range(3)]
        found = curve_test(evaluate(cells), permutations=199)
        assert found.p is not None
        alarms += found.p < 0.05
    # Turned about the mean as they are, 13 % are taken for an effect.
    assert alarms <= 20
