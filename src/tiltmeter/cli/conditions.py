"""`--fail-if`: a condition on a result that stops a release pipeline."""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from tiltmeter.cli.console import say
from tiltmeter.errors import UserError

FailIfOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="CONDITION",
        help='Exit with status 1 if this holds of the JSON result, e.g. "overall.low > 0.55". May be repeated.',
    ),
]

_OPERATORS = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}
_CONDITION = re.compile(
    r"\s*(?P<path>.+?)\s*(?P<sign>>=|<=|>|<)\s*(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*"
)


def fail_if(conditions: Sequence[str] | None, result: Mapping[str, Any]) -> None:
    """Leave with status 1 where a condition holds; a condition that cannot be decided is an error, never a pass."""
    held = [condition for condition in conditions or () if holds(condition, result)]
    for condition in held:
        say(f"tiltmeter: --fail-if holds: {condition}")
    if held:
        raise typer.Exit(1)


def holds(condition: str, result: Mapping[str, Any]) -> bool:
    """Whether a condition is true of a result.

    >>> holds("by_bias.gender.low > 0.5", {"by_bias": {"gender": {"low": 0.51}}})
    True
    """
    match = _parsed(condition)
    value = _find(match["path"], result, condition)
    return bool(_OPERATORS[match["sign"]](value, float(match["number"])))


def check(conditions: Sequence[str] | None) -> None:
    """Refuse a condition that cannot be read, before any work is done."""
    for condition in conditions or ():
        _parsed(condition)


def _parsed(condition: str) -> re.Match[str]:
    match = _CONDITION.fullmatch(condition)
    if match is None:
        raise UserError(f"--fail-if {condition!r}: write PATH SIGN NUMBER, e.g. 'overall.low > 0.55'")
    return match


def _find(path: str, result: Any, condition: str) -> float:
    found, rest = result, path
    while rest:
        # Names may hold dots themselves, so the longest key that fits is taken.
        keys = [key for key in found if rest == key or rest.startswith(f"{key}.")] if isinstance(found, Mapping) else []
        if not keys:
            known = f"; here are {', '.join(map(str, list(found)[:12]))}" if isinstance(found, Mapping) else ""
            raise UserError(f"--fail-if {condition!r}: the result has no `{path}`{known}")
        key = max(keys, key=len)
        found, rest = found[key], rest[len(key) + 1 :]
    if isinstance(found, bool) or not isinstance(found, int | float):
        what = "is undefined here (null)" if found is None else "is not a number"
        raise UserError(f"--fail-if {condition!r}: `{path}` {what}, so the condition cannot be decided")
    return float(found)
