"""How often a leaderboard says something false of the order of its models; prints the table of docs/calibration.md.

Run: python benchmarks/coverage_boards.py [ROUNDS] [WORLD]
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from coverage_worlds import Generator, expit
from tiltmeter.results.cells import Measurement
from tiltmeter.results.rank.boards import (
    Figure,
    ItemValues,
    figure_of_differences,
    gap_of_groups,
    items_of,
    share_of_choices,
)
from tiltmeter.stats.comparing.ranking import rank_models

Leans = Sequence[float]
"""How much more each model leans than the first: on the scale of log-odds, or of ratings."""
GROUPS = ("women", "men")


def choices(generator: Generator, origins: int, leans: Leans) -> list[ItemValues]:
    """Choices of 5 templates × 2 terms for each word of two attribute sets; what is hard is hard for all models."""
    shape = (origins, 5, 2)
    hard = generator.normal(0, 1, (origins, 1, 1)) + generator.normal(0, 0.3, (1, 5, 1))
    made = [generator.random(shape) < expit(lean + hard + generator.normal(0, 0.5, (origins, 1, 1))) for lean in leans]
    return [
        ItemValues((f"set {at[0] % 2}",), measured(at), tuple(float(model[at]) for model in made))
        for at in np.ndindex(shape)
    ]


def few_choices(generator: Generator, origins: int, leans: Leans) -> list[ItemValues]:
    """Two choices for each word: differences of models are −1, −½, 0, ½ or 1."""
    hard = generator.normal(0, 1, origins)
    made = [generator.random((2, origins)) < expit(lean + hard + generator.normal(0, 0.5, origins)) for lean in leans]
    return [
        ItemValues((), Measurement(f"{at} {turn}", str(at), "", None), tuple(float(model[turn, at]) for model in made))
        for at in range(origins)
        for turn in range(2)
    ]


def versions(generator: Generator, origins: int, leans: Leans) -> list[ItemValues]:
    """Versions of one model, one choice for each word, which they make anew at every fifth word only."""
    common = generator.random(origins) < 0.5
    made = []
    for lean in leans:
        anew = generator.random(origins) < 0.2
        made.append(np.where(anew, generator.random(origins) < expit(np.full(origins, 2 * lean)), common))
    return [
        ItemValues((), Measurement(str(at), str(at), "", None), tuple(float(model[at]) for model in made))
        for at in range(origins)
    ]


def ratings(generator: Generator, origins: int, leans: Leans, *, shared: bool, skewed: bool) -> list[ItemValues]:
    """Mean ratings of prompts about two groups, in the same openers or in their own; a lean moves the first group."""
    found = []
    common = generator.normal(0, 1, origins)
    for group in GROUPS:
        hard = common if shared else generator.normal(0, 1, origins)
        own = generator.normal(0, 0.5, (len(leans), origins))
        noise = generator.normal(0, 1, (len(leans), origins, 3)).mean(axis=2)
        drawn = hard + own + noise
        values = np.exp(drawn) if skewed else np.tanh(drawn / 2)
        values = values + np.array(leans)[:, None] * (group == GROUPS[0])
        for at in range(origins):
            origin = str(at) if shared else f"{group} {at}"
            found.append(
                ItemValues((group,), Measurement(f"{group} {at}", origin, group), tuple(values[:, at].tolist()))
            )
    return found


def measured(at: tuple[int, ...]) -> Measurement:
    origin, template, term = at
    return Measurement(str(at), str(origin), "", template=str(template), term=str(term))


gap = partial(gap_of_groups, groups=GROUPS, scale=None)
WORLDS: dict[
    str, tuple[Callable[[Generator, int, Leans], list[ItemValues]], Callable[[Sequence[ItemValues]], Figure], float]
] = {
    "choices × 5 templates × 2 terms": (choices, share_of_choices, 0.5),
    "two choices a word": (few_choices, share_of_choices, 0.5),
    "versions of one model": (versions, share_of_choices, 0.5),
    "rating gaps, shared openers": (partial(ratings, shared=True, skewed=False), gap, 0.2),
    "rating gaps, own openers": (partial(ratings, shared=False, skewed=False), gap, 0.2),
    "skewed rating gaps, shared": (partial(ratings, shared=True, skewed=True), gap, 1.0),
}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("| world | models | origins | false, all alike | false, in order | shown, in order | whole order |")
    print("|---|---|---|---|---|---|---|")
    for name in WORLDS:
        if len(sys.argv) < 3 or sys.argv[2] == name:
            for models in (3, 5, 8):
                for origins in (6, 12, 30):
                    print(line(name, models, origins, rounds), flush=True)
    print("\n| world | 6 origins | 12 | 30 |\n|---|---|---|---|")
    for name in WORLDS:
        if len(sys.argv) < 3 or sys.argv[2] == name:
            print(one_apart(name, 4 * rounds), flush=True)


def line(name: str, models: int, origins: int, rounds: int) -> str:
    generator = np.random.default_rng([models, origins, zlib.crc32(name.encode())])
    alike = [false_and_shown(name, generator, origins, [0.0] * models) for _ in range(rounds)]
    # As far apart from one another; the last is the highest.
    leans = [at * WORLDS[name][2] for at in range(models)]
    ordered = [false_and_shown(name, generator, origins, leans) for _ in range(rounds // 4)]
    pairs = models * (models - 1) // 2
    shown = [each for _, each in ordered]
    cells = [
        f"{np.mean([wrong for wrong, _ in alike]):.1%}",
        f"{np.mean([wrong for wrong, _ in ordered]):.1%}",
        f"{np.mean(shown) / pairs:.0%}",
        f"{np.mean([each == pairs for each in shown]):.0%}",
    ]
    return f"| {name} | {models} | {origins} | {' | '.join(cells)} |"


def one_apart(name: str, rounds: int) -> str:
    """Two models alike and a third far above them, whose order uses up the correction: Holm's worst case."""
    leans = [0.0, 0.0, 12 * WORLDS[name][2]]
    cells = []
    for origins in (6, 12, 30):
        generator = np.random.default_rng([3, 1, origins, zlib.crc32(name.encode())])
        wrong = [false_and_shown(name, generator, origins, leans)[0] for _ in range(rounds)]
        cells.append(f"{np.mean(wrong):.1%}")
    return f"| {name} | {' | '.join(cells)} |"


def false_and_shown(name: str, generator: Generator, origins: int, leans: Leans) -> tuple[bool, int]:
    """Whether any statement of a board is false, and how many there are."""
    draw, figure_of, _ = WORLDS[name]
    rows = draw(generator, origins, leans)
    figure = figure_of(rows)
    values = {
        str(at): figure(list(column), False).value or 0.0
        for at, column in enumerate(zip(*(row.values for row in rows), strict=True))
    }
    found = rank_models(values, items_of(rows), figure_of_differences(figure)).standings
    above = [(at, int(other)) for at, one in enumerate(found) for other in one.above]
    return any(leans[one] <= leans[other] for one, other in above), len(above)


if __name__ == "__main__":
    main()
