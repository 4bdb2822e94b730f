"""Tables of the page as Markdown and LaTeX files, for a paper or a pull request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tiltmeter.files import whole_file
from tiltmeter.report import latex, markdown
from tiltmeter.report.cells import Table


def write_paper_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Write the bidimensional tables as `raters.md` and `raters.tex`; nothing where there are none."""
    written = []
    for name, form in (("raters.md", markdown.table), ("raters.tex", latex.table)):
        if tables:
            written.append(folder / name)
            with whole_file(folder / name) as file:
                file.write("\n\n".join(map(form, tables)) + "\n")
    return written
