"""Amounts as people say them: rounded numbers, stretches of time, rates, sizes of files, how long ago something was."""

from __future__ import annotations

import math
import time
from decimal import ROUND_HALF_UP, Decimal

_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
_UNITS = ("kB", "MB", "GB", "TB")


def fixed(number: float, decimals: int = 0, times: int = 1) -> str:
    """A number, or so many times it, with so many decimals; a half is rounded up, away from zero.

    >>> fixed(62.5), fixed(-0.125, 2), fixed(0.285, 0, 100), fixed(-0.001, 1), fixed(math.inf)
    ('63', '-0.13', '29', '-0.0', 'inf')
    """
    if not math.isfinite(number):
        return str(number)
    # As it is written, not as it is stored: 0.285 is a little less than that.
    return f"{(Decimal(repr(float(number))) * times).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP):f}"


def duration(seconds: float) -> str:
    """A stretch of time, to two units.

    >>> duration(3852), duration(94.6), duration(45), duration(360_000)
    ('1 h 4 min', '1 min 35 s', '45 s', '100 h 0 min')
    """
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    minutes = round(seconds / _MINUTE)
    return f"{minutes // 60} h {minutes % 60} min"


def in_time(rate: float) -> str:
    """A number of steps a second, in the unit of time in which it is no fraction.

    >>> in_time(12.3), in_time(0.25), in_time(0.004)
    ('12 a second', '15 a minute', '14 an hour')
    """
    if rate >= 1:
        return f"{rate:,.0f} a second"
    return f"{rate * _MINUTE:.0f} a minute" if rate * _MINUTE >= 1 else f"{rate * _HOUR:.0f} an hour"


def size(count: int) -> str:
    """A number of bytes.

    >>> size(900), size(12_345_678)
    ('0.9 kB', '12 MB')
    """
    amount = float(count)
    for unit in _UNITS:
        amount /= 1000
        if amount < 1000 or unit == _UNITS[-1]:
            break
    return f"{amount:.1f} {unit}" if amount < 10 else f"{amount:,.0f} {unit}"


def ago(moment: float) -> str:
    """How long ago a moment was.

    >>> ago(time.time() - 7300), ago(time.time() - 3)
    ('2 h ago', 'just now')
    """
    seconds = time.time() - moment
    for unit, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if seconds >= unit:
            return f"{seconds // unit:.0f} {name} ago"
    return "just now"
