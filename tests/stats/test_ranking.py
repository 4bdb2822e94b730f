"""The order of several models: what is shown of it, and which places that leaves."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from scipy import stats

from tiltmeter.records import Estimate
from tiltmeter.stats.comparing.ranking import Item, Ranking, rank_models
from tiltmeter.stats.estimates import estimate

HIGH = (5.0, 6.0, 7.0, 6.0, 5.0, 8.0, 6.0, 7.0)
MIDDLE = (4.0, 3.0, 5.0, 2.0, 4.0, 5.0, 2.0, 5.0)
LOW = (3.0, 4.0, 3.0, 2.0, 5.0, 3.0, 1.0, 3.0)


def order(*columns: Sequence[float], sets: Sequence[str] | None = None) -> Ranking:
    """Models a, b, … over origins 0, 1, …, one item each."""
    origins = [str(number) for number in range(len(columns[0]))]

    def minus(gaps: Sequence[float]) -> Estimate:
        return estimate(gaps, origins, strata=sets, neutral=0.0)

    values = {
        name: estimate(columns[at], origins, strata=sets).value or 0.0 for at, name in enumerate("abcd"[: len(columns)])
    }
    return rank_models(values, [Item(*one) for one in zip(origins, zip(*columns, strict=True), strict=True)], minus)


def ranges(found: Ranking) -> list[tuple[int | None, int | None, int | None]]:
    return [(one.place, one.low, one.high) for one in found.standings]


def test_an_order_worked_out_by_hand() -> None:
    """Student's t of the gaps on 8 origins; the smallest p counts three times, the next twice, the largest once."""
    found = order(MIDDLE, HIGH, LOW)
    gaps = [
        [one - other for one, other in zip(*pair, strict=True)] for pair in ((MIDDLE, HIGH), (MIDDLE, LOW), (HIGH, LOW))
    ]
    by_hand = [float(stats.ttest_1samp(each, 0.0).pvalue) for each in gaps]
    assert [one.p for one in found.differences] == pytest.approx(by_hand)
    assert by_hand[0] < by_hand[2] < 0.05 / 2 and by_hand[1] > 0.05
    assert [one.p_holm for one in found.differences] == pytest.approx([3 * by_hand[0], by_hand[1], 2 * by_hand[2]])
    assert [one.value for one in found.differences] == [-2.5, 0.75, 3.25]
    assert [(one.one + one.other, one.origins, one.is_significant) for one in found.differences] == [
        ("ab", 8, True), ("ac", 7, False), ("bc", 7, True)
    ]  # fmt: skip
    assert ranges(found) == [(2, 2, 3), (1, 1, 1), (3, 2, 3)]
    assert [one.above for one in found.standings] == [(), ("a", "c"), ()]
    assert [one.below for one in found.standings] == [("b",), (), ("b",)]
    assert found.note is None


def test_more_models_need_more_evidence() -> None:
    gap = (1.0, 2.0, -1.0, 3.0, 2.0, 1.0, 0.5, 2.5)
    two = order(gap, [0.0] * 8)
    assert 0.05 / 3 < two.differences[0].p < 0.05 and two.differences[0].is_significant
    assert not order(gap, [0.0] * 8, [0.1, -0.1] * 4).differences[0].is_significant


def test_what_is_above_a_model_is_above_all_below_it() -> None:
    """The gap between the first and the last has no spread at all on six origins, which alone shows little."""
    first, last = (2.0, 2.1, 1.9, 2.0, 2.1, 1.9), (-2.0, -1.9, -2.1, -2.0, -1.9, -2.1)
    found = order(first, (0.0,) * 6, (0.1, -0.1, 0.2, -0.2, 0.0, 0.1), last)
    apart = {one.one + one.other: one.is_significant for one in found.differences}
    assert apart == {"ab": True, "ac": True, "ad": False, "bc": False, "bd": True, "cd": True}
    assert ranges(found) == [(1, 1, 1), (3, 2, 3), (2, 2, 3), (4, 4, 4)]
    assert found.standings[0].above == ("c", "b", "d")


def test_equal_models_share_the_better_place_and_the_note_names_them() -> None:
    found = order(HIGH, HIGH, LOW)
    assert ranges(found) == [(1, 1, 2), (1, 1, 2), (3, 3, 3)]
    assert (found.differences[0].origins, found.differences[0].p_holm) == (0, 1.0)
    assert found.note is not None and "a and b" in found.note


@pytest.mark.parametrize("differing", [1, 3, 5])
def test_a_few_origins_that_differ_show_no_order_however_many_agree(differing: int) -> None:
    found = order([1.0] * differing + [0.0] * (40 - differing), [0.0] * 40)
    assert ranges(found) == [(1, 1, 2), (2, 1, 2)]
    assert found.differences[0].p >= 2.0 ** (1 - differing) > 0.05
    assert found.note is not None and "a and b" in found.note


@pytest.mark.parametrize(("origins", "models", "shown"), [(5, 2, 0), (6, 2, 1), (6, 3, 0), (7, 3, 3)])
def test_a_gap_without_spread_is_as_likely_as_so_many_origins_on_one_side(
    origins: int, models: int, shown: int
) -> None:
    found = order(*([float(model)] * origins for model in range(models)))
    assert {one.p for one in found.differences} == {2.0 ** (1 - origins)}
    assert sum(one.is_significant for one in found.differences) == shown


def test_gaps_that_cancel_in_every_origin_are_none() -> None:
    items = [Item(str(at // 2), (float(at % 2), 1.0 - at % 2)) for at in range(20)]
    found = rank_models(
        {"a": 0.5, "b": 0.5}, items, lambda gaps: estimate(gaps, [item.origin for item in items], neutral=0.0)
    )
    assert (found.differences[0].p, found.differences[0].is_significant) == (1.0, False)


def test_too_few_origins_have_no_places() -> None:
    found = order((1.0, 2.0, 3.0, 4.0), (0.0, 0.0, 1.0, 0.0))
    assert ranges(found) == [(None, None, None)] * 2
    assert (found.differences, found.note) == ((), "fewer than 5 origins")
    alone = order(HIGH, LOW, sets=["x", *["y"] * 7])
    assert alone.standings[0].place is None and alone.note is not None


def test_strata_count_alike_whatever_their_size() -> None:
    sets = ["x"] * 2 + ["y"] * 6
    found = order((9.0, 9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0), (1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0), sets=sets)
    assert [one.place for one in found.standings] == [1, 2]
    assert found.differences[0].value == 3.5
    # Without any spread within a set, and with sets that go apart, nothing is shown.
    assert (found.differences[0].p, found.differences[0].is_significant) == (1.0, False)
