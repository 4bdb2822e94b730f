"""Works that a report cites: those of tiltmeter's own parts, and those that a spec names."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from tiltmeter.present.asset import asset
from tiltmeter.present.blocks import Span

_WORK = re.compile(r"(?P<first>[^\W\d][^,&\d]*?)(?: et al\.?)?(?:[,&][^\d]*)? \(?(?P<year>1[5-9]\d\d|20\d\d)\)?[,.]")
_BETWEEN = re.compile(r";\s+(?![^(]*\))")
"""A semicolon between two works, which is none inside brackets."""
_OTHERS = "others"
_KEY = 60
"""Letters of a key."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A work; one that is known only as a spec's own words has them as its title, and nothing else."""

    key: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""

    @property
    def words(self) -> str:
        """The work as a bibliography has it.

        >>> Reference("h", "On it", ("Hall", "Zou", "others"), 1992, "JRSS").words
        'Hall, Zou et al. (1992). On it. JRSS.'
        """
        if not self.authors:
            return self.title
        return f"{_people(self.authors)} ({self.year}). {self.title}.{f' {self.venue}.' if self.venue else ''}"

    @property
    def fields(self) -> dict[str, str]:
        """The work as an entry of BibTeX."""
        year = str(self.year or "")
        return {"author": " and ".join(self.authors), "year": year, "title": self.title, "howpublished": self.venue}


def _people(authors: tuple[str, ...]) -> str:
    if authors[-1] == _OTHERS:
        return f"{', '.join(authors[:-1])} et al."
    return " & ".join([", ".join(authors[:-1]), authors[-1]]) if len(authors) > 1 else authors[0]


class Citations:
    """Numbers works in the order in which they are first cited."""

    def __init__(self) -> None:
        self._cited: dict[str, Reference] = {}

    @property
    def references(self) -> tuple[Reference, ...]:
        """What was cited, in the order of the numbers."""
        return tuple(self._cited.values())

    def cite(self, *keys: str) -> list[Span]:
        """Works by their keys; nothing where there are none."""
        return self._cite(Reference(key, **_works()[key]) for key in keys)

    def cite_part(self, noun: str, name: str) -> list[Span]:
        """The works that a registered part rests on; none where it is tiltmeter's own, or of a plug-in."""
        return self.cite(*_read().get(noun, {}).get(name, ()))

    def cite_spec(self, citation: str) -> list[Span]:
        """The works that a spec names: known ones as they are known, others in the spec's own words."""
        return self._cite(of_spec(citation))

    def _cite(self, works: Iterable[Reference]) -> list[Span]:
        found = list(dict.fromkeys(works))
        for work in found:
            self._cited.setdefault(work.key, work)
        numbers = {key: number for number, key in enumerate(self._cited, start=1)}
        ordered = sorted((numbers[work.key], work.key) for work in found)
        words = f"[{', '.join(str(number) for number, _ in ordered)}]"
        return [Span(words, "cite", tuple(key for _, key in ordered))] if ordered else []


def of_spec(citation: str) -> list[Reference]:
    """The works in the citation of a spec, which is free text with a semicolon between two works.

    >>> [one.key for one in of_spec("Caliskan, Bryson & Narayanan 2017, Semantics (WEAT 3); Jo 2001, Mine")]
    ['caliskan2017', 'jo-2001-mine']
    """
    return [_known(part) or Reference(_key(part), part) for part in _BETWEEN.split(citation.strip()) if part]


def _known(part: str) -> Reference | None:
    match = _WORK.match(part)
    if match is None:
        return None
    for key, work in _works().items():
        if work["authors"][0] == match["first"].strip() and work["year"] == int(match["year"]):
            return Reference(key, **work)
    return None


def _key(text: str) -> str:
    """A key of letters that BibTeX takes; what they leave out of the text is told apart by a hash of it.

    >>> _key("Word lists of ours"), _key("王 2020") == _key("李 2020")
    ('word-lists-of-ours', False)
    """
    plain = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    if text.isascii() and 0 < len(plain) <= _KEY:
        return plain
    return f"{plain[:_KEY].strip('-') or 'work'}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _works() -> dict[str, Any]:
    works: dict[str, Any] = _read()["works"]
    return works


@cache
def _read() -> dict[str, Any]:
    found = tomllib.loads(asset("references.toml"))
    for work in found["works"].values():
        work["authors"] = tuple(work["authors"])
    return found
