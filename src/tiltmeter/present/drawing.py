"""Draw charts as files: colours by value, a width in pixels, and nothing but shapes and text in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from xml.etree import ElementTree

from tiltmeter.errors import MissingExtra

PALETTE = {
    "--ink": "#1b1c1e",
    "--faint": "#5c6066",
    "--line": "#dfe1e4",
    "--paper": "#fffffe",
    "--series-0": "#0072b2",
    "--series-1": "#d55e00",
    "--series-2": "#009e73",
    "--series-3": "#aa4499",
    "--series-4": "#8c6d00",
    "--series-5": "#56606b",
    "--above-strong": "#d55e00",
    "--below-strong": "#0072b2",
}
"""The light colours, after Okabe and Ito; the page's style sheet finds them by these values to follow its theme."""
NARROW, WIDE = 340, 720
"""Widths in pixels of a phone and of a page."""
_CONFIG = {
    # The page says in words what a chart shows; labels on every mark would be noise to a screen reader.
    "aria": False,
    "font": "Helvetica Neue, Helvetica, Arial, Liberation Sans, sans-serif",
}
_ALLOWED = {"svg", "g", "path", "text", "tspan", "line", "rect", "defs", "clipPath"}


def svg(spec: Mapping[str, Any], width: int = WIDE) -> str:
    """Draw a chart. It may be put into a page as it is: nothing but shapes and escaped text is in it."""
    return _drawn(json.dumps(sized(spec, width)))


def sized(spec: Mapping[str, Any], width: int = WIDE) -> dict[str, Any]:
    """The specification as any program draws it: colours by value, and a width."""
    return {**_coloured(spec), "width": width, "background": PALETTE["--paper"], "config": _CONFIG}


def check() -> None:
    """Refuse, with the line that installs it, where the package that draws is not there."""
    try:
        import vl_convert  # noqa: F401
    except ImportError:
        raise MissingExtra("Figures", "report", "vl-convert-python") from None


@lru_cache(maxsize=512)
def _drawn(spec: str) -> str:
    """Drawn once, however many files and pages a chart is in: drawing takes longer than anything else in a report."""
    check()
    import vl_convert

    # No chart has anything to load; an empty list of allowed addresses makes that a rule.
    drawn: str = vl_convert.vegalite_to_svg(spec, allowed_base_urls=[])
    return _checked(drawn)


def png(spec: Mapping[str, Any], width: int = WIDE) -> bytes:
    """The same chart as pixels, twice as fine as a plain screen."""
    drawn = svg(spec, width)
    import vl_convert

    image: bytes = vl_convert.svg_to_png(drawn, scale=2)
    return image


def pdf(spec: Mapping[str, Any], width: int = WIDE) -> bytes:
    """The same chart as a PDF of its own, which LaTeX can take in."""
    drawn = svg(spec, width)
    import vl_convert

    page: bytes = vl_convert.svg_to_pdf(drawn)
    return page


def _coloured(value: Any) -> Any:
    """A specification with colours in place of their names; its data stays as it is."""
    if isinstance(value, str):
        return PALETTE.get(value, value)
    if isinstance(value, Mapping):
        return {key: one if key == "data" else _coloured(one) for key, one in value.items()}
    return [_coloured(one) for one in value] if isinstance(value, (list, tuple)) else value


def _checked(drawn: str) -> str:
    """The drawing, unless it holds anything but shapes and text: then nothing."""
    for element in ElementTree.fromstring(drawn).iter():
        name = element.tag.removeprefix("{http://www.w3.org/2000/svg}")
        attributes = {key.rsplit("}", 1)[-1].lower() for key in element.attrib}
        if name not in _ALLOWED or "href" in attributes or any(key.startswith("on") for key in attributes):
            raise RuntimeError(f"a figure came out with a <{name}> in it, which has no place there")
    return drawn
