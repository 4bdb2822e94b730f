"""How long to wait before a request is sent again."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

FIRST = 0.5
"""Seconds before the second attempt, at most; doubled with every further one."""


def back_off(attempt: int, longest: float, chance: Callable[[], float] = random.random) -> float:
    """Seconds before the next attempt, the first failure being number 1: half of it fixed, half of it chance.

    Chance keeps requests that failed together from coming back together.

    >>> [back_off(attempt, 60.0, lambda: 1.0) for attempt in (1, 2, 3, 20)]
    [0.5, 1.0, 2.0, 60.0]
    """
    most = min(longest, FIRST * 2.0 ** min(attempt - 1, 30))
    return most / 2 + most / 2 * chance()


def asked_for(header: str | None, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or a date; None where it says nothing readable.

    >>> asked_for("3"), asked_for("soon"), asked_for("Thu, 01 Jan 1970 00:00:00 GMT")
    (3.0, None, 0.0)
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now().timestamp()
    return max(0.0, seconds) if math.isfinite(seconds) else None
