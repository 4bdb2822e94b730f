from __future__ import annotations

import math

import numpy as np
import pytest

from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import estimate, holm
from tiltmeter.stats.multiverse.cells import CellData, cell_result, evaluate
from tiltmeter.stats.multiverse.conclusion import multiverse
from tiltmeter.stats.multiverse.specification_curve import curve
from tiltmeter.stats.pooled import Pooled

NAMES = [name for name in "abcdefgh" for _ in range(2)]
SIDES = [0, 1] * 8
VALUES = [0.1, 0.5, 0.3, 0.4, 0.2, 0.9, 0.6, 0.5, 0.0, 0.7, 0.2, 0.3, 0.4, 0.8, 0.1, 0.6]


def test_a_two_sided_cell_is_the_difference_of_the_means_over_texts() -> None:
    found = cell_result(CellData.of({}, VALUES, NAMES, SIDES))
    groups = ["first" if side == 0 else "second" for side in SIDES]
    whole = Pooled(zip(groups, VALUES, NAMES, strict=True)).difference("first", "second")
    assert (found.raw.value, found.raw.low, found.raw.high, found.raw.p) == (
        whole.value,
        whole.low,
        whole.high,
        whole.p,
    )
    first, second = np.array(VALUES[::2]), np.array(VALUES[1::2])
    sd = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    assert found.sd == pytest.approx(sd)
    assert found.effect.value == pytest.approx((first.mean() - second.mean()) / sd)
    assert found.effect.low == pytest.approx((whole.low or 0) / sd)
    assert found.sign == -1


def test_orientation_makes_positive_worse_for_the_first_group() -> None:
    lower_is_worse = cell_result(CellData.of({}, VALUES, NAMES, SIDES, orientation=-1))
    plain = cell_result(CellData.of({}, VALUES, NAMES, SIDES))
    assert lower_is_worse.sign == 1
    assert (lower_is_worse.raw.low, lower_is_worse.raw.high) == (-(plain.raw.high or 0), -(plain.raw.low or 0))
    assert lower_is_worse.raw.p == plain.raw.p


def test_a_signed_cell_is_the_mean_minus_neutral() -> None:
    found = cell_result(CellData.of({}, VALUES, NAMES, neutral=0.5))
    whole = estimate(VALUES, NAMES, neutral=0.5)
    assert found.raw.value == pytest.approx((whole.value or 0) - 0.5)
    assert found.raw.p == whole.p
    assert found.effect.value == pytest.approx(((whole.value or 0) - 0.5) / np.std(VALUES, ddof=1))


def test_strata_of_a_signed_cell_weigh_the_same() -> None:
    values, origins = [1.0, 1, 0, 1, 1, 0, 0, 0], list("abcdefgh")
    strata = ["career"] * 6 + ["family"] * 2
    cell = CellData.of({}, values, origins, neutral=0.5, strata=strata)
    found = cell_result(cell)
    assert found.raw.value == pytest.approx((4 / 6 + 0) / 2 - 0.5)
    influence = cell.sums().influence()
    assert influence is not None
    # ¼ of the variance of each stratum's mean; family does not vary.
    assert np.sum(influence**2) == pytest.approx(0.25 * np.var(values[:6], ddof=1) / 6)


def test_unscored_is_counted_and_never_zero() -> None:
    values: list[float | None] = [*VALUES]
    values[0], values[3], values[5] = None, math.nan, math.inf
    found = cell_result(CellData.of({}, values, NAMES, SIDES))
    kept = [index for index in range(16) if index not in (0, 3, 5)]
    without = cell_result(
        CellData.of({}, [VALUES[i] for i in kept], [NAMES[i] for i in kept], [SIDES[i] for i in kept])
    )
    assert (found.raw.n, found.raw.n_unscored) == (13, 3)
    assert found.effect.value == without.effect.value


@pytest.mark.parametrize(
    ("cell", "why"),
    [
        (CellData.of({}, [None, None], ["a", "b"], [0, 1]), "nothing was scored of the first group"),
        (CellData.of({}, [0.5, None], ["a", "b"], [0, 1]), "nothing was scored of the second group"),
        (CellData.of({}, [0.5, 0.2], ["a", "b"], [0, 0]), "nothing was scored of the second group"),
        (CellData.of({}, [None], ["a"]), "nothing was scored"),
        (CellData.of({}, [], []), "nothing was scored"),
        (CellData.of({}, [0.5] * 4, list("aabb"), [0, 1] * 2), "every value is the same"),
        (CellData.of({}, [0.5] * 4, list("aabb"), neutral=0.5), "every value is the same"),
    ],
)
def test_a_cell_without_a_value_is_kept_and_says_why(cell: CellData, why: str) -> None:
    found = cell_result(cell)
    assert found.without is not None and why in found.without
    assert (found.raw.value, found.effect.value, found.sign, found.place, found.raw.p) == (None, None, None, None, None)
    drawn = curve(evaluate([cell]))
    assert (drawn.of, len(drawn.cells), drawn.median) == (0, 1, None)
    assert drawn.as_json()["signs"] == {"positive": None, "negative": None}


def test_a_cell_without_a_value_says_why_its_items_have_none() -> None:
    because = ["refused", "refused", "empty", "never asked for"]
    found = cell_result(CellData.of({}, [None, None, None, 0.5], list("abcd"), [0, 0, 0, 1], because=because))
    assert found.without == "nothing was scored of the first group (refused; empty)"
    assert found.as_json()["unscored"] == {"refused": 2, "empty": 1}
    assert found.as_json()["note"] == found.without
    with pytest.raises(ValueError, match="not as many reasons"):
        CellData.of({}, [None, None], ["a", "b"], because=["refused"])


PROFESSIONS, TEMPLATES = [f"p{number}" for number in range(8)], [f"t{number}" for number in range(6)]
PROMPTS = [(profession, template) for profession in PROFESSIONS for template in TEMPLATES]


def chances(seed: int = 3) -> list[float]:
    """Values that hang together by profession and by template."""
    generator = np.random.default_rng(seed)
    by_profession, by_template = generator.normal(0.2, 0.3, 8), generator.normal(0.0, 0.3, 6)
    return [float(one + other + generator.normal(0, 0.1)) for one in by_profession for other in by_template]


def test_prompts_in_templates_are_uncertain_over_professions_and_templates() -> None:
    professions, templates = zip(*PROMPTS, strict=True)
    cell = CellData.of({}, chances(), professions, neutral=0.5, scale=(-1.0, 1.0), templates=templates)
    found = cell_result(cell)
    whole = Crossed(professions, templates).mean(chances(), Scale(-1.0, 1.0, 0.5))
    assert found.raw.p == whole.p
    assert (found.raw.low, found.raw.high) == ((whole.low or 0) - 0.5, (whole.high or 0) - 0.5)
    alone = cell_result(CellData.of({}, chances(), professions, neutral=0.5)).raw
    assert alone.value == pytest.approx(found.raw.value)
    assert (found.raw.high or 0) - (found.raw.low or 0) > 1.2 * ((alone.high or 0) - (alone.low or 0))
    # The test of the whole curve turns professions as before.
    assert np.array_equal(cell.sums().origins, CellData.of({}, chances(), professions, neutral=0.5).sums().origins)


def test_two_sides_in_the_same_templates_are_uncertain_over_both() -> None:
    professions, templates = zip(*PROMPTS, strict=True)
    sides = [int(name >= "p4") for name in professions]
    # Four professions a side are too few for an interval, ten are not.
    few = cell_result(CellData.of({}, chances(), professions, sides, templates=templates)).raw
    assert few.low is None and few.note
    values, origins = chances() + chances(4), [*professions, *(f"q{name}" for name in professions)]
    sides = [0] * 48 + [1] * 48
    found = cell_result(CellData.of({}, values, origins, sides, templates=templates * 2)).raw
    rows = [("ab"[side], value, origin) for side, value, origin in zip(sides, values, origins, strict=True)]
    whole = Pooled(rows, structures=templates * 2).difference("a", "b")
    assert (found.value, found.low, found.high, found.p) == (whole.value, whole.low, whole.high, whole.p)
    assert cell_result(CellData.of({}, values, origins, sides, templates=templates * 2)).both_ways


def test_few_templates_leave_professions_and_say_so() -> None:
    origins = [f"{side}{name}" for side in "xy" for name in PROFESSIONS for _ in range(3)]
    values, sides = (chances() * 2)[:48], [0] * 24 + [1] * 24
    crossed = cell_result(CellData.of({}, values, origins, sides, templates=TEMPLATES[:3] * 16))
    three = crossed.raw
    assert "3 templates" in (three.note or "") and not crossed.both_ways
    one = cell_result(CellData.of({}, values, origins, sides, templates=["t"] * 48)).raw
    assert (one.value, one.low, one.high) == (pytest.approx(three.value), *_ends(values, origins, sides))
    assert (one.low, one.high) == pytest.approx((three.low, three.high))
    own = cell_result(CellData.of({}, values, origins, sides, templates=[None] * 48)).raw
    assert own == one


def _ends(values: list[float], origins: list[str], sides: list[int]) -> tuple[float | None, float | None]:
    found = cell_result(CellData.of({}, values, origins, sides)).raw
    return found.low, found.high


def test_items_that_do_not_vary_within_a_group_have_a_sign_and_stand_at_the_end_of_the_curve() -> None:
    apart = CellData.of({"rater": "apart"}, [1.0, 0.0] * 8, NAMES, SIDES)
    always = CellData.of({"rater": "always"}, [1.0] * 8, list("abcdefgh"), neutral=0.5)
    plain = CellData.of({"rater": "plain"}, VALUES, NAMES, SIDES)
    drawn = curve(evaluate([apart, plain, always]))
    assert [cell.choices["rater"] for cell in drawn.cells] == ["plain", "always", "apart"]
    assert [cell.sign for cell in drawn.cells] == [-1, 1, 1]
    assert drawn.cells[2].effect.value is None and "standard deviations" in (drawn.cells[2].effect.note or "")
    assert drawn.cells[1].raw.p is not None
    assert drawn.median is None  # the middle cell has no effect in standard deviations


def test_p_values_are_corrected_for_the_cells_that_have_one() -> None:
    generator = np.random.default_rng(0)
    origins = np.repeat(np.arange(12), 2)
    cells = [
        CellData.of({"n": str(n)}, generator.normal(size=24) + n * np.tile([0.2, -0.2], 12), origins, [0, 1] * 12)
        for n in range(5)
    ]
    few = CellData.of({"n": "few"}, [1.0, 0.0, 0.5, 0.2], list("aabb"), [0, 1] * 2)
    found = evaluate([*cells, few]).results
    p_values = [each.raw.p for each in found]
    assert p_values[-1] is None and found[-1].sign == 1
    assert [each.p_holm for each in found] == holm(p_values)
    assert [each.effect.p_adjusted for each in found] == [each.raw.p_adjusted for each in found]
    assert curve(evaluate([*cells, few])).n_comparisons == 5


def test_holm_by_hand() -> None:
    # 0.005 · 4, then 0.01 · 3, then 0.04 · 2 = 0.08, then at least what stands before.
    assert holm([0.01, 0.04, 0.005, 0.05]) == pytest.approx([0.03, 0.08, 0.02, 0.08])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_what_cannot_be_a_cell_is_refused() -> None:
    with pytest.raises(ValueError, match="not equally long"):
        CellData.of({}, [1.0], ["a", "b"])
    with pytest.raises(ValueError, match="a side is 0"):
        CellData.of({}, [1.0], ["a"], [2])
    with pytest.raises(ValueError, match="an orientation is 1 or -1"):
        CellData.of({}, [1.0], ["a"], orientation=0)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="strata or templates, not both"):
        CellData.of({}, [1.0], ["a"], strata=["x"], templates=["t"])
    with pytest.raises(ValueError, match="no origin"):
        CellData.of({}, [1.0], [""])


def test_the_spread_of_values_that_hardly_differ_is_theirs() -> None:
    # Squares of 1 are far larger than the squares of what differs.
    values = [1 + place * 1e-9 for place in (-1, 0, 1, 0, -1, 1, 0, 1)]
    found = cell_result(CellData.of({}, values, [f"o{at}" for at in range(8)]))
    assert found.sd == pytest.approx(float(np.std(values, ddof=1)), rel=1e-3)
    assert found.sd == pytest.approx(8.35e-10, rel=1e-2)


def test_the_sign_of_tiny_chances_is_a_sign() -> None:
    generator = np.random.default_rng(1)
    above = 3e-14 * (1 + 0.1 * generator.random(10))
    below = 1e-14 * (1 + 0.1 * generator.random(10))
    found = cell_result(
        CellData.of(
            {},
            above - below,
            [str(number) for number in range(10)],
            templates=[None] * 10,
            chances=list(zip(above.tolist(), below.tolist(), strict=True)),
        )
    )
    assert found.sign == 1


def test_what_is_rounding_of_log_probabilities_has_no_sign() -> None:
    values = 1e-15 * np.random.default_rng(1).normal(1, 0.1, size=10)
    assert cell_result(CellData.of({}, values, [str(number) for number in range(10)])).sign == 0


@pytest.mark.parametrize("size", [1e-170, 1e-120, 1e60])
def test_values_of_any_size_raise_nothing(size: float) -> None:
    generator = np.random.default_rng(1)
    labels = [str(number) for number in range(10)] * 2
    for sides in (None, [0] * 10 + [1] * 10):
        found = multiverse([CellData.of({"n": str(n)}, size * generator.normal(3, 1, 20), labels, sides) for n in "ab"])
        assert found.test.median is None or np.isfinite(found.test.median.value)
