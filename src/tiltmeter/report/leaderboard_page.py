"""Leaderboards as one HTML file that loads nothing, in the style of the report."""

from __future__ import annotations

from functools import partial

from tiltmeter.report.comparison import compared_side
from tiltmeter.report.comparison_figures import around_zero
from tiltmeter.report.drawn import Drawn, by_file, draw
from tiltmeter.report.figures import DotAxis, DotBlock, DotRow, dots, share_axis
from tiltmeter.report.leaderboards import BoardView, board_views, written
from tiltmeter.report.methods import interval_words
from tiltmeter.report.rendering import render
from tiltmeter.report.words import SPACE, listed
from tiltmeter.results.rank.records import Leaderboards
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.places import FEWEST_DIFFERING

_DRAWN = 12
"""Leaderboards of which there is a figure; the others are tables."""
_FEW = 3
"""Models that fit into a title."""


def leaderboard_html(found: Leaderboards, *, drawn: bool = True) -> str:
    """The page of some leaderboards; `drawn=False` leaves the figures out."""
    views = board_views(found)
    figures = [_figure(view) for view in views[:_DRAWN]] if drawn else []
    names = [side.name for side in found.sides]
    return render(
        "leaderboard_page.html.jinja",
        by_file(figures),
        title=listed(names) if len(names) <= _FEW else f"{len(names)} models in order",
        boards=[(view, figures[at] if at < len(figures) else None) for at, view in enumerate(views)],
        sides=[compared_side("", side) for side in found.sides],
        notes=found.notes,
        intervals=interval_words(entry.value for board in found.boards for entry in board.entries),
        fewest=FEWEST_ORIGINS,
        fewest_differing=FEWEST_DIFFERING,
    )


def _figure(view: BoardView) -> Drawn:
    rows = tuple(DotRow(label, (line.entry.value,)) for label, line in zip(view.labels, view.lines, strict=True))
    figure = partial(dots, [DotBlock(rows)], [""], _axis(view))
    caption = f"Figures with 95{SPACE}% intervals, and places. Filled marks have an interval, open ones none."
    return draw(f"leaderboard {view.title}", figure, f"{view.title}. {view.verdict}", caption)


def _axis(view: BoardView) -> DotAxis:
    board = view.board
    write = partial(written, board)
    if board.is_share:
        return share_axis(write)
    end, ticks = around_zero([entry.value for entry in board.entries])
    return DotAxis(-end, end, ticks, write, neutral=board.neutral)
