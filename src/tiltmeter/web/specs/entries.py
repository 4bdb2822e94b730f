"""What the pages show of a spec: an entry in the list, marked templates, example sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeVar

from tiltmeter import specs
from tiltmeter.errors import InvalidSpec, UserError
from tiltmeter.files import read_text
from tiltmeter.records import Pair, Span, Spec
from tiltmeter.sources.templates import pairs
from tiltmeter.web.specs.lists import Lists, lists_of
from tiltmeter.web.specs.text import parsed
from tiltmeter.web.workbench import NotThere, Workbench

Whose = Literal["library", "own"]
_Item = TypeVar("_Item")

_SLOT = re.compile(r"(\[[TA]\])")
_FEW = 3
_SHOWN_MATCHES = 4


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a sentence or template; kind is `group`, `attribute` or empty."""

    text: str
    kind: str


@dataclass(frozen=True, slots=True)
class Example:
    """Two sentences that are compared, cut where their marking changes, and which of them is the stereotype."""

    sentences: tuple[tuple[Segment, ...], tuple[Segment, ...]]
    stereotyped: int | None
    attribute_set: str | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A spec of the library or of the user's own, and what can be said of it without trusting it."""

    whose: Whose
    name: str
    text: str
    lists: Lists
    spec: Spec | None
    problems: tuple[str, ...]
    title: str
    citation: str
    templates: tuple[str, ...]

    @property
    def is_draft(self) -> bool:
        """Whether something keeps a study from using it."""
        return self.spec is None

    @property
    def calls_itself(self) -> str:
        """The name that stands in the file, where it is not that of the file."""
        inside = (parsed(self.text) or {}).get("name")
        return inside if isinstance(inside, str) and inside != self.name else ""


@dataclass(frozen=True, slots=True)
class Match:
    """An entry that a search found, and terms of it that were asked for."""

    entry: Entry
    terms: tuple[str, ...]


def library() -> list[Entry]:
    """The specs of the library."""
    return list(_library())


def own(workbench: Workbench) -> list[Entry]:
    """The specs of the user's own, drafts among them."""
    return [own_entry(workbench, name) for name in workbench.specs()]


def own_entry(workbench: Workbench, name: str) -> Entry:
    """A spec of the user's own; one that is no text is shown with the reason."""
    return _read_entry(name, workbench.spec(name))


def library_entry(name: str) -> Entry:
    """A spec of the library."""
    return _entry("library", name, specs.library_text(name))


def entry(workbench: Workbench, whose: str, name: str) -> Entry:
    """A spec by the part of the list that it is in, and its name."""
    if whose not in ("library", "own"):
        raise NotThere("list of specs", whose)
    return library_entry(name) if whose == "library" else own_entry(workbench, name)


def found(entries: Sequence[Entry], query: str) -> list[Match]:
    """The entries that have every word of a query somewhere: in a name, the title, the citation or a term.

    >>> [match.entry.name for match in found(library(), "weapons")]
    ['instruments-weapons']
    """
    words = query.casefold().split()
    return [match for one in entries if (match := _match(one, words)) is not None]


def marked_template(template: str) -> list[Segment]:
    """A template cut at its places.

    >>> [segment.kind for segment in marked_template("[T] likes [A]")]
    ['group', '', 'attribute']
    """
    kinds = {"[T]": "group", "[A]": "attribute"}
    return [Segment(piece, kinds.get(piece, "")) for piece in _SLOT.split(template) if piece]


def examples(spec: Spec, count: int = 4) -> list[Example]:
    """A few of the pairs that the templates make, from all over the lists.

    >>> len(examples(specs.load("gender-professions"), 2))
    2
    """
    # A part of each list is enough, and quick for any spec.
    part = replace(
        spec,
        groups=tuple(replace(group, terms=_spread(group.terms, _FEW)) for group in spec.groups),
        attributes=tuple(replace(one, terms=_spread(one.terms, _FEW)) for one in spec.attributes),
        templates=_spread(spec.templates, _FEW),
        compare=_spread(spec.compare, _FEW),
    )
    made, _ = pairs(part)
    return [_example(pair) for pair in _spread(tuple(made), count)]


def export_problem(spec: Spec | None) -> str:
    """Why a spec cannot be written as an AutoBiasTest specification; empty where it can."""
    if spec is None:
        return "a draft cannot be exported: mend it first"
    try:
        specs.to_autobiastest([spec])
    except InvalidSpec as refusal:
        return refusal.problem
    return ""


@cache
def _library() -> tuple[Entry, ...]:
    return tuple(library_entry(name) for name in specs.names())


def _read_entry(name: str, path: Path) -> Entry:
    try:
        return _entry("own", name, read_text(path, noun="spec file"))
    except UserError as error:
        return Entry("own", name, "", lists_of({}), None, (error.problem,), name, "", ())


def _entry(whose: Whose, name: str, text: str) -> Entry:
    examined, data = specs.examine(text), parsed(text) or {}
    title, citation, templates = data.get("title"), data.get("citation"), data.get("templates")
    return Entry(
        whose,
        name,
        text,
        lists_of(data),
        examined.spec,
        tuple(map(str, examined.problems)),
        title if isinstance(title, str) and title.strip() else name,
        citation if isinstance(citation, str) else "",
        tuple(one for one in templates if isinstance(one, str)) if isinstance(templates, list) else (),
    )


def _match(one: Entry, words: Sequence[str]) -> Match | None:
    lists = [*one.lists.groups, *one.lists.attributes]
    about = " ".join([one.name, one.title, one.citation, *(words.name for words in lists)]).casefold()
    terms = list(dict.fromkeys(term for words in lists for term in words.terms))
    matching: list[str] = []
    for word in words:
        with_word = [term for term in terms if word in term.casefold()]
        if word not in about and not with_word:
            return None
        matching += with_word
    return Match(one, tuple(dict.fromkeys(matching))[:_SHOWN_MATCHES])


def _spread(items: tuple[_Item, ...], count: int) -> tuple[_Item, ...]:
    if len(items) <= count:
        return items
    return tuple(items[place * len(items) // count] for place in range(count))


def _example(pair: Pair) -> Example:
    one, other = (marked(pair.texts[side], pair.group_spans[side], pair.attribute_spans[side]) for side in (0, 1))
    return Example((one, other), pair.stereotyped, pair.attribute_set)


def marked(text: str, group_spans: Sequence[Span], attribute_spans: Sequence[Span]) -> tuple[Segment, ...]:
    """A sentence cut where its marking changes."""
    kinds = [""] * len(text)
    for kind, spans in (("attribute", attribute_spans), ("group", group_spans)):
        for start, end in spans:
            kinds[start:end] = [kind] * (end - start)
    changes = [0, *(place for place in range(1, len(text)) if kinds[place] != kinds[place - 1]), len(text)]
    return tuple(Segment(text[start:end], kinds[start]) for start, end in pairwise(changes) if end > start)
