"""What a page says, whatever it is written as: sections of prose, lists, tables, charts and example texts.

Sections are trees of blocks. A medium (HTML, PDF, Markdown, LaTeX, a terminal, the workbench) writes every kind of
block; no medium knows what a block is about, and no section knows where it will be shown.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from functools import cache
from types import UnionType
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

SpanKind = Literal["", "code", "strong", "emphasis", "group", "attribute", "cite", "faint", "above", "below", "term"]
"""`group` and `attribute` mark words of a test sentence; `above` and `below` a lean; a `term` is in the glossary."""
ProseKind = Literal["", "lead", "answer", "note"]
"""A `lead` opens the page, an `answer` is what a finding comes to, a `note` is small print."""
Place = Mapping[str, str]
"""What something was measured on, which is where its texts are found: view, model, source, bias, scorer, rater …"""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of text; `keys` are those of the works that it cites, `link` an anchor of the same page."""

    text: str
    kind: SpanKind = ""
    keys: tuple[str, ...] = ()
    link: str = ""


Text = tuple[Span, ...]
Words = str | Span | Sequence[str | Span]
"""What people who write sections may give for a text."""


def text(*parts: Words) -> Text:
    """A text of strings and spans.

    >>> text("a ", Span("b", "strong"))
    (Span(text='a ', kind='', keys=(), link=''), Span(text='b', kind='strong', keys=(), link=''))
    """
    made: list[Span] = []
    for part in parts:
        if isinstance(part, str):
            made += [Span(part)] if part else []
        elif isinstance(part, Span):
            made.append(part)
        else:
            made += text(*part)
    return tuple(made)


def plain(words: Text) -> str:
    """The words of a text without their kinds."""
    return "".join(span.text for span in words)


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph."""

    text: Text
    kind: ProseKind = ""


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that nobody should miss."""

    text: Text


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of texts."""

    items: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values."""

    rows: tuple[tuple[str, Text], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    label: str
    number: bool = False
    small: str = ""
    """What is small below the heading, line by line."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """What a cell shows, what is small below it, what it sorts by, how it is marked, and where its texts are."""

    text: str
    small: str = ""
    sort: str = ""
    mark: str = ""
    link: str = ""
    """An anchor of the same page."""
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of each row is its heading."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[TableCell, ...], ...]
    sortable: bool = False


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its finding as title, a Vega-Lite specification, and words for those who cannot see it.

    Colours of the specification are names ("--ink"), which each medium resolves; rows of its data may have a `place`.
    """

    name: str
    """Of its files."""
    title: str
    spec: Mapping[str, Any]
    alternative: str
    caption: Text = ()


@dataclass(frozen=True, slots=True)
class Example:
    """One text that a model read or wrote: what it is, its words, and a number beside it."""

    role: str
    text: Text
    number: str = ""


@dataclass(frozen=True, slots=True)
class Examples:
    """Example texts, each entry a few texts that belong together; every medium warns before it shows them."""

    title: str
    entries: tuple[tuple[str, tuple[Example, ...]], ...]
    """What each entry is about, and its texts."""


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text that keeps its lines, such as a study file or a paragraph to be copied."""

    text: str
    label: str = ""


@dataclass(frozen=True, slots=True)
class References:
    """The works that are cited, by their keys, in the order of their numbers."""

    works: tuple[tuple[str, Text], ...]
    fields: tuple[Mapping[str, str], ...] = ()
    """What BibTeX has of each: author (several with " and " between them), year, title, howpublished."""


@dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a heading."""

    title: str
    blocks: tuple[Block, ...]
    anchor: str = ""
    folded: bool | None = None
    """True: closed until it is opened; False: open, and can be closed; None: never closed."""
    mark: str = ""
    """A word or two beside the title, such as a verdict."""
    about: Mapping[str, str] = field(default_factory=dict)
    """What the section is about (model, view, bias, verdict), by which the workbench filters."""
    new_page: bool = False
    """Whether it begins a page where there are pages."""


Block = Prose | Notice | Listing | Facts | Table | Chart | Examples | Verbatim | References | Section


@dataclass(frozen=True, slots=True)
class Document:
    """A whole page: what everybody reads, every figure behind it, and how it was made."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    details: tuple[Section, ...] = ()
    """Every figure; a PDF leaves them to the page."""
    appendix: tuple[Section, ...] = ()

    @property
    def everything(self) -> tuple[Block, ...]:
        """All blocks, the appendix last."""
        return (*self.blocks, *self.details, *self.appendix)

    def charts(self) -> dict[str, Chart]:
        """Every chart by the name of its files, in plain letters; of two with one name the second has a number."""
        named: dict[str, Chart] = {}
        for chart in each(self.everything, Chart):
            letters = re.sub(r"[^a-z0-9]+", "-", chart.name.lower()).strip("-")[:60].strip("-") or "chart"
            numbered = (f"{letters}-{number}" for number in range(2, len(named) + 3))
            named[next(one for one in (letters, *numbered) if one not in named)] = chart
        return named

    def without(self, kind: type) -> Document:
        """The same without blocks of a kind, and without sections that held nothing else."""
        details, appendix = (
            tuple(one for one in _without(part, kind) if isinstance(one, Section))
            for part in (self.details, self.appendix)
        )
        return replace(self, blocks=_without(self.blocks, kind), details=details, appendix=appendix)


Kind = TypeVar("Kind")


def each(blocks: Iterable[Block], kind: type[Kind]) -> Iterator[Kind]:
    """The blocks of one kind, wherever they are, in order."""
    for block in blocks:
        if isinstance(block, kind):
            yield block
        if isinstance(block, Section):
            yield from each(block.blocks, kind)


def _without(blocks: Iterable[Block], kind: type) -> tuple[Block, ...]:
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Section) and block.blocks:
            inner = _without(block.blocks, kind)
            kept += [replace(block, blocks=inner)] if inner else []
        elif not isinstance(block, kind):
            kept.append(block)
    return tuple(kept)


_KINDS: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        *(Span, Prose, Notice, Listing, Facts, Column, TableCell, Table, Chart),
        *(Example, Examples, Verbatim, References, Section, Document),
    )
}
_KIND = "block"


def as_json(value: Any) -> Any:
    """Blocks as plain lists, texts and numbers; what is as usual is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        found = {one.name: getattr(value, one.name) for one in fields(value) if getattr(value, one.name) != _usual(one)}
        return {_KIND: type(value).__name__, **{name: as_json(one) for name, one in found.items()}}
    if isinstance(value, (list, tuple)):
        return [as_json(one) for one in value]
    return {key: as_json(one) for key, one in value.items()} if isinstance(value, Mapping) else value


def _usual(one: Field[Any]) -> Any:
    return one.default_factory() if one.default_factory is not MISSING else one.default


def from_json(value: Any) -> Any:
    """What `as_json` made, as blocks again; ValueError for anything else, since files may come from anywhere.

    >>> page = Document("t", "s", (Prose(text("a")), Section("b", (), folded=False, about={"view": "pairs"})))
    >>> from_json(as_json(page)) == page
    True
    """
    try:
        return _from_json(value)
    except (KeyError, TypeError) as problem:
        raise ValueError(f"not a block: {problem}") from None


def _from_json(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_from_json(one) for one in value)
    if not isinstance(value, dict):
        return value
    if _KIND not in value:
        return {key: _from_json(one) for key, one in value.items()}
    # A specification is data of another program: lists stay lists there.
    given = {name: one if name == "spec" else _from_json(one) for name, one in value.items() if name != _KIND}
    kind = _KINDS[value[_KIND]]
    made = kind(**given)
    for name, hint in _hints(kind).items():
        if not _fits(getattr(made, name), hint):
            raise TypeError(f"`{name}` of a {kind.__name__} is of another kind")
    return made


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _fits(value: Any, hint: Any) -> bool:
    """Whether a value is of the kind that an annotation says; blocks inside it were checked when they were made."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is UnionType:
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        kinds = [inner[0]] * len(value) if inner[-1] is ... and isinstance(value, tuple) else list(inner)
        return isinstance(value, tuple) and len(value) == len(kinds) and all(map(_fits, value, kinds))
    if origin is not None:
        return isinstance(value, Mapping) and all(_fits(one, inner[1]) for one in value.values())
    return hint is Any or type(value) is hint


def visible(words: str) -> str:
    """Text in which nothing is hidden: characters that turn its direction or control a terminal are spelled out.

    >>> visible("a\\u202eb\\x07c\\td")
    'a[U+202E]b[U+0007]c d'
    """
    return "".join(_visible(sign) for sign in words)


def _visible(sign: str) -> str:
    if sign in "\n\t\r":
        return " "
    hidden = unicodedata.category(sign) in ("Cc", "Cs", "Cf", "Co", "Cn", "Zl", "Zp") and sign not in _HARMLESS
    return f"[U+{ord(sign):04X}]" if hidden else sign


_HARMLESS = "\N{SOFT HYPHEN}\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
"""Format characters that belong to words: in Persian or Hindi, and in pictures made of several characters."""
