"""How often the two-way intervals of next words hold the truth: `python benchmarks/coverage_next_words.py`.

Values are a profession's effect plus a template's effect plus noise, all normal, or the exponential of half of that
(skewed); the truth is known. Prints a line for each design: how often the 95 % interval holds it, its mean width, and
how often p against the truth is below 0.05.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from tiltmeter.stats.crossed import Scale
from tiltmeter.stats.next_words import Place, Values, means

DESIGNS = ((8, 8), (40, 17), (300, 17), (30, 25), (100, 30), (30, 1), (300, 1))
EFFECTS = ((1.0, 1.0), (1.0, 0.2), (0.2, 0.2))


def line(rows: int, columns: int, effects: tuple[float, float], skewed: bool, rounds: int) -> str:
    places = [Place(f"p{row}", f"t{column}") for row in range(rows) for column in range(columns)]
    # One template is what is asked about, not a sample of templates.
    of_row, of_column = effects[0], effects[1] if columns > 1 else 0.0
    truth = math.exp((of_row**2 + of_column**2 + 1) / 8) if skewed else 0.0
    held = alarms = 0
    width = 0.0
    for seed in range(rounds):
        generator = np.random.default_rng(seed)
        noise = generator.normal(0, 1, (rows, columns))
        values = noise + generator.normal(0, of_row, (rows, 1)) + generator.normal(0, of_column, (1, columns))
        values = np.exp(values / 2) if skewed else values
        found = means(places, {"x": Values(values.ravel().tolist(), Scale(truth))}, seed=seed)["x"]
        held += found.low <= truth <= found.high
        width += found.high - found.low
        alarms += found.p < 0.05
    kind = "skewed" if skewed else "normal"
    return (
        f"| {rows} × {columns} | {of_row:g}, {of_column:g} | {kind} | {held / rounds:.1%} | {width / rounds:.3f} "
        f"| {alarms / rounds:.1%} |"
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=500)
    chosen = options.parse_args()
    print("| professions × templates | effects | values | holds the truth | mean width | p < 0.05 |")
    print("|---|---|---|---|---|---|")
    for rows, columns in DESIGNS:
        for effects in EFFECTS if columns > 1 else EFFECTS[:1]:
            for skewed in (False, True):
                print(line(rows, columns, effects, skewed, chosen.rounds), flush=True)


if __name__ == "__main__":
    main()
