"""Functions of the user's: what they can be told, and what they gave, in words for a sentence."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from typing import Any

_SHOWN = 60


def takes_one(function: Callable[..., Any], names: Collection[str] = ("text",)) -> bool:
    """Whether a function is given one text: its first parameter has one of the names, or is said to be a `str`.

    >>> [takes_one(one) for one in (lambda text: 0, lambda texts: [], len)]
    [True, False, False]
    """
    first = next(iter(parameters_of(function).values()), None)
    if first is None or first.annotation is inspect.Parameter.empty:
        return first is not None and first.name in names
    return first.annotation in (str, "str")


def parameters_of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """What a function can be told; nothing where Python does not say."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def listed(found: Any) -> list[Any] | None:
    """The results of a call for several; None where they are no list of results."""
    is_one = isinstance(found, str | bytes | Mapping | Set) or not isinstance(found, Iterable)
    return None if is_one else list(found)


def number_of(answer: Any) -> float | None:
    """A number of Python, numpy or torch, infinite ones too; None where it is none.

    >>> number_of(True), number_of("3")
    (1.0, None)
    """
    try:
        plain = answer.item() if callable(getattr(answer, "item", None)) else answer
        return float(plain) if isinstance(plain, int | float) else None
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def shown(answer: Any) -> str:
    """What was given, cut to a few words."""
    try:
        return cut(repr(answer))
    except Exception:
        return f"something of the type {type(answer).__name__}"


def cut(text: str, most: int = _SHOWN) -> str:
    """A text on one line, no longer than that."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
