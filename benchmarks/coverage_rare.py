"""How often the intervals of rare shares hold the truth, with few origins; prints the table of docs/statistics.md.

Run: python benchmarks/coverage_rare.py [ROUNDS]
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from tiltmeter.stats.pooled import Pooled

TEXTS = 50
ALIKE = (0.0, 0.1, 0.4)
"""How much texts of one origin resemble one another: the correlation of two of them."""


def counts(generator: np.random.Generator, origins: int, share: float, alike: float) -> NDArray[np.int64]:
    """How many texts of each origin are events: binomial, the chance of each origin drawn from a beta distribution."""
    if not alike:
        return generator.binomial(TEXTS, share, size=origins)
    size = (1 - alike) / alike
    return generator.binomial(TEXTS, generator.beta(share * size, (1 - share) * size, size=origins))


def main(rounds: int) -> None:
    names = [f"correlation {alike:g}" if alike else "independent" for alike in ALIKE]
    print("| share | origins | " + " | ".join(f"{name}, width | plain" for name in names) + " |")
    print("|---|---|" + "---|---|" * len(ALIKE))
    for share in (0.01, 0.02, 0.05, 0.2):
        for origins in (6, 12, 30):
            cells = " | ".join(line(rounds, origins, share, alike) for alike in ALIKE)
            print(f"| {100 * share:g}% | {origins} | {cells} |", flush=True)


def line(rounds: int, origins: int, share: float, alike: float) -> str:
    """The share of rounds that hold the truth on the known scale 0 to 1, with the width; and without the scale."""
    generator = np.random.default_rng(7)
    held, width = np.zeros(2), 0.0
    for _ in range(rounds):
        items = [
            ("a", float(place < events), str(name))
            for name, events in enumerate(counts(generator, origins, share, alike))
            for place in range(TEXTS)
        ]
        for place, scale in enumerate(((0.0, 1.0), None)):
            found = Pooled(items, scale=scale).mean("a")
            if found.low is not None and found.high is not None:
                held[place] += found.low <= share <= found.high
                width += (found.high - found.low) / rounds * (place == 0)
    return f"{100 * held[0] / rounds:.1f}%, {width:.3f} | {100 * held[1] / rounds:.1f}%"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
