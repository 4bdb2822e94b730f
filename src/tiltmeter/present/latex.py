"""Blocks as LaTeX, with tables for the package booktabs; any of the usual engines sets it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest

from tiltmeter.present.asset import asset
from tiltmeter.present.blocks import (
    Block,
    Chart,
    Document,
    Examples,
    Facts,
    Listing,
    Notice,
    Prose,
    References,
    Section,
    Span,
    Table,
    TableCell,
    Text,
    Verbatim,
    each,
    plain,
    visible,
)
from tiltmeter.present.paper import (
    chart_files,
    column_widths,
    heading,
    is_wide,
    listed,
    marked,
    on_one_line,
    pages_of,
    titled,
    with_sign,
)

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
_FIELDS = ("author", "year", "title", "howpublished")
_PARAGRAPHS = {
    "lead": r"{\large %s\par}",
    "answer": r"\textbf{%s}",
    "note": r"{\small %s\par}",
}
_FEW_SECTIONS = 3
"""With more of them a document has a table of contents."""
_LONG, _STEP = 24, 12
"""A word of more characters than the first may break after every so many of the second."""


def write_latex(document: Document, figures: str) -> str:
    """The document; `figures` is the folder of its charts, as seen from the file."""
    writer = _Writer(chart_files(document), figures)
    blocks = pages_of(document)
    begin = next((place for place, one in enumerate(blocks) if isinstance(one, Section)), len(blocks))
    many = sum(isinstance(one, Section) for one in blocks) > _FEW_SECTIONS
    head = [
        asset("report.tex").rstrip(),
        rf"\title{{{escaped(document.title)}\\\large {escaped(document.subtitle)}}}",
        r"\begin{document}",
        r"\maketitle",
    ]
    contents = [r"\tableofcontents"] if many else []
    body = [*writer.all(blocks[:begin], 0), *contents, *writer.all(blocks[begin:], 0)]
    return "\n\n".join([*head, *body, r"\end{document}", ""])


def bibtex(document: Document) -> str:
    """The works that a document cites, as entries for BibTeX."""
    entries = []
    for found in each(document.everything, References):
        fields = found.fields or ({},) * len(found.works)
        entries += [
            _entry(key, one or {"title": plain(words)}) for (key, words), one in zip(found.works, fields, strict=False)
        ]
    return "\n".join(entries)


def _entry(key: str, fields: Mapping[str, str]) -> str:
    lines = [rf"@misc{{{_key(key)},"]
    for name in _FIELDS:
        if value := fields.get(name, ""):
            lines.append(f"  {name} = {{{_field(name, value)}}},")
    return "\n".join([*lines, "}", ""])


def _field(name: str, value: str) -> str:
    """Braces around names and titles keep BibTeX from changing them."""
    if name == "author":
        people = value.split(" and ")
        return " and ".join(one if one == "others" else f"{{{escaped(one)}}}" for one in people)
    return f"{{{escaped(value)}}}" if name == "title" else escaped(value)


def _key(key: str) -> str:
    return re.sub(r"[^A-Za-z0-9:.-]+", "-", key) or "work"


class _Writer:
    """Knows where the charts are."""

    def __init__(self, files: Mapping[int, str], folder: str) -> None:
        self._files, self._folder = files, folder

    def all(self, blocks: Iterable[Block], depth: int) -> Iterator[str]:
        for block in blocks:
            if isinstance(block, Section):
                yield from [r"\clearpage"] if block.new_page else []
                yield rf"\{_SECTIONS[min(depth, len(_SECTIONS) - 1)]}{{{escaped(titled(block))}}}"
                yield from self.all(block.blocks, depth + 1)
            elif isinstance(block, Examples):
                yield from self.all(listed(block), depth)
            else:
                yield self._block(block)

    def _block(self, block: Block) -> str:
        made = ""
        match block:
            case Prose(text, kind):
                made = _PARAGRAPHS.get(kind, "%s") % _inline(text)
            case Notice(text):
                made = rf"\begin{{quote}}{_inline(text)}\end{{quote}}"
            case Listing(items):
                made = _list("itemize", [rf"\item {_inline(item)}" for item in items])
            case Facts(rows):
                named = [(escaped(name), _inline(value)) for name, value in rows]
                made = _list("description", [rf"\item[{{{name}}}] {value}" for name, value in named])
            case Table():
                made = long_table(block)
            case Chart():
                made = self._chart(block)
            case Verbatim(text, label):
                lines = [escaped(line) or "~" for line in text.rstrip("\n").split("\n")]
                body = "\\\\\n".join(line.replace("  ", "~~") for line in lines)
                made = f"{{\\footnotesize\\ttfamily\\raggedright\\noindent {body}\\par}}"
                made = f"{escaped(label)}\n\n{made}" if label else made
            case References(works):
                entries = [rf"\bibitem{{{_key(key)}}} {_inline(text)}" for key, text in works]
                made = "\n".join([rf"\begin{{thebibliography}}{{{len(works)}}}", *entries, r"\end{thebibliography}"])
        return made

    def _chart(self, chart: Chart) -> str:
        title, caption = escaped(chart.title.rstrip(".")), _inline(chart.caption)
        size = r"width=\linewidth,height=0.75\textheight,keepaspectratio"
        return "\n".join(
            [
                r"\begin{figure}[H]",
                r"\centering",
                rf"\includegraphics[{size}]{{{self._folder}/{self._files[id(chart)]}.pdf}}",
                rf"\caption{{\textbf{{{title}.}} {caption}}}",
                r"\end{figure}",
            ]
        )


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
    return " & ".join(escaped(heading(column)) for column in found.columns) + r" \\"


def _cell(cell: TableCell) -> str:
    words = escaped(marked(cell))
    large = rf"\textbf{{{words}}}" if cell.mark in ("mean", "firm") and words else words
    small = [rf"{{\tiny {escaped(line)}}}" for line in cell.small.split("\n") if line]
    return r"\newline ".join([*([large] if large else []), *small])


def _inline(text: Text) -> str:
    return "".join(map(_span, text))


def _span(span: Span) -> str:
    if span.keys:
        return rf"\cite{{{','.join(map(_key, span.keys))}}}"
    command = _AROUND.get(span.kind)
    words = escaped(with_sign(span))
    return rf"\{command}{{{words}}}" if command and span.text.strip() else words


def escaped(text: str) -> str:
    r"""Text that LaTeX takes for nothing but text; an engine that cannot print a character spells it out.

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
