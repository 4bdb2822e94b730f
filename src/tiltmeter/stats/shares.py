"""Shares, and means on a known scale, where Student's t fails: near an end of the scale, and without any spread.

A mean between two known ends is treated as the share of the way from the lower to the upper one. Its variance over
texts is never larger than that of a share of yes and no, so what is right for those errs on the safe side here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from tiltmeter.stats.intervals import student, wilson
from tiltmeter.stats.scales import Bounds


def near_end(
    values: Sequence[float], variance: float, freedom: float, origins: float, scale: Bounds, level: float
) -> Bounds | None:
    """Wilson's interval of a mean that may lie at an end of its scale; None where it is far from both.

    It is for as many independent texts as would give the mean its variance. Few events say little about how events
    come together: one alone, nothing. So the variance lies between the one seen and the one if all texts of an origin
    were alike, the fewer events the nearer the latter. Events are counted as (Σv)²/Σv², v the distance from the nearer
    end. A mean is near an end that Student's interval with this variance reaches; then that end is a bound.
    `origins` is their number; with origins of different sizes, that of origins of one size which weigh as much.
    A variance of 0 stands for one that is not known: then the interval is Wilson's wherever the mean lies.

    >>> [round(bound, 3) for bound in near_end([1.0] + [0.0] * 59, 0.0003, 5, 6, (0.0, 1.0), 0.95)]
    [0.0, 0.41]
    """
    low, high = scale
    width = high - low
    # Rounding must not put a mean beyond an end, nor make equal values differ.
    mean = min(max(math.fsum(values) / len(values), low), high)
    share = (mean - low) / width
    distances = [value - low for value in values] if share <= 0.5 else [high - value for value in values]
    independent = math.fsum((value - mean) ** 2 for value in values) / len(values) ** 2
    seen, alike = max(variance, independent) / width**2, share * (1 - share) / origins
    if min(values) == max(values):
        # Texts that are all the same say nothing of how texts differ, however many there are.
        lower, upper = wilson(share, origins, level)
        return low + width * lower, min(low + width * upper, high)
    events = math.fsum(distances) ** 2 / math.fsum(distance**2 for distance in distances)
    between = seen + max(0.0, alike - seen) / max(1.0, events)
    plain = student(mean, width * math.sqrt(between), freedom, None, level)
    reached = plain.low <= low, plain.high >= high
    if variance and not any(reached):
        return None
    bounds = wilson(share, share * (1 - share) / between, level)
    return (low if reached[0] else low + width * bounds[0]), (high if reached[1] else low + width * bounds[1])


def newcombe(a: float, of_a: Bounds, b: float, of_b: Bounds) -> Bounds:
    """The interval of a − b from the intervals of both (Newcombe 1998, method 10).

    >>> [round(bound, 2) for bound in newcombe(1.0, (0.61, 1.0), 0.0, (0.0, 0.39))]
    [0.45, 1.0]
    """
    difference = a - b
    below = math.hypot(a - of_a[0], of_b[1] - b)
    above = math.hypot(of_a[1] - a, b - of_b[0])
    return difference - below, difference + above


def same_sign_p(origins: int) -> float:
    """The exact sign test where the difference has the same sign in every origin.

    >>> same_sign_p(5), same_sign_p(0)
    (0.0625, 1.0)
    """
    return min(1.0, 2.0 ** (1 - origins))


def apart_p(first: int, second: int) -> float:
    """The exact permutation test where every origin of one group lies above every origin of the other.

    >>> round(apart_p(5, 5), 5)
    0.00794
    """
    return min(1.0, 2 / math.comb(first + second, first))
