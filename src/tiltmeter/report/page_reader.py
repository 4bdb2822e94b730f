"""Reads the page back as a document, so that every format says what the page says and nothing is said twice.

It knows the elements that the report's own templates use, and refuses others: a template that brings a new one must say
here what becomes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from tiltmeter.report.cells import Column, Table, TableCell
from tiltmeter.report.document import (
    Bibliography,
    Block,
    Document,
    Facts,
    Figure,
    Heading,
    Items,
    Paragraph,
    ParagraphKind,
    Span,
    SpanKind,
    Text,
    Verbatim,
    plain,
    stepped,
    visible,
)
from tiltmeter.report.drawn import Drawn
from tiltmeter.report.page_tree import Element, parse

_HEADINGS = {"h2": 1, "h3": 2, "h4": 3, "h5": 4}
_CONTAINERS = {"main", "section", "div", "article", "details"}
_SPANS: Mapping[str, SpanKind] = {
    "code": "code",
    "strong": "strong",
    "b": "strong",
    "em": "emphasis",
    "cite": "emphasis",
}
_INLINE = {*_SPANS, "bdi", "span", "a", "q", "mark"}
_PARAGRAPHS: tuple[ParagraphKind, ...] = ("lead", "sentence", "basis", "notice")
_ELSEWHERE = Paragraph(
    (Span("Examples of texts stand in an appendix, where this was made with --with-texts."),), "basis"
)


def read_page(html: str, figures: Mapping[str, Drawn]) -> Document:
    """The document that a page of the report shows; `figures` are those in it, by the names of their files."""
    root = parse(html)
    header = root.first("header")
    reader = _Reader(figures)
    for part in (header, root.first("main")):
        reader.read(part)
    return Document(
        title=plain(_text(header.first("h1"))),
        subtitle=plain(_text(header.first("p"))),
        blocks=tuple(stepped(reader.blocks)),
        texts=tuple(reader.texts),
    )


class _Reader:
    """Goes through a page and collects blocks: examples of texts apart from the others."""

    def __init__(self, figures: Mapping[str, Drawn], *, of_examples: bool = False) -> None:
        self.figures = figures
        self._of_examples = of_examples
        self.blocks: list[Block] = []
        self.texts: list[Block] = []
        self._section: Heading | None = None
        self._part: Heading | None = None

    def read(self, element: Element) -> None:
        for child in element.children:
            if isinstance(child, str):
                if child.strip():
                    raise ValueError(f"text outside a paragraph in <{element.tag}>: {child.strip()!r}")
            else:
                self._read(child)

    def _read(self, element: Element) -> None:
        if element.tag == "details" and (
            "warning" in element.classes or any(_is(one, "ol") for one in element.children)
        ):
            self._read_examples(element)
        elif element.tag == "details":
            self._read_summary(element.first("summary"))
            self.read(element.without("summary"))
        elif element.tag in _CONTAINERS:
            self.read(element)
        elif element.tag in _HEADINGS:
            self._add_heading(_HEADINGS[element.tag], _text(element))
        elif element.tag != "h1" and "eyebrow" not in element.classes:
            self.blocks += self._block(element)

    def _add_heading(self, level: int, text: Text) -> None:
        heading = Heading(level, text)
        self.blocks.append(heading)
        if level == 1:
            self._section, self._part = heading, None
        elif level == 2:
            self._part = heading

    def _read_summary(self, summary: Element) -> None:
        """What opens a closed part is its heading, in the page's own rank or as a line of its own."""
        inner = next(summary.all(*_HEADINGS), None)
        if inner:
            beside = _joined([one for one in summary.children if one is not inner])
            self._add_heading(_HEADINGS[inner.tag], (*_text(inner), *((Span(" "), *beside) if beside else ())))
        else:
            self.blocks.append(Paragraph(_text(summary), "opening"))

    def _read_examples(self, element: Element) -> None:
        """Texts that models wrote or read stand behind everything else, and before them why."""
        self.blocks.append(_ELSEWHERE)
        places = [plain(one.text) for one in (self._section, self._part) if one]
        self.texts.append(Heading(2, (Span(": ".join(places)),)))
        summary = element.first("summary")
        self.texts.append(Paragraph(_joined([one for one in summary.children if not _opens(one)]), "notice"))
        inner = _Reader(self.figures, of_examples=True)
        inner.read(element.without("summary"))
        self.texts += (
            Heading(max(3, one.level), one.text) if isinstance(one, Heading) else one for one in inner.blocks
        )

    def _block(self, element: Element) -> list[Block]:
        made: list[Block]
        match element.tag:
            case "p":
                made = self._paragraph(element)
            case "ul":
                made = [Items(tuple(_text(item) for item in element.all("li")))]
            case "ol" if "references" in element.classes:
                works = element.all("li")
                made = [Bibliography(tuple((one.attributes["data-key"], _text(one)) for one in works))]
            case "ol" if self._of_examples:
                made = [Items(tuple(_joined_paragraphs(item) for item in element.all("li")))]
            case "dl":
                made = [Facts(tuple((_text(one.first("dt")), _text(one.first("dd"))) for one in element.all("div")))]
            case "table":
                made = [_table(element)]
            case "figure":
                file = element.attributes["data-file"]
                made = [Figure(file, self.figures[file], _text(element.first("figcaption")))]
            case "pre":
                made = [Verbatim("".join(one for one in element.children if isinstance(one, str)))]
            case _:
                raise ValueError(f"the page has <{element.tag}>, and nothing says what becomes of it in a document")
        return made

    def _paragraph(self, element: Element) -> list[Block]:
        # The large figure of a headline is said again in its sentence.
        if "figure" in element.classes:
            return []
        kind: ParagraphKind = next((kind for kind in _PARAGRAPHS if kind in element.classes), "")
        text = _text(element)
        return [Paragraph(text, kind)] if text else []


def _table(element: Element) -> Table:
    heads = list(element.first("thead").all("th"))
    # A column without words is drawn for the eye, beside one that has its numbers.
    kept = [place for place, head in enumerate(heads) if not any("unseen" in one.classes for one in head.all("span"))]
    columns = tuple(Column(plain(_text(heads[place])), "number" in heads[place].classes) for place in kept)
    rows = []
    for row in element.first("tbody").all("tr"):
        cells = list(row.all("th", "td"))
        rows.append(tuple(_cell(cells[place]) for place in kept))
    return Table(plain(_text(element.first("caption"))), columns, tuple(rows))


def _cell(element: Element) -> TableCell:
    small = [plain(_text(one)) for one in element.all("small")]
    large = [one for one in element.children if not _is(one, "small")]
    marks = [name for name in element.classes if name != "number"]
    return TableCell(
        plain(_joined(large)), "\n".join(small), element.attributes.get("data-sort", ""), marks[0] if marks else ""
    )


def _text(element: Element) -> Text:
    return _joined(element.children)


def _joined_paragraphs(element: Element) -> Text:
    """An example of several lines as one text."""
    spans: list[Span] = []
    for place, paragraph in enumerate(element.all("p")):
        spans += [Span(" – "), *_text(paragraph)] if place else _text(paragraph)
    return tuple(spans)


def _joined(children: Sequence[Element | str], kind: SpanKind = "") -> Text:
    """Inline content as spans, with one space where there are several, and none at the ends."""
    spans = list(_spans(children, kind))
    made: list[Span] = []
    for span in spans:
        words = re.sub(r"[ \t\r\n]+", " ", span.text)
        if not made or made[-1].text.endswith(" "):
            words = words.lstrip(" ")
        if words and made and (made[-1].kind, made[-1].keys) == (span.kind, span.keys):
            made[-1] = Span(made[-1].text + words, span.kind, span.keys)
        elif words:
            made.append(Span(words, span.kind, span.keys))
    while made and not made[-1].text.rstrip(" "):
        made.pop()
    if made:
        made[-1] = Span(made[-1].text.rstrip(" "), made[-1].kind, made[-1].keys)
    return tuple(Span(visible(span.text), span.kind, span.keys) for span in made)


def _spans(children: Sequence[Element | str], kind: SpanKind) -> Iterator[Span]:
    for child in children:
        if isinstance(child, str):
            yield Span(child, kind)
        elif child.tag == "p":
            yield from _spans(child.children, kind)
        elif child.tag not in _INLINE:
            raise ValueError(f"<{child.tag}> in a line of text, and nothing says what becomes of it there")
        elif "cite" in child.classes:
            keys = tuple(child.attributes["data-keys"].split())
            yield Span("".join(span.text for span in _spans(child.children, "cite")), "cite", keys)
        elif child.tag == "q":
            yield from (Span("“", kind), *_spans(child.children, kind), Span("”", kind))
        elif "badge" in child.classes:
            yield Span(f"({''.join(span.text for span in _spans(child.children, kind))})", kind)
        else:
            yield from _spans(child.children, _kind(child, kind))


def _kind(element: Element, outer: SpanKind) -> SpanKind:
    if element.tag == "mark":
        return "attribute" if "attribute" in element.classes else "group"
    if {"given", "role", "score"} & set(element.classes):
        return "faint"
    return _SPANS.get(element.tag, outer)


def _is(child: Element | str, tag: str) -> bool:
    return isinstance(child, Element) and child.tag == tag


def _opens(child: Element | str) -> bool:
    """Whether it is the link that opens what is closed on the screen."""
    return isinstance(child, Element) and "open" in child.classes
