"""Figures over prompts that are crossed: the same professions in the same templates. Both are uncertain.

Another choice of professions would have moved the figure, and so would another choice of templates: `estimate` puts the
two together. Where every template has a profession of its own, as in natural sentences, or where there are fewer than 5
templates, it is professions alone; where there is one profession, templates alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.records import Estimate
from tiltmeter.stats.arrays import Array, Codes, cells_of, exact_sum, or_origins, renumbered, sorted_codes
from tiltmeter.stats.estimate import FEWEST, LARGEST, Scale, estimate
from tiltmeter.stats.probability_errors import ProbabilityErrors, probability_errors
from tiltmeter.stats.resampling import exact_sums
from tiltmeter.stats.scales import around, cut_off

_CELLS_AT_ONCE = 4_000_000

Column = Array | Sequence[float | None]
"""A value of each prompt; None and NaN are unscored."""
Swaps = NDArray[np.bool_]
"""Whether the groups are swapped in each cluster (columns), a line for each try."""


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """A figure that is no mean: its value, and how much of it is due to each prompt.

    The second has the figure for its mean, and says how the figure would change if a prompt counted more.
    """

    value: float
    of_prompts: Array


class Crossed:
    """Prompts by profession and template; its estimates are of means over prompts, and of anything else.

    >>> prompts = Crossed(["nurse", "nurse", "smith", "smith"], ["said", "ran", "said", "ran"])
    >>> found = prompts.mean([0.2, 0.4, None, 0.0])
    >>> round(found.value, 6), found.n, found.n_unscored, found.origins, found.note
    (0.2, 3, 1, 2, 'no interval: fewer than 5 professions')
    """

    def __init__(
        self,
        professions: Sequence[str] | Codes,
        templates: Sequence[str | None] | Codes,
        *,
        level: float = 0.95,
        seed: int = 0,
    ) -> None:
        """Names, or numbers in the order of the names."""
        if not 0 < level < 1:
            raise ValueError(f"a level lies between 0 and 1, not {level}")
        self._level, self._seed = level, seed
        self._professions = professions if isinstance(professions, np.ndarray) else sorted_codes(professions)
        if not isinstance(templates, np.ndarray):
            templates = sorted_codes(or_origins(templates, list(professions)))
        self._templates = templates

    def mean(self, values: Column, scale: Scale | None = None) -> Estimate:
        """The mean over prompts; None is unscored."""
        part = self._part(values)
        if not part.n:
            return part.found
        [numbers] = part.columns
        return part.estimate(Influence(exact_sum(numbers) / part.n, numbers), scale or Scale())

    def difference(self, above: Column, below: Column, scale: Scale) -> Estimate:
        """The mean of the one probability minus the mean of the other, over prompts that have both."""
        part = self._part(above, below)
        if not part.n:
            return part.found
        upper, lower = part.columns
        gaps = upper - lower
        found = part.estimate(Influence(exact_sum(gaps) / part.n, gaps), scale)
        errors = part.chance_errors()
        if errors is None or found.low is None:
            return found
        interval = errors.difference(found.level)
        made = replace(found, low=interval.low, high=interval.high, p=interval.p, note=None, method="chances.v1")
        return around(cut_off(made, (scale.low, scale.high)), exact_sum(gaps) / part.n)

    def ratio_of_means(self, above: Column, below: Column) -> Estimate:
        """The mean of the one over the mean of the other, as papers print it: a value without interval or test."""
        part = self._part(above, below)
        if not part.n:
            return part.found
        upper, lower = (exact_sum(column) for column in part.columns)
        if min(upper, lower) <= 0:
            return replace(part.found, note="no ratio: one of the means is zero")
        return replace(part.found, value=upper / lower, note="as papers print it: the log ratio is what is tested")

    def figure(
        self,
        columns: tuple[Column, Column],
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
            return replace(part.found, note="no value: the probability of a group is zero in some prompt")
        return part.estimate(made, scale or Scale())

    def swap_p(
        self,
        columns: tuple[Column, Column],
        make: Callable[[Array, Array, Codes], Callable[[Swaps], Array]],
        swaps: int = 1_999,
    ) -> float | None:
        """The probability of a figure at least as large if the groups' names meant nothing.

        The two groups are swapped in whole professions, and again in whole templates; the larger of the two p-values
        counts. `make` gets the two values of each prompt and the number of its profession or template, and gives the
        figure for each line of swaps. None with fewer than 5 of either, since so few swaps tell nothing.
        """
        part = self._part(*columns)
        if not part.ways or any(len(np.unique(codes)) < FEWEST for codes in part.ways.values()):
            return None
        first, second = part.columns
        generator = np.random.default_rng(self._seed)
        found = []
        for codes in map(renumbered, part.ways.values()):
            clusters = int(codes.max()) + 1
            figure = make(first, second, codes)
            [seen] = figure(np.zeros((1, clusters), dtype=np.bool_)).tolist()
            if not math.isfinite(seen):
                return None
            as_large = 0
            lines = max(1, _CELLS_AT_ONCE // part.n)
            for start in range(0, swaps, lines):
                shape = (min(lines, swaps - start), clusters)
                drawn = generator.integers(0, 2, size=shape, dtype=np.int8).astype(np.bool_)
                as_large += int(np.sum(figure(drawn) >= seen * (1 - 1e-12)))
            found.append((1 + as_large) / (swaps + 1))
        return max(found)

    @property
    def resampled_over(self) -> dict[str, int]:
        """How many levels of each factor there are, over all prompts."""
        return {name: len(np.unique(codes)) for name, codes in _ways(self._professions, self._templates).items()}

    def _part(self, *columns: Column) -> _Prompts:
        """The prompts that have a value in every column, in an order that does not depend on that of the file."""
        numbers = [np.array(column, dtype=np.float64) for column in columns]
        with np.errstate(invalid="ignore"):
            scored = np.all([np.abs(column) < LARGEST for column in numbers], axis=0)
        chosen = np.flatnonzero(scored)
        keys = [column[chosen] for column in reversed(numbers)]
        chosen = chosen[np.lexsort([*keys, self._templates[chosen], self._professions[chosen]])]
        ways = _ways(self._professions[chosen], self._templates[chosen])
        found = Estimate(
            None,
            level=self._level,
            n=len(chosen),
            n_unscored=len(scored) - len(chosen),
            origins=len(np.unique(next(iter(ways.values())))) if ways else min(1, len(chosen)),
            note=None if len(chosen) else "nothing was scored",
        )
        return _Prompts(found, [column[chosen] for column in numbers], ways)


def _ways(professions: Codes, templates: Codes) -> dict[str, Codes]:
    """What prompts vary over, by name: not what all of them have in common, nor templates of single professions.

    >>> [*_ways(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))], [*_ways(np.array([0, 0, 1, 1]), np.arange(4))]
    (['profession', 'template'], ['profession'])
    >>> [*_ways(np.array([0, 0, 0, 0]), np.arange(4))]
    ['template']
    """
    levels = [len(np.unique(codes)) for codes in (professions, templates)]
    within = levels[0] > 1 and len(np.unique(cells_of(professions, templates))) == levels[1]
    found = {"profession": professions} if levels[0] > 1 else {}
    return found if levels[1] < 2 or within else {**found, "template": templates}


@dataclass(frozen=True, slots=True, eq=False)
class _Prompts:
    """The prompts that a figure is made of: their number, their values and what they have in common."""

    found: Estimate
    columns: list[Array]
    ways: Mapping[str, Codes]

    @property
    def n(self) -> int:
        return self.found.n

    def estimate(self, made: Influence, scale: Scale) -> Estimate:
        """The figure with its interval."""
        found = replace(self.found, value=made.value)
        if not self.ways:
            return replace(found, note="no interval: there is a single origin, which shows no spread")
        first = np.any([np.diff(codes, prepend=-1) != 0 for codes in self.ways.values()], axis=0)
        clusters, second = [*(codes[first] for codes in self.ways.values()), None][:2]
        names = [f"{name}s" for name in self.ways]
        # How much of a figure is due to a prompt may lie beyond the ends of the figure's own scale.
        fits = scale.holds(float(made.of_prompts.min())) and scale.holds(float(made.of_prompts.max()))
        ends = scale if fits else Scale(neutral=scale.neutral)
        assert clusters is not None
        sums, rows = made.of_prompts, np.ones(self.n)
        if not first.all():
            # Prompts that share both: neither their order nor swapping the groups can show in the last digit.
            cells = np.cumsum(first) - 1
            sums, rows = exact_sums(sums, cells, len(clusters)), np.bincount(cells).astype(np.float64)
        made_of = estimate(sums, clusters, rows=rows, second=second, scale=ends, level=found.level, names=names)
        if scale.holds(made.value):
            made_of = cut_off(made_of, (scale.low, scale.high))
        return around(replace(made_of, n_unscored=found.n_unscored), made.value)

    def chance_errors(self) -> ProbabilityErrors | None:
        """How far the means of both columns may be off where they vary in one way alone; None where they vary in two.

        Over professions crossed with templates every profession has the mean of many prompts, which is not that skewed.
        """
        if len(self.ways) != 1:
            return None
        first, second = self.columns
        [clusters] = self.ways.values()
        return probability_errors(first, second, renumbered(clusters))
