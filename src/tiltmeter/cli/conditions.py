"""`--fail-if`: a condition on a result that stops a release pipeline."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

import typer

from tiltmeter.cli.console import say
from tiltmeter.errors import UserError

FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="CONDITION",
        help='Exit with status 1 if this is true of the JSON result, e.g. "headline.low > 0.55". May be repeated.',
    ),
]

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_VERSION = re.compile(r"\.v\d+$")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?")


def fail_if(conditions: Sequence[str] | None, result: Mapping[str, Any]) -> None:
    """Leave with status 1 where a condition holds; a condition that cannot be decided is an error, never a pass."""
    _leave(condition for condition in conditions or () if holds(condition, result))


def fail_if_any(conditions: Sequence[str] | None, results: Sequence[Mapping[str, Any]]) -> None:
    """The same for several results: a condition holds where it is true of any that has its path."""
    _leave(condition for condition in conditions or () if holds_in_any(condition, results))


def _leave(held: Iterable[str]) -> None:
    found = list(held)
    for condition in found:
        say(f"tiltmeter: --fail-if holds: {condition}")
    if found:
        raise typer.Exit(1)


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
    path, sign, number = _parsed(condition)
    compare = _OPERATORS[sign]
    found = [value for result in results for value in _found(path, result)]
    if not found:
        raise _absent(path, results, condition)
    numbers = [value for value in found if isinstance(value, int | float) and not isinstance(value, bool)]
    if any(compare(value, number) for value in numbers):
        return True
    if len(numbers) < len(found):
        what = "is undefined here (null)" if None in found else "is not a number"
        count = f" in {len(found) - len(numbers)} of {len(found)} cells" if len(found) > 1 else ""
        raise UserError(f"--fail-if {condition!r}: `{path}` {what}{count}, so the condition cannot be decided")
    return False


def check(conditions: Sequence[str] | None) -> None:
    """Refuse a condition that cannot be read, before any work is done."""
    for condition in conditions or ():
        _parsed(condition)


def _parsed(condition: str) -> tuple[str, str, float]:
    """The path, the sign and the number: names may hold a sign themselves, so the last one counts."""
    at = max(condition.rfind(">"), condition.rfind("<"))
    sign = condition[at : at + 2] if condition[at + 1 : at + 2] == "=" else condition[at : at + 1]
    path, number = condition[: max(at, 0)].strip(), condition[at + len(sign) :].strip()
    if not path or not _NUMBER.fullmatch(number) or not math.isfinite(float(number)):
        raise UserError(f"--fail-if {condition!r:.200}: write PATH SIGN NUMBER, e.g. 'headline.low > 0.55'")
    return path, sign, float(number)


def _found(path: str, result: Mapping[str, Any]) -> list[Any]:
    """What stands at the end of a path: one value, or none where the result has no such path."""
    found, rest = _walked(path, result)
    return [] if rest else [found]


def _walked(path: str, result: Any) -> tuple[Any, str]:
    """How far a path leads, and what is left of it."""
    found, rest = result, path
    while rest and isinstance(found, Mapping):
        # Names may hold dots themselves, so the longest that fits is taken. A name may come without its version.
        fitting = [
            (len(name), key)
            for key in found
            for name in {key, _VERSION.sub("", key)}
            if rest == name or rest.startswith(f"{name}.")
        ]
        if not fitting:
            break
        length, key = max(fitting)
        found, rest = found[key], rest[length + 1 :]
    return found, rest


def _absent(path: str, results: Sequence[Mapping[str, Any]], condition: str) -> UserError:
    """Says how far the path leads, and what there is instead."""
    reached = [_walked(path, result) for result in results]
    left = min((rest for _, rest in reached), key=len, default=path)
    known = [found for found, rest in reached if rest == left and isinstance(found, Mapping)]
    names = list(dict.fromkeys(str(key) for found in known for key in found))
    shown = f"; here are {', '.join(names[:12])}{', …' if len(names) > 12 else ''}" if names else ""
    return UserError(f"--fail-if {condition!r}: the result has no `{path}`{shown}")
