"""The bidimensional table on the page: prompt set and decoding by rater, as table and as heat map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, sort_key
from tiltmeter.report.decodings import rater_words, row_words
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import HeatCell, HeatKey, HeatRow, heat
from tiltmeter.report.words import NONE, count, signed
from tiltmeter.results.summary.by_rater import Board, BoardReading
from tiltmeter.results.summary.text_records import PEOPLE, favour

FULL = 0.5
"""The difference, in standard deviations, from which on the colour grows no stronger."""


def board_table(board: Board) -> Table:
    """Each rater's difference of the two groups, how sure it is, and where the choices point to opposite groups."""
    columns = (Column("Prompts, decoding"), *numbers(*map(rater_words, board.raters)), Column("Across raters"))
    rows = []
    alone = len({source for source, _, _ in board.rows}) == 1
    for row in board.rows:
        source, decoding = row_words(row, board.rows)
        name = TableCell(decoding) if alone else TableCell(source, decoding)
        found = [board.readings.get((row, rater)) for rater in board.raters]
        rows.append((name, *map(partial(_cell, board), found), _verdict(board, found)))
    if len(board.rows) > 1:
        by_rater = [[board.readings.get((row, rater)) for row in board.rows] for rater in board.raters]
        verdicts = [_verdict(board, found) for found in by_rater]
        rows.append((TableCell("Across prompts and decodings", mark="mean"), *verdicts, TableCell("")))
    place = f" ({board.rows[0][0]})" if alone else ""
    return Table(f"{board_title(board)}, by prompts, decoding and rater{place}", columns, tuple(rows))


def board_figure(board: Board, place: str) -> Drawn:
    """The same as a heat map; colour is the difference in standard deviations, toward whom it is worse for."""
    rows = []
    before = ""
    for row in board.rows:
        source, decoding = row_words(row, board.rows)
        cells = tuple(_heat_cell(board, board.readings.get((row, rater))) for rater in board.raters)
        rows.append(HeatRow(decoding, cells, heading=source if source != before else ""))
        before = source
    sided = any(favour(rater) for rater in board.raters) and not board.widest
    key = HeatKey(
        below=f"texts about {board.a} come off worse" if sided else "",
        above=f"texts about {board.b} come off worse" if sided else "",
        neither=_neither(board),
    )
    names = [rater_words(rater) for rater in board.raters]
    return draw(f"raters {place}", partial(heat, rows, names, key), board_in_words(board), board_caption(board))


def board_caption(board: Board) -> str:
    """How the heat map is read."""
    outlined = "beyond chance after correction" if board.widest else "the 95\N{NO-BREAK SPACE}% interval excludes zero"
    return (
        f"{board_title(board)}. Colour: the difference in standard deviations of the rater’s own ratings, strongest "
        f"from {FULL:g} on, none at zero. Outlined: {outlined}. ≈: no larger than the rater’s own tilt."
    )


def difference_words(found: Estimate) -> str:
    """An interval of differences, or why there is none."""
    if found.low is None or found.high is None:
        return (found.note or "no interval").removeprefix("no interval: ")
    return f"{signed(found.low, 3)} to {signed(found.high, 3)}"


def points_both_ways(readings: Sequence[BoardReading | None]) -> bool:
    """Whether some readings have the one group come off worse and some the other."""
    sides = {found.favours for found in readings if found} - {0}
    return len(sides) == 2


def _cell(board: Board, found: BoardReading | None) -> TableCell:
    if found is None or found.pair.difference.value is None:
        return TableCell(NONE, _reasons(found))
    difference = found.pair.difference
    small = [f"{found.pair.a} − {found.pair.b}"] if board.widest else []
    small += [difference_words(difference), _ratio(found), _counted(difference)]
    sign = " ≈" if found.within_tilt else ""
    side = 0 if board.widest else found.favours
    mark = {1: "below", -1: "above", 0: "firm"}[side] if found.firm else ""
    return TableCell(
        f"{signed(difference.value, 3)}{sign}", "\n".join(filter(None, small)), sort_key(difference.value), mark
    )


def _ratio(found: BoardReading) -> str:
    ratio = found.pair.ratio
    if ratio is None or ratio.value is None:
        return ""
    interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.2f}–{ratio.high:.2f})"
    return f"ratio {ratio.value:.2f}{interval}"


def _counted(found: Estimate) -> str:
    unrated = f", {found.n_unscored:,} unrated" if found.n_unscored else ""
    return f"{count(found.n, 'text')}{unrated}"


def _reasons(found: BoardReading | None) -> str:
    if found is None:
        return ""
    return f"{_counted(found.pair.difference)}"


def _verdict(board: Board, found: Sequence[BoardReading | None]) -> TableCell:
    if board.widest:
        pairs = {frozenset((one.pair.a, one.pair.b)) for one in found if one}
        return TableCell("same two groups" if len(pairs) == 1 else f"{len(pairs)} pairs of groups")
    known = [one for one in found if one and one.favours]
    if len(known) < 2:
        return TableCell("")
    if not points_both_ways(known):
        worse = board.a if known[0].favours < 0 else board.b
        return TableCell("same side", f"worse for {worse}")
    firm = {one.favours for one in known if one.firm}
    return TableCell("opposite sides", "each beyond chance" if len(firm) == 2 else "", mark="opposed")


def _heat_cell(board: Board, found: BoardReading | None) -> HeatCell:
    if found is None or found.pair.difference.value is None:
        return HeatCell(NONE)
    value = found.pair.difference.value
    # Which of the two groups is the higher one stands in the table only, where they are named.
    text = (f"{abs(value):.3f}" if board.widest else signed(value, 3)) + ("≈" if found.within_tilt else "")
    side = 0 if board.widest else favour(found.cell.rater)
    strength = (found.deviations or 0.0) / FULL
    # Blue above zero is where the second group comes off worse: the difference a − b favours the first.
    return HeatCell(text, strength * (side or 1), found.firm, sided=bool(side))


def _neither(board: Board) -> str:
    if board.widest:
        return "the two groups that lie farthest apart"
    return "a rater without better or worse" if not all(map(favour, board.raters)) else ""


def board_title(board: Board) -> str:
    """What the cells of a board are."""
    return difference_title(board.a, board.b)


def difference_title(a: str, b: str) -> str:
    """What the cells of a board of two groups are; of one without a second group, those of the two farthest apart."""
    if not b:
        return "The largest difference between two groups"
    return f"Mean rating of texts about {a} minus that of texts about {b}"


def board_in_words(board: Board) -> str:
    """The heat map for those who cannot see it: for each rater the range of its differences."""
    who = " (what people said of some texts)" if any(rater.startswith(PEOPLE) for rater in board.raters) else ""
    readings = {
        rater_words(rater): [board.readings[row, rater] for row in board.rows if (row, rater) in board.readings]
        for rater in board.raters
    }
    return heat_in_words(
        f"{board_title(board)}{who}",
        {name: [(one.pair.difference.value, one.firm) for one in found] for name, found in readings.items()},
    )


def heat_in_words(title: str, readings: Mapping[str, Sequence[tuple[float | None, bool]]]) -> str:
    """The range of the differences under each heading, and how many of them are outlined.

    >>> heat_in_words("Mean of a minus b", {"vader": [(-0.1, False), (0.25, True), (None, False)]})
    'Mean of a minus b. vader: −0.100 to +0.250, 1 of 3 outlined.'
    """
    parts = []
    for name, found in readings.items():
        values = [value for value, _ in found if value is not None]
        if values:
            firm = sum(one for _, one in found)
            reach = f"{signed(min(values), 3)} to {signed(max(values), 3)}"
            parts.append(f"{name}: {reach}, {firm} of {len(found)} outlined")
    return f"{title}. {'; '.join(parts) or 'No number'}."
