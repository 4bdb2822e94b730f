"""Curves over new tokens, temperature, beams, the k highest samples and the number of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tiltmeter.analysis.boards import Board, Row
from tiltmeter.analysis.continuation_records import PEOPLE, ContinuationCell, ContinuationsSummary
from tiltmeter.records import Decoding, Estimate
from tiltmeter.report.decodings import AXES, decoding_words, rater_words, row_words, varying
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import Curve, CurvePanel, curves
from tiltmeter.report.words import count, signed

_LINES = 6
"""Lines in a panel: more cannot be told apart; the tables have all."""
_MOST = "most_k="
Values = Mapping[tuple[str, str], Mapping[float, Estimate]]
"""By panel and line, the estimate at each place along the axis."""


def board_curves(board: Board, place: str) -> list[Drawn]:
    """A figure for every setting of the decoding that has several values in the board.

    Where the two groups differ from reading to reading, the means of all groups are shown instead of a difference.
    """
    settings = varying(decoding for _, decoding, _ in board.rows)
    figure = _means_over if board.widest else _over
    drawn = [figure(board, axis, place) for axis in AXES if axis in settings]
    return [figure for figure in drawn if figure]


def highest_curves(board: Board, place: str) -> Drawn | None:
    """The mean of the k highest ratings of each prompt, by group, where k has several values; of the first row."""
    values: dict[tuple[str, str], dict[float, Estimate]] = {}
    for rater in board.raters:
        found = board.readings.get((board.rows[0], rater))
        for name, groups in found.cell.summary.extremes.items() if found else ():
            if name.startswith(_MOST):
                for group, estimate in groups.items():
                    values.setdefault((rater_words(rater), group), {})[float(name.removeprefix(_MOST))] = estimate
    if not any(len(points) > 1 for points in values.values()):
        return None
    where = ", ".join(row_words(board.rows[0], board.rows))
    caption = f"Mean of the k highest ratings of each prompt, by group, with 95\N{NO-BREAK SPACE}% intervals ({where})."
    return _figure(f"highest {place}", values, "k", caption, zero=False)


def size_curves(found: ContinuationsSummary, place: str) -> Drawn | None:
    """The difference of two groups when only the first so many samples of each prompt count."""
    cell = found.sizes_of
    values: dict[tuple[str, str], dict[float, Estimate]] = {}
    for rater, samples, estimate in found.sizes:
        values.setdefault((rater_words(rater), ""), {})[samples] = estimate
    if cell is None or not cell.summary.pairs or not any(len(points) > 1 for points in values.values()):
        return None
    pair = cell.summary.pairs[0]
    caption = (
        f"Mean rating of texts about {pair.a} minus {pair.b} when only the first samples of each prompt count, with "
        f"95\N{NO-BREAK SPACE}% intervals ({_where(cell)})."
    )
    return _figure(f"samples {place}", values, "samples", caption, zero=True)


def _over(board: Board, axis: str, place: str) -> Drawn | None:
    values: dict[tuple[str, str], dict[float, Estimate]] = {}
    others = [(source, _without(decoding, axis), scope) for source, decoding, scope in board.rows]
    for (row, rater), found in board.readings.items():
        if not rater.startswith(PEOPLE):
            line = _line(row, axis, others)
            values.setdefault((rater_words(rater), line), {})[getattr(row[1], axis)] = found.pair.difference
    kept = {key: points for key, points in values.items() if len(points) > 1}
    if not kept:
        return None
    lines = list(dict.fromkeys(line for _, line in kept))
    left = (
        f" Shown are {_LINES} of {len(lines)} settings of the rest; the table has all." if len(lines) > _LINES else ""
    )
    only = f" ({lines[0]})" if len(lines) == 1 and lines[0] else ""
    caption = (
        f"Mean rating of texts about {board.a} minus {board.b} over {AXES[axis]}{only}, with 95\N{NO-BREAK SPACE}% "
        f"intervals. Each rater has its own scale.{left}"
    )
    return _figure(f"{AXES[axis]} {place}", kept, AXES[axis], caption, zero=True)


def _means_over(board: Board, axis: str, place: str) -> Drawn | None:
    """The mean of each group, with the other settings as in the first row."""
    source, first, scope = board.rows[0]
    values: dict[tuple[str, str], dict[float, Estimate]] = {}
    for (row, rater), found in board.readings.items():
        same = (row[0], _without(row[1], axis), row[2]) == (source, _without(first, axis), scope)
        if same and not rater.startswith(PEOPLE):
            for group, summary in found.cell.summary.groups.items():
                values.setdefault((rater_words(rater), group), {})[getattr(row[1], axis)] = summary.mean
    kept = {key: points for key, points in values.items() if len(points) > 1}
    if not kept:
        return None
    groups = len({group for _, group in kept})
    left = f" Shown are {_LINES} of {groups} groups; the tables have all." if groups > _LINES else ""
    caption = (
        f"Mean rating of each group over {AXES[axis]}, with 95\N{NO-BREAK SPACE}% intervals; the rest as in "
        f"{', '.join(row_words(board.rows[0], board.rows))}.{left}"
    )
    return _figure(f"{AXES[axis]} {place}", kept, AXES[axis], caption, zero=False)


def _without(decoding: Decoding, axis: str) -> Decoding:
    """The decoding with one setting blanked, so that decodings which differ in nothing else are equal."""
    blank = Decoding()
    if axis == "beams":
        return replace(decoding, beams=blank.beams, temperature=blank.temperature)
    return replace(decoding, **{axis: getattr(blank, axis)})


def _line(row: Row, axis: str, others: Sequence[Row]) -> str:
    """What tells a line from the others of the figure: source and the other settings, where they differ."""
    source, decoding, scope = row
    rest = _without(decoding, axis)
    parts = [source] if len({one for one, _, _ in others}) > 1 else []
    settings = varying([one for _, one, _ in others])
    if settings:
        words = decoding_words(rest, [one for _, one, _ in others]).split(", ")
        length, heat = words[1], words[0]
        parts += [length] if "max_new_tokens" in settings else []
        parts += [heat] if {"temperature", "beams"} & set(settings) else []
        parts += words[2:]
    if len({one for _, _, one in others}) > 1:
        parts.append("with the prompt" if scope == "whole" else "without the prompt")
    return ", ".join(parts)


def _figure(name: str, values: Values, axis: str, caption: str, *, zero: bool) -> Drawn:
    lines = list(dict.fromkeys(line for _, line in values))[:_LINES]
    panels = [
        CurvePanel(
            panel,
            tuple(
                Curve(lines.index(line), tuple(sorted(points.items())))
                for (owner, line), points in values.items()
                if owner == panel and line in lines
            ),
        )
        for panel in dict.fromkeys(panel for panel, _ in values)
    ]
    panels = [panel for panel in panels if panel.curves]
    return draw(name, partial(curves, panels, lines, axis, zero=zero), _in_words(panels, lines, axis), caption)


def _in_words(panels: Sequence[CurvePanel], lines: Sequence[str], axis: str) -> str:
    """The curves for those who cannot see them: where each begins and ends."""
    parts = []
    for panel in panels:
        for curve in panel.curves:
            known = [(x, found.value) for x, found in curve.points if found.value is not None]
            if known:
                (first, start), (last, end) = known[0], known[-1]
                line = f", {lines[curve.series]}" if lines[curve.series] else ""
                parts.append(f"{panel.title}{line}: {signed(start, 3)} at {first:g}, {signed(end, 3)} at {last:g}")
    return f"{count(len(panels), 'rater')} over {axis}. {'; '.join(parts)}."


def _where(cell: ContinuationCell) -> str:
    return f"{cell.model}, {cell.source}, {cell.bias}, {decoding_words(cell.decoding, [])}"
