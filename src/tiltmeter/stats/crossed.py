"""Figures over prompts that are crossed: the same professions in the same templates. Both are uncertain.

Another choice of professions would have moved the figure, and so would another choice of templates: `clustered` puts
the two together. Where every template has a profession of its own, as in natural sentences, or where there is one
template, it is professions alone; where there is one profession, templates alone. With fewer than 5 of either there is
no interval.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.chances import ChanceErrors, chance_errors
from tiltmeter.stats.clustered import NO_SPREAD, Codes, cells_of, error_of, left_out, renumbered, sorted_codes
from tiltmeter.stats.drawing import Array, exact_sum
from tiltmeter.stats.estimates import FEWEST_ORIGINS, LARGEST
from tiltmeter.stats.intervals import Uncertainty
from tiltmeter.stats.skewed import of_logarithm, skewed_student

_CELLS_AT_ONCE = 4_000_000

Swaps = NDArray[np.bool_]
"""Whether the groups are swapped in each cluster (columns), a line for each try."""


@dataclass(frozen=True, slots=True)
class Factor:
    """What prompts have in common: the level of each prompt as a number, and how many levels these prompts have."""

    name: str
    levels: Codes
    count: int


@dataclass(frozen=True, slots=True)
class Scale:
    """The neutral value of a figure, None where p is not against one, and the ends that it cannot go beyond."""

    neutral: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def change(self) -> Scale:
        """The scale of the difference of two such figures."""
        if self.low is None or self.high is None:
            return Scale(0.0)
        return Scale(0.0, self.low - self.high, self.high - self.low)


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """A figure that is no mean: its value, and how much of it is due to each prompt.

    The second has the figure for its mean, and says how the figure would change if a prompt counted more.
    """

    value: float
    of_prompts: Array


def factors(professions: Codes, templates: Codes) -> tuple[Factor, ...]:
    """What figures are uncertain over.

    >>> from tiltmeter.stats.clustered import coded
    >>> [(each.name, each.count) for each in factors(coded("aabb"), coded("xyxy"))]
    [('profession', 2), ('template', 2)]
    >>> [(each.name, each.count) for each in factors(coded("aabb"), coded("wxyz"))]
    [('profession', 2)]
    >>> [(each.name, each.count) for each in factors(coded("aaaa"), coded("wxyz"))]
    [('template', 4)]
    """
    named = ("profession", professions), ("template", templates)
    found = [Factor(name, levels, len(np.unique(levels))) for name, levels in named]
    if found[0].count > 1 and len(np.unique(cells_of(professions, templates))) == found[1].count:
        del found[1]
    return tuple(factor for factor in found if factor.count > 1)


class Crossed:
    """Prompts by profession and template; its estimates are of means over prompts, and of anything else.

    >>> prompts = Crossed(["nurse", "nurse", "smith", "smith"], ["said", "ran", "said", "ran"])
    >>> found = prompts.mean([0.2, 0.4, None, 0.0])
    >>> round(found.value, 6), found.n, found.n_unscored, found.origins, found.note
    (0.2, 3, 1, 2, 'no interval: fewer than 5 professions')
    """

    def __init__(
        self, professions: Sequence[str], templates: Sequence[str | None], *, level: float = 0.95, seed: int = 0
    ) -> None:
        if not 0 < level < 1:
            raise ValueError(f"a level lies between 0 and 1, not {level}")
        self._level, self._seed = level, seed
        # The template of a prompt that has none is as good as its profession.
        named = [f"\0{p}" if t is None else t for p, t in zip(professions, templates, strict=True)]
        self._professions, self._templates = sorted_codes(professions), sorted_codes(named)
        self._common: dict[bytes, _Common] = {}

    def mean(self, values: Sequence[float | None], scale: Scale | None = None) -> Estimate:
        """The mean over prompts; None is unscored."""
        part = self._part(values)
        if not part.n:
            return part.found
        [numbers] = part.columns
        return part.estimate(Influence(exact_sum(numbers) / part.n, numbers), scale or Scale())

    def difference(self, above: Sequence[float | None], below: Sequence[float | None], scale: Scale) -> Estimate:
        """The mean of the one chance minus the mean of the other, over prompts that have both."""
        part = self._part(above, below)
        if not part.n:
            return part.found
        upper, lower = part.columns
        gaps = upper - lower
        found = part.estimate(Influence(exact_sum(gaps) / part.n, gaps), scale)
        errors = part.chance_errors()
        return found if errors is None or found.low is None else _cut_off(found, errors.difference(found.level), scale)

    def ratio_of_means(self, above: Sequence[float | None], below: Sequence[float | None]) -> Estimate:
        """The mean of the one over the mean of the other, over prompts that have both."""
        part = self._part(above, below)
        if not part.n:
            return part.found
        upper, lower = part.columns
        means = exact_sum(upper) / part.n, exact_sum(lower) / part.n
        if min(means) <= 0:
            return replace(part.found, note="no ratio: one of the means is zero")
        # On the scale of logarithms, since a ratio is skewed and never negative.
        value = math.log(means[0] / means[1])
        found = part.estimate(Influence(value, value + upper / means[0] - lower / means[1]), Scale(0.0))
        if found.low is None or found.high is None:
            return replace(found, value=means[0] / means[1])
        errors = part.chance_errors()
        plain = Uncertainty(found.low, found.high, found.p, found.method or "student")
        interval = plain if errors is None else errors.ratio(found.level)
        return _cut_off(replace(found, value=means[0] / means[1]), of_logarithm(interval), Scale())

    def figure(
        self,
        columns: tuple[Sequence[float | None], Sequence[float | None]],
        make: Callable[[Array, Array], Influence | None],
        scale: Scale | None = None,
    ) -> Estimate:
        """Any figure of two values for each prompt, over prompts that have both."""
        part = self._part(*columns)
        if not part.n:
            return part.found
        first, second = part.columns
        made = make(first, second)
        if made is None:
            return replace(part.found, note="no value: a group has no chance at all in some prompt")
        return part.estimate(made, scale or Scale())

    def swap_p(
        self,
        columns: tuple[Sequence[float | None], Sequence[float | None]],
        make: Callable[[Array, Array, Codes], Callable[[Swaps], Array]],
        swaps: int = 1_999,
    ) -> float | None:
        """The chance of a figure at least as large if the groups' names meant nothing.

        The two groups are swapped in whole professions, and again in whole templates; the larger of the two p-values
        counts. `make` gets the two values of each prompt and the number of its profession or template, and gives the
        figure for each line of swaps. None with fewer than 5 of either, since so few swaps tell nothing.
        """
        part = self._part(*columns)
        if not part.n or part.common.too_few:
            return None
        first, second = part.columns
        generator = np.random.default_rng(self._seed)
        found = []
        for factor in part.common.factors:
            figure = make(first, second, renumbered(factor.levels))
            [seen] = figure(np.zeros((1, factor.count), dtype=np.bool_)).tolist()
            if not math.isfinite(seen):
                return None
            as_large = 0
            lines = max(1, _CELLS_AT_ONCE // part.n)
            for start in range(0, swaps, lines):
                shape = (min(lines, swaps - start), factor.count)
                drawn = generator.integers(0, 2, size=shape, dtype=np.int8).astype(np.bool_)
                as_large += int(np.sum(figure(drawn) >= seen * (1 - 1e-12)))
            found.append((1 + as_large) / (swaps + 1))
        return max(found)

    @property
    def resampled_over(self) -> dict[str, int]:
        """How many levels of each factor there are, over all prompts."""
        return {factor.name: factor.count for factor in factors(self._professions, self._templates)}

    def _part(self, *columns: Sequence[float | None]) -> _Part:
        """The prompts that have a value in every column, in an order that does not depend on that of the file."""
        numbers = [np.array(column, dtype=np.float64) for column in columns]
        with np.errstate(invalid="ignore"):
            scored = np.all([np.abs(column) < LARGEST for column in numbers], axis=0)
        chosen = np.flatnonzero(scored)
        keys = [column[chosen] for column in reversed(numbers)]
        chosen = chosen[np.lexsort([*keys, self._templates[chosen], self._professions[chosen]])]
        # Sorted by both, they are the same for every figure of the same prompts.
        key = scored.tobytes()
        if key not in self._common:
            self._common[key] = _common(self._professions[chosen], self._templates[chosen])
        found = Estimate(
            None,
            level=self._level,
            n=len(chosen),
            n_unscored=len(scored) - len(chosen),
            origins=self._common[key].origins,
            note=None if len(chosen) else "nothing was scored",
        )
        return _Part(found, [column[chosen] for column in numbers], self._common[key])


@dataclass(frozen=True, slots=True, eq=False)
class _Common:
    """What prompts have in common, and why that is too little for an interval where it is."""

    origins: int
    """Professions; templates where there is one profession."""
    factors: tuple[Factor, ...]
    ways: list[Codes]
    too_few: str | None


def _common(professions: Codes, templates: Codes) -> _Common:
    found = factors(professions, templates)
    ways = [factor.levels for factor in found]
    few = next((factor for factor in found if factor.count < FEWEST_ORIGINS), None)
    too_few = f"no interval: fewer than {FEWEST_ORIGINS} {few.name}s" if few else None
    if not found:
        too_few = "no interval: there is a single origin, which shows no spread"
    return _Common(
        found[0].count if found else min(1, len(professions)),
        found,
        ways if len(ways) < 2 else [*ways, cells_of(*ways)],
        too_few,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """The prompts that a figure is made of: their number, their values and what they have in common."""

    found: Estimate
    columns: list[Array]
    common: _Common

    @property
    def n(self) -> int:
        return self.found.n

    def estimate(self, made: Influence, scale: Scale) -> Estimate:
        """The figure with its interval, cut off at the ends of its scale."""
        found = replace(self.found, value=made.value)
        if self.common.too_few:
            return replace(found, note=self.common.too_few)
        ways = [left_out(made.of_prompts, codes, int(codes.max()) + 1) for codes in self.common.ways]
        off = error_of([(1.0, ways)])
        if off.error <= NO_SPREAD * (float(np.max(np.abs(made.of_prompts))) or 1.0):
            return replace(found, note="no interval: there is no spread at all between origins")
        return _cut_off(found, skewed_student(made.value, off, scale.neutral, found.level), scale)

    def chance_errors(self) -> ChanceErrors | None:
        """How far the means of both columns may be off where they vary in one way alone; None where they vary in two.

        Over professions crossed with templates every profession has the mean of many prompts, which is not that skewed.
        """
        if len(self.common.ways) != 1:
            return None
        first, second = self.columns
        return chance_errors(first, second, self.common.ways[0])


def _cut_off(found: Estimate, interval: Uncertainty, scale: Scale) -> Estimate:
    """The estimate with the interval, cut off at the ends of its scale."""
    low = interval.low if scale.low is None else max(interval.low, scale.low)
    high = interval.high if scale.high is None else min(interval.high, scale.high)
    return replace(found, low=low, high=high, p=interval.p, method=interval.method)
