"""Blocks as a Jupyter notebook: Markdown and charts, after a cell that reopens the runs in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from tiltmeter.present import drawing
from tiltmeter.present.blocks import Chart, Document
from tiltmeter.present.markdown import pieces

VEGA = "application/vnd.vegalite.v5+json"
SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
"""The version that Jupyter draws; charts use nothing newer."""
_OPENING = """\
import tiltmeter as tm
from IPython.display import display

{runs}


def show(chart):
    \"\"\"Draw a chart of this report, or one that you have changed.\"\"\"
    display({{"{vega}": chart}}, raw=True)
"""
Cell = dict[str, Any]


def write_notebook(document: Document, runs: Sequence[str]) -> str:
    """The document as JSON of nbformat 4.5; `runs` are the folders of its runs, as seen from the notebook."""
    title, *rest = _cells(document)
    cells = [title, _code(_opening(runs)), *rest]
    python = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {
        "cells": [{"id": f"cell-{number}", **cell} for number, cell in enumerate(cells, start=1)],
        "metadata": {"kernelspec": python, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def _opening(runs: Sequence[str]) -> str:
    opened = [f"tm.read_run({folder!r})" for folder in runs]
    said = (
        f"run = {opened[0]}" if len(opened) == 1 else "\n".join(["runs = [", *(f"    {one}," for one in opened), "]"])
    )
    return _OPENING.format(runs=said, vega=VEGA)


def _cells(document: Document) -> Iterator[Cell]:
    """A cell for every chart, and for what is between two headings or charts."""
    words: list[str] = []
    for piece in pieces(document):
        begins = isinstance(piece, Chart) or piece.startswith("#")
        if begins and words:
            yield _markdown(words)
            words = []
        if isinstance(piece, Chart):
            yield _drawn(piece)
        else:
            words.append(piece)
    if words:
        yield _markdown(words)


def _markdown(words: Sequence[str]) -> Cell:
    return {"cell_type": "markdown", "metadata": {}, "source": "\n\n".join(words)}


def _code(source: str, outputs: Sequence[Cell] = (), **metadata: Any) -> Cell:
    return {
        "cell_type": "code",
        "execution_count": None,
        "metadata": metadata,
        "outputs": list(outputs),
        "source": source.rstrip("\n"),
    }


def _drawn(chart: Chart) -> Cell:
    """A chart as it was drawn, and the hidden line that draws it again."""
    spec = {**drawing.sized(chart.spec), "$schema": SCHEMA}
    shown = {VEGA: spec, "image/svg+xml": drawing.svg(chart.spec), "text/plain": chart.alternative}
    output = {"output_type": "display_data", "data": shown, "metadata": {}}
    return _code(f"show({spec!r})", [output], jupyter={"source_hidden": True}, tags=["hide-input"])
