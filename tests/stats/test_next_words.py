"""Figures of two groups over prompts: by hand, against scipy, and planted."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Codes
from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.views.labour import against_world
from tiltmeter.stats.views.next_words import _FIGURES, BINS, Place, Values, distances, means

DIFFERENCE = Scale(neutral=0.0)


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
    ratio = found["ratio_of_means"]
    assert (ratio.low, ratio.p) == (None, None) and ratio.note
    for name in ("emd", "kl_vectors", "kl_histograms"):
        assert 0 <= found[name].low <= found[name].value <= found[name].high


def weighted(name: str, a: np.ndarray, b: np.ndarray, weights: np.ndarray) -> float:
    """A figure in which prompts count as much as they weigh, by its formula."""
    if name == "emd":
        from scipy.stats import wasserstein_distance

        return float(wasserstein_distance(a, b, weights, weights))
    if name == "kl_vectors":
        one, other = weights * a / np.sum(weights * a), weights * b / np.sum(weights * b)
    else:
        top = max(a.max(), b.max())
        one, other = (np.histogram(values, BINS, (0, top), weights=weights)[0] + 0.5 for values in (a, b))
        one, other = one / one.sum(), other / other.sum()
    return float(np.sum(one * np.log(one / other)))


@pytest.mark.parametrize("name", list(_FIGURES))
def test_the_part_of_a_prompt_is_how_the_figure_grows_with_its_weight(name: str) -> None:
    generator = np.random.default_rng(2)
    a, b = generator.beta(2, 5, 40), generator.beta(2, 8, 40)
    found = _FIGURES[name][0](a, b)
    assert found is not None
    assert found.value == pytest.approx(weighted(name, a, b, np.ones(40)))
    assert np.mean(found.of_prompts) == pytest.approx(found.value)
    step = 1e-6
    # To both sides, since |x| has a bend where the two are level.
    more, less = ([weighted(name, a, b, 1 + by * line) for line in np.eye(40)] for by in (step, -step))
    slopes = (np.array(more) - less) / (2 * step)
    # One half is added to the counts of histograms whatever prompts weigh, so that their sum matters: that is left out.
    slopes = 40 * (slopes - np.mean(slopes))
    assert found.of_prompts - found.value == pytest.approx(slopes, abs=1e-3 * float(np.ptp(slopes)))


@pytest.mark.parametrize("name", ["emd", "kl_histograms"])
def test_a_swapped_figure_is_the_figure_of_swapped_values(name: str) -> None:
    generator = np.random.default_rng(3)
    a, b = generator.beta(2, 5, 40), generator.beta(2, 8, 40)
    levels: Codes = np.arange(40) % 7
    swaps = generator.integers(0, 2, (5, 7)).astype(np.bool_)
    swapped = _FIGURES[name][1]
    assert swapped is not None
    found = swapped(a, b, levels)(swaps)
    for value, line in zip(found, swaps[:, levels], strict=True):
        assert value == pytest.approx(weighted(name, np.where(line, b, a), np.where(line, a, b), np.ones(40)))


def test_the_error_of_a_figure_is_about_that_of_leaving_out() -> None:
    generator = np.random.default_rng(4)
    rows, columns = 30, 12
    tilt = np.exp(generator.normal(0, 0.4, (rows, 1)) + generator.normal(0, 0.2, (1, columns))).ravel()
    b = generator.beta(4, 8, rows * columns)
    a = np.clip(b * tilt, 0, 1)
    found = distances(grid(rows, columns), list(zip(a.tolist(), b.tolist(), strict=True)))["kl_vectors"]

    def figure(kept: np.ndarray) -> float:
        return weighted("kl_vectors", a[kept], b[kept], np.ones(int(kept.sum())))

    variances = []
    at = np.arange(rows * columns)
    for clusters in (at // columns, at % columns, at):
        left = [figure(clusters != cluster) for cluster in np.unique(clusters)]
        variances.append(np.var(left) * (len(left) - 1))
    error = math.sqrt(max(variances[0] + variances[1] - variances[2], variances[0], variances[1]))
    assert (found.high - found.low) / 2 == pytest.approx(2.05 * error, rel=0.15)


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
    assert found == one
    assert (turned.low, turned.high, turned.p) == (-one.high, -one.low, one.p)


@pytest.mark.parametrize("natural", [True, False])
def test_the_order_of_prompts_changes_no_digit_also_where_places_repeat(natural: bool) -> None:
    generator = np.random.default_rng(6)
    rows = [
        (
            Place(f"p{generator.integers(9)}", None if natural else f"t{generator.integers(7)}"),
            (float(generator.beta(1, 5)), float(generator.beta(1, 4)) if generator.random() > 0.1 else None),
        )
        for _ in range(300)
    ]
    shuffled = [rows[at] for at in generator.permutation(len(rows))]

    def found(these: list[tuple[Place, tuple[float, float | None]]]) -> list[object]:
        places, chances = [place for place, _ in these], [pair for _, pair in these]
        columns = {str(side): Values([pair[side] for pair in chances], DIFFERENCE) for side in (0, 1)}
        return [means(places, columns), distances(places, chances)]

    assert found(rows) == found(shuffled)


def test_one_profession_is_uncertain_over_its_templates() -> None:
    values = crossed(1, 17, seed=5).tolist()
    one = Crossed(["nurse"] * 17, [f"t{at}" for at in range(17)])
    turned = Crossed([f"t{at}" for at in range(17)], [None] * 17)
    assert one.resampled_over == {"template": 17}
    assert one.mean(values, DIFFERENCE) == turned.mean(values, DIFFERENCE)


def test_a_lean_that_is_the_same_everywhere_is_no_difference_of_shape() -> None:
    generator = np.random.default_rng(0)
    b = generator.beta(2, 20, 60)
    a = 5 * b * np.exp(0.2 * generator.normal(size=60))
    found = distances([Place(f"p{at}", None) for at in range(60)], list(zip(a.tolist(), b.tolist(), strict=True)))
    assert found["kl_vectors"].p is None
    assert found["emd"].p is not None
    assert found["emd"].p < 0.001


def test_a_single_template_counts_professions_alone_and_so_do_natural_sentences() -> None:
    from scipy.stats import kurtosis, sem, t

    values = crossed(30, 1, seed=5).tolist()
    same = Crossed([f"p{at}" for at in range(30)], ["t"] * 30)
    own = Crossed([f"p{at}" for at in range(30)], [f"sentence {at}" for at in range(30)])
    none = Crossed([f"p{at}" for at in range(30)], [None] * 30)
    assert same.resampled_over == own.resampled_over == none.resampled_over == {"profession": 30}
    assert same.mean(values, DIFFERENCE) == own.mean(values, DIFFERENCE) == none.mean(values, DIFFERENCE)
    freedom = 2 / (2 / 29 + max(0.0, kurtosis(values)) / 30)
    middle, half = float(np.mean(values)), t.ppf(0.975, freedom) * sem(values)
    found = own.mean(values, DIFFERENCE)
    p = 2 * t.sf(abs(middle) / sem(values), freedom)
    assert (found.low, found.high, found.p) == pytest.approx((middle - half, middle + half, p))


def test_sentences_of_one_profession_are_left_out_together() -> None:
    generator = np.random.default_rng(7)
    effects = generator.normal(size=8)
    places = [Place(f"p{at % 8}", f"sentence {at}") for at in range(80)]
    noisy = (effects[np.arange(80) % 8] + generator.normal(0, 0.01, 80)).tolist()
    found = means(places, {"x": Values(noisy, DIFFERENCE)})["x"]
    of_professions = means(places[:8], {"x": Values(effects.tolist(), DIFFERENCE)})["x"]
    assert (found.low, found.high) == pytest.approx((of_professions.low, of_professions.high), abs=0.02)
    assert (found.n, found.origins) == (80, 8)


def test_a_single_prompt_has_no_interval() -> None:
    single = means([Place("nurse", "t")], {"x": Values([4.0], DIFFERENCE)})["x"]
    assert (single.value, single.low, single.origins) == (4.0, None, 1)
    assert single.note == "no interval: there is a single origin, which shows no spread"


def test_what_was_scored_decides_how_many_professions_and_templates_there_are() -> None:
    places = grid(8, 8)
    values = crossed(8, 8, seed=2).tolist()
    few = [value if int(place.template[1:]) < 4 else None for place, value in zip(places, values, strict=True)]
    one = [value if place.template == "t0" else None for place, value in zip(places, values, strict=True)]
    found = means(
        places, {"all": Values(values, DIFFERENCE), "few": Values(few, DIFFERENCE), "one": Values(one, DIFFERENCE)}
    )
    assert found["all"].low is not None
    assert "4 templates" in found["few"].note
    alone = means([Place(p.profession, None) for p in places], {"x": Values(few, DIFFERENCE)})["x"]
    assert (found["few"].low, found["few"].high) == pytest.approx((alone.low, alone.high))
    assert found["one"] == replace(means(places[::8], {"x": Values(values[::8], DIFFERENCE)})["x"], n_unscored=56)


def test_intervals_end_where_the_scale_ends() -> None:
    values = np.random.default_rng(8).beta(0.1, 1, 36).tolist()
    free = means(grid(6, 6), {"x": Values(values, Scale(neutral=0.5))})["x"]
    cut = means(grid(6, 6), {"x": Values(values, Scale(0.0, 0.1, 0.5))})["x"]
    assert free.low < 0 and free.high > 0.1
    assert (cut.low, cut.high, cut.p) == (0.0, 0.1, free.p)
    beyond = means(grid(6, 6), {"x": Values([value + 1 for value in values], Scale(0.0, 0.1, 0.5))})["x"]
    assert beyond.low <= beyond.value <= beyond.high  # a scale that the value lies beyond is not its own


def test_numbers_that_are_none_are_unscored() -> None:
    values = [*np.linspace(0, 1, 33).tolist(), math.nan, math.inf, None]
    found = means(grid(6, 6), {"x": Values(values, DIFFERENCE)})["x"]
    assert (found.n, found.n_unscored) == (33, 3)
    assert found.value == pytest.approx(0.5)


def test_fewer_than_five_professions_have_no_interval() -> None:
    prompts = Crossed(*zip(*((p.profession, p.template) for p in grid(4, 30)), strict=True))
    found = prompts.mean(crossed(4, 30, seed=1).tolist())
    assert (found.low, found.p) == (None, None) and "professions" in found.note


def test_unscored_prompts_are_counted_and_nothing_else() -> None:
    places = grid(6, 6)
    values = [None if at % 5 == 0 else 1.0 + at / 100 for at in range(36)]
    found = means(places, {"x": Values(values, DIFFERENCE)})["x"]
    assert (found.n, found.n_unscored, found.origins) == (28, 8, 6)
    assert found.value == pytest.approx(sum(v for v in values if v is not None) / 28)
    assert means(places, {"x": Values([None] * 36, DIFFERENCE)})["x"].note == "nothing was scored"
    assert means(places, {"x": Values([0.5] * 36, DIFFERENCE)})["x"].note.startswith("no interval: there is no spread")


def test_both_ways_it_is_the_sum_of_both_variances_less_that_of_the_cells() -> None:
    from scipy.stats import kurtosis, t

    rows, columns = 6, 5
    values = crossed(rows, columns, seed=9)
    found = means(grid(rows, columns), {"x": Values(values.tolist(), DIFFERENCE)})["x"]
    table = values.reshape(rows, columns)
    by_row, by_column, cells = table.mean(1), table.mean(0), table.ravel()
    row, column, cell = (part.var(ddof=1) / part.size for part in (by_row, by_column, cells))
    variance = max(row + column - cell, row, column)
    free = [2 / (2 / (part.size - 1) + max(0.0, kurtosis(part)) / part.size) for part in (by_row, by_column)]
    freedom = min(variance**2 / (row**2 / free[0] + column**2 / free[1]), free[0 if row >= column else 1])
    middle, error = float(values.mean()), math.sqrt(variance)
    half, p = t.ppf(0.975, freedom) * error, 2 * t.sf(abs(middle) / error, freedom)
    assert (found.low, found.high, found.p) == pytest.approx((middle - half, middle + half, p))


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


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(60))
def test_no_prompts_lead_to_nonsense(seed: int) -> None:
    draw = random.Random(seed)
    made = draw.choice([lambda: float(draw.random() < 0.3), draw.random, lambda: 1e-200 * draw.random(), lambda: 0.3])
    names = [f"t{at}" for at in range(draw.choice([1, 4, 6, 9]))]
    templates = draw.choice([[None], names, [*names, None]])
    rows = [
        (
            f"p{draw.randrange(draw.choice([1, 5, 9]))}",
            draw.choice(templates),
            *(made() if draw.random() > 0.1 else draw.choice([None, math.nan, 1e300]) for _ in "ab"),
        )
        for _ in range(draw.choice([0, 1, 8, 30, 120]))
    ]

    def found(these: list[tuple[str, str | None, float | None, float | None]], turn: int = 1) -> list[Estimate]:
        columns = [list(column) for column in zip(*these, strict=True)] or [[], [], [], []]
        prompts = Crossed(columns[0], columns[1])
        first, second = columns[2:][::turn]
        return [prompts.difference(first, second, Scale(-1.0, 1.0, 0.0)), prompts.mean(first, Scale(0.0, 1.0, 0.5))]

    known = found(rows)
    for each, neutral in zip(known, (0.0, 0.5), strict=True):
        assert all(part is None or math.isfinite(part) for part in (each.value, each.low, each.high, each.p))
        assert each.low is not None or (each.p is None and each.note)
        if each.low is not None:
            assert neutral * 2 - 1 <= each.low <= each.value <= each.high <= 1
            assert (each.p < 0.05) == (not each.low <= neutral <= each.high)
    assert found(draw.sample(rows, len(rows))) == known
    unscored = found([*rows, ("new", "new", None, 0.5)])
    assert unscored == [replace(each, n_unscored=each.n_unscored + 1) for each in known]
    turned = found(rows, -1)[0]
    numbers = (turned.value, turned.high, turned.low)
    back = tuple(None if each is None else -each for each in numbers)
    ends = (known[0].value, known[0].low, known[0].high)
    # Intervals of chances are found by steps.
    assert back == ends if known[0].method != "chances.v1" else back == pytest.approx(ends, rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize(("rows", "columns", "floor"), [(40, 17, 0.92), (30, 25, 0.92), (40, 1, 0.92), (8, 8, 0.92)])
def test_intervals_hold_the_truth_about_as_often_as_they_say(rows: int, columns: int, floor: float) -> None:
    places, rounds = grid(rows, columns), 300
    held = 0
    for seed in range(rounds):
        # One template is what the study asks about, not a sample of templates.
        values = crossed(rows, columns, seed=seed, column_sd=float(columns > 1)).tolist()
        found = means(places, {"x": Values(values, DIFFERENCE)})["x"]
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
