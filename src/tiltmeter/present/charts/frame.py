"""What all charts are made of: texts, lines and marks in a frame that is as wide as its place.

Heights are pixels from the top, worked out here; only the horizontal scale follows the width. Text from a model, a
data set or a spec is data and nothing else: never part of an expression, a field name, a key or a domain.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from tiltmeter.present.charts.scales import FAINT, INK, LINE, PAPER, Axis, Scale

Spec = dict[str, Any]
Row = dict[str, Any]

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
ROW = 17
"""The height of a line of text."""
LETTERS = 42
"""Letters of a line that fit where a chart is narrowest."""
LETTER = 6.2
"""About how wide a letter is."""
WIDE = 560
"""From this width on there is room for intervals in words, and for longer lines."""
_LONG = 96
"""Letters of a line that fit there."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a text is set; `at` is pixels from the left or an expression of the width, `None` a place on the scale."""

    at: float | str | None = 0
    align: str = "left"
    colour: str = INK
    weight: int = 400
    size: int = 12
    room: str = ""
    """How wide the text may be, as an expression; without one, as far as the right end."""
    only: Literal["", "wide", "narrow"] = ""
    """Whether it is left out of narrow charts, or of wide ones."""
    shift: int = 0
    """Pixels to the right of its place."""


PLAIN, QUIET = Style(), Style(colour=FAINT)
ON_SCALE = Style(at=None, align="center", colour=FAINT)


class Frame:
    """A chart in the making: its layers so far, and how far down they reach."""

    def __init__(self, scale: Scale | None = None, left: float = 4, right: str = "4") -> None:
        self.scale, self.left, self.right = scale, left, right
        """`right` is the room beside the scale, as an expression of the width."""
        self.height = 0.0
        self._below: list[Spec] = []
        self._layers: list[Spec] = []
        self._texts: dict[Style, list[Row]] = {}
        self._covers: list[Row] = []
        self._separators: list[Row] = []

    def x(self, field: str = "x") -> Spec:
        """The place of a field on the horizontal scale."""
        assert self.scale is not None
        ends = {"domain": [self.scale.low, self.scale.high], "range": [self.left, {"expr": f"width - ({self.right})"}]}
        scale = {**ends, "nice": False, "zero": False}
        return {"field": field, "type": "quantitative", "scale": scale, "axis": None}

    def layer(
        self, rows: Sequence[Mapping[str, Any]], mark: Spec, encoding: Spec, *, below: bool = False, **more: Any
    ) -> None:
        """Marks of one kind, if there are any; `below` puts them behind all others."""
        if rows:
            known = {"tooltip": {"field": "tip"}} if any(row.get("tip") for row in rows) else {}
            pointer = {"cursor": "pointer"} if any(row.get("place") for row in rows) else {}
            one = {
                "data": {"values": list(rows)},
                "mark": {**mark, **pointer},
                "encoding": {**encoding, **known},
                **more,
            }
            (self._below if below else self._layers).append(one)

    def text(self, words: str, y: float, style: Style = PLAIN, x: float | None = None) -> None:
        """A text at a height; `x` is its place on the scale, if its style puts it there."""
        if words.strip():
            row = {"text": words, "y": y} | ({} if x is None else {"x": x})
            self._texts.setdefault(style, []).append(row)

    def fitted(self, words: str, y: float, style: Style = PLAIN, part: float = 1.0, *, low: bool = False) -> float:
        """A text on as many lines as a narrow chart needs, and on fewer in a wide one; how tall the first is.

        `part` is the part of the width that it may take. `low` puts the shorter one where the longer ends.
        """
        narrow, wide = wrapped(words, int(LETTERS * part), 5), wrapped(words, int(_LONG * part), 5)
        tall = ROW * (narrow.count("\n") + 1)
        if narrow == wide:
            self.text(narrow, y, style)
        else:
            left = tall - ROW * (wide.count("\n") + 1) if low else 0
            self.text(narrow, y, replace(style, only="narrow"))
            self.text(wide, y + left, replace(style, only="wide"))
        return tall

    def rules(self, rows: Sequence[Row], colour: str = LINE, *, below: bool = True, **mark: Any) -> None:
        """Lines: from `x` to `x2` on the scale, or all across; from `y` to `y2`, or level."""
        if rows:
            across = {"x": self.x()} if "x" in rows[0] else {"x": {"value": 0}, "x2": {"value": "width"}}
            ends: Spec = {end: {"field": end} for end in ("x2", "y2") if end in rows[0]}
            self.layer(rows, {"type": "rule", "color": colour, **mark}, {**across, "y": Y, **ends}, below=below)

    def key(self, names: Sequence[str], colours: Sequence[str], shapes: Sequence[str]) -> None:
        """Name the series, in as many columns as fit a narrow place."""
        labels = [wrapped(name, LETTERS - 3) for name in names]
        longest = max(len(line) for label in labels for line in label.split("\n"))
        columns = max(1, LETTERS // (longest + 4))
        point = {"type": "point", "filled": True, "opacity": 1, "size": 64}
        for number, label in enumerate(labels):
            at = round(number % columns * (longest * LETTER + 32))
            self.text(label, self.height + ROW / 2, Style(at + 16))
            mark = {**point, "shape": shapes[number], "color": colours[number]}
            self.layer([{"y": self.height + ROW / 2}], mark, {"x": {"value": at + 6}, "y": Y})
            if number % columns == columns - 1 or number == len(labels) - 1:
                self.height += ROW * (label.count("\n") + 1)
        self.height += 8

    def heading(self, words: str) -> None:
        """The heading of a block of rows; the end of a block without one is a gap."""
        tall = 30 if words else 12
        self.cover(tall)
        self.text(wrapped(words, lines=1), self.height + 18, Style(weight=600, size=13))
        self.height += tall

    def label(self, words: str, weight: int = 400) -> None:
        """A line across, and below it the label of a row."""
        self._separators.append({"y": self.height})
        tall = self.fitted(words, self.height + ROW / 2 + 5, Style(weight=weight), 1.1, low=True) + 3
        self.cover(tall)
        self.height += tall

    def cover(self, tall: float) -> None:
        """Keep lines of the scale from crossing words."""
        self._covers.append({"y": self.height, "y2": self.height + tall})

    def neutral(self, axis: Axis) -> None:
        """Name the neutral line above it."""
        if self.scale is not None and axis.neutral is not None and axis.neutral_name:
            part = self.scale.part(axis.neutral)
            align = "left" if part < 0.3 else "right" if part > 0.7 else "center"
            label = wrapped(axis.neutral_name, LETTERS // 2)
            self.text(label, self.height + 8, replace(ON_SCALE, align=align), self.scale.place(axis.neutral))
            self.height += ROW * (label.count("\n") + 1) + 2

    def numbers(self) -> None:
        """The numbers of the scale; a long chart has them at its top too."""
        assert self.scale is not None
        for place, words in self.scale.ticks:
            self.text(words, self.height + 12, ON_SCALE, place)
        self.height += ROW + 6

    def ticks(self, top: float, axis: Axis) -> None:
        """The axis below what is drawn: lines from `top` down, numbers, directions and the title."""
        assert self.scale is not None
        behind, self._below = self._below, []
        ends = {"y": top, "y2": self.height}
        self.rules([{"x": place, "x2": place, **ends} for place, _ in self.scale.ticks])
        if axis.neutral is not None:
            place = self.scale.place(axis.neutral)
            self.rules([{"x": place, "x2": place, **ends}], FAINT, strokeDash=[3, 3])
        across = {"x": {"value": 0}, "x2": {"value": "width"}, "y": Y, "y2": {"field": "y2"}}
        self.layer(self._covers, {"type": "rect", "color": PAPER}, across, below=True)
        self.rules(self._separators)
        self._below += behind
        self.numbers()
        self.directions(axis)
        if axis.title:
            self.height += self.fitted(axis.title, self.height + 8, QUIET)

    def head(self, axis: Axis) -> None:
        """The title and the directions of an axis, above what is drawn."""
        self.height += self.fitted(axis.title, self.height + 8, QUIET) + 4
        self.directions(axis)

    def left_numbers(self, scale: Scale, down: Callable[[float], float], neutral: float | None = 0.0) -> None:
        """A vertical scale: a line across for each tick, its number at the left, and the neutral value dashed."""
        assert self.scale is not None
        ends = {"x": self.scale.low, "x2": self.scale.high}
        self.rules([{"y": down(place), **ends} for place, _ in scale.ticks if place != neutral])
        if neutral is not None:
            self.rules([{"y": down(neutral), **ends}], FAINT, strokeDash=[3, 3])
        for place, words in scale.ticks:
            self.text(words, down(place), Style(self.left - 8, "right", FAINT))

    def directions(self, axis: Axis) -> None:
        """What lower and higher values mean, below the ends of the scale."""
        half = Style(room="width / 2 - 2")
        # Below the end of the scale, or where that is narrow, of the whole chart.
        end = f"width - (width > {WIDE} ? {self.right} : 0)"
        sides = (
            (f"←\N{NO-BREAK SPACE}{axis.left}" if axis.left else "", half),
            (f"{axis.right}\N{NO-BREAK SPACE}→" if axis.right else "", replace(half, at=end, align="right")),
        )
        self.height += max(
            self.fitted(words, self.height + 8, style, 0.45) + 2 if words else 0 for words, style in sides
        )

    def spec(self) -> Spec:
        """The Vega-Lite dictionary of all that is drawn."""
        texts = [_text_layer(self, style, rows) for style, rows in self._texts.items()]
        return {
            "$schema": SCHEMA,
            "width": "container",
            "height": round(self.height) + 4,
            "autosize": {"type": "fit-x", "contains": "padding"},
            "padding": {"left": 2, "right": 2, "top": 2, "bottom": 2},
            "view": {"stroke": None},
            "layer": [*self._below, *self._layers, *texts],
        }


Y: Spec = {"field": "y", "type": "quantitative", "scale": None, "axis": None}
"""A height in pixels."""


def nothing(words: str = "No values to show") -> Spec:
    """A chart without anything to draw says so."""
    frame = Frame()
    frame.text(words, 12, QUIET)
    frame.height = 24
    return frame.spec()


def _text_layer(frame: Frame, style: Style, rows: list[Row]) -> Spec:
    at = {"expr": style.at} if isinstance(style.at, str) else style.at
    mark: Spec = {"type": "text", "align": style.align, "baseline": "middle", "color": style.colour}
    mark |= {
        "fontSize": style.size,
        "fontWeight": style.weight,
        "lineBreak": "\n",
        "lineHeight": ROW,
        "dx": style.shift,
    }
    # What is too long for its place ends in an ellipsis.
    room = style.room or (f"width - {style.at:g}" if isinstance(style.at, (int, float)) else "")
    mark |= {"limit": {"expr": room}} if room else {}
    words: Spec = {"field": "text", "type": "nominal"}
    if style.only:
        words = {"condition": {"test": f"width {'>' if style.only == 'wide' else '<='} {WIDE}", **words}, "value": ""}
    x = frame.x() if style.at is None else {"value": at}
    return {"data": {"values": rows}, "mark": mark, "encoding": {"x": x, "y": Y, "text": words}}


def clean(words: str) -> str:
    """Text without characters that a drawing cannot hold, or that would disguise a label.

    >>> clean("a\\tb\\x07c\\u202ed")
    'a b�c�d'
    """
    flat = re.sub(r"[^\S ]+", " ", words)
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in flat)


def wrapped(words: str, letters: int = LETTERS, lines: int = 3) -> str:
    """A text on at most so many lines; letters of East Asian scripts take the room of two.

    >>> wrapped("European and African American first names, and pleasantness", 30)
    'European and African American\\nfirst names, and pleasantness'
    """
    shown = clean(words)
    double = sum(unicodedata.east_asian_width(sign) in "WF" for sign in shown)
    letters = max(6, round(letters * len(shown) / (len(shown) + double))) if double else letters
    return "\n".join(textwrap.wrap(shown, letters, max_lines=lines, placeholder=" …")) or " "


def inset(scale: Scale, end: int) -> int:
    """Room for half of the number at an end of a scale: 0 is the left one, −1 the right one."""
    return max(8, round(len(scale.ticks[end][1]) * LETTER / 2) + 2) if scale.ticks else 8


def shades(colours: Sequence[str], field: str = "series") -> Spec:
    """Colours, or shapes, by the number of a series."""
    return by_number(field, range(len(colours)), colours)


def by_number(field: str, numbers: Iterable[int], values: Iterable[str]) -> Spec:
    """What a number of ours stands for: no text from data is part of a scale."""
    scale = {"domain": list(numbers), "range": list(values)}
    return {"field": field, "type": "nominal", "scale": scale, "legend": None}


def series_of(names: Iterable[str], colours: Mapping[str, str] | None) -> list[str]:
    """The names of series in the order of their colours, and then of their rows."""
    found = list(dict.fromkeys(names))
    order = list(colours or ())
    return sorted(found, key=lambda name: order.index(name) if name in order else len(order))
