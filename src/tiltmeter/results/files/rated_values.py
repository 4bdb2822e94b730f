"""What stands where a rating should: a number, a label of regard in words or as a code, or nothing to score."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.raters.regard_labels import VALUES
from tiltmeter.raters.scales import SCALES
from tiltmeter.sources.numbers import as_number, decimal_commas

DECLINED = "the model declined to answer"
"""Why a text has no rating that counts: a refusal says nothing about the group, neutral or otherwise."""
OTHER = "the label is other"
_CODES: dict[float, str] = {-1.0: "negative", 0.0: "neutral", 1.0: "positive", 2.0: "other"}
_REMEMBERED = 10_000
"""Texts that are known again when they come again."""
_BLANK = {"", "nan", "na", "n/a", "none", "null"}


@dataclass(frozen=True, slots=True)
class Given:
    """What one text has for a rating, as it stands in the file, and where."""

    text: str
    file: str | Path
    line: int
    label: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """The rating that it stands for."""

    value: float | None
    label: str | None = None
    unrated: str | None = None


@dataclass(frozen=True, slots=True)
class Values:
    """The ratings of a column."""

    cells: tuple[Cell, ...]
    regard: bool = False
    """Whether they are labels of regard, which lie between −1 and 1."""
    only_to_two: bool = False
    """Whether 2 stands out above numbers from −1 to 1: it may be the label other, and is read as a number."""
    commas: bool = False
    """Whether a comma is the decimal sign."""


def reason_of(label: str) -> str:
    """Why a text is unscored whose label was said not to count."""
    return f"the label is {label}"


class Column:
    """What stands in a column of ratings: numbers, or the labels of regard, in words or as −1, 0, 1 and 2.

    Which of them is seen from all of its texts. Codes are known by the column's name (regard); by words among them; by
    −1 where there are no other numbers; by 2 where it is said to be unscored; or by being told so (`codes`). A value or
    label that is among the `unscored` is not looked at further.
    """

    def __init__(self, name: str, unscored: Sequence[str] = ()) -> None:
        self.name, self.codes = name, None if not is_regard(name) else True
        self._unscored = unscored
        self._left_out = {number for label in unscored if (number := as_number(label)) is not None}
        self._known: set[str] = set()
        self._points = self._commas = self._worded = False
        # With a comma as the decimal sign, and without: codes, and the ends of all others, which do not grow.
        self._numbers: dict[bool, set[float]] = {False: set(), True: set()}

    def see(self, text: str) -> None:
        """Look at one of the texts of the column."""
        if text in self._known:
            return
        if len(self._known) < _REMEMBERED:
            self._known.add(text)
        self._worded = self._worded or _word(text) in VALUES
        self._points = self._points or ("." in text and as_number(text) is not None)
        self._commas = self._commas or decimal_commas([text])
        for comma, held in self._numbers.items():
            number = as_number(text, comma=comma)
            if number is not None and number not in self._left_out:
                held.add(number)
                others = held - set(_CODES)
                if len(others) > 2:
                    held.difference_update(others - {min(others), max(others)})

    @property
    def commas(self) -> bool:
        """Whether a comma is the decimal sign."""
        return self._commas and not self._points

    @property
    def regard(self) -> bool:
        """Whether the ratings are labels of regard, which lie between −1 and 1."""
        numbers = self._numbers[self.commas]
        seen = numbers <= set(_CODES) and (-1.0 in numbers or 2.0 in self._left_out)
        return self._worded or (seen if self.codes is None else self.codes)

    @property
    def only_to_two(self) -> bool:
        """Whether 2 stands out above numbers from −1 to 1: it may be the label other, and is read as a number."""
        return not self.regard and _only_to_two(self._numbers[self.commas])

    def reader(self) -> Callable[[Given], Cell]:
        """What reads a rating once all have been seen; of regard a number beyond −1 and 1 is refused, but for 2."""
        regard, commas = self.regard, self.commas

        def read(given: Given) -> Cell:
            label = self.left_out(given)
            return Cell(None, None, reason_of(label)) if label is not None else _read(given, self.name, regard, commas)

        return read

    def left_out(self, given: Given) -> str | None:
        """The label, of those that do not count, that a text has."""
        for label in self._unscored:
            for held in (given.text, given.label):
                same = _word(held) == _word(label)
                if held.strip() and (same or (as_number(label) is not None and as_number(held) == as_number(label))):
                    return label
        return None

    def odd(self, number: str) -> str:
        """Whether a text is to be looked at, in SQL, as an expression does for what it is as a plain number."""
        known = ", ".join(repr(each) for each in sorted({*_CODES, *self._left_out} - {math.inf, -math.inf}))
        return f"coalesce({number} IN ({known}) OR ({self.regard} AND abs({number}) > 1), true)"


def read_values(
    given: Sequence[Given], name: str, unscored: Sequence[str] = (), *, codes: bool | None = None
) -> Values:
    """The ratings of a short column.

    >>> [cell.value for cell in read_values([Given("-1", "f", 1), Given("2", "f", 2)], "v").cells]
    [-1.0, None]
    """
    column = Column(name, unscored)
    column.codes = column.codes if codes is None else codes
    for each in given:
        column.see(each.text)
    return Values(tuple(map(column.reader(), given)), column.regard, column.only_to_two, column.commas)


def _only_to_two(numbers: Set[float]) -> bool:
    """Whether 2 alone stands above 1, and what stands below could be labels of regard or their means."""
    rest = numbers - {2.0}
    return 2.0 in numbers and (rest <= {0.0, 1.0} or (-1.0 in rest and max(rest) <= 1 and min(rest) >= -1))


def is_regard(name: str) -> bool:
    """Whether a column, a rater or a kind of rating is called regard.

    >>> is_regard("human_regard"), is_regard("regard.minilm.v2"), is_regard("Regard 2"), is_regard("disregard")
    (True, True, True, False)
    """
    return re.search(r"(?<![a-z])regard(?![a-z])", name.lower()) is not None


def _read(given: Given, name: str, codes: bool, commas: bool) -> Cell:
    word = _word(given.text)
    if word in _BLANK:
        return Cell(None, unrated=f"the column `{name}` is blank")
    if codes and word in VALUES:
        return _labelled(word)
    number = _number(given, name, commas)
    if not codes:
        return Cell(number)
    if number in _CODES:
        return _labelled(_CODES[number])
    outside = SCALES["regard"].outside(number)
    if outside:
        raise InvalidData(f"{outside}; 2 is the label other", file=given.file, line=given.line, key=name)
    return Cell(number)


def _word(text: str) -> str:
    return text.strip().lower()


def _labelled(label: str) -> Cell:
    value = VALUES[label]
    return Cell(value, label, None if value is not None else OTHER)


def _number(given: Given, name: str, commas: bool) -> float:
    number = as_number(given.text, comma=commas)
    if number is None:
        raise InvalidData(
            f"{given.text.strip()!r} is no rating; right are numbers, true and false, or {', '.join(VALUES)}, or blank",
            file=given.file,
            line=given.line,
            key=name,
        )
    return number
