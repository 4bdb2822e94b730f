"""How often the two-way intervals of next words hold the truth: `python benchmarks/coverage_next_words.py`.

Each value is made of an effect of its profession, an effect of its template and noise of size 1, all normal: their sum,
the exponential of half of it (skewed), or the quantile of a Beta(½, 4) that it stands for (shares, many near 0). The
truth is known. Prints a line for each design: how often the 95 % interval holds it, how often it lies wholly below and
wholly above, its median width, and how often p against the truth is below 0.05, with the 99 % interval of that.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
from scipy.special import betaincinv, ndtr

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.intervals import wilson
from tiltmeter.stats.views.next_words import Place, Values, means

DESIGNS = ((20, 17), (50, 17), (200, 17), (20, 20), (8, 8), (20, 1), (50, 1), (200, 1))
EFFECTS = ((1.0, 1.0), (1.0, 0.2), (0.2, 1.0), (0.2, 0.2))
KINDS = ("normal", "skewed", "shares")
_STEPS = np.linspace(0, 1, 20_001)
_BETA = betaincinv(0.5, 4, _STEPS)


def drawn(generator: np.random.Generator, shape: tuple[int, int], effects: tuple[float, float], kind: str) -> Array:
    rows, columns = shape
    values: Array = generator.normal(0, 1, shape)
    values = values + generator.normal(0, effects[0], (rows, 1)) + generator.normal(0, effects[1], (1, columns))
    if kind == "skewed":
        return np.exp(values / 2)
    if kind == "shares":
        below = ndtr(values / math.sqrt(1 + effects[0] ** 2 + effects[1] ** 2))
        return np.interp(below, _STEPS, _BETA)
    return values


def mean_of(kind: str, effects: tuple[float, float]) -> float:
    return {"normal": 0.0, "skewed": math.exp((1 + effects[0] ** 2 + effects[1] ** 2) / 8), "shares": 0.5 / 4.5}[kind]


def line(shape: tuple[int, int], effects: tuple[float, float], kind: str, rounds: int) -> str:
    rows, columns = shape
    places = [Place(f"p{row}", f"t{column}") for row in range(rows) for column in range(columns)]
    # One template is what is asked about, not a sample of templates.
    effects = effects if columns > 1 else (effects[0], 0.0)
    truth = mean_of(kind, effects)
    ends = Scale(0.0, 1.0, truth) if kind == "shares" else Scale(neutral=truth)
    below = above = alarms = 0
    widths = []
    for seed in range(rounds):
        values = drawn(np.random.default_rng(seed), shape, effects, kind)
        found = means(places, {"x": Values(values.ravel().tolist(), ends)})["x"]
        below += found.high < truth
        above += found.low > truth
        widths.append(found.high - found.low)
        alarms += found.p < 0.05
    low, high = wilson(alarms / rounds, rounds, 0.99)
    return (
        f"| {rows} × {columns} | {effects[0]:g}, {effects[1]:g} | {kind} | {1 - (below + above) / rounds:.1%} "
        f"| {below / rounds:.1%}, {above / rounds:.1%} | {np.median(widths):.3f} "
        f"| {alarms / rounds:.1%} ({low:.1%}–{high:.1%}) |"
    )


def time_of(professions: int = 450, templates: int = 17, perturbations: int = 6, measures: int = 6) -> float:
    """Seconds for the means of all prompts, of each profession and of each template, under every perturbation."""
    values = np.random.default_rng(0).beta(0.5, 4, (measures, professions, templates))
    names = [[Place(f"p{row}", f"t{column}") for column in range(templates)] for row in range(professions)]
    started = time.perf_counter()
    for _ in range(perturbations):
        parts = [([place for row in names for place in row], values.reshape(measures, -1))]
        parts += [(row, values[:, at]) for at, row in enumerate(names)]
        parts += [([row[at] for row in names], values[:, :, at]) for at in range(templates)]
        for places, table in parts:
            means(places, {str(at): Values(each.tolist(), Scale(0, 1, 0.1)) for at, each in enumerate(table)})
    return time.perf_counter() - started


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=2_000)
    options.add_argument("--effects", type=int, default=len(EFFECTS), help="how many of the sizes of effects")
    chosen = options.parse_args()
    print("| professions × templates | effects | values | holds the truth | below, above | median width | p < 0.05 |")
    print("|---|---|---|---|---|---|---|")
    for shape in DESIGNS:
        for effects in EFFECTS[: chosen.effects if shape[1] > 1 else 1]:
            for kind in KINDS:
                print(line(shape, effects, kind, chosen.rounds), flush=True)
    print(f"\n450 professions × 17 templates × 6 perturbations × 6 measures: {time_of():.1f} s")


if __name__ == "__main__":
    main()
