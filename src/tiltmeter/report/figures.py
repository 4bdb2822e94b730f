"""Figures as SVG and PNG, made from plain Vega-Lite dictionaries without a browser.

Text from a model, a data set or a spec enters a figure as data and nothing else: never as part of an expression, a
field name or a key. Each figure is checked before it leaves: it holds shapes and text, no scripts, links or images.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from tiltmeter.errors import MissingExtra
from tiltmeter.records import Estimate
from tiltmeter.report.words import percent, percent_range

INK, FAINT, HAIRLINE, PAPER = "#1b1c1e", "#5c6066", "#dfe1e4", "#fffffe"
"""Colours of text, secondary text, lines and background. The page's style sheet finds them by these values."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d00", "#56606b")
"""After Okabe and Ito: told apart by people with any colour vision."""
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down", "stroke")

_ALLOWED = {"svg", "g", "path", "text", "tspan", "line", "rect", "defs", "clipPath"}
_LINE = 16
_FIRST_LINE = 14
"""From the top of a row to the middle of the first line of a label that stands above the marks."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a forest plot: a label, and an estimate (or none) for each series."""

    label: str
    estimates: tuple[Estimate | None, ...]
    summary: bool = False
    """Whether this is the mean over the other rows, which has a mark of its own."""


@dataclass(frozen=True, slots=True)
class Block:
    """Rows that belong together, under a heading where they need one."""

    rows: tuple[Row, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Layout:
    """Widths in pixels; where `left` is 0 the labels stand above the marks."""

    left: int
    plot: int
    right: int
    characters: int
    """How many characters of a label fit on a line."""


WIDE = Layout(left=268, plot=404, right=216, characters=37)
NARROW = Layout(left=0, plot=322, right=0, characters=38)


def forest(blocks: Sequence[Block], series: Sequence[str], layout: Layout = WIDE) -> dict[str, Any]:
    """A forest plot: shares with their intervals around the neutral line, as a Vega-Lite dictionary.

    Every place is worked out here and not by the plotting library, so that long labels, any number of series and
    the heading between two blocks need no special cases there.
    """
    drawing = _Drawing(layout, len(series))
    drawing.legend(series)
    for block in blocks:
        drawing.block(block)
    return drawing.chart(_domain(found for block in blocks for row in block.rows for found in row.estimates))


def to_svg(chart: dict[str, Any]) -> str:
    """Draw a figure. It may be put into a page as it is: nothing but shapes and escaped text is in it."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("Figures", "report", "vl-convert-python") from None
    # No figure has anything to load; an empty list of allowed addresses makes that a rule.
    svg: str = vl_convert.vegalite_to_svg(chart, allowed_base_urls=[])
    return _checked(svg)


def to_png(svg: str) -> bytes:
    """The same figure as pixels, twice as fine as a plain screen."""
    import vl_convert

    image: bytes = vl_convert.svg_to_png(svg, scale=2)
    return image


def colour(position: int) -> str:
    """The colour of the series at a position."""
    return COLOURS[position % len(COLOURS)]


def shape(position: int) -> str:
    """The mark of the series at a position; beyond six series the same colours come with other marks."""
    return SHAPES[(position + position // len(COLOURS)) % len(SHAPES)]


class _Drawing:
    """A forest plot in the making: the marks so far, and how far down they reach."""

    def __init__(self, layout: Layout, series: int) -> None:
        self.layout = layout
        self.series = series
        self.height = 0.0
        self.texts: list[dict[str, Any]] = []
        self.intervals: list[dict[str, Any]] = []
        self.points: list[dict[str, Any]] = []
        self.keys: list[dict[str, Any]] = []
        self.lines: list[dict[str, Any]] = []
        self.neutral: list[dict[str, Any]] = []

    def legend(self, series: Sequence[str]) -> None:
        """Name the series, one line each; one series alone needs no key."""
        if len(series) > 1:
            for position, label in enumerate(series):
                self.height += _LINE + 2
                mark = {"y": self.height - 8, "color": colour(position), "fill": colour(position)}
                self.keys.append({**mark, "shape": shape(position)})
                self._text(label, self.height - 8, 18, "left", characters=(self.layout.plot + self.layout.right) // 7)
            self.height += 4
        self.height += 22

    def block(self, block: Block) -> None:
        """Draw the rows of a block below what is there."""
        if block.heading:
            self.height += 30
            self._text(block.heading, self.height - 9, -self.layout.left, "left", color=FAINT, weight=600)
        for row in block.rows:
            self._row(row)

    def _row(self, row: Row) -> None:
        label = wrapped(row.label, self.layout.characters)
        lines = label.count("\n") + 1
        above = not self.layout.left
        spread = self.series * _LINE
        head = lines * _LINE + 8 if above else 0
        tall = head + max(spread, 0 if above else lines * _LINE) + 12
        middle = self.height + head + (tall - head) / 2
        self.lines.append({"y": self.height})
        # Not through the words that stand above the marks.
        self.neutral.append({"y": self.height + head, "y2": self.height + tall, "x": 50})
        weight = 600 if row.summary else 400
        if above:
            self._text(label, self.height + _FIRST_LINE, 0, "left", weight=weight)
        else:
            self._text(label, middle - (lines - 1) * _LINE / 2, -16, "right", weight=weight)
        for position, found in enumerate(row.estimates):
            if found is not None and found.value is not None:
                self._mark(found, position, middle - spread / 2 + (position + 0.5) * _LINE, row)
        self.height += tall

    def _mark(self, found: Estimate, position: int, y: float, row: Row) -> None:
        value = (found.value or 0) * 100
        known = found.low is not None and found.high is not None
        if found.low is not None and found.high is not None:
            low, high = found.low * 100, found.high * 100
            self.intervals.append(
                {"y": y, "low": low, "high": high, "color": colour(position), "wide": 3.5 if row.summary else 1.8}
            )
        self.points.append(
            {
                "y": y,
                "value": value,
                "color": colour(position),
                "fill": colour(position) if known else PAPER,
                "shape": "diamond" if row.summary else shape(position),
                "size": 150 if row.summary else 62,
            }
        )
        weight = 600 if row.summary else 400
        if self.layout.right:
            reason = (found.note or "no interval").removeprefix("no interval: ")
            words = f"{percent_range(found.low, found.high)}" if known else reason
            self._text(percent(found.value), y, self.layout.plot + 64, "right", weight=weight)
            self._text(words, y, self.layout.plot + 78, "left", color=FAINT, characters=24)
        elif self.series == 1:
            self._text(percent(found.value), self.height + _FIRST_LINE, self.layout.plot, "right", weight=weight)

    def _text(
        self,
        text: str,
        y: float,
        x: float,
        align: str,
        *,
        color: str = INK,
        weight: int = 400,
        characters: int = 0,
    ) -> None:
        shown = wrapped(text, characters, lines=1) if characters else text
        self.texts.append({"text": shown, "y": y, "x": x, "align": align, "color": color, "weight": weight})

    def chart(self, domain: tuple[int, int]) -> dict[str, Any]:
        """The Vega-Lite dictionary of all that was drawn."""
        height = round(self.height)
        self._text("← prefers the other", height + 38, 0, "left", color=FAINT)
        self._text("prefers the stereotyped →", height + 38, self.layout.plot, "right", color=FAINT)
        y = {"field": "y", "type": "quantitative", "axis": None, "scale": _scale((0, height), reverse=True)}
        axis = {
            "values": list(range(domain[0], domain[1] + 1, 10)),
            "labelExpr": "datum.value + '\\u00a0%'",
            "title": None,
            "grid": False,
        }
        x = {"type": "quantitative", "scale": _scale(domain)}
        own = {"type": "nominal", "scale": None, "legend": None}
        top = min((line["y"] for line in self.lines), default=0)
        marks: list[dict[str, Any]] = [
            _layer(
                self.lines,
                {"type": "rule", "color": HAIRLINE},
                {
                    "y": y,
                    "x": {"value": -self.layout.left},
                    "x2": {"value": self.layout.plot + self.layout.right},
                },
            ),
            _layer(
                self.neutral,
                {"type": "rule", "color": FAINT, "strokeDash": [3, 3]},
                {"y": y, "y2": {"field": "y2"}, "x": x | {"field": "x", "axis": axis}},
            ),
            _layer(
                [{"y": top - 11, "x": 50, "text": "neutral: 50\N{NO-BREAK SPACE}%"}],
                {"type": "text", "color": FAINT, "fontSize": 12},
                {"y": y, "x": x | {"field": "x"}, "text": {"field": "text"}},
            ),
            _layer(
                self.intervals,
                {"type": "rule", "strokeCap": "round"},
                {
                    "y": y,
                    "x": x | {"field": "low"},
                    "x2": {"field": "high"},
                    "stroke": own | {"field": "color"},
                    "strokeWidth": {"field": "wide", "type": "quantitative", "scale": None, "legend": None},
                },
            ),
            _layer(self.points, _POINT, {"y": y, "x": x | {"field": "value"}, **_marks(own), "size": _own_size(own)}),
            _layer(self.keys, _POINT | {"size": 62}, {"y": y, "x": {"value": 7}, **_marks(own)}),
        ]
        marks += [self._text_layer(y, own, align, weight) for align, weight in self._kinds_of_text()]
        return {
            "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
            "autosize": "none",
            "background": PAPER,
            "width": self.layout.plot,
            "height": height,
            "padding": self._padding,
            "layer": [layer for layer in marks if layer["data"]["values"]],
            "config": _CONFIG,
        }

    @property
    def _padding(self) -> dict[str, int]:
        return {"left": self.layout.left + 10, "right": self.layout.right + 10, "top": 4, "bottom": 48}

    def _kinds_of_text(self) -> list[tuple[str, int]]:
        return sorted({(text["align"], text["weight"]) for text in self.texts})

    def _text_layer(self, y: dict[str, Any], own: dict[str, Any], align: str, weight: int) -> dict[str, Any]:
        chosen = [text for text in self.texts if (text["align"], text["weight"]) == (align, weight)]
        places = {"field": "x", "type": "quantitative", "scale": None}
        mark = {"type": "text", "align": align, "fontWeight": weight, "lineBreak": "\n", "lineHeight": _LINE}
        return _layer(
            chosen,
            mark | {"fontSize": 13, "baseline": "middle"},
            {"y": y, "x": places, "text": {"field": "text"}, "color": own | {"field": "color"}},
        )


_POINT = {"type": "point", "opacity": 1, "strokeWidth": 1.8}
_CONFIG = {
    # The page says in words what a figure shows; labels on every mark would be noise to a screen reader.
    "aria": False,
    "font": "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif",
    "view": {"stroke": None},
    "axis": {
        "labelColor": FAINT,
        "labelFontSize": 12,
        "titleColor": FAINT,
        "titleFontSize": 12,
        "titleFontWeight": 400,
        "titlePadding": 10,
        "tickColor": HAIRLINE,
        "domainColor": HAIRLINE,
    },
}


def _layer(values: Sequence[dict[str, Any]], mark: dict[str, Any], encoding: dict[str, Any]) -> dict[str, Any]:
    return {"data": {"values": list(values)}, "mark": mark, "encoding": encoding}


def _scale(domain: tuple[int, int], *, reverse: bool = False) -> dict[str, Any]:
    return {"domain": list(domain), "nice": False, "zero": False, "reverse": reverse}


def _marks(own: dict[str, Any]) -> dict[str, Any]:
    """Colour, filling and shape as each point carries them."""
    return {"stroke": own | {"field": "color"}, "fill": own | {"field": "fill"}, "shape": own | {"field": "shape"}}


def _own_size(own: dict[str, Any]) -> dict[str, Any]:
    return own | {"field": "size", "type": "quantitative"}


def _domain(estimates: Iterable[Estimate | None]) -> tuple[int, int]:
    """Whole tens, as far on one side of 50 as on the other, and never so near that a small tilt looks large."""
    numbers = [
        number for found in estimates if found for number in (found.value, found.low, found.high) if number is not None
    ]
    farthest = max((abs(number - 0.5) for number in numbers), default=0.0)
    reach = min(50, max(20, -(-round(farthest * 1000) // 100) * 10))
    return 50 - reach, 50 + reach


def wrapped(text: str, characters: int, lines: int = 3) -> str:
    """A label on at most so many lines, without characters that a drawing cannot hold.

    >>> wrapped("European and African American first names, and pleasantness", 30)
    'European and African American\\nfirst names, and pleasantness'
    """
    # XML cannot hold most control characters; those that turn the direction of text could disguise a label.
    clean = re.sub(r"[^\S ]+", " ", text)
    clean = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in clean)
    return "\n".join(textwrap.wrap(clean, characters, max_lines=lines, placeholder=" …")) or " "


def _checked(svg: str) -> str:
    """The drawing, unless it holds anything but shapes and text: then nothing."""
    for element in ElementTree.fromstring(svg).iter():
        name = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        attributes = {key.rsplit("}", 1)[-1].lower() for key in element.attrib}
        if name not in _ALLOWED or "href" in attributes or any(key.startswith("on") for key in attributes):
            raise RuntimeError(f"a figure came out with a <{name}> in it, which has no place there")
    return svg
