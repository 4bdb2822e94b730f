"""A document as LaTeX, with tables for the package booktabs; any of the usual engines sets it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

from tiltmeter.report.cells import Table, TableCell
from tiltmeter.report.document import (
    Bibliography,
    Block,
    Document,
    Facts,
    Figure,
    Heading,
    Items,
    Paragraph,
    Span,
    Text,
    Verbatim,
    plain,
    visible,
)
from tiltmeter.report.rendering import asset
from tiltmeter.report.table_layout import column_widths, is_wide, marked, on_one_line

_SIGNS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    '"': r"\textquotedbl{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # A bracket after \\ or \item would be taken for an option.
    "[": "{[}",
    "]": "{]}",
    "−": "$-$",
    "≈": r"$\approx$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "±": r"$\pm$",
    "×": r"$\times$",
    "÷": r"$\div$",
    "·": r"$\cdot$",
    "½": r"$\frac{1}{2}$",
    "‖": r"$\|$",
    "√": r"$\surd$",
    "²": r"$^{2}$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "⇄": r"$\leftrightarrow$",
    "→": r"$\rightarrow$",
    "–": "--",
    "—": "---",
    "‘": r"\textquoteleft{}",
    "’": r"\textquoteright{}",
    "“": r"\textquotedblleft{}",
    "”": r"\textquotedblright{}",
    "…": r"\ldots{}",
    "°": r"\textdegree{}",
    "§": r"\S{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{SOFT HYPHEN}": r"\-",
    "\N{ZERO WIDTH NON-JOINER}": "{}",
    "\N{ZERO WIDTH JOINER}": "{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_LETTERS = {
    *map(chr, range(0x20, 0x7F)),
    *map(chr, range(0xC0, 0x100)),
    *"ĂăĄąĆćČčĎďĐđĘęĚěĞğİıĹĺĽľŁłŃńŇňŊŋŐőŒœŔŕŘřŚśŞşŠšŢţŤťŮůŰűŸŹźŻżŽž¡¿",
}
"""What the encoding T1 can print as it is."""
_SECTIONS = ("section", "subsection", "subsubsection", "paragraph")
_AROUND = {
    "code": "texttt",
    "strong": "textbf",
    "emphasis": "emph",
    "group": "underline",
    "attribute": "emph",
}
_PARAGRAPHS = {
    "sentence": r"\textbf{%s}",
    "opening": r"\textbf{%s}\nopagebreak",
    "basis": r"{\small %s\par}",
    "notice": r"\begin{quote}%s\end{quote}",
}
_FEW_HEADINGS = 8
"""With more of them a document has a table of contents."""
_LONG, _STEP = 24, 12
"""A word of more signs than the first may break, after so many as the second."""


def write_latex(document: Document, blocks: Sequence[Block], figures: str) -> str:
    """The document; `figures` is the folder of its figures, as seen from the file."""
    title = rf"\title{{{escaped(document.title)}\\\large {escaped(document.subtitle)}}}"
    begin = next((place for place, one in enumerate(blocks) if isinstance(one, Heading)), len(blocks))
    body = [_block(block, figures) for block in blocks]
    if sum(isinstance(one, Heading) for one in blocks) > _FEW_HEADINGS:
        body.insert(begin, r"\tableofcontents")
    head = [asset("report.tex").rstrip(), title, r"\begin{document}", r"\maketitle"]
    return "\n\n".join([*head, *body, r"\end{document}", ""])


def _block(block: Block, figures: str) -> str:
    match block:
        case Heading(level, text):
            # What is in a heading is also in the table of contents, where works are not cited.
            made = rf"\{_SECTIONS[min(level, len(_SECTIONS)) - 1]}{{{escaped(plain(text))}}}"
        case Paragraph(text, kind):
            made = _PARAGRAPHS.get(kind, "%s") % _inline(text)
        case Items(items):
            made = _list("itemize", [rf"\item {_inline(item)}" for item in items])
        case Facts(rows):
            named = [(escaped(plain(name)), _inline(value)) for name, value in rows]
            made = _list("description", [rf"\item[{{{name}}}] {value}" for name, value in named])
        case Table():
            made = long_table(block)
        case Figure(file, _, caption):
            made = "\n".join(
                [
                    r"\begin{figure}[H]",
                    r"\centering",
                    rf"\includegraphics[width=\linewidth,height=0.75\textheight,keepaspectratio]{{{figures}/{file}.pdf}}",
                    rf"\caption{{{_inline(caption)}}}",
                    r"\end{figure}",
                ]
            )
        case Verbatim(text):
            lines = [escaped(line) or "~" for line in text.rstrip("\n").split("\n")]
            body = "\\\\\n".join(line.replace("  ", "~~") for line in lines)
            made = f"{{\\footnotesize\\ttfamily\\raggedright\\noindent {body}\\par}}"
        case Bibliography(works):
            entries = [rf"\bibitem{{{key}}} {_inline(text)}" for key, text in works]
            made = "\n".join([rf"\begin{{thebibliography}}{{{len(works)}}}", *entries, r"\end{thebibliography}"])
    return made


def _list(environment: str, items: Sequence[str]) -> str:
    return "\n".join([rf"\begin{{{environment}}}", *items, rf"\end{{{environment}}}"])


def table(found: Table) -> str:
    """A table that stands on one page, for a paper."""
    layout = "".join("r" if column.number else "l" for column in found.columns)
    rows = [" & ".join(escaped(on_one_line(cell)) for cell in row) + r" \\" for row in found.rows]
    return "\n".join(
        [
            r"\begin{table}",
            rf"\caption{{{escaped(found.caption)}}}",
            rf"\begin{{tabular}}{{{layout}}}",
            r"\toprule",
            _heads(found),
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
            "",
        ]
    )


def long_table(found: Table) -> str:
    """A table that goes on over pages, with its headings on each; a wide one lies on its side."""
    widths = column_widths(found)
    whole = sum(widths)
    room = 1 - 0.012 * len(widths)
    layout = "".join(
        rf">{{\ragged{'left' if column.number else 'right'}\arraybackslash}}p{{{room * width / whole:.3f}\linewidth}}"
        for column, width in zip(found.columns, widths, strict=True)
    )
    heads = _heads(found)
    lines = [
        r"\begingroup\scriptsize\setlength{\tabcolsep}{2pt}",
        rf"\begin{{longtable}}{{@{{}}{layout}@{{}}}}",
        rf"\caption{{{escaped(found.caption)}}}\\",
        rf"\toprule {heads} \midrule \endfirsthead",
        rf"\toprule {heads} \midrule \endhead",
        r"\bottomrule \endlastfoot",
        *(" & ".join(map(_cell, row)) + r" \\" for row in found.rows),
        r"\end{longtable}",
        r"\endgroup",
    ]
    return "\n".join([r"\begin{landscape}", *lines, r"\end{landscape}"] if is_wide(found) else lines)


def _heads(found: Table) -> str:
    return " & ".join(escaped(column.label) for column in found.columns) + r" \\"


def _cell(cell: TableCell) -> str:
    words = escaped(marked(cell))
    large = rf"\textbf{{{words}}}" if cell.mark in ("mean", "firm") and words else words
    small = [rf"{{\tiny {escaped(line)}}}" for line in cell.small.split("\n") if line]
    return r"\newline ".join([*([large] if large else []), *small])


def _inline(text: Text) -> str:
    return "".join(map(_span, text))


def _span(span: Span) -> str:
    if span.keys:
        return rf"\cite{{{','.join(span.keys)}}}"
    command = _AROUND.get(span.kind)
    return rf"\{command}{{{escaped(span.text)}}}" if command and span.text.strip() else escaped(span.text)


def escaped(text: str) -> str:
    r"""Text that LaTeX takes for nothing but text; a sign that not every engine can print is spelled out by those.

    >>> escaped("50\N{NO-BREAK SPACE}% of $x_1$ \\input{/etc/passwd}")
    '50~\\% of \\$x\\_1\\$ \\textbackslash{}input\\{/etc/passwd\\}'
    """
    words = re.split(r"( +)", visible(text))
    return "".join(_word(word) for word in words)


def _word(word: str) -> str:
    signs = [_sign(sign, after) for sign, after in zip_longest(word, word[1:], fillvalue=" ")]
    if len(signs) <= _LONG:
        return "".join(signs)
    return r"\allowbreak{}".join("".join(signs[start : start + _STEP]) for start in range(0, len(signs), _STEP))


def _sign(sign: str, after: str) -> str:
    if sign in _SIGNS:
        return _SIGNS[sign]
    if sign not in _LETTERS:
        return rf"\othersign{{{ord(sign):04X}}}{{{sign}}}"
    # Two of these in a row are made into one sign.
    return f"{sign}{{}}" if sign in "-,'?!" and after in "-,'`" else sign
