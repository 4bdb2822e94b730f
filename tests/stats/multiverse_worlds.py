"""Small multiverses of which the truth is known."""

from __future__ import annotations

from itertools import product

import numpy as np

from tiltmeter.stats.multiverse.cells import CellData

SOURCES, DECODINGS, RATERS = ("templates", "natural"), ("t=0", "t=1"), ("vader", "roberta", "regard")


def crossed(
    seed: int,
    effect: float | dict[str, float] = 0.0,
    *,
    origins: int = 24,
    nested: bool = False,
    noise: float = 0.5,
) -> list[CellData]:
    """Twelve cells: each source has its origins, raters are noisy copies of one another; lower is worse.

    An effect by setting is planted in the cells that have it; positive is worse for the first group.
    """
    generator = np.random.default_rng(seed)
    cells = []
    for source in SOURCES:
        labels = np.repeat(np.arange(origins), 4)
        sides = labels % 2 if nested else np.tile([0, 1], 2 * origins)
        names = np.char.add(source, labels.astype(str))
        own = generator.normal(0, 0.5, origins)[labels] + generator.normal(0, 1, len(labels))
        for decoding, rater in product(DECODINGS, RATERS):
            choices = {"source": source, "decoding": decoding, "rater": rater}
            planted = effect if isinstance(effect, float) else sum(effect.get(each, 0) for each in choices.values())
            values = own + planted * (sides - 0.5) + noise * generator.normal(0, 1, len(labels))
            cells.append(CellData.of(choices, values, names, sides, orientation=-1))
    return cells


def signed(seed: int, effect: float = 0.0, origins: int = 24) -> list[CellData]:
    """Shares of stereotyped choices by four scorers that resemble one another; higher is worse."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(origins), 3)
    own = effect + generator.normal(0, 0.5, origins)[labels] + generator.normal(0, 1, len(labels))
    return [
        CellData.of(
            {"scorer": scorer, "seed": number},
            np.where(own + 0.5 * generator.normal(0, 1, len(labels)) > 0, 1.0, 0.0),
            labels,
            neutral=0.5,
        )
        for scorer, number in product(("sum", "mean"), "12")
    ]


def turned(cell: CellData) -> CellData:
    """The same cell with the groups exchanged."""
    if cell.sides is None:
        return CellData.of(cell.choices, 2 * cell.neutral - cell.values, cell.origins, neutral=cell.neutral)
    return CellData.of(cell.choices, cell.values, cell.origins, 1 - cell.sides, orientation=cell.orientation)
