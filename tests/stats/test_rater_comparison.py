from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.agreement.annotators import krippendorffs_alpha_of_numbers
from tiltmeter.stats.agreement.raters import clustered_spearman, raters_compared, tilt_summary, within_tilt
from tiltmeter.stats.views.continuations import RatedItem


def test_the_tilt_of_a_rater_is_paired_by_sentence() -> None:
    one, other = [0.1, 0.5, 0.9, 0.3, 0.7, 0.2], [0.2, 0.55, 0.95, 0.45, 0.75, 0.35]
    items = [
        (group, value, f"{index}") for group, values in (("a", one), ("b", other)) for index, value in enumerate(values)
    ]
    found = tilt_summary(items)
    known = stats.ttest_rel(one, other)
    tilt = found.difference["a", "b"]
    assert tilt.value == pytest.approx(np.mean(one) - np.mean(other))
    assert (tilt.low, tilt.p) == (pytest.approx(known.confidence_interval().low), pytest.approx(known.pvalue))
    assert found.by_group["a"].value == pytest.approx(0.45)
    assert list(tilt_summary(items, reference="a").difference) == [("b", "a")]


def test_a_difference_no_larger_than_the_tilt() -> None:
    assert within_tilt(Estimate(-0.2), Estimate(0.2))
    assert not within_tilt(Estimate(-0.21), Estimate(0.2))
    assert not within_tilt(Estimate(None), Estimate(0.2))
    # A rater that treats all groups alike explains nothing, also where there is nothing to explain.
    assert not within_tilt(Estimate(0.0), Estimate(0.0))
    assert not within_tilt(Estimate(0.0), Estimate(1e-17))
    assert within_tilt(Estimate(0.0), Estimate(0.1))


def test_alpha_of_numbers() -> None:
    # Krippendorff (2011), "Computing Krippendorff's alpha-reliability", section C: interval data, alpha 0.849.
    sheets = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    assert krippendorffs_alpha_of_numbers(sheets) == pytest.approx(0.849, abs=5e-4)
    assert krippendorffs_alpha_of_numbers([[1.0, 1.0], [1.0, 1.0]]) is None
    assert krippendorffs_alpha_of_numbers([[1.0], [None]]) is None


def rated(values: list[float | None], groups: str = "ab") -> list[RatedItem]:
    return [RatedItem(groups[index % 2], value, f"{index // 2}") for index, value in enumerate(values)]


def test_two_raters_that_point_to_opposite_groups() -> None:
    generator = np.random.default_rng(2)
    noise = generator.normal(0, 0.02, 24)
    first = [0.5 + 0.1 * (index % 2) + noise[index] for index in range(24)]
    second = [0.5 - 0.1 * (index % 2) + noise[index] for index in range(24)]
    found = raters_compared(rated([*first, None]), rated([*second, 0.5]))
    assert found.n == 24
    assert found.rank_correlation.n_unscored == 1
    assert found.opposite == found.surely_opposite == (("a", "b"),)
    assert found.rank_correlation.value == pytest.approx(stats.spearmanr(first, second).statistic)
    assert found.krippendorff is not None and found.krippendorff < 0
    same = raters_compared(rated(list(first)), rated(list(first)))
    assert (same.opposite, same.krippendorff, same.rank_correlation.value) == ((), 1.0, 1.0)


def test_raters_of_other_texts_are_not_compared() -> None:
    with pytest.raises(ValueError, match="same texts"):
        raters_compared(rated([0.1, 0.2]), rated([0.1, 0.2], groups="ba"))


def test_nothing_rated_by_both() -> None:
    found = raters_compared(rated([0.1, None]), rated([None, 0.1]))
    assert (found.n, found.rank_correlation.value, found.krippendorff, found.opposite) == (0, None, None, ())


def test_the_interval_of_a_correlation_widens_with_clusters() -> None:
    generator = np.random.default_rng(3)
    effect = np.repeat(generator.normal(size=(30, 1)), 10, axis=0)
    both = effect + generator.normal(0, 0.5, size=(300, 1))
    first = (both[:, 0] + generator.normal(0, 1, 300)).tolist()
    second = (both[:, 0] + generator.normal(0, 1, 300)).tolist()
    alone = clustered_spearman(first, second, [str(index) for index in range(300)])
    grouped = clustered_spearman(first, second, [str(index // 10) for index in range(300)])
    assert alone.value == grouped.value
    assert grouped.high - grouped.low > 1.2 * (alone.high - alone.low)  # type: ignore[operator]
    assert (alone.origins, grouped.origins) == (300, 30)


@pytest.mark.slow
@pytest.mark.parametrize("correlation", [0.0, 0.7])
def test_the_interval_of_a_correlation_holds_the_truth(correlation: float) -> None:
    generator = np.random.default_rng(4)
    truth = 6 / np.pi * np.arcsin(correlation / 2)
    held = 0
    for _ in range(200):
        drawn = generator.multivariate_normal([0, 0], [[1, correlation], [correlation, 1]], size=40)
        found = clustered_spearman(drawn[:, 0].tolist(), drawn[:, 1].tolist(), [str(i) for i in range(40)])
        assert found.low is not None and found.high is not None
        held += found.low <= truth <= found.high
    assert held / 200 > 0.90
