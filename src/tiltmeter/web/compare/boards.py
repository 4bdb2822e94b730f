"""Leaderboards, ready for the template: what is said of each, and charts of its figures and places."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.analysis.leaderboard_records import Leaderboards
from tiltmeter.report.comparison_boards import BoardLine, BoardView, board_views
from tiltmeter.web.compare import charts
from tiltmeter.web.compare.charts import Drawing


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A leaderboard, ready for the template."""

    words: BoardView
    figures: Drawing
    places: Drawing | None


def shown_boards(found: Leaderboards) -> list[ShownBoard]:
    """Every leaderboard; the first of each view before all others."""
    return [_board(view) for view in board_views(found)]


def _board(view: BoardView) -> ShownBoard:
    board = view.board
    rows = [charts.Row(line.name, (charts.Mark("", line.entry.value, _tooltip(line)),)) for line in view.lines]
    axis = charts.Axis(view.title, board.neutral, share=board.is_share)
    names, shares = [line.name for line in view.lines], [line.entry.standing.shares for line in view.lines]
    title = "How often each place, in per cent of the draws"
    return ShownBoard(
        view,
        Drawing("Figures with 95 % intervals", charts.forest(rows, axis), f"{view.title}. {view.verdict}"),
        Drawing(title, charts.places(names, shares), view.verdict) if board.kept is not None else None,
    )


def _tooltip(line: BoardLine) -> str:
    found = line.entry.value
    return (
        f"{line.name}\n{line.value} ({line.interval})\nplace {line.place}\nn {found.n:,}, unscored {found.n_unscored:,}"
    )
