"""How much further from neutral one side is: worked by hand, on both sides of neutral, and where little moved."""

from __future__ import annotations

import pytest

from tiltmeter.records import Estimate
from tiltmeter.stats.comparing.before_after import Prompted, gap_change
from tiltmeter.stats.comparing.paired import Paired, paired
from tiltmeter.stats.comparing.worsening import Moved, Sides, departure, negated, worsening
from tiltmeter.stats.estimates import shifted
from tiltmeter.stats.planning.detectable import pass_probability

MANY = Moved(30, 15, 15, largest=0.01, items=30, spread=1.0)


def known(value: float, half: float) -> Estimate:
    return Estimate(value, value - half, value + half, n=300, origins=30)


def sides(baseline: float, candidate: float, half: float = 0.02) -> Sides:
    """Deviations from neutral, all with intervals of one width; Student's 95 % and 90 % with 29 degrees of freedom."""
    return Sides(known(baseline, half), known(candidate - baseline, half), known(candidate + baseline, half), MANY)


NARROWER = 1.6991 / 2.0452
"""Student's quantiles at 90 and 95 % with 29 degrees of freedom, from a table."""


@pytest.mark.parametrize(
    ("baseline", "candidate", "worse"),
    [
        (0.10, 0.15, 0.05),
        (-0.10, -0.15, 0.05),
        (0.10, 0.04, -0.06),
        (0.10, -0.15, 0.05),
        (-0.10, 0.15, 0.05),
        (0.10, -0.04, -0.06),
    ],
)
def test_worse_is_further_from_neutral_on_either_side(baseline: float, candidate: float, worse: float) -> None:
    found = worsening(sides(baseline, candidate))
    assert found.value == pytest.approx(worse)
    assert found.low == pytest.approx(worse - 0.02 * NARROWER, abs=1e-6)
    assert found.high == pytest.approx(worse + 0.02 * NARROWER, abs=1e-6)


def test_on_opposite_sides_the_error_is_that_of_the_sum() -> None:
    apart = Sides(known(0.1, 0.02), known(-0.22, 0.5), known(-0.02, 0.01), MANY)
    found = worsening(apart)
    assert found.value == pytest.approx(0.02)
    above = -0.22 + 0.5 * NARROWER
    assert found.high == pytest.approx(above, abs=1e-4), "by the difference, the candidate may still lie above"
    sure = worsening(Sides(known(0.1, 0.02), known(-0.22, 0.01), known(-0.02, 0.03), MANY))
    assert sure.high == pytest.approx(0.02 + 0.03 * NARROWER, abs=1e-6)


def test_near_neutral_either_side_may_be_the_one_and_both_ends_are_wider() -> None:
    found = worsening(Sides(known(0.005, 0.02), known(0.03, 0.01), known(0.04, 0.05), MANY))
    assert found.value == pytest.approx(0.03)
    assert found.high == pytest.approx(0.04), "the usual interval of the difference at 95 %"
    assert found.low == pytest.approx(-0.01), "the sum does not tell on which side of neutral the candidate is"


def test_it_is_never_more_than_the_difference() -> None:
    for baseline in (-0.2, -0.01, 0.0, 0.01, 0.2):
        for candidate in (-0.3, -0.01, 0.0, 0.02, 0.3):
            found = worsening(sides(baseline, candidate))
            assert found.value is not None and abs(found.value) <= abs(candidate - baseline) + 1e-12
            assert found.low is not None and found.high is not None and found.low <= found.value <= found.high


def test_exchanging_what_is_above_and_below_neutral_changes_nothing() -> None:
    for baseline, candidate in ((0.1, 0.16), (0.1, -0.16), (0.01, 0.05)):
        one, other = worsening(sides(baseline, candidate)), worsening(sides(-baseline, -candidate))
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def of(found: Paired) -> Sides:
    return Sides(shifted(found.a, -0.5), negated(found.difference), shifted(found.total, -1.0), found.moved)


def test_a_worked_example_of_choices() -> None:
    # Ten words of two items: the baseline chooses the stereotype in 13 of 20, the candidate in 15.
    words = [word for word in "abcdefghij" for _ in range(2)]
    baseline = [float(at < 13) for at in range(20)]
    candidate = [*baseline[:13], 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    found = paired(baseline, candidate, words, scale=(0.0, 1.0))
    made = worsening(of(found))
    assert made.value == pytest.approx(0.1)
    assert (found.moved.origins, found.moved.up, found.moved.down, found.moved.items) == (10, 2, 0, 2)
    assert found.total.value == pytest.approx(0.65 + 0.75)
    # Two of ten words moved by a half each: others, twice as large at most, may have been missed in 51 % of the words.
    assert made.high is not None and made.high > 0.4


def test_mirrored_choices_are_no_worse_though_all_of_them_differ() -> None:
    words = [word for word in "abcdefghij" for _ in range(2)]
    baseline = [float(at % 5 > 0) for at in range(20)]
    made = worsening(of(paired(baseline, [1 - value for value in baseline], words, scale=(0.0, 1.0))))
    assert made.value == pytest.approx(0.0)
    assert made.high == pytest.approx(0.0)


def test_of_gaps_neutral_is_no_gap() -> None:
    prompts = [
        Prompted(group, a + 0.01 * at, b - 0.01 * (at % 3), str(at))
        for at in range(12)
        for group, a, b in (("women", 0.3, 0.2), ("men", 0.2, 0.4))
    ]
    found = gap_change(prompts, ("women", "men"))
    made = worsening(Sides(found.a, negated(found.difference), found.total, found.moved))
    assert made.value == pytest.approx(0.1), "a gap of 0.1 became one of −0.2"
    assert found.total.value == pytest.approx(-0.1)


def test_where_nothing_moved_something_may_have_been_missed() -> None:
    words = [str(at) for at in range(60) for _ in range(4)]
    values = [float(at % 3 > 0) for at in range(240)]
    made = worsening(of(paired(values, values, words, scale=(0.0, 1.0))))
    share = 1 - 0.05 ** (1 / 60)
    assert made.value == 0.0
    # Up to three of the four items of a word, in as many words as are still compatible with none seen.
    assert made.high == pytest.approx(share * 3 / 4, rel=0.01)


def test_few_origins_have_no_limits() -> None:
    made = worsening(of(paired([1.0, 0.0, 1.0], [0.0, 0.0, 1.0], list("abc"))))
    assert made.value is not None and made.low is None and made.high is None
    assert "fewer than 5" in (made.note or "")
    assert worsening(of(paired([None], [1.0], ["a"]))).value is None


def test_a_departure_counts_either_way() -> None:
    assert departure(sides(0.1, -0.1)).value == pytest.approx(0.2)
    near = departure(sides(0.1, 0.1))
    assert (near.low, near.high) == (0.0, pytest.approx(0.02 * NARROWER, abs=1e-6))


def test_the_probability_of_passing_is_that_of_a_limit_below_the_tolerance() -> None:
    many = 100_000
    # With known standard errors: the limit is 1.645 above the value, which has to be 0.855 below zero or less.
    assert pass_probability(0.01, many, 0.025) == pytest.approx(0.8037, abs=1e-3)
    assert pass_probability(0.01, many, 0.025, either=True) == pytest.approx(0.8037 - 0.1963, abs=1e-3)
    assert pass_probability(0.0, 5, 0.01) == 1.0
    assert pass_probability(0.02, 5, 0.0) == pytest.approx(0.05, abs=1e-3)
