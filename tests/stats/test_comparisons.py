"""Two sides of the same items, two groups or more, and equivalence: by hand, turned round, and with nothing to find."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.changes import ratio_change
from tiltmeter.stats.comparisons import paired, paired_columns
from tiltmeter.stats.effect_sizes import Side, cliffs_delta, hedges_g
from tiltmeter.stats.equivalence import equivalence, group_equivalence, paired_equivalence
from tiltmeter.stats.group_comparisons import compare_groups
from tiltmeter.stats.intervals import student
from tiltmeter.stats.omnibus import omnibus_of

Values = list[float | None]


def drawn(origins: int, gap: float = 0.3, seed: int = 0, per: int = 3) -> tuple[Values, Values, list[str]]:
    """Items of origins that lean, under two sides that lie apart by the gap."""
    generator = np.random.default_rng([origins, seed])
    names = np.repeat(np.arange(origins), per)
    base = 5 + generator.normal(size=origins)[names] + generator.normal(size=len(names))
    moved = generator.normal(gap, 0.5, size=origins)[names] + generator.normal(0, 0.5, size=len(names))
    return (base + moved).tolist(), base.tolist(), names.astype(str).tolist()


def test_paired_by_hand() -> None:
    # Origin means of the differences: v (1 + 3)/2 = 2, w 1, x −1, y 2, z 1; mean 1, deviations 1, 0, −2, 1, 0:
    # variance 6/4 = 1.5, standard error √0.3, t = 1/√0.3 = 1.826.
    a = [3.0, 5.0, 4.0, 2.0, 6.0, 2.0, 9.0]
    b = [2.0, 2.0, 3.0, 3.0, 4.0, 1.0, None]
    found = paired(a, b, list("vvwxyzz"))
    half = stats.t.ppf(0.975, 4) * math.sqrt(0.3)
    assert found.difference.value == pytest.approx(1.0)
    assert (found.difference.low, found.difference.high) == (pytest.approx(1 - half), pytest.approx(1 + half))
    assert (found.difference.n, found.difference.n_unscored, found.difference.origins) == (6, 1, 5)
    assert found.standardised.value == pytest.approx(1 / math.sqrt(1.5))
    # Contributions 2, 1, 1, 2, 1 of either sign, sum 5 of at most 7: as far off are the sums of 7 (1 way), and of 5
    # (turning one of the three ones: 3 ways); twice that for the mirror images, of 32.
    assert (found.p_permutation, found.flips, found.exact) == (8 / 32, 32, True)
    # a is above in v (both), w, y, z and below in x: origins 1, 1, 0, 1, 1.
    assert found.superiority.value == pytest.approx(0.8)
    assert (found.a_higher, found.b_higher, found.same) == (5, 1, 0)
    assert (found.only_a, found.only_b, found.neither) == (1, 0, 0)
    # Means over origins: a (4 + 4 + 2 + 6 + 2)/5 = 3.6, b 2.6.
    assert found.change is not None and found.change.value == pytest.approx(100 * (2.6 - 3.6) / 3.6)


def test_unscored_items_are_counted_and_make_no_pair() -> None:
    a: Values = [1.0, None, math.nan, 4.0, 5.0]
    b: Values = [0.0, 2.0, None, math.inf, 5.0]
    found = paired(a, b, list("vwxyz"))
    assert found.difference.value == pytest.approx(0.5)
    assert (found.difference.n, found.difference.n_unscored) == (2, 3)
    assert (found.only_a, found.only_b, found.neither, found.same) == (1, 1, 1, 1)
    assert found.difference.low is None and found.p_permutation is None and found.change is None


@pytest.mark.parametrize("origins", [6, 18, 40])
def test_exchanging_the_sides_turns_everything_round(origins: int) -> None:
    a, b, names = drawn(origins)
    one, other = paired(a, b, names), paired(b, a, names)
    assert one.difference.value == pytest.approx(-(other.difference.value or 0))
    assert one.difference.low == pytest.approx(-(other.difference.high or 0))
    assert one.difference.p == pytest.approx(other.difference.p)
    assert (one.p_permutation, one.a_higher) == (other.p_permutation, other.b_higher)
    assert one.standardised.value == pytest.approx(-(other.standardised.value or 0))
    assert one.standardised.low == pytest.approx(-(other.standardised.high or 0))
    assert one.superiority.value == pytest.approx(1 - (other.superiority.value or 0))
    assert one.change is not None and other.change is not None
    for mine, its in (("value", "value"), ("low", "high"), ("high", "low")):
        assert (1 + getattr(one.change, mine) / 100) * (1 + getattr(other.change, its) / 100) == pytest.approx(1)


def test_the_order_of_items_does_not_matter() -> None:
    a, b, names = drawn(25)
    order = np.random.default_rng(1).permutation(len(a)).tolist()
    shuffled = ([each[place] for place in order] for each in (a, b, names))
    assert paired(a, b, names) == paired(*shuffled)  # type: ignore[arg-type]
    assert paired(a, b) == paired([a[place] for place in order], [b[place] for place in order])


def test_strata_count_the_same_and_origins_are_exchanged_within_all_of_them() -> None:
    # Stratum p: origins 1 and 3, mean 2; q: 4 (one of them recurs); weights one half.
    a = [1.0, 3.0, 4.0, 4.0]
    found = paired(a, [0.0] * 4, ["x", "y", "y", "z"], strata=list("ppqq"))
    assert found.difference.value == pytest.approx(3.0)
    five = paired(a * 2, [0.0] * 8, list("xyyzuvvw"), strata=list("ppqqppqq"))
    # Contributions: x 1/8, y 3/8 + 4/8, z 4/8 and the same again: six origins, all of one sign.
    assert five.flips == 64 and five.p_permutation == pytest.approx(2 / 64)


def test_the_same_values_show_no_difference_and_no_spread() -> None:
    a, _, names = drawn(8)
    found = paired(a, a, names)
    assert (found.difference.value, found.difference.low, found.p_permutation) == (0.0, None, 1.0)
    assert found.standardised.value is None and found.same == len(a)
    assert found.change is not None and (found.change.value, found.change.low) == (0.0, None)


def test_nothing_scored_has_no_figures() -> None:
    found = paired([None, 1.0], [1.0, None], ["x", "y"])
    assert (found.difference.value, found.no_change) == (None, "nothing was scored by both")
    assert (found.standardised.value, found.p_permutation) == (None, None)
    assert found.as_json()["unpaired"] == {"only_a": 1, "only_b": 1, "neither": 0}
    with pytest.raises(ValueError, match="not equally long"):
        paired([1.0], [1.0, 2.0])


def test_a_change_is_withheld_where_there_may_be_nothing_to_change() -> None:
    generator = np.random.default_rng(2)
    a, b = generator.normal(size=30).tolist(), generator.normal(size=30).tolist()
    found = paired(a, b, [str(place) for place in range(30)], names=("before", "after"))
    assert found.change is None and found.no_change == "the mean of before may be zero: its interval contains it"
    # Of a mean that is surely below zero, half of it is −50 %.
    low, half = [-4.0, -5.0, -6.0, -5.0, -5.5], [-2.0, -2.5, -3.0, -2.5, -2.6]
    below = paired(low, half, list("vwxyz")).change
    assert below is not None and below.value == pytest.approx(-50, abs=1) and "towards zero" in (below.note or "")


def of_groups(generator: np.random.Generator, origins: int, shared: bool) -> list[Side]:
    """Two groups before and after: ratios of 2 and 1.5, so a change of −25 %."""
    codes = np.repeat(np.arange(origins), 5)
    lean = generator.normal(0, 0.3, size=(2, origins))
    return [
        Side(
            mean * np.exp(lean[0 if shared else group][codes] + generator.normal(0, 0.2, size=origins)[codes])
            * generator.gamma(2, 0.5, size=len(codes)),
            codes if shared else codes + group * origins,
        )
        for mean, group in ((2.0, 0), (1.0, 1), (1.5, 0), (1.0, 1))
    ]  # fmt: skip


def test_the_change_of_a_ratio_by_hand() -> None:
    # Ratios 5/2.5 = 2 and 3.75/2.5 = 1.5: −25 %. One value for each of six origins that all four share: the rows of the
    # logarithm are −a/5 + b/2.5 + c/3.75 − d/2.5.
    values = np.array([[4, 5, 6, 5, 4, 6], [2, 3, 2, 3, 2, 3], [3, 4, 4, 4, 3, 4.5], [2.5, 2.5, 2, 3, 2, 3]])
    sides = [Side(each, np.arange(6)) for each in values]
    found, reason = ratio_change((sides[0], sides[1]), (sides[2], sides[3]))
    assert found is not None and reason is None and found.value == pytest.approx(-25)
    rows = np.array([-1, 1, 1, -1]) / values.mean(axis=1) @ values
    centred = rows - rows.mean()
    # Long tails leave fewer degrees of freedom; see clustered.
    freedom = 2 / (2 / 5 + max(0.0, np.mean(centred**4) / np.mean(centred**2) ** 2 - 3) / 6)
    half = stats.t.ppf(0.975, freedom) * stats.sem(rows)
    assert found.low == pytest.approx(100 * (0.75 * math.exp(-half) - 1))
    assert found.high == pytest.approx(100 * (0.75 * math.exp(half) - 1))


@pytest.mark.parametrize("shared", [False, True])
def test_the_change_of_a_ratio_holds_the_truth_and_turns_round(shared: bool) -> None:
    generator = np.random.default_rng(9)
    held = []
    for _ in range(60):
        one, two, three, four = of_groups(generator, 15, shared)
        found, _ = ratio_change((one, two), (three, four))
        back, _ = ratio_change((three, four), (one, two))
        assert found is not None and back is not None
        assert (1 + (found.low or 0) / 100) * (1 + (back.high or 0) / 100) == pytest.approx(1)
        held.append((found.low or 0) < -25 < (found.high or 0))
    assert np.mean(held) > 0.87


def test_the_change_of_a_ratio_is_withheld_where_it_says_nothing() -> None:
    one, two, three, four = of_groups(np.random.default_rng(1), 8, True)
    few, none = Side(np.ones(4), np.arange(4)), Side(np.array([]), np.array([], dtype=np.intp))
    rare = Side(np.array([1.0] + [0.0] * 9), np.arange(10))
    for wrong, why in (
        (few, "fewer than 5 origins"),
        (none, "nothing was scored"),
        (rare, "may be zero"),
        (Side(-one.values, one.codes), "below zero"),
    ):
        found, reason = ratio_change((one, wrong), (three, four))
        assert found is None and why in (reason or "")
    same, _ = ratio_change((one, two), (one, two))
    assert same is not None and (same.value, same.low) == (pytest.approx(0.0), None)


def test_many_pairs_at_once_are_those_one_by_one() -> None:
    generator = np.random.default_rng(3)
    names = [str(place // 3) for place in range(45)]
    a, b = generator.normal(0.4, 1, size=(45, 4)), generator.normal(size=(45, 4))
    a[0, 2] = np.nan
    found = paired_columns(a, b, names)
    alone = [paired(a[:, place].tolist(), b[:, place].tolist(), names) for place in range(4)]
    for column, one in zip(found, alone, strict=True):
        assert column.p_permutation == one.p_permutation
        for key in ("value", "low", "high", "p"):
            assert getattr(column.difference, key) == pytest.approx(getattr(one.difference, key))
        assert (column.difference.n, column.difference.n_unscored) == (one.difference.n, one.difference.n_unscored)
    known = stats.false_discovery_control([one.difference.p for one in alone])
    assert [column.difference.p_adjusted for column in found] == pytest.approx(known.tolist())
    assert min(column.p_holm or 1 for column in found) == pytest.approx(4 * min(one.difference.p or 1 for one in alone))


def test_hedges_g_and_cliffs_delta_by_hand() -> None:
    # Means 5 and 4, variances (9 + 1 + 0 + 1 + 9)/4 = 5 both: d = 1/√5; correction 1 − 3/31 = 28/31.
    one, other = (Side(np.array(values), np.arange(5)) for values in ([2.0, 4, 5, 6, 8], [1.0, 3, 4, 5, 7]))
    assert hedges_g(one, other).value == pytest.approx(28 / 31 / math.sqrt(5))
    # Above: 2 beats 1; 4 beats 2 of b (ties 4); 5 beats 3 (ties 5); 6 beats 4; 8 beats all: 1 + 2 + 3 + 4 + 5 = 15.
    # Ties 2; below 25 − 15 − 2 = 8.
    assert cliffs_delta(one, other).value == pytest.approx((15 - 8) / 25)


def test_effects_against_scipy_and_turned_round() -> None:
    generator = np.random.default_rng(4)
    a, b = generator.normal(0.5, 1, 60), generator.normal(0, 1, 45)
    # Shared origins, and origins apart.
    for codes in (np.arange(45) % 15, 15 + np.arange(45) % 9):
        one, other = Side(a, np.arange(60) % 15), Side(b, codes)
        delta = cliffs_delta(one, other)
        assert delta.value == pytest.approx(2 * stats.mannwhitneyu(a, b).statistic / (60 * 45) - 1)
        for effect in (hedges_g, cliffs_delta):
            found, back = effect(one, other), effect(other, one)
            assert found.low is not None and back.high is not None
            assert (found.value, found.low) == (pytest.approx(-(back.value or 0)), pytest.approx(-back.high))
            assert found.low < (found.value or 0) < (found.high or 0)
    few = hedges_g(Side(a[:9], np.arange(9) // 3), Side(b[:9], np.arange(9)))
    assert few.low is None and few.note == "no interval: fewer than 5 origins of one side"
    assert hedges_g(Side(np.ones(6), np.arange(6)), Side(np.ones(6), np.arange(6))).value is None


def grouped(
    nested: bool, gaps: dict[str, float], origins: int = 12, seed: int = 0
) -> list[tuple[str, float | None, str]]:
    generator = np.random.default_rng(seed)
    lean = generator.normal(size=origins)
    return [
        (group, float(lean[origin] + gap + generator.normal()), f"{group if nested else ''}{origin}")
        for group, gap in gaps.items()
        for origin in range(origins)
        for _ in range(3)
    ]


@pytest.mark.parametrize("nested", [False, True])
def test_every_two_groups_or_each_with_the_reference(nested: bool) -> None:
    texts = grouped(nested, {"x": 0.0, "y": 2.0, "z": 0.1})
    found = compare_groups(texts)
    assert [(pair.a, pair.b) for pair in found.pairs] == [("x", "y"), ("x", "z"), ("y", "z")]
    assert (found.comparisons, found.omnibus.design) == (3, "nested" if nested else "crossed")
    assert found.omnibus.p is not None and found.omnibus.p < 0.01
    ps = [pair.difference.p or 1 for pair in found.pairs]
    known = stats.false_discovery_control(ps).tolist()
    assert [pair.difference.p_adjusted for pair in found.pairs] == pytest.approx(known)
    ranked = sorted(ps)
    assert found.pairs[ps.index(ranked[0])].p_holm == pytest.approx(3 * ranked[0])
    against = compare_groups(texts, reference="z")
    assert [(pair.a, pair.b) for pair in against.pairs] == [("x", "z"), ("y", "z")] and against.comparisons == 2
    # p by exchange and p of the interval tell the same story.
    for pair in found.pairs:
        assert pair.p_permutation is not None and pair.p_permutation == pytest.approx(pair.difference.p, abs=0.1)
    with pytest.raises(ValueError, match="none of the groups: x, y, z"):
        compare_groups(texts, reference="w")


@pytest.mark.parametrize("nested", [False, True])
def test_groups_do_not_depend_on_order_and_turn_round(nested: bool) -> None:
    texts = grouped(nested, {"x": 0.0, "y": 0.5}, origins=22)
    texts[5] = ("x", None, texts[5][2])
    one, other = compare_groups(texts, reference="x").pairs[0], compare_groups(texts, reference="y").pairs[0]
    assert one.p_permutation == other.p_permutation
    assert (one.difference.value, one.difference.low) == (
        pytest.approx(-(other.difference.value or 0)),
        pytest.approx(-(other.difference.high or 0)),
    )
    assert one.difference.n_unscored == 1 == one.g.n_unscored
    order = np.random.default_rng(7).permutation(len(texts))
    shuffled = compare_groups([texts[place] for place in order], reference="x")
    assert shuffled.pairs[0] == one and shuffled.omnibus == compare_groups(texts, reference="x").omnibus


def test_the_omnibus_test_by_hand() -> None:
    # Six origins of one text each, three groups of two: means 1, 2, 6 about 3; between 2·(4 + 1 + 9) = 28;
    # within 6 · 0.25 = 1.5.
    texts = [("x", 0.5, "a"), ("x", 1.5, "b"), ("y", 1.5, "c"), ("y", 2.5, "d"), ("z", 5.5, "e"), ("z", 6.5, "f")]
    found = omnibus_of(texts)
    assert found.share == pytest.approx(28 / 29.5)
    sums = []
    for order in permutations([value for _, value, _ in texts]):
        sums.append(sum(2 * ((order[place] + order[place + 1]) / 2 - 3) ** 2 for place in (0, 2, 4)))
    assert found.p == pytest.approx(np.mean(np.array(sums) >= 28 - 1e-9), abs=0.015)
    assert found.design == "nested"


def test_with_more_origins_a_group_is_as_heavy_as_its_mean_is_sure() -> None:
    # One text for each origin: the weighted sum of squares of Welch's test, permuted by a plain loop.
    generator = np.random.default_rng(10)
    values = generator.normal(size=21) * np.repeat([1.0, 1.0, 2.0], 7) + np.repeat([0.0, 0.4, 0.1], 7)

    def welch(given: np.ndarray) -> float:
        parts = given.reshape(3, 7)
        weights = 7 / parts.var(axis=1, ddof=1)
        centre = np.sum(weights * parts.mean(axis=1)) / np.sum(weights)
        return float(np.sum(weights * (parts.mean(axis=1) - centre) ** 2))

    known = np.mean([welch(generator.permutation(values)) >= welch(values) for _ in range(3000)])
    found = omnibus_of([("xyz"[place // 7], float(value), str(place)) for place, value in enumerate(values)])
    assert 0.01 < known < 0.5 and found.p == pytest.approx(known, abs=0.04)


def test_a_small_group_that_only_varies_more_is_not_taken_for_unlike() -> None:
    generator = np.random.default_rng(11)
    alarms = []
    for _ in range(100):
        texts = [
            (group, float(generator.normal(0, size)), f"{group}{origin}")
            for group, origins, size in (("x", 6, 4.0), ("y", 24, 1.0))
            for origin in range(origins)
        ]
        found = compare_groups(texts, permutations=199)
        alarms.append(((found.omnibus.p or 1) < 0.05, (found.pairs[0].p_permutation or 1) < 0.05))
    # By texts alone a quarter of them would be.
    assert (np.mean(alarms, axis=0) < 0.15).all()


def test_the_omnibus_test_takes_out_what_origins_do_to_all_groups() -> None:
    texts = grouped(False, {"x": 0.0, "y": 0.6, "z": 0.0}, origins=20, seed=3)
    plain = omnibus_of(texts)
    shifted = omnibus_of([(group, (value or 0) + 100 * int(origin), origin) for group, value, origin in texts])
    assert plain.p == shifted.p


def test_the_omnibus_test_refuses_what_it_cannot_do() -> None:
    assert omnibus_of([]).note == "no test: there are not two groups with a scored text"
    same = omnibus_of([(group, 1.0, origin) for group in "xyz" for origin in "abcdef"])
    assert (same.p, same.note) == (None, "no test: every value is the same")
    few = omnibus_of([("x", 1.0, "a"), ("y", 2.0, "b"), ("y", 3.0, "c")])
    assert few.p is None and "too few ways" in (few.note or "")


def test_origins_with_some_of_the_groups_exchange_those() -> None:
    texts = grouped(False, {"x": 0.0, "y": 0.0, "z": 3.0})
    kept = [item for item in texts if not (item[0] == "y" and int(item[2]) % 2)]
    assert omnibus_of(kept).design == "crossed" and (omnibus_of(kept).p or 1) < 0.01
    mixed = [*kept, ("x", 0.3, "own"), ("z", 3.0, "its own"), ("y", 0.1, "another")]
    assert omnibus_of(mixed).design == "mixed" and (omnibus_of(mixed).p or 1) < 0.01


def measured(value: float, error: float) -> object:
    def at(shift: float, level: float) -> Estimate:
        found = student(value + shift, error, 19, 0.0, level)
        return Estimate(value + shift, found.low, found.high, level, found.p)

    return at


@pytest.mark.parametrize(
    ("value", "error", "verdict"),
    [(0.5, 0.1, "different"), (0.01, 0.05, "equivalent"), (0.1, 0.02, "both"), (0.1, 0.2, "undecided")],
)
def test_the_four_verdicts(value: float, error: float, verdict: str) -> None:
    found = equivalence(measured(value, error), 0.2)  # type: ignore[arg-type]
    assert found.verdict == verdict
    # Two one-sided t-tests by hand, and the interval at 90 %.
    above, below = (float(stats.t.sf((value + 0.2) / error, 19)), float(stats.t.cdf((value - 0.2) / error, 19)))
    assert (found.p_above, found.p_below) == (pytest.approx(above), pytest.approx(below))
    assert found.p == pytest.approx(max(above, below))
    assert found.difference.level == pytest.approx(0.9)
    inside = (found.difference.low or -1) > -0.2 and (found.difference.high or 1) < 0.2
    assert inside == (verdict in ("equivalent", "both"))
    assert found.sentence


@pytest.mark.parametrize("origins", [8, 30])
@pytest.mark.parametrize("margin", [0.05, 0.3, 0.5, 2.0])
def test_equivalence_is_where_the_interval_lies_within(origins: int, margin: float) -> None:
    a, b, names = drawn(origins, gap=0.1)
    found, back = (paired_equivalence(*sides, names, margin=margin) for sides in ((a, b), (b, a)))
    assert found.difference.low is not None and found.difference.high is not None and found.p is not None
    inside = -margin < found.difference.low and found.difference.high < margin
    assert inside == (found.p < 0.05) == (found.verdict in ("equivalent", "both"))
    assert (back.verdict, back.p) == (found.verdict, pytest.approx(found.p))
    texts = [*(("a", value, name) for value, name in zip(a, names, strict=True))]
    texts += [("b", value, name) for value, name in zip(b, names, strict=True)]
    groups, turned = (group_equivalence(texts, *sides, margin=margin) for sides in (("a", "b"), ("b", "a")))
    assert (groups.verdict, groups.p) == (turned.verdict, pytest.approx(turned.p))
    assert groups.difference.value == pytest.approx(found.difference.value)


def test_equivalence_of_choices_is_not_taken_for_a_share() -> None:
    # All differences are 0 or 1: they are differences still, and no shares.
    a, b = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]
    found = paired_equivalence(a, b, list("uvwxyz"), margin=0.9)
    known = stats.ttest_1samp(np.array(a) - np.array(b), 0.9, alternative="less")
    assert found.p_below == pytest.approx(known.pvalue)


def test_every_difference_lies_within_an_infinite_margin() -> None:
    a, b, names = drawn(12)
    alike = paired_equivalence(a, a[1:] + a[:1], names, margin=math.inf)
    apart = paired_equivalence(a, [9.0 * at for at in range(len(b))], names, margin=math.inf)
    assert (alike.verdict, apart.verdict, alike.p) == ("equivalent", "both", 0.0)
    assert alike.as_json()["margin"] is None
    assert alike.sentence.startswith("The difference is within no limits; whether")


@pytest.mark.parametrize("shape", [(0, 2), (3, 0), (1, 2)])
def test_a_table_has_a_result_for_each_column_however_few_rows(shape: tuple[int, int]) -> None:
    found = paired_columns(np.ones(shape), np.zeros(shape), list("xyz")[: shape[0]])
    assert [each.difference.n for each in found] == [shape[0]] * shape[1]


def test_without_an_interval_nothing_is_decided() -> None:
    found = paired_equivalence([1.0, 2.0], [1.0, 2.5], ["x", "y"], margin=1.0)
    assert (found.verdict, found.p) == ("undecided", None) and "fewer than 5 origins" in (found.difference.note or "")
    for wrong in ({"margin": 0.0}, {"margin": 1.0, "alpha": 0.5}):
        with pytest.raises(ValueError, match="more than 0|between 0 and 0.5"):
            paired_equivalence([1.0, 2.0], [1.0, 2.5], **wrong)


@pytest.mark.parametrize("origins", [8, 25])
def test_there_are_few_false_alarms(origins: int) -> None:
    alarms = []
    for seed in range(80):
        a, b, names = drawn(origins, gap=0.0, seed=seed)
        found = paired(a, b, names)
        alarms.append((found.difference.p < 0.05, found.p_permutation < 0.05))  # type: ignore[operator]
    assert (np.mean(alarms, axis=0) < 0.15).all()


def test_equivalence_is_seldom_claimed_of_a_difference_as_large_as_the_margin() -> None:
    claimed = []
    for seed in range(80):
        a, b, names = drawn(12, gap=0.3, seed=seed)
        claimed.append(paired_equivalence(a, b, names, margin=0.3).verdict in ("equivalent", "both"))
    assert np.mean(claimed) < 0.13


@pytest.mark.parametrize("nested", [False, True])
def test_there_are_few_false_alarms_between_groups(nested: bool) -> None:
    found = [
        omnibus_of(grouped(nested, {"x": 0.0, "y": 0.0, "z": 0.0}, seed=seed), permutations=199) for seed in range(80)
    ]
    assert np.mean([(each.p or 1) < 0.05 for each in found]) < 0.15


@pytest.mark.parametrize("shared", [False, True])
def test_intervals_of_effects_hold_the_truth(shared: bool) -> None:
    generator = np.random.default_rng(8)
    held = []
    for _ in range(100):
        codes = np.repeat(np.arange(15), 4)
        lean = generator.normal(size=(2, 15))
        a = lean[0][codes] + generator.normal(size=60) + 0.5
        b = lean[0 if shared else 1][codes] + generator.normal(size=60)
        sides = Side(a, codes), Side(b, codes if shared else codes + 15)
        g, delta = hedges_g(*sides), cliffs_delta(*sides)
        truth = 2 * stats.norm.cdf(0.25) - 1
        held.append((g.low < 0.5 / math.sqrt(2) < g.high, delta.low < truth < delta.high))  # type: ignore[operator]
    assert (np.mean(held, axis=0) > 0.87).all()


def test_corrections_count_only_what_has_a_p() -> None:
    texts = [*grouped(True, {"x": 0.0, "y": 2.0}), ("w", 1.0, "only"), ("w", 2.0, "two")]
    found = compare_groups(texts)
    assert len(found.pairs) == 3 and found.comparisons == 1
    known = next(pair for pair in found.pairs if pair.difference.p is not None)
    assert known.p_holm == known.difference.p == known.difference.p_adjusted
    assert found.as_json()["n_comparisons"] == 1
    assert replace(known, p_holm=None).as_json()["p_holm"] is None


def test_margins_between_0_and_1_are_no_shares() -> None:
    found = paired([0.7] * 12, [0.3] * 12, [str(number) for number in range(12)])
    assert found.a.value == pytest.approx(0.7) and found.a.low is None


def test_numbers_near_the_largest_raise_nothing() -> None:
    generator = np.random.default_rng(2)
    a, b = (9e69 * generator.random(12) for _ in range(2))
    found = paired(a.tolist(), b.tolist(), [str(number) for number in range(12)])
    assert found.difference.value is not None and np.isfinite(found.difference.value)


def test_texts_without_an_origin_stand_beside_texts_that_have_one() -> None:
    items = [(group, float(value), origin) for group in "ab" for value, origin in enumerate(["x", None, "y", None])]
    named = [(group, value, origin or f"{group}{value}") for group, value, origin in items]
    first, second = (compare_groups(rows, permutations=99).pairs[0].difference for rows in (items, named))
    assert (first.value, first.origins) == (second.value, second.origins)
