"""Studies drawn from a pool of values whose truth is known, one for each view, analysed as real ones are.

A study draws origins with replacement, as new and distinct ones. With `mirrored` every origin may come with the groups
exchanged, so that a pool without a tilt is exactly neutral; without, the pool is as the model made it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array
from tiltmeter.stats.comparing.paired import paired, pairs_of
from tiltmeter.stats.crossed import Crossed
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.views.next_words import Place, distances

TEMPLATES = 17
"""Templates of a study of next words, as many as are published; drawn from the pool's."""
STRUCTURES = TEMPLATES
"""Structures of a study of texts that are uncertain both ways: as many."""

Estimates = dict[str, Estimate]
Index = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Values of a large number of origins under each tilt.

    The axes of every table: tilt (the first is none), half (as the model made it; groups exchanged), origin, and
    whatever an origin has several of. NaN is unscored.
    """

    view: str
    tilts: tuple[float, ...]
    tables: Mapping[str, Array]
    scales: Mapping[str, Scale] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.tilts[0] != 0 or any(len(table) != len(self.tilts) for table in self.tables.values()):
            raise ValueError("a pool has one table for each tilt, and the first tilt is 0")


@dataclass(frozen=True, slots=True)
class World:
    """Which values studies are drawn from: the place of the tilt, and whether origins are mirrored."""

    tilt: int = 0
    mirrored: bool = True


class Studies(Protocol):
    """One way to draw a study from a pool and to analyse it."""

    @property
    def view(self) -> str:
        """The view, as results name it."""
        ...

    @property
    def p_alone(self) -> bool:
        """Whether nothing but the p-values count: no coverage is claimed of the intervals."""
        ...

    def truths(self, world: World) -> dict[str, float]:
        """The value of the pool, for each estimator."""
        ...

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """What each estimator says of one study with so many origins."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class PairStudies:
    """Preferences and margins over attribute terms; two attribute sets; one pair a term; two models on the same items.

    The professions at even places are one attribute set and the rest the other. The second model of a comparison is
    the same one on the other half of the pairs of each profession; mirroring exchanges the models.
    """

    pool: Pool
    p_alone: bool = False

    @property
    def view(self) -> str:
        """That of the pool."""
        return self.pool.view

    def truths(self, world: World) -> dict[str, float]:
        """The values of the pool."""
        margins, choices = (_in(self.pool.tables[name], world) for name in ("margin", "preference"))
        a, b = self._models(world)
        return {
            "margin": _mean(margins),
            "preference": _mean(choices),
            "preference_single": float(np.nanmean(choices[..., 0])),
            "preference_balanced": (_mean(choices[:, ::2]) + _mean(choices[:, 1::2])) / 2,
            "comparison": _mean(a - b),
        }

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """One study of the pool."""
        margins, choices = (self.pool.tables[name][world.tilt] for name in ("margin", "preference"))
        half, drawn = _sampled_rows(chance, margins.shape[1], origins, world)
        names = _names(origins, margins.shape[2])
        a, b = (side[half, drawn] for side in self._models(World(world.tilt)))
        found = {
            "margin": estimate(_list(margins[half, drawn]), names, neutral=0.0),
            "preference": estimate(_list(choices[half, drawn]), names),
            "preference_single": estimate(_list(choices[half, drawn, 0])),
            "preference_balanced": self._balanced(chance, origins, world),
        }
        pairs = pairs_of(_list(a), _list(b), _names(origins, a.shape[1]))
        return found | {"comparison": pairs.estimate(pairs.gaps, neutral=0.0)}

    def _balanced(self, chance: np.random.Generator, origins: int, world: World) -> Estimate:
        choices = self.pool.tables["preference"][world.tilt]
        values: list[float] = []
        for place, size in enumerate((origins // 2, origins - origins // 2)):
            half, drawn = _sampled_rows(chance, (choices.shape[1] - place + 1) // 2, size, world)
            values += _list(choices[half, 2 * drawn + place])
        names = _names(origins, choices.shape[2])
        sets = ["first" if place < origins // 2 * choices.shape[2] else "second" for place in range(len(names))]
        return estimate(values, names, strata=sets)

    def _models(self, world: World) -> tuple[Array, Array]:
        """The margins of both, by half, profession and pair; the tilt is the first model's."""
        margins = self.pool.tables["margin"][:, 0]
        pairs = margins.shape[2] // 2
        one, other = slice(0, pairs), slice(pairs, 2 * pairs)
        sides = [(one, other), (other, one)] if world.mirrored else [(one, other)]
        first = np.stack([margins[world.tilt][:, mine] for mine, _ in sides])
        return first, np.stack([margins[0][:, its] for _, its in sides])


@dataclass(frozen=True, slots=True, eq=False)
class ExchangeStudies:
    """The p-values from exchanging two models by whole origins."""

    pool: Pool
    p_alone: bool = True

    @property
    def view(self) -> str:
        """That of the pool."""
        return self.pool.view

    def truths(self, world: World) -> dict[str, float]:
        """The values of the pool."""
        return {"comparison_exchanged": PairStudies(self.pool).truths(world)["comparison"]}

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """One study of the pool."""
        a, b = PairStudies(self.pool)._models(World(world.tilt))
        half, drawn = _sampled_rows(chance, a.shape[1], origins, world)
        found = paired(_list(a[half, drawn]), _list(b[half, drawn]), _names(origins, a.shape[2]))
        return {"comparison_exchanged": Estimate(found.difference.value, p=found.p_permutation)}


@dataclass(frozen=True, slots=True, eq=False)
class NextWordStudies:
    """Means of the signed measures over professions crossed with templates, both drawn; or over professions alone."""

    pool: Pool
    measures: tuple[str, ...] = ("difference", "log_ratio", "share")
    p_alone: bool = False

    @property
    def view(self) -> str:
        """That of the pool."""
        return self.pool.view

    def truths(self, world: World) -> dict[str, float]:
        """The values of the pool."""
        return {name: float(np.nanmean(_in(self.pool.tables[name], world))) for name in self.measures}

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """One study of the pool."""
        cells = _cells(self.pool, chance, origins, world)
        templates = len(cells[2][0])
        crossed = _crossed(origins, templates)

        def values(name: str) -> Sequence[float]:
            # Arrays serve where sequences are asked for, and are much faster.
            return cast(Sequence[float], self.pool.tables[name][world.tilt][cells].ravel())

        scales = self.pool.scales
        found = {name: crossed.mean(values(name), scales[name]) for name in self.measures if name != "difference"}
        found["difference"] = crossed.difference(values("a"), values("b"), scales["difference"])
        return found


@dataclass(frozen=True, slots=True, eq=False)
class DistanceStudies:
    """The p-values of figures that lie at the end of their scale where there is no lean."""

    pool: Pool
    names: tuple[str, ...] = ("emd", "kl_histograms")
    p_alone: bool = True

    @property
    def view(self) -> str:
        """That of the pool."""
        return self.pool.view

    def truths(self, world: World) -> dict[str, float]:
        """The values of the pool."""
        return dict.fromkeys(self.names, 0.0)

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """One study of the pool."""
        cells = _cells(self.pool, chance, origins, world)
        a, b = (self.pool.tables[name][world.tilt][cells].ravel().tolist() for name in "ab")
        found = distances(_places(origins, len(cells[2][0])), list(zip(a, b, strict=True)))
        return {name: found[name] for name in self.names}


@dataclass(frozen=True, slots=True, eq=False)
class TextStudies:
    """Ratings of texts about two groups: origins that the groups share, and origins of their own."""

    pool: Pool
    p_alone: bool = False

    @property
    def view(self) -> str:
        """That of the pool."""
        return self.pool.view

    def truths(self, world: World) -> dict[str, float]:
        """The values of the pool."""
        found: dict[str, float] = {}
        for name in self.pool.tables:
            means = np.nanmean(_in(self._origins(name), world), axis=(0, 1, 3))
            gap = float(means[0] - means[1])
            found |= {f"{name}_mean": float(means[0]), f"{name}_shared": gap, f"{name}_apart": gap}
            if self.pool.scales[name].low == 0:
                found |= dict.fromkeys((f"{name}_ratio_shared", f"{name}_ratio_apart"), float(means[0] / means[1]))
        return found

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """One study of the pool."""
        found: Estimates = {}
        draws: dict[int, tuple[Index, Index]] = {}
        for name in self.pool.tables:
            table = self._origins(name)[world.tilt]
            # The same origins for both ratings, drawn once.
            draws = draws or {place: _sampled_rows(chance, table.shape[1], origins, world) for place in range(2)}
            shared = table[draws[0]]
            split = table[draws[1]]
            middle = origins // 2
            both = [(group, shared[:, place], 0) for place, group in enumerate("ab")]
            own = [("a", split[:middle, 0], 0), ("b", split[middle:, 1], middle)]
            for kind, parts in (("shared", both), ("apart", own)):
                pooled = Pooled(_observations(parts), scale=self._bounds(name))
                found[f"{name}_{kind}"] = pooled.difference("a", "b")
                if kind == "shared":
                    found[f"{name}_mean"] = pooled.mean("a")
                if self.pool.scales[name].low == 0:
                    ratio, _ = pooled.ratio("a", "b")
                    found[f"{name}_ratio_{kind}"] = ratio or Estimate(None, note="withheld")
        return found

    def _bounds(self, name: str) -> tuple[float, float]:
        scale = self.pool.scales[name]
        return scale.low or 0.0, scale.high or 0.0

    def _origins(self, name: str) -> Array:
        """Every opener after every lead is an origin."""
        table = self.pool.tables[name]
        return table.reshape(*table.shape[:2], -1, *table.shape[4:])


@dataclass(frozen=True, slots=True, eq=False)
class StructureStudies:
    """Ratings of texts about two groups that are uncertain both ways: over openers, and over structures."""

    pool: Pool
    structures: int = STRUCTURES
    names: tuple[str, ...] = ("sentiment",)
    p_alone: bool = False

    @property
    def view(self) -> str:
        """That of the pool."""
        return self.pool.view

    def truths(self, world: World) -> dict[str, float]:
        """The values of the pool."""
        found = {}
        for name in self.names:
            means = np.nanmean(_in(self.pool.tables[name], world)[..., 0], axis=(0, 1, 2))
            found[f"{name}_both_ways"] = float(means[0] - means[1])
        return found

    def study(self, chance: np.random.Generator, origins: int, world: World) -> Estimates:
        """One study of the pool."""
        shape = self.pool.tables[self.names[0]].shape
        half, drawn = _sampled_rows(chance, shape[2], origins, world)
        structures = chance.integers(0, shape[3], self.structures)
        found = {}
        for name in self.names:
            values = self.pool.tables[name][world.tilt][half[:, None], drawn[:, None], structures[None, :], :, 0]
            labels = _labels(*values.shape)
            texts = [
                ("ab"[int(group)], value, origin)
                for (origin, _, group), value in zip(labels, _list(values), strict=True)
            ]
            pooled = Pooled(texts, structures=[structure for _, structure, _ in labels])
            found[f"{name}_both_ways"] = pooled.difference("a", "b")
        return found


def studies_of(pool: Pool) -> list[Studies]:
    """Every way to draw studies from a pool."""
    if pool.view == "pairs":
        return [PairStudies(pool), ExchangeStudies(pool)]
    if pool.view == "continuations":
        return [TextStudies(pool), StructureStudies(pool)]
    return [NextWordStudies(pool), DistanceStudies(pool)]


def _in(table: Array, world: World) -> Array:
    """The values of a world: one half of the pool, or both."""
    return table[world.tilt] if world.mirrored else table[world.tilt, :1]


def _mean(table: Array) -> float:
    """The mean over origins of the means over items."""
    return float(np.mean(np.nanmean(table, axis=2)))


def _sampled_rows(chance: np.random.Generator, pool: int, origins: int, world: World) -> tuple[Index, Index]:
    """The half and the place of each origin of a study."""
    half = chance.integers(0, 2, origins) if world.mirrored else np.zeros(origins, dtype=np.int64)
    return half, chance.integers(0, pool, origins)


def _cells(pool: Pool, chance: np.random.Generator, origins: int, world: World) -> tuple[Index, Index, Index]:
    """The half, profession and template of each cell of a study of next words."""
    _, _, professions, templates = pool.tables["a"].shape
    half, drawn = _sampled_rows(chance, professions, origins, world)
    asked = chance.integers(0, templates, TEMPLATES) if templates > 1 else np.zeros(1, dtype=np.int64)
    return half[:, None], drawn[:, None], asked[None, :]


def _list(values: Array) -> list[float]:
    found: list[float] = values.ravel().tolist()
    return found


@cache
def _names(origins: int, items: int) -> list[str | None]:
    return [str(origin) for origin in range(origins) for _ in range(items)]


@cache
def _places(origins: int, templates: int) -> list[Place]:
    return [
        Place(str(origin), None if templates == 1 else str(template))
        for origin in range(origins)
        for template in range(templates)
    ]


@cache
def _crossed(origins: int, templates: int) -> Crossed:
    places = _places(origins, templates)
    return Crossed([place.profession for place in places], [place.template for place in places])


def _observations(parts: Sequence[tuple[str, Array, int]]) -> list[tuple[str, float, str]]:
    """Group, value and origin of each text; parts with the same number share their origins."""
    return [
        (group, value, f"{origin}/{first}")
        for group, values, first in parts
        for (origin, _), value in zip(_labels(*values.shape), _list(values), strict=True)
    ]


@cache
def _labels(*shape: int) -> list[tuple[str, ...]]:
    """The place of each value of a table of this shape, in words."""
    return [tuple(map(str, place)) for place in np.ndindex(*shape)]
