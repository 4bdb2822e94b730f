"""What a gate does not let pass, in words: "worse by more than 2 points", "pairs gender worse", "different by …"."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.results.compare.sides import VERSION
from tiltmeter.results.conditions import parsed

Kind = Literal["worse", "different"]
"""Further from neutral, or further from the baseline on either side."""

_RULE = re.compile(
    r"(?P<where>.*?)\s*\b(?P<kind>worse|different)"
    r"(?:\s+by\s+more\s+than\s+(?P<by>\d+(?:\.\d*)?|\.\d+)\s*(?P<points>points?|%)?)?",
    re.DOTALL,
)
_SEPARATOR = re.compile(r"[\s,]+")
_EXAMPLES = '"worse by more than 2 points", "pairs worse by more than 0.02" or "pairs.overall.difference.low > 0.02"'


@dataclass(frozen=True, slots=True)
class Rule:
    """A candidate fails where it is worse than, or different from, the baseline by more than a tolerance."""

    kind: Kind
    by: float | None
    """As a share; None: by any amount that is significant."""
    where: frozenset[str] = frozenset()
    """Names of views, biases, raters, scorers or sources that a line must all have."""
    text: str = ""

    def __str__(self) -> str:
        return self.text or f"{self.kind} by more than {self.by:g}"


def is_path(condition: str) -> bool:
    """Whether a condition names a figure by its path.

    >>> is_path("pairs.overall.difference.low > 0.02"), is_path("pairs worse by more than 2 points")
    (True, False)
    """
    return _RULE.fullmatch(condition.strip()) is None


def rule_of(condition: str, known: Collection[str]) -> Rule:
    """The rule that a condition in words is; `known` are the names that it may be restricted to.

    >>> rule_of("pairs worse by more than 2 points", ["pairs"]).by
    0.02
    """
    found = _RULE.fullmatch(condition.strip())
    if not found:
        raise UserError(f"condition {condition!r:.200}: write {_EXAMPLES}")
    by = None if found["by"] is None else float(found["by"]) / (100 if found["points"] else 1)
    if by is not None:
        check_tolerance(by, f"condition {condition!r:.200}")
    kind: Kind = "worse" if found["kind"] == "worse" else "different"
    return Rule(kind, by, frozenset(_names(found["where"], known, condition)), condition.strip())


def check_conditions(conditions: Iterable[str]) -> None:
    """Refuse what can be read neither as words nor as a path."""
    for condition in conditions:
        if is_path(condition):
            try:
                parsed(condition)
            except UserError as error:
                raise UserError(f"condition {condition!r:.200}: write {_EXAMPLES}") from error


def check_tolerance(value: float, what: str) -> None:
    """Refuse a tolerance that nothing could be held against."""
    if not 0 < value < 1 or not math.isfinite(value):
        raise UserError(f"{what}: a tolerance lies between 0 and 1, and 2 points are 0.02")


def _names(where: str, known: Collection[str], condition: str) -> Iterable[str]:
    """The longest names that the words begin with, one after the other; a name may come without its version."""
    forms = {form: name for name in known for form in (VERSION.sub("", name), name)}
    rest = where.strip()
    while rest:
        fitting = [form for form in forms if rest == form or (rest.startswith(form) and rest[len(form)] in " ,\t\n")]
        if not fitting:
            given = _SEPARATOR.split(rest)[0]
            problem = UnknownName("view, bias, rater, scorer, source or group", given, forms).problem
            raise UserError(f"condition {condition!r:.200}: {problem}")
        form = max(fitting, key=len)
        yield forms[form]
        rest = rest[len(form) :].lstrip(" ,\t\n")
