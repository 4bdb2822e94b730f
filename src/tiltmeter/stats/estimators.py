"""Every estimator of two groups under one name and one form, with the symmetry that it declares.

They are the functions that the views use, each given the same rows: what was measured of the first group and of the
second, where it came from, and its form. The conformance suite holds each of them to what it says here; `tiltmeter
calibrate` measures how often their intervals hold the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.stats.cells import CellData, cell_result
from tiltmeter.stats.comparisons import paired
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.stats.crossed import Scale
from tiltmeter.stats.estimates import estimate, is_number
from tiltmeter.stats.group_comparisons import GroupPair, compare_groups
from tiltmeter.stats.next_words import Place, Values, distances, means
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.two_way import BothWays
from tiltmeter.symmetry import Symmetry

A, B = "a", "b"
_NOTHING = Estimate(None, note="nothing was scored")


@dataclass(frozen=True, slots=True)
class Row:
    """What was measured of two groups in one place: an origin and, where that varies, a form; None is unscored."""

    a: float | None
    b: float | None
    origin: str
    form: str = ""


@dataclass(frozen=True, slots=True)
class Estimator:
    """A figure of two groups; `signed` ones have two sides, and intervals of which coverage is claimed."""

    name: str
    of: Callable[[Sequence[Row]], Estimate]
    symmetry: Symmetry
    neutral: float

    @property
    def signed(self) -> bool:
        """Whether it tells who is ahead."""
        return self.symmetry != "stays"


def _minus(row: Row) -> float | None:
    return None if row.a is None or row.b is None else row.a - row.b


def _preferred(row: Row) -> float | None:
    gap = _minus(row)
    if gap is None or not is_number(gap):
        return None
    return 0.5 if gap == 0 else float(gap > 0)


def _origins(rows: Sequence[Row]) -> list[str]:
    return [row.origin for row in rows]


def _pooled(rows: Sequence[Row]) -> Pooled:
    sides = ((A, row.a, row.origin) for row in rows), ((B, row.b, row.origin) for row in rows)
    return Pooled(item for side in sides for item in side)


def _both_ways(rows: Sequence[Row]) -> BothWays:
    items = [
        RatedItem(group, value, row.origin, structure=row.form)
        for row in rows
        for group, value in ((A, row.a), (B, row.b))
    ]
    return BothWays(items, _pooled(rows))


def _withheld(found: tuple[Estimate | None, str | None]) -> Estimate:
    return found[0] or Estimate(None, note=found[1])


def _crossed(rows: Sequence[Row], value: Callable[[Row], float | None], scale: Scale) -> Estimate:
    return means(_places(rows), {"": Values([value(row) for row in rows], scale)})[""]


def _chance_difference(rows: Sequence[Row]) -> Estimate:
    values = Values([_minus(row) for row in rows], Scale(0.0), [(row.a, row.b) for row in rows])
    return means(_places(rows), {"": values})[""]


def _distance(name: str) -> Callable[[Sequence[Row]], Estimate]:
    return lambda rows: distances(_places(rows), [(row.a, row.b) for row in rows])[name]


def _places(rows: Sequence[Row]) -> list[Place]:
    return [Place(row.origin, row.form or None) for row in rows]


def _share(row: Row) -> float | None:
    if row.a is None or row.b is None or row.a + row.b <= 0:
        return None
    return row.a / (row.a + row.b)


def _absolute(row: Row) -> float | None:
    gap = _minus(row)
    return None if gap is None else abs(gap)


def _effect(rows: Sequence[Row]) -> Estimate:
    values = [value for row in rows for value in (row.a, row.b)]
    origins = [row.origin for row in rows for _ in (A, B)]
    return cell_result(CellData.of({}, values, origins, [0, 1] * len(rows))).effect


def _group_pair(rows: Sequence[Row]) -> GroupPair:
    sides = [(group, value, row.origin) for row in rows for group, value in ((A, row.a), (B, row.b))]
    [pair] = compare_groups(sides, permutations=99).pairs
    return pair


MEAN_PREFERENCE = Estimator(
    "mean-preference.v1", lambda rows: estimate([_preferred(row) for row in rows], _origins(rows)), "flips", 0.5
)
MEAN_MARGIN = Estimator(
    "mean-margin.v1",
    lambda rows: estimate([_minus(row) for row in rows], _origins(rows), neutral=0.0),
    "flips",
    0.0,
)
GROUP_DIFFERENCE = Estimator("group-difference.v2", lambda rows: _pooled(rows).difference(A, B), "flips", 0.0)
GROUP_RATIO = Estimator("group-ratio.v1", lambda rows: _withheld(_pooled(rows).ratio(A, B)), "inverts", 1.0)
TWO_WAY_DIFFERENCE = Estimator("two-way-difference.v2", lambda rows: _both_ways(rows).difference(A, B), "flips", 0.0)
TWO_WAY_RATIO = Estimator("two-way-ratio.v1", lambda rows: _withheld(_both_ways(rows).ratio(A, B)), "inverts", 1.0)
CROSSED_DIFFERENCE = Estimator("crossed-difference.v2", _chance_difference, "flips", 0.0)
CROSSED_SHARE = Estimator("crossed-share.v1", lambda rows: _crossed(rows, _share, Scale(0.5, 0.0, 1.0)), "flips", 0.5)
CROSSED_RATIO = Estimator("crossed-ratio-of-means.v2", _distance("ratio_of_means"), "inverts", 1.0)
CROSSED_ABSOLUTE = Estimator(
    "crossed-absolute-difference.v1", lambda rows: _crossed(rows, _absolute, Scale(None, 0.0)), "stays", 0.0
)
EMD = Estimator("emd.v1", _distance("emd"), "stays", 0.0)
PAIRED_DIFFERENCE = Estimator(
    "paired-difference.v2",
    lambda rows: paired([row.a for row in rows], [row.b for row in rows], _origins(rows)).difference,
    "flips",
    0.0,
)
PAIRED_SUPERIORITY = Estimator(
    "paired-superiority.v1",
    lambda rows: paired([row.a for row in rows], [row.b for row in rows], _origins(rows)).superiority,
    "flips",
    0.5,
)
STANDARDISED = Estimator("standardised-effect.v1", _effect, "flips", 0.0)
HEDGES_G = Estimator("hedges-g.v1", lambda rows: _group_pair(rows).g if rows else _NOTHING, "flips", 0.0)
CLIFFS_DELTA = Estimator("cliffs-delta.v1", lambda rows: _group_pair(rows).delta if rows else _NOTHING, "flips", 0.0)
