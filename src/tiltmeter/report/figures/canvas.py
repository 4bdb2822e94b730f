"""What every figure shares: colours, widths, text, and the way from a Vega-Lite dictionary to a drawing.

Text from a model, a data set or a spec enters a figure as data and nothing else: never as part of an expression, a
field name or a key. Each figure is checked before it leaves: it holds shapes and text, no scripts, links or images.
"""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from tiltmeter.errors import MissingExtra

INK, FAINT, HAIRLINE, PAPER = "#1b1c1e", "#5c6066", "#dfe1e4", "#fffffe"
"""Colours of text, secondary text, lines and background. The page's style sheet finds them by these values."""
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#aa4499", "#8c6d00", "#56606b")
"""After Okabe and Ito: told apart by people with any colour vision."""
SHAPES = ("circle", "square", "triangle-up", "cross", "triangle-down", "stroke")

LINE = 16
"""The height of a line of text."""
_ALLOWED = {"svg", "g", "path", "text", "tspan", "line", "rect", "defs", "clipPath"}


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

CONFIG = {
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


class Texts:
    """The texts of a figure in the making; their places are in pixels, from the left and the top of the plot."""

    def __init__(self) -> None:
        self.found: list[dict[str, Any]] = []

    def add(
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
        """Put a text somewhere; with `characters` it is cut to one line of so many."""
        shown = wrapped(text, characters, lines=1) if characters else text
        self.found.append({"text": shown, "y": y, "x": x, "align": align, "color": color, "weight": weight})

    def layers(self, y: dict[str, Any]) -> list[dict[str, Any]]:
        """One layer for each way of setting text."""
        kinds = sorted({(text["align"], text["weight"]) for text in self.found})
        return [self._layer(y, align, weight) for align, weight in kinds]

    def _layer(self, y: dict[str, Any], align: str, weight: int) -> dict[str, Any]:
        chosen = [text for text in self.found if (text["align"], text["weight"]) == (align, weight)]
        mark = {"type": "text", "align": align, "fontWeight": weight, "lineBreak": "\n", "lineHeight": LINE}
        return layer(
            chosen,
            mark | {"fontSize": 13, "baseline": "middle"},
            {"y": y, "x": PIXELS | {"field": "x"}, "text": {"field": "text"}, "color": OWN | {"field": "color"}},
        )


OWN = {"type": "nominal", "scale": None, "legend": None}
"""A colour or shape that each mark carries itself."""
PIXELS = {"type": "quantitative", "scale": None}
"""A place in pixels."""


def chart(layout: Layout, height: float, layers: Sequence[dict[str, Any]], bottom: int = 48) -> dict[str, Any]:
    """The Vega-Lite dictionary of some layers; `bottom` is the room below the plot."""
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "autosize": "none",
        "background": PAPER,
        "width": layout.plot,
        "height": round(height),
        "padding": {"left": layout.left + 10, "right": layout.right + 10, "top": 4, "bottom": bottom},
        "layer": [one for one in layers if one["data"]["values"]],
        "config": CONFIG,
    }


def layer(values: Sequence[dict[str, Any]], mark: dict[str, Any], encoding: dict[str, Any]) -> dict[str, Any]:
    """Marks of one kind, and what of each value shows how."""
    return {"data": {"values": list(values)}, "mark": mark, "encoding": encoding}


def scale(domain: tuple[float, float], *, reverse: bool = False) -> dict[str, Any]:
    """A scale over exactly these values."""
    return {"domain": list(domain), "nice": False, "zero": False, "reverse": reverse}


def round_ends(numbers: Sequence[float], *, zero: bool) -> tuple[float, float, float]:
    """Where a scale for these numbers begins and ends, and the round number between two of its lines.

    >>> round_ends([0.12, 0.31], zero=True)
    (0.0, 0.4, 0.2)
    """
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 0.0)
    if zero:
        low, high = min(low, 0.0), max(high, 0.0)
    rough = (high - low) / 3 or abs(high) / 3 or 0.1
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * size for size in (1, 2, 5, 10) if power * size >= rough)
    bottom, top = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return bottom * step, max(top, bottom + 1) * step, step


def round_number(value: float, step: float) -> str:
    """A number of a scale, with no more decimals than its steps need.

    >>> round_number(-0.4, 0.2), round_number(1e-12, 0.2)
    ('−0.4', '0')
    """
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}".replace("-", "−") if abs(value) > step / 1e6 else "0"


def downward(height: float) -> dict[str, Any]:
    """The vertical place of a mark, in pixels from the top."""
    return {"field": "y", "type": "quantitative", "axis": None, "scale": scale((0, round(height)), reverse=True)}


def point_marks() -> dict[str, Any]:
    """Colour, filling and shape as each point carries them."""
    return {"stroke": OWN | {"field": "color"}, "fill": OWN | {"field": "fill"}, "shape": OWN | {"field": "shape"}}


def colour(position: int) -> str:
    """The colour of the series at a position."""
    return COLOURS[position % len(COLOURS)]


def shape(position: int) -> str:
    """The mark of the series at a position; beyond six series the same colours come with other marks."""
    return SHAPES[(position + position // len(COLOURS)) % len(SHAPES)]


def to_svg(figure: dict[str, Any]) -> str:
    """Draw a figure. It may be put into a page as it is: nothing but shapes and escaped text is in it."""
    try:
        import vl_convert
    except ImportError:
        raise MissingExtra("Figures", "report", "vl-convert-python") from None
    # No figure has anything to load; an empty list of allowed addresses makes that a rule.
    svg: str = vl_convert.vegalite_to_svg(figure, allowed_base_urls=[])
    return _checked(svg)


def to_png(svg: str) -> bytes:
    """The same figure as pixels, twice as fine as a plain screen."""
    import vl_convert

    image: bytes = vl_convert.svg_to_png(svg, scale=2)
    return image


def to_pdf(svg: str) -> bytes:
    """The same figure as a PDF of its own, which LaTeX can take in."""
    import vl_convert

    page: bytes = vl_convert.svg_to_pdf(svg)
    return page


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
