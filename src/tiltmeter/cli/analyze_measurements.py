"""`tiltmeter analyze measurements`: a table of measurements, a run's own or anybody's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tiltmeter.cli.console import number, print_table, say

if TYPE_CHECKING:
    from tiltmeter.cli.file_query import FileQuery

_FIGURE = ("value", "interval", "p", "p adjusted", "n", "missing", "test words")


def result(asked: FileQuery) -> dict[str, Any]:
    """The JSON of the view."""
    from tiltmeter.results.files.measurements import measured

    return measured(asked.only, columns=asked.columns, where=asked.where, level=asked.level)


def print_result(found: Mapping[str, Any], apart: str | None = None) -> None:
    """A row for each figure, in one table, or in one for each value of a column."""
    cells = found["cells"]
    for name in dict.fromkeys(one.get(apart) for one in cells):
        _print_cells([one for one in cells if one.get(apart) == name], name)
    for note, count in Counter(one["note"] for one in cells if one["note"]).items():
        say(f"{count} of {len(cells)} figures: {note}")
    say(f"p adjusted: after Holm, over all tests of the file: {found['n_comparisons']}")


def _print_cells(cells: Sequence[Mapping[str, Any]], title: str | None) -> None:
    """What all figures have in common is left out of the table."""
    from tiltmeter.present.decodings import rater_words
    from tiltmeter.results.files.measurements import CELL

    about = ["figure", "group", "against", *CELL]
    told = [name for name in about if len({one.get(name) for one in cells}) > 1]
    rows = [
        (
            *(rater_words(one.get(name, "")) if name == "rater" else one.get(name, "") for name in told),
            number(one["value"], 3),
            "–" if one["low"] is None else f"{one['low']:.3f} to {one['high']:.3f}",
            number(one["p"], 3),
            number(one["p_adjusted"], 3),
            *(one[name] for name in ("n", "n_unscored", "origins")),
        )
        for one in cells
    ]
    print_table([*told, *_FIGURE], rows, title=title)
