"""The one estimator: worked by hand, against textbook intervals, as properties, and on inputs that are hardly any."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.estimate import FEWEST, SHARE, Scale, estimate

MARGIN = Scale(neutral=0.0)
SIGNED = Scale(-1.0, 1.0, 0.0)


def wilson(share: float, trials: float, quantile: float) -> tuple[float, float]:
    square = quantile**2 / trials
    centre = (share + square / 2) / (1 + square)
    half = math.sqrt(square * share * (1 - share) + square**2 / 4) / (1 + square)
    return centre - half, centre + half


def clustered_table(seed: int, clusters: int = 9, templates: int = 7, rows: int = 2) -> dict[str, np.ndarray]:
    generator = np.random.default_rng(seed)
    size = clusters * templates * rows
    place = np.arange(size)
    first, second = place // (templates * rows), place // rows % templates
    effects = generator.normal(size=clusters)[first] + generator.normal(size=templates)[second]
    values = 1 / (1 + np.exp(-effects - generator.normal(size=size)))
    groups = np.array(["a", "b"])[generator.integers(0, 2, size)]
    return {"values": values, "clusters": first, "second": second, "groups": groups}


# By hand and against textbooks.


def test_equal_clusters_without_a_scale_have_students_interval_of_their_means() -> None:
    values = np.random.default_rng(1).exponential(size=(8, 5)).round(3)
    means = values.mean(axis=1)
    found = estimate(values.ravel(), np.repeat(np.arange(8), 5), scale=Scale(neutral=0.7))
    # κ of these means is below that of a normal distribution, so all seven degrees of freedom are there.
    assert stats.kurtosis(means) < 0
    known = stats.ttest_1samp(means, 0.7)
    low, high = known.confidence_interval(0.95)
    assert (found.low, found.high, found.p) == pytest.approx((low, high, known.pvalue), rel=1e-12)
    assert (found.n, found.origins, found.method) == (40, 8, "cluster-t.v2")


def test_long_tails_lower_the_degrees_of_freedom() -> None:
    means = np.array([0.0, 0.1, -0.1, 0.2, -0.2, 0.0, 0.1, 6.0])
    found = estimate(means, np.arange(8), scale=MARGIN)
    freedom = 2 / (2 / 7 + stats.kurtosis(means) / 8)
    half = stats.t.ppf(0.975, freedom) * means.std(ddof=1) / math.sqrt(8)
    assert found.high == pytest.approx(means.mean() + half, rel=1e-12)
    assert found.note is not None


def test_the_same_clusters_in_both_groups_have_the_paired_interval() -> None:
    generator = np.random.default_rng(2)
    a, b = generator.normal(size=9), generator.normal(size=9)
    assert stats.kurtosis(a - b) < 0
    found = estimate([*a, *b], [*range(9)] * 2, groups=["a"] * 9 + ["b"] * 9, compare=("a", "b"))
    known = stats.ttest_rel(a, b)
    low, high = known.confidence_interval(0.95)
    assert (found.low, found.high, found.p) == pytest.approx((low, high, known.pvalue), rel=1e-10)


def test_clusters_of_their_own_have_welchs_interval() -> None:
    generator = np.random.default_rng(5)
    a, b = generator.uniform(size=7), generator.uniform(0, 3, size=11)
    assert stats.kurtosis([*(a - a.mean()) / 7, *(b.mean() - b) / 11]) < 0
    found = estimate([*a, *b], range(18), groups=["a"] * 7 + ["b"] * 11, compare=("a", "b"))
    known = stats.ttest_ind(a, b, equal_var=False)
    low, high = known.confidence_interval(0.95)
    assert (found.low, found.high, found.p) == pytest.approx((low, high, known.pvalue), rel=1e-10)


def test_a_share_of_independent_rows_has_wilsons_interval() -> None:
    # 32 of 50: the interval excludes one half, and so does p.
    found = estimate([1] * 32 + [0] * 18, range(50), scale=SHARE)
    assert (found.low, found.high) == pytest.approx(wilson(0.64, 50, stats.norm.ppf(0.975)), rel=1e-12)
    assert found.p == pytest.approx(2 * stats.norm.sf(0.14 / math.sqrt(0.25 / 50)), rel=1e-12)
    assert found.method == "cluster-score.v2"


def test_a_share_of_clusters_has_wilsons_interval_with_as_many_trials_as_give_its_variance() -> None:
    # Ten clusters of ten rows with shares .4 and .6: variance (.1² · 10/9)/10, degrees of freedom 9.
    values = np.array([[1] * ones + [0] * (10 - ones) for ones in [4, 6] * 5])
    found = estimate(values.ravel(), np.repeat(np.arange(10), 10), scale=SHARE)
    variance = 0.01 / 9
    assert (found.low, found.high) == pytest.approx(wilson(0.5, 0.25 / variance, stats.t.ppf(0.975, 9)), rel=1e-12)


def test_a_difference_on_a_scale_varies_as_its_means_would_if_the_neutral_value_were_true() -> None:
    # Shares of clusters of ten rows: .1 and .3 three times each, and .4 and .6 six times each.
    small, large = [1, 3] * 3, [4, 6] * 6
    values = [value for ones in small + large for value in [1] * ones + [0] * (10 - ones)]
    groups = ["a"] * 60 + ["b"] * 120
    found = estimate(values, np.repeat(np.arange(18), 10), groups=groups, compare=("a", "b"), scale=SHARE)
    parts = 0.01 * 6 / 5 / 6, 0.01 * 12 / 11 / 12
    variance = sum(parts)
    # One over the effective number of clusters with an event, beyond one over the number; 1 − 2 · .2 near the end.
    few = 0.6 * ((6 * 0.05) / 1.2**2 - 1 / 6)
    hidden = 0.1 * few * (0.2 * 0.8 / 6 - parts[0])
    # Without a difference the six clusters would be off by 2/3 of −.3 and the twelve by 1/3: both at .4.
    neutral = (variance + hidden) * (0.4 * 0.6 / 6 + 0.4 * 0.6 / 12) / (0.2 * 0.8 / 6 + 0.5 * 0.5 / 12)
    welch = variance**2 / (parts[0] ** 2 / 5 + parts[1] ** 2 / 11)
    events = few * (parts[0] / variance) ** 2
    freedom = 2 / (2 / welch + events)
    assert found.value == pytest.approx(-0.3)
    assert found.p == pytest.approx(2 * stats.t.sf(0.3 / math.sqrt(neutral), freedom), rel=1e-9)


def test_two_ways_by_hand() -> None:
    # Effects of rows and columns without noise: V(rows) + V(columns) − V(cells).
    rows, columns = np.array([0.0, 1, 2, 3, 4, 5]), np.array([0.0, 2, 4, 6, 8])
    table = rows[:, None] + columns[None]
    first, second = np.divmod(np.arange(30), 5)
    found = estimate(table.ravel(), first, second=second)
    of_rows, of_columns = rows.var(ddof=1) / 6, columns.var(ddof=1) / 5
    cells = table.var(ddof=1) / 30
    variance = of_rows + of_columns - cells
    # Satterthwaite gives more degrees than the four of the columns, which vary more.
    half = stats.t.ppf(0.975, 4) * math.sqrt(variance)
    assert variance > of_columns > of_rows
    assert (found.value, found.high) == pytest.approx((6.5, 6.5 + half), rel=1e-12)


def test_balanced_over_sets_no_general_liking_is_taken_for_a_stereotype() -> None:
    # Twelve words at .7 and four at .3: the plain share says .6, the mean of the two sets .5.
    values = np.array([0.6, 0.8] * 6 + [0.2, 0.4] * 2)
    sets = ["large"] * 12 + ["small"] * 4
    plain = estimate(values, range(16), scale=SHARE)
    balanced = estimate(values, range(16), balanced_over=sets, scale=SHARE)
    assert (plain.value, balanced.value) == pytest.approx((0.6, 0.5), rel=1e-15)
    assert balanced.p == pytest.approx(1.0)
    nested = estimate(values, range(16), balanced_over=[("a", s) for s in sets[:14]] + [("b", "c")] * 2, scale=SHARE)
    assert nested.value == pytest.approx(((0.7 + 0.3) / 2 + 0.3) / 2, rel=1e-15)


def test_a_log_ratio() -> None:
    generator = np.random.default_rng(8)
    a, b = generator.uniform(1, 2, 10), generator.uniform(2, 4, 10)
    found = estimate([*a, *b], [*range(10)] * 2, groups=[1] * 10 + [0] * 10, compare=(1, 0), log=True)
    influence = a / a.mean() - b / b.mean()
    assert found.value == pytest.approx(math.log(a.mean() / b.mean()), rel=1e-14)
    freedom = 2 / (2 / 9 + max(0.0, stats.kurtosis(influence)) / 10)
    half = stats.t.ppf(0.975, freedom) * influence.std(ddof=1) / math.sqrt(10)
    assert found.high == pytest.approx(found.value + half, rel=1e-6)


def test_the_same_everywhere_is_as_sure_as_so_many_trials() -> None:
    one = estimate([1] * 12, [*range(6)] * 2, scale=SHARE)
    assert (one.low, one.high) == pytest.approx(wilson(1.0, 6, stats.norm.ppf(0.975)), rel=1e-12)
    # One group always, the other never, in the same six clusters: as six choices for one side.
    both = estimate([1] * 6 + [0] * 6, [*range(6)] * 2, groups=["a"] * 6 + ["b"] * 6, compare=("a", "b"), scale=SHARE)
    assert both.p == pytest.approx(one.p)
    assert one.low is not None
    assert (both.low, both.high) == pytest.approx((2 * one.low - 1, 1.0), rel=1e-12)
    assert one.note and both.note


# Properties.

LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.99])


@st.composite
def studies(draw: st.DrawFn) -> dict[str, Any]:
    size = draw(st.integers(10, 60))
    kind = draw(st.sampled_from(["choices", "ratings", "margins"]))
    number = {
        "choices": st.sampled_from([0.0, 0.5, 1.0]),
        "ratings": st.floats(0, 1, allow_subnormal=False),
        "margins": st.floats(-50, 50, allow_subnormal=False),
    }[kind]
    study: dict[str, Any] = {
        "values": draw(st.lists(number, min_size=size, max_size=size)),
        "clusters": draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)),
        "scale": MARGIN if kind == "margins" else draw(st.sampled_from([SHARE, Scale(0.0, 1.0, 0.2), SIGNED])),
        "weights": draw(st.sampled_from([None, "equal clusters"])),
        "level": draw(LEVELS),
    }
    if draw(st.booleans()):
        study["second"] = draw(st.lists(st.integers(0, 7), min_size=size, max_size=size))
    if draw(st.booleans()):
        study["groups"] = draw(st.lists(st.sampled_from("ab"), min_size=size, max_size=size))
        study["compare"] = ("a", "b")
    return study


def same(found: Estimate, known: Estimate, tolerance: float = 1e-9) -> None:
    assert (found.n, found.n_unscored, found.origins, found.method) == (
        known.n,
        known.n_unscored,
        known.origins,
        known.method,
    )
    for name in ("value", "low", "high", "p"):
        one, other = getattr(found, name), getattr(known, name)
        assert (one is None) == (other is None)
        assert one is None or one == pytest.approx(other, rel=tolerance, abs=tolerance)


@given(studies())
@settings(max_examples=150, deadline=None)
def test_p_is_below_the_border_exactly_where_the_interval_excludes_the_neutral_value(study: dict[str, Any]) -> None:
    found = estimate(**study)
    assume(found.low is not None and found.high is not None and found.value is not None)
    assert found.low <= found.value <= found.high
    if found.p is None:
        return
    neutral = 0.0 if "groups" in study else study["scale"].neutral
    assert (found.p < 1 - study["level"]) == (not found.low <= neutral <= found.high)
    # The interval at the level 1 − p ends at the neutral value.
    if 1e-6 < found.p < 1 - 1e-6 and found.value != neutral:
        border = estimate(**{**study, "level": 1 - found.p})
        assert border.low is not None and border.high is not None
        end = border.low if found.value > neutral else border.high
        assert end == pytest.approx(neutral, abs=1e-6)


@given(studies())
@settings(max_examples=100, deadline=None)
def test_no_end_lies_outside_the_scale_nor_beyond_all_clusters_without_a_note(study: dict[str, Any]) -> None:
    found = estimate(**study)
    assume(found.low is not None and found.high is not None)
    scale = study["scale"]
    if scale.low is not None:
        ends = (scale.low - scale.high, scale.high - scale.low) if "groups" in study else (scale.low, scale.high)
        assert ends[0] <= found.low <= found.high <= ends[1]
    if found.note is None and "groups" not in study and "second" not in study:
        clusters, values = np.array(study["clusters"]), np.array(study["values"])
        means = [values[clusters == each].mean() for each in set(study["clusters"])]
        assert min(means) - 1e-9 <= found.low and found.high <= max(means) + 1e-9


@given(studies(), st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_neither_names_nor_the_order_of_rows_matter(study: dict[str, Any], random: Any) -> None:
    order = list(range(len(study["values"])))
    random.shuffle(order)
    turned = {
        name: [each[place] for place in order] if isinstance(each, list) else each for name, each in study.items()
    }
    turned["clusters"] = [f"word {9 - each}" for each in turned["clusters"]]
    found, known = estimate(**turned), estimate(**study)
    same(found, known)
    assert found.value == known.value or study["weights"] is not None


@given(studies())
@settings(max_examples=60, deadline=None)
def test_sums_give_what_rows_give(study: dict[str, Any]) -> None:
    cells: dict[tuple[Any, ...], list[float]] = {}
    names = [name for name in ("clusters", "second", "groups") if name in study]
    for place, value in enumerate(study["values"]):
        cells.setdefault(tuple(study[name][place] for name in names), []).append(value)
    summed = {name: [key[place] for key in cells] for place, name in enumerate(names)}
    summed["values"] = [math.fsum(each) for each in cells.values()]
    found = estimate(**{**study, **summed}, rows=[len(each) for each in cells.values()])
    same(found, estimate(**study))


@given(studies(), st.sampled_from([(-1.0, 1.0), (100.0, 0.0), (-3.0, 7.0)]))
@settings(max_examples=60, deadline=None)
def test_another_scale_is_another_scale_and_nothing_else(study: dict[str, Any], change: tuple[float, float]) -> None:
    factor, shift = change
    if study["scale"] is MARGIN:
        shift = 0.0
    scale = study["scale"]
    ends = None if scale.low is None else sorted((factor * scale.low + shift, factor * scale.high + shift))
    changed = {
        **study,
        "values": [factor * value + shift for value in study["values"]],
        "scale": Scale(*(ends or (None, None)), factor * scale.neutral + shift),
    }
    found, known = estimate(**changed), estimate(**study)
    assert (found.low is None, found.p is None) == (known.low is None, known.p is None)
    assert known.p is None or found.p == pytest.approx(known.p, rel=1e-6, abs=1e-9)
    if known.low is not None and known.high is not None:
        moved = 0.0 if "groups" in study else shift
        low, high = sorted((factor * known.low + moved, factor * known.high + moved))
        assert (found.low, found.high) == pytest.approx((low, high), rel=1e-6, abs=1e-6)


def test_turned_groups_turn_the_interval() -> None:
    study = clustered_table(3)
    one = estimate(**study, compare=("a", "b"), scale=SHARE)
    other = estimate(**study, compare=("b", "a"), scale=SHARE)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low), rel=1e-12)
    assert one.p == pytest.approx(other.p)
    same(estimate(**study, compare={"a": 1.0, "b": -1.0}, scale=SHARE), one, 0)


# Several ways.


def test_a_way_within_another_adds_nothing() -> None:
    study = clustered_table(4)
    values, first = study["values"], study["clusters"]
    finer = [f"{cluster}/{template}" for cluster, template in zip(first, study["second"], strict=True)]
    same(estimate(values, first, second=finer), estimate(values, first))
    # The coarser way decides, wherever it stands.
    found, known = estimate(values, finer, second=first), estimate(values, first)
    assert (found.low, found.high) == (known.low, known.high)
    assert found.origins == 63


def test_templates_that_vary_widen_the_interval_and_three_ways_more() -> None:
    study = clustered_table(6)
    values, first, second = study["values"], study["clusters"], study["second"]
    third = np.random.default_rng(1).integers(0, 6, len(values))
    shifted = values + 0.3 * np.array([-1, -0.5, 0, 0, 0.5, 1])[third]
    widths = []
    for ways in ({}, {"second": second}, {"second": second, "third": third}):
        found = estimate(shifted, first, **ways)
        assert found.low is not None and found.high is not None
        widths.append(found.high - found.low)
    assert widths == sorted(widths) and len(set(widths)) == 3


@pytest.mark.parametrize("levels", [1, 2, 4])
def test_few_templates_leave_one_way_with_a_note(levels: int) -> None:
    study = clustered_table(7)
    found = estimate(study["values"], study["clusters"], second=study["second"] % levels, names=("words", "templates"))
    known = estimate(study["values"], study["clusters"])
    assert (found.low, found.high) == (known.low, known.high)
    assert (found.note is None) == (levels == 1)
    assert levels == 1 or "templates" in str(found.note)


# Hardly any input.


def test_unscored_is_counted_and_never_zero() -> None:
    values = [0.2, None, 0.4, float("nan"), 0.6, 0.5, 0.3, 1e300, float("inf")]
    found = estimate(values, list("aabbcdeff"), scale=Scale(0.0, 1.0))
    assert (found.value, found.n, found.n_unscored, found.origins) == (pytest.approx(0.4), 5, 4, 5)
    assert found.p is None
    summed = estimate([0.2, 0.4, 0.6, 0.5, 0.3], list("abcde"), rows=[1] * 5, unscored=[1, 1, 0, 0, 2])
    assert (summed.value, summed.n, summed.n_unscored) == (pytest.approx(0.4), 5, 4)


def test_what_a_database_masks_is_unscored() -> None:
    values = np.ma.masked_array([0.2, 7.0, 0.4, 0.6, 0.5, 0.3], mask=[False, True, False, False, False, False])
    clusters = np.array(list("abbcde"), dtype=object)
    found = estimate(values, clusters, scale=SHARE)
    assert (found.value, found.n, found.n_unscored, found.origins) == (pytest.approx(0.4), 5, 1, 5)
    with pytest.raises(ValueError):
        estimate(values, np.ma.masked_array(clusters, mask=[True] + [False] * 5))


@pytest.mark.parametrize("values", [[], [None], [float("nan")] * 3])
def test_nothing_scored(values: list[float | None]) -> None:
    found = estimate(values, list("abc")[: len(values)])
    assert (found.value, found.low, found.p, found.n, found.n_unscored) == (None, None, None, 0, len(values))
    assert found.note


@pytest.mark.parametrize("clusters", [1, 2, FEWEST - 1])
def test_few_clusters_have_a_value_and_no_interval(clusters: int) -> None:
    found = estimate(np.linspace(0, 1, 20), np.arange(20) % clusters, scale=SHARE)
    assert (found.value, found.low, found.high, found.p, found.method) == (pytest.approx(0.5), None, None, None, None)
    assert found.note


def test_no_spread_without_a_scale_has_no_interval() -> None:
    found = estimate([0.1 + 0.2] * 12, [*range(6)] * 2, scale=MARGIN)
    assert (found.value, found.low, found.p) == (0.1 + 0.2, None, None)
    assert found.note
    tiny = estimate(np.arange(12) * 1e-60, [*range(6)] * 2, scale=MARGIN)
    assert tiny.low is not None and tiny.low < tiny.value < tiny.high


def test_groups_that_are_not_there() -> None:
    alone = estimate([1, 0, 1, 0, 1], range(5), groups=["a"] * 5, compare=("a", "b"))
    assert (alone.value, alone.low, alone.n) == (None, None, 5)
    few = estimate([1, 0, 1, 0, 1, 1], range(6), groups=["a"] * 5 + ["b"], compare=("a", "b"))
    assert (few.value, few.low) == (pytest.approx(-0.4), None)
    others = estimate([1, 0, 1, 0, 9, 9], range(6), groups=["a", "a", "b", "b", "c", "c"], compare=("a", "b"))
    assert (others.n, others.value) == (4, 0.0)


def test_groups_that_share_some_clusters() -> None:
    generator = np.random.default_rng(9)
    a, b = np.arange(8), np.arange(3, 11)
    values = np.concatenate([generator.random(8), generator.random(8)])
    found = estimate(values, [*a, *b], groups=["a"] * 8 + ["b"] * 8, compare=("a", "b"), scale=SHARE)
    assert found.low is not None and found.high is not None and found.origins == 11
    assert found.value == pytest.approx(values[:8].mean() - values[8:].mean())


def test_weights() -> None:
    values, clusters = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 99.0], list("aabcdee")
    found = estimate(values, clusters, weights=[1, 1, 2, 1, 1, 1, 0])
    assert (found.value, found.n) == (pytest.approx((0 + 1 + 4 + 3 + 4 + 5) / 7), 6)
    doubled = estimate([*values[:2], 2.0, *values[2:6]], list("aabbcde"))
    assert found.value == pytest.approx(doubled.value)
    equal = estimate(values[:6], clusters[:6], weights="equal clusters")
    assert equal.value == pytest.approx((0.5 + 2 + 3 + 4 + 5) / 5)


def test_a_stratum_with_one_cluster_shows_no_spread() -> None:
    found = estimate(np.linspace(0, 1, 8), range(8), balanced_over=["x"] * 7 + ["y"], scale=SHARE)
    assert found.value is not None and found.low is None and found.note


def test_ratios_that_are_not_defined() -> None:
    groups = ["a"] * 5 + ["b"] * 5
    for values, scale in (([1.0] * 5 + [0.0] * 5, None), ([1.0] * 9 + [-1.0], None), ([0.5] * 10, SIGNED)):
        found = estimate(values, [*range(5)] * 2, groups=groups, compare=("a", "b"), log=True, scale=scale)
        assert (found.value, found.low, found.p) == (None, None, None)
        assert found.note


@pytest.mark.parametrize(
    "wrong",
    [
        {"level": 1.0},
        {"clusters": ["a"]},
        {"clusters": ["a", None, "b"]},
        {"weights": "origins"},
        {"weights": [1, -1, 1]},
        {"groups": ["a", "b", "a"]},
        {"compare": ("a", "b")},
        {"groups": ["a", "b", "a"], "compare": ("a", "a")},
        {"scale": Scale(0.0, 0.5)},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        estimate(**{"values": [0.0, 1.0, 0.5], "clusters": ["a", "b", "c"], **wrong})


def test_groups_of_unequal_numbers_are_no_surer_than_the_smaller() -> None:
    """Five of five against none of a hundred: Newcombe's interval begins at about .56."""
    labels = np.arange(105)
    groups = ["a"] * 5 + ["b"] * 100
    found = estimate([1.0] * 5 + [0.0] * 100, labels, groups=groups, compare=("a", "b"), scale=SHARE)
    assert found.low == pytest.approx(0.568, abs=5e-3)


def test_what_is_left_out_is_named_beside_what_is_not() -> None:
    generator = np.random.default_rng(3)
    first, second, third = (generator.integers(0, n, 400) for n in (30, 8, 3))
    found = estimate(generator.random(400), first, second=second, third=third, names=("words", "templates", "terms"))
    assert found.note is not None and found.note.startswith("over words and templates alone: 3 terms")
