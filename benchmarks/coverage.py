"""How often the intervals hold the truth, and how often p < 0.05 where there is nothing to find.

Run `python benchmarks/coverage.py [ROUNDS]`; its table is in docs/statistics.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import estimate


@dataclass(frozen=True)
class World:
    """A population of origins: their mean leaning, how alike the items of one origin are, and the design."""

    name: str
    mean: float
    correlation: float
    origins: int
    strata: int = 1


def shares(world: World, generator: np.random.Generator) -> Estimate:
    """Stereotyped choices: 1 to 8 items for each origin, whose leaning is drawn from a beta distribution."""
    count = world.origins * world.strata
    concentration = 1 / world.correlation - 1
    leanings = generator.beta(world.mean * concentration, (1 - world.mean) * concentration, count)
    labels = np.repeat(np.arange(count), generator.integers(1, 9, count))
    values = (generator.random(len(labels)) < leanings[labels]).astype(float)
    strata = [str(label % world.strata) for label in labels] if world.strata > 1 else None
    return estimate(values.tolist(), [str(label) for label in labels], strata=strata, neutral=world.mean)


def margins(world: World, generator: np.random.Generator) -> Estimate:
    """Margins: skewed leanings (exponential, centred) with noise of the same size within each origin."""
    leanings = generator.exponential(1.0, world.origins) - 1
    labels = np.repeat(np.arange(world.origins), generator.integers(1, 9, world.origins))
    values = leanings[labels] + generator.normal(0, 1, len(labels))
    return estimate(values.tolist(), [str(label) for label in labels], neutral=0.0)


def independent(world: World, generator: np.random.Generator) -> Estimate:
    """Pairs that share nothing."""
    values = (generator.random(world.origins) < world.mean).astype(float)
    return estimate(values.tolist(), neutral=world.mean)


def measured(world: World, draw: Callable[[World, np.random.Generator], Estimate], rounds: int) -> tuple[float, ...]:
    """Share of intervals that hold the truth, their mean width, and the share of p below 0.05."""
    generator = np.random.default_rng([world.origins, world.strata, int(100 * world.mean)])
    truth = 0.0 if draw is margins else world.mean
    found = [draw(world, generator) for _ in range(rounds)]
    held = [one.low <= truth <= one.high for one in found if one.low is not None and one.high is not None]
    widths = [one.high - one.low for one in found if one.low is not None and one.high is not None]
    alarms = [one.p < 0.05 for one in found if one.p is not None]
    return float(np.mean(held)), float(np.mean(widths)), float(np.mean(alarms))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 4000
    print("| items | origins | method | holds the truth | mean width | p < 0.05 |")
    print("|---|---|---|---|---|---|")
    for origins in (5, 8, 12, 19, 20, 50, 200):
        method = "t" if origins < 20 else "bootstrap"
        worlds = [
            (World("choices, truth 0.5", 0.5, 0.25, origins), shares),
            (World("choices, truth 0.85", 0.85, 0.25, origins), shares),
            (World("skewed margins", 0.0, 0.5, origins), margins),
        ]
        for world, draw in worlds:
            line(world.name, str(origins), method, measured(world, draw, rounds))
    for origins, strata in ((8, 2), (8, 13), (2, 13), (25, 2)):
        method = "t" if origins * strata < 20 else "bootstrap"
        world = World("choices in strata, truth 0.5", 0.5, 0.25, origins, strata)
        line(world.name, f"{strata} × {origins}", method, measured(world, shares, rounds))
    for origins in (10, 50, 500):
        world = World("independent choices, truth 0.5", 0.5, 0.0, origins)
        line(world.name, str(origins), "Wilson, exact p", measured(world, independent, rounds))


def line(name: str, origins: str, method: str, found: tuple[float, ...]) -> None:
    held, width, alarms = found
    print(f"| {name} | {origins} | {method} | {held:.1%} | {width:.3f} | {alarms:.1%} |", flush=True)


if __name__ == "__main__":
    main()
