"""The specification curve: the effect of every combination of choices, from low to high, with its choices below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tiltmeter.present.blocks import Place
from tiltmeter.present.charts.frame import ROW, Frame, Row, Spec, Style, Y, by_number, nothing, wrapped
from tiltmeter.present.charts.scales import ABOVE, BELOW, FAINT, LINE, PAPER, Axis, Scale, finite, scale_of

_CURVE = 160
_NUMBERS = 46
"""Room for the numbers of the scale at the left."""
_FEW = 14
"""Fewer methods than this do not take the whole width."""
_SIDES = {1: ABOVE, -1: BELOW, 0: FAINT}


@dataclass(frozen=True, slots=True)
class Method:
    """A combination of choices and its effect; without a value the effect is beyond all bounds, on its side."""

    chosen: Mapping[str, str]
    """The setting of each choice."""
    sign: int
    """1 if the effect is above zero, −1 below, 0 for neither."""
    firm: bool = False
    value: float | None = None
    low: float | None = None
    high: float | None = None
    tip: str = ""
    place: Place = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CurveKey:
    """What higher effects mean, what lower ones mean, and what filled and open marks say."""

    above: str
    below: str
    firm: str = ""
    open: str = ""
    title: str = "effect in standard deviations"


def curve(methods: Sequence[Method], choices: Sequence[tuple[str, Sequence[str]]], key: CurveKey) -> Spec:
    """Methods in the given order: above, effects with intervals; below, a line for each setting of each choice."""
    if not methods:
        return nothing()
    margin = max(0.5, (_FEW - len(methods)) / 2)
    frame = Frame(Scale(-margin, len(methods) - 1 + margin, ()), left=_NUMBERS, right="2")
    drawing = _Curve(frame, methods)
    drawing.key(key)
    drawing.effects(key)
    for name, settings in choices:
        drawing.choice(name, settings)
    drawing.columns()
    return frame.spec()


class _Curve:
    """The curve so far."""

    def __init__(self, frame: Frame, methods: Sequence[Method]) -> None:
        self.frame, self.methods = frame, methods
        self.marks = 0.0
        """Where the marks begin."""
        # In expressions there are numbers of ours, and nothing else.
        self.apart = f"(width - {_NUMBERS}) / {max(_FEW, len(methods))}"

    def key(self, key: CurveKey) -> None:
        for words, filled in ((key.firm, True), (key.open, False)):
            if words:
                for number, colour in enumerate((ABOVE, BELOW)):
                    point = {"type": "point", "size": 40, "strokeWidth": 1.4, "opacity": 1, "stroke": colour}
                    point["fill"] = colour if filled else PAPER
                    row = {"y": self.frame.height + ROW / 2}
                    self.frame.layer([row], point, {"x": {"value": 6 + 11 * number}, "y": Y})
                self.frame.height += self.frame.fitted(words, self.frame.height + ROW / 2, Style(28), 0.9)
        self.frame.height += 8 if key.firm or key.open else 0

    def effects(self, key: CurveKey) -> None:
        """The effects with their intervals, between what either direction claims."""
        frame = self.frame
        numbers = [end for method in self.methods for end in (method.value, method.low, method.high)]
        scale = scale_of(
            Axis("", "number", 0.0, left=key.below, right=key.above), numbers if finite(numbers) else (-1.0, 1.0)
        )
        self.claim(f"↑ {key.above}", ABOVE)
        self.marks = top = frame.height + 8
        frame.height = top + _CURVE

        def down(value: float) -> float:
            return round(top + (1 - scale.part(value)) * _CURVE, 2)

        frame.left_numbers(scale, down)
        intervals: list[Row] = []
        points: list[Row] = []
        for number, method in enumerate(self.methods):
            own = {"x": number, "side": method.sign, "tip": method.tip, "place": dict(method.place)}
            ends = finite((method.low, method.high))
            if len(ends) == 2:
                intervals.append({**own, "y": down(ends[0]), "y2": down(ends[1])})
            known = finite((method.value,))
            beyond = 0.0 if known else float(method.sign)
            y = down(known[0]) if known else top if method.sign > 0 else top + _CURVE
            points.append({**own, "y": y, "value": known[0] if known else None, "beyond": beyond, "firm": method.firm})
        place = {"x": frame.x(), "y": Y}
        side = by_number("side", _SIDES, _SIDES.values())
        thin = {"expr": f"max(0.5, min(1.6, 0.4 * {self.apart}))"}
        frame.layer(
            intervals,
            {"type": "rule", "opacity": 0.5, "strokeWidth": thin},
            {**place, "y2": {"field": "y2"}, "color": side},
        )
        size = {"expr": f"max(7, min(44, pow(0.75 * {self.apart}, 2)))"}
        form = by_number("beyond", [0, 1, -1], ["circle", "triangle-up", "triangle-down"])
        for firm, fill in ((False, {"fill": PAPER}), (True, {"filled": True})):
            chosen = [point for point in points if point["firm"] is firm]
            point = {"type": "point", "opacity": 1, "strokeWidth": 1.3, "size": size, **fill}
            frame.layer(chosen, point, {**place, ("color" if firm else "stroke"): side, "shape": form})
        frame.height += 8
        self.claim(f"↓ {key.below}", BELOW)
        if key.title:
            frame.height += frame.fitted(key.title, frame.height + 8, Style(_NUMBERS, colour=FAINT), 0.85) + 2
        frame.height += 6

    def claim(self, words: str, colour: str) -> None:
        """What the effects on one side say."""
        style = Style(_NUMBERS, colour=colour, weight=600)
        self.frame.height += self.frame.fitted(words, self.frame.height + 8, style, 0.8)

    def choice(self, name: str, settings: Sequence[str]) -> None:
        """A line for each setting of a choice, its label above its marks."""
        frame = self.frame
        frame.rules([{"y": frame.height}])
        frame.height += 4
        frame.text(wrapped(name, lines=1), frame.height + 9, Style(weight=600))
        frame.height += ROW + 2
        rows: list[Row] = []
        for setting in settings:
            frame.height += frame.fitted(setting, frame.height + 8, Style(_NUMBERS, colour=FAINT), 0.85, low=True)
            ends = {"y": frame.height, "y2": frame.height + 7}
            rows += (
                {"x": number - 0.38, "x2": number + 0.38, **ends, "side": method.sign, "tip": method.tip}
                | {"place": dict(method.place)}
                for number, method in enumerate(self.methods)
                if method.chosen.get(name) == setting
            )
            frame.height += 16
        side = by_number("side", _SIDES, _SIDES.values())
        place = {"x": frame.x(), "x2": {"field": "x2"}, "y": Y, "y2": {"field": "y2"}}
        frame.layer(rows, {"type": "rect", "opacity": 0.85}, {**place, "color": side})
        frame.height += 4

    def columns(self) -> None:
        """A column behind each method, which shows under the pointer."""
        rows = [
            {"x": number - 0.5, "x2": number + 0.5, "y": self.marks, "y2": self.frame.height, "tip": method.tip}
            | {"place": dict(method.place)}
            for number, method in enumerate(self.methods)
        ]
        place = {"x": self.frame.x(), "x2": {"field": "x2"}, "y": Y, "y2": {"field": "y2"}}
        pointed = {"type": "point", "fields": ["x"], "on": "pointerover", "clear": "pointerout"}
        shown = {"condition": {"param": "method", "empty": False, "value": 0.6}, "value": 0.001}
        params = [{"name": "method", "select": pointed}]
        mark = {"type": "rect", "color": LINE}
        self.frame.layer(rows, mark, {**place, "opacity": shown}, below=True, params=params)
