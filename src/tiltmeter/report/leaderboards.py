"""Leaderboards in words and tables: figures, places, and which models are shown to be above which."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.comparison_cells import plain
from tiltmeter.report.words import NONE, SPACE, count, listed, percent, percent_range, signed
from tiltmeter.results.compare.names import both_of
from tiltmeter.results.rank.records import ALL, Entry, Leaderboard, Leaderboards

_COLUMNS = (
    Column("Model"),
    Column(f"Place (95{SPACE}%)"),
    *numbers("Figure", f"95{SPACE}% interval", "n", "Unscored", "Origins"),
)
_LEADING = 3
"""Models of which it is said in words what they are above."""


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A model of a leaderboard, ready to be shown."""

    place: str
    name: str
    run: str
    value: str
    interval: str
    entry: Entry


@dataclass(frozen=True, slots=True)
class BoardView:
    """A leaderboard, ready to be shown: what it is of, under which choices, which order is shown, and its lines."""

    title: str
    about: str
    verdict: str
    lines: tuple[BoardLine, ...]
    board: Leaderboard

    @property
    def labels(self) -> list[str]:
        """The models with their places, as charts name them."""
        return [line.name if line.place == NONE else f"{line.name}, place {line.place}" for line in self.lines]

    @property
    def table(self) -> Table:
        """The lines as a table."""
        return Table(f"{self.title} ({self.about})", _COLUMNS, tuple(map(_cells, self.lines)))


def board_views(found: Leaderboards) -> list[BoardView]:
    """Every leaderboard; the first of each view before all others."""
    leading = {board.view: at for at, board in reversed(list(enumerate(found.boards)))}.values()
    order = sorted(range(len(found.boards)), key=lambda at: (at not in leading, at))
    return [_view(found.boards[at]) for at in order]


def _view(board: Leaderboard) -> BoardView:
    title, about = _title(board)
    lost = f"; {count(board.left_out, 'item')} left out that not all were asked" if board.left_out else ""
    return BoardView(
        title, f"{about}{lost}", _verdict(board), tuple(_line(board, entry) for entry in board.entries), board
    )


def _title(board: Leaderboard) -> tuple[str, str]:
    """What the board is of, and under which choices."""
    choices = board.choices
    bias = "all biases" if choices["bias"] == ALL else choices["bias"]
    if board.view == "pairs":
        return f"Stereotyped choices, {bias}", f"source {choices['source']}, scorer {choices['scorer']}"
    first, second = both_of(choices["groups"])
    if board.view == "continuations":
        about = f"source {choices['source']}, over all decodings that all models share"
        return f"{choices['rater']}: texts about {first} minus {second}, {bias}", about
    return f"Share of {first} against {second}, {bias}", f"source {choices['source']}, words {choices['words']}"


def _line(board: Leaderboard, entry: Entry) -> BoardLine:
    standing = entry.standing
    low, high = standing.low, standing.high
    sure = "" if low is None else f" ({low})" if low == high else f" ({low}–{high})"
    return BoardLine(
        NONE if standing.place is None else f"{standing.place}{sure}",
        entry.side.name,
        entry.side.run.folder.name,
        *written(board, entry.value),
        entry,
    )


def written(board: Leaderboard, found: Estimate) -> tuple[str, str]:
    """A figure of a board and its interval, or why it has none."""
    if board.is_share:
        value, interval = percent(found.value), percent_range(found.low, found.high)
    else:
        value, interval = signed(found.value, 3), f"{plain(found.low)} to {plain(found.high)}"
    return value, interval if found.low is not None else (found.note or "no interval").removeprefix("no interval: ")


def _cells(line: BoardLine) -> tuple[TableCell, ...]:
    found = line.entry.value
    return (
        TableCell(line.name, f"run {line.run}"),
        TableCell(line.place),
        TableCell(line.value, sort=sort_key(found.value)),
        TableCell(line.interval, sort=sort_key(found.low)),
        *(TableCell(f"{number:,}", sort=sort_key(number)) for number in (found.n, found.n_unscored, found.origins)),
    )


def _verdict(board: Leaderboard) -> str:
    """Which models are shown to be above which."""
    note = f" {board.note[0].upper()}{board.note[1:]}." if board.note else ""
    if not board.differences:
        return f"Figures without places: {board.note}."
    if not any(one.origins for one in board.differences):
        return "All models are the same on every item."
    if not board.shown:
        return f"No two models can be told apart.{note}"
    if board.shown == board.pairs:
        return "The whole order is shown: each model is above the next."
    leading = [entry for entry in board.entries if entry.standing.above]
    said = [f"{entry.side.name} is shown to be above {listed(entry.standing.above)}" for entry in leading[:_LEADING]]
    more = [f"{len(leading) - _LEADING} more are above others"] if len(leading) > _LEADING else []
    shown = f"{board.shown} of {count(board.pairs, 'pair')} of models can be told apart"
    return f"The order is partly shown: {shown}. {'; '.join([*said, *more])}.{note}"
