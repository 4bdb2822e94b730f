"""A report in the formats that people ask for, all of them from one page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import whole_file
from tiltmeter.report.bibtex import bibtex
from tiltmeter.report.card import make_cards
from tiltmeter.report.cells import Table
from tiltmeter.report.document import MARKS, Block, Figure, Paragraph, Span
from tiltmeter.report.figures import to_pdf, to_png
from tiltmeter.report.latex import write_latex
from tiltmeter.report.markdown import write_markdown
from tiltmeter.report.page import Page, make_page
from tiltmeter.report.page_reader import read_page
from tiltmeter.report.series import Runs
from tiltmeter.report.typeset import write_pdf

FORMATS = ("html", "pdf", "md", "latex", "card")

Files = dict[str, bytes]
"""What is to be written, by the path below the folder."""


def write_formats(
    runs: Runs,
    folder: str | Path,
    formats: Sequence[str],
    *,
    with_texts: bool = False,
    name: str = "report",
    figures: str = "figures",
    page: Page | None = None,
) -> list[Path]:
    """Write the report of one run or several into a folder, as `report.html`, `.pdf`, `.md` or `.tex`, and cards.

    Nothing is written before everything is made. Examples of what models wrote and read are in the HTML page behind a
    warning that is closed; in the other formats they are left out unless `with_texts` says otherwise. The paths are
    those of the reports and cards; BibTeX and the folder `figures` lie beside them. `page` is the report, where it was
    made before.
    """
    unknown = [one for one in formats if one not in FORMATS]
    if unknown:
        raise UnknownName("format", unknown[0], FORMATS)
    if page is None and set(formats) - {"card"}:
        page = make_page(runs)
    files: Files = {}
    reports = []
    for one in dict.fromkeys(formats):
        made = _cards(runs, page) if page is None or one == "card" else _report(one, page, with_texts, (name, figures))
        files |= made
        reports += [path for path in made if "/" not in path and not path.endswith(".bib")]
    for path, contents in files.items():
        with whole_file(Path(folder) / path, "wb") as file:
            file.write(contents)
    return [Path(folder) / path for path in reports]


def _report(form: str, page: Page, with_texts: bool, places: tuple[str, str]) -> Files:
    """One format; `places` are the name of the report and the folder of its figures."""
    name, folder = places
    if form == "html":
        return {f"{name}.html": page.html.encode()}
    document = read_page(page.html, page.figures)
    blocks = document.shown(with_texts=with_texts)
    if form == "pdf":
        return {f"{name}.pdf": write_pdf(document, blocks)}
    drawn = {block.file: str(block.drawn.wide) for block in blocks if isinstance(block, Figure)}
    told = (*what_signs_mean(blocks), *blocks)
    if form == "md":
        images = {f"{folder}/{file}.png": to_png(svg) for file, svg in drawn.items()}
        return {f"{name}.md": write_markdown(document, told, folder).encode(), **images}
    if not re.fullmatch(r"[\w.+-]+", folder):
        raise UserError(f"LaTeX cannot find figures in `{folder}`: use letters, digits, dots and hyphens")
    images = {f"{folder}/{file}.pdf": to_pdf(svg) for file, svg in drawn.items()}
    return {
        f"{name}.tex": write_latex(document, told, folder).encode(),
        f"{name}.bib": bibtex(page.references).encode(),
        **images,
    }


def what_signs_mean(blocks: Sequence[Block]) -> list[Block]:
    """What stands for the tints of the page, where a table has any."""
    cells = [cell for block in blocks if isinstance(block, Table) for row in block.rows for cell in row]
    if not any(cell.mark in ("above", "below") for cell in cells):
        return []
    words = f"Where a table is said to tint a value orange it has {MARKS['above']} here, and {MARKS['below']} for blue."
    return [Paragraph((Span(words),), "basis")]


def _cards(runs: Runs, page: Page | None) -> Files:
    answered = page.answered if page and len(runs) == 1 else None
    files: Files = {}
    for card in make_cards(runs, answered):
        document = read_page(card.html, {})
        body = write_markdown(document, (*what_signs_mean(document.blocks), *document.blocks), "")
        files[f"{card.name}.md"] = f"{card.front_matter}\n{body}".encode()
        files[f"{card.name}.html"] = card.html.encode()
    return files
