"""How often the intervals of `stats.estimate` hold the truth.

Run `python benchmarks/coverage.py [ROUNDS] [seen | held out]`; its table is in docs/calibration.md.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence

import numpy as np

from coverage_worlds import ALL, World
from tiltmeter.records import Estimate
from tiltmeter.stats.estimate import estimate

HEADING = (
    "| world | clusters | holds the truth | below / above | false alarms | median width "
    "| with an effect of | holds | power |"
)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    for name, worlds in ALL.items():
        if len(sys.argv) > 2 and sys.argv[2] != name:
            continue
        print(f"\n{name}\n\n{HEADING}\n|{'---|' * HEADING[1:].count('|')}")
        for world in worlds:
            for clusters in world.clusters:
                print(line(world, clusters, rounds), flush=True)


def line(world: World, clusters: int, rounds: int) -> str:
    generator = np.random.default_rng([clusters, zlib.crc32(world.name.encode())])
    none = [estimate(**world.draw(generator, clusters, 0.0)) for _ in range(rounds)]
    truth = world.truth(0.0)
    some = [estimate(**world.draw(generator, clusters, world.effect)) for _ in range(rounds // 4)]
    shown = [each for each in none if each.low is not None]
    without = f" ({(len(none) - len(shown)) / len(none):.0%} without)" if len(shown) < len(none) else ""
    below = np.mean([each.high < truth - 1e-12 for each in shown])
    above = np.mean([each.low > truth + 1e-12 for each in shown])
    width = np.median([each.high - each.low for each in shown])
    cells = [
        world.name,
        str(clusters),
        f"{_held(none, truth):.1%}{without}",
        f"{below:.1%} / {above:.1%}",
        f"{_alarms(none):.1%}",
        f"{width:.3f}",
        f"{world.truth(world.effect) - truth:+.2f}",
        f"{_held(some, world.truth(world.effect)):.1%}",
        f"{_alarms(some):.0%}",
    ]
    return f"| {' | '.join(cells)} |"


def _held(found: Sequence[Estimate], truth: float) -> float:
    # An interval that begins at the truth holds it; rounding must not decide.
    held = [
        e.low <= truth + 1e-12 and truth - 1e-12 <= e.high for e in found if e.low is not None and e.high is not None
    ]
    return float(np.mean(held)) if held else float("nan")


def _alarms(found: Sequence[Estimate]) -> float:
    return float(np.mean([each.p < 0.05 for each in found if each.p is not None] or [float("nan")]))


if __name__ == "__main__":
    main()
