"""How often the intervals of `stats.estimate` hold the truth, beside the engines that it replaces.

Run `python benchmarks/coverage.py [ROUNDS] [seen | held out]`; its table is in docs/calibration.md. The earlier
engines resample, so they get a tenth of the rounds.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from coverage_worlds import ALL, Study, World
from tiltmeter.records import Estimate
from tiltmeter.stats.estimate import Scale, estimate

HEADING = (
    "| world | clusters | holds the truth | below / above | false alarms | median width "
    "| with an effect of | holds | power | earlier engine holds | alarms |"
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
    studies = [world.draw(generator, clusters, 0.0) for _ in range(rounds)]
    none = [estimate(**study) for study in studies]
    truth = world.truth(0.0)
    there = [world.draw(generator, clusters, world.effect) for _ in range(rounds // 4)]
    some = [estimate(**study) for study in there]
    earlier = [_earlier(world.engine, study) for study in studies[: rounds // 10]] if world.engine else []
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
        f"{_held(earlier, truth):.0%}" if earlier else "–",
        f"{_alarms(earlier):.0%}" if earlier else "–",
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


def _earlier(engine: str, study: Study) -> Estimate:
    """What the engine that this one replaces makes of the same rows."""
    values = [None if np.isnan(each) else float(each) for each in study["values"]]
    origins = [str(each) for each in study["clusters"]]
    scale: Scale = study["scale"]
    if engine == "crossed":
        from tiltmeter.stats.crossed import Crossed
        from tiltmeter.stats.crossed import Scale as Ends

        templates = [str(each) for each in study["second"]]
        return Crossed(origins, templates).mean(values, Ends(scale.neutral, scale.low, scale.high))
    from tiltmeter.stats.pooled import Pooled
    from tiltmeter.stats.two_way import BothWays

    groups = study["groups"].tolist()
    ends = None if scale.low is None or scale.high is None else (scale.low, scale.high)
    pooled = Pooled(list(zip(groups, values, origins, strict=True)), scale=ends)
    if engine == "difference":
        return replace(pooled.difference(*study["compare"]))
    items = [
        SimpleNamespace(group=g, value=v, origin=o, structure=str(s), rated=True)
        for g, v, o, s in zip(groups, values, origins, study["second"], strict=True)
    ]
    return BothWays(items, pooled, scale=ends).difference(*study["compare"])  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
