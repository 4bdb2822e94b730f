"""Numbers, dates and lists as people write them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime

from tiltmeter.amounts import fixed
from tiltmeter.records import SCREENED, Estimate

SPACE = "\N{NO-BREAK SPACE}"
NEUTRAL = f"50{SPACE}%"
NONE = "–"
"""What stands in a cell that has no number."""
_MOST_DECIMALS = 6
"""A difference that shows in no more decimals is as good as none."""
_NUMBERS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def percent(share: float | None, decimals: int = 1) -> str:
    """A share in per cent.

    >>> percent(0.584), percent(0.625, 0), percent(None)
    ('58.4\\xa0%', '63\\xa0%', '–')
    """
    return NONE if share is None else f"{fixed(share, decimals, 100)}{SPACE}%"


def percent_range(low: float | None, high: float | None, decimals: int = 1) -> str:
    """An interval of shares in per cent.

    >>> percent_range(0.54, 0.62, 0)
    '54–62\\xa0%'
    """
    if low is None or high is None:
        return NONE
    return f"{fixed(low, decimals, 100)}–{fixed(high, decimals, 100)}{SPACE}%"


def share_words(found: Estimate) -> str:
    """A share with its interval, without decimals unless they would make it look neutral, or the interval empty.

    >>> share_words(Estimate(0.71, 0.66, 0.76)), share_words(Estimate(0.504))
    ('71\\xa0% (66–76\\xa0%)', '50.4\\xa0%')
    """
    shown = [number for number in (found.value, found.low, found.high) if number is not None]
    whole = [fixed(number, 0, 100) for number in shown]
    misleading = any(words == "50" and number != 0.5 for words, number in zip(whole, shown, strict=True))
    decimals = 1 if misleading or len({*whole}) < len(shown) else 0
    interval = f" ({percent_range(found.low, found.high, decimals)})" if found.low is not None else ""
    return f"{percent(found.value, decimals)}{interval}"


def points_words(found: Estimate) -> str:
    """A difference of shares in percentage points, with its interval; no end looks like zero that is not.

    >>> points_words(Estimate(0.06, -0.01, 0.13)), points_words(Estimate(0.01))
    ('+6 points, −1 to +13', '+1 point')
    """
    ends = [None if number is None else 100 * number for number in (found.value, found.low, found.high)]
    shown = [number for number in ends if number is not None]
    whole = [float(fixed(one)) for one in shown]
    misleading = any(one and not near for one, near in zip(shown, whole, strict=True)) or len({*whole}) < len(shown)
    value, low, high = (signed(one, 1 if misleading else 0) for one in ends)
    return f"{value} point{'' if value in ('+1', '−1') else 's'}" + ("" if found.low is None else f", {low} to {high}")


def probability(value: float | None, like: float | None = None) -> str:
    """A probability to three decimals, or as many as show two digits of it, or of `like`.

    >>> probability(0.0423), probability(0.00073), probability(0.0), probability(None)
    ('0.042', '0.00073', '0.000', '–')
    """
    if value is None:
        return NONE
    sized = abs(value if like is None else like)
    decimals = 3 if sized == 0 else min(10, max(3, 1 - math.floor(math.log10(sized))))
    return f"{value:.{decimals}f}"


def p_value(p: float | None) -> str:
    """A p-value to three decimals.

    >>> p_value(0.0004), p_value(0.0312)
    ('<0.001', '0.031')
    """
    if p is None:
        return NONE
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float) -> str:
    """A p-value in a sentence.

    >>> p_equals(0.0004), p_equals(0.0312)
    ('p < 0.001', 'p = 0.031')
    """
    return f"p {p_value(p).replace('<', '< ')}" if p < 0.001 else f"p = {p_value(p)}"


def signed(number: float | None, decimals: int = 2) -> str:
    """A difference, with its sign; one that would round to zero keeps its first digit, down to the sixth decimal.

    >>> signed(-0.5), signed(0.125), signed(-0.0004), signed(0.00001), signed(1e-9), signed(0.0)
    ('−0.50', '+0.13', '−0.0004', '+0.00001', '0.00', '0.00')
    """
    if number is None:
        return NONE
    given, shown = decimals, fixed(number, decimals)
    while number and not float(shown) and decimals < _MOST_DECIMALS:
        decimals += 1
        shown = fixed(number, decimals)
    if not float(shown):
        return fixed(0.0, given)
    return f"{'+' if number > 0 else ''}{shown}".replace("-", "−")


def count(number: int, noun: str, plural: str = "") -> str:
    """A number and its noun.

    >>> count(1, "pair"), count(1200, "pair"), count(2, "bias", "biases")
    ('1 pair', '1,200 pairs', '2 biases')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def number_words(number: int) -> str:
    """A small number in words.

    >>> number_words(2), number_words(1200)
    ('two', '1,200')
    """
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else f"{number:,}"


def listed(names: Sequence[str]) -> str:
    """Names in a row.

    >>> listed(["sum"]), listed(["sum", "mean", "rest"])
    ('sum', 'sum, mean and rest')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def capitalised(words: str) -> str:
    """Words that begin a sentence.

    >>> capitalised("the model"), capitalised("")
    ('The model', '')
    """
    return words[:1].upper() + words[1:]


def date_words(when: str | None) -> str:
    """The day of a time as the ledger notes it.

    >>> date_words("2026-11-06T03:04:05+00:00"), date_words(None)
    ('6 Nov 2026', 'not finished')
    """
    return f"{datetime.fromisoformat(when):%-d %b %Y}" if when else "not finished"


def format_words(dtype: str) -> str:
    """The number format that a model was computed in.

    >>> format_words("screened")
    'a fast number format, and float32 where that cannot tell'
    """
    return "a fast number format, and float32 where that cannot tell" if dtype == SCREENED else dtype


def revision_words(revision: str) -> str:
    """A revision as short as it can be known by.

    >>> revision_words("a" * 40), revision_words("small==1.0 sha256:12ab"), revision_words("served as small; by us")
    ('aaaaaaaaaaaa', 'small==1.0', 'served as small; by us')
    """
    return revision[:12] if len(revision) == 40 else revision.partition(" sha256:")[0]
