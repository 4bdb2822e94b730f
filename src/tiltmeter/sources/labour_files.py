"""Labour statistics that the user has: a table of occupations with the share of women, and whom its lines speak of.

Read as they come: a plain table with a column of occupations and one of shares or per cents, or the table cpsaat11 of
the US Bureau of Labor Statistics with its header of several lines, in which "–" is a missing figure. One sign "%" or
one figure above 1 makes all of them per cents.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from tiltmeter import dialects
from tiltmeter.errors import InvalidData
from tiltmeter.sources import nouns
from tiltmeter.sources.tables import kind_of, read_table

_OCCUPATION = ("occupation", "profession", "job", "title")
_SHARE = ("women", "female", "share_women", "share_female", "percent_women", "bls_pct_female", "pct_female", "share")
_EMPLOYED = ("total employed", "employed", "total", "weight")
_HEADER_LINES = 15
_MISSING = {"", "–", "-", "—", "na", "n/a", "nan"}
_LEFT_OUT = re.compile(r"^(?:except|all other|other|including|n\.e\.c|not elsewhere classified)\b")
_RESIDUAL = re.compile(r"^(?:(?:all )?other|miscellaneous)\b|\b(?:all other|n\.e\.c\.?|not elsewhere classified)$")


@dataclass(frozen=True, slots=True)
class Occupation:
    """A line of the table: its title, the share of women (None: missing), and how many work in it."""

    title: str
    share: float | None
    employed: float | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """What the title names, each in the singular.

        >>> Occupation("Judges, magistrates, and other judicial workers", 0.4).names
        ('judge', 'magistrate')
        """
        title = re.sub(r"^(?:(?:all )?other|miscellaneous)\s+", "", " ".join(self.title.casefold().split()))
        if " of " in title:
            # "Supervisors of police and detectives" are no detectives.
            return (singular(title),)
        parts = re.split(r",\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|/|;", title)
        kept = [part.strip() for part in parts if part.strip() and not _LEFT_OUT.match(part.strip())]
        return tuple(dict.fromkeys(singular(part) for part in kept))

    @property
    def residual(self) -> bool:
        """Whether the line holds what other lines leave over.

        >>> Occupation("Social workers, all other", 0.8).residual, Occupation("Judges and other workers", 0.4).residual
        (True, False)
        """
        return bool(_RESIDUAL.search(self.title.casefold().strip()))


@dataclass(frozen=True, slots=True)
class Matched:
    """What the table says of one profession, from which lines, and how they were found."""

    profession: str
    share: float | None
    titles: tuple[str, ...] = ()
    how: str = "unmatched"
    """`name`: a line names it; `union`: the line of what is left over ("Engineers, all other") with all lines that end
    in it; `residual`: that line alone, since no other has a figure; `head`: lines end in it (nurse: Registered nurses);
    `missing`: the figure is blank."""


def singular(words: str) -> str:
    """The phrase in small letters and in the singular.

    >>> [singular(word) for word in ("Registered nurses", "secretaries", "firemen", "coaches", "boss", "Midwives")]
    ['registered nurse', 'secretary', 'fireman', 'coach', 'boss', 'midwife']
    """
    return nouns.singular(words.strip().casefold())


def _lines(path: str | Path) -> tuple[list[Sequence[str]], list[int]]:
    """The lines of a table with its header, which may be several, and where each ends."""
    delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
    lines: list[Sequence[str]] = []
    ends: list[int] = []
    if kind_of(path) != "csv":
        columns, rows = read_table(path)
        lines = [columns, *([cells[name] for name in columns] for _, cells in rows)]
        return lines, [1, *(line for line, _ in rows)]
    with dialects.opened(path, delimiter) as (file, dialect):
        reader = csv.reader(file, delimiter=dialect.delimiter)
        for cells in reader:
            lines.append(cells)
            ends.append(reader.line_num + dialect.lines)
    return lines, ends


def read_labour(path: str | Path) -> list[Occupation]:
    """The occupations of a file."""
    lines, ends = _lines(path)
    place = _columns(lines, path)
    found: list[tuple[int, Occupation]] = []
    per_cent = False
    for line, cells in zip(ends[place.first :], lines[place.first :], strict=True):
        cell = [" ".join(text.split()) for text in cells] + [""] * (place.width - len(cells))
        beside = [text for number, text in enumerate(cell) if number != place.title and text]
        # In a table laid out for print, a title with nothing beside it is a heading or a footnote.
        if not cell[place.title] or (place.printed and not beside):
            continue
        share, employed = cell[place.share], None if place.employed is None else _number(cell[place.employed])
        per_cent = per_cent or (share.endswith("%") and _number(share) is not None)
        found.append((line, Occupation(cell[place.title], _number(share), employed)))
    shares = [each.share for _, each in found if each.share is not None]
    if not shares:
        raise InvalidData(
            "no occupation has a number; the file needs a column of occupations and one of shares", file=path
        )
    for line, each in found:
        if each.share is not None and not 0 <= each.share <= 100:
            raise InvalidData(
                f"{each.share:g} is neither a share, from 0 to 1, nor a per cent, from 0 to 100", file=path, line=line
            )
    per_cent = per_cent or max(shares) > 1
    return [replace(each, share=_as_share(each.share)) if per_cent else each for _, each in found]


def _as_share(per_cent: float | None) -> float | None:
    return None if per_cent is None else round(per_cent / 100, 6)


def match(professions: Iterable[str], occupations: Sequence[Occupation], *, by_head: bool = False) -> list[Matched]:
    """What the table says of each profession; see `docs/next-words.md` for the rules.

    A line that names the profession first comes before lines that also name it. "Social workers, all other" is only
    what is left over: it counts together with every line that ends in *social workers*, each as much as it employs.
    `by_head` lets a profession that no line names stand for all lines that end in it.

    >>> table = [Occupation("Registered nurses", 0.9, 300), Occupation("Nurse practitioners", 0.8, 100)]
    >>> [(each.profession, each.share, each.how) for each in match(["nurse", "smith"], table, by_head=True)]
    [('nurse', 0.9, 'head'), ('smith', None, 'unmatched')]
    """
    first: dict[str, list[Occupation]] = {}
    also: dict[str, list[Occupation]] = {}
    rest: dict[str, list[Occupation]] = {}
    ending: dict[str, list[Occupation]] = {}
    for occupation in occupations:
        for place, name in enumerate(occupation.names):
            (rest if occupation.residual else also if place else first).setdefault(name, []).append(occupation)
            for end in _endings(name):
                lines = ending.setdefault(end, [])
                lines += [occupation] if occupation not in lines[-1:] else []
    found = []
    for profession in professions:
        name = singular(profession)
        named = [first.get(name, []), also.get(name, [])]
        ways = [("name", lines) for lines in named]
        if name in rest:
            ways.append(("union", ending[name]))
        if by_head:
            ways.append(("head", ending.get(name, [])))
        matched = next((each for how, lines in ways if (each := _matched(profession, lines, how))), None)
        found.append(matched or _unmatched(profession, [*named[0], *named[1], *rest.get(name, [])]))
    return found


def _endings(name: str) -> list[str]:
    """What a name ends in, itself among it.

    >>> _endings("school social worker")
    ['school social worker', 'social worker', 'worker']
    """
    words = name.split()
    return [" ".join(words[place:]) for place in range(len(words))]


def _matched(profession: str, lines: Sequence[Occupation], how: str) -> Matched | None:
    known = [each for each in lines if each.share is not None]
    if not known:
        return None
    weights = [each.employed for each in known if each.employed is not None]
    if len(weights) < len(known) or not sum(weights):
        weights = [1.0] * len(known)
    how = "residual" if how == "union" and all(each.residual for each in known) else how
    share = sum((each.share or 0.0) * weight for each, weight in zip(known, weights, strict=True)) / sum(weights)
    return Matched(profession, share, tuple(each.title for each in known), how)


def _unmatched(profession: str, lines: Sequence[Occupation]) -> Matched:
    if lines:
        return Matched(profession, None, tuple(each.title for each in lines), "missing")
    return Matched(profession, None)


@dataclass(frozen=True, slots=True)
class _Places:
    """The columns of titles, shares and numbers employed, the first line below the header, and what kind of table."""

    title: int
    share: int
    employed: int | None
    first: int
    printed: bool
    """Whether other lines stand above the header, or it has several."""

    @property
    def width(self) -> int:
        return max(self.title, self.share, self.employed or 0) + 1


def _columns(lines: Sequence[Sequence[str]], path: str | Path) -> _Places:
    title = share = employed = None
    last = 0
    for number, cells in enumerate(lines[:_HEADER_LINES]):
        for place, cell in enumerate(cells):
            text = " ".join(cell.split()).casefold()
            if text in _OCCUPATION and title is None:
                title, last = place, max(last, number)
            elif text in _SHARE and share is None:
                share, last = place, max(last, number)
            elif text in _EMPLOYED and employed is None:
                employed = place
        if title is not None and share is not None:
            break
    if share is None:
        raise InvalidData(f"no column is called {', '.join(_SHARE[:4])} or the like", file=path, line=1)
    return _Places(title or 0, share, employed, last + 1, last > 0)


def _number(text: str) -> float | None:
    plain = text.replace(",", "").removesuffix("%").strip()
    if plain.casefold() in _MISSING:
        return None
    try:
        return float(plain)
    except ValueError:
        return None
