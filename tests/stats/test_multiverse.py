from __future__ import annotations

import json
import math

import numpy as np
import pytest

from tests.stats.multiverse_worlds import crossed, signed, turned
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.multiverse.conclusion import multiverse

ORIGINS = list("abcdef")
FOUR = [
    CellData.of({"source": "A", "rater": "x"}, [1, 1, 1, 3, 3, 3], ORIGINS),
    CellData.of({"source": "A", "rater": "y"}, [0, 0, 0, 2, 2, 2], ORIGINS),
    CellData.of({"source": "B", "rater": "x"}, [1, 2, 1, 2, 1, 2], ORIGINS),
    CellData.of({"source": "B", "rater": "y"}, [-1, -1, -1, 1, -1, -1], ORIGINS),
]


def test_four_cells_worked_by_hand() -> None:
    found = multiverse(FOUR)
    # Means 2, 1, 1½ and −⅔ over standard deviations √(6/5), √(6/5), √(3/10) and √(2/3).
    effects = [2 / math.sqrt(1.2), 1 / math.sqrt(1.2), 1.5 / math.sqrt(0.3), -math.sqrt(2 / 3)]
    assert [cell.effect.value for cell in found.curve.cells] == pytest.approx(sorted(effects))
    assert found.curve.median == pytest.approx((effects[0] + effects[1]) / 2)
    assert (found.curve.signs.positive, found.curve.signs.negative, found.curve.of) == (3, 1, 4)
    assert (found.verdict.holds, found.verdict.of, found.verdict.exceptions) == (3, 4, 1)
    assert found.verdict.described == ({"rater": "y", "source": "B"},)
    # Only the change from x to y within B, and from A to B with y, crosses zero.
    assert {(each.choice, each.sign, each.of) for each in found.flips} == {("rater", 1, 2), ("source", 1, 2)}
    # Row and column means of the 2 × 2 table: the sums of squares add up to the whole.
    table = np.array(effects).reshape(2, 2)
    by_source, by_rater = (2 * np.sum((table.mean(axis=axis) - table.mean()) ** 2) for axis in (1, 0))
    whole = np.sum((table - table.mean()) ** 2)
    squares = {part.choices: part.squares for part in found.decomposition.main}
    assert squares == {("source",): pytest.approx(by_source), ("rater",): pytest.approx(by_rater)}
    (together,) = found.decomposition.interactions
    assert together.squares == pytest.approx(whole - by_source - by_rater)
    assert found.decomposition.total == pytest.approx(whole)


def test_an_effect_planted_in_all_cells_holds() -> None:
    found = multiverse(crossed(1, 1.0), groups=("women", "men"))
    assert found.curve.signs.positive == 12
    assert found.test.p is not None and found.test.p < 0.01
    assert found.verdict.strength == "holds"
    assert (found.verdict.holds, found.curve.significant.positive, found.verdict.p) == (12, 12, found.test.p)


def test_an_effect_the_other_way_is_worse_for_the_second_group() -> None:
    found = multiverse(crossed(1, -1.0), groups=("women", "men"))
    assert (found.curve.signs.negative, found.verdict.direction) == (12, "second")


def test_an_effect_that_one_choice_turns_round_depends_on_it_and_the_choice_is_blamed() -> None:
    found = multiverse(crossed(2, {"t=0": 1.0, "t=1": -1.0}))
    assert (found.curve.signs.positive, found.curve.signs.negative) == (6, 6)
    assert found.verdict.strength == "depends on the method"
    assert found.decomposition.main[0].choices == ("decoding",)
    assert found.decomposition.main[0].share > 0.9
    first = found.flips[0]
    assert (first.choice, first.setting, first.sign, first.of, first.reversed) == ("decoding", None, 6, 6, 6)
    assert all(each.sign == 0 for each in found.flips if each.choice != "decoding")


def test_an_effect_in_half_the_cells_is_put_down_to_the_choice() -> None:
    found = multiverse(crossed(3, {"t=0": 1.2}))
    by_choice = {part.choices: part.share for part in found.decomposition.main}
    assert by_choice["decoding",] > 0.6 and by_choice["decoding",] > 4 * by_choice["rater",]
    changed = {each.choice: each.conclusion / each.of for each in found.flips if each.setting is None}
    assert changed["decoding"] == max(changed.values()) > 0.5


def test_nothing_planted_is_no_evidence() -> None:
    found = multiverse(crossed(5))
    assert found.verdict.strength == "inconclusive"


def test_exchanging_the_groups_turns_every_sign_and_leaves_every_p() -> None:
    for cells in (crossed(4, 0.3), crossed(4, 0.3, nested=True), signed(4, 0.3)):
        one, other = multiverse(cells), multiverse([turned(cell) for cell in cells])
        mirrored = {tuple(cell.choices.items()): cell for cell in other.curve.cells}
        for here in one.curve.cells:
            there = mirrored[tuple(here.choices.items())]
            assert here.sign == -(there.sign or 0)
            assert here.effect.value == pytest.approx(-(there.effect.value or 0), rel=1e-9)
            assert here.raw.low == pytest.approx(-(there.raw.high or 0), rel=1e-9)
            assert here.raw.p == pytest.approx(there.raw.p)
        assert one.test == other.test
        assert one.decomposition.total == pytest.approx(other.decomposition.total)
        assert {one.verdict.direction, other.verdict.direction} == {"first", "second"}
        assert one.verdict.strength == other.verdict.strength


def test_turning_the_orientation_is_exchanging_the_groups() -> None:
    cells = crossed(4, 0.3)
    down = [CellData.of(cell.choices, cell.values, cell.origins, cell.sides, orientation=1) for cell in cells]
    assert multiverse(down).as_json() == multiverse([turned(cell) for cell in cells]).as_json()


def test_the_order_of_rows_and_cells_does_not_matter() -> None:
    generator = np.random.default_rng(0)
    for cells in (crossed(6, 0.2, nested=True), signed(6, 0.2)):
        shuffled = []
        for cell in reversed(cells):
            order = generator.permutation(len(cell.values))
            sides = None if cell.sides is None else cell.sides[order]
            shuffled.append(
                CellData.of(
                    cell.choices,
                    cell.values[order],
                    cell.origins[order],
                    sides,
                    orientation=cell.orientation,
                    neutral=cell.neutral,
                )
            )
        assert multiverse(cells).as_json() == multiverse(shuffled).as_json()


def test_other_names_for_origins_change_no_figure_but_the_draws_of_the_test() -> None:
    cells = crossed(7, 0.4)
    renamed = [
        CellData.of(
            cell.choices, cell.values, [name[::-1] for name in cell.origins], cell.sides, orientation=cell.orientation
        )
        for cell in cells
    ]
    one, other = multiverse(cells), multiverse(renamed)
    values = [[cell.effect.value for cell in each.curve.cells] for each in (one, other)]
    assert values[0] == pytest.approx(values[1])
    assert one.test.p == pytest.approx(other.test.p, abs=0.03)


def test_json_has_no_number_that_json_has_not() -> None:
    cells = [
        *crossed(8, 0.4),
        CellData.of({"source": "all the same"}, [1.0] * 8, list("aabbccdd"), [0, 1] * 4),
        CellData.of({"source": "apart"}, [1.0, 0.0] * 8, list("aabbccddeeffgghh"), [0, 1] * 8),
    ]
    json.dumps(multiverse(cells).as_json(), allow_nan=False)


def test_what_cannot_be_a_multiverse_is_refused() -> None:
    with pytest.raises(ValueError, match="two cells have the same choices"):
        multiverse([FOUR[0], FOUR[0]])
    with pytest.raises(ValueError, match="both groups are called men"):
        multiverse(FOUR, groups=("men", "men"))
