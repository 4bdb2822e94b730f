"""Conditions on a result, PATH SIGN NUMBER: whether they hold, and where."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.registry import unversioned

OPTION = "--fail-if"
"""What conditions are called in errors."""
_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")
_LABELS = (
    *("model", "name", "view", "source", "bias", "topic", "question", "scorer", "rater", "decoding", "words"),
    *("bounded", "combine", "wording", "order", "condition", "groups", "group", "perturbation", "measure"),
)
"""What tells the cells of a result apart."""
_LONGEST = 200
SHOWN = 5
"""As many places where a condition holds are named."""


@dataclass(frozen=True, slots=True)
class Held:
    """Where a condition holds: the path, the value there, and what the cell is of."""

    condition: str
    path: str
    value: float
    about: Mapping[str, str]
    around: Mapping[str, Any]
    """What stands beside the value."""

    @property
    def sentence(self) -> str:
        """The value with its interval and n, and the cell."""
        low, high, n = (self.around.get(name) for name in ("low", "high", "n"))
        ends = f", interval {low:.4g} to {high:.4g}" if _is_number(low) and _is_number(high) else ""
        count = f", n = {n:,}" if isinstance(n, int) and not isinstance(n, bool) else ""
        cell = "; ".join(f"{name} {words[:_LONGEST]}" for name, words in self.about.items())
        return f"{self.condition}: {self.path} is {self.value:.4g}{ends}{count}{f' ({cell})' if cell else ''}"


def holds(condition: str, result: Mapping[str, Any]) -> bool:
    """Whether a condition is true of a result.

    >>> holds("by_bias.gender.low > 0.5", {"by_bias": {"gender": {"low": 0.51}}})
    True
    """
    return holds_in_any(condition, [result])


def holds_in_any(condition: str, results: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a condition is true of at least one of those results that have its path.

    >>> holds_in_any("b.low > 0.5", [{"a": {"low": 0.9}}, {"b": {"low": 0.4}}, {"b": {"low": 0.6}}])
    True
    """
    return bool(held_in(condition, results))


def held_in(condition: str, results: Sequence[Mapping[str, Any]], about: Mapping[str, str] | None = None) -> list[Held]:
    """Every place where a condition is true; one that cannot be decided is an error, never a pass.

    `about` is what all results are of, such as the two models of a comparison.

    >>> [found.value for found in held_in("b.low > 0.5", [{"b": {"low": 0.4}}, {"b": {"low": 0.6}}])]
    [0.6]
    """
    path, sign, number = parsed(condition)
    compare = _OPERATORS[sign]
    walked = [_walked(path, result) for result in results]
    found = [one for one in walked if not one.rest]
    if not found:
        raise _absent(path, walked, condition)
    numbers = [one for one in found if _is_number(one.value)]
    over = [one for one in numbers if compare(one.value, number)]
    held = [Held(condition, path, one.value, {**(about or {}), **one.about}, one.around) for one in over]
    if not held and len(numbers) < len(found):
        what = "is undefined here (null)" if any(one.value is None for one in found) else "is not a number"
        count = f" in {len(found) - len(numbers)} of {len(found)} cells" if len(found) > 1 else ""
        raise UserError(f"{OPTION} {condition!r}: `{path}` {what}{count}, so the condition cannot be decided")
    return held


def check(conditions: Sequence[str] | None, results: Sequence[Mapping[str, Any]] | None = None) -> None:
    """Refuse a condition that cannot be read, or whose path none of the results has, before any work is done."""
    for condition in conditions or ():
        path, *_ = parsed(condition)
        walked = [_walked(path, result) for result in results or ()]
        if results is not None and all(one.rest for one in walked):
            raise _absent(path, walked, condition)


def parsed(condition: str) -> tuple[str, str, float]:
    """The path, the sign and the number: names may hold a sign themselves, so the last one counts."""
    at = max(condition.rfind(">"), condition.rfind("<"))
    sign = condition[at : at + 2] if condition[at + 1 : at + 2] == "=" else condition[at : at + 1]
    path, number = condition[: max(at, 0)].strip(), condition[at + len(sign) :].strip()
    if not path or not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        raise UserError(f"{OPTION} {condition!r:.200}: write PATH SIGN NUMBER, e.g. 'headline.low > 0.55'")
    return path, sign, float(number)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class _Walked:
    """How far a path leads, what is left of it, and what was passed on the way."""

    value: Any
    rest: str
    about: Mapping[str, str]
    around: Mapping[str, Any]


def _walked(path: str, result: Mapping[str, Any]) -> _Walked:
    found: Any = result
    rest, about, around = path, _labels(result), result
    while rest and isinstance(found, Mapping):
        # Names may hold dots themselves, so the longest that fits is taken. A name may come without its version.
        fitting = [
            (len(name), key)
            for key in found
            for name in {key, unversioned(key)}
            if rest == name or rest.startswith(f"{name}.")
        ]
        if not fitting:
            break
        length, key = max(fitting)
        around, found, rest = found, found[key], rest[length + 1 :]
        about = about | _labels(found)
    return _Walked(found, rest, about, around)


def _labels(found: Any) -> dict[str, str]:
    """What a part of a result says of the cell that it is of."""
    if not isinstance(found, Mapping):
        return {}
    return {name: found[name] for name in _LABELS if isinstance(found.get(name), str) and found[name]}


def _absent(path: str, walked: Sequence[_Walked], condition: str) -> UserError:
    """Says how far the path leads, and what there is instead."""
    left = min((one.rest for one in walked), key=len, default=path)
    known = [one.value for one in walked if one.rest == left and isinstance(one.value, Mapping)]
    names = list(dict.fromkeys(str(key) for found in known for key in found))
    shown = f"; here are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}" if names else ""
    return UserError(f"{OPTION} {condition!r}: the result has no `{path}`{shown}")
