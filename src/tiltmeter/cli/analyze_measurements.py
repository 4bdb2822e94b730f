"""`tiltmeter analyze --view measurements`: a table of measurements, a run's own or anybody's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.cli.console import number, print_table, say
from tiltmeter.errors import UserError

_FIGURE = ("value", "interval", "p", "p adjusted", "n", "missing", "test words")


def result(
    places: Sequence[str | Path], columns: Sequence[str], where: Mapping[str, str], level: float
) -> dict[str, Any]:
    """The JSON of the view."""
    from tiltmeter.results.files.measurements import measured

    if len(places) > 1:
        raise UserError("--view measurements reads one file; put the rows of several into one")
    return measured(places[0], columns=_columns(columns), where=where, level=level)


def print_result(found: Mapping[str, Any]) -> None:
    """A row for each figure; what all of them have in common is left out of the table."""
    from tiltmeter.results.files.measurements import CELL

    cells = found["cells"]
    about = ["figure", "group", "against", *CELL]
    told = [name for name in about if len({one.get(name) for one in cells}) > 1]
    rows = [
        (
            *(one.get(name, "") for name in told),
            number(one["value"], 3),
            "–" if one["low"] is None else f"{one['low']:.3f} to {one['high']:.3f}",
            number(one["p"], 3),
            number(one["p_adjusted"], 3),
            *(one[name] for name in ("n", "n_unscored", "origins")),
        )
        for one in cells
    ]
    print_table([*told, *_FIGURE], rows)
    for note, count in Counter(one["note"] for one in cells if one["note"]).items():
        say(f"{count} of {len(cells)} figures: {note}")
    say(f"p adjusted: after Holm, over all tests of the file: {found['n_comparisons']}")


def _columns(given: Sequence[str]) -> dict[str, str]:
    """What columns are called in a file.

    >>> _columns(["group=G,value=V"])
    {'group': 'G', 'value': 'V'}
    """
    pairs = [one.strip() for text in given for one in text.split(",") if one.strip()]
    for one in pairs:
        if "=" not in one:
            raise UserError(f"--columns {one!r}: write NAME=COLUMN, e.g. group=G,value=V,origin=O")
    return {name.strip(): column.strip() for name, _, column in (one.partition("=") for one in pairs)}
