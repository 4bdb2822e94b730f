"""Curves over temperature, length and beams, over the k highest ratings, and over the number of samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.present.blocks import Chart, Place, text
from tiltmeter.present.charts import Axis, Line, LinePoint, Panel, lines
from tiltmeter.present.decodings import AXES, decoding_words, rater_words, row_words, varying
from tiltmeter.present.sections.texts.by_rater import worse_words
from tiltmeter.present.sections.texts.of_run import RunTexts
from tiltmeter.present.tables import interval_words
from tiltmeter.present.words import SPACE, count, signed
from tiltmeter.records import Decoding, Estimate
from tiltmeter.results.summary.by_rater import Board, Row
from tiltmeter.results.summary.text_records import PEOPLE, SizeCurve, favour

_LINES = 6
"""Lines in a panel: more cannot be told apart; the tables have all."""
_MOST = "most_k="
_DIFFERENCE = Axis("difference of the mean ratings", neutral=0.0, neutral_name="no difference")
_RATIO = Axis("ratio of the means", neutral=1.0, neutral_name="no difference")
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
        return list(dict.fromkeys(line for (rater, line) in self.points if rater in self.raters))

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
                    Line(line, tuple(_point(at, *found) for at, found in sorted(points.items())))
                    for (own, line), points in self.points.items()
                    if own == rater and line in shown
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
                said.append(f"{name}: {signed(start.value, 3)} at {first:g}, {signed(end.value, 3)} at {last:g}")
        return f"{count(len(self.raters), 'rater')} over {self.setting}. {'; '.join(said)}."


def _point(at: float, found: Estimate, place: Place) -> LinePoint:
    tip = f"{signed(found.value, 3)} ({interval_words(found)})"
    return LinePoint(at, found.value, found.low, found.high, tip, place)


def decoding_curves(board: Board, texts: RunTexts) -> Iterator[Chart]:
    """A chart for every setting of the decoding that has several values in the board.

    Where the two groups differ from reading to reading, the means of all groups are shown instead of a difference.
    """
    settings = varying(decoding for _, decoding, _ in board.rows)
    for axis in AXES:
        if axis in settings:
            yield from _means_over(board, axis, texts) if board.widest else _differences_over(board, axis, texts)


def _differences_over(board: Board, axis: str, texts: RunTexts) -> Iterator[Chart]:
    found = _Curves(AXES[axis], _DIFFERENCE, texts.group(board.a, board.bias))
    others = [(source, _without(decoding, axis), scope) for source, decoding, scope in board.rows]
    for (row, rater), one in board.readings.items():
        if not rater.startswith(PEOPLE) and _belongs(row[1], axis):
            place = texts.place(one.cell, board.a, board.b)
            found.add(rater, _line(row, axis, others), getattr(row[1], axis), (one.pair.difference, place))
    if found.raters:
        steady = _of_raters(found.steady(), len(found.raters))
        a, b = texts.group(board.a, board.bias), texts.group(board.b, board.bias)
        name = texts.name(AXES[axis], board.model, board.bias, board.a, board.b)
        title = f"The direction is the same whatever the {_noun(axis)} under {steady}"
        yield found.chart(name, title, f"Mean rating of texts about {a} minus texts about {b}")


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


def highest_curves(board: Board, texts: RunTexts, *, groups: bool) -> Iterator[Chart]:
    """The k highest ratings of each prompt, of the first row of the board with several values of k.

    With `groups` the mean of each group; and where the board is of two groups, their difference and ratio.
    """
    row = next((row for row in board.rows if any(_highest(board, row, rater) for rater in board.raters)), None)
    if row is None:
        return
    setting = "k: how many of the highest ratings of each prompt count"
    means = _Curves(setting, _MEAN)
    gaps, ratios = (_Curves(setting, axis, texts.group(board.a, board.bias)) for axis in (_DIFFERENCE, _RATIO))
    for rater in board.raters:
        for name in _highest(board, row, rater):
            cell, at = board.readings[row, rater].cell, float(name.removeprefix(_MOST))
            for group, found in cell.summary.extremes[name].items():
                means.add(rater, texts.group(group, board.bias), at, (found, texts.place(cell, group)))
            for pair in cell.summary.extreme_pairs.get(name, ()):
                if (pair.a, pair.b) == (board.a, board.b):
                    place = texts.place(cell, pair.a, pair.b)
                    gaps.add(rater, "", at, (pair.difference, place))
                    if pair.ratio:
                        ratios.add(rater, "", at, (pair.ratio, place))
    where, (a, b) = (
        ", ".join(row_words(row, board.rows)),
        (texts.group(board.a, board.bias), texts.group(board.b, board.bias)),
    )
    parts = (board.model, board.bias, board.a, board.b)
    if groups and means.raters:
        same = sum(len(means.at_end(rater)) == 1 for rater in means.raters)
        title = f"The group rated {means.end} is the same for every k under {_of_raters(same, len(means.raters))}"
        caption = f"Mean of the k highest ratings of each prompt, by group ({where})"
        yield means.chart(texts.name("highest", *parts[:2]), title, caption, texts.colours(board.bias))
    for kind, curves, caption in (
        ("difference", gaps, f"The same for {a} minus that for {b} ({where})"),
        ("ratio", ratios, f"The same for {a} divided by that for {b} ({where})"),
    ):
        if curves.raters:
            steady = _of_raters(curves.steady(), len(curves.raters))
            title = f"The {kind} points the same way for every k under {steady}"
            yield curves.chart(texts.name(f"highest {kind}", *parts), title, caption)


def _highest(board: Board, row: Row, rater: str) -> list[str]:
    """The measures of the k highest ratings; none where k has one value only."""
    found = board.readings.get((row, rater))
    known = [name for name in found.cell.summary.extremes if name.startswith(_MOST)] if found else []
    return known if len(known) > 1 else []


def sample_curve(curve: SizeCurve, texts: RunTexts) -> Iterator[Chart]:
    """The difference of two groups when only the first samples of each prompt count."""
    cell, pair = curve.cell, curve.cell.summary.pairs[0]
    found = _Curves("samples of each prompt", _DIFFERENCE, texts.group(pair.a, cell.bias))
    for rater, samples, estimate in curve.points:
        place = texts.place(replace(cell, rater=rater), pair.a, pair.b)
        found.add(rater, "", samples, (estimate, place))
    if found.raters:
        where = f"{cell.model}, {cell.source}, {texts.names.bias(cell.bias)}, {texts.decoding(cell.decoding)}"
        yield found.chart(
            texts.name("samples", cell.model, cell.bias),
            f"Fewer samples would have given the same direction under {_of_raters(found.steady(), len(found.raters))}",
            f"Mean rating, {texts.groups((pair.a, pair.b), cell.bias)} ({where})",
        )


def _of_raters(number: int, of: int) -> str:
    """Under how many raters something is so.

    >>> _of_raters(0, 3), _of_raters(1, 1), _of_raters(0, 1)
    ('0 of 3 raters', 'the one rater', 'no rater (there is one)')
    """
    if of != 1:
        return f"{number} of {count(of, 'rater')}"
    return "the one rater" if number else "no rater (there is one)"


def _noun(axis: str) -> str:
    return {"max_new_tokens": "length of the texts", "beams": "number of beams"}.get(axis, AXES[axis])


def _belongs(decoding: Decoding, axis: str) -> bool:
    """Whether a decoding is on an axis: one beam is greedy search, and sampling is no number of beams."""
    return axis != "beams" or decoding.beams > 1 or decoding.temperature == 0


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
        parts += [words[0]] if {"temperature", "beams"} & set(settings) else []
        parts += words[2:]
    if len({one for _, _, one in others}) > 1:
        parts.append("with the prompt" if scope == "whole" else "without the prompt")
    return ", ".join(parts)
