"""Before and after in per cent, over prompts that are crossed: professions and templates are both uncertain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.records import Estimate
from tiltmeter.stats.crossed import Crossed, Influence
from tiltmeter.stats.drawing import Array, exact_sum
from tiltmeter.stats.next_words import Place
from tiltmeter.stats.scales import from_logarithm, in_per_cent


def crossed_change(
    places: Sequence[Place],
    before: Sequence[float | None],
    after: Sequence[float | None],
    mean: Estimate,
    names: tuple[str, str],
) -> tuple[Estimate | None, str | None]:
    """How many per cent the mean over prompts changes from a to b; or None and why it would mean nothing.

    `mean` is that of a, over the prompts that both have scored: where its interval holds zero, or it has none, nobody
    can say what the change is a part of. The interval is that of the ratio, on the scale of logarithms.

    >>> places = [Place(one, other) for one in "abcdef" for other in "uvwxyz"]
    >>> values = [0.4 + 0.01 * number for number in range(36)]
    >>> halves = [value / 2 + 0.01 * (number % 3) for number, value in enumerate(values)]
    >>> found, _ = crossed_change(places, values, halves, Estimate(0.575, 0.5, 0.65), ("before", "after"))
    >>> round(found.value, 1), found.low < found.value < found.high
    (-48.3, True)
    """
    first, _ = names
    if mean.value is None or mean.low is None or mean.high is None:
        return None, f"the mean of {first} has no interval: nobody can say that it is not zero"
    if mean.low <= 0 <= mean.high:
        return None, f"the mean of {first} may be zero: its interval contains it"
    crossed = Crossed([place.profession for place in places], [place.template for place in places], level=mean.level)
    found = crossed.figure((before, after), _log_ratio)
    if found.value is None:
        return None, "the mean changes its sign, or becomes zero"
    return replace(from_logarithm(found, in_per_cent), p=None), None


def _log_ratio(before: Array, after: Array) -> Influence | None:
    one, other = (exact_sum(values) / len(values) for values in (before, after))
    if one * other <= 0:
        return None
    value = math.log(other / one)
    return Influence(value, value + after / other - before / one)
