"""What the choices do: the decomposition, and the flips."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from tests.stats.multiverse_worlds import crossed, signed
from tiltmeter.records import Estimate
from tiltmeter.stats.multiverse.aggregation import over_origins
from tiltmeter.stats.multiverse.cells import CellData, CellResult, evaluate
from tiltmeter.stats.multiverse.decomposition import analysis_of_variance, covariance, decompose
from tiltmeter.stats.multiverse.flips import flips


def cube() -> tuple[list[dict[str, str]], np.ndarray]:
    settings = [{"a": a, "b": b, "c": c} for a, b, c in product("01", "012", "01")]
    effects = np.array(
        [
            2.0 * int(each["a"])
            + int(each["b"])
            + 0.5 * int(each["a"]) * int(each["c"])
            + int(each["a"]) * int(each["b"]) * int(each["c"])
            for each in settings
        ]
    )
    return settings, effects


def test_balanced_sums_of_squares_are_those_of_means() -> None:
    settings, effects = cube()
    found = analysis_of_variance(settings, effects)
    whole = float(np.sum((effects - effects.mean()) ** 2))
    for part in found.main:
        levels = np.array([each[part.choices[0]] for each in settings])
        means = np.array([effects[levels == level].mean() for level in levels])
        assert part.squares == pytest.approx(float(np.sum((means - effects.mean()) ** 2)))
    assert found.rest is not None
    parts = [*found.main, *found.interactions, found.rest]
    assert sum(part.squares for part in parts) == pytest.approx(whole)
    assert found.balanced and not found.notes
    assert found.sampling is None  # nothing is known of it


def test_missing_cells_are_averaged_over_orders() -> None:
    settings, effects = cube()
    found = analysis_of_variance(settings[:-2], effects[:-2])
    assert not found.balanced and "average over orders" in found.notes[0]
    assert found.rest is not None
    parts = [*found.main, *found.interactions, found.rest]
    assert sum(part.squares for part in parts) == pytest.approx(found.total)
    # By hand for two choices: half the sum of squares alone, half that after the other.
    two = [{"a": "0", "b": "0"}, {"a": "0", "b": "1"}, {"a": "1", "b": "1"}]
    values = np.array([0.0, 1.0, 3.0])
    alone = 2 / 3 * (3 - 0.5) ** 2
    both = float(np.sum((values - values.mean()) ** 2))
    other = 2 / 3 * (0 - 2.0) ** 2
    squares = {part.choices: part.squares for part in analysis_of_variance(two, values).main}
    assert squares == {
        ("a",): pytest.approx((alone + both - other) / 2),
        ("b",): pytest.approx((other + both - alone) / 2),
    }


def test_many_choices_are_averaged_over_some_orders() -> None:
    generator = np.random.default_rng(0)
    settings = [dict(zip("abcdef", setting, strict=True)) for setting in product("01", repeat=6)][:-9]
    effects = np.array([3.0 * int(each["c"]) for each in settings]) + generator.normal(0, 0.1, len(settings))
    found = analysis_of_variance(settings, effects)
    assert found.main[0].choices == ("c",) and found.main[0].share > 0.95
    assert found == analysis_of_variance(settings, effects)


def test_choices_that_change_together_share_alike() -> None:
    settings = [{"a": a, "b": a, "c": c} for a, c in product("01", "01")]
    found = analysis_of_variance(settings, np.array([0.0, 0.1, 2.0, 2.1]))
    by_choice = {part.choices: part.squares for part in found.main}
    assert by_choice["a",] == pytest.approx(by_choice["b",]) == pytest.approx(2.0)
    assert any("a and b always change together" in note for note in found.notes)


def test_one_choice_that_varies_is_said_to() -> None:
    found = analysis_of_variance([{"a": level, "b": "x"} for level in "012"], np.array([0.0, 1.0, 5.0]))
    assert found.fixed == ("b",) and found.notes == ("only a varies: what is not sampling noise is put down to it",)
    assert found.main[0].share == pytest.approx(1.0) and not found.interactions and found.rest is None


@pytest.mark.parametrize(
    ("settings", "effects", "why"),
    [
        ([{"a": "1"}], [0.3], "no choice varies between cells"),
        ([], [], "no choice varies between cells"),
        ([{"a": "1"}, {"a": "2"}], [0.3, 0.3], "all cells have the same effect"),
    ],
)
def test_nothing_to_decompose(settings: list[dict[str, str]], effects: list[float], why: str) -> None:
    found = analysis_of_variance(settings, np.array(effects))
    assert found.main == () and found.notes == (f"nothing to decompose: {why}",)


def test_sampling_noise_is_taken_off_and_no_share_is_negative() -> None:
    shares, sampling = [], []
    for seed in range(30):
        found = decompose(evaluate(crossed(seed, noise=1.0, origins=18)))
        assert found.rest is not None and found.sampling is not None
        parts = [*found.main, *found.interactions, found.rest]
        assert all(part.share >= 0 for part in parts)
        assert sum(part.share for part in parts) + found.sampling == pytest.approx(1)
        shares.append([sum(part.squares for part in parts), sum(part.noise for part in parts)])
        sampling.append(found.sampling)
    squares, noise = np.mean(shares, axis=0)
    # Nothing was planted: on average the whole spread is noise, and the covariance of the cells says so.
    assert noise == pytest.approx(squares, rel=0.25)
    assert np.mean(sampling) > 0.6


def test_the_covariance_of_cells_knows_what_they_share() -> None:
    cells = evaluate(crossed(1, noise=0.02))
    found = covariance(cells, [0, 1, 6])
    assert found is not None
    correlation = found / np.sqrt(np.outer(np.diag(found), np.diag(found)))
    assert correlation[0, 1] > 0.98  # the same texts, all but the same ratings
    assert correlation[0, 2] == 0.0  # other origins
    half = (cells.results[0].effect.high or 0) - (cells.results[0].effect.value or 0)
    assert np.sqrt(found[0, 0]) == pytest.approx(half / 2.07, rel=0.1)


def test_cells_without_an_effect_are_left_out_and_said_to_be() -> None:
    cells = [*crossed(1), CellData.of({"source": "none"}, [None], ["x"])]
    found = decompose(evaluate(cells))
    assert found.cells == 12 and found.notes[0] == "1 of 13 cells have no effect and are left out"
    mixed = decompose(evaluate([*crossed(1), *signed(1)]))
    assert any("different spreads" in note for note in mixed.notes)
    lone = CellData.of({"source": "lone"}, [1.0, 2.0, 1.0, 3.0], ["x"] * 4, [0, 1] * 2)
    assert decompose(evaluate([*crossed(1), lone])).sampling is None


def result(choices: dict[str, str], value: float, p: float | None = None) -> CellResult:
    found = Estimate(value, p=p, p_adjusted=p)
    return CellResult(choices, found, found, 1.0, int(np.sign(value)))


def test_flips_worked_by_hand() -> None:
    found = flips(
        [
            result({"a": "1", "b": "x"}, 0.5, 0.01),
            result({"a": "2", "b": "x"}, -0.5, 0.01),
            result({"a": "3", "b": "x"}, 0.2, 0.4),
            result({"a": "1", "b": "y"}, 0.4, 0.01),
            result({"a": "2", "b": "y"}, 0.1, 0.6),
        ]
    )
    by_setting = {(each.choice, each.setting): each for each in found}
    # With x: 1–2, 1–3 and 2–3; with y: 1–2.
    whole = by_setting["a", None]
    assert (whole.of, whole.sign, whole.conclusion, whole.reversed) == (4, 2, 4, 1)
    to_two = by_setting["a", "2"]
    assert (to_two.of, to_two.sign, to_two.conclusion, to_two.reversed) == (3, 2, 3, 1)
    assert (by_setting["a", "3"].of, by_setting["a", "3"].sign) == (2, 1)
    b = by_setting["b", None]
    assert (b.of, b.sign, b.conclusion) == (2, 1, 1)
    assert ("b", "x") not in by_setting  # with two settings the whole says it all
    assert found[0] == to_two and to_two.as_json()["sign_share"] == pytest.approx(2 / 3)


def test_no_difference_at_all_reverses_no_sign() -> None:
    found = flips([result({"a": "1"}, 0.0), result({"a": "2"}, 0.5), result({"a": "3"}, -0.5)])
    by_setting = {each.setting: each for each in found}
    assert (by_setting[None].of, by_setting[None].sign) == (3, 1)
    assert [by_setting[setting].sign for setting in "123"] == [0, 1, 1]


def test_cells_that_have_no_counterpart_are_not_compared() -> None:
    assert flips([result({"a": "1", "b": "x"}, 0.5), result({"a": "2", "b": "y"}, -0.5)]) == ()
    assert flips([]) == ()


def test_origins_that_count_alike_have_no_templates_left() -> None:
    cell = CellData.of({}, [1.0, 0.0, 1.0, 0.5], list("xxyy"), [0, 1, 0, 1], templates=["t", None, "u", "t"])
    made = over_origins(cell)
    assert (made.templates, len(made.values)) == (None, 4)
