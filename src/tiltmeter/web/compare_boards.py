"""Leaderboards, ready for the template: places, figures, and how far the order may be read."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter.analysis.leaderboards import ALL, Entry, Leaderboard, Leaderboards
from tiltmeter.report.comparison_cells import plain
from tiltmeter.report.words import NONE, count, percent, percent_range, signed
from tiltmeter.web import compare_charts as charts
from tiltmeter.web.compare_charts import Drawing


@dataclass(frozen=True, slots=True)
class ShownEntry:
    """A line of a leaderboard."""

    place: str
    name: str
    run: str
    value: str
    interval: str
    first: str
    n: int
    unscored: int
    origins: int


@dataclass(frozen=True, slots=True)
class ShownBoard:
    """A leaderboard, ready for the template."""

    title: str
    about: str
    verdict: str
    entries: tuple[ShownEntry, ...]
    figures: Drawing
    places: Drawing | None


def shown_boards(found: Leaderboards) -> list[ShownBoard]:
    """Every leaderboard; the first of each view before all others."""
    leading = {board.view: at for at, board in reversed(list(enumerate(found.boards)))}.values()
    order = sorted(range(len(found.boards)), key=lambda at: (at not in leading, at))
    return [_board(found.boards[at]) for at in order]


def _board(board: Leaderboard) -> ShownBoard:
    title, about = _title(board)
    verdict = _verdict(board)
    rows = [
        charts.Row(entry.side.name, (charts.Mark("", entry.value, f"{entry.side.name}\n{_figure(board, entry)}"),))
        for entry in board.entries
    ]
    axis = charts.Axis(title, 0.5 if board.is_share else 0.0, share=board.is_share)
    drawn = board.kept is not None
    return ShownBoard(
        title,
        about,
        verdict,
        tuple(_entry(board, entry) for entry in board.entries),
        Drawing("Figures with 95 % intervals", charts.forest(rows, axis), f"{title}. {verdict}"),
        Drawing(
            "How often each place, in per cent of the draws",
            charts.places(
                [entry.side.name for entry in board.entries], [entry.standing.shares for entry in board.entries]
            ),
            verdict,
        )
        if drawn
        else None,
    )


def _title(board: Leaderboard) -> tuple[str, str]:
    """What the board is of, and under which choices."""
    choices = board.choices
    bias = "all biases" if choices["bias"] == ALL else choices["bias"]
    if board.view == "pairs":
        return f"Stereotyped choices, {bias}", f"source {choices['source']}, scorer {choices['scorer']}"
    first, second = choices["groups"].split("/", 1)
    if board.view == "continuations":
        about = f"source {choices['source']}, over all decodings that all models share"
        return f"{choices['rater']}: texts about {first} minus {second}, {bias}", about
    return f"Share of {first} against {second}, {bias}", f"source {choices['source']}, words {choices['words']}"


def _entry(board: Leaderboard, entry: Entry) -> ShownEntry:
    standing, value = entry.standing, entry.value
    low, high = standing.low, standing.high
    sure = "" if low is None else f" ({low})" if low == high else f" ({low}–{high})"
    return ShownEntry(
        f"{standing.place}{sure}",
        entry.side.name,
        entry.side.run.folder.name,
        percent(value.value) if board.is_share else signed(value.value, 3),
        _interval(board, entry),
        percent(standing.shares[0], 0) if standing.shares else NONE,
        value.n,
        value.n_unscored,
        value.origins,
    )


def _interval(board: Leaderboard, entry: Entry) -> str:
    value = entry.value
    if value.low is None or value.high is None:
        return (value.note or "no interval").removeprefix("no interval: ")
    if board.is_share:
        return percent_range(value.low, value.high)
    return f"{plain(value.low)} to {plain(value.high)}"


def _figure(board: Leaderboard, entry: Entry) -> str:
    line = _entry(board, entry)
    return f"{line.value} ({line.interval})\nplace {line.place}\nn {line.n:,}, unscored {line.unscored:,}"


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
        "each place is certain at 95 %"
        if not loose
        else f"{count(len(loose), 'place')} of {len(board.entries)} uncertain"
    )
    often = percent(first.standing.shares[0], 0)
    return f"{first.side.name} has the highest figure in {often} of the draws; {certain}; {firm}."
