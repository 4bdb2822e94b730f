"""How often the intervals of ratings by group hold the truth; prints the table of docs/statistics.md.

Run: python benchmarks/coverage_groups.py [ROUNDS]
"""

from __future__ import annotations

import sys

import numpy as np

from tiltmeter.stats.pooled import Observation, Pooled


def texts(generator: np.random.Generator, origins: int, shared: bool, skewed: bool) -> list[Observation]:
    """Three groups; group a is 0.3 higher (skewed: 1.3 times as high), b and c are the same."""
    items: list[Observation] = []
    common = generator.normal(size=origins)
    for group in "abc":
        effects = common if shared else generator.normal(size=origins)
        for index in range(origins):
            for noise in generator.normal(size=int(generator.integers(1, 7))):
                drawn = effects[index] + noise
                first = group == "a"
                value = np.exp(drawn / 2) * (1.3 if first else 1) if skewed else drawn + 0.3 * first
                items.append((group, float(value), str(index) if shared else f"{group}{index}"))
    return items


def main(rounds: int) -> None:
    print("| origins | ratings | each group | holds the truth | mean width | p < 0.05 | ratio holds |")
    print("|---|---|---|---|---|---|---|")
    for shared in (False, True):
        for skewed in (False, True):
            truth = 0.3 * float(np.exp(2 / 8)) if skewed else 0.3
            for origins in (6, 12, 25, 60):
                line(rounds, origins, shared, skewed, truth)


def line(rounds: int, origins: int, shared: bool, skewed: bool, truth: float) -> None:
    generator = np.random.default_rng(7)
    held = alarms = ratios = ratios_held = 0
    width = 0.0
    for _ in range(rounds):
        pooled = Pooled(texts(generator, origins, shared, skewed))
        found, none = pooled.difference("a", "b"), pooled.difference("b", "c")
        held += found.low <= truth <= found.high
        alarms += none.p < 0.05
        width += (found.high - found.low) / rounds
        ratio, _ = pooled.ratio("a", "b") if skewed else (None, None)
        ratios += ratio is not None
        ratios_held += ratio is not None and ratio.low <= 1.3 <= ratio.high
    kind = "skewed" if skewed else "normal"
    share = f"{100 * ratios_held / ratios:.1f}%" if ratios else "–"
    print(
        f"| {'shared' if shared else 'apart'} | {kind} | {origins} | {100 * held / rounds:.1f}% | {width:.3f} "
        f"| {100 * alarms / rounds:.1f}% | {share} |",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
