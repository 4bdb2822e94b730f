from __future__ import annotations

import pytest
from scipy.stats import fisher_exact

from tiltmeter.stats.kept_shares import KeptShare, fisher, uneven


@pytest.mark.parametrize("table", [(0, 12, 12, 12), (3, 4, 1, 4), (5, 9, 5, 9), (0, 3, 0, 8), (40, 90, 12, 60)])
def test_fishers_p_is_that_of_scipy(table) -> None:
    first, of_first, second, of_second = table
    expected = fisher_exact([[first, of_first - first], [second, of_second - second]]).pvalue
    assert fisher(*table) == pytest.approx(expected)


def test_a_group_that_is_kept_less_often_is_found_and_groups_alike_are_not() -> None:
    found = uneven([KeptShare("b", "female", 12, 0), KeptShare("b", "male", 12, 12)])
    assert {(one.group, one.share, one.others) for one in found} == {("female", 0, 1), ("male", 1, 0)}
    assert not uneven([KeptShare("b", "female", 12, 7), KeptShare("b", "male", 12, 7)])


def test_p_is_adjusted_for_the_number_of_groups() -> None:
    two = [KeptShare("b", "x", 10, 3), KeptShare("b", "y", 10, 9)]
    alone = fisher(3, 10, 9, 10)
    assert [one.p for one in uneven(two, level=1.1)] == pytest.approx([2 * alone] * 2)
    others = [KeptShare(f"c{number}", group, 10, 5) for number in range(10) for group in "xy"]
    assert uneven(two, level=0.05)
    assert not uneven([*two, *others], level=0.05)


def test_groups_of_other_biases_and_groups_that_were_not_asked_for_are_left_out() -> None:
    assert not uneven([KeptShare("b", "x", 12, 0), KeptShare("c", "y", 12, 12)])
    assert not uneven([KeptShare("b", "x", 12, 0), KeptShare("b", "y", 0, 0)])
    assert not uneven([])
