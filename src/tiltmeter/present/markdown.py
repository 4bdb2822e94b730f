"""Blocks as Markdown: for a repository, a pull request or a model hub."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote

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
    visible,
)
from tiltmeter.present.paper import chart_files, heading, listed, on_one_line, pages_of, titled, with_sign

_SPECIAL = re.compile(r"([\\`*_\[\]|~#$!^{}])")
_AROUND = {"strong": "**", "emphasis": "*", "group": "**", "attribute": "*"}
_DEEPEST = 6


def write_markdown(document: Document, figures: str) -> str:
    """The document; `figures` is the folder of its charts, as seen from the file."""
    files = chart_files(document)
    made = (
        one if isinstance(one, str) else f"![{escaped(one.alternative)}]({quote(figures)}/{files[id(one)]}.png)"
        for one in pieces(document)
    )
    return "\n\n".join(made) + "\n"


def pieces(document: Document) -> Iterator[str | Chart]:
    """The document piece by piece: Markdown, and charts, whose title and caption are Markdown."""
    yield f"# {escaped(document.title)}"
    if document.subtitle:
        yield _begun(escaped(document.subtitle))
    yield from _pieces(pages_of(document), 2)


def _pieces(blocks: Iterable[Block], level: int) -> Iterator[str | Chart]:
    for block in blocks:
        if isinstance(block, Section):
            yield f"{'#' * min(level, _DEEPEST)} {_begun(escaped(titled(block)))}"
            yield from _pieces(block.blocks, level + 1)
        elif isinstance(block, Examples):
            yield from _pieces(listed(block), level)
        elif isinstance(block, Chart):
            yield f"**{escaped(block.title)}**"
            yield block
            if block.caption:
                yield _inline(block.caption)
        else:
            yield _block(block)


def _block(block: Block) -> str:
    made = ""
    match block:
        case Prose(text, kind):
            words = _inline(text)
            made = f"**{words}**" if kind in ("lead", "answer") and "**" not in words else words
        case Notice(text):
            made = f"> {_inline(text)}"
        case Listing(items):
            made = "\n".join(f"- {_inline(item)}" for item in items)
        case Facts(rows):
            made = "\n".join(_fact(name, value) for name, value in rows)
        case Table():
            made = table(block)
        case Verbatim(text, label):
            lines = "\n".join(visible(line) for line in text.rstrip("\n").split("\n"))
            fence = "`" * max(3, _longest_run(lines) + 1)
            made = f"{_begun(escaped(label))}\n\n" if label else ""
            made += f"{fence}\n{lines}\n{fence}"
        case References(works):
            made = "\n".join(f"{number}. {_inline(text)}" for number, (_, text) in enumerate(works, start=1))
    return made


def _fact(name: str, value: Text) -> str:
    return f"- {escaped(name)}: {_inline(value)}" if name else f"- {_inline(value)}"


def table(found: Table) -> str:
    """A table in Markdown; what is small below a number follows it in brackets.

    >>> from tiltmeter.present.blocks import Column
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
    heads = _row(escaped(heading(column)) for column in found.columns)
    return "\n".join([_begun(escaped(found.caption)), "", heads, f"|{rules}|", *rows])


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: TableCell) -> str:
    words = escaped(on_one_line(cell))
    return f"**{words}**" if cell.mark in ("mean", "firm") and words else words


def _inline(text: Text) -> str:
    return _begun("".join(map(_span, text)))


def _span(span: Span) -> str:
    words = visible(with_sign(span)).strip(" ")
    if span.kind == "code" and words:
        fence = "`" * (_longest_run(words) + 1)
        padding = " " if words.startswith("`") or words.endswith("`") else ""
        return _padded(span.text, f"{fence}{padding}{words}{padding}{fence}")
    around = _AROUND.get(span.kind, "") if words else ""
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
    clean = visible(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    clean = _SPECIAL.sub(r"\\\1", clean)
    clean = clean.replace("@", "&#64;").replace("://", "&#58;//")
    return re.sub(r"\b(www|WWW)\.", r"\1&#46;", clean)


def _begun(line: str) -> str:
    """A line of text that begins neither a list nor a rule.

    >>> _begun("1. x"), _begun("- y"), _begun("0.5")
    ('1\\\\. x', '\\\\- y', '0.5')
    """
    return re.sub(r"^(\s*\d*)([-+=.)])(?=\s|$|[-=])", r"\1\\\2", line.lstrip(" "))
