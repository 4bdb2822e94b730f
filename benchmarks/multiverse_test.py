"""How often the test of a whole curve cries wolf, how often it finds what is there, and how long it takes.

Run `python benchmarks/multiverse_test.py [ROUNDS]`; its tables are in docs/multiverse.md. In a world without an effect
an honest test has p < 0.05 in 5 % of the rounds or fewer.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Literal

import numpy as np

from tiltmeter.stats.cells import CellData, Cells, evaluate
from tiltmeter.stats.multiverse import multiverse
from tiltmeter.stats.whole_curve import CurveTest, curve_test

Generator = np.random.Generator
World = Callable[[Generator, int, float], list[CellData]]
PERMUTATIONS = 399
SOURCES, DECODINGS, RATERS = ("templates", "natural"), ("t=0", "t=1"), ("one", "two", "three")


def grid() -> Iterator[dict[str, str]]:
    """Twelve cells."""
    for source, decoding, rater in product(SOURCES, DECODINGS, RATERS):
        yield {"source": source, "decoding": decoding, "rater": rater}


def noise(generator: Generator, size: int, skewed: bool) -> np.ndarray:
    return generator.exponential(1.0, size) - 1 if skewed else generator.normal(0, 1, size)


def two_sided(
    generator: Generator, origins: int, effect: float, *, nested: bool, skewed: bool = False
) -> list[CellData]:
    """Each source has its origins and each decoding its texts; the raters are noisy copies of one another."""
    cells: dict[tuple[str, str, str], CellData] = {}
    for source in SOURCES:
        labels = np.repeat(np.arange(origins), generator.integers(2, 9, origins))
        if nested:
            sides = (labels % 3 == 0).astype(int)
        else:
            sides = generator.integers(0, 2, len(labels))
            first = np.flatnonzero(np.diff(labels, prepend=-1))
            sides[first], sides[first + 1] = 0, 1
        shift = noise(generator, origins, skewed)
        lean = generator.normal(0, 0.3, origins)
        for decoding in DECODINGS:
            own = 0.5 * generator.normal(0, 1, origins) + shift
            text = own[labels] + (effect + lean[labels]) * (0.5 - sides) + noise(generator, len(labels), skewed)
            for number, rater in enumerate(RATERS):
                rating = text + (0.2 + 0.4 * number) * generator.normal(0, 1, len(labels))
                if number == 1:
                    rating = (rating > 1).astype(float)
                rating[generator.random(len(labels)) < 0.03] = np.nan
                names = np.char.add(source, labels.astype(str))
                choices = {"source": source, "decoding": decoding, "rater": rater}
                cells[source, decoding, rater] = CellData.of(choices, rating, names, sides)
    return list(cells.values())


def crossed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return two_sided(generator, origins, effect, nested=False)


def nested(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return two_sided(generator, origins, effect, nested=True)


def nested_skewed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return two_sided(generator, origins, effect, nested=True, skewed=True)


def nested_unlike(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """The same mean but not the same spread: a quarter of the origins, of one group, vary three times as much."""
    labels = np.repeat(np.arange(origins), generator.integers(2, 9, origins))
    group = (np.arange(origins) % 4 == 0).astype(int)
    own = generator.normal(0, 1, origins) * np.where(group == 1, 3, 1)
    return [
        CellData.of(choices, own[labels] + generator.normal(0, 1, len(labels)), labels, group[labels])
        for choices in grid()
    ]


def signed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """Margins and choices of pairs; the three scorers are noisy copies of one another."""
    cells = []
    lean = {source: effect + 0.5 * generator.normal(0, 1, origins) for source in SOURCES}
    for choices in grid():
        labels = np.repeat(np.arange(origins), 4)
        values = lean[choices["source"]][labels] + generator.normal(0, 1, len(labels))
        names = np.char.add(choices["source"], labels.astype(str))
        chosen = choices["rater"] == "two"
        cells.append(
            CellData.of(
                choices, np.where(values > 0, 1.0, 0.0) if chosen else values, names, neutral=0.5 if chosen else 0.0
            )
        )
    return cells


def both(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """Crossed, nested and signed cells in one curve."""
    found = []
    for view, world in (("crossed", crossed), ("nested", nested), ("signed", signed)):
        for cell in world(generator, origins, effect):
            names = np.char.add(view, cell.origins)
            choices = {**cell.choices, "view": view}
            found.append(CellData.of(choices, cell.values, names, cell.sides, neutral=cell.neutral))
    return found


def copies(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """Twelve raters that all but agree on the same texts."""
    labels, sides = np.repeat(np.arange(origins), 8), np.tile([0, 1], 4 * origins)
    text = generator.normal(0, 1, origins)[labels] + effect * (0.5 - sides) + generator.normal(0, 1, len(labels))
    return [
        CellData.of({"rater": str(rater)}, text + 0.05 * generator.normal(0, 1, len(text)), labels, sides)
        for rater in range(12)
    ]


def stereotypes(generator: Generator, origins: int, effect: float, *, sided: bool) -> list[CellData]:
    """Pairs with two attribute sets and a model that prefers one group throughout, given in either of two ways."""
    sets = np.where(np.arange(origins) % 2 == 0, 1, -1)
    labels = np.repeat(np.arange(origins), 3)
    preferred = (effect * sets + 0.8 + generator.normal(0, 0.5, origins))[labels]
    cells = []
    for number in range(6):
        values, own = preferred + generator.normal(0, 1, len(labels)), sets[labels]
        choices = {"scorer": str(number)}
        if sided:
            cells.append(CellData.of(choices, values, labels, np.where(own > 0, 0, 1)))
        else:
            cells.append(CellData.of(choices, values * own, labels, strata=own.astype(str)))
    return cells


def in_strata(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return stereotypes(generator, origins, effect, sided=False)


def as_sides(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return stereotypes(generator, origins, effect, sided=True)


def tested(cells: list[CellData], seed: int) -> CurveTest:
    """The test alone: intervals of single cells play no part in it and take most of the time."""
    from tiltmeter.records import Estimate
    from tiltmeter.stats.cells import CellResult

    sums = tuple(cell.sums() for cell in cells)
    some = CellResult({}, Estimate(0.0), Estimate(0.0), 1.0, 1)
    return curve_test(Cells(tuple(cells), (some,) * len(cells), sums), permutations=PERMUTATIONS, seed=seed)


def false_alarms(world: World, origins: int, effect: float, rounds: int) -> list[float]:
    generator = np.random.default_rng([rounds, origins, len(world.__name__)])
    found = []
    for number in range(rounds):
        test = tested(world(generator, origins, effect), number)
        assert test.median and test.sign_share and test.significant_share and test.p is not None
        found.append([test.median.p, test.sign_share.p, test.significant_share.p, test.p])
    return [float(share) for share in np.mean(np.array(found) < 0.05, axis=0)]


def interval(share: float, rounds: int) -> tuple[float, float]:
    """The exact 99 % interval of a rate."""
    from scipy.stats import binomtest

    found = binomtest(round(share * rounds), rounds).proportion_ci(0.99, method="exact")
    return float(found.low), float(found.high)


def rates(worlds: list[tuple[str, World]], effect: float, rounds: int) -> None:
    print("| cells | origins | median | signs | significant | **overall** | 99 % interval |")
    print("|---|---|---|---|---|---|---|")
    for name, world in worlds:
        for origins in (20, 50) if effect or world is nested_unlike else (8, 20, 50):
            each = false_alarms(world, origins, effect, rounds)
            low, high = interval(each[-1], rounds)
            shares = " | ".join(f"{share:.1%}" for share in each)
            print(f"| {name} | {origins} | {shares} | {low:.1%} to {high:.1%} |", flush=True)


def verdicts(world: World, effect: float, rounds: int) -> dict[str, float]:
    """How often each verdict is given."""
    generator = np.random.default_rng([rounds, int(100 * effect)])
    found = [multiverse(world(generator, 30, effect), permutations=399, seed=number) for number in range(rounds)]
    strengths: tuple[Literal["survives", "mixed", "no evidence"], ...] = ("survives", "mixed", "no evidence")
    return {name: float(np.mean([each.verdict.strength == name for each in found])) for name in strengths}


def speed() -> None:
    """48 cells of 2,000 items each from 200 origins, 1,999 permutations."""
    generator = np.random.default_rng(0)
    labels = np.tile(np.repeat(np.arange(200), 5), 2)
    sides = np.repeat([0, 1], 1000)
    cells = [
        CellData.of({"rater": str(rater), "seed": str(seed)}, generator.normal(size=2000), labels, sides)
        for rater in range(6)
        for seed in range(8)
    ]
    clock = [time.perf_counter()]
    evaluated = evaluate(cells)
    clock.append(time.perf_counter())
    curve_test(evaluated)
    clock.append(time.perf_counter())
    multiverse(cells)
    clock.append(time.perf_counter())
    first, second, third = np.diff(clock)
    print(f"48 cells × 2,000 items: cells with intervals {first:.1f} s, test {second:.1f} s, everything {third:.1f} s")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    worlds: list[tuple[str, World]] = [
        ("crossed", crossed),
        ("nested, one group twice the other", nested),
        ("nested, skewed values", nested_skewed),
        ("signed", signed),
        ("crossed, nested and signed", both),
        ("twelve copies", copies),
        ("nested, groups of unlike spread", nested_unlike),
    ]
    speed()
    print(f"\nNo effect, p < 0.05 in {rounds:,} rounds:\n")
    rates(worlds, 0.0, rounds)
    print(f"\nAn effect of 0.3 standard deviations of noise, {rounds // 10:,} rounds:\n")
    rates(worlds[:1] + worlds[1:2] + worlds[3:4], 0.3, rounds // 10)
    print("\nPairs with two attribute sets, 20 terms: overall p < 0.05 without and with a stereotype of 0.3\n")
    for name, world in (("signed items in strata", in_strata), ("two sides", as_sides)):
        found = [false_alarms(world, 20, effect, rounds // 5)[-1] for effect in (0.0, 0.3)]
        print(name, [f"{share:.1%}" for share in found])
    print("\nVerdicts with 30 origins:\n")
    for effect in (0.0, 0.3, 1.0):
        print(effect, {name: f"{share:.0%}" for name, share in verdicts(crossed, effect, rounds // 20).items()})


if __name__ == "__main__":
    main()
