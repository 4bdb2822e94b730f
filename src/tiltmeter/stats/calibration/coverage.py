"""What the instrument reads where the truth is known: coverage, false alarms, power, and the smallest tilt it sees.

Studies are drawn from a pool whose own value is the truth (`simulated_studies`). Three kinds of worlds: the pool as the
model made it; mirrored, so that there is exactly no tilt; and mirrored with a tilt of known size.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tiltmeter.records import Estimate
from tiltmeter.stats.calibration.simulated_studies import Pool, Studies, World, studies_of
from tiltmeter.stats.intervals import wilson
from tiltmeter.stats.planning.detectable import POWER, minimum_detectable_of

__all__ = [
    "Pool",
    "Tally",
    "ViewCalibration",
    "World",
    "simulate",
    "smallest_tilt",
    "studies_of",
    "together",
    "view_calibrations",
]

ALPHA = 0.05
COVERAGE = (0.93, 0.97)
"""Where the coverage of 95 % intervals has to lie."""
_ENOUGH = 5000
"""From so many studies on, the coverage itself has to lie there."""
_MONTE_CARLO = 0.99
"""The level of the intervals of all rates here, which come from a finite number of studies."""
WIDEST = 0.1
"""How wide the interval of a rate may be before too few studies were drawn to call it right."""
FEWEST_TILTED = 100
"""Studies of each tilt from which on a power is told: it is known to ± 10 points then."""
_SOMETIMES = 0.05
"""Where more intervals than this are withheld, those that are given are chosen ones."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Rate:
    """So many of so many studies."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        """The share; None of none."""
        return self.hits / self.of if self.of else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Wilson's 99 % interval: how far the share may be off since studies are finite in number."""
        return wilson(self.hits / self.of, self.of, _MONTE_CARLO) if self.of else None

    @property
    def is_known(self) -> bool:
        """Whether its interval is narrow enough to call the share right: no wider than 10 points.

        >>> Rate(0, 3).is_known, Rate(10, 200).is_known
        (False, True)
        """
        low, high = self.bounds or (0.0, 1.0)
        return high - low <= WIDEST

    def as_json(self) -> dict[str, Any]:
        """The share with its interval and the number of studies."""
        low, high = self.bounds or (None, None)
        return {"value": self.value, "low": low, "high": high, "studies": self.of}


@dataclass(frozen=True, slots=True)
class Tally:
    """What many studies of one world said."""

    truth: float
    studies: int
    held: Rate
    """Intervals that hold the truth, of those that there are."""
    above: int
    """Intervals that lie wholly below the truth."""
    alarms: Rate
    """p-values below 0.05, of those that there are."""
    total: float
    valued: int
    """The sum of the values, and how many there are."""

    @property
    def mean(self) -> float | None:
        """The mean of the values: what is recovered."""
        return self.total / self.valued if self.valued else None

    @property
    def withheld(self) -> float:
        """The share of studies that have no interval."""
        return 1 - self.held.of / self.studies

    @property
    def covers(self) -> bool:
        """Whether coverage lies between 93 and 97 %, or may with fewer than 5,000 studies.

        Above is no fault where intervals are often withheld: those of the studies in which a ratio can be told hold the
        truth more often than all would.
        """
        low, high = self.held.bounds or (0.0, 1.0)
        if self.studies >= _ENOUGH:
            low = high = self.held.value or 0.0
        return high >= COVERAGE[0] and (low <= COVERAGE[1] or self.withheld > _SOMETIMES)

    def as_json(self) -> dict[str, Any]:
        """Truth, what was recovered, coverage and the share of p < 0.05."""
        return {
            "truth": self.truth,
            "recovered": self.mean,
            "coverage": self.held.as_json(),
            "withheld": self.withheld,
            "truth_above": self.above / self.held.of if self.held.of else None,
            "significant": self.alarms.as_json(),
            "studies": self.studies,
        }


def simulate(
    studies: Studies, origins: int, world: World, number: int, *, seed: int = 0, part: int = 0
) -> dict[str, Tally]:
    """Draw and analyse so many studies; what each estimator said of them. Every part draws others."""
    key = f"{type(studies).__name__}/{studies.view}/{origins}/{world.tilt}/{world.mirrored}"
    chance = np.random.default_rng([seed, zlib.crc32(key.encode()), part])
    truths = studies.truths(world)
    found: dict[str, list[Estimate]] = {name: [] for name in truths}
    for _ in range(number):
        for name, one in studies.study(chance, origins, world).items():
            found[name].append(one)
    return {name: _tally(truth, found[name]) for name, truth in truths.items()}


def _tally(truth: float, found: Sequence[Estimate]) -> Tally:
    # A share of the truth is rounding: the mean of a pool is added up in another order than that of a study.
    slack = _ROUNDING * max(1.0, abs(truth))
    bounds = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    held = sum(low - slack <= truth <= high + slack for low, high in bounds)
    tests = [one.p for one in found if one.p is not None]
    values = [one.value for one in found if one.value is not None]
    return Tally(
        truth,
        len(found),
        Rate(held, len(bounds)),
        sum(truth > high + slack for _, high in bounds),
        Rate(sum(p < ALPHA for p in tests), len(tests)),
        math.fsum(values),
        len(values),
    )


def together(parts: Sequence[Mapping[str, Tally]]) -> dict[str, Tally]:
    """The tallies of all parts of a simulation as one."""
    return {name: _added([part[name] for part in parts]) for name in parts[0]}


def _added(tallies: Sequence[Tally]) -> Tally:
    return Tally(
        tallies[0].truth,
        sum(each.studies for each in tallies),
        Rate(sum(each.held.hits for each in tallies), sum(each.held.of for each in tallies)),
        sum(each.above for each in tallies),
        Rate(sum(each.alarms.hits for each in tallies), sum(each.alarms.of for each in tallies)),
        math.fsum(each.total for each in tallies),
        sum(each.valued for each in tallies),
    )


@dataclass(frozen=True, slots=True)
class ViewCalibration:
    """How one estimator reads with so many origins."""

    view: str
    estimator: str
    origins: int
    p_alone: bool
    as_it_is: Tally | None
    """On the values as the model made them."""
    neutral: Tally
    """On the mirrored values, where there is exactly no tilt."""
    tilted: Mapping[float, Tally]
    """By the size of the tilt that was planted."""

    @property
    def smallest(self) -> float | None:
        """The tilt from which on the power is 80 % or more; None where it is less at the largest that was planted.

        None as well where there are too many false alarms, for what is seen without a tilt is no sight of one, and
        where too few studies were drawn.
        """
        if self.keeps_alarms is False or not self.knows_power:
            return None
        powers = {tilt: each.alarms.value or 0.0 for tilt, each in self.tilted.items()}
        return interpolated(self.neutral.alarms.value, powers)

    @property
    def knows_power(self) -> bool:
        """Whether enough studies of each tilt were drawn to speak of a power."""
        return self.drawn_tilted >= FEWEST_TILTED

    @property
    def drawn_tilted(self) -> int:
        """The studies of each tilt; of the one with the fewest."""
        return min((each.studies for each in self.tilted.values()), default=0)

    @property
    def is_known(self) -> bool:
        """Whether enough studies were drawn to call the reading right: see `Rate.is_known`."""
        rates = [*(each.held for each in self._worlds), *([self.neutral.alarms] if self.neutral.alarms.of else [])]
        return all(rate.is_known for rate in rates)

    @property
    def coverage(self) -> Rate | None:
        """Of the world in which fewer intervals hold the truth; None where no coverage is claimed."""
        return min((each.held for each in self._worlds), key=lambda rate: rate.value or 0.0, default=None)

    @property
    def covers(self) -> bool | None:
        """Whether coverage is right in every world without a planted tilt; None: none is claimed."""
        return all(each.covers for each in self._worlds) if self._worlds else None

    @property
    def withheld(self) -> float | None:
        """The share of studies without an interval, where it is larger; None where no coverage is claimed."""
        return max((each.withheld for each in self._worlds), default=None)

    @property
    def _worlds(self) -> list[Tally]:
        """Those of which a coverage is claimed."""
        found = [each for each in (self.as_it_is, self.neutral) if each is not None and each.held.of]
        return [] if self.p_alone else found

    @property
    def keeps_alarms(self) -> bool | None:
        """Whether the interval of the false-alarm rate includes or lies below 5 %; None: there is no test."""
        bounds = self.neutral.alarms.bounds
        return None if bounds is None else bounds[0] <= ALPHA

    def as_json(self) -> dict[str, Any]:
        """Everything that is known of the reading."""
        return {
            "coverage": None if self.coverage is None else self.coverage.as_json(),
            "false_alarms": self.neutral.alarms.as_json() if self.neutral.alarms.of else None,
            "covers": self.covers,
            "keeps_alarms": self.keeps_alarms,
            "enough_studies": self.is_known,
            "enough_tilted_studies": self.knows_power if self.tilted else None,
            "smallest_tilt": self.smallest,
            "as_it_is": None if self.as_it_is is None else self.as_it_is.as_json(),
            "no_tilt": self.neutral.as_json(),
            "tilts": {f"{tilt:g}": each.as_json() for tilt, each in self.tilted.items()},
        }


def view_calibrations(
    studies: Studies, tilts: Sequence[float], origins: int, found: Mapping[World, Mapping[str, Tally]]
) -> list[ViewCalibration]:
    """Put the tallies of all worlds together, estimator by estimator."""
    as_it_is, neutral = found.get(World(0, False)), found[World(0, True)]
    return [
        ViewCalibration(
            studies.view,
            name,
            origins,
            studies.p_alone,
            None if as_it_is is None else as_it_is[name],
            neutral[name],
            {tilts[world.tilt]: each[name] for world, each in found.items() if world.tilt},
        )
        for name in neutral
    ]


def interpolated(alarms: float | None, powers: Mapping[float, float]) -> float | None:
    """The tilt from which on the power is 80 % or more, between those that were tried; None where it is not.

    >>> round(interpolated(0.05, {0.1: 0.3, 0.2: 0.7, 0.5: 0.9}), 3), interpolated(0.05, {0.1: 0.9, 0.2: 0.3})
    (0.35, None)
    """
    seen: tuple[float, float] | None = None
    for tilt, power in [*sorted(powers.items(), reverse=True), (0.0, alarms or 0.0)]:
        if power < POWER or not tilt:
            below, power_below = tilt, power
            break
        seen = tilt, power
    if seen is None:
        return None
    tilt, power = seen
    return below + (tilt - below) * max(0.0, POWER - power_below) / max(power - power_below, _ROUNDING)


def smallest_tilt(found: Estimate, *, power: float = POWER) -> float | None:
    """The smallest true difference that a study like this one sees with this power; None where it has no interval.

    For the report, from a run's own estimate: "on this design the instrument sees differences of X or more". It rests
    on the width of the interval alone, whatever the value was.

    >>> round(smallest_tilt(Estimate(0.3, -0.109, 0.709, origins=30)), 2)
    0.58
    """
    return minimum_detectable_of(found, power=power)
