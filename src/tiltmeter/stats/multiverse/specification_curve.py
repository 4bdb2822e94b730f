"""The specification curve: every cell in the order of its effect, and how many lean which way."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiltmeter.stats.multiverse.cells import ALPHA, CellResult, Cells


@dataclass(frozen=True, slots=True)
class Signs:
    """How many cells there are of each kind; positive is worse for the first group."""

    positive: int
    negative: int

    def shares(self, of: int) -> dict[str, float | None]:
        """As shares of so many cells.

        >>> Signs(3, 1).shares(4)
        {'positive': 0.75, 'negative': 0.25}
        """
        both = {"positive": self.positive, "negative": self.negative}
        return {name: count / of if of else None for name, count in both.items()}


@dataclass(frozen=True, slots=True)
class Curve:
    """The cells from the lowest effect to the highest, then those without a value."""

    cells: tuple[CellResult, ...]
    of: int
    """Cells with a value; shares are of these."""
    median: float | None
    """The median effect; None where there is none, or where half the cells have items that do not vary."""
    signs: Signs
    significant: Signs
    """After correction by Benjamini and Hochberg."""
    significant_holm: Signs
    n_comparisons: int
    """How many cells have a p-value, and so what p-values were corrected for."""

    @property
    def dominant(self) -> int:
        """The sign that more cells have; where as many have each, that of the median; 0 where that has none."""
        if self.signs.positive != self.signs.negative:
            return 1 if self.signs.positive > self.signs.negative else -1
        return 0 if not self.median else int(math.copysign(1, self.median))

    def leaning_dominant(self) -> int:
        """How many cells have the dominant sign."""
        return {1: self.signs.positive, -1: self.signs.negative, 0: 0}[self.dominant]

    def as_json(self) -> dict[str, Any]:
        """The curve and its shares."""
        return {
            "cells": [cell.as_json() for cell in self.cells],
            "n_cells": len(self.cells),
            "n_valued": self.of,
            "median": self.median,
            "signs": self.signs.shares(self.of),
            "significant": self.significant.shares(self.of),
            "significant_holm": self.significant_holm.shares(self.of),
            "n_comparisons": self.n_comparisons,
        }


def curve(cells: Cells) -> Curve:
    """The curve of evaluated cells; equal effects are in the order of their choices."""
    places = {id(result): result.place for result in cells.results}
    ordered = sorted(
        cells.results,
        key=lambda result: (
            result.sign is None,
            places[id(result)] if places[id(result)] is not None else 0.0,
            sorted(result.choices.items()),
        ),
    )
    valued = [result for result in ordered if result.sign is not None]
    with np.errstate(invalid="ignore"):
        middle = float(np.median([result.place for result in valued])) if valued else math.nan
    return Curve(
        tuple(ordered),
        len(valued),
        middle if math.isfinite(middle) else None,
        _signs(valued),
        _signs([result for result in valued if _below(result.raw.p_adjusted)]),
        _signs([result for result in valued if _below(result.p_holm)]),
        sum(result.raw.p is not None for result in valued),
    )


def _signs(results: list[CellResult]) -> Signs:
    return Signs(sum(result.sign == 1 for result in results), sum(result.sign == -1 for result in results))


def _below(p: float | None) -> bool:
    return p is not None and p < ALPHA
