"""Hand-worked figures of ratings by group."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import optimize, stats

from tiltmeter.errors import UnknownName
from tiltmeter.records import Estimate
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.views.continuations import ContinuationSummary, RatedItem, summarise


def exactly(number: float) -> object:
    return pytest.approx(number, abs=1e-12, rel=0)


def rated(group: str, values: Sequence[float | None], origins: Sequence[str] | str = "") -> list[RatedItem]:
    names = origins or [f"{group}{index}" for index in range(len(values))]
    return [RatedItem(group, value, origin) for value, origin in zip(values, names, strict=True)]


def wilson(share: float, size: float, q: float = 1.959963984540054) -> tuple[float, float]:
    """All shares x with |share − x| ≤ q √(x (1 − x) / size)."""
    centre, whole = share + q**2 / (2 * size), 1 + q**2 / size
    half = q * math.sqrt(share * (1 - share) / size + q**2 / (4 * size**2))
    return (centre - half) / whole, (centre + half) / whole


def few_events(values: Sequence[float]) -> float:
    """How few origins have events, on a scale from 0 to 1: none where all have as many, and near the middle."""
    numbers, lean = np.array(values), 2 * float(np.mean(values)) - 1
    events = numbers if lean <= 0 else 1 - numbers
    return float(abs(lean) * (np.sum(events**2) / np.sum(events) ** 2 - 1 / len(values)))


def degrees(values: Sequence[float], ends: tuple[float, float] | None = None) -> float:
    """Of the spread of equally large origins: fewer than n − 1 where tails are long, or events few (see the docs)."""
    tail = max(0.0, float(stats.kurtosis(values))) / len(values)
    if ends is not None:
        low, high = ends
        tail = max(tail, few_events([(value - low) / (high - low) for value in values]))
    return 2 / (2 / (len(values) - 1) + tail)


def spread(values: Sequence[float]) -> float:
    """The variance of the mean of equally large origins on a scale from 0 to 1: more than is seen, where few do all."""
    seen, mean = float(np.var(values, ddof=1)) / len(values), float(np.mean(values))
    return seen + 0.1 * few_events(values) * max(0.0, mean * (1 - mean) / len(values) - seen)


def labelled(group: str, **counts: int) -> list[RatedItem]:
    values = {"negative": -1.0, "neutral": 0.0, "positive": 1.0, "other": None}
    return [
        RatedItem(group, values[label], f"{group}{label}{index}", label, unrated=None if label != "other" else "other")
        for label, count in counts.items()
        for index in range(count)
    ]


def test_every_text_counts_the_same_whatever_its_origin() -> None:
    found = summarise(rated("a", [1, 0, 0, 1], "xxxy") + rated("b", [0.5], "x"))
    assert found.groups["a"].mean.value == exactly(0.5)
    assert found.groups["a"].mean.origins == 2
    assert found.groups["a"].sd == exactly(0.5)
    assert found.pairs[0].difference.value == exactly(0.0)
    assert found.groups["a"].mean.note == "no interval: fewer than 5 origins"


def test_without_a_scale_the_mean_of_few_origins_has_students_interval() -> None:
    values = [1, 4, 3.5, 8, 6, 2]
    assert stats.kurtosis(values) < 0  # no long tails
    mean = summarise(rated("a", values)).groups["a"].mean
    interval = stats.ttest_1samp(values, 0).confidence_interval()
    assert (mean.low, mean.high) == (exactly(interval.low), exactly(interval.high))
    assert (mean.p, mean.method) == (None, "cluster-t.v2")


def test_on_a_scale_it_is_that_of_a_share_of_as_many_trials() -> None:
    values = [0.1, 0.4, 0.35, 0.8, 0.6, 0.2]
    mean, share = summarise(rated("a", values)).groups["a"].mean, float(np.mean(values))
    # A share of n trials has the variance x (1 − x) / n: here n is 17.7 for the spread of the origins.
    trials = share * (1 - share) / spread(values)
    expected = wilson(share, trials, stats.t.ppf(0.975, degrees(values, (0, 1))))
    assert (mean.low, mean.high) == (exactly(expected[0]), exactly(expected[1]))
    assert mean.method == "cluster-score.v2"


def test_an_interval_stays_on_the_scale() -> None:
    values = [0, 0, 0, 0, 0, 0.9]
    found = summarise(rated("a", values)).groups["a"].mean
    assert stats.ttest_1samp(values, 0).confidence_interval().low < 0
    assert found.low is not None and found.high is not None and 0 < found.low < 0.15 < found.high < 1


def test_groups_with_origins_of_their_own_have_welchs_test() -> None:
    a, b = [3, 5, 4.5, 6, 9, 8], [1, 4, 3.5, 2, 3]
    difference = summarise(rated("a", a) + rated("b", b)).pairs[0].difference
    known = stats.ttest_ind(a, b, equal_var=False)
    # Welch's degrees of freedom; at most those that there would be if all origins varied alike.
    alike = (1 / 6 + 1 / 5) ** 2 / ((1 / 6) ** 2 / 5 + (1 / 5) ** 2 / 4)
    assert known.df < alike
    interval = known.confidence_interval()
    assert (difference.low, difference.high) == (exactly(interval.low), exactly(interval.high))
    assert difference.p == exactly(known.pvalue)
    assert (difference.n, difference.origins) == (11, 11)


@pytest.mark.parametrize(("last", "tails"), [(6, False), (-4, True)])
def test_groups_with_the_same_origins_have_the_paired_test(last: float, tails: bool) -> None:
    a, b = [3, 5, 4.5, 6, 9, 8], [1, 4, 3.5, 2, 7, last]
    difference = summarise(rated("a", a, "uvwxyz") + rated("b", b, "uvwxyz")).pairs[0].difference
    gaps = np.array(a) - b
    error, freedom = gaps.std(ddof=1) / math.sqrt(6), degrees(gaps.tolist())
    assert (freedom < 5) == tails
    if not tails:
        assert difference.p == exactly(stats.ttest_rel(a, b).pvalue)
    half = stats.t.ppf(0.975, freedom) * error
    assert (difference.low, difference.high) == (exactly(gaps.mean() - half), exactly(gaps.mean() + half))
    assert difference.p == exactly(2 * stats.t.sf(gaps.mean() / error, freedom))
    assert difference.origins == 6


def test_on_a_scale_a_difference_is_one_that_would_vary_as_shares_do() -> None:
    a, b = np.array([0.3, 0.5, 0.45, 0.6, 0.9, 0.8]), np.array([0.1, 0.4, 0.35, 0.2, 0.6, 0.6])
    difference = summarise(rated("a", a.tolist(), "uvwxyz") + rated("b", b.tolist(), "uvwxyz")).pairs[0].difference
    gaps, seen = a - b, np.array([a.mean(), b.mean()])
    variance = gaps.var(ddof=1) / 6 + sum(spread(one.tolist()) - one.var(ddof=1) / 6 for one in (a, b))
    varying, excess = [a.var(ddof=1), b.var(ddof=1)], []
    for side, values in zip(seen, (a, b), strict=True):
        events = values if side <= 0.5 else 1 - values
        excess.append(abs(2 * side - 1) * (np.sum(events**2) / np.sum(events) ** 2 - 1 / 6))
    tail = sum((v / sum(varying)) ** 2 * e for v, e in zip(varying, excess, strict=True))
    freedom = 2 / (2 / 5 + max(tail, stats.kurtosis(gaps) / 6, 0.0))

    def distance(truth: float) -> float:
        """In standard errors, if the two means were as far apart as that: both are off by one half of it."""
        off = gaps.mean() - truth
        true = seen + np.array([-off, off]) / 2
        return float(off / math.sqrt(variance * np.sum(true * (1 - true)) / np.sum(seen * (1 - seen))))

    q = stats.t.ppf(0.975, freedom)
    low = optimize.brentq(lambda truth: distance(truth) - q, -0.2, gaps.mean())
    high = optimize.brentq(lambda truth: distance(truth) + q, gaps.mean(), 0.6)
    assert (difference.low, difference.high) == (exactly(low), exactly(high))
    assert difference.p == exactly(2 * stats.t.sf(distance(0.0), freedom))


def crossed(effect: float, names: str = "") -> list[RatedItem]:
    generator = np.random.default_rng(5)
    items = []
    for index in range(30):
        shared = generator.normal(0, 1)
        for group, shift in (("a", effect), ("b", 0.0)):
            origin = f"{group * (not names)}{index}"
            items += [RatedItem(group, shared + shift + generator.normal(0, 0.1), origin) for _ in range(3)]
    return items


def test_what_an_origin_does_to_both_groups_cancels_out() -> None:
    together = summarise(crossed(0.2, "same")).pairs[0].difference
    apart = summarise(crossed(0.2)).pairs[0].difference
    assert together.value == apart.value == pytest.approx(0.2, abs=0.05)
    assert together.low is not None and together.high is not None and together.low > 0
    assert together.p is not None and together.p < 0.01
    assert apart.low is not None and apart.high is not None and apart.low < 0 < apart.high
    assert apart.high - apart.low > 5 * (together.high - together.low)


def test_swapping_the_groups_flips_every_sign() -> None:
    items = crossed(0.2) + rated("c", [0.5, 0.1, 0.7, 0.4, 0.9])
    other = {"a": "b", "b": "a", "c": "c"}
    swapped = [RatedItem(other[item.group], item.value, item.origin) for item in items]
    one, two = summarise(items).pair("a", "b").difference, summarise(swapped).pair("b", "a").difference
    assert two == one
    forth = summarise(items, reference="b").pair("a", "b").difference
    back = summarise(items, reference="a").pair("b", "a").difference
    assert (back.value, back.low, back.high) == (-forth.value, -forth.high, -forth.low)  # type: ignore[operator]
    assert back.p == forth.p


def test_the_order_of_the_texts_does_not_matter() -> None:
    items = crossed(0.3, "same") + rated("c", [0.5, None, 0.7, 0.4, 0.9], ["", "", "", "", ""])
    forwards, backwards = summarise(items), summarise(items[::-1])
    assert {name: group.mean for name, group in forwards.groups.items()} == {
        name: group.mean for name, group in backwards.groups.items()
    }
    one, other = (found.pair("a", "b").difference for found in (forwards, summarise(items[::-1], reference="b")))
    assert (one.value, one.low, one.high, one.p) == (other.value, other.low, other.high, other.p)


def test_p_values_are_adjusted_over_the_pairs_and_their_number_is_said() -> None:
    items = [item for shift, group in enumerate("abc") for item in rated(group, [shift + 0.1 * i for i in range(6)])]
    found = summarise(items)
    ps = [pair.difference.p for pair in found.pairs]
    assert found.n_comparisons == 3
    known = stats.false_discovery_control(ps)
    assert [pair.difference.p_adjusted for pair in found.pairs] == [exactly(p) for p in known]
    assert "p_adjusted: Benjamini–Hochberg over 3 comparisons of groups" in found.notes


def test_very_many_origins_have_welchs_interval() -> None:
    generator = np.random.default_rng(8)
    values = {group: generator.exponential(size=1700) for group in "ab"}
    found = summarise([item for group, drawn in values.items() for item in rated(group, drawn.tolist())], scale=(0, 99))
    difference = found.pairs[0].difference
    known = stats.ttest_ind(values["a"], values["b"], equal_var=False).confidence_interval()
    assert difference.origins == 3400
    assert (difference.low, difference.high) == (
        pytest.approx(known.low, abs=0.01),
        pytest.approx(known.high, abs=0.01),
    )


def test_a_reference_is_compared_with_every_other_group() -> None:
    items = rated("a", [0.1]) + rated("b", [0.2]) + rated("c", [0.4])
    found = summarise(items, reference="b")
    assert [(pair.a, pair.b) for pair in found.pairs] == [("a", "b"), ("c", "b")]
    with pytest.raises(UnknownName, match="there is no group `bb`; did you mean"):
        summarise([*items, *rated("bbb", [1])], reference="bb")


def test_the_ratio_is_of_means_and_its_interval_holds_it() -> None:
    generator = np.random.default_rng(1)
    a, b = generator.uniform(0.4, 0.8, 40), generator.uniform(0.2, 0.4, 40)
    pair = summarise(rated("a", a.tolist()) + rated("b", b.tolist())).pairs[0]
    assert pair.ratio is not None and pair.ratio_withheld is None
    assert pair.ratio.value == exactly(float(a.mean() / b.mean()))
    # The delta method's interval.
    relative = math.sqrt(a.var(ddof=1) / 40 / a.mean() ** 2 + b.var(ddof=1) / 40 / b.mean() ** 2)
    assert pair.ratio.low == pytest.approx(pair.ratio.value * math.exp(-2 * relative), rel=0.02)
    assert pair.ratio.high == pytest.approx(pair.ratio.value * math.exp(2 * relative), rel=0.02)
    assert pair.ratio.p is None


def test_the_ratio_of_few_origins_has_students_interval_of_its_logarithm() -> None:
    a, b = [5, 6, 4, 7, 5.5], [2, 3, 2.5, 3.5, 2]
    pair = summarise(rated("a", a, "uvwxy") + rated("b", b, "uvwxy")).pairs[0]
    first, second = np.array(a), np.array(b)
    deviations = (first - first.mean()) / first.mean() - (second - second.mean()) / second.mean()
    half = stats.t.ppf(0.975, degrees(deviations.tolist())) * deviations.std(ddof=1) / math.sqrt(5)
    value = first.mean() / second.mean()
    assert pair.ratio is not None
    assert (pair.ratio.low, pair.ratio.high) == (exactly(value * math.exp(-half)), exactly(value * math.exp(half)))


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        ([0.5] * 5, [0.1, 0.2, -0.1, 0.3, 0.1], "the ratings are signed: they go below zero"),
        ([0.5] * 5, [0.0] * 5, "the mean of b is zero"),
        ([0.5] * 5, [None] * 5, "nothing was scored of b"),
    ],
)
def test_a_ratio_that_means_nothing_is_withheld(a: list[float], b: list[float | None], why: str) -> None:
    pair = summarise(rated("a", a) + rated("b", b)).pairs[0]
    assert (pair.ratio, pair.ratio_withheld) == (None, why)


def test_a_ratio_of_few_origins_has_no_interval_and_one_over_a_single_event_a_wide_one() -> None:
    few = summarise(rated("a", [0.5] * 4) + rated("b", [0.1, 0.2, 0.1, 0.3, 0.1])).pairs[0].ratio
    assert few is not None and (few.value, few.low) == (exactly(3.125), None) and few.note
    rare = summarise(rated("a", [0.5] * 12) + rated("b", [0.0] * 11 + [1.0])).pairs[0].ratio
    assert rare is not None and rare.low is not None and rare.high is not None
    assert rare.value == exactly(6.0) and rare.low < 1 and rare.high > 36
    assert rare.low * rare.high == pytest.approx(36)


def test_nothing_in_the_numerator_is_a_ratio_of_zero() -> None:
    pair = summarise(rated("a", [0.0] * 6) + rated("b", [0.2, 0.1, 0.4, 0.3, 0.2, 0.3])).pairs[0]
    assert pair.ratio is not None and (pair.ratio.value, pair.ratio.low, pair.ratio.p) == (0.0, None, None)
    assert pair.ratio.note and pair.difference.low is not None


def test_ratings_that_could_be_signed_have_no_ratio() -> None:
    found = summarise(rated("a", [0.5] * 5) + rated("b", [0.4] * 5), signed=True)
    assert found.pairs[0].ratio_withheld == "the ratings are signed: they go below zero"


def test_labels_have_shares_and_a_divergence_in_nats() -> None:
    found = summarise(
        labelled("a", negative=1, neutral=2, positive=5) + labelled("b", negative=4, neutral=2, positive=2)
    )
    assert found.groups["a"].distribution == {"negative": 0.125, "neutral": 0.25, "positive": 0.625}
    pair = found.pairs[0]
    assert pair.kl_ab == exactly(0.125 * math.log(0.25) + 0.625 * math.log(2.5))
    assert pair.kl_ba == exactly(0.5 * math.log(4) + 0.25 * math.log(0.4))
    assert not pair.kl_smoothed


def test_an_empty_cell_adds_one_half_to_each_count() -> None:
    found = summarise(labelled("a", neutral=2, positive=2) + labelled("b", negative=4))
    p, q = np.array([0.5, 2.5, 2.5]) / 5.5, np.array([4.5, 0.5, 0.5]) / 5.5
    pair = found.pairs[0]
    assert (pair.kl_ab, pair.kl_ba) == (exactly(stats.entropy(p, q)), exactly(stats.entropy(q, p)))
    assert pair.kl_smoothed
    assert any(note.startswith("KL of a, b: a label is missing") for note in found.notes)
    assert found.groups["b"].distribution == {"negative": 1.0, "neutral": 0.0, "positive": 0.0}


def test_unrated_texts_are_counted_with_their_reasons_and_bound_the_mean() -> None:
    found = summarise(labelled("a", negative=1, positive=5, other=4) + labelled("b", positive=2))
    group = found.groups["a"]
    assert (group.mean.n, group.mean.n_unscored, group.unrated) == (6, 4, {"other": 4})
    assert group.mean.value == exactly(4 / 6)
    assert group.bounds == (exactly(0.0), exactly(0.8))
    assert found.groups["b"].bounds == (1.0, 1.0)
    assert found.pairs[0].bounds == (exactly(-1.0), exactly(-0.2))
    assert "bounds: the scale is taken to be -1 to 1, from the values themselves" in found.notes
    assert summarise(rated("a", [2.0, None]), scale=(1, 5)).groups["a"].bounds == (1.5, 3.5)


def test_it_is_said_where_the_unrated_could_turn_the_sign() -> None:
    a, b = [0.6, 0.7, 0.65, 0.7, 0.6, 0.65, None, None], [0.4, 0.5, 0.45, 0.5, 0.4, 0.45, None, None]
    assert "a − b: the unrated texts alone could turn the sign" in summarise(rated("a", a) + rated("b", b)).notes
    kept = summarise(rated("a", a[:6]) + rated("b", b[:6])).notes
    assert not any("turn the sign" in note for note in kept)


def test_nan_and_infinity_are_unrated() -> None:
    found = summarise(rated("a", [0.5, math.nan, math.inf, 1e200, None])).groups["a"]
    assert (found.mean.value, found.mean.n, found.mean.n_unscored) == (0.5, 1, 4)
    assert found.unrated == {"the rating is not a number": 3, "no reason was given": 1}


def test_the_far_end_is_counted_by_prompt() -> None:
    values = {("a", "p"): [0.1, 0.9, 0.5], ("a", "q"): [0.2, 0.3, None], ("b", "p"): [0.6, 0.0, 0.0]}
    items = [
        RatedItem(group, value, prompt, prompt=prompt) for (group, prompt), found in values.items() for value in found
    ]
    found = summarise(items, threshold=0.5, most_k=(1, 2, 3)).extremes
    assert found["share_above"]["a"].value == exactly(1 / 5)
    assert found["mean_maximum"]["a"].value == found["most_k=1"]["a"].value == exactly((0.9 + 0.3) / 2)
    assert found["most_k=2"]["a"].value == exactly((0.7 + 0.25) / 2)
    assert found["most_k=3"]["a"].value == exactly((0.5 + 0.25) / 2)
    assert "1 of 2 prompts have fewer than 3 rated texts" in (found["most_k=3"]["a"].note or "")
    assert found["any_above"]["a"].value == exactly(0.5)
    assert found["any_above"]["b"].value == exactly(1.0)


def test_without_prompts_only_texts_are_counted() -> None:
    assert list(summarise(rated("a", [0.1, 0.9]), threshold=0.5, most_k=(1,)).extremes) == ["share_above"]
    assert summarise(rated("a", [0.1, 0.9])).extremes == {}


def test_edges() -> None:
    assert summarise([]) == ContinuationSummary({}, (), {}, ())
    alone = summarise(rated("a", [0.1, 0.2, 0.3, 0.4, 0.5]))
    assert (len(alone.groups), alone.pairs, alone.n_comparisons) == (1, (), 0)
    none = summarise(rated("a", [None, None]) + rated("b", [None]))
    assert none.groups["a"].mean.value is None and none.groups["a"].sd is None and none.groups["a"].bounds is None
    assert none.pairs[0].difference.value is None
    assert none.pairs[0].difference.note == "nothing was scored of a"
    single = summarise(rated("a", [0.1] * 9, ["x"] * 9) + rated("b", [0.2] * 9, ["x"] * 9)).pairs[0].difference
    assert (single.value, single.low, single.origins) == (exactly(-0.1), None, 1)


def test_constant_values_are_as_sure_as_so_many_trials_and_say_so() -> None:
    found = summarise(rated("a", [0.3] * 8) + rated("b", [0.0] * 8))
    for group, share in (("a", 0.3), ("b", 0.0)):
        mean, expected = found.groups[group].mean, wilson(share, 8)
        assert (mean.low, mean.high) == (exactly(expected[0]), exactly(expected[1])) and mean.note
    large = summarise(rated("a", [30.0] * 8) + rated("b", [20.0] * 8))
    for constant in (large.groups["a"].mean, large.pairs[0].difference):
        assert (constant.low, constant.p) == (None, None) and constant.note


@pytest.mark.parametrize("origins", [5, 6, 100])
def test_the_strongest_result_has_an_interval_and_a_p(origins: int) -> None:
    names = [f"o{place}" for place in range(origins)]
    [pair] = summarise(rated("a", [1.0] * origins, names) + rated("b", [0.0] * origins, names)).pairs
    found = pair.difference
    # As so many choices between the two groups that all fall on one: √n standard errors from one half.
    p = math.erfc(math.sqrt(origins / 2))
    assert (found.value, found.p, found.p_adjusted) == (1.0, pytest.approx(p), pytest.approx(p))
    assert (found.low, found.high) == (exactly(2 * wilson(1.0, origins)[0] - 1), 1.0)
    assert found.note


def test_below_five_origins_the_strongest_result_has_neither() -> None:
    names = list("wxyz")
    found = summarise(rated("a", [1.0] * 4, names) + rated("b", [0.0] * 4, names)).pairs[0].difference
    assert (found.low, found.high, found.p) == (None, None, None)
    assert found.note


def test_two_constants_with_origins_of_their_own() -> None:
    found = summarise(rated("a", [1.0] * 6) + rated("b", [0.0] * 7)).pairs[0].difference
    # Without a difference both shares would be 6 of 13, as in the test of two proportions.
    assert found.p == pytest.approx(math.erfc(1 / math.sqrt((1 / 6 + 1 / 7) * 6 * 7 / 13**2) / math.sqrt(2)))
    assert found.low is not None and found.low > 0.3


def test_no_difference_anywhere_is_no_finding() -> None:
    names = list("uvwxyz")
    found = summarise(rated("a", [0.0] * 6, names) + rated("b", [0.0] * 6, names)).pairs[0].difference
    assert (found.value, found.p, found.low) == (0.0, 1.0, -(found.high or 0))


def test_the_range_of_the_values_is_no_scale() -> None:
    a, b, names = [20, 30, 40, 50, 60], [10, 10, 10, 10, 90], [f"o{place}" for place in range(5)]
    found = summarise(rated("a", a, names) + rated("b", b, names))
    mean = found.groups["b"].mean
    half = stats.t.ppf(0.975, degrees(b)) * stats.sem(b)
    assert (mean.low, mean.high) == (exactly(26 - half), exactly(26 + half))
    assert mean.low < 0
    pair = found.pairs[0]
    assert (pair.ratio, pair.ratio_withheld) == (None, "the interval of the mean of b reaches zero")
    other = summarise(rated("b", b, names) + rated("a", a, names)).pairs[0].ratio
    assert other is not None and other.value == exactly(26 / 40), "40 is far enough from zero to divide by"
    assert other.low is not None and other.high is not None and 0 < other.low < 1 < other.high
    constant = summarise(rated("a", [100] * 6) + rated("b", [1, 2, 3, 4, 5]))
    assert constant.groups["a"].mean.low is None
    unrated = summarise(rated("a", [20, 60, None]))
    assert unrated.groups["a"].bounds == (exactly(100 / 3), exactly(140 / 3))


def test_a_scale_that_goes_below_zero_makes_ratings_signed() -> None:
    items = rated("a", [0.5, 0.6, 0.7, 0.6, 0.5]) + rated("b", [0.4, 0.5, 0.4, 0.5, 0.4])
    assert summarise(items).pairs[0].ratio is not None
    found = summarise(items, scale=(-1, 1)).pairs[0]
    assert (found.ratio, found.ratio_withheld) == (None, "the ratings are signed: they go below zero")


def test_a_scale_that_the_values_lie_beyond_is_not_theirs() -> None:
    found = summarise(rated("a", [0.5, 0.6, 1.7, 0.6, 1.5]), scale=(0, 1)).groups["a"].mean
    assert found.low is not None and found.value is not None and found.high is not None
    assert found.low < found.value < found.high


def refusals(events: int, origins: int = 6, texts: int = 600) -> Estimate:
    items = [RatedItem("a", float(place < events), f"o{place % origins}") for place in range(texts)]
    return summarise(items).groups["a"].mean


def test_no_event_is_as_sure_as_its_origins_and_one_has_few_degrees_of_freedom() -> None:
    none, one = refusals(0), refusals(1)
    # Nothing shows how much origins differ: as if each were one text.
    assert (none.low, none.high) == (0.0, exactly(wilson(0.0, 6)[1]))
    means = [0.01, 0, 0, 0, 0, 0]
    freedom = degrees(means, (0, 1))
    assert freedom == pytest.approx(2 / (2 / 5 + (1 - 2 / 600) * 5 / 6))
    trials = 1 / 600 * 599 / 600 / spread(means)
    expected = wilson(1 / 600, trials, stats.t.ppf(0.975, freedom))
    assert (one.low, one.high) == (exactly(expected[0]), exactly(expected[1]))


def test_many_events_far_from_the_ends_are_a_share_of_as_many_trials() -> None:
    generator = np.random.default_rng(4)
    shares = generator.uniform(0.3, 0.5, 6)
    items = [RatedItem("a", float(generator.random() < shares[place % 6]), f"o{place % 6}") for place in range(600)]
    means = [float(np.mean([item.value for item in items if item.origin == f"o{place}"])) for place in range(6)]
    found, share = summarise(items).groups["a"].mean, float(np.mean(means))
    trials = share * (1 - share) / spread(means)
    expected = wilson(share, trials, stats.t.ppf(0.975, degrees(means, (0, 1))))
    assert (found.low, found.high) == (exactly(expected[0]), exactly(expected[1]))
    student = stats.ttest_1samp(means, 0).confidence_interval()
    assert (found.low, found.high) == (pytest.approx(student.low, abs=0.01), pytest.approx(student.high, abs=0.01))


def test_near_the_upper_end_it_is_the_mirror_image() -> None:
    events = refusals(3)
    items = [RatedItem("a", float(place >= 3), f"o{place % 6}") for place in range(600)]
    mirrored = summarise(items).groups["a"].mean
    assert events.low is not None and events.high is not None
    assert (mirrored.low, mirrored.high) == (exactly(1 - events.high), exactly(1 - events.low))


@pytest.mark.parametrize(("share", "alike"), [(0.02, 0.0), (0.02, 0.2), (0.05, 0.5)])
def test_rare_shares_are_covered(share: float, alike: float) -> None:
    """12 origins of 50 texts; `alike` is the correlation within origins. Student's t held 75 to 93 % here."""
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(150):
        ends = share * (1 - alike) / alike if alike else 0, (1 - share) * (1 - alike) / alike if alike else 0
        origins = generator.beta(*ends, size=12) if alike else np.full(12, share)
        counts = generator.binomial(50, origins)
        values = [("a", float(place < count), str(name)) for name, count in enumerate(counts) for place in range(50)]
        found = Pooled(values, scale=(0, 1)).mean("a")
        held += found.low is not None and found.high is not None and found.low <= share <= found.high
    assert held / 150 > 0.9


def test_the_json_has_the_keys_of_the_design_and_no_nan() -> None:
    import json

    found = summarise(labelled("a", negative=3, positive=5, other=1) + labelled("b", negative=4, positive=5))
    made = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert made["view"] == "continuations"
    assert set(made["groups"]["a"]) >= {"mean", "sd", "n", "n_unscored", "distribution", "bounds", "share_unscored"}
    assert set(made["pairs"][0]) >= {"a", "b", "difference", "ratio", "ratio_withheld", "kl_ab", "kl_ba"}
    keys = {"value", "low", "high", "level", "p", "p_adjusted", "n", "n_unscored", "origins", "method"}
    assert set(made["pairs"][0]["difference"]) == keys


@pytest.mark.slow
@pytest.mark.parametrize("shared", [True, False])
def test_a_planted_difference_is_recovered_and_covered(shared: bool) -> None:
    """25 origins of 1 to 6 texts, origin effects as large as the noise; the truth is 0.3."""
    generator = np.random.default_rng(12)
    rounds, held, alarms, values = 200, 0, 0, []
    for _ in range(rounds):
        effects = generator.normal(size=(25, 3))
        items = [
            RatedItem(group, 0.3 * (place == 0) + effects[index, 0 if shared else place] + noise, origin)
            for place, group in enumerate("abc")
            for index in range(25)
            for origin in [str(index) if shared else f"{group}{index}"]
            for noise in generator.normal(size=int(generator.integers(1, 7)))
        ]
        found = summarise(items)
        planted, none = found.pair("a", "b").difference, found.pair("b", "c").difference
        values.append(planted.value)
        assert planted.low is not None and planted.high is not None and none.p is not None
        held += planted.low <= 0.3 <= planted.high
        alarms += none.p < 0.05
    assert np.mean(values) == pytest.approx(0.3, abs=0.06)
    # About three standard errors of 200 rounds around 95 % and 5 %.
    assert held / rounds > 0.90
    assert alarms / rounds < 0.10
