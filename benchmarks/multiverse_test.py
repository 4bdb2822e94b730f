"""How often the test of a whole curve cries wolf, how often it finds what is there, and how long it takes.

Run `nice python benchmarks/multiverse_test.py [--rounds 2000] [--processes 2] [--write]`; its tables are in RESULTS.md.
In a world without an effect an honest test has p < 0.05 in 5 % of the rounds or fewer. The worlds are in
`multiverse_worlds.py`; `multiverse_run.py` takes a run from its study to its cells, and exchanges groups there.
`--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
import zlib
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.metadata import version
from itertools import chain

import numpy as np

import multiverse_worlds as worlds
from common import keep
from multiverse_run import exchanged_labels
from multiverse_worlds import World
from tiltmeter.stats.multiverse.cells import CellData, Cells, evaluate
from tiltmeter.stats.multiverse.conclusion import multiverse
from tiltmeter.stats.multiverse.verdict import DEPENDS, HOLDS, INCONCLUSIVE, NONE_LARGER, Strength
from tiltmeter.stats.multiverse.whole_curve import CurveTest, curve_test

PERMUTATIONS = 399
FEW, USUAL = (8, 20, 50), (20, 50)
NO_EFFECT: list[tuple[str, World, tuple[int, ...]]] = [
    ("crossed", worlds.crossed, FEW),
    ("crossed, 3 texts of either group", worlds.three_and_three, USUAL),
    ("crossed, 6 texts of one and 2 of the other", worlds.six_and_two, USUAL),
    ("crossed, 7 texts of one and 1 of the other", worlds.seven_and_one, USUAL),
    ("crossed, 1 to 7 texts of either, skewed values", worlds.any_counts, USUAL),
    ("crossed, sources share origins", worlds.shared_crossed, USUAL),
    ("nested, one group twice the other", worlds.nested, FEW),
    ("nested, skewed values", worlds.nested_skewed, FEW),
    ("nested, sources share origins", worlds.shared_nested, USUAL),
    ("nested, the smaller group varies 3 times as much", worlds.nested_unlike, USUAL),
    ("the same with 2 texts an origin against 8", worlds.nested_unlike_counts, USUAL),
    ("nested, the larger group varies 3 times as much", worlds.nested_unlike_larger, USUAL),
    ("signed", worlds.signed, FEW),
    ("signed, sources share origins", worlds.shared_signed, USUAL),
    ("next words, professions and templates vary alike", worlds.templates_vary_alike, USUAL),
    ("next words, templates vary more", worlds.templates_vary_more, USUAL),
    ("next words, templates do not vary", worlds.templates_do_not_vary, USUAL),
    ("next words by stereotype, both vary alike", worlds.stereotype_in_templates, USUAL),
    ("pairs, attributes, templates and words vary", worlds.pairs_in_templates, USUAL),
    ("signed, origins lean by a lognormal less its mean", worlds.skewed_leaning, USUAL),
    ("crossed, the same", worlds.skewed_leaning_of_groups, USUAL),
    ("crossed, nested and signed", worlds.both, USUAL),
    ("twelve copies", worlds.copies, FEW),
]
EFFECT: list[tuple[str, World]] = [
    ("crossed", worlds.crossed),
    ("crossed, 3 texts of either group", worlds.three_and_three),
    ("crossed, 6 texts of one and 2 of the other", worlds.six_and_two),
    ("crossed, 7 texts of one and 1 of the other", worlds.seven_and_one),
    ("nested, one group twice the other", worlds.nested),
    ("signed", worlds.signed),
    ("next words, professions and templates vary alike", worlds.templates_vary_alike),
    ("next words by stereotype, both vary alike", worlds.stereotype_in_templates),
    ("pairs, attributes, templates and words vary", worlds.pairs_in_templates),
]


def tested(cells: list[CellData], seed: int) -> CurveTest:
    """The test alone: intervals of single cells, which take most of the time, count only where templates vary."""
    from tiltmeter.records import Estimate
    from tiltmeter.stats.multiverse.cells import CellResult, cell_result

    sums = tuple(cell.sums() for cell in cells)
    some = tuple(
        cell_result(cell) if cell.templates is not None else CellResult({}, Estimate(0.0), Estimate(0.0), 1.0, 1)
        for cell in cells
    )
    return curve_test(Cells(tuple(cells), some, sums), permutations=PERMUTATIONS, seed=seed)


def false_alarms(world: World, origins: int, effect: float, rounds: int) -> list[float]:
    generator = np.random.default_rng([rounds, origins, zlib.crc32(world.__name__.encode())])
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


def line(given: tuple[str, World, int, float, int]) -> str:
    name, world, origins, effect, rounds = given
    each = false_alarms(world, origins, effect, rounds)
    low, high = interval(each[-1], rounds)
    shares = " | ".join(f"{share:.1%}" for share in each)
    return f"| {name} | {origins} | {shares} | {low:.1%} to {high:.1%} |"


HEAD = "| cells | origins | median | signs | significant | **overall** | 99 % interval |\n|---|---|---|---|---|---|---|"


def verdicts(world: World, effect: float, rounds: int) -> dict[str, float]:
    """How often each verdict is given."""
    generator = np.random.default_rng([rounds, int(100 * effect)])
    found = [
        multiverse(world(generator, 30, effect), permutations=PERMUTATIONS, seed=number) for number in range(rounds)
    ]
    strengths: tuple[Strength, ...] = (HOLDS, DEPENDS, INCONCLUSIVE, NONE_LARGER)
    return {name: float(np.mean([each.verdict.strength == name for each in found])) for name in strengths}


def speed() -> str:
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
    return f"48 cells × 2,000 items: cells with intervals {first:.1f} s, test {second:.1f} s, everything {third:.1f} s."


def report(rounds: int, processes: int) -> Iterator[str]:
    """The tables, line by line."""
    with ProcessPoolExecutor(processes) as pool:
        of_a_run = pool.submit(exchanged_labels, rounds, PERMUTATIONS)
        yield f"No effect, p < 0.05 in {rounds:,} rounds a line:\n"
        yield HEAD
        yield from pool.map(line, [(name, world, n, 0.0, rounds) for name, world, sizes in NO_EFFECT for n in sizes])
        fewer = rounds // 5
        yield f"\nAn effect of 0.3 standard deviations of a text's noise in every cell, {fewer:,} rounds a line:\n"
        yield HEAD
        yield from pool.map(line, [(name, world, n, 0.3, fewer) for name, world in EFFECT for n in USUAL])
    yield f"\nA run's own cells with groups exchanged between its items, {rounds:,} rounds a line:\n"
    yield "| question | cells | origins turned, exchanged | p < 0.05 | 99 % interval |\n|---|---|---|---|---|"
    for found in of_a_run.result():
        low, high = interval(found.share, rounds)
        counts = f"{found.cells} | {found.turned}, {found.exchanged}"
        yield f"| {found.question} | {counts} | {found.share:.1%} | {low:.1%} to {high:.1%} |"
    yield f"\nPairs with two attribute sets, 20 terms, p < 0.05 in {fewer:,} rounds:\n"
    yield "| items | no stereotype | a stereotype of 0.3 |\n|---|---|---|"
    for name, world in (("signed items in strata", worlds.in_strata), ("two sides", worlds.as_sides)):
        none, some = (false_alarms(world, 20, effect, fewer)[-1] for effect in (0.0, 0.3))
        yield f"| {name} | {none:.1%} | {some:.1%} |"
    yield f"\nVerdicts on the crossed cells with 30 origins, {rounds // 20} rounds a line:\n"
    yield "| effect | holds | depends on the method | inconclusive | no difference |\n|---|---|---|---|---|"
    for effect in (0.0, 0.3, 1.0):
        shares = verdicts(worlds.crossed, effect, rounds // 20).values()
        yield f"| {effect:g} | {' | '.join(f'{share:.0%}' for share in shares)} |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rounds", type=int, default=2_000)
    options.add_argument("--processes", type=int, default=2)
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    lines = []
    about = (
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`multiverse_test.py`)\n\n"
        "Twelve cells (2 sources × 2 decodings × 3 raters), raters noisy copies of one another, one giving 0 or 1; "
        f"{PERMUTATIONS} permutations; Python {platform.python_version()}, numpy {version('numpy')}, "
        f"scipy {version('scipy')}. Load before the start: {os.getloadavg()[0]:.1f}. {speed()}\n"
    )
    for each in chain([about], report(chosen.rounds, chosen.processes)):
        lines.append(each)
        print(each, flush=True)
    if chosen.write:
        keep(lines)


if __name__ == "__main__":
    main()
