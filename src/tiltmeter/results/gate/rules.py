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

_KIND = re.compile(r"(worse|different)(?:\s+by\s+more\s+than\s+(\d+(?:\.\d*)?|\.\d+)\s*(points?|%)?)?")
_BETWEEN = " ,\t\n"
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
    return _parts(condition) is None


def rule_of(condition: str, known: Collection[str]) -> Rule:
    """The rule that a condition in words is; `known` are the names that it may be restricted to.

    >>> rule_of("pairs worse by more than 2 points", ["pairs"]).by
    0.02
    """
    parts = _parts(condition)
    if parts is None:
        raise UserError(f"condition {condition!r:.200}: write {_EXAMPLES}")
    where, found = parts
    by = None if found[2] is None else float(found[2]) / (100 if found[3] else 1)
    if by is not None:
        check_tolerance(by, f"condition {condition!r:.200}")
    kind: Kind = "worse" if found[1] == "worse" else "different"
    return Rule(kind, by, frozenset(_names(where, known, condition)), condition.strip())


def _parts(condition: str) -> tuple[str, re.Match[str]] | None:
    """What a condition is restricted to, and the rest; the last kind counts, since a bias may be called so too."""
    text = condition.strip()
    at = max(text.rfind("worse"), text.rfind("different"))
    found = _KIND.fullmatch(text, max(at, 0))
    return (text[:at], found) if found and (not at or text[at - 1] in _BETWEEN) else None


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
        raise UserError(f"{what}: a tolerance is between 0 and 1; 2 points are 0.02")


def _names(where: str, known: Collection[str], condition: str) -> Iterable[str]:
    """The longest names that the words begin with, one after the other; a name may come without its version."""
    forms = {form: name for name in known for form in (VERSION.sub("", name), name)}
    rest = where.strip(_BETWEEN)
    while rest:
        fitting = [form for form in forms if rest == form or (rest.startswith(form) and rest[len(form)] in _BETWEEN)]
        if not fitting:
            given = rest.replace(",", " ").split()[0]
            problem = UnknownName("view, bias, rater, scorer, source or group", given, forms).problem
            raise UserError(f"condition {condition!r:.200}: {problem}")
        form = max(fitting, key=len)
        yield forms[form]
        rest = rest[len(form) :].lstrip(_BETWEEN)
