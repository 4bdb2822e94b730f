"""Ratings of the texts of a table: the same table with a column for each rater, and one for why a rating is missing.

The table is read several times, row by row, and never held in memory: once to see that it is whole, once for each
rater, and once to write it with what was found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from tiltmeter import raters as raters_module
from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.progress import Progress
from tiltmeter.raters import Rater, language_problem, mask_group
from tiltmeter.raters.class_map import declared
from tiltmeter.raters.interface import EMPTY
from tiltmeter.raters.refusal import NAME as REFUSALS
from tiltmeter.raters.refusal import REFUSAL
from tiltmeter.raters.scales import on_scale
from tiltmeter.records import Rating
from tiltmeter.results.files.rated_values import DECLINED
from tiltmeter.results.files.rated_writing import NewColumns, Spool, columns_of, write_rated
from tiltmeter.sources.cells import text_of
from tiltmeter.sources.chat_logs import CELLS, REFUSED
from tiltmeter.sources.tables import NumberedRow, column, stream_table

KINDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
_BATCH = 256
_REMEMBERED = 100_000
"""Ratings that are kept, so that a text that comes again is not rated again."""


@dataclass(frozen=True, slots=True)
class Masking:
    """What stands for the group in a text: terms of all groups, terms by group, a column that holds the term."""

    terms: tuple[str, ...] = ()
    by_group: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    group: str | None = None
    """The column of the group; without it the terms of every group are masked."""
    column: str | None = None

    @property
    def given(self) -> bool:
        """Whether anything is to be masked."""
        return bool(self.terms or self.by_group or self.column)


@dataclass(frozen=True, slots=True)
class RatedColumn:
    """What one rater made of the texts of a file."""

    rater: str
    column: str
    rated: int
    unrated: Mapping[str, int]
    """Why texts have no rating, and how many."""
    unmasked: int | None
    """Texts in which nothing was masked, of a rater that wants the group masked; None for the others."""
    facts: Mapping[str, str]
    caveats: Mapping[str, int] = field(default_factory=dict)
    """What must be known of ratings, and of how many."""

    @property
    def rows(self) -> int:
        """How many texts there are."""
        return self.rated + sum(self.unrated.values())

    def as_json(self) -> dict[str, Any]:
        """What was rated and what was not."""
        return {
            "rater": self.rater,
            "column": self.column,
            "rated": self.rated,
            "unrated": dict(self.unrated),
            "caveats": dict(self.caveats),
            "unmasked": self.unmasked,
            "facts": dict(self.facts),
        }


def check_kind(path: str | Path) -> None:
    """Refuse a name that does not say what kind of table is to be written."""
    if Path(path).suffix.lower() not in KINDS:
        raise InvalidData(f"the name does not end in {', '.join(KINDS)}, so its kind is not known", file=path)


def rate_file(
    path: str | Path,
    out: str | Path,
    raters: Sequence[Rater],
    *,
    text: str = "text",
    masking: Masking | None = None,
    language: str = "",
    overwrite: bool = False,
    progress: Progress | None = None,
) -> list[RatedColumn]:
    """Rate the texts of a table and write it again, with what was found; nothing is written before all is rated.

    `language` is that of the texts, by its two letters; empty: not asked. A column that has the name of a new one is
    an error, unless `overwrite` says that it is to be replaced.
    """
    check_kind(out)
    mask = masking or Masking()
    names = _column_names(raters)
    columns, rows = _checked(path, text, mask, () if overwrite else names)
    text = column(columns, text, path, "--text")
    judge = raters_module.load(REFUSALS) if set(CELLS) <= set(columns) else None
    found = []
    with ExitStack() as spools:
        new = []
        for rater, name in zip(raters, names, strict=True):
            spool = spools.enter_context(Spool())
            texts = _Texts(path, text, mask, None if rater.name == REFUSALS else judge)
            unmasked = _rate(texts, rater, language, spool, _Progress(progress, rater.name, rows))
            new.append(NewColumns(name, spool))
            facts, caveats = dict(rater.facts), dict(spool.caveats)
            found.append(RatedColumn(rater.name, name, spool.rated, dict(spool.unrated), unmasked, facts, caveats))
        write_rated(path, out, columns, new)
    return found


def _checked(path: str | Path, text: str, masking: Masking, names: Sequence[str]) -> tuple[list[str], int]:
    """Read the whole table once, before any work is done for it: its columns, and how many rows it has."""
    columns: dict[str, None] = {}
    rows = 0
    groups: dict[str, int] = {}
    for line, cells in stream_table(path):
        rows += 1
        columns |= dict.fromkeys(cells)
        text_of(cells, text, path, line)
        if masking.group and masking.by_group:
            groups.setdefault(cells.get(masking.group, "").strip(), line)
    if not rows:
        raise InvalidData("the file has no rows", file=path)
    for name, option in ((text, "--text"), (masking.group, "--group"), (masking.column, "--mask-column")):
        if name is not None:
            column(list(columns), name, path, option)
    for group, line in groups.items():
        if group not in masking.by_group:
            problem = UnknownName("group", group, masking.by_group).problem
            raise InvalidData(f"{problem} (its terms are to be masked)", file=path, line=line, key=masking.group)
    taken = [name for name in columns if name in {each for new in names for each in columns_of(new)}]
    if taken:
        raise InvalidData(f"there is a column `{taken[0]}` already; --overwrite replaces it", file=path, line=1)
    return list(columns), rows


@dataclass(frozen=True, slots=True)
class _Texts:
    """The texts of a table, and what of them is masked."""

    path: str | Path
    text: str
    masking: Masking
    judge: Rater | None = None
    """Of the log of a chat model: the rater that says which answers are refusals, and so have no rating."""

    def read(self, *, masked: bool) -> Iterator[tuple[str, bool, bool]]:
        """Each text as a rater is to read it, whether anything in it is masked, and whether it declines to answer."""
        every = tuple(term for terms in self.masking.by_group.values() for term in terms)
        for row in stream_table(self.path):
            text = text_of(row[1], self.text, self.path, row[0])
            read = mask_group(text, terms=self._terms(row, every)) if masked else text
            yield read, read != text, self._declines(row, text)

    def _declines(self, row: NumberedRow, text: str) -> bool:
        if self.judge is None:
            return False
        return row[1].get(REFUSED) == "1" or self.judge.rate([text])[0].label == REFUSAL

    def _terms(self, row: NumberedRow, every: tuple[str, ...]) -> list[str]:
        masking, cells = self.masking, row[1]
        terms = [*masking.terms, *([cells.get(masking.column, "")] if masking.column else [])]
        by_own_group = masking.by_group and masking.group
        return [*terms, *(masking.by_group[cells.get(masking.group or "", "").strip()] if by_own_group else every)]


class _Progress:
    """Reports progress, where somebody asks for it."""

    def __init__(self, progress: Progress | None, what: str, total: int) -> None:
        self._progress = progress
        if progress:
            progress.start(what, total, 0)

    def advance(self, steps: int, failed: int) -> None:
        if self._progress:
            self._progress.advance(steps, failed)


def _rate(texts: _Texts, rater: Rater, language: str, spool: Spool, progress: _Progress) -> int | None:
    """One rating for each text, equal texts once; how many had nothing to mask, where that is wanted."""
    reason = language_problem(rater, language) if language else None
    known: dict[bytes, Rating] = {}
    unmasked = 0
    rows = texts.read(masked=rater.wants_mask)
    while batch := list(islice(rows, _BATCH)):
        unmasked += sum(not masked for _, masked, _ in batch)
        new = {_digest(text): text for text, _, declines in batch if not declines}
        wanted = {key: text for key, text in new.items() if key not in known}
        if reason:
            made = [Rating(rater.name, None, reason if text.strip() else EMPTY) for text in wanted.values()]
        else:
            made = [on_scale(one) for one in rater.rate(list(wanted.values()))] if wanted else []
        if len(known) > _REMEMBERED:
            known = {key: known[key] for key in new if key in known}
        known |= zip(wanted, made, strict=True)
        declined = Rating(rater.name, None, DECLINED)
        ratings = [declined if declines else known[_digest(text)] for text, _, declines in batch]
        for rating in ratings:
            spool.add(rating)
        progress.advance(len(batch), sum(rating.unrated is not None for rating in ratings))
    return unmasked if rater.wants_mask else None


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _column_names(raters: Sequence[Rater]) -> list[str]:
    """The raters' names without what stands after a colon, unless two would then be called the same."""
    # The name of a classifier of the user's says which weights and what scale.
    short = [rater.name if declared(rater.name) else rater.name.partition(":")[0] for rater in raters]
    return [rater.name if short.count(name) > 1 else name for rater, name in zip(raters, short, strict=True)]
