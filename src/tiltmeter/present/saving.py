"""A comparison or leaderboards as files: numbers as JSON and CSV, the page as HTML, Markdown and LaTeX."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiltmeter.files import csv_text
from tiltmeter.present.blocks import Chart, Document
from tiltmeter.present.html import page
from tiltmeter.present.latex import write_latex
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.sections.comparing.comparison import comparison
from tiltmeter.present.sections.comparing.leaderboard import leaderboard
from tiltmeter.results.compare.records import Compared, RunComparison
from tiltmeter.results.rank.records import Entry, Leaderboard, Leaderboards
from tiltmeter.stats.comparing.paired import Paired

Form = Literal["json", "csv", "md", "latex", "html"]

Row = tuple[Mapping[str, object], Mapping[str, object]]
"""A row of a table: the choices it is of, and its figures."""


@dataclass(frozen=True, slots=True)
class Saved:
    """What can be kept of a result, under one name."""

    name: str
    data: Callable[[], Mapping[str, Any]]
    rows: Callable[[], Iterable[Row]]
    document: Callable[[], Document]
    """The page."""

    def file(self, form: Form) -> str:
        """What a file of that format is called.

        >>> Saved("leaderboard", dict, list, Document).file("latex")
        'leaderboard.tex'
        """
        return f"{self.name}.{'tex' if form == 'latex' else form}"

    def text(self, form: Form) -> str:
        """The result in a format; Markdown and LaTeX are one file each, so they have no charts."""
        if form == "json":
            return json.dumps(self.data(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"
        if form == "csv":
            return _table(list(self.rows()))
        if form == "html":
            return page(self.document())
        return (write_markdown if form == "md" else write_latex)(self.document().without(Chart), "")

    def files(self, folder: Path, forms: Iterable[Form]) -> dict[Path, str]:
        """What is to be written into a folder."""
        return {folder / self.file(form): self.text(form) for form in forms}


def saved_comparison(found: RunComparison) -> Saved:
    """A comparison, a row for each overall line and each difference."""
    return Saved(
        "comparison",
        found.as_json,
        lambda: (
            ({"view": one.view, **one.choices}, _differences(one))
            for view in found.views
            for one in (*view.overall, *view.cells)
        ),
        lambda: comparison(found),
    )


def saved_leaderboards(found: Leaderboards) -> Saved:
    """Leaderboards, a row for each model of each."""
    return Saved(
        "leaderboard",
        found.as_json,
        lambda: (
            ({"view": board.view, **board.choices}, _standing(board, entry))
            for board in found.boards
            for entry in board.entries
        ),
        lambda: leaderboard(found),
    )


def _table(rows: Sequence[Row]) -> str:
    choices = dict.fromkeys(name for chosen, _ in rows for name in chosen)
    figures = dict.fromkeys(name for _, found in rows for name in found)
    return csv_text([*choices, *figures], [{**chosen, **found} for chosen, found in rows])


def _differences(one: Compared) -> dict[str, object]:
    found, apart = one.found, one.difference
    row: dict[str, object] = {
        "mean_a": found.a.value,
        "mean_b": found.b.value,
        "difference": apart.value,
        "difference_low": apart.low,
        "difference_high": apart.high,
        "p_difference": apart.p,
        "p_adjusted": one.p_adjusted,
        "p_holm": one.p_holm,
        "p_permutation": found.p_permutation,
        "minimum_detectable": one.detectable,
        "n": apart.n,
        "n_unscored": apart.n_unscored,
        "origins": apart.origins,
        "note": apart.note,
        "change_per_cent": None if one.change is None else one.change.value,
    }
    if isinstance(found, Paired):
        row |= {"d_z": found.standardised.value, "moved_a_higher": found.a_higher, "moved_b_higher": found.b_higher}
    if one.equivalence:
        row["equivalence"] = one.equivalence.verdict
    return row


def _standing(board: Leaderboard, entry: Entry) -> dict[str, object]:
    value, standing, side = entry.value, entry.standing, entry.side
    return {
        "place": standing.place,
        "place_low": standing.low,
        "place_high": standing.high,
        "above": "; ".join(standing.above),
        "below": "; ".join(standing.below),
        "name": side.name,
        "model": side.model,
        "run": side.run.folder.name,
        "value": value.value,
        "low": value.low,
        "high": value.high,
        "n": value.n,
        "n_unscored": value.n_unscored,
        "origins": value.origins,
        "note": value.note,
        "order_shown": board.shown,
        "order_pairs": board.pairs,
        "left_out": board.left_out,
        "order_note": board.note,
    }
