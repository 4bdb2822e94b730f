"""Leaderboards in words and tables: places, figures, and how far the order may be read."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.analysis.leaderboard_records import ALL, Entry, Leaderboard, Leaderboards
from tiltmeter.analysis.paired_names import both_of
from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.comparison_cells import plain
from tiltmeter.report.words import NONE, SPACE, count, percent, percent_range, signed

_COLUMNS = (
    Column("Model"),
    Column(f"Place (95{SPACE}%)"),
    *numbers("Figure", f"95{SPACE}% interval", "First in", "n", "Unscored", "Origins"),
)


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A model of a leaderboard, ready to be shown."""

    place: str
    name: str
    run: str
    value: str
    interval: str
    first: str
    """In which share of the draws it is the first."""
    entry: Entry


@dataclass(frozen=True, slots=True)
class BoardView:
    """A leaderboard, ready to be shown: what it is of, under which choices, how far it may be read, and its lines."""

    title: str
    about: str
    verdict: str
    lines: tuple[BoardLine, ...]
    board: Leaderboard

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
        f"{standing.place}{sure}",
        entry.side.name,
        entry.side.run.folder.name,
        *written(board, entry.value),
        percent(standing.shares[0], 0) if standing.shares else NONE,
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
        TableCell(line.first, sort=sort_key(line.entry.standing.shares[0] if line.entry.standing.shares else None)),
        *(TableCell(f"{number:,}", sort=sort_key(number)) for number in (found.n, found.n_unscored, found.origins)),
    )


def _verdict(board: Leaderboard) -> str:
    """How far the order may be read."""
    if board.kept is None:
        return f"The order is that of the figures; {board.note}."
    first = board.entries[0]
    certain = f"the whole order is the same in {percent(board.kept, 0)} of {board.draws:,} draws of origins"
    if len({entry.standing.place for entry in board.entries}) == 1:
        return "All have the same figure on these items."
    loose = [entry for entry in board.entries if entry.standing.low != entry.standing.high]
    firm = (
        f"each place is certain at 95{SPACE}%"
        if not loose
        else f"{count(len(loose), 'place')} of {len(board.entries)} uncertain"
    )
    often = percent(first.standing.shares[0], 0)
    return f"{first.side.name} has the highest figure in {often} of the draws; {certain}; {firm}."
