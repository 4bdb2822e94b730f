"""Leaderboards, ready for the template: what is said of each, and a chart of its figures and places."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.report.leaderboards import BoardLine, BoardView, board_views
from tiltmeter.results.rank.records import Leaderboards
from tiltmeter.web.compare import charts
from tiltmeter.web.compare.charts import Drawing


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A leaderboard, ready for the template."""

    words: BoardView
    figures: Drawing


def shown_boards(found: Leaderboards) -> list[ShownBoard]:
    """Every leaderboard; the first of each view before all others."""
    return [_board(view) for view in board_views(found)]


def _board(view: BoardView) -> ShownBoard:
    board = view.board
    rows = [
        charts.Row(label, (charts.Mark("", line.entry.value, _tooltip(line)),))
        for label, line in zip(view.labels, view.lines, strict=True)
    ]
    drawn = charts.forest(rows, charts.Axis(view.title, board.neutral, share=board.is_share))
    title = "Figures with 95 % intervals, and the places each model may have"
    return ShownBoard(view, Drawing(title, drawn, f"{view.title}. {view.verdict}"))


def _tooltip(line: BoardLine) -> str:
    found = line.entry.value
    return (
        f"{line.name}\n{line.value} ({line.interval})\nplace {line.place}\nn {found.n:,}, unscored {found.n_unscored:,}"
    )
