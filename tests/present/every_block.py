"""Documents of every kind of block, and every medium as text."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from html.parser import HTMLParser

from rich.console import Console

from tiltmeter.present import html, latex, markdown, notebook, paper, pdf, terminal
from tiltmeter.present.blocks import (
    Block,
    Chart,
    Column,
    Document,
    Example,
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
    Verbatim,
    text,
)

SPANS = ("", "code", "strong", "emphasis", "group", "attribute", "faint", "above", "below", "term")
EXAMPLE = "had finished early"


def table_of(words: str) -> Table:
    row = (
        TableCell(words, link=words, place={"view": words}),
        TableCell("61.0 %", f"{words}\n(5)", sort=words, mark="above"),
        TableCell(words, mark=words),
    )
    return Table(words, (Column(words), Column("Value", number=True), Column(words)), (row, row), sortable=True)


def spans(words: str) -> tuple[Span, ...]:
    kinds = tuple(Span(words, kind) for kind in SPANS)  # type: ignore[arg-type]
    return (*kinds, Span(words, link=words), Span(words, "cite", (words,)), Span("[1]", "cite", ("a1",)))


def every_block(words: str) -> tuple[Block, ...]:
    spec = {"data": {"values": [{"label": words, "place": {"bias": words}}]}, "mark": "point"}
    return (
        *(Prose(spans(words), kind) for kind in ("", "lead", "answer", "note")),  # type: ignore[arg-type]
        Notice(spans(words)),
        Listing((spans(words), text(words))),
        Facts(((words, spans(words)), ("", text(words)))),
        table_of(words),
        Chart(words, words, spec, words, text(words)),
        Examples(words, ((words, (Example(words, spans(words), words),)),)),
        Verbatim(words, words),
        References(((words, text(words)), ("a1", text(words))), ({"author": words, "title": words}, {})),
        Section(words, (Prose(text(words)),), words, folded=True, mark=words, about={words: words}, new_page=True),
    )


def document_of(*texts: str) -> Document:
    sections = tuple(Section(words, every_block(words), anchor=words, folded=False) for words in texts)
    return Document(texts[0], texts[-1], sections, (Section(texts[0], (Prose(text(texts[0])),)),))


def terminal_text(document: Document, width: int = 100) -> str:
    out = io.StringIO()
    terminal.show_document(document, Console(file=out, width=width), with_texts=True)
    return out.getvalue()


MEDIA: dict[str, Callable[[Document], str]] = {
    "html": html.page,
    "fragment": lambda document: html.fragment(document.everything),
    "markdown": lambda document: markdown.write_markdown(document, "figures"),
    "notebook": lambda document: notebook.write_notebook(document, ["."]),
    "latex": lambda document: latex.write_latex(document, "figures"),
    "terminal": terminal_text,
    "pdf": lambda document: json.dumps(list(pdf._flat(paper.pages_of(document), 1))),
}
"""Each medium as text; that of a PDF is what is set."""


class Page(HTMLParser):
    """The elements of a page, each of which must be closed where it was opened."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attrs}))
        if tag != "meta":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.found if name == tag]
