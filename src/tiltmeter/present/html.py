"""Blocks as HTML: a page that loads nothing, or a part of a page of the workbench."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from tiltmeter.errors import MissingExtra
from tiltmeter.present import drawing
from tiltmeter.present.asset import asset
from tiltmeter.present.blocks import Block, Chart, Document, Place, Section, Span
from tiltmeter.present.paper import WARNING

WIDE, NARROW = 800, 340
"""Widths of a chart in pixels: for a desk and for a phone."""
Open = Callable[[Place], str]
"""The address at which the texts of a place are shown; empty where there are none."""


def page(document: Document, *, eyebrow: str = "tiltmeter report") -> str:
    """The document as one file: style and script are inside it and known by their hashes."""
    style, script = asset("blocks.css") + asset("page.css"), asset("page.js")
    return _rendered(
        "page.html.jinja",
        document=document,
        eyebrow=eyebrow,
        contents=_contents(document),
        policy=_policy(style, script),
        style=Markup(style),
        script=Markup(script),
        medium=_Report(),
    )


def fragment(
    blocks: Sequence[Block], *, address: Open = lambda _: "", opens_in: str = "#texts", level: int = 2
) -> Markup:
    """Blocks for a page of the workbench, with live charts; `level` is that of the outermost headings.

    `address` says where the texts of a place are, and `opens_in` names the element in which they open.
    """
    return Markup(_rendered("fragment.html.jinja", blocks=blocks, level=level, medium=_Live(address, opens_in)))


def shown(blocks: Sequence[Block]) -> Markup:
    """Blocks for the output of a notebook: drawn, with a style that reaches nothing else of the page."""
    # The notebook has a theme of its own, which nobody can ask; so this keeps to paper, and outweighs what it says of
    # tables: the name of an element that is not there weighs more than any class.
    style = asset("blocks.css").replace(":root {", "& {", 1)
    inside = _rendered("fragment.html.jinja", blocks=blocks, level=3, medium=_Output())
    kept = "padding: 1px 1rem; background: var(--paper); color: var(--ink); font: 15px/1.5 var(--sans);"
    theirs = (
        ".blocks > :first-child { margin-top: .6rem; } :is(table, pre) { margin: 0; color: inherit; background: none; }"
        " pre { word-break: normal; } :is(thead, tr) { border: 0; background: none; } .chart { overflow-x: auto; }"
        " .chart svg { min-width: 36rem; max-width: 100%; height: auto; }"
    )
    return Markup(
        f"<style>:is(.tiltmeter, #tiltmeter) {{ {style} & {{ {kept} }} {theirs} }}</style>\n"
        f'<div class="tiltmeter">{inside}</div>'
    )


class _Report:
    """What a file of its own does with charts and places: it draws the first, and cannot open the second."""

    live = False
    opens_in = ""
    widths: Mapping[str, int] = {"wide": WIDE, "narrow": NARROW}

    def drawing(self, chart: Chart, width: int) -> Markup:
        # It lets nothing pass but shapes and escaped text.
        return Markup(drawing.svg(chart.spec, width))

    def address(self, _: Place) -> str:
        return ""


class _Output(_Report):
    """The output of a notebook has one width, and words where nothing can be drawn."""

    widths: Mapping[str, int] = {"wide": WIDE}

    def drawing(self, chart: Chart, width: int) -> Markup:
        try:
            return super().drawing(chart, width)
        except MissingExtra as missing:
            return escape(f"{chart.alternative} ({missing})")


class _Live:
    """What the workbench does with them: charts are drawn in the browser, and places open."""

    live = True

    def __init__(self, address: Open, opens_in: str) -> None:
        self.address, self.opens_in = address, opens_in

    def spec(self, chart: Chart) -> Any:
        return _opening(chart.spec, self.address)


def _opening(value: Any, address: Open) -> Any:
    """A specification in which each row that has a place has an address that opens it instead."""
    if isinstance(value, Mapping):
        made = {key: _opening(one, address) for key, one in value.items() if key != "place"}
        place = value.get("place")
        found = address(place) if isinstance(place, Mapping) else ""
        return made | {"open": found} if found else made
    return [_opening(one, address) for one in value] if isinstance(value, (list, tuple)) else value


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tiltmeter.present", "assets"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"kind": lambda block: type(block).__name__, "tone": tone, "about": _about, "cited": _cited}
    environment.globals |= {"WARNING": WARNING}
    return environment


def _rendered(template: str, **contents: Any) -> str:
    return _environment().get_template(template).render(**contents)


def tone(mark: str) -> str:
    """The class of a mark: its first word, in plain letters.

    >>> tone("No difference larger than 3 points"), tone('"><script>')
    ('no', 'script')
    """
    return next(iter(re.findall("[a-z]+", mark.lower())), "")


def _about(about: Mapping[str, str]) -> dict[str, str]:
    """What a section is about, as attributes."""
    return {f"data-{re.sub('[^a-z]+', '-', key.lower()).strip('-')}": value for key, value in about.items()}


def _cited(span: Span) -> list[tuple[str, str]]:
    """The text of a citation in pieces, each with the key of the work that it links to.

    >>> _cited(Span("[1, 2]", "cite", ("hall", "zou")))
    [('[', ''), ('1', 'hall'), (', ', ''), ('2', 'zou'), (']', '')]
    """
    pieces = re.split(r"(\d+)", span.text)
    if len(pieces) // 2 != len(span.keys):
        return [(span.text, span.keys[0] if span.keys else "")]
    keys = [key for number in span.keys for key in ("", number)]
    return [(words, key) for words, key in zip(pieces, [*keys, ""], strict=True) if words]


def _contents(document: Document) -> list[tuple[str, str]]:
    """Anchor and title of what the page's navigation leads to."""
    sections: Iterable[Section] = (one for one in document.blocks if isinstance(one, Section))
    listed = [(one.anchor, one.title) for one in sections if one.anchor]
    listed += [("details", "Every figure")] if document.details else []
    return [*listed, ("appendix", "Appendix")] if document.appendix else listed


def _policy(style: str, script: str) -> str:
    """What the page may do: show its own style, run its own script, and nothing else."""

    def permitted(text: str) -> str:
        return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"

    return (
        f"default-src 'none'; style-src {permitted(style)}; script-src {permitted(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
