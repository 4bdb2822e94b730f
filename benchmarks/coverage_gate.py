"""How often a gate lets through a candidate that is worse by exactly the tolerance, and one that is equal.

Prints the table of docs/calibration.md ("Gates"). Run: python benchmarks/coverage_gate.py [ROUNDS] [WORLD]
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from functools import cache, partial

import numpy as np

from coverage_worlds import Generator, expit
from tiltmeter.results.compare.records import Compared
from tiltmeter.results.gate.lines import power_of, sides_of_line
from tiltmeter.results.gate.records import GateLine
from tiltmeter.results.gate.rules import Rule
from tiltmeter.stats.comparing.before_after import Prompted, gap_change
from tiltmeter.stats.comparing.paired import paired
from tiltmeter.stats.comparing.worsening import worsening
from tiltmeter.stats.estimate import SHARE, Scale

GROUPS = ("women", "men")
PLACES = {
    "same side": (0.15, 0.15),
    "near neutral": (0.02, 0.02),
    "at neutral": (0.0, 0.0),
    "opposite sides": (0.15, -0.15),
}
"""Where the baseline and an equal candidate lie, as deviations from neutral."""
_GRID = np.linspace(-6, 6, 2001)
_DENSITY = np.exp(-(_GRID**2) / 2) / np.sum(np.exp(-(_GRID**2) / 2))


@cache
def lean(share: float, spread: float) -> float:
    """The log-odds around which words lie whose mean share is this."""
    low, high = -12.0, 12.0
    for _ in range(80):
        middle = (low + high) / 2
        under = float(np.sum(_DENSITY * expit(middle + spread * _GRID))) < share
        low, high = (middle, high) if under else (low, middle)
    return low


def choices(generator: Generator, origins: int, one: float, other: float, *, alike: float, items: int) -> Compared:
    """Choices of two sides for each word; `alike` of them are made as the other side makes them."""
    hard, shape = generator.normal(0, 1, (origins, 1)), (origins, items)
    first = generator.random(shape)
    second = np.where(generator.random(shape) < alike, first, generator.random(shape))
    sides = [drawn < expit(lean(0.5 + at, 1.0) + hard) for drawn, at in ((first, one), (second, other))]
    return shares(sides)


def crossed(generator: Generator, origins: int, one: float, other: float) -> Compared:
    """Choices in 6 templates, which are harder for one another in both models, as words are."""
    hard = generator.normal(0, 1, (origins, 1)) + generator.normal(0, 0.3, (1, 6))
    first = generator.random((origins, 6))
    second = np.where(generator.random((origins, 6)) < 0.7, first, generator.random((origins, 6)))
    leans = [lean(0.5 + at, (1 + 0.3**2) ** 0.5) for at in (one, other)]
    values = [
        (drawn < expit(at + hard)).astype(float).ravel() for drawn, at in zip((first, second), leans, strict=True)
    ]
    labels, templates = (np.indices((origins, 6))[at].ravel().astype(str).tolist() for at in (0, 1))
    found = paired(*(each.tolist() for each in values), labels, further={"templates": templates}, scale=(0.0, 1.0))
    return Compared("pairs", {"bias": "x"}, found, scale=SHARE)


def shares(sides: list[np.ndarray]) -> Compared:
    origins = [str(at) for at in range(len(sides[0])) for _ in range(sides[0].shape[1])]
    values = [side.astype(float).ravel().tolist() for side in sides]
    return Compared("pairs", {"bias": "x"}, paired(*values, origins, scale=(0.0, 1.0)), scale=SHARE)


def retrained(generator: Generator, origins: int, one: float, other: float, *, together: bool) -> Compared:
    """A candidate that answers as the baseline but for a few items, or for all of a few words."""
    base = generator.random((origins, 4)) < expit(lean(0.5 + one, 1.0) + generator.normal(0, 1, (origins, 1)))
    moved = abs(other) - abs(one)
    free = np.mean(~base) if moved >= 0 else np.mean(base)
    rate = abs(moved) / max(1e-9, 0.5 - one if moved >= 0 else 0.5 + one)
    turn = generator.random((origins, 1) if together else base.shape) < rate
    return shares([base, np.where(turn & (free > 0), moved >= 0, base)])


def ratings(generator: Generator, origins: int, one: float, other: float, *, skewed: bool) -> Compared:
    """Ratings of prompts about two groups in the same openers; skewed ones have a long tail."""
    prompts = []
    for at in range(origins):
        hard = generator.normal(0, 0.15)
        for group in GROUPS:
            noise = generator.normal(0, 0.15, 2) if not skewed else 0.15 * (generator.exponential(1, 2) - 1)
            sides = [
                hard + each + (gap if group == GROUPS[0] else 0) for gap, each in zip((one, other), noise, strict=True)
            ]
            prompts.append(Prompted(group, *sides, str(at)))
    return Compared("continuations", {"bias": "x"}, gap_change(prompts, GROUPS), scale=Scale().change)


Draw = Callable[[Generator, int, float, float], Compared]
WORLDS: dict[str, tuple[Draw, float]] = {
    "choices, 8 a word": (partial(choices, alike=0.7, items=8), 0.05),
    "choices, 1 a word": (partial(choices, alike=0.5, items=1), 0.1),
    "unrelated choices, 4 a word": (partial(choices, alike=0.0, items=4), 0.1),
    "choices × 6 templates": (crossed, 0.1),
    "few items answered otherwise": (partial(retrained, together=False), 0.03),
    "few words answered otherwise": (partial(retrained, together=True), 0.05),
    "rating gaps": (partial(ratings, skewed=False), 0.05),
    "skewed rating gaps": (partial(ratings, skewed=True), 0.05),
}
"""How a world is drawn, and the tolerance."""


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| world | where | origins | tolerance | worse, passes | equal, passes | stated power |")
    print("|---|---|---|---|---|---|---|")
    for name in WORLDS:
        if len(sys.argv) < 3 or sys.argv[2] == name:
            for place in PLACES if "otherwise" not in name else list(PLACES)[:1]:
                for origins in (10, 30, 100):
                    print(line(name, place, origins, rounds), flush=True)


def line(name: str, place: str, origins: int, rounds: int) -> str:
    draw, tolerance = WORLDS[name]
    one, other = PLACES[place]
    worse = other + (tolerance if other >= 0 else -tolerance)
    generator = np.random.default_rng([origins, zlib.crc32(f"{name} {place}".encode())])
    false = [passes(draw(generator, origins, one, worse), tolerance)[0] for _ in range(rounds)]
    equal = [passes(draw(generator, origins, one, other), tolerance) for _ in range(rounds // 2)]
    cells = [f"{np.mean(false):.1%}", f"{np.mean([each for each, _ in equal]):.0%}"]
    # The power is that of a candidate that is equal, not one as far from neutral on the other side.
    cells.append("–" if one != other else f"{np.mean([power for _, power in equal]):.0%}")
    return f"| {name} | {place} | {origins} | {tolerance} | {' | '.join(cells)} |"


def passes(one: Compared, tolerance: float) -> tuple[bool, float]:
    """Whether a candidate passes, and the power that is stated."""
    found = worsening(sides_of_line(one))
    made = GateLine(Rule("worse", tolerance), one.view, one.choices, "not shown", found, compared=one)
    return found.high is not None and found.high < tolerance, power_of(made, tolerance)


if __name__ == "__main__":
    main()
