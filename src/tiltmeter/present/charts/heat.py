"""Heat maps: a table of differences in which colour says who comes off worse, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import (
    LETTER,
    LETTERS,
    ON_SCALE,
    ROW,
    Frame,
    Row,
    Spec,
    Style,
    Y,
    by_number,
    clean,
    nothing,
    wrapped,
)
from tiltmeter.present.charts.scales import ABOVE, BELOW, FAINT, INK, LINE, Scale, finite

_DEEPEST = 0.6
"""How opaque the strongest colour is: text on it stays readable on light and dark pages."""
_BESIDE = 6
"""Columns that fit beside one another where a chart is narrowest; more go on below."""
_TALL = 26
_COLOURS = {1: ABOVE, -1: BELOW, 0: "--series-5"}


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell: its words, how strong its colour is (−1 to 1, None for no colour), and whether it has an outline."""

    text: str
    strength: float | None = None
    firm: bool = False
    sided: bool = True
    """Whether the two ends of the scale mean something here."""
    tip: str = ""
    place: Place = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """A row of a heat map, with a cell (or none) for each column."""

    label: str
    cells: tuple[HeatCell | None, ...]
    heading: str = ""


@dataclass(frozen=True, slots=True)
class HeatKey:
    """What positive colours mean, what negative ones do, colours without a side, and outlines."""

    above: str = ""
    below: str = ""
    neither: str = ""
    firm: str = ""


def heat(rows: Sequence[HeatRow], columns: Sequence[str], key: HeatKey) -> Spec:
    """A heat map, neutral at zero; each label is above its cells."""
    if not rows or not columns:
        return nothing()
    # About the same number of columns in all parts.
    parts = -(-len(columns) // _BESIDE)
    beside = -(-len(columns) // parts)
    drawing = _Heat(Frame(Scale(0, beside, ()), left=0, right="0"))
    drawing.key(key)
    names = [wrapped(name, LETTERS // beside - 1) for name in columns]
    if any("…" in name or max(map(len, clean(columns[number]).split()), default=0) > LETTERS // beside - 1
           for number, name in enumerate(names)):  # fmt: skip
        # Names that do not fit above their columns are listed once, with numbers.
        for number, name in enumerate(columns, start=1):
            drawing.line(f"{number}  {name}")
        names = [str(number) for number in range(1, len(columns) + 1)]
    for start in range(0, len(columns), beside):
        drawing.part(rows, names[start : start + beside], start)
    return drawing.finished()


class _Heat:
    """The cells so far."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.cells: list[Row] = []
        self.frames: list[Row] = []

    def key(self, key: HeatKey) -> None:
        for sign, words in ((1, key.above), (-1, key.below), (0, key.neither)):
            for step in range(3 if words else 0):
                mark = {"type": "rect", "color": _COLOURS[sign], "opacity": round((step + 1) / 3 * _DEEPEST, 3)}
                self._swatch(mark, 15 * step)
            self.line(words, 52)
        if key.firm:
            self._swatch({"type": "rect", "filled": False, "stroke": INK, "strokeWidth": 1.6}, 31, inside=1)
            self.line(key.firm, 52)
        self.frame.height += 6

    def _swatch(self, mark: Spec, left: float, inside: float = 0) -> None:
        row = {"y": self.frame.height + 2 + inside, "y2": self.frame.height + 15 - inside}
        ends = {"x": {"value": left}, "x2": {"value": left + 14}}
        self.frame.layer([row], mark, {**ends, "y": Y, "y2": {"field": "y2"}})

    def line(self, words: str, left: float = 0) -> None:
        if words:
            part = 1 - left / (LETTER * LETTERS)
            self.frame.height += self.frame.fitted(words, self.frame.height + ROW / 2, Style(left), part) + 1

    def part(self, rows: Sequence[HeatRow], names: Sequence[str], start: int) -> None:
        """The rows with some of the columns."""
        frame = self.frame
        frame.height += 6
        for number, name in enumerate(names):
            frame.text(name, frame.height + ROW / 2, replace(ON_SCALE, weight=600), number + 0.5)
        frame.height += ROW * max(name.count("\n") + 1 for name in names) + 2
        heading = ""
        for row in rows:
            if row.heading != heading:
                frame.heading(row.heading)
            heading = row.heading
            frame.height += frame.fitted(row.label, frame.height + ROW / 2 + 2, low=True) + 4
            for number, cell in enumerate(row.cells[start : start + len(names)]):
                self._cell(cell, number)
            frame.height += _TALL + 6
        frame.height += 6

    def _cell(self, cell: HeatCell | None, number: int) -> None:
        y = self.frame.height
        own: Row = {"x": number + 0.02, "x2": number + 0.98, "y": y, "y2": y + _TALL}
        if cell is None:
            self.frames.append({**own, "firm": 0})
            return
        strength = finite((cell.strength,))
        own |= {"tip": cell.tip, "place": dict(cell.place)}
        if strength:
            depth = min(1.0, abs(strength[0]))
            side = 0 if not cell.sided else 1 if strength[0] > 0 else -1
            self.cells.append({**own, "side": side, "strength": strength[0], "opacity": round(depth * _DEEPEST, 3)})
        self.frames.append({**own, "firm": int(cell.firm)})
        colour = INK if strength else FAINT
        room = f"width / {self.frame.scale.high if self.frame.scale else 1:g}"
        self.frame.text(clean(cell.text), y + _TALL / 2, replace(ON_SCALE, colour=colour, room=room), number + 0.5)

    def finished(self) -> Spec:
        place = {"x": self.frame.x(), "x2": {"field": "x2"}, "y": Y, "y2": {"field": "y2"}}
        depth = {"field": "opacity", "type": "quantitative", "scale": None, "legend": None}
        colour = by_number("side", _COLOURS, _COLOURS.values())
        self.frame.layer(self.cells, {"type": "rect"}, {**place, "color": colour, "opacity": depth})
        for firm, stroke, width in ((0, LINE, 1), (1, INK, 1.6)):
            chosen = [one for one in self.frames if one["firm"] == firm]
            # Filled with nothing, so that the whole cell is under the pointer.
            mark = {"type": "rect", "fill": "transparent", "stroke": stroke, "strokeWidth": width}
            self.frame.layer(chosen, mark, place)
        return self.frame.spec()
