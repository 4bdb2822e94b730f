"""Means over prompts that are crossed: the same professions in the same templates. Both are resampled.

Another choice of professions would have moved the figure, and so would another choice of templates. Whole professions
and whole templates are drawn, each on their own, and a prompt counts as often as its profession times its template was
drawn (the pigeonhole bootstrap of Owen 2007). With fewer than 20 of either it is Student's t on the two-way clustered
standard error of Cameron, Gelbach and Miller (2011); with fewer than 5 there is no interval. Where every template has a
profession of its own, as in natural sentences, only professions are resampled; where there is one of either, only the
other.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.drawing import Array, times_drawn
from tiltmeter.stats.estimates import BOOTSTRAP_ORIGINS, FEWEST_ORIGINS, is_number
from tiltmeter.stats.intervals import RESAMPLES, expanded_percentiles, expanded_tail

FEW_RESAMPLES = 999
"""For statistics that are no means, and take long."""
_CELLS_AT_ONCE = 4_000_000
_LINES = 1_000
"""Resamples computed at a time."""

Statistic = Callable[[Array], Array]
"""From weights of the prompts (a line for each resample) to the value of each line."""


@dataclass(frozen=True, slots=True)
class Factor:
    """What prompts have in common: the level of each prompt as a number, and how many levels there are."""

    name: str
    levels: NDArray[np.intp]
    count: int


@dataclass(frozen=True, slots=True)
class Scale:
    """The neutral value of a figure, None where p is not against one, and the ends that it cannot go beyond."""

    neutral: float | None = None
    low: float | None = None
    high: float | None = None


def factors(professions: Sequence[str], templates: Sequence[str | None]) -> tuple[Factor, ...]:
    """The factors that are resampled.

    >>> [(each.name, each.count) for each in factors(["a", "a", "b", "b"], ["x", "y", "x", "y"])]
    [('profession', 2), ('template', 2)]
    >>> [(each.name, each.count) for each in factors(["a", "a", "b", "b"], ["w", "x", "y", "z"])]
    [('profession', 2)]
    """
    found = []
    named = [
        f"\0{profession}" if template is None else template
        for profession, template in zip(professions, templates, strict=True)
    ]
    crossed = len(set(zip(named, professions, strict=True))) > len(set(named))
    for name, levels, wanted in (("profession", professions, True), ("template", named, crossed)):
        order = {level: place for place, level in enumerate(sorted(set(levels)))}
        if wanted and len(order) > 1:
            found.append(Factor(name, np.array([order[level] for level in levels], dtype=np.intp), len(order)))
    return tuple(found)


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
        self._professions, self._templates = list(professions), list(templates)
        self._level, self._seed = level, seed

    def mean(self, values: Sequence[float | None], scale: Scale | None = None) -> Estimate:
        """The mean over prompts; None is unscored."""
        part = self._part(values)
        if not part.n:
            return replace(part.counted(self._level), note="nothing was scored")
        numbers = part.of(values)
        mean = math.fsum(numbers.tolist()) / part.n
        found = replace(part.counted(self._level), value=mean)
        ends = scale or Scale()
        return _clipped(part.with_interval(found, numbers, mean, ends.neutral, lambda: part.means(numbers)), ends)

    def ratio_of_means(self, above: Sequence[float | None], below: Sequence[float | None]) -> Estimate:
        """The mean of the one over the mean of the other, over prompts that have both."""
        both = [None if one is None or other is None else 1.0 for one, other in zip(above, below, strict=True)]
        part = self._part(both)
        found = part.counted(self._level)
        if not part.n:
            return replace(found, note="nothing was scored")
        upper, lower = part.of(above), part.of(below)
        if float(lower.sum()) <= 0 or float(upper.sum()) <= 0:
            return replace(found, note="no ratio: one of the means is zero")
        value = float(upper.mean() / lower.mean())
        # On the scale of logarithms, since a ratio is skewed and never negative.
        influence = upper / upper.mean() - lower / lower.mean()
        logarithm = part.with_interval(
            replace(found, value=math.log(value)),
            influence + math.log(value),
            math.log(value),
            0.0,
            lambda: np.log(part.means(upper) / part.means(lower)),
        )
        ends = [None if end is None else math.exp(end) for end in (logarithm.low, logarithm.high)]
        return replace(logarithm, value=value, low=ends[0], high=ends[1])

    def statistic(
        self, present: Sequence[float | None], make: Callable[[NDArray[np.intp]], Statistic], scale: Scale | None = None
    ) -> Estimate:
        """Any figure of the prompts that are present; `make` gets their places and gives the figure by weights."""
        part = self._part(present)
        found = part.counted(self._level)
        if not part.n:
            return replace(found, note="nothing was scored")
        figure = make(part.places)
        value = float(figure(np.ones((1, part.n)))[0])
        if not math.isfinite(value):
            return replace(found, note="no value: a group has no chance at all in some prompt")
        found = replace(found, value=value)
        reason = part.too_few()
        if reason:
            return replace(found, note=reason)
        ends = scale or Scale()
        return _clipped(part.with_resampled_interval(found, figure, ends.neutral), ends)

    def swap_p(
        self,
        present: Sequence[float | None],
        make: Callable[[NDArray[np.intp]], Callable[[NDArray[np.bool_]], Array]],
        swaps: int = 1_999,
    ) -> float | None:
        """The chance of a figure at least as large if the groups' names meant nothing.

        The two groups are swapped in whole professions, and again in whole templates; the larger of the two p-values
        counts. None with fewer than 5 of either, since so few swaps tell nothing.
        """
        part = self._part(present)
        if not part.n or part.too_few():
            return None
        figure = make(part.places)
        seen = float(figure(np.zeros((1, part.n), dtype=np.bool_))[0])
        if not math.isfinite(seen):
            return None
        generator = np.random.default_rng(self._seed)
        found = []
        for factor in part.factors:
            as_large = 0
            rows = max(1, _CELLS_AT_ONCE // part.n)
            for start in range(0, swaps, rows):
                drawn = generator.integers(0, 2, size=(min(rows, swaps - start), factor.count), dtype=np.int8)
                values = figure(drawn[:, factor.levels].astype(np.bool_))
                as_large += int(np.sum(values >= seen * (1 - 1e-12)))
            found.append((1 + as_large) / (swaps + 1))
        return max(found)

    @property
    def resampled_over(self) -> dict[str, int]:
        """How many levels of each factor there are, over all prompts."""
        return {factor.name: factor.count for factor in factors(self._professions, self._templates)}

    def _part(self, values: Sequence[float | None]) -> _Part:
        """The prompts that have a value, in an order that does not depend on that of the file."""
        scored = [at for at, value in enumerate(values) if is_number(value)]
        scored.sort(key=lambda at: (self._professions[at], self._templates[at] or ""))
        key = tuple(scored)
        if key not in self._parts:
            self._parts[key] = _Part(
                np.array(scored, dtype=np.intp),
                [self._professions[at] for at in scored],
                [self._templates[at] for at in scored],
                len(values),
                self._level,
                self._seed,
            )
        return self._parts[key]

    @cached_property
    def _parts(self) -> dict[tuple[int, ...], _Part]:
        return {}


class _Part:
    """The prompts that a figure is made of, and the draws of their professions and templates."""

    def __init__(
        self,
        places: NDArray[np.intp],
        professions: Sequence[str],
        templates: Sequence[str | None],
        asked: int,
        level: float,
        seed: int,
    ) -> None:
        self.places, self.n, self._asked = places, len(places), asked
        self._level, self._seed = level, seed
        self._names = professions
        self.factors = factors(professions, templates)

    def counted(self, level: float) -> Estimate:
        """Everything but a value."""
        return Estimate(None, level=level, n=self.n, n_unscored=self._asked - self.n, origins=len(set(self._names)))

    def of(self, values: Sequence[float | None]) -> Array:
        """The numbers of these prompts."""
        return np.array([values[at] for at in self.places], dtype=np.float64)

    def too_few(self) -> str | None:
        """Why there can be no interval, by the numbers of professions and templates."""
        if not self.factors:
            return "no interval: there is a single origin, which shows no spread"
        few = next((factor for factor in self.factors if factor.count < FEWEST_ORIGINS), None)
        return f"no interval: fewer than {FEWEST_ORIGINS} {few.name}s" if few else None

    def with_interval(
        self,
        found: Estimate,
        numbers: Array,
        mean: float,
        neutral: float | None,
        resampled: Callable[[], Array],
    ) -> Estimate:
        """The estimate of a mean, or of what behaves like one, with its interval."""
        reason = self.too_few()
        if reason:
            return replace(found, note=reason)
        error = self._error(numbers - mean)
        size = float(np.max(np.abs(numbers))) or 1.0
        if error <= 1e-12 * size:
            return replace(found, note="no interval: there is no spread at all between origins")
        if not self._can_resample:
            return _student(found, error, self._freedom, neutral)
        drawn = resampled()
        drawn = drawn[np.isfinite(drawn)]
        return self._percentiles(found, drawn, neutral, size)

    def with_resampled_interval(self, found: Estimate, figure: Statistic, neutral: float | None) -> Estimate:
        """The estimate of any figure: from resamples, or with few origins from leaving out each in turn."""
        if self._can_resample:
            weights = [draws[:FEW_RESAMPLES] for draws in self._draws]
            drawn = self._in_chunks(figure, weights)
            drawn = drawn[np.isfinite(drawn)]
            if len(drawn) > FEW_RESAMPLES // 2 and float(np.ptp(drawn)) > 0:
                return self._percentiles(found, drawn, neutral, abs(found.value or 1.0))
        variance = 0.0
        for factor in self.factors:
            left_out = figure((factor.levels[np.newaxis] != np.arange(factor.count)[:, np.newaxis]).astype(np.float64))
            variance += (factor.count - 1) * float(np.var(left_out))
        if not math.isfinite(variance) or variance <= 1e-24 * (found.value or 1.0) ** 2:
            return replace(found, note="no interval: there is no spread at all between origins")
        return _student(found, math.sqrt(variance), self._freedom, neutral)

    def means(self, numbers: Array) -> Array:
        """The mean of each resample."""
        first, *rest = self.factors
        second = rest[0] if rest else None
        columns = np.zeros(self.n, dtype=np.intp) if second is None else second.levels
        shape = (first.count, 1 if second is None else second.count)
        cells = [np.zeros(shape), np.zeros(shape)]
        for cell, values in zip(cells, (numbers, np.ones(self.n)), strict=True):
            np.add.at(cell, (first.levels, columns), values)
        found = []
        for start in range(0, RESAMPLES, _LINES):
            drawn = [draws[start : start + _LINES].astype(np.float64) for draws in self._draws]
            other = drawn[1] if second is not None else 1.0
            sums, counts = ((drawn[0] @ cell * other).sum(axis=1) for cell in cells)
            with np.errstate(invalid="ignore", divide="ignore"):
                found.append(sums / counts)
        return np.concatenate(found)

    @cached_property
    def _draws(self) -> list[NDArray[np.uint8]]:
        """How often each level (columns) of each factor is drawn in each resample (lines)."""
        generator = np.random.default_rng(self._seed)
        # Nothing is drawn 256 times from as many as it is one of, and these tables are large.
        return [
            np.concatenate(
                [
                    times_drawn(generator, min(_LINES, RESAMPLES - start), factor.count).astype(np.uint8)
                    for start in range(0, RESAMPLES, _LINES)
                ]
            )
            for factor in self.factors
        ]

    def _in_chunks(self, figure: Statistic, draws: Sequence[NDArray[np.uint8]]) -> Array:
        size = max(1, _CELLS_AT_ONCE // self.n)
        found = []
        for start in range(0, len(draws[0]), size):
            weights = np.ones((len(draws[0][start : start + size]), self.n))
            for factor, drawn in zip(self.factors, draws, strict=True):
                weights *= drawn[start : start + size][:, factor.levels]
            found.append(figure(weights))
        return np.concatenate(found)

    @property
    def _freedom(self) -> float:
        return float(min(factor.count for factor in self.factors) - 1)

    @property
    def _expansion(self) -> float:
        return math.sqrt((self._freedom + 1) / self._freedom)

    @property
    def _can_resample(self) -> bool:
        tail = expanded_tail(self._expansion, self._freedom, self._level)
        return self._freedom + 1 >= BOOTSTRAP_ORIGINS and tail * (FEW_RESAMPLES + 1) >= 1

    def _percentiles(self, found: Estimate, drawn: Array, neutral: float | None, size: float) -> Estimate:
        result = expanded_percentiles(
            drawn, neutral, self._level, scale=size, expansion=self._expansion, freedom=self._freedom
        )
        return replace(found, low=result.low, high=result.high, p=result.p)

    def _error(self, deviations: Array) -> float:
        """The standard error of the mean, clustered by both factors."""
        scale = float(np.max(np.abs(deviations))) or 1.0
        scaled = deviations / scale
        parts = []
        for factor in self.factors:
            sums = np.bincount(factor.levels, weights=scaled, minlength=factor.count)
            parts.append(float(np.sum(sums**2)) * factor.count / (factor.count - 1))
        variance = math.fsum(parts)
        if len(parts) == 2:
            # What is counted in both; where taking it off leaves less than either alone, either alone is the guide.
            variance = max(variance - self._within_cells(scaled), *parts)
        return scale * math.sqrt(variance) / self.n

    def _within_cells(self, scaled: Array) -> float:
        first, second = self.factors
        cells = first.levels * second.count + second.levels
        _, inverse = np.unique(cells, return_inverse=True)
        sums = np.bincount(inverse, weights=scaled)
        return float(np.sum(sums**2)) * (len(sums) / (len(sums) - 1) if len(sums) > 1 else 1.0)


def _student(found: Estimate, error: float, freedom: float, neutral: float | None) -> Estimate:
    from scipy.special import stdtr, stdtrit

    value = found.value or 0.0
    half = float(stdtrit(freedom, (1 + found.level) / 2)) * error
    p = None if neutral is None else 2 * float(stdtr(freedom, -abs(value - neutral) / error))
    return replace(found, low=value - half, high=value + half, p=p)


def _clipped(found: Estimate, scale: Scale) -> Estimate:
    low, high = found.low, found.high
    if low is not None and scale.low is not None:
        low = max(low, scale.low)
    if high is not None and scale.high is not None:
        high = min(high, scale.high)
    return replace(found, low=low, high=high)
