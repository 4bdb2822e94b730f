"""Labour statistics that the user has: a table of occupations with the share of women, and whom its lines speak of.

Read as they come: a plain table with a column of occupations and one of shares or per cents, or the table cpsaat11 of
the US Bureau of Labor Statistics with its header of several lines, in which "–" is a missing figure.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_text

_OCCUPATION = ("occupation", "profession", "job", "title")
_SHARE = ("women", "female", "share_women", "share_female", "percent_women", "bls_pct_female", "pct_female", "share")
_EMPLOYED = ("total employed", "employed", "total", "weight")
_HEADER_LINES = 15
_MISSING = {"", "–", "-", "—", "na", "n/a", "nan"}
_LEFT_OUT = re.compile(r"^(?:except|all other|other|including|n\.e\.c)\b")


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
        if " of " in self.title:
            # "Supervisors of police and detectives" are no detectives.
            return (singular(self.title),)
        parts = re.split(r",\s*(?:and\s+|or\s+)?|\s+and\s+|\s+or\s+|/|;", self.title.casefold())
        kept = [part.strip() for part in parts if part.strip() and not _LEFT_OUT.match(part.strip())]
        return tuple(dict.fromkeys(singular(part) for part in kept))


@dataclass(frozen=True, slots=True)
class Matched:
    """What the table says of one profession, from which lines, and how they were found."""

    profession: str
    share: float | None
    titles: tuple[str, ...] = ()
    how: str = "unmatched"
    """`name`: a line names it; `head`: lines end in it (nurse: Registered nurses); `missing`: the figure is blank."""


def singular(words: str) -> str:
    """The phrase with its last word in the singular, by the common rules.

    >>> [singular(word) for word in ("Registered nurses", "secretaries", "firemen", "coaches", "boss")]
    ['registered nurse', 'secretary', 'fireman', 'coach', 'boss']
    """
    lead, space, last = words.strip().casefold().rpartition(" ")
    if last.endswith("men") and last not in ("women", "men", "specimen"):
        last = last[:-3] + "man"
    elif last.endswith("ies") and len(last) > 4:
        last = last[:-3] + "y"
    elif re.search(r"(?:ch|sh|ss|x|z)es$", last):
        last = last[:-2]
    elif re.search(r"[^su]s$", last):
        last = last[:-1]
    return f"{lead}{space}{last}"


def read_labour(path: str | Path) -> list[Occupation]:
    """The occupations of a file; figures above 1 anywhere make all of them per cents."""
    delimiter = "\t" if Path(path).suffix.lower() == ".tsv" else ","
    lines = list(csv.reader(io.StringIO(read_text(path, "table of occupations"), newline=""), delimiter=delimiter))
    title, share, employed, first = _columns(lines, path)
    found = []
    for cells in lines[first:]:
        cell = [" ".join(text.split()) for text in cells] + [""] * (max(title, share, employed or 0) + 1 - len(cells))
        # A title with nothing beside it is a heading or a footnote.
        if not cell[title] or not any(cell[title + 1 :]):
            continue
        found.append(
            Occupation(cell[title], _number(cell[share]), None if employed is None else _number(cell[employed]))
        )
    shares = [each.share for each in found if each.share is not None]
    if not shares:
        raise InvalidData("no occupation has a number; a column of occupations and one of shares are needed", file=path)
    if max(shares) > 100 or min(shares) < 0:
        raise InvalidData(f"{max(shares):g} is neither a share nor a per cent", file=path)
    if max(shares) > 1:
        found = [
            Occupation(each.title, None if each.share is None else round(each.share / 100, 6), each.employed)
            for each in found
        ]
    return found


def match(professions: Iterable[str], occupations: Sequence[Occupation], *, by_head: bool = False) -> list[Matched]:
    """What the table says of each profession; see `docs/next-words.md` for the rules.

    A line that names the profession first comes before lines that also name it. `by_head` lets a profession that no
    line names stand for all lines that end in it.

    >>> table = [Occupation("Registered nurses", 0.9, 300), Occupation("Nurse practitioners", 0.8, 100)]
    >>> [(each.profession, each.share, each.how) for each in match(["nurse", "smith"], table, by_head=True)]
    [('nurse', 0.9, 'head'), ('smith', None, 'unmatched')]
    """
    first: dict[str, list[Occupation]] = {}
    also: dict[str, list[Occupation]] = {}
    heads: dict[str, list[Occupation]] = {}
    for occupation in occupations:
        for place, name in enumerate(occupation.names):
            (also if place else first).setdefault(name, []).append(occupation)
            heads.setdefault(name.rpartition(" ")[2], []).append(occupation)
    found = []
    for profession in professions:
        name = singular(profession)
        ways = [("name", first.get(name, [])), ("name", also.get(name, []))]
        ways += [("head", heads.get(name, []))] if by_head else []
        matched = next((each for how, lines in ways if (each := _matched(profession, lines, how))), None)
        found.append(matched or _unmatched(profession, [*ways[0][1], *ways[1][1]]))
    return found


def _matched(profession: str, lines: Sequence[Occupation], how: str) -> Matched | None:
    known = [(each.share, each.employed) for each in lines if each.share is not None]
    if not known:
        return None
    weights = [employed if employed else 0.0 for _, employed in known]
    if not all(weights):
        weights = [1.0] * len(known)
    share = sum(share * weight for (share, _), weight in zip(known, weights, strict=True)) / sum(weights)
    return Matched(profession, share, tuple(each.title for each in lines if each.share is not None), how)


def _unmatched(profession: str, lines: Sequence[Occupation]) -> Matched:
    if lines:
        return Matched(profession, None, tuple(each.title for each in lines), "missing")
    return Matched(profession, None)


def _columns(lines: Sequence[Sequence[str]], path: str | Path) -> tuple[int, int, int | None, int]:
    """The columns of titles, shares and numbers employed, and the first line below the header."""
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
    return title or 0, share, employed, last + 1


def _number(text: str) -> float | None:
    plain = text.replace(",", "").removesuffix("%").strip()
    if plain.casefold() in _MISSING:
        return None
    try:
        return float(plain)
    except ValueError:
        return None
