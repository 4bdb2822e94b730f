"""Several models on the same items: which are shown to be above which, and which places that leaves to each.

Every two models are compared on the same items by the estimator of the board's own figures, and p is Holm's over all
pairs of the board: the probability that any of its statements is false is at most 5 %.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import holm

ALPHA = 0.05
"""The probability that a board says something false of the order of its models."""
FEWEST_DIFFERING = 6
"""Two models that differ on fewer origins are not told apart: that five all go one way happens in 1 of 16 by chance."""
_ROUNDING = 1e-12
_NAMED = 5
"""What a note names of a list."""

Figure = Callable[[Sequence[float]], Estimate]


class Item(NamedTuple):
    """What every model makes of one item, and which origin that belongs to."""

    origin: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Rank:
    """The place of one model: 1 has the highest value. Models of the same value share the better place."""

    place: int | None = None
    """None where there are too few origins to say anything of the order."""
    low: int | None = None
    high: int | None = None
    """The places it may have: below the models shown to be above it, above those shown to be below it."""
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    """The models that it is shown to be above, and to be below, the highest first."""

    def as_json(self) -> dict[str, Any]:
        """Places and names."""
        return {
            "place": self.place,
            "low": self.low,
            "high": self.high,
            "above": list(self.above),
            "below": list(self.below),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """Two models on the same items."""

    one: str
    other: str
    value: float
    """Of the one minus that of the other."""
    origins: int
    """How many origins they differ on."""
    p: float
    p_holm: float = 1.0
    """For all pairs of the board."""

    @property
    def is_significant(self) -> bool:
        """Whether their difference is significant, all pairs of the board counted."""
        return self.p_holm < ALPHA

    def as_json(self) -> dict[str, Any]:
        """The two, how far they are apart, and whether that is shown."""
        return {
            "one": self.one,
            "other": self.other,
            "value": self.value,
            "origins": self.origins,
            "p": self.p,
            "p_holm": self.p_holm,
            "shown": self.is_significant,
        }


@dataclass(frozen=True, slots=True)
class Ranking:
    """The places of all models, in the order in which these were given."""

    standings: tuple[Rank, ...]
    differences: tuple[Difference, ...] = ()
    note: str | None = None
    """Why there are no places, or why two models could not be told apart whatever their values."""


def rank_models(values: Mapping[str, float], items: Sequence[Item], minus: Figure) -> Ranking:
    """Put models in order by their values; `minus` makes the difference of two of them from that on each item.

    >>> both = {"a": (5, 6, 7, 6, 5, 8), "b": (1, 3, 2, 1, 2, 3)}
    >>> items = [Item(*item) for item in zip("uvwxyz", zip(*both.values()))]
    >>> from tiltmeter.stats.estimates import estimate
    >>> found = rank_models({"a": 6.2, "b": 2.0}, items, lambda gaps: estimate(gaps, list("uvwxyz"), neutral=0.0))
    >>> [(one.place, one.low, one.high) for one in found.standings], round(found.differences[0].p, 6)
    ([(1, 1, 1), (2, 2, 2)], 0.000143)
    """
    # The estimator says whether there are origins enough, of values that vary in every way.
    possible = minus([(at / len(items)) ** 2 for at in range(len(items))])
    if possible.low is None:
        return Ranking((Rank(),) * len(values), (), (possible.note or "").removeprefix("no interval: "))
    names = list(values)
    pairs = combinations(range(len(names)), 2)
    found = [_difference((names[one], names[other]), items, _gaps(items, one, other), minus) for one, other in pairs]
    corrected = holm([each.p for each in found])
    found = [replace(each, p_holm=1.0 if p is None else p) for each, p in zip(found, corrected, strict=True)]
    return Ranking(_ranks(values, found), tuple(found), _note(len({item.origin for item in items}), found))


def _gaps(items: Sequence[Item], one: int, other: int) -> list[float]:
    """The one minus the other on every item; 0 where they differ by rounding alone."""
    both = [(item.values[one], item.values[other]) for item in items]
    return [0.0 if abs(a - b) <= _ROUNDING * max(abs(a), abs(b)) else a - b for a, b in both]


def _difference(names: tuple[str, str], items: Sequence[Item], gaps: Sequence[float], minus: Figure) -> Difference:
    found = minus(gaps)
    differing = len({item.origin for item, gap in zip(items, gaps, strict=True) if gap})
    value, p = found.value or 0.0, found.p
    if abs(value) <= _ROUNDING * max(map(abs, gaps)):
        return Difference(*names, 0.0, differing, 1.0)
    if p is None or differing < FEWEST_DIFFERING:
        # Were the two alike, each origin could as well have gone the other way: all go one way in 2 of 2^k cases.
        # A few origins that differ cannot show more, and a gap without spread shows that, if all do go one way.
        one_way = p is not None or _go_one_way(items, gaps, value, minus)
        p = max(p or 0.0, 2.0 ** (1 - differing)) if one_way else 1.0
    return Difference(*names, value, differing, p)


def _go_one_way(items: Sequence[Item], gaps: Sequence[float], value: float, minus: Figure) -> bool:
    """Whether every origin that differs moves the difference to the side that it is on."""
    for origin in {item.origin for item, gap in zip(items, gaps, strict=True) if gap}:
        alone = minus([gap if item.origin == origin else 0.0 for item, gap in zip(items, gaps, strict=True)]).value
        if alone is None or alone * value <= 0:
            return False
    return True


def _ranks(values: Mapping[str, float], found: Sequence[Difference]) -> tuple[Rank, ...]:
    lower: dict[str, set[str]] = {name: set() for name in values}
    for each in found:
        if each.is_significant:
            lower[each.one if each.value > 0 else each.other].add(each.other if each.value > 0 else each.one)
    # Whoever is above a model is above all that this one is above.
    ranked = sorted(values, key=lambda name: -values[name])
    for name in reversed(ranked):
        lower[name] |= {below for each in lower[name] for below in lower[each]}
    rounding = _ROUNDING * max(map(abs, values.values()))
    return tuple(
        Rank(
            1 + sum(other > value + rounding for other in values.values()),
            1 + sum(name in each for each in lower.values()),
            len(values) - len(lower[name]),
            tuple(other for other in ranked if other in lower[name]),
            tuple(other for other in ranked if name in lower[other]),
        )
        for name, value in values.items()
    )


def _note(origins: int, found: Sequence[Difference]) -> str | None:
    """Why some models could not have been told apart, whatever their values."""
    if origins < FEWEST_DIFFERING:
        return f"{origins} origins are too few to tell models apart: it takes {FEWEST_DIFFERING}"
    same = [f"{each.one} and {each.other}" for each in found if not each.origins]
    few = [f"{each.one} and {each.other}" for each in found if 0 < each.origins < FEWEST_DIFFERING]
    notes = [f"the same on every item: {some_of(same)}"] if same else []
    notes += [f"different on fewer than {FEWEST_DIFFERING} of {origins} origins: {some_of(few)}"] if few else []
    return "; ".join(notes) or None


def some_of(names: Sequence[str]) -> str:
    """The first of some names, and how many more there are."""
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"
