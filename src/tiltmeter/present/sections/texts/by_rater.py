"""Settings by raters: the difference of two groups under every prompt set, decoding and rater."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from tiltmeter.present.blocks import Block, Chart, Column, Listing, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import HeatCell, HeatKey, HeatRow, heat
from tiltmeter.present.decodings import rater_words, row_words, source_words
from tiltmeter.present.known_raters import head_words
from tiltmeter.present.sections.texts.groups import refusal_notes
from tiltmeter.present.sections.texts.of_run import RunTexts, shown
from tiltmeter.present.tables import Cell, interval_words, sort_key, table
from tiltmeter.present.words import NONE, SPACE, capitalised, count, listed, signed
from tiltmeter.raters.scales import axis_of, scale_of
from tiltmeter.results.summary.by_rater import Board, BoardReading, Row
from tiltmeter.results.summary.known_raters import known_rater
from tiltmeter.results.summary.text_records import PEOPLE, favour
from tiltmeter.stats.estimates import excludes_zero
from tiltmeter.stats.views.rating_curves import negated
from tiltmeter.views import FACTS

FULL = 0.5
"""The difference, in standard deviations, from which on the colour grows no stronger."""


def board_blocks(board: Board, texts: RunTexts) -> Iterator[Block]:
    """What the methods say together, the heat map, and every figure in a table."""
    yield board_chart(board, texts)
    yield Listing(tuple(map(text, (*board_notes(board), *refusal_notes(board, texts)))))
    key = (
        f"Small print: 95{SPACE}% interval, ratio of the means where a ratio makes sense, texts rated and not rated."
        " ≈: no larger than the rater’s own tilt."
    )
    if any(_undecided(one) for one in board.readings.values()):
        key += " Difference and ratio have intervals of their own; near the border one can exclude equality alone."
    yield Section(
        "The same in figures, with intervals, ratios and counts",
        shown(board_table(board, texts), Prose(text(key), "note")),
        folded=True,
    )


def board_title(board: Board, texts: RunTexts) -> str:
    """What a board is about."""
    groups = (
        "all groups" if board.widest else f"{texts.group(board.a, board.bias)} and {texts.group(board.b, board.bias)}"
    )
    several = len({one.model for one in texts.boards}) > 1
    return f"{f'{board.model}, ' if several else ''}{capitalised(texts.names.bias(board.bias))}: {groups}"


def board_sentence(board: Board, texts: RunTexts) -> str:
    """What the methods say together; what people said is in the table and is not counted."""
    known = _counted(board)
    if not known:
        return "No text about these groups has a rating."
    if board.widest:
        return _widest_sentence(board, known, texts)
    a, b = texts.group(board.a, board.bias), texts.group(board.b, board.bias)
    judging = [one for one in known if favour(one.cell.rater)]
    if not judging:
        higher = sum((one.pair.difference.value or 0.0) > 0 for one in known)
        lower = sum((one.pair.difference.value or 0.0) < 0 for one in known)
        return f"Numbers are higher for {a} under {higher} and lower under {lower} of {count(len(known), 'method')}."
    worse_a, worse_b = (sum(one.favours == side for one in judging) for side in (-1, 1))
    if worse_a == worse_b:
        return _even(a, b, worse_a, len(judging))
    worse, better = (a, b) if worse_a > worse_b else (b, a)
    more, fewer = max(worse_a, worse_b), min(worse_a, worse_b)
    if len(judging) == 1:
        return f"Under the one method, texts about {worse} are rated worse than texts about {better}."
    other = f", and better under {fewer}" if fewer else ""
    return (
        f"Texts about {worse} are rated worse than texts about {better} under {more} of {len(judging)} methods{other}."
    )


def _even(a: str, b: str, each: int, methods: int) -> str:
    if not each:
        return f"Texts about {a} and texts about {b} are rated alike."
    return f"Of {methods} methods, {each} rate texts about {a} worse, and {each} rate texts about {b} worse."


def _widest_sentence(board: Board, known: Sequence[BoardReading], texts: RunTexts) -> str:
    often = Counter(frozenset((one.pair.a, one.pair.b)) for one in known)
    (pair, times), *_ = often.most_common(1)
    names = listed(sorted(texts.group(group, board.bias) for group in pair))
    if len(often) == 1:
        return f"Under every one of {count(len(known), 'method')}, {names} differ most."
    return f"Which two groups differ most depends on the method; most often it is {names} ({times} of {len(known)})."


def board_notes(board: Board) -> list[str]:
    """How far the sentence may be read."""
    known = _counted(board)
    if not known:
        return []
    judging = known if board.widest else [one for one in known if favour(one.cell.rater)] or known
    said = [_sure(judging, board), _direction(judging, board)]
    unknown = list(dict.fromkeys(rater_words(one.cell.rater) for one in judging if not one.cell.tilt_measured))
    if unknown:
        said.append(
            f"For these groups the own tilt of {listed(unknown)} was not measured; a difference may be the rater’s."
        )
    left = [rater_words(rater) for rater in board.raters if not favour(rater) and not rater.startswith(PEOPLE)]
    if left and judging is not known:
        said.append(f"Not counted, because no direction is worse: {listed(left)}.")
    said += [_basis(board, known)]
    return [one for one in said if one]


def _sure(judging: Sequence[BoardReading], board: Board) -> str:
    firm = [one for one in judging if one.firm]
    tilted = sum(one.within_tilt for one in firm)
    bare = sum(one.pair.difference.low is None for one in judging)
    methods = count(len(judging), "method")
    if board.widest:
        said = f"The difference is significant under {len(firm)} of {methods}, corrected for all pairs of groups"
    else:
        said = f"Without correction, the 95{SPACE}% interval excludes zero under {len(firm)} of {methods}"
    if bare:
        said += f" ({bare} {'has' if bare == 1 else 'have'} no interval)"
    if tilted:
        said += f"; under {tilted} of these the difference is no larger than the rater’s own tilt"
    sure = [one for one in judging if one.pair.difference.low is not None]
    if len(sure) < 2 or board.widest:
        return f"{said}."
    luck = len(sure) * (1 - sure[0].pair.difference.level)
    return f"{said}. By chance alone it would be about {luck:.1f}; methods share texts and are not independent tests."


def _direction(judging: Sequence[BoardReading], board: Board) -> str:
    """Which ratings are the worse ones."""
    sides = {(axis_of(one.cell.rater), favour(one.cell.rater)): None for one in judging if favour(one.cell.rater)}
    if board.widest or not sides:
        return ""
    return f"Worse means {listed([('lower ' if side > 0 else 'higher ') + axis for axis, side in sides])}."


def _basis(board: Board, known: Sequence[BoardReading]) -> str:
    estimates = [one.pair.difference for one in known]
    missing = sum(one.n_unscored for one in estimates)
    return (
        f"{count(sum(one.n for one in estimates), 'rating')}, {count(missing, 'rating')} missing, at most "
        f"{count(max(one.origins for one in estimates), FACTS['continuations'].origin)}."
    )


def _counted(board: Board) -> list[BoardReading]:
    readings = (found for (_, rater), found in board.readings.items() if not rater.startswith(PEOPLE))
    return [found for found in readings if found.pair.difference.value is not None]


def board_chart(board: Board, texts: RunTexts) -> Chart:
    """The heat map; colour is the difference in standard deviations, towards the group that is rated worse."""
    rows = [
        HeatRow(
            row_words(row, board.rows)[1],
            tuple(_heat_cell(board, row, rater, texts) for rater in board.raters),
            heading=source_words(source) if place == 0 else "",
        )
        for source, own in groupby(board.rows, key=lambda row: row[0])
        for place, row in enumerate(own)
    ]
    a, b = texts.group(board.a, board.bias), texts.group(board.b, board.bias)
    sided = any(favour(rater) for rater in board.raters) and not board.widest
    key = HeatKey(
        above=f"texts about {a} are rated worse" if sided else "",
        below=f"texts about {b} are rated worse" if sided else "",
        neither=_neither(board),
        firm="significant, corrected" if board.widest else f"the 95{SPACE}% interval excludes zero",
    )
    what = "The largest difference between two groups" if board.widest else f"Mean rating, {a} minus {b}"
    said = "; ".join(_range_words(board, rater) for rater in board.raters)
    return Chart(
        texts.name("raters", board.model, board.bias, board.a, board.b),
        board_sentence(board, texts).rstrip("."),
        heat(rows, [rater_words(rater) for rater in board.raters], key),
        f"{what}, for each setting and rater. {said}.",
        text(
            f"{what}: a positive number is a higher rating, while in the overview a positive effect is the worse one. "
            f"Each rater has its own scale. Colour: the difference in standard deviations of the rater’s "
            f"ratings, strongest from {FULL:g} on. ≈: no larger than the rater’s own tilt."
        ),
    )


def _neither(board: Board) -> str:
    if board.widest:
        return "difference of the two groups that differ most"
    return "a rater without a worse direction" if not all(map(favour, board.raters)) else ""


def _heat_cell(board: Board, row: Row, rater: str, texts: RunTexts) -> HeatCell:
    found = board.readings.get((row, rater))
    if found is None or found.pair.difference.value is None:
        return HeatCell(NONE)
    difference, side = found.pair.difference, 0 if board.widest else favour(rater)
    value = f"{abs(found.pair.difference.value):.3f}" if board.widest else signed(difference.value, 3)
    lines = [texts.groups((found.pair.a, found.pair.b), found.cell.bias), texts.where(found.cell)]
    lines += [f"{signed(difference.value, 3)} ({interval_words(difference)})", _texts(found)]
    return HeatCell(
        value + ("≈" if found.within_tilt else ""),
        (found.deviations or 0.0) / FULL * (-side or 1),
        found.firm,
        sided=bool(side),
        tip="\n".join(lines),
        place=texts.place(found.cell, found.pair.a, found.pair.b),
    )


def _range_words(board: Board, rater: str) -> str:
    found = [one for (_, own), one in board.readings.items() if own == rater]
    values = [one.pair.difference.value for one in found if one.pair.difference.value is not None]
    if not values:
        return f"{rater_words(rater)}: no number"
    firm = sum(one.firm for one in found)
    return (
        f"{rater_words(rater)}: {signed(min(values), 3)} to {signed(max(values), 3)}, {firm} of {len(found)} outlined"
    )


def board_table(board: Board, texts: RunTexts) -> Table | None:
    """Each rater's difference with its interval and ratio, below what is known of it, and whether methods agree."""
    alone = len({source for source, _, _ in board.rows}) == 1
    rows: list[tuple[Cell, ...]] = []
    for row in board.rows:
        source, decoding = row_words(row, board.rows)
        found = [board.readings.get((row, rater)) for rater in board.raters]
        cells = (_cell(board, one, texts) for one in found)
        rows.append(
            (TableCell(decoding) if alone else TableCell(source, decoding), *cells, _agree(board, found, texts))
        )
    if len(board.rows) > 1:
        cells = (
            _people_cell(board, rater, texts)
            if rater.startswith(PEOPLE)
            else _agree(board, [board.readings.get((row, rater)) for row in board.rows], texts)
            for rater in board.raters
        )
        rows.append((TableCell("Across settings"), *cells, TableCell("")))
    what = "The largest difference between two groups"
    if not board.widest:
        a, b = (texts.group(group, board.bias) for group in (board.a, board.b))
        what = f"Mean rating of texts about {a} minus that of texts about {b}"
    heads = (rater_column(rater, board.bias, texts) for rater in board.raters)
    columns = (Column("Prompts, decoding"), *heads, Column("Across raters"))
    return table(f"{what}{f' ({source_words(board.rows[0][0])})' if alone else ''}", columns, rows)


def _people_cell(board: Board, rater: str, texts: RunTexts) -> TableCell:
    """What people say over all settings, which is more than they say of any one."""
    pooled = (one for one in texts.summary.people_pooled if (one.model, one.bias) == (board.model, board.bias))
    pairs = [pair for one in pooled if one.rater == rater for pair in one.summary.pairs]
    for pair in pairs:
        if {pair.a, pair.b} == {board.a, board.b}:
            found = pair.difference if pair.a == board.a else negated(pair.difference)
            missing = f", {found.n_unscored:,} not rated" if found.n_unscored else ""
            small = f"{interval_words(found)}\n{count(found.n, 'text')}{missing}, all settings together"
            return TableCell(signed(found.value, 3), small, sort_key(found.value))
    return TableCell("")


def rater_column(rater: str, bias: str, texts: RunTexts) -> Column:
    """A rater as the head of a column of its results: its scale, its quality and its own tilt below its name."""
    if rater.startswith(PEOPLE):
        alpha = texts.summary.people.krippendorff if texts.summary.people else None
        agree = "" if alpha is None else f"Krippendorff’s alpha {signed(alpha)}"
        return Column(rater_words(rater), True, "\n".join(filter(None, (head_words(known_rater(rater)), agree))))
    known = next((one for one in texts.summary.raters if one.rater == rater), None) or known_rater(rater)
    return Column(rater_words(rater), True, head_words(known, bias))


def _cell(board: Board, found: BoardReading | None, texts: RunTexts) -> TableCell:
    if found is None:
        return TableCell(NONE)
    pair, place = found.pair, texts.place(found.cell, found.pair.a, found.pair.b)
    difference = pair.difference
    if difference.value is None:
        return TableCell(NONE, _texts(found), place=place)
    small = [texts.groups((pair.a, pair.b), board.bias)] if board.widest else []
    small += [interval_words(difference), _ratio(found), _texts(found)]
    side = 0 if board.widest else found.favours
    return TableCell(
        f"{signed(difference.value, 3)}{' ≈' if found.within_tilt else ''}",
        "\n".join(filter(None, small)),
        sort_key(difference.value),
        {1: "below", -1: "above", 0: "firm"}[side] if found.firm else "",
        place=place,
    )


def _ratio(found: BoardReading) -> str:
    ratio = found.pair.ratio
    if ratio is None or ratio.value is None:
        return ""
    interval = "" if ratio.low is None or ratio.high is None else f" ({ratio.low:.2f}–{ratio.high:.2f})"
    return f"ratio {ratio.value:.2f}{interval}"


def _undecided(found: BoardReading) -> bool:
    """Whether the difference and the ratio of the same means disagree on whether the groups are equal."""
    ratio = found.pair.ratio
    if ratio is None or ratio.low is None or ratio.high is None or found.pair.difference.low is None:
        return False
    return excludes_zero(found.pair.difference) == (ratio.low <= 1 <= ratio.high)


def _texts(found: BoardReading) -> str:
    difference = found.pair.difference
    missing = f", {difference.n_unscored:,} not rated" if difference.n_unscored else ""
    return f"{count(difference.n, 'text')}{missing}"


def _agree(board: Board, found: Sequence[BoardReading | None], texts: RunTexts) -> TableCell:
    """Whether some methods point to the same group."""
    if board.widest:
        pairs = {frozenset((one.pair.a, one.pair.b)) for one in found if one}
        return TableCell("same two groups" if len(pairs) == 1 else f"{len(pairs)} pairs of groups")
    known = [one for one in found if one and one.favours]
    if len(known) < 2:
        return TableCell("")
    if len({one.favours for one in known}) == 1:
        return TableCell("agree", f"worse for {texts.group(board.a if known[0].favours < 0 else board.b, board.bias)}")
    firm = {one.favours for one in known if one.firm}
    return TableCell(
        "opposite directions", "intervals on both sides exclude zero" if len(firm) == 2 else "", mark="opposed"
    )


def worse_words(rater: str) -> str:
    """Which direction of a rater is the worse one, for an axis; blank where neither is.

    >>> worse_words("toxicity.linear.v1"), worse_words("readability.fog.v1")
    ('higher is worse', '')
    """
    scale = scale_of(rater)
    return "" if scale is None or not scale.worse else f"{'higher' if scale.worse > 0 else 'lower'} is worse"
