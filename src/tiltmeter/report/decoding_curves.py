"""Curves over new tokens, temperature, beams, the k highest samples and the number of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from tiltmeter.records import Decoding, Estimate
from tiltmeter.report.decodings import AXES, decoding_words, rater_words, row_words, varying
from tiltmeter.report.drawn import Drawn, draw
from tiltmeter.report.figures import Curve, CurvePanel, curves
from tiltmeter.report.words import count, signed
from tiltmeter.results.summary.by_rater import Board, Row
from tiltmeter.results.summary.text_records import PEOPLE, ContinuationCell, ContinuationsSummary, SizeCurve
from tiltmeter.stats.extremes import ExtremePair

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


def highest_curves(board: Board, place: str, *, groups: bool) -> list[Drawn]:
    """The k highest ratings of each prompt, of the first row of the board with several values of k.

    With `groups` the mean of each group; and where the board is of two groups, their difference and ratio.
    """
    row = next((row for row in board.rows if any(_most(board, row, rater) for rater in board.raters)), None)
    if row is None:
        return []
    where = ", ".join(row_words(row, board.rows))
    sure = f"with 95\N{NO-BREAK SPACE}% intervals ({where})"
    means: dict[tuple[str, str], dict[float, Estimate]] = {}
    gaps: dict[tuple[str, str], dict[float, Estimate]] = {}
    ratios: dict[tuple[str, str], dict[float, Estimate]] = {}
    for rater in board.raters:
        for k, (by_group, pairs) in _most(board, row, rater).items():
            for group, estimate in by_group.items():
                means.setdefault((rater_words(rater), group), {})[k] = estimate
            pair = next((one for one in pairs if (one.a, one.b) == (board.a, board.b)), None)
            if pair:
                gaps.setdefault((rater_words(rater), ""), {})[k] = pair.difference
                if pair.ratio:
                    ratios.setdefault((rater_words(rater), ""), {})[k] = pair.ratio
    means, gaps = _with_values(means), _with_values(gaps)
    drawn = []
    if groups and means:
        caption = f"Mean of the k highest ratings of each prompt, by group, {sure}."
        drawn.append(_figure(f"highest {place}", means, "k", caption, zero=False))
    if gaps:
        caption = f"The same of texts about {board.a} minus texts about {board.b}, {sure}."
        drawn.append(_figure(f"highest difference {place}", gaps, "k", caption, zero=True))
    if any(len(points) > 1 for points in ratios.values()):
        caption = f"The same of texts about {board.a} over texts about {board.b}, {sure}; 1 is no difference."
        drawn.append(_figure(f"highest ratio {place}", ratios, "k", caption, zero=False))
    return drawn


def _with_values(lines: dict[tuple[str, str], dict[float, Estimate]]) -> dict[tuple[str, str], dict[float, Estimate]]:
    """The lines that have something to draw."""
    return {name: points for name, points in lines.items() if any(one.value is not None for one in points.values())}


def _most(board: Board, row: Row, rater: str) -> dict[float, tuple[Mapping[str, Estimate], Sequence[ExtremePair]]]:
    """What is known of the k highest under a rater, by k; nothing where k has one value only."""
    found = board.readings.get((row, rater))
    if found is None:
        return {}
    summary = found.cell.summary
    known: dict[float, tuple[Mapping[str, Estimate], Sequence[ExtremePair]]] = {
        float(name.removeprefix(_MOST)): (groups, summary.extreme_pairs.get(name, ()))
        for name, groups in summary.extremes.items()
        if name.startswith(_MOST)
    }
    return known if len(known) > 1 else {}


def size_curves(found: ContinuationsSummary, place: str) -> list[Drawn]:
    """The difference of two groups when only the first so many samples of each prompt count, bias by bias."""
    drawn = [_sizes(curve, place) for curve in found.sizes]
    return [figure for figure in drawn if figure]


def _sizes(curve: SizeCurve, place: str) -> Drawn | None:
    cell, pair = curve.cell, curve.cell.summary.pairs[0]
    values: dict[tuple[str, str], dict[float, Estimate]] = {}
    for rater, samples, estimate in curve.points:
        values.setdefault((rater_words(rater), ""), {})[samples] = estimate
    values = _with_values(values)
    if not any(len(points) > 1 for points in values.values()):
        return None
    caption = (
        f"Mean rating of texts about {pair.a} minus {pair.b} when only the first samples of each prompt count, with "
        f"95\N{NO-BREAK SPACE}% intervals ({_where(cell)})."
    )
    return _figure(f"samples {place} {cell.model} {cell.bias}", values, "samples", caption, zero=True)


def _over(board: Board, axis: str, place: str) -> Drawn | None:
    values: dict[tuple[str, str], dict[float, Estimate]] = {}
    others = [(source, _without(decoding, axis), scope) for source, decoding, scope in board.rows]
    for (row, rater), found in board.readings.items():
        if not rater.startswith(PEOPLE) and _belongs(row[1], axis):
            line = _line(row, axis, others)
            values.setdefault((rater_words(rater), line), {})[getattr(row[1], axis)] = found.pair.difference
    kept = {key: points for key, points in _with_values(values).items() if len(points) > 1}
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
        if same and not rater.startswith(PEOPLE) and _belongs(row[1], axis):
            for group, summary in found.cell.summary.groups.items():
                values.setdefault((rater_words(rater), group), {})[getattr(row[1], axis)] = summary.mean
    kept = {key: points for key, points in _with_values(values).items() if len(points) > 1}
    if not kept:
        return None
    groups = len({group for _, group in kept})
    left = f" Shown are {_LINES} of {groups} groups; the tables have all." if groups > _LINES else ""
    caption = (
        f"Mean rating of each group over {AXES[axis]}, with 95\N{NO-BREAK SPACE}% intervals; the rest as in "
        f"{', '.join(row_words(board.rows[0], board.rows))}.{left}"
    )
    return _figure(f"{AXES[axis]} {place}", kept, AXES[axis], caption, zero=False)


def _belongs(decoding: Decoding, axis: str) -> bool:
    """Whether a decoding lies on an axis: one beam is greedy search, and sampling is no number of beams."""
    return axis != "beams" or decoding.beams > 1 or decoding.temperature == 0


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
