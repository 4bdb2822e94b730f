"""A document as Markdown: for a repository, a pull request or a model hub."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from urllib.parse import quote

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
from tiltmeter.report.table_layout import on_one_line

_SPECIAL = re.compile(r"([\\`*_\[\]|~#$!^{}])")
_AROUND = {
    "code": "",
    "strong": "**",
    "emphasis": "*",
    "group": "**",
    "attribute": "*",
    "cite": "",
    "faint": "",
    "": "",
}


def write_markdown(document: Document, blocks: Sequence[Block], figures: str) -> str:
    """The document; `figures` is the folder of its figures, as seen from the file."""
    head = [f"# {escaped(document.title)}", _begun(escaped(document.subtitle))]
    return "\n\n".join([*head, *(_block(block, figures) for block in blocks)]) + "\n"


def _block(block: Block, figures: str) -> str:
    match block:
        case Heading(level, text):
            made = f"{'#' * (level + 1)} {_inline(text)}"
        case Paragraph(text, kind):
            made = _paragraph(text, kind)
        case Items(items):
            made = "\n".join(f"- {_inline(item)}" for item in items)
        case Facts(rows):
            made = "\n".join(_fact(name, value) for name, value in rows)
        case Table():
            made = table(block)
        case Figure(file, drawn, caption):
            image = f"![{escaped(drawn.alternative)}]({quote(figures)}/{file}.png)"
            made = f"{image}\n\n*Figure.* {_inline(caption)}" if caption else image
        case Verbatim(text):
            lines = "\n".join(visible(line) for line in text.rstrip("\n").split("\n"))
            fence = "`" * max(3, _longest_run(lines) + 1)
            made = f"{fence}\n{lines}\n{fence}"
        case Bibliography(works):
            made = "\n".join(f"{number}. {_inline(text)}" for number, (_, text) in enumerate(works, start=1))
    return made


def _paragraph(text: Text, kind: str) -> str:
    words = _inline(text)
    if kind == "notice":
        return f"> {words}"
    return f"**{words}**" if kind in ("sentence", "opening") and "**" not in words else words


def _fact(name: Text, value: Text) -> str:
    return f"- {escaped(plain(name))}: {_inline(value)}" if plain(name) else f"- {_inline(value)}"


def table(found: Table) -> str:
    """A table in Markdown; what stands small below a number follows it in brackets.

    >>> from tiltmeter.report.cells import Column
    >>> columns = (Column("a|b"), Column("n", number=True))
    >>> print(table(Table("Shares", columns, ((TableCell("<x>"), TableCell("1")),))))
    Shares
    <BLANKLINE>
    | a\\|b | n |
    |---|--:|
    | &lt;x&gt; | 1 |
    """
    rules = "|".join("--:" if column.number else "---" for column in found.columns)
    rows = [_row(_cell(cell) for cell in row) for row in found.rows]
    return "\n".join(
        [
            _begun(escaped(found.caption)),
            "",
            _row(escaped(column.label) for column in found.columns),
            f"|{rules}|",
            *rows,
        ]
    )


def _row(cells: Iterator[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: TableCell) -> str:
    words = escaped(on_one_line(cell))
    return f"**{words}**" if cell.mark in ("mean", "firm") and words else words


def _inline(text: Text) -> str:
    return _begun("".join(map(_span, text)))


def _span(span: Span) -> str:
    words = span.text.strip(" ")
    if span.kind == "code" and words:
        fence = "`" * (_longest_run(words) + 1)
        padding = " " if words.startswith("`") or words.endswith("`") else ""
        return _padded(span.text, f"{fence}{padding}{words}{padding}{fence}")
    around = _AROUND[span.kind] if words else ""
    return _padded(span.text, f"{around}{escaped(words)}{around}")


def _padded(given: str, made: str) -> str:
    """With the spaces at the ends that the text had, since marks must touch the words they are around."""
    return f"{' ' if given.startswith(' ') else ''}{made}{' ' if given.endswith(' ') and given.strip(' ') else ''}"


def _longest_run(text: str) -> int:
    return max(map(len, re.findall("`+", text)), default=0)


def escaped(text: str) -> str:
    """Text that Markdown takes for nothing but text: no markup, no HTML, no links, no mentions, no formulas.

    >>> escaped("<b> *x* [y](http://z) @me")
    '&lt;b&gt; \\\\*x\\\\* \\\\[y\\\\](http&#58;//z) &#64;me'
    """
    clean = " ".join(visible(text).split(" ")).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    clean = _SPECIAL.sub(r"\\\1", clean)
    clean = clean.replace("@", "&#64;").replace("://", "&#58;//")
    return re.sub(r"\b(www|WWW)\.", r"\1&#46;", clean)


def _begun(line: str) -> str:
    """A line of text that begins neither a list nor a rule.

    >>> _begun("1. x"), _begun("- y"), _begun("0.5")
    ('1\\\\. x', '\\\\- y', '0.5')
    """
    return re.sub(r"^(\s*\d*)([-+=.)])(?=\s|$|[-=])", r"\1\\\2", line)
