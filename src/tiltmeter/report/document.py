"""A report as headings, paragraphs, lists, tables and figures, whatever it is to be written as."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from tiltmeter.report.cells import Table
from tiltmeter.report.drawn import Drawn

SpanKind = Literal["", "code", "strong", "emphasis", "group", "attribute", "cite", "faint"]
ParagraphKind = Literal["", "lead", "sentence", "basis", "notice", "opening"]

MARKS = {"above": "↑", "below": "↓", "opposed": "⇄"}
"""What stands beside a value where the page has a tint or a sign."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text; `keys` are those of the works that it cites."""

    text: str
    kind: SpanKind = ""
    keys: tuple[str, ...] = ()


Text = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; its level is 1 for the parts of the document."""

    level: int
    text: Text


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, and what it is in the document; an `opening` says what comes next."""

    text: Text
    kind: ParagraphKind = ""


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values."""

    rows: tuple[tuple[Text, Text], ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, by the name of its file."""

    file: str
    drawn: Drawn
    caption: Text


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text that keeps its lines."""

    text: str


@dataclass(frozen=True, slots=True)
class Bibliography:
    """The works that are cited, by their keys, in the order of their numbers."""

    works: tuple[tuple[str, Text], ...]


Block = Heading | Paragraph | Items | Facts | Table | Figure | Verbatim | Bibliography


@dataclass(frozen=True, slots=True)
class Document:
    """What a report says; `texts` are examples of what models wrote and read, which not everybody wants to see."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    texts: tuple[Block, ...] = ()

    def shown(self, *, with_texts: bool) -> tuple[Block, ...]:
        """The blocks, and where it is wanted the example texts behind them, with a warning before."""
        if not (with_texts and self.texts):
            return self.blocks
        return (*self.blocks, *stepped((*_WARNING, *self.texts)))


_WARNING: tuple[Block, ...] = (
    Heading(1, (Span("Appendix: example texts"),)),
    Paragraph(
        (
            Span("Content warning.", "strong"),
            Span(
                " Models read or wrote what follows. Some of it states stereotypes, and some is insulting or hateful."
            ),
        ),
        "notice",
    ),
)


def stepped(blocks: Iterable[Block]) -> Iterator[Block]:
    """The same blocks, with no heading more than one level below the one before it: readers aloud go by the levels."""
    level = 0
    for block in blocks:
        if isinstance(block, Heading):
            level = min(block.level, level + 1)
            yield Heading(level, block.text)
        else:
            yield block


def plain(text: Text) -> str:
    """The words of a text, without what they are."""
    return "".join(span.text for span in text)


def visible(text: str) -> str:
    """Text in which nothing is hidden: signs that turn its direction or do something to a terminal are spelled out.

    >>> visible("a\\u202eb\\x07c\\td")
    'a[U+202E]b[U+0007]c d'
    """
    return "".join(_visible(sign) for sign in text)


def _visible(sign: str) -> str:
    if sign in "\n\t\r":
        return " "
    hidden = unicodedata.category(sign) in ("Cc", "Cs", "Cf", "Co", "Cn", "Zl", "Zp") and sign not in _HARMLESS
    return f"[U+{ord(sign):04X}]" if hidden else sign


_HARMLESS = "\N{SOFT HYPHEN}\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Format signs that belong to words: in Persian or Hindi, and in pictures made of several signs."""
