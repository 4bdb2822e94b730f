"""The elements of a page of the report, without those that are not for reading."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser

_DRAWING = re.compile(r"<(svg|style|script)\b.*?</\1>", re.DOTALL)
_UNSHOWN = {"nav", "footer", "head"}
_VOID = {"meta"}


@dataclass(slots=True)
class Element:
    """An element, with what is in it in its order."""

    tag: str
    attributes: Mapping[str, str]
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        """The names of its classes."""
        return self.attributes.get("class", "").split()

    def all(self, *tags: str) -> Iterator[Element]:
        """The elements of these kinds below this one, in their order."""
        for child in self.children:
            if isinstance(child, Element):
                if child.tag in tags:
                    yield child
                else:
                    yield from child.all(*tags)

    def first(self, tag: str) -> Element:
        """The first element of this kind below this one."""
        return next(self.all(tag))

    def without(self, tag: str) -> Element:
        """The same without its own children of this kind."""
        kept = [one for one in self.children if isinstance(one, str) or one.tag != tag]
        return Element(self.tag, self.attributes, kept)


def parse(html: str) -> Element:
    """The page as one element; drawings, style and script are left out."""
    return _Tree(_DRAWING.sub("", html)).root


class _Tree(HTMLParser):
    """Keeps track of which elements are open; a page that closes another than the last one is refused."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.root = Element("root", {})
        self._open = [self.root]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        if tag not in _UNSHOWN:
            self._open[-1].children.append(element)
        if tag not in _VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        if self._open[-1].tag != tag:
            raise ValueError(f"the page closes <{tag}> where <{self._open[-1].tag}> is open")
        self._open.pop()

    def handle_data(self, data: str) -> None:
        self._open[-1].children.append(data)
