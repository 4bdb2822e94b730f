"""Tables of the page as Markdown and LaTeX, for a paper or a pull request."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.files import whole_file
from tiltmeter.report.cells import Table, TableCell

_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "≈": r"$\approx$",
    "–": "--",
    "’": "'",
    "\N{NO-BREAK SPACE}": "~",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def write_paper_tables(tables: Sequence[Table], folder: Path) -> None:
    """Write the bidimensional tables as `raters.md` and `raters.tex`; nothing where there are none."""
    for name, form in (("raters.md", markdown), ("raters.tex", latex)):
        if tables:
            with whole_file(folder / name) as file:
                file.write("\n".join(map(form, tables)))


def markdown(table: Table) -> str:
    """A table in Markdown; what stands small below a number follows it in brackets.

    >>> from tiltmeter.report.cells import Column
    >>> columns = (Column("a|b"), Column("n", number=True))
    >>> print(markdown(Table("Shares", columns, ((TableCell("<x>"), TableCell("1")),))))
    Shares
    <BLANKLINE>
    | a\\|b | n |
    |---|--:|
    | &lt;x&gt; | 1 |
    <BLANKLINE>
    """
    lines = [_plain(table.caption), "", _row([column.label for column in table.columns])]
    lines.append("|" + "|".join("--:" if column.number else "---" for column in table.columns) + "|")
    lines += [_row([_cell(cell) for cell in row]) for row in table.rows]
    return "\n".join([*lines, ""])


def latex(table: Table) -> str:
    """A table in LaTeX, for the package booktabs."""
    layout = "".join("r" if column.number else "l" for column in table.columns)
    rows = [" & ".join(_escaped(_cell(cell)) for cell in row) + r" \\" for row in table.rows]
    heading = " & ".join(_escaped(column.label) for column in table.columns) + r" \\"
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{_escaped(table.caption)}}}",
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            heading,
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def _cell(cell: TableCell) -> str:
    small = "; ".join(line for line in cell.small.split("\n") if line)
    return f"{cell.text} ({small})" if small and cell.text else cell.text or small


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(map(_plain, cells)) + " |"


def _plain(text: str) -> str:
    """Text that Markdown takes for nothing but text."""
    clean = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|])", r"\\\1", clean)


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in " ".join(text.split(" ")).replace("\n", " "))
