"""A document in the formats that people ask for, all of them from the same blocks."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import whole_file
from tiltmeter.present import drawing
from tiltmeter.present.blocks import Document, Examples
from tiltmeter.present.html import page
from tiltmeter.present.latex import bibtex, write_latex
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.notebook import write_notebook
from tiltmeter.present.pdf import write_pdf

FORMATS = ("html", "pdf", "md", "latex", "notebook")

Files = dict[str, bytes]
"""What is to be written, by the path below the folder."""


@dataclass(frozen=True, slots=True)
class Named:
    """What the files of a report are called, and the runs that it is of."""

    report: str = "report"
    figures: str = "figures"
    runs: tuple[Path, ...] = ()


_USUAL = Named()


def write(
    document: Document,
    folder: str | Path,
    formats: Sequence[str],
    *,
    with_texts: bool = False,
    named: Named = _USUAL,
) -> list[Path]:
    """Write a document into a folder as `report.html`, `.pdf`, `.md`, `.tex` or `.ipynb`; the paths of the reports.

    Nothing is written before everything is made. Example texts are in the HTML page behind a closed warning; the other
    formats leave them out unless `with_texts` says otherwise. BibTeX and the folder `figures` are beside the reports.
    """
    for one in formats:
        if one not in FORMATS:
            raise UnknownName("format", one, FORMATS)
    files: Files = {}
    reports = []
    for one in dict.fromkeys(formats):
        shown = document if with_texts or one == "html" else document.without(Examples)
        made = _made(one, shown, Path(folder), named)
        files |= made
        reports.append(next(iter(made)))
    for path, contents in files.items():
        with whole_file(Path(folder) / path, "wb") as file:
            file.write(contents)
    return [Path(folder) / path for path in reports]


def _made(form: str, document: Document, place: Path, named: Named) -> Files:
    """The files of one format, the report first."""
    name, folder = named.report, named.figures
    if form == "html":
        return {f"{name}.html": page(document).encode()}
    if form == "pdf":
        return {f"{name}.pdf": write_pdf(document)}
    if form == "md":
        return {f"{name}.md": write_markdown(document, folder).encode(), **_charts(document, folder, "png")}
    if form == "notebook":
        runs = [Path(os.path.relpath(run, place)).as_posix() for run in named.runs]
        return {f"{name}.ipynb": write_notebook(document, runs).encode()}
    if not re.fullmatch(r"[\w.+-]+", folder):
        raise UserError(f"LaTeX cannot find figures in `{folder}`: use letters, digits, dots and hyphens")
    return {
        f"{name}.tex": write_latex(document, folder).encode(),
        f"{name}.bib": bibtex(document).encode(),
        **_charts(document, folder, "pdf"),
    }


def _charts(document: Document, folder: str, ending: str) -> Files:
    draw = drawing.png if ending == "png" else drawing.pdf
    return {f"{folder}/{name}.{ending}": draw(chart.spec) for name, chart in document.charts().items()}
