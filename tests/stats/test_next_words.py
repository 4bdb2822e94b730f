"""Figures of two groups over prompts: by hand, against scipy, and planted."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from tiltmeter.stats.crossed import Crossed, Scale
from tiltmeter.stats.labour import against_world
from tiltmeter.stats.next_words import BINS, Place, Values, distances, means

DIFFERENCE = Scale(0.0)


def grid(rows: int, columns: int) -> list[Place]:
    return [Place(f"p{row}", f"t{column}") for row in range(rows) for column in range(columns)]


def crossed(rows: int, columns: int, *, seed: int, row_sd: float = 1.0, column_sd: float = 1.0) -> np.ndarray:
    generator = np.random.default_rng(seed)
    effects = generator.normal(0, row_sd, (rows, 1)) + generator.normal(0, column_sd, (1, columns))
    return (effects + generator.normal(0, 1, (rows, columns))).ravel()


def test_distances_agree_with_scipy_and_with_formulas() -> None:
    from scipy.stats import wasserstein_distance

    generator = np.random.default_rng(1)
    a, b = generator.beta(2, 5, 60), generator.beta(2, 8, 60)
    found = distances(grid(12, 5), list(zip(a.tolist(), b.tolist(), strict=True)))
    assert found["emd"].value == pytest.approx(wasserstein_distance(a, b))
    assert found["ratio_of_means"].value == pytest.approx(a.mean() / b.mean())
    p, q = a / a.sum(), b / b.sum()
    assert found["kl_vectors"].value == pytest.approx(float(np.sum(p * np.log(p / q))))
    top = max(a.max(), b.max())
    one, other = (np.histogram(values, BINS, (0, top))[0] + 0.5 for values in (a, b))
    one, other = one / one.sum(), other / other.sum()
    assert found["kl_histograms"].value == pytest.approx(float(np.sum(one * np.log(one / other))))
    for name in ("emd", "kl_vectors", "kl_histograms", "ratio_of_means"):
        assert found[name].low <= found[name].value <= found[name].high


def test_a_zero_chance_leaves_the_divergence_of_vectors_open() -> None:
    found = distances(grid(6, 5), [(0.1, 0.0)] * 30)
    assert found["kl_vectors"].value is None
    assert found["ratio_of_means"].note == "no ratio: one of the means is zero"


def test_the_order_of_prompts_and_the_names_of_groups_do_not_matter() -> None:
    places, values = grid(25, 22), crossed(25, 22, seed=3).tolist()
    shuffled = list(zip(places, values, strict=True))
    random.Random(1).shuffle(shuffled)
    one = means(places, {"difference": Values(values, DIFFERENCE)})["difference"]
    other = means([place for place, _ in shuffled], {"difference": Values([v for _, v in shuffled], DIFFERENCE)})
    turned = means(places, {"difference": Values([-value for value in values], DIFFERENCE)})["difference"]
    found = other["difference"]
    assert (found.value, found.low, found.high) == pytest.approx((one.value, one.low, one.high), abs=1e-12)
    assert (turned.low, turned.high, turned.p) == pytest.approx((-one.high, -one.low, one.p))


def test_a_single_template_is_resampled_over_professions_alone_and_so_are_natural_sentences() -> None:
    values = crossed(30, 1, seed=5).tolist()
    same = Crossed([f"p{at}" for at in range(30)], ["t"] * 30)
    own = Crossed([f"p{at}" for at in range(30)], [f"sentence {at}" for at in range(30)])
    none = Crossed([f"p{at}" for at in range(30)], [None] * 30)
    assert same.resampled_over == own.resampled_over == none.resampled_over == {"profession": 30}
    assert same.mean(values, DIFFERENCE) == own.mean(values, DIFFERENCE) == none.mean(values, DIFFERENCE)
    from tiltmeter.stats.estimates import estimate

    # One prompt for each profession: the ordinary cluster bootstrap, up to its own draws.
    ordinary = estimate(values, [f"p{at}" for at in range(30)], neutral=0.0)
    found = own.mean(values, DIFFERENCE)
    assert (found.low, found.high) == pytest.approx((ordinary.low, ordinary.high), abs=0.05)


@pytest.mark.parametrize(("rows", "columns", "what"), [(4, 30, "professions"), (30, 3, "templates")])
def test_fewer_than_five_of_either_have_no_interval(rows: int, columns: int, what: str) -> None:
    found = Crossed(*zip(*((p.profession, p.template) for p in grid(rows, columns)), strict=True)).mean(
        crossed(rows, columns, seed=1).tolist()
    )
    assert (found.low, found.note) == (None, f"no interval: fewer than 5 {what}")


def test_unscored_prompts_are_counted_and_nothing_else() -> None:
    places = grid(6, 6)
    values = [None if at % 5 == 0 else 1.0 + at / 100 for at in range(36)]
    found = means(places, {"x": Values(values, DIFFERENCE)})["x"]
    assert (found.n, found.n_unscored, found.origins) == (28, 8, 6)
    assert found.value == pytest.approx(sum(v for v in values if v is not None) / 28)
    assert means(places, {"x": Values([None] * 36, DIFFERENCE)})["x"].note == "nothing was scored"
    assert means(places, {"x": Values([0.5] * 36, DIFFERENCE)})["x"].note.startswith("no interval: there is no spread")


def test_t_has_the_two_way_clustered_error_worked_out_by_hand() -> None:
    from scipy.stats import t

    rows, columns = 6, 5
    values = crossed(rows, columns, seed=9)
    found = means(grid(rows, columns), {"x": Values(values.tolist(), DIFFERENCE)})["x"]
    table = values.reshape(rows, columns) - values.mean()
    by_row = np.sum(table.sum(1) ** 2) * rows / (rows - 1)
    by_column = np.sum(table.sum(0) ** 2) * columns / (columns - 1)
    cells = np.sum(table**2) * 30 / 29
    error = math.sqrt(max(by_row + by_column - cells, by_row, by_column)) / 30
    assert found.high - found.value == pytest.approx(t.ppf(0.975, 4) * error)


def test_swapping_finds_a_lean_and_none_where_there_is_none() -> None:
    generator = np.random.default_rng(4)
    places = grid(30, 8)
    chance = generator.beta(2, 6, 240)
    noise = generator.normal(0, 0.05, 240)
    leaning = list(zip(np.clip(chance + 0.1, 0.001, 1).tolist(), np.clip(chance, 0.001, 1).tolist(), strict=True))
    even = list(
        zip(np.clip(chance + noise, 0.001, 1).tolist(), np.clip(chance - noise, 0.001, 1).tolist(), strict=True)
    )
    assert distances(places, leaning)["emd"].p < 0.02
    assert distances(places, even)["emd"].p > 0.05


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns", "floor"), [(40, 17, 0.91), (30, 25, 0.92), (40, 1, 0.91), (8, 8, 0.90)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(rows: int, columns: int, floor: float) -> None:
    places, rounds = grid(rows, columns), 300
    held = 0
    for seed in range(rounds):
        # One template is what the study asks about, not a sample of templates.
        values = crossed(rows, columns, seed=seed, column_sd=float(columns > 1)).tolist()
        found = means(places, {"x": Values(values, DIFFERENCE)}, seed=seed)["x"]
        held += found.low <= 0 <= found.high
    assert floor <= held / rounds <= 0.995


def test_the_world_is_compared_profession_by_profession() -> None:
    world = [at / 20 for at in range(21)]
    model = [0.2 + 0.5 * share for share in world]
    found = against_world(model, world)
    assert found.slope.value == pytest.approx(0.5)
    assert found.intercept == pytest.approx(0.2)
    assert found.above.value == pytest.approx(0.2 - 0.5 * 0.5)
    assert found.spearman.value == 1.0
    noisy = [value + (0.05 if at % 2 else -0.05) for at, value in enumerate(model)]
    found = against_world([*noisy, None, 0.4], [*world, 0.3, None])
    assert found.pearson.low < found.pearson.value < found.pearson.high
    assert found.slope.low < 0.5 < found.slope.high
    assert found.slope.n_unscored == 2
    few = against_world([0.1, 0.2], [0.1, None])
    assert few.slope.value is None
    assert few.pearson.note == "no correlation: fewer than 3 common values"
