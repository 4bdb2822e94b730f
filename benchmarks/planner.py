"""How near the width of a study comes to the one it was planned for: pilot, plan, and the study itself, many times.

Run `python benchmarks/planner.py [ROUNDS]`; its table is in docs/comparisons.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np

from tiltmeter.stats.components import components
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.precision import Design, predicted_width, sizes_for

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


WORLDS: dict[str, World] = {
    "normal, SD 0.3 / 0.5 / 1": normal(0.3, 0.5, 1.0),
    "normal, SD 1 / 0.2 / 0.2": normal(1.0, 0.2, 0.2),
    "normal, SD 0 / 0 / 1": normal(0.0, 0.0, 1.0),
    "choices, 50 %": choices(0.5, 0.1, 0.2),
    "choices, 20 %": choices(0.2, 0.05, 0.3),
    "choices, 85 %": choices(0.85, 0.2, 0.1),
}


def labelled(table: np.ndarray) -> tuple[list[float], list[str], list[str]]:
    origins, prompts, _ = np.indices(table.shape)
    return table.ravel().tolist(), origins.ravel().astype(str).tolist(), prompts.ravel().astype(str).tolist()


def measured(world: World, pilot: Design, limits: Design, part: float, rounds: int) -> np.ndarray:
    """Widths over those asked for."""
    generator = np.random.default_rng([pilot.origins, limits.origins])
    found = []
    for _ in range(rounds):
        seen = components(*labelled(world(generator, pilot)))
        plan = sizes_for(seen, part * predicted_width(seen, pilot), limits=limits)
        if plan.best is not None:
            values, origins, _ = labelled(world(generator, plan.best.design))
            again = estimate(values, origins, neutral=None)
            if again.low is not None and again.high is not None:
                found.append((again.high - again.low) / plan.asked)
    return np.array(found)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    print("| texts | pilot: origins | planned with at most | median | 10 % to 90 % | within 20 % |")
    print("|---|---|---|---|---|---|")
    for name, world in WORLDS.items():
        for origins, most, part in ((20, 500, 0.5), (50, 500, 0.5), (50, 80, 0.8)):
            found = measured(world, Design(origins, 4, 3), Design(most, 100, 50), part, rounds)
            low, middle, high = np.quantile(found, (0.1, 0.5, 0.9))
            near = np.mean(np.abs(found - 1) <= 0.2)
            print(
                f"| {name} | {origins} | {most} origins | {middle:.2f} | {low:.2f} to {high:.2f} | {near:.0%} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
