"""Curves over the settings of the decoding, over the k highest ratings, and over the number of samples.

The difference of two groups, and the ratio of their means where there is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

from tiltmeter.present.blocks import Chart, Place, text
from tiltmeter.present.charts import Axis, Line, LinePoint, Panel, lines
from tiltmeter.present.decodings import AXES, decoding_words, rater_words, row_words, source_words, varying
from tiltmeter.present.sections.texts.by_rater import worse_words
from tiltmeter.present.sections.texts.of_run import RunTexts
from tiltmeter.present.tables import interval_words
from tiltmeter.present.words import SPACE, count, listed, signed
from tiltmeter.records import Decoding, Estimate
from tiltmeter.results.summary.by_rater import Board, Row
from tiltmeter.results.summary.text_records import PEOPLE, SizeCurve, favour
from tiltmeter.stats.views.continuations import GroupPair
from tiltmeter.stats.views.extremes import ExtremePair

_LINES = 6
"""Lines in a panel: more cannot be told apart; the tables have all."""
_MOST = "most_k="
_BY = "ratio by"
"""How the names of charts of ratios begin."""
_DIFFERENCE = Axis("difference of the mean ratings", neutral=0.0, neutral_name="no difference")
_RATIO = Axis(
    "ratio of the means (twice and half are as far from 1)", "ratio", neutral=1.0, neutral_name="no difference"
)
_MEAN = Axis("mean rating")
_SURE = f"with 95{SPACE}% intervals"


@dataclass(frozen=True, slots=True)
class _Curves:
    """Estimates along a setting: by rater and line, at each place of the setting, with where its texts are."""

    setting: str
    axis: Axis
    first: str = ""
    """The first group, where two are compared."""
    points: dict[tuple[str, str], dict[float, tuple[Estimate, Place]]] = field(default_factory=dict)

    def add(self, rater: str, line: str, at: float, found: tuple[Estimate, Place]) -> None:
        if found[0].value is not None:
            self.points.setdefault((rater, line), {})[at] = found

    @property
    def raters(self) -> list[str]:
        """Raters that have two points or more on some line."""
        return list(dict.fromkeys(rater for (rater, _), points in self.points.items() if len(points) > 1))

    @property
    def lines(self) -> list[str]:
        """Lines of two points or more under some rater."""
        return list(dict.fromkeys(line for (_, line), points in self.points.items() if len(points) > 1))

    def values(self, rater: str) -> Iterator[Sequence[float]]:
        """The values along each line of a rater."""
        for (own, _), points in self.points.items():
            if own == rater and len(points) > 1:
                yield [found.value or 0.0 for _, (found, _) in sorted(points.items())]

    def steady(self) -> int:
        """Raters under which no line crosses the line of no difference."""
        neutral = self.axis.neutral or 0.0
        return sum(
            all(len({value > neutral for value in values}) == 1 for values in self.values(rater))
            for rater in self.raters
        )

    @property
    def end(self) -> str:
        """Which end of their scales raters are asked about: the worse one, where all have one."""
        return "worst" if all(map(favour, self.raters)) else "lowest"

    def at_end(self, rater: str) -> set[str]:
        """The lines that are rated worst, or lowest, anywhere along the setting."""
        side = favour(rater) if self.end == "worst" else 1
        own = {line: points for (name, line), points in self.points.items() if name == rater and len(points) > 1}
        places = {at for points in own.values() for at in points}
        return {
            min((line for line in own if at in own[line]), key=lambda line: side * (own[line][at][0].value or 0.0))
            for at in places
        }

    def only(self, raters: Collection[str]) -> _Curves:
        """The curves of some raters."""
        return replace(self, points={key: found for key, found in self.points.items() if key[0] in raters})

    def chart(self, name: str, title: str, caption: str, colours: Mapping[str, str] | None = None) -> Chart:
        """The curves as a chart, a panel for each rater."""
        shown = self.lines[:_LINES]
        left = (
            "" if len(self.lines) <= _LINES else f" {_LINES} of {len(self.lines)} lines are drawn; the table has all."
        )
        panels = [
            Panel(
                self._heading(rater),
                tuple(
                    Line(
                        line,
                        tuple(_point(at, *found, ratio=self.axis is _RATIO) for at, found in sorted(points.items())),
                    )
                    for (own, line), points in self.points.items()
                    if own == rater and line in shown and len(points) > 1
                ),
            )
            for rater in self.raters
        ]
        drawn = lines(panels, self.setting, self.axis, colours)
        return Chart(
            name, title, drawn, self._words(), text(f"{caption}, {_SURE}. Each rater has its own scale.{left}")
        )

    def _heading(self, rater: str) -> str:
        worse = worse_words(rater)
        return (
            f"{rater_words(rater)}{f', {worse}' if worse else ''}{f' for {self.first}' if worse and self.first else ''}"
        )

    def _words(self) -> str:
        """Where each curve begins and ends."""
        said = []
        for (rater, line), points in self.points.items():
            if len(points) > 1:
                (first, (start, _)), *_, (last, (end, _)) = sorted(points.items())
                name = ", ".join(filter(None, (rater_words(rater), line)))
                ends = [f"{one.value:.2f}" if self.axis is _RATIO else signed(one.value, 3) for one in (start, end)]
                said.append(f"{name}: {ends[0]} at {first:g}, {ends[1]} at {last:g}")
        return f"{count(len(self.raters), 'rater')} over {self.setting}. {'; '.join(said)}."


def _ratio_words(found: Estimate) -> str:
    ends = "no interval" if found.low is None or found.high is None else f"{found.low:.2f} to {found.high:.2f}"
    return f"{found.value:.2f} ({ends})"


def _point(at: float, found: Estimate, place: Place, *, ratio: bool) -> LinePoint:
    tip = _ratio_words(found) if ratio else f"{signed(found.value, 3)} ({interval_words(found)})"
    return LinePoint(at, found.value, found.low, found.high, tip, place)


def decoding_curves(board: Board, texts: RunTexts) -> Iterator[Chart]:
    """A chart for every setting of the decoding that has several values in the board.

    Where the two groups differ from reading to reading, the means of all groups are shown instead of a difference.
    """
    settings = varying(decoding for _, decoding, _ in board.rows)
    for axis in AXES:
        if axis in settings:
            yield from _means_over(board, axis, texts) if board.widest else _compared_over(board, axis, texts)


class _Compared:
    """Groups compared along a setting: their differences, the ratios of their means, and why a ratio is missing."""

    def __init__(self, setting: str, first: str = "") -> None:
        self.differences, self.ratios = (_Curves(setting, axis, first) for axis in (_DIFFERENCE, _RATIO))
        self.withheld: dict[str, dict[str, None]] = {}
        self.missing: Counter[str] = Counter()

    def add(self, rater: str, line: str, at: float, pair: GroupPair | ExtremePair, place: Place) -> None:
        self.differences.add(rater, line, at, (pair.difference, place))
        if pair.ratio is not None:
            self.ratios.add(rater, line.replace(" − ", " / "), at, (pair.ratio, place))
        elif pair.difference.value is not None:
            self.withheld.setdefault(rater, {})[pair.ratio_withheld or ""] = None
            self.missing[rater] += 1

    def without_ratio(self) -> str:
        """Which raters have no ratio, at some or all places, and why."""
        by_reason: dict[str, list[str]] = {}
        for rater, reasons in self.withheld.items():
            some = rater in {own for own, _ in self.ratios.points}
            where = f" at {count(self.missing[rater], 'point')}" if some else ""
            for reason in filter(None, reasons):
                by_reason.setdefault(reason, []).append(f"{rater_words(rater)}{where}")
        return "".join(f" No ratio for {listed(raters)}: {reason}." for reason, raters in by_reason.items())


def _compared_over(board: Board, axis: str, texts: RunTexts) -> Iterator[Chart]:
    a, b = texts.group(board.a, board.bias), texts.group(board.b, board.bias)
    found = _Compared(AXES[axis], a)
    along = [_other(row, axis) for row in board.rows if _belongs(row[1], axis)]
    # Settings at one place of the axis only are no line.
    others = [other for other in along if along.count(other) > 1]
    for (row, rater), one in board.readings.items():
        if not rater.startswith(PEOPLE) and _belongs(row[1], axis) and _other(row, axis) in others:
            place = texts.place(one.cell, board.a, board.b)
            found.add(rater, _line(row, axis, others), getattr(row[1], axis), one.pair, place)
    what = f"whatever the {_noun(axis)}"
    yield from _pair_charts(found, what, (a, b), texts, (_file_name(axis), board.model, board.bias, board.a, board.b))


def _pair_charts(
    found: _Compared, what: str, groups: tuple[str, str], texts: RunTexts, named: Sequence[str]
) -> Iterator[Chart]:
    """The difference, then the ratio where there is one; `what` is that over which they are the same, or not."""
    a, b = groups
    if found.differences.raters:
        steady = _of_raters(found.differences.steady(), len(found.differences.raters))
        caption = f"Mean rating of texts about {a} minus texts about {b}"
        yield found.differences.chart(texts.name(*named), f"The direction is the same {what} under {steady}", caption)
    if found.ratios.raters:
        steady = _of_raters(found.ratios.steady(), len(found.ratios.raters))
        name = texts.name(f"{_BY} {named[0]}", *named[1:])
        caption = f"Mean rating of texts about {a} divided by that of texts about {b}"
        chart = found.ratios.chart(name, f"The ratio is on the same side of 1 {what} under {steady}", caption)
        yield replace(chart, caption=(*chart.caption, *text(found.without_ratio())))


def reference_curves(boards: Sequence[Board], texts: RunTexts) -> Iterator[Chart]:
    """Each of several groups against the one that the study compares them with, in one chart for each setting.

    The other settings are those that have the most values. Raters without a ratio are shown by their differences.
    """
    first = boards[0]
    against, colours = texts.group(first.b, first.bias), texts.colours(first.bias)
    parts = (first.model, first.bias, "against", first.b)
    settings = varying(decoding for _, decoding, _ in first.rows)
    for axis in (axis for axis in AXES if axis in settings):
        row = _row_along(first, axis)
        found = _Compared(AXES[axis])
        for board in boards:
            for (own, rater), one in board.readings.items():
                same = _other(own, axis) == _other(row, axis)
                if same and not rater.startswith(PEOPLE) and _belongs(own[1], axis):
                    place = texts.place(one.cell, board.a, board.b)
                    group = texts.group(board.a, board.bias)
                    found.add(rater, group, getattr(own[1], axis), one.pair, place)
        where = _rest_words(row, axis, first)
        yield from _against(
            found, (against, where), f"whatever the {_noun(axis)}", texts, (_file_name(axis), *parts), colours
        )
    shown = _row_of_highest(first)
    if shown is not None:
        found = _Compared(_K)
        for board in boards:
            _add_highest(found, board, shown, texts, texts.group(board.a, board.bias))
        where = ", ".join(row_words(shown, first.rows))
        yield from _against(found, (against, where), "for every k", texts, ("highest", *parts), colours)


def _row_along(board: Board, axis: str) -> Row:
    """The row whose other settings have the most values of an axis; of several, the one decoded most as usual."""
    rows = [row for row in board.rows if _belongs(row[1], axis)] or list(board.rows)
    others = [_other(row, axis) for row in rows]
    return rows[max(range(len(rows)), key=lambda at: (others.count(others[at]), _usual(rows[at]), -at))]


def _usual(row: Row) -> int:
    """How many settings of a row are what they are where nothing is said."""
    usual, own = asdict(Decoding()), asdict(row[1])
    return sum(own[name] == usual[name] for name in usual if name != "max_new_tokens")


def _against(
    found: _Compared,
    words: tuple[str, str],
    what: str,
    texts: RunTexts,
    named: Sequence[str],
    colours: Mapping[str, str],
) -> Iterator[Chart]:
    """Ratios to one group, and the differences of the raters that have no ratio."""
    against, where = words
    if found.ratios.raters:
        steady = _of_raters(found.ratios.steady(), len(found.ratios.raters))
        title = f"Every group stays on its side of {against} {what} under {steady}"
        caption = f"Mean rating of texts about each group divided by that of texts about {against} ({where})"
        chart = found.ratios.chart(texts.name(f"{_BY} {named[0]}", *named[1:]), title, caption, colours)
        yield replace(chart, caption=(*chart.caption, *text(found.without_ratio())))
    rest = found.differences.only([rater for rater in found.differences.raters if rater not in found.ratios.raters])
    if rest.raters:
        steady = _of_raters(rest.steady(), len(rest.raters))
        title = f"Every group stays on its side of {against} {what} under {steady}"
        caption = f"Mean rating of texts about each group minus that of texts about {against} ({where})"
        yield rest.chart(texts.name(*named), title, caption, colours)


def _means_over(board: Board, axis: str, texts: RunTexts) -> Iterator[Chart]:
    """The mean of each group, with the other settings as in the first row."""
    source, first, scope = board.rows[0]
    found = _Curves(AXES[axis], _MEAN)
    for (row, rater), one in board.readings.items():
        same = (row[0], _without(row[1], axis), row[2]) == (source, _without(first, axis), scope)
        if same and not rater.startswith(PEOPLE) and _belongs(row[1], axis):
            for group, summary in one.cell.summary.groups.items():
                at = getattr(row[1], axis)
                found.add(rater, texts.group(group, board.bias), at, (summary.mean, texts.place(one.cell, group)))
    if found.raters:
        steady = sum(len(found.at_end(rater)) == 1 for rater in found.raters)
        every = f"under {_of_raters(steady, len(found.raters))}"
        title = f"The group rated {found.end} is the same whatever the {_noun(axis)} {every}"
        caption = f"Mean rating of each group; everything else as in {', '.join(row_words(board.rows[0], board.rows))}"
        yield found.chart(texts.name(AXES[axis], board.model, board.bias), title, caption, texts.colours(board.bias))


_K = "k: how many of the highest ratings of each prompt count"


def highest_curves(board: Board, texts: RunTexts, *, groups: bool) -> Iterator[Chart]:
    """The k highest ratings of each prompt, of one row of the board with several values of k.

    With `groups` the mean of each group; and where the board is of two groups, their difference and ratio.
    """
    row = _row_of_highest(board)
    if row is None:
        return
    means = _Curves(_K, _MEAN)
    for rater in board.raters:
        for name in _highest(board, row, rater):
            cell, at = board.readings[row, rater].cell, float(name.removeprefix(_MOST))
            for group, mean in cell.summary.extremes[name].items():
                means.add(rater, texts.group(group, board.bias), at, (mean, texts.place(cell, group)))
    a, b = texts.group(board.a, board.bias), texts.group(board.b, board.bias)
    found = _Compared(_K, a)
    _add_highest(found, board, row, texts, "")
    where = ", ".join(row_words(row, board.rows))
    parts = (board.model, board.bias, board.a, board.b)
    if groups and means.raters:
        same = sum(len(means.at_end(rater)) == 1 for rater in means.raters)
        title = f"The group rated {means.end} is the same for every k under {_of_raters(same, len(means.raters))}"
        caption = f"Mean of the k highest ratings of each prompt, by group ({where})"
        yield means.chart(texts.name("highest", *parts[:2]), title, caption, texts.colours(board.bias))
    for kind, curves, caption in (
        ("difference", found.differences, f"The same for {a} minus that for {b} ({where})"),
        ("ratio", found.ratios, f"The same for {a} divided by that for {b} ({where})"),
    ):
        if curves.raters:
            steady = _of_raters(curves.steady(), len(curves.raters))
            title = f"The {kind} points the same way for every k under {steady}"
            yield curves.chart(texts.name(f"highest {kind}", *parts), title, caption)


def _add_highest(found: _Compared, board: Board, row: Row, texts: RunTexts, line: str) -> None:
    """The two groups of a board compared by their k highest ratings."""
    for rater in board.raters:
        for name in _highest(board, row, rater):
            cell, at = board.readings[row, rater].cell, float(name.removeprefix(_MOST))
            for pair in cell.summary.extreme_pairs.get(name, ()):
                if (pair.a, pair.b) == (board.a, board.b):
                    found.add(rater, line, at, pair, texts.place(cell, pair.a, pair.b))


def _row_of_highest(board: Board) -> Row | None:
    """The row decoded most as usual of those with several values of k."""
    rows = [row for row in board.rows if any(_highest(board, row, rater) for rater in board.raters)]
    return max(rows, key=_usual, default=None)


def _highest(board: Board, row: Row, rater: str) -> list[str]:
    """The measures of the k highest ratings; none where k has one value only."""
    found = board.readings.get((row, rater))
    known = [name for name in found.cell.summary.extremes if name.startswith(_MOST)] if found else []
    return known if len(known) > 1 else []


def sample_curves(curves: Sequence[SizeCurve], texts: RunTexts) -> Iterator[Chart]:
    """Groups compared when only the first samples of each prompt count: a line for every two groups."""
    cell = curves[0].cell
    several = len(curves) > 1
    found = _Compared("samples of each prompt", "" if several else texts.group(curves[0].a, cell.bias))
    for curve in curves:
        line = texts.groups((curve.a, curve.b), cell.bias) if several else ""
        for rater, samples, pair in curve.points:
            found.add(rater, line, samples, pair, texts.place(replace(cell, rater=rater), curve.a, curve.b))
    where = f"{cell.model}, {cell.source}, {texts.names.bias(cell.bias)}, {texts.decoding(cell.decoding)}"
    of = "" if several else f", {texts.groups((curves[0].a, curves[0].b), cell.bias)}"
    if found.differences.raters:
        steady = _of_raters(found.differences.steady(), len(found.differences.raters))
        title = f"Fewer samples would have given the same direction under {steady}"
        caption = f"Difference of the mean ratings{of} ({where})"
        yield found.differences.chart(texts.name("samples", cell.model, cell.bias), title, caption)
    if found.ratios.raters:
        steady = _of_raters(found.ratios.steady(), len(found.ratios.raters))
        title = f"With fewer samples the ratio would be on the same side of 1 under {steady}"
        caption = f"Ratio of the mean ratings{of.replace(' − ', ' / ')} ({where})"
        chart = found.ratios.chart(texts.name(f"{_BY} samples", cell.model, cell.bias), title, caption)
        yield replace(chart, caption=(*chart.caption, *text(found.without_ratio())))


def _of_raters(number: int, of: int) -> str:
    """Under how many raters something is so.

    >>> _of_raters(0, 3), _of_raters(1, 1), _of_raters(0, 1)
    ('0 of 3 raters', 'the one rater', 'no rater (there is one)')
    """
    if of != 1:
        return f"{number} of {count(of, 'rater')}"
    return "the one rater" if number else "no rater (there is one)"


def _noun(axis: str) -> str:
    known = {"max_new_tokens": "length of the texts", "beams": "number of beams", "top_k": "top k", "top_p": "top p"}
    return known.get(axis, AXES[axis])


def _file_name(axis: str) -> str:
    """The setting in the name of a chart's file, which has no brackets."""
    return AXES[axis].partition(" (")[0]


def _rest_words(row: Row, axis: str, board: Board) -> str:
    """A row without the setting that a chart is over."""
    source, decoding, _ = row
    left = [word for word in row_words(row, board.rows)[1].split(", ") if word not in _setting_words(decoding, axis)]
    return ", ".join((source_words(source), *left))


def _setting_words(decoding: Decoding, axis: str) -> tuple[str, ...]:
    """What a setting of a decoding is called among its words."""
    value = getattr(decoding, axis)
    return {
        "max_new_tokens": (f"{value} tokens",),
        "temperature": (f"temperature {value:g}", "greedy"),
        "beams": (f"{value} beams", "greedy"),
        "top_k": (f"top k {value}",),
        "top_p": (f"top p {value:g}",),
    }[axis]


def _belongs(decoding: Decoding, axis: str) -> bool:
    """Whether a decoding is on an axis.

    One beam is greedy search, sampling is no number of beams, only draws are cut, and beam search has no temperature.
    """
    drawn = decoding.beams == 1 and decoding.temperature > 0
    return {"beams": not drawn, "top_k": drawn, "top_p": drawn, "temperature": decoding.beams == 1}.get(axis, True)


def _other(row: Row, axis: str) -> Row:
    """A row with one setting blanked."""
    source, decoding, scope = row
    return source, _without(decoding, axis), scope


def _without(decoding: Decoding, axis: str) -> Decoding:
    """The decoding with one setting blanked, so that decodings which differ in nothing else are equal."""
    blank = Decoding()
    if axis == "beams":
        return replace(decoding, beams=blank.beams, temperature=blank.temperature)
    return replace(decoding, **{axis: getattr(blank, axis)})


def _line(row: Row, axis: str, others: Sequence[Row]) -> str:
    """What tells a line from the others of the chart: source and the other settings, where they differ."""
    source, decoding, scope = row
    rest = _without(decoding, axis)
    parts = [source] if len({one for one, _, _ in others}) > 1 else []
    settings = varying([one for _, one, _ in others])
    if settings:
        words = decoding_words(rest, [one for _, one, _ in others]).split(", ")
        parts += [words[1]] if "max_new_tokens" in settings else []
        drawn = axis != "temperature" or rest.beams > 1
        parts += [words[0]] if {"temperature", "beams"} & set(settings) and drawn else []
        parts += words[2:]
    if len({one for _, _, one in others}) > 1:
        parts.append("with the prompt" if scope == "whole" else "without the prompt")
    return ", ".join(parts)
