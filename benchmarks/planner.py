"""How near the width of a study comes to the one it was planned for: pilot, plan, and the study itself, many times.

Run `python benchmarks/planner.py [ROUNDS [LINES THAT HAVE THIS IN THEIR NAME]]`; its table is in docs/comparisons.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.planning.components import Components, components
from tiltmeter.stats.planning.designs import stretched
from tiltmeter.stats.planning.precision import Design, sizes_for

Generator = np.random.Generator
World = Callable[[Generator, Design], np.ndarray]


def normal(*sizes: float) -> World:
    """Standard deviations of origins, prompts and samples."""

    def drawn(generator: Generator, design: Design) -> np.ndarray:
        shape = design.origins, design.prompts, design.samples
        parts = [size * generator.normal(size=shape[: at + 1] + (1,) * (2 - at)) for at, size in enumerate(sizes)]
        return np.asarray(sum(parts))

    return drawn


def choices(mean: float, of_origin: float, of_prompt: float) -> World:
    """Yes and no: origins lean about the mean, prompts about their origin; how alike those of one are."""

    def drawn(generator: Generator, design: Design) -> np.ndarray:
        lean = np.full((design.origins, 1), mean)
        for correlation, prompts in ((of_origin, 1), (of_prompt, design.prompts)):
            base = np.clip(np.repeat(lean, prompts, axis=1), 1e-6, 1 - 1e-6) * (1 / correlation - 1)
            lean = generator.beta(base, 1 / correlation - 1 - base)
        texts = generator.random((design.origins, design.prompts, design.samples))
        return (texts < lean[:, :, np.newaxis]).astype(np.float64)

    return drawn


def skewed(origins: float, samples: float) -> World:
    """Most origins are alike and a few far above: exponential leanings, and normal texts about them."""

    def drawn(generator: Generator, design: Design) -> np.ndarray:
        shape = design.origins, design.prompts, design.samples
        lean = origins * generator.exponential(size=(design.origins, 1, 1))
        return np.asarray(lean + samples * generator.normal(size=shape))

    return drawn


def crossed(origins: float, structures: float, cells: float, samples: float) -> World:
    """Origins by structures by samples: every structure meets every origin."""

    def drawn(generator: Generator, design: Design) -> np.ndarray:
        shape = design.origins, design.sets, design.samples
        parts = (
            origins * generator.normal(size=(design.origins, 1, 1)),
            structures * generator.normal(size=(1, design.sets, 1)),
            cells * generator.normal(size=(design.origins, design.sets, 1)),
            samples * generator.normal(size=shape),
        )
        return np.asarray(sum(parts))

    return drawn


@dataclass(frozen=True, slots=True)
class Line:
    """A world, a pilot, what can be had, and which part of the pilot's width is asked for."""

    name: str
    world: World
    pilot: Design
    limits: Design
    part: float
    both_ways: bool = False
    can: str = ""


LEVELS: dict[str, World] = {
    "normal, SD 0.3 / 0.5 / 1": normal(0.3, 0.5, 1.0),
    "normal, SD 1 / 0.2 / 0.2": normal(1.0, 0.2, 0.2),
    "normal, SD 0 / 0 / 1": normal(0.0, 0.0, 1.0),
    "choices, 50 %": choices(0.5, 0.1, 0.2),
    "choices, 20 %": choices(0.2, 0.05, 0.3),
    "choices, 85 %": choices(0.85, 0.2, 0.1),
}
LINES = [
    *(
        Line(name, world, Design(origins, 4, 3), Design(most, 100, 50), part, can=f"{most} origins")
        for name, world in LEVELS.items()
        for origins, most, part in ((20, 500, 0.5), (50, 500, 0.5), (50, 80, 0.8))
    ),
    *(
        Line(
            f"few openers, SD {lean:g} / – / 1", normal(lean, 0, 1.0), Design(16, 1, 4), Design(16, 1, 200), part,
            can="samples",
        )
        for lean, part in ((0.0, 0.5), (0.0, 0.8), (0.3, 0.8), (0.5, 0.8))
    ),
    *(
        Line(
            f"many openers, SD {lean:g} / – / 1", normal(lean, 0, 1.0), Design(60, 1, 4), Design(60, 1, 200), part,
            can="samples",
        )
        for lean, part in ((0.0, 0.5), (0.3, 0.8))
    ),
    *(
        Line("skewed origins", skewed(1.0, 0.5), Design(origins, 1, 3), Design(500, 1, 50), 0.5, can="500 origins")
        for origins in (20, 50)
    ),
    *(
        Line(
            f"rare choices, {mean:.0%}", choices(mean, 0.1, 0.1), Design(origins, 4, 3), Design(1000, 100, 50), 0.5,
            can="1000 origins",
        )
        for mean in (0.03, 0.97)
        for origins in (20, 50)
    ),
    *(
        Line(
            f"both ways, SD {a:g} × {b:g} / {c:g} / 1", crossed(a, b, c, 1.0), Design(origins, 1, 2, sets),
            Design(120, 1, 20, 120), 0.6, both_ways=True, can="120 × 120",
        )
        for (a, b, c), (origins, sets) in (
            ((0.5, 0.5, 0.3), (15, 15)),
            ((0.5, 0.5, 0.3), (30, 30)),
            ((0.2, 0.7, 0.3), (30, 30)),
            ((0.7, 0.2, 0.3), (30, 30)),
        )
    ),
]  # fmt: skip


def labelled(table: np.ndarray) -> tuple[list[float], list[str], list[str]]:
    origins, inner, _ = np.indices(table.shape)
    return table.ravel().tolist(), origins.ravel().astype(str).tolist(), inner.ravel().astype(str).tolist()


def looked_at(line: Line, table: np.ndarray) -> tuple[Estimate, Components]:
    """The interval that is printed, and the components."""
    values, origins, inner = labelled(table)
    if line.both_ways:
        cells = [f"{origin} {each}" for origin, each in zip(origins, inner, strict=True)]
        made = Crossed(origins, inner).mean(values)
        return made, components(values, origins, cells, sets=inner)
    return estimate(values, origins, neutral=None), components(values, origins, inner)


def measured(line: Line, rounds: int) -> tuple[np.ndarray, float, float, float]:
    """Widths over those asked for; how often it was out of reach, could not be told, and lay where it was said to."""
    generator = np.random.default_rng([line.pilot.origins, line.limits.origins])
    found, beyond, untold, within = [], 0, 0, 0
    for _ in range(rounds):
        pilot, seen = looked_at(line, line.world(generator, line.pilot))
        seen = stretched(seen, pilot, across_sets=line.both_ways, shares="choices" in line.name)
        assert pilot.low is not None and pilot.high is not None
        asked = line.part * (pilot.high - pilot.low)
        plan = sizes_for(seen, asked, limits=line.limits, across_sets=line.both_ways)
        untold += plan.between is not None
        if plan.best is None or plan.likely is None:
            beyond += 1
            continue
        again, _ = looked_at(line, line.world(generator, plan.best.design))
        if again.low is not None and again.high is not None:
            width = again.high - again.low
            found.append(width / asked)
            within += plan.likely[0] <= width <= plan.likely[1]
    return np.array(found), beyond / rounds, untold / rounds, within / max(1, len(found))


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    only = sys.argv[2] if len(sys.argv) > 2 else ""
    print(
        "| texts | pilot | planned with at most | median | 10 % to 90 % | within 20 % | as was said | cannot tell | "
        "out of reach |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for line in LINES:
        if only not in line.name:
            continue
        found, beyond, untold, within = measured(line, rounds)
        low, middle, high = np.quantile(found, (0.1, 0.5, 0.9)) if len(found) else (np.nan, np.nan, np.nan)
        near = np.mean(np.abs(found - 1) <= 0.2)
        sizes = f"{line.pilot.origins}" + (f" × {line.pilot.sets}" if line.both_ways else "")
        told = f"{middle:.2f} | {low:.2f} to {high:.2f} | {near:.0%} | {within:.0%} | {untold:.0%} | {beyond:.0%}"
        print(f"| {line.name} | {sizes} | {line.can} | {told} |", flush=True)


if __name__ == "__main__":
    main()
