"""Multiverses of which the truth is known, for `multiverse_test.py`: an effect of so much, or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from tiltmeter.stats.multiverse.cells import CellData

Generator = np.random.Generator
World = Callable[[Generator, int, float], list[CellData]]
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
        names = np.char.add(source, labels.astype(str))
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
                choices = {"source": source, "decoding": decoding, "rater": rater}
                cells[source, decoding, rater] = CellData.of(choices, rating, names, sides)
    return list(cells.values())


def crossed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return two_sided(generator, origins, effect, nested=False)


def nested(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return two_sided(generator, origins, effect, nested=True)


def nested_skewed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return two_sided(generator, origins, effect, nested=True, skewed=True)


def counted(
    generator: Generator, origins: int, effect: float, counts: Callable[[], tuple[int, int]], *, skewed: bool = False
) -> list[CellData]:
    """Crossed, with so many texts of either group in each origin."""
    cells = []
    for source in SOURCES:
        each = np.array([counts() for _ in range(origins)])
        labels = np.repeat(np.arange(origins), each.sum(axis=1))
        sides = np.concatenate([np.repeat([0, 1], both) for both in each])
        shift, lean = noise(generator, origins, skewed), generator.normal(0, 0.3, origins)
        names = np.char.add(source, labels.astype(str))
        for decoding in DECODINGS:
            own = 0.5 * generator.normal(0, 1, origins) + shift
            text = own[labels] + (effect + lean[labels]) * (0.5 - sides) + noise(generator, len(labels), skewed)
            for number, rater in enumerate(RATERS):
                rating = text + (0.2 + 0.4 * number) * generator.normal(0, 1, len(labels))
                choices = {"source": source, "decoding": decoding, "rater": rater}
                cells.append(CellData.of(choices, (rating > 1) if number == 1 else rating, names, sides))
    return cells


def three_and_three(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return counted(generator, origins, effect, lambda: (3, 3))


def six_and_two(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """A difference of means within an origin has the same error as with three and three: 1/6 + 1/2 = 1/3 + 1/3."""
    return counted(generator, origins, effect, lambda: (6, 2))


def seven_and_one(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return counted(generator, origins, effect, lambda: (7, 1))


def any_counts(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """From one to seven texts of either group, and values that are skewed, levels of origins too."""

    def drawn() -> tuple[int, int]:
        first, second = generator.integers(1, 8, 2).tolist()
        return first, second

    return counted(generator, origins, effect, drawn, skewed=True)


def unlike(
    generator: Generator, origins: int, effect: float, spreads: tuple[float, float], counts: tuple[int, int] | None
) -> list[CellData]:
    """Nested: a quarter of the origins are of the second group. Spreads of origins, and texts of each, by group."""
    group = (np.arange(origins) % 4 == 0).astype(int)
    each = generator.integers(2, 9, origins) if counts is None else np.array(counts)[group]
    labels = np.repeat(np.arange(origins), each)
    own = generator.normal(0, 1, origins) * np.array(spreads)[group] + effect * (0.5 - group)
    return [
        CellData.of(choices, own[labels] + generator.normal(0, 1, len(labels)), labels, group[labels])
        for choices in grid()
    ]


def nested_unlike(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """The same mean but not the same spread: the smaller group varies three times as much."""
    return unlike(generator, origins, effect, (1, 3), None)


def nested_unlike_larger(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return unlike(generator, origins, effect, (3, 1), None)


def nested_unlike_counts(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """The smaller group varies three times as much between origins and has two texts of each, the other eight."""
    return unlike(generator, origins, effect, (1, 3), (8, 2))


def shared(generator: Generator, origins: int, effect: float, world: World) -> list[CellData]:
    """The two sources have the same origins, and what is special about an origin is in both."""
    found = world(generator, origins, effect)
    special = generator.normal(0, 0.7, origins)
    cells = []
    for cell in found:
        numbers = np.array([int(name.removeprefix(cell.choices["source"])) for name in cell.origins])
        # With two groups in an origin, what is special is how the groups differ; else it is its level.
        sides = None if cell.sides is None else cell.sides
        crossed_here = sides is not None and len(np.unique(numbers[sides == 0])) == origins
        lean = special[numbers] * (0.5 - sides if crossed_here and sides is not None else 1.0)
        values = cell.values if set(np.unique(cell.values[cell.scored])) <= {0.0, 1.0} else cell.values + lean
        cells.append(CellData.of(cell.choices, values, numbers, sides, neutral=cell.neutral))
    return cells


def shared_crossed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return shared(generator, origins, effect, crossed)


def shared_nested(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """As attributes of pairs, each tied to one group and asked about in every source."""
    return shared(generator, origins, effect, nested)


def shared_signed(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """As professions of next words, in templates and in natural sentences."""
    return shared(generator, origins, effect, signed)


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


TEMPLATES = 17


def over_templates(
    generator: Generator, origins: int, effect: float, spreads: tuple[float, float, float], *, sided: bool = False
) -> list[CellData]:
    """Next words: professions in 17 templates, four measures that are noisy copies of one another.

    `spreads` are those of professions, of templates and of single prompts. With `sided`, half of the professions are
    tied to either group, and templates treat the two halves unlike.
    """
    professions, templates = np.repeat(np.arange(origins), TEMPLATES), np.tile(np.arange(TEMPLATES), origins)
    sides = professions % 2
    own, of_template = generator.normal(0, spreads[0], origins), generator.normal(0, spreads[1], (2, TEMPLATES))
    lean = effect * ((0.5 - sides) if sided else 1.0)
    by_template = of_template[sides if sided else 0, templates]
    common = lean + own[professions] + by_template + generator.normal(0, spreads[2], len(professions))
    return [
        CellData.of(
            {"measure": str(number)},
            common + 0.3 * spreads[2] * generator.normal(0, 1, len(common)),
            np.char.add("profession ", professions.astype(str)),
            sides if sided else None,
            templates=[str(name) for name in templates],
        )
        for number in range(4)
    ]


def templates_vary_alike(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """Means over professions and means over templates vary by the same."""
    return over_templates(generator, origins, effect, (1.0, (TEMPLATES / origins) ** 0.5, 1.0))


def templates_vary_more(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return over_templates(generator, origins, effect, (0.2, 1.0, 1.0))


def templates_do_not_vary(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return over_templates(generator, origins, effect, (1.0, 0.0, 1.0))


def stereotype_in_templates(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """By stereotype, with templates that vary as much as attributes."""
    return over_templates(generator, origins, effect, (1.0, (TEMPLATES / origins) ** 0.5, 1.0), sided=True)


def pairs_in_templates(generator: Generator, origins: int, effect: float) -> list[CellData]:
    """Pairs whose stereotype, which is none on the whole, varies with attribute, template and words for the groups."""
    each, templates, terms = 16, 8, 6
    labels = np.repeat(np.arange(origins), each)
    sides = labels % 2
    place = np.arange(len(labels))
    in_template, with_words = (place + labels) % templates, generator.integers(0, terms, len(labels))
    towards = np.where(sides == 0, 1.0, -1.0)
    stereotype = effect + generator.normal(0, 0.5, templates)[in_template] + generator.normal(0, 0.5, terms)[with_words]
    lean = generator.normal(0, 1, origins)[labels] + generator.normal(0, 1, terms)[with_words]
    cells = []
    for number in range(3):
        margins = lean + towards * stereotype + generator.normal(0, 1, len(labels))
        for measure, values, neutral in (("preference", (margins > 0).astype(float), 0.5), ("margin", margins, 0.0)):
            cells.append(
                CellData.of(
                    {"scorer": str(number), "measure": measure},
                    values,
                    labels,
                    sides,
                    neutral=neutral,
                    scale=(0.0, 1.0) if measure == "preference" else None,
                    templates=[str(one) for one in in_template],
                    terms=[str(one) for one in with_words],
                    parts=[(str(side),) for side in sides],
                )
            )
    return cells


def leaning_skewed(generator: Generator, origins: int, effect: float, *, sided: bool) -> list[CellData]:
    """Origins lean by chance, a few of them far to one side and most a little to the other: none on the whole."""
    lean = generator.lognormal(0, 1, origins) - np.exp(0.5) + effect
    labels = np.repeat(np.arange(origins), 4)
    sides = np.tile([0, 1], 2 * origins)
    cells = []
    for number in range(6):
        noise_of = 0.3 * generator.normal(0, 1, len(labels))
        values = lean[labels] * (0.5 - sides) + noise_of if sided else lean[labels] + noise_of
        cells.append(CellData.of({"rater": str(number)}, values, labels, sides if sided else None))
    return cells


def skewed_leaning(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return leaning_skewed(generator, origins, effect, sided=False)


def skewed_leaning_of_groups(generator: Generator, origins: int, effect: float) -> list[CellData]:
    return leaning_skewed(generator, origins, effect, sided=True)
