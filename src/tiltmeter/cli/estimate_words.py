"""Estimates of groups and pairs as cells of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import typer

from tiltmeter.cli.console import print_table


def further_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table after others, with a line between them."""
    typer.echo()
    print_table(columns, rows)


def interval(found: Mapping[str, Any] | None) -> str:
    """The ends of an estimate's interval.

    >>> interval({"low": 0.1, "high": 0.25}), interval({"low": None, "high": None}), interval(None)
    ('0.100 to 0.250', '–', '–')
    """
    return "–" if found is None or found["low"] is None else f"{found['low']:.3f} to {found['high']:.3f}"


def decimals(value: float | None) -> str:
    """A number with three digits behind the point."""
    return "–" if value is None else f"{value:.3f}"


def short(value: float | None) -> str:
    """A p-value."""
    return "–" if value is None else f"{value:.2g}"


def pair_name(pair: Mapping[str, Any] | str) -> str:
    """Two groups of which the difference is meant.

    >>> pair_name("man/woman")
    'man − woman'
    """
    return pair.replace("/", " − ", 1) if isinstance(pair, str) else f"{pair['a']} − {pair['b']}"
