"""How often the intervals over sentence structures hold the truth; prints the three tables of docs/statistics.md.

Run: python benchmarks/coverage_structures.py [ROUNDS]
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import norm

from tiltmeter.stats.arrays import Array
from tiltmeter.stats.pooled import Observation, Pooled
from tiltmeter.stats.structures.means import StructureMeans
from tiltmeter.stats.structures.robustness import signs_kept

TRUTH = 0.3
SPREADS = {"both": (1, 1), "origins": (1, 0), "structures": (0, 1), "neither": (0, 0)}
"""Whether the gap differs by origin, and by structure; every cell of both has noise of its own in each case."""


def main(rounds: int) -> None:
    print("| origins × structures | the gap differs by | over origins | both ways | width | both drawn | width |")
    print("|---|---|---|---|---|---|---|")
    for origins, structures in ((6, 20), (10, 20), (25, 25)):
        for name, spread in SPREADS.items():
            difference(rounds, origins, structures, name, spread)
    print()
    print("| origins × structures | the gap differs by | normal | width | skewed | width | p < 0.05: normal | skewed |")
    print("|---|---|---|---|---|---|---|---|")
    for origins, structures in ((8, 8), (20, 20), (50, 20), (200, 10)):
        for name, spread in list(SPREADS.items())[:3]:
            both_ways(rounds, origins, structures, name, spread)
    print()
    print("| structures | keep the sign | holds the truth | mean width |")
    print("|---|---|---|---|")
    for structures in (10, 20, 50, 100):
        for truth in (0.5, 0.6, 0.75, 0.9, 0.97):
            signs(5_000, structures, truth)


def difference(rounds: int, origins: int, structures: int, name: str, spread: tuple[float, float]) -> None:
    generator = np.random.default_rng(7)
    held = np.zeros(3)
    width = np.zeros(2)
    for _ in range(rounds):
        gaps = drawn_gaps(generator, origins, structures, spread)
        texts, of_texts = rated(gaps + TRUTH)
        one_way = Pooled(texts).difference("a", "b")
        both = Pooled(texts, structures=of_texts).difference("a", "b")
        low, high = drawn(generator, gaps + TRUTH)
        held += [one_way.low <= TRUTH <= one_way.high, both.low <= TRUTH <= both.high, low <= TRUTH <= high]
        width += [(both.high - both.low) / rounds, (high - low) / rounds]
    share = [f"{100 * each / rounds:.1f}%" for each in held]
    print(
        f"| {origins} × {structures} | {name} | {share[0]} "
        f"| {share[1]} | {width[0]:.2f} | {share[2]} | {width[1]:.2f} |",
        flush=True,
    )


def drawn_gaps(generator: np.random.Generator, origins: int, structures: int, spread: tuple[float, float]) -> Array:
    gaps = spread[0] * generator.normal(size=(origins, 1)) + spread[1] * generator.normal(size=(1, structures))
    return gaps + generator.normal(size=(origins, structures))


def rated(gaps: Array) -> tuple[list[Observation], list[str]]:
    """A text of either group for each cell, and its structure."""
    cells = [(group, row, column, gap) for (row, column), gap in np.ndenumerate(gaps) for group in "ab"]
    texts: list[Observation] = [(group, gap if group == "a" else 0.0, str(row)) for group, row, _, gap in cells]
    return texts, [str(column) for _, _, column, _ in cells]


def both_ways(rounds: int, origins: int, structures: int, name: str, spread: tuple[float, float]) -> None:
    """Normal gaps, and the exponential of half of them; false alarms are of the same gaps moved to a mean of zero."""
    generator = np.random.default_rng(7)
    # Of the exponential of half of a normal value.
    mean = float(np.exp((1 + spread[0] ** 2 + spread[1] ** 2) / 8))
    held, alarms, width = np.zeros(2), np.zeros(2), np.zeros((2, rounds))
    for number in range(rounds):
        gaps = drawn_gaps(generator, origins, structures, spread)
        for place, values in enumerate((gaps, np.exp(gaps / 2) - mean)):
            texts, of_texts = rated(values)
            found = Pooled(texts, structures=of_texts).difference("a", "b")
            held[place] += found.low <= 0 <= found.high
            alarms[place] += found.p < 0.05
            width[place, number] = found.high - found.low
    one, other = (f"{100 * each / rounds:.1f}% | {np.median(wide):.2f}" for each, wide in zip(held, width, strict=True))
    false = " | ".join(f"{100 * each / rounds:.1f}%" for each in alarms)
    print(f"| {origins} × {structures} | {name} | {one} | {other} | {false} |", flush=True)


def drawn(generator: np.random.Generator, gaps: Array, resamples: int = 999) -> tuple[float, float]:
    """The interval that tiltmeter does not use: origins and structures both drawn with replacement, percentiles."""
    rows, columns = gaps.shape
    weights = [generator.multinomial(count, [1 / count] * count, size=resamples) for count in (rows, columns)]
    means = np.einsum("ro,os,rs->r", weights[0], gaps, weights[1], optimize=True) / (rows * columns)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def signs(rounds: int, structures: int, truth: float) -> None:
    """Gaps of structures whose share with the true sign is known; the sign over all is that of the sample."""
    generator = np.random.default_rng(7)
    held, width = 0, 0.0
    for _ in range(rounds):
        gaps = generator.normal(norm.ppf(truth), 1, size=structures)
        means = np.column_stack([gaps, np.zeros(structures)])
        table = StructureMeans(tuple(map(str, range(structures))), ("a", "b"), means, np.ones_like(means), 1.0)
        share = signs_kept(table, {("a", "b"): float(gaps.mean())})["a", "b"].share
        held += share.low <= truth <= share.high
        width += (share.high - share.low) / rounds
    print(f"| {structures} | {100 * truth:.0f}% | {100 * held / rounds:.1f}% | {width:.2f} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
