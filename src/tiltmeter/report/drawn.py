"""A figure as the page and the folder of figures have it: in two widths, with words for those who cannot see it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from tiltmeter.files import whole_file
from tiltmeter.report.figures import NARROW, WIDE, Layout, to_png, to_svg


@dataclass(frozen=True, slots=True)
class Drawn:
    """A figure in two widths: for a desk and for a phone."""

    name: str
    wide: Markup
    narrow: Markup
    alternative: str
    caption: str = ""


def draw(name: str, figure: Callable[[Layout], dict[str, Any]], alternative: str, caption: str = "") -> Drawn:
    """Draw a figure; its name becomes that of its files."""
    # `to_svg` lets nothing pass but shapes and escaped text.
    wide, narrow = (Markup(to_svg(figure(layout))) for layout in (WIDE, NARROW))
    return Drawn(slug(name), wide, narrow, alternative, caption)


def by_file(drawn: Sequence[Drawn]) -> dict[str, Drawn]:
    """Figures by the name of their files; of two with the same name the second has its number in it."""
    named: dict[str, Drawn] = {}
    for number, figure in enumerate(drawn, start=1):
        named[figure.name if figure.name not in named else f"{figure.name}-{number}"] = figure
    return named


def write_figures(named: Mapping[str, Drawn], folder: Path) -> None:
    """Write each figure under its name as SVG and PNG."""
    for name, figure in named.items():
        image = to_png(figure.wide)
        with whole_file(folder / f"{name}.svg") as file:
            file.write(figure.wide)
        with whole_file(folder / f"{name}.png", "wb") as file:
            file.write(image)


def slug(name: str) -> str:
    """A file name made of plain letters only.

    >>> slug("biases generated[by=smollm2-135m]")
    'biases-generated-by-smollm2-135m'
    """
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:67].strip("-") or "figure"
