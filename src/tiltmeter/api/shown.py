"""How results look in a notebook: blocks as HTML, charts as Vega-Lite objects, and a line for a plain console."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from tiltmeter.errors import UserError
from tiltmeter.files import whole_file
from tiltmeter.present.blocks import Block, Chart, plain

if TYPE_CHECKING:
    import altair

_WIDE = 720
Kind = TypeVar("Kind")


class Plot:
    """A chart as a Vega-Lite specification; a notebook draws it, and `to_altair()` hands it to Altair.

    >>> from tiltmeter.present.blocks import Chart
    >>> Plot(Chart("curve", "One of two holds", {"mark": "bar", "width": "container"}, "A curve."))
    <Plot: One of two holds>
    """

    def __init__(self, chart: Chart) -> None:
        self._chart = chart

    @property
    def title(self) -> str:
        """What it shows, in a sentence."""
        return self._chart.title

    @property
    def alternative(self) -> str:
        """What it shows, in words for those who cannot see it."""
        return self._chart.alternative

    @property
    def caption(self) -> str:
        """How to read it."""
        return plain(self._chart.caption)

    def to_dict(self) -> dict[str, object]:
        """The specification, complete in itself: colours by value, a width in pixels, the title above."""
        from tiltmeter.present.drawing import sized

        return {**sized(self._chart.spec, _WIDE), "title": self.title, "description": self.alternative}

    def to_altair(self) -> altair.Chart:
        """The chart as an object of Altair."""
        try:
            import altair
        except ImportError:
            raise UserError("altair is not installed: pip install altair; or use to_dict()") from None
        found: altair.Chart = altair.Chart.from_dict(self.to_dict())
        return found

    def save(self, path: str | Path) -> Path:
        """Write it as .svg, .png, .pdf or .json, whole or not at all."""
        from tiltmeter.present import drawing

        out, spec = Path(path), self._chart.spec
        kind = out.suffix.lower()
        if kind not in (".svg", ".png", ".pdf", ".json"):
            raise UserError(f"{out}: a plot is written as .svg, .png, .pdf or .json")
        if kind in (".svg", ".json"):
            text = drawing.svg(spec, _WIDE) if kind == ".svg" else json.dumps(self.to_dict(), ensure_ascii=False)
            with whole_file(out) as file:
                file.write(text)
        else:
            data = drawing.png(spec, _WIDE) if kind == ".png" else drawing.pdf(spec, _WIDE)
            with whole_file(out, "wb") as file:
                file.write(data)
        return out

    def __repr__(self) -> str:
        return f"<Plot: {self.title}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, object]:
        from tiltmeter.present.html import shown
        from tiltmeter.present.notebook import SCHEMA, VEGA

        return {
            VEGA: {**self.to_dict(), "$schema": SCHEMA},
            "text/html": str(shown([self._chart])),
            "text/plain": f"{self.title}. {self.alternative}",
        }


class Shown:
    """A result that a notebook shows as blocks of the report."""

    def blocks(self) -> Sequence[Block]:
        """What is shown: prose, tables and charts."""
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from tiltmeter.present.html import shown

        return str(shown(self.blocks()))


def shown_as(kind: type[Kind], record: Any) -> Kind:
    """A record as the kind of it that a notebook can show."""
    return kind(**{one.name: getattr(record, one.name) for one in fields(record)})


def short(name: str, parts: Mapping[str, object]) -> str:
    """One line about a result.

    >>> short("Run", {"study": "gate", "models": 2, "note": ""})
    '<Run study gate, models 2>'
    """
    said = ", ".join(f"{key} {value}" for key, value in parts.items() if value not in ("", None))
    return f"<{name} {said}>"
