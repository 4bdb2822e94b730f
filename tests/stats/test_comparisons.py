"""Two sides of the same items, two groups or more, and equivalence: by hand, turned round, and with nothing to find."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.comparing.changes import ratio_change
from tiltmeter.stats.comparing.effect_sizes import Side
from tiltmeter.stats.comparing.equivalence import equivalence, paired_equivalence
from tiltmeter.stats.comparing.paired import paired
from tiltmeter.stats.intervals import student

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
    for wrong, why in (
        (few, "fewer than 5 origins"),
        (none, "nothing was scored"),
        (Side(np.zeros(10), np.arange(10)), "is zero"),
        (Side(-one.values, one.codes), "below zero"),
    ):
        found, reason = ratio_change((one, wrong), (three, four))
        assert found is None and why in (reason or "")
    same, _ = ratio_change((one, two), (one, two))
    assert same is not None and (same.value, same.low) == (pytest.approx(0.0), None)


def test_a_single_event_leaves_the_change_of_a_ratio_open() -> None:
    one, _, three, four = of_groups(np.random.default_rng(1), 8, True)
    rare = Side(np.array([1.0] + [0.0] * 9), np.arange(10))
    found, _ = ratio_change((one, rare), (three, four))
    assert found is not None and found.low is not None and found.high is not None
    assert found.value == pytest.approx(100 * (three.mean / four.mean / (one.mean / 0.1) - 1))
    assert found.low < found.value < 0 < found.high


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


def test_margins_between_0_and_1_are_no_shares() -> None:
    found = paired([0.7] * 12, [0.3] * 12, [str(number) for number in range(12)])
    assert found.a.value == pytest.approx(0.7) and found.a.low is None


def test_numbers_near_the_largest_raise_nothing() -> None:
    generator = np.random.default_rng(2)
    a, b = (9e69 * generator.random(12) for _ in range(2))
    found = paired(a.tolist(), b.tolist(), [str(number) for number in range(12)])
    assert found.difference.value is not None and np.isfinite(found.difference.value)
