"""Numbers as people and spreadsheets write them."""

from __future__ import annotations

import re
from collections.abc import Iterable

# Not everything that Python takes for a number is one: 1_000, say.
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?|[-+]?inf(inity)?", re.IGNORECASE)
_COMMA = re.compile(r"[-+]?(\d{1,3}(\.\d{3})+|\d*),\d+([eE][-+]?\d+)?")
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(,\d{3})+")
_YES_AND_NO = {"true": 1.0, "false": 0.0}


def as_number(text: str, *, comma: bool = False) -> float | None:
    """The number that a text stands for; true and false are 1 and 0. `comma`: where a comma is the decimal sign.

    >>> as_number("−0.5"), as_number("True"), as_number("1_000"), as_number("0,4"), as_number("0,4", comma=True)
    (-0.5, 1.0, None, None, 0.4)
    """
    plain = text.strip().replace("−", "-")
    if plain.lower() in _YES_AND_NO:
        return _YES_AND_NO[plain.lower()]
    if comma and _COMMA.fullmatch(plain):
        plain = plain.replace(".", "").replace(",", ".")
    return float(plain) if _NUMBER.fullmatch(plain) else None


def decimal_commas(texts: Iterable[str]) -> bool:
    """Whether a column writes its decimals with a comma: one of its numbers can be read in no other way.

    >>> decimal_commas(["0,4", "1"]), decimal_commas(["1,234"]), decimal_commas(["0,4", "0.5"])
    (True, False, False)
    """
    given = [text.strip().replace("−", "-") for text in texts]
    points = any("." in text and _NUMBER.fullmatch(text) for text in given)
    return not points and any(_COMMA.fullmatch(text) and not _THOUSANDS.fullmatch(text) for text in given)
