"""Means of groups and how they compare, over origins and structures: by hand, turned round, and with odd input."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.pooled import Observation, Pooled, Summed
from tiltmeter.stats.views.continuation_notes import BOTH_WAYS
from tiltmeter.stats.views.continuations import RatedItem, summarise


def crossed(gaps: np.ndarray, texts: int = 1) -> list[RatedItem]:
    """Group a has the gap of its origin (row) and structure (column), group b nothing."""
    return [
        RatedItem(group, float(gap) if group == "a" else 0.0, f"o{row}", structure=f"s{column}")
        for (row, column), gap in np.ndenumerate(gaps)
        for group in "ab"
        for _ in range(texts)
    ]


def rows(items: Sequence[RatedItem]) -> list[Observation]:
    return [(item.group, item.value, item.origin) for item in items]


def over_origins(items: list[RatedItem]) -> Estimate:
    return Pooled(rows(items)).difference("a", "b")


def both_ways(items: list[RatedItem], a: str = "a", b: str = "b") -> Estimate:
    return Pooled(rows(items), structures=[item.structure for item in items]).difference(a, b)


def freedom_of(means: np.ndarray) -> float:
    return 2 / (2 / (means.size - 1) + max(0.0, stats.kurtosis(means)) / means.size)


def test_of_a_full_table_it_is_the_sum_of_both_variances_less_that_of_the_cells() -> None:
    gaps = np.random.default_rng(5).normal(0.3, 1, size=(7, 9)) + np.arange(9) * 0.2
    found = both_ways(crossed(gaps))
    over_origins = gaps.mean(axis=1).var(ddof=1) / 7
    over_structures = gaps.mean(axis=0).var(ddof=1) / 9
    cells = gaps.var(ddof=1) / 63
    variance = max(over_origins + over_structures - cells, over_origins, over_structures)
    free = [freedom_of(gaps.mean(axis=axis)) for axis in (1, 0)]
    freedom = min(
        variance**2 / (over_origins**2 / free[0] + over_structures**2 / free[1]),
        free[0 if over_origins >= over_structures else 1],
    )
    mean, half = gaps.mean(), stats.t.ppf(0.975, freedom) * variance**0.5
    assert found.value == pytest.approx(mean)
    assert (found.low, found.high) == (pytest.approx(mean - half), pytest.approx(mean + half))
    assert found.p == pytest.approx(2 * stats.t.sf(mean / variance**0.5, freedom))
    assert (found.n, found.origins) == (126, 7)


def test_a_table_that_is_the_same_from_both_ends_has_students_interval() -> None:
    effects = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])
    gaps = 0.5 + effects[:, np.newaxis] + effects / 2
    found = both_ways(crossed(gaps))
    # Rows: 10/4/5 = 1/2; columns a quarter of it, 1/8; cells 5·12.5/24/25 = 5/48. Together 25/48.
    # Freedom: (25/48)² / ((1/2)²/4 + (1/8)²/4) = 4.08, but that of the rows is 4.
    half = stats.t.ppf(0.975, 4) * np.sqrt(25 / 48)
    assert (found.low, found.high) == (pytest.approx(0.5 - half), pytest.approx(0.5 + half))


def test_more_texts_of_the_same_cells_tell_nothing_new() -> None:
    gaps = np.random.default_rng(6).normal(0.3, 1, size=(6, 8))
    once, thrice = (both_ways(crossed(gaps, texts)) for texts in (1, 3))
    assert (once.low, once.high) == (pytest.approx(thrice.low), pytest.approx(thrice.high))


def test_structures_that_differ_widen_the_interval_and_origins_that_differ_do_not() -> None:
    generator = np.random.default_rng(7)
    noise = generator.normal(0, 0.1, size=(8, 12))
    for effect, wider in ((np.linspace(-1, 1, 12), True), (np.linspace(-1, 1, 8)[:, np.newaxis], False)):
        items = crossed(noise + effect)
        one, both = over_origins(items), both_ways(items)
        assert one.low is not None and both.low is not None and one.high is not None and both.high is not None
        ratio = (both.high - both.low) / (one.high - one.low)
        assert ratio > 5 if wider else ratio == pytest.approx(1, abs=0.05)


def test_few_origins_have_no_interval_and_few_structures_leave_origins() -> None:
    few = both_ways(crossed(np.random.default_rng(9).normal(size=(4, 9))))
    assert few.value is not None and (few.low, few.p) == (None, None) and few.note
    items = crossed(np.random.default_rng(9).normal(size=(9, 4)))
    found, one = both_ways(items), over_origins(items)
    assert (found.low, found.high, found.p) == pytest.approx((one.low, one.high, one.p))
    assert one.note is None and found.note


def test_no_spread_and_no_texts_are_said() -> None:
    same = both_ways(crossed(np.full((6, 6), 0.5)))
    assert (same.value, same.low, same.p) == (0.5, None, None) and same.note
    none = both_ways([RatedItem("a", 1.0, "o", structure="s"), RatedItem("b", None, "o", structure="s")])
    assert (none.value, none.n, none.n_unscored) == (None, 1, 1)


def test_texts_without_an_origin_are_their_own() -> None:
    generator = np.random.default_rng(10)
    items = [
        RatedItem(group, float(generator.normal()), "", structure=f"s{place % 8}")
        for group in "ab"
        for place in range(48)
    ]
    found = both_ways(items)
    assert found.origins == 96 and found.low is not None


def test_a_summary_of_several_structures_is_uncertain_both_ways() -> None:
    generator = np.random.default_rng(11)
    gaps = 0.3 + generator.normal(0, 0.05, size=(8, 12)) + np.linspace(-0.2, 0.2, 12)
    items = [replace(item, value=0.3 + (item.value or 0.0) / 2) for item in crossed(gaps)]
    found = summarise(items)
    both = Pooled(rows(items), structures=[item.structure for item in items], scale=(0, 1)).difference("a", "b")
    [pair] = found.pairs
    assert pair.difference == replace(both, p_adjusted=both.p)
    assert pair.difference.origins == 8
    alone = Pooled(rows(items), scale=(0, 1))
    one = alone.difference("a", "b")
    assert (one.high or 0) - (one.low or 0) < ((both.high or 0) - (both.low or 0)) / 2
    assert BOTH_WAYS in found.notes
    mean, narrow = found.groups["a"].mean, alone.mean("a")
    assert mean.value == pytest.approx(narrow.value) and mean.origins == 8
    assert (mean.high or 0) - (mean.low or 0) > 2 * ((narrow.high or 0) - (narrow.low or 0))
    ratio, narrow_ratio = pair.ratio, alone.ratio("a", "b")[0]
    assert ratio is not None and narrow_ratio is not None
    assert ratio.value == pytest.approx(narrow_ratio.value)
    assert (ratio.high or 0) - (ratio.low or 0) > 2 * ((narrow_ratio.high or 0) - (narrow_ratio.low or 0))


def test_the_ratio_both_ways_is_that_of_its_logarithm() -> None:
    gaps = np.random.default_rng(13).uniform(0.5, 0.9, size=(6, 8)) + np.linspace(-0.3, 0.3, 8)
    items = [replace(item, value=5.0 if item.group == "b" else 5 * (item.value or 0.0)) for item in crossed(gaps)]
    ratio = summarise(items).pairs[0].ratio
    # Group b does not vary: the logarithm of the ratio moves with a's mean, by one over it.
    influence = both_ways(crossed(gaps / gaps.mean()))
    assert ratio is not None and ratio.value == pytest.approx(gaps.mean())
    assert influence.low is not None and influence.high is not None
    ends = [gaps.mean() * math.exp(end - 1) for end in (influence.low, influence.high)]
    assert (ratio.low, ratio.high) == pytest.approx(tuple(ends))


def test_with_few_structures_the_interval_is_over_origins_and_says_so() -> None:
    items = crossed(np.random.default_rng(12).normal(0.5, 0.1, size=(9, 4)))
    found = summarise(items)
    difference = found.pairs[0].difference
    assert difference.note and any(note.endswith(difference.note) for note in found.notes)
    assert BOTH_WAYS not in found.notes
    scaled = Pooled(rows(items), scale=(0, 1)).difference("a", "b")
    assert (difference.low, difference.high, difference.p) == pytest.approx((scaled.low, scaled.high, scaled.p))


def test_one_structure_is_no_second_way() -> None:
    items = crossed(np.random.default_rng(12).normal(0.5, 0.1, size=(9, 1)))
    found = summarise(items)
    scaled = Pooled(rows(items), scale=(0, 1)).difference("a", "b")
    assert (found.pairs[0].difference.low, found.pairs[0].difference.note) == (scaled.low, scaled.note)
    assert BOTH_WAYS not in found.notes


def test_the_same_difference_everywhere_is_as_sure_as_its_origins() -> None:
    found = summarise(crossed(np.ones((6, 8)))).pairs[0].difference
    # As six choices between the groups that all fall on one, whatever the number of structures.
    assert found.value == 1.0 and found.p == pytest.approx(math.erfc(math.sqrt(6 / 2)))
    assert found.low is not None and 0 < found.low < 1


def test_texts_without_a_structure_count_and_are_their_own() -> None:
    items = crossed(np.random.default_rng(14).normal(0.5, 0.1, size=(6, 6)))
    more = [RatedItem(group, 0.2, f"o{place % 6}") for group in "ab" for place in range(12)]
    found = summarise([*items, *more])
    assert found.pairs[0].difference.n == len(items) + 24
    assert found.pairs[0].difference.value == pytest.approx(over_origins([*items, *more]).value)
    assert found.pairs[0].difference.low is not None


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_texts_changes_no_digit(seed: int) -> None:
    generator = np.random.default_rng(seed)
    items = [
        RatedItem(
            str(generator.choice(["a", "b"])),
            float(generator.beta(0.5, 2)) if generator.random() > 0.1 else None,
            str(generator.choice([f"o{n}" for n in range(9)])),
            structure=str(generator.choice([f"s{n}" for n in range(7)])),
        )
        for _ in range(200)
    ]
    shuffled = [items[place] for place in generator.permutation(len(items))]
    assert both_ways(items) == both_ways(shuffled)


def test_a_mean_does_not_reach_beyond_a_known_scale() -> None:
    # Skewed values: the interval reaches further up than down.
    values = np.random.default_rng(3).beta(0.2, 0.4, size=(6, 6))
    items = [RatedItem("a", float(v), f"o{row}", structure=f"s{column}") for (row, column), v in np.ndenumerate(values)]
    mean = summarise(items, scale=(0, 1)).groups["a"].mean
    assert mean.low is not None and mean.high is not None
    assert 0 <= mean.low < values.mean() < mean.high <= 1


def test_sums_made_elsewhere_give_the_same() -> None:
    generator = np.random.default_rng(15)
    texts = [(str(generator.choice(["a", "b"])), generator.integers(0, 9) / 8, f"o{n % 7}") for n in range(120)]
    texts += [("a", None, "o1"), ("b", None, "o2"), ("b", math.nan, "o3")]
    sums: dict[tuple[str, str], list[float]] = {}
    for group, value, origin in texts:
        if value is not None and not math.isnan(value):
            sums.setdefault((group, origin), []).append(value)
    cells = [(group, math.fsum(values), origin) for (group, origin), values in sums.items()]
    cells += [("a", None, "o1"), ("b", None, "o2")]
    counts = [*map(len, sums.values()), 1, 2]
    lowest, highest = ([*(end(values) for values in sums.values()), math.nan, math.nan] for end in (min, max))
    there = Pooled(cells, summed=Summed(*map(np.array, (counts, lowest, highest))), scale=(0, 1))
    here = Pooled(texts, scale=(0, 1))
    assert there.difference("a", "b") == here.difference("a", "b") and there.mean("b") == here.mean("b")
    assert there.ratio("a", "b") == here.ratio("a", "b")


def test_a_group_that_is_not_there_has_nothing() -> None:
    texts = Pooled([("a", 0.2, "x"), ("a", 0.4, "y")])
    for found in (texts.mean("b"), texts.difference("a", "b"), texts.difference("b", "a"), Pooled([]).mean("a")):
        assert (found.value, found.low, found.p) == (None, None, None) and found.note
    assert texts.difference("a", "b").n == 2 and texts.ratio("a", "b")[0] is None


# Whatever is thrown at it.

NAMES = ("a", "b", "", "a\0b", "None", "nan", "women ", "0")


def number(draw: random.Random, kind: str) -> float | None:
    if draw.random() < 0.08:
        return draw.choice([None, math.nan, math.inf, 1e71, -1e300])
    return {
        "choices": lambda: float(draw.random() < 0.4),
        "rare": lambda: float(draw.random() < 0.03),
        "shares": draw.random,
        "margins": lambda: draw.gauss(0, 30),
        "constant": lambda: 0.3,
        "huge": lambda: draw.gauss(0, 2e68),
        "tiny": lambda: draw.random() * 1e-200,
        "orders": lambda: 10 ** draw.uniform(-60, 60),
        "steps": lambda: draw.choice([0.1, 0.2, 0.1 + 0.2]),
        "nothing": lambda: None,
        "offset": lambda: 1e8 + draw.random() / 1000,
    }[kind]()


Texts = list[tuple[str, float | None, str | None, str | None]]


def world(draw: random.Random) -> tuple[list[str], Texts, tuple[float, float] | None]:
    groups, shared, blank = draw.sample(NAMES, draw.choice([1, 2, 2, 3])), draw.random() < 0.6, draw.choice([0, 0.2, 1])
    kinds = ["choices", "rare", "shares", "margins", "constant", "huge", "tiny", "orders", "steps", "nothing", "offset"]
    kind, origins, structures = draw.choice(kinds), draw.choice([1, 4, 5, 9]), draw.choice([0, 1, 2, 5, 9])
    texts: Texts = []
    for _ in range(draw.choice([0, 1, 5, 20, 60, 120])):
        group = draw.choice(groups)
        origin = (
            draw.choice(["", None]) if draw.random() < blank else f"{group * (not shared)}{draw.randrange(origins)}"
        )
        structure = f"s{draw.randrange(structures)}" if structures and draw.random() > 0.1 else None
        texts.append((group, number(draw, kind), origin, structure))
    return groups, texts, draw.choice([None, (0.0, 1.0), (-1.0, 1.0), (0.1, 0.1 + 0.2), (0.3, 0.3)])


def figures(texts: Texts, groups: list[str], scale: tuple[float, float] | None) -> dict[tuple[str, ...], Estimate]:
    pooled = Pooled([text[:3] for text in texts], structures=[text[3] for text in texts], scale=scale)
    found = {("mean", group): pooled.mean(group) for group in groups}
    found |= {("zero", group): pooled.against_zero(group) for group in groups}
    for a in groups:
        for b in groups:
            if a != b:
                found["difference", a, b] = pooled.difference(a, b)
                ratio, why = pooled.ratio(a, b)
                assert (ratio is None) == (why is not None)
                if ratio is not None:
                    found["ratio", a, b] = ratio
    return found


def sound(found: Estimate, neutral: float | None, ends: tuple[float, float] | None) -> None:
    assert all(each is None or math.isfinite(each) for each in (found.value, found.low, found.high, found.p))
    if found.low is None or found.high is None or found.value is None:
        assert (found.low, found.high, found.p, found.method) == (None, None, None, None) and found.note
        return
    assert found.low <= found.value <= found.high
    assert ends is None or (ends[0] <= found.low and found.high <= ends[1])
    if neutral is not None and found.p is not None:
        assert 0 <= found.p <= 1 and (found.p < 0.05) == (not found.low <= neutral <= found.high)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(120))
def test_no_input_leads_to_nonsense(seed: int) -> None:
    draw = random.Random(seed)
    groups, texts, scale = world(draw)
    known = figures(texts, groups, scale)
    numbers = [value for _, value, _, _ in texts if value is not None and abs(value) < 1e70]
    fits = scale is not None and all(scale[0] <= value <= scale[1] for value in numbers)
    for (what, *names), found in known.items():
        width = scale[1] - scale[0] if scale and fits else None
        ends = (-width, width) if what == "difference" and width is not None else scale if fits else None
        sound(found, None if what in ("mean", "ratio") else 0.0, None if what == "ratio" else ends)
        if what == "difference":
            other = known[what, names[1], names[0]]
            turned = [None if each is None else -each for each in (other.value, other.high, other.low)]
            assert (found.value, found.low, found.high) == tuple(turned)
            assert (found.p, found.n, found.origins) == (other.p, other.n, other.origins)
    assert figures(draw.sample(texts, len(texts)), groups, scale) == known
    # One more text that nobody could rate, of an origin and a structure that there may not have been before.
    missing = draw.choice(groups)
    more = [*texts, (missing, None, draw.choice(["0", "new", ""]), draw.choice(["s0", "new", None]))]
    for names, found in figures(more, groups, scale).items():
        own = known[names].n_unscored + (missing in names[1:])
        assert found == replace(known[names], n_unscored=own)
