from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.stats.multiverse_worlds import crossed
from tiltmeter.records import Estimate
from tiltmeter.stats.multiverse.cells import CellData, CellResult, Cells
from tiltmeter.stats.multiverse.conclusion import multiverse
from tiltmeter.stats.multiverse.specification_curve import Curve, curve
from tiltmeter.stats.multiverse.verdict import Verdict, describe, verdict
from tiltmeter.stats.multiverse.whole_curve import CurveTest

GRID = [{"decoding": d, "rater": r, "seed": s} for d, r, s in product(("t=0", "t=1"), "abcd", "123456")]


def made(choices: dict[str, str], value: float | None, p: float | None = None) -> CellResult:
    found = Estimate(value, p=p, p_adjusted=p)
    return CellResult(choices, found, found, 1.0, None if value is None else int(np.sign(value)), p)


def drawn(values: list[float | None], p_values: list[float] | None = None) -> Curve:
    p_values = p_values or [0.001] * len(values)
    return curve(Cells((), tuple(map(made, GRID, values, p_values)), ()))


def judged(of: Curve, p: float | None) -> Verdict:
    test = CurveTest(None, None, None, p, 1_999, of.of, 50, 0, None if p is not None else "no test: too few")
    return verdict(of, test)


def test_the_two_that_differ_are_described() -> None:
    values: list[float | None] = [0.3] * 48
    for place, choices in enumerate(GRID):
        if choices["decoding"] == "t=0" and choices["rater"] == "a" and choices["seed"] in "12":
            values[place] = -0.1
    found = judged(drawn(values, [0.001 if value == 0.3 else 0.5 for value in values]), 0.0005)
    assert (found.strength, found.holds, found.of, found.exceptions, found.described) == ("holds", 46, 48, 2, ())
    only = [0.3 if (choices["rater"], choices["seed"]) != ("b", "3") else -0.1 for choices in GRID]
    found = judged(drawn([*only], [0.5] * 48), 0.0005)
    assert (found.holds, found.described) == (46, ({"rater": "b", "seed": "3"},))


def test_a_method_without_any_difference_is_a_tie_and_no_exception() -> None:
    found = judged(drawn([0.0, -0.1, *[0.3] * 46], [0.5] * 48), 0.001)
    assert (found.strength, found.holds, found.exceptions, found.ties) == ("holds", 46, 1, 1)
    none = judged(drawn([0.0] * 4, [0.5] * 4), 0.5)
    assert (none.direction, none.exceptions, none.ties) == (None, 0, 4)


def test_what_holds_needs_ninety_per_cent_and_nobody_significant_on_the_other_side() -> None:
    for exceptions, strength in ((4, "holds"), (5, "depends on the method")):
        values = [-0.1] * exceptions + [0.3] * (48 - exceptions)
        assert judged(drawn([*values], [0.5] * 48), 0.001).strength == strength
    opposed = judged(drawn([-0.3, *[0.3] * 47]), 0.001)
    assert (opposed.strength, opposed.opposed) == ("depends on the method", 1)


def test_what_holds_needs_the_test() -> None:
    assert judged(drawn([0.3] * 48, [0.5] * 48), 0.05).strength == "inconclusive"
    alone = judged(drawn([0.3] * 48, [0.01] + [0.5] * 47), 0.05)
    assert (alone.strength, alone.p) == ("inconclusive", 0.05)
    none = judged(drawn([0.3] * 48), None)
    assert (none.strength, none.reason) == ("too little data", "no test: too few")


def test_cells_without_a_value_do_not_hold() -> None:
    few = judged(drawn([None] * 4 + [0.3] * 44), 0.001)
    assert (few.strength, few.of, few.without) == ("holds", 44, 4)
    many = judged(drawn([None] * 6 + [0.3] * 42), 0.001)
    assert many.strength == "too little data" and "6 of 48" in many.reason


def test_one_cell_says_nothing_of_other_choices() -> None:
    (cell,) = crossed(1, 2.0)[:1]
    found = multiverse([cell])
    assert found.test.p is not None and found.test.p < 0.05
    assert found.verdict.strength == "too little data"
    assert found.verdict.of == 1 and found.verdict.reason
    assert found.decomposition.notes == ("nothing to decompose: no choice varies between cells",)
    assert found.flips == ()


def test_nothing_at_all() -> None:
    for cells in ([], [CellData.of({"a": "1"}, [None], ["x"]), CellData.of({"a": "2"}, [], [])]):
        found = multiverse(cells)
        assert (found.verdict.strength, found.verdict.direction, found.verdict.holds) == ("too little data", None, 0)
        assert found.verdict.reason


def test_an_even_split_has_no_direction_where_the_median_has_none() -> None:
    found = judged(drawn([0.3, 0.2, -0.2, -0.3]), 0.3)
    assert (found.direction, found.holds, found.exceptions, found.strength) == (None, 0, 0, "depends on the method")


@pytest.mark.parametrize(
    ("exceptions", "others", "described"),
    [
        ([{"a": "1", "b": "x"}], [{"a": "2", "b": "x"}, {"a": "2", "b": "y"}], ({"a": "1"},)),
        ([{"a": "1", "b": "x"}], [{"a": "1", "b": "y"}, {"a": "2", "b": "x"}], ({"a": "1", "b": "x"},)),
        ([{"a": "1", "b": "x"}], [{"a": "2", "b": "y"}], ({"a": "1"}, {"b": "x"})),
        ([{"a": "1"}, {"a": "2"}], [{"a": "3"}], ()),
        ([{"a": "1"}], [{"a": "1", "b": "x"}], ({"b": "–"},)),
        ([], [{"a": "1"}], ()),
        ([{"a": "1"}], [], ()),
    ],
)
def test_exceptions_are_described_by_the_smallest_conjunction(
    exceptions: list[dict[str, str]], others: list[dict[str, str]], described: tuple[dict[str, str], ...]
) -> None:
    found = describe([made(each, -1.0) for each in exceptions], [made(each, 1.0) for each in others])
    assert found == described


def test_settings_that_cover_the_same_cells_are_both_named() -> None:
    cells = [{"a": "1", "b": "x"}, {"a": "2", "b": "y"}, {"a": "3", "b": "y"}]
    results = tuple(made(each, value, 0.5) for each, value in zip(cells, (-0.1, 0.2, 0.3), strict=True))
    found = judged(curve(Cells((), results, ())), 0.5)
    assert found.as_json()["described"] == [{"a": "1"}, {"b": "x"}]
