"""Every text counts the same, or every origin does: the same items put together in two ways.

An origin with many texts weighs more where every text counts. Where all origins have about as many scored texts the two
are nearly the same, and a choice between them would only show every cell twice.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tiltmeter.stats.multiverse.cells import CellData, Cells

ORIGINS = "origins"
"""The setting under which every origin counts the same."""
ALIKE = 0.95
"""Origins count as alike where their number, each weighed by its texts, is at least this share of what it is."""


def matters(cell: CellData) -> bool:
    """Whether origins of one side have unlike numbers of scored items, so that it matters what counts the same.

    That is read from the numbers alone, never from the values. Weighed by its texts, a number of origins comes to
    (Σn)² / Σn², which is their number where all have as many.

    >>> matters(CellData.of({}, [1.0, 2.0, 3.0], ["x", "y", "y"], [0, 0, 0]))
    True
    """
    if cell.sides is None:
        return False
    scored = cell.scored
    for side in (0, 1):
        _, counts = np.unique(cell.origins[scored & (cell.sides == side)], return_counts=True)
        if len(counts) and counts.sum() ** 2 < ALIKE * len(counts) * np.sum(counts**2):
            return True
    return False


def matters_in_most(cells: Sequence[CellData]) -> bool:
    """Whether it matters in half of the cells that compare two sides, so that each is shown both ways."""
    two_sided = [cell for cell in cells if cell.sides is not None]
    return bool(two_sided) and 2 * sum(map(matters, two_sided)) >= len(two_sided)


def over_origins(cell: CellData) -> CellData:
    """The means of each origin and side in place of the items; unscored where nothing of it was scored.

    >>> made = over_origins(CellData.of({}, [1.0, 2.0, None, None], ["x", "x", "x", "y"], [0, 0, 0, 1]))
    >>> made.values.tolist(), made.origins.tolist()
    ([1.5, nan], ['x', 'y'])
    """
    assert cell.sides is not None and cell.strata is None
    names, rows = np.unique(cell.origins, return_inverse=True)
    places = 2 * rows + cell.sides
    kept = np.unique(places)
    order = np.argsort(places, kind="stable")
    parts = np.split(cell.values[order], np.searchsorted(places[order], kept[1:]))
    means = [_mean(part[~np.isnan(part)].tolist()) for part in parts]
    sides = (kept % 2).astype(np.int8)
    # A mean of an origin is over its templates: it has none of its own.
    return replace(
        cell,
        values=np.array(means),
        origins=names[kept // 2],
        sides=sides,
        templates=None,
        chances=None,
        terms=None,
        parts=None,
        behind=None if cell.terms is None else cell,
    )


def in_deviations_of(found: Cells, deviations: Sequence[float | None]) -> Cells:
    """The cells with effects in these standard deviations; None leaves a cell as it is.

    Means of origins vary less than texts. In standard deviations of their own the same difference would look larger,
    and how items are put together would seem to matter where it does not: so theirs are those of the texts.
    """
    results = []
    for result, sd in zip(found.results, deviations, strict=True):
        if sd is None or result.sign is None:
            results.append(result)
            continue
        raw = result.raw
        value, low, high = (None if end is None else end / sd for end in (raw.value, raw.low, raw.high))
        effect = replace(raw, value=value, low=low, high=high)
        results.append(replace(result, effect=effect, sd=sd))
    return replace(found, results=tuple(results))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan
