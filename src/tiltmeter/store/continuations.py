"""The view of continuations in a ledger: prompts, texts, ratings, and the raters' own tilt."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from tiltmeter.answers import Answers, Kind
from tiltmeter.errors import RunError
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import Completion, Continuation, Decoding, Prompt, Rating, Scope
from tiltmeter.store.database import LEDGER, dump, writing
from tiltmeter.store.items import insert_items
from tiltmeter.store.rows import HELD, Rows, count_of, items_of, rows_of
from tiltmeter.store.validation import number, record_reader, valid_ledger

SCHEMA = """
create table decodings (number integer primary key, decoding text not null unique);
create table completions (number integer primary key, model text, decoding integer references decodings,
                          prompt integer, sample integer, text text not null, tokens integer,
                          ended text, unwritten text, unique (model, decoding, prompt, sample));
create table raters (number integer primary key, rater text unique, scope text, facts text not null);
create table ratings (rater integer references raters, completion integer references completions, value real,
                      label text, unrated text, primary key (rater, completion)) without rowid;
create table tilts (rater integer references raters, bias text, "group" text, term text, kind text, sentence text,
                    text text, value real, label text, unrated text)
"""

Place: TypeAlias = tuple[int, int, int]
"""Decoding, prompt and sample, by their numbers: which text of a model."""


@dataclass(frozen=True, slots=True)
class WrittenText:
    """A text as the ledger has it: its number, that of its prompt, the completion, and why there is none."""

    number: int
    prompt: int
    text: str
    unwritten: str | None


WRITTEN: Kind[Place, Completion] = Kind(
    "completions",
    ("model",),
    ("decoding", "prompt", "sample"),
    ("text", "tokens", "ended", "unwritten"),
    "unwritten",
    lambda one: (one.text, one.tokens, one.ended, one.unwritten),
    lambda text, tokens, ended, unwritten: Completion(text, tokens, ended, unwritten=unwritten),
    lambda place: place,
    lambda *place: place,
)
RATED: Kind[int, Rating] = Kind(
    "ratings",
    ("rater",),
    ("completion",),
    ("value", "label", "unrated"),
    "unrated",
    lambda one: (one.value, one.label, one.unrated),
    lambda value, label, unrated: Rating("", value, unrated, label=label),
    who="(select number from raters where rater = ?)",
    # What was not written is asked for first.
    open_where="completion in (select number from completions where unwritten is null)",
)


class ContinuationLedger:
    """The part of an open ledger that the view of continuations writes."""

    def __init__(self, database: sqlite3.Connection, folder: Path) -> None:
        self._database, self._folder = database, folder

    def insert_plan(self, prompts: Sequence[Prompt], decodings: Sequence[Decoding]) -> None:
        """Write down what is to be completed and how, in the writing that begins a run."""
        insert_items(self._database, "continuations", ((one, (None, None)) for one in prompts))
        self._database.executemany(
            "insert into decodings values (?, ?)", ((at, dump(one.as_json())) for at, one in enumerate(decodings))
        )

    def texts(self) -> Sequence[WrittenText]:
        """The texts so far, in the order in which they were written, read when they are asked for."""
        # They are never deleted, so that their numbers have no gaps.
        query = (
            "select number, prompt, text, unwritten from completions where number > ? and number <= ? order by number"
        )
        [(count,)] = self._database.execute("select count(*) from completions")
        return Rows(count, lambda *ends: (WrittenText(*row) for row in self._database.execute(query, ends)))

    def record_raters(self, found: Iterable[tuple[str, Mapping[str, Any], Scope]]) -> None:
        """Note what all raters are, or nothing, each by name, facts and scope; refuse one that has changed since.

        A fact that an earlier version did not know is noted when the run goes on.
        """
        with writing(self._database, self._folder) as database:
            for name, facts, scope in found:
                self._record_rater(database, name, scope, facts)

    def _record_rater(self, database: sqlite3.Connection, name: str, scope: Scope, facts: Mapping[str, Any]) -> None:
        now = dump(dict(facts))
        row = database.execute("select facts from raters where rater = ?", (name,)).fetchone()
        if row is None:
            database.execute("insert into raters (rater, scope, facts) values (?, ?, ?)", (name, scope, now))
        elif any(facts.get(key) != value for key, value in json.loads(row[0]).items()):
            raise RunError(
                f"{self._folder}: the run started with the rater {name} as {row[0]}, which is now {now}; "
                "restore it, or name another folder with --out"
            )
        elif row[0] != now:
            database.execute("update raters set facts = ? where rater = ?", (now, name))

    def add_ratings(self, rater: str, ratings: Sequence[tuple[int, Rating]]) -> None:
        """Add the ratings of a batch, each with the number of its text, in the writing that marks it; count caveats."""
        database, number = self._database, self._rater(rater)
        # A batch of which a text was asked for again is rated again.
        query = "select completion from ratings where rater = ? and completion between ? and ?"
        ends = [end((text for text, _ in ratings), default=0) for end in (min, max)]
        known = {text for (text,) in database.execute(query, (number, *ends))}
        caveats = Counter(one.caveat for text, one in ratings if one.caveat and text not in known)
        if caveats:
            self._count_caveats(database, rater, caveats)
        Answers(RATED, database).put((rater,), ratings, again=True)

    def _count_caveats(self, database: sqlite3.Connection, rater: str, caveats: Counter[str]) -> None:
        row = database.execute("select value from meta where key = 'caveats'").fetchone()
        known: dict[str, dict[str, int]] = json.loads(row[0]) if row else {}
        known[rater] = dict(Counter(known.get(rater, {})) + caveats)
        database.execute("insert or replace into meta values ('caveats', ?)", (dump(known),))

    def finish(self) -> None:
        """Note that every text has its ratings."""
        with writing(self._database, self._folder) as database:
            database.execute("update meta set value = 'true' where key = 'all_rated'")

    def add_tilt(self, rater: str, items: Iterable[tuple[str, TiltItem]]) -> None:
        """Add what a rater makes of sentences in which only the group changes, by bias."""
        number = self._rater(rater)
        self._database.executemany(
            "insert into tilts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((number, bias, *tilt_cells(one)) for bias, one in items),
        )

    def _rater(self, name: str) -> int:
        found = self._database.execute("select number from raters where rater = ?", (name,)).fetchone()
        return int(found[0])


def tilt_cells(item: TiltItem) -> tuple[object, ...]:
    """What is kept of a sentence on which a rater's own tilt is measured."""
    rating = item.rating
    labels = (item.group, item.term, item.kind, item.sentence, item.text)
    return (*labels, rating.value, rating.label, rating.unrated)


_decoding = record_reader(Decoding)
_TEXTS = """
select prompt, sample, text, tokens, ended, {unwritten}, number {more} from completions {joined}
where model = ? and decoding = ? order by prompt, sample
"""


@dataclass(frozen=True, slots=True)
class UsedRater:
    """A rater as a run used it."""

    name: str
    scope: Scope
    facts: Mapping[str, str]


class Continuations:
    """What a run holds of the view of continuations. Nothing of it is kept in memory but settings, and few prompts."""

    def __init__(self, folder: str | Path, held: int = HELD) -> None:
        self.folder, self._held = Path(folder), held

    @cached_property
    def prompts(self) -> Sequence[Prompt]:
        """The prompts, in the order of the study; more than are to be held are read when they are asked for."""
        return items_of(self.folder, "continuations", Prompt, self._held)

    @cached_property
    def decodings(self) -> tuple[Decoding, ...]:
        """The settings under which each model wrote, in the order of the study."""
        return tuple(_decoding(text) for (text,) in self._rows("select decoding from decodings order by number"))

    @cached_property
    def count(self) -> int:
        """How many texts there are."""
        return count_of(self.folder, "completions")

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that wrote something, in the order of the study."""
        rows = self._rows("select model from completions group by model order by min(number)")
        return tuple(model for (model,) in rows)

    @cached_property
    def raters(self) -> tuple[UsedRater, ...]:
        """The raters that were at work, in the order of the study; a refusal rater is always among the last."""
        rows = self._rows("select rater, scope, facts from raters order by number")
        with valid_ledger(self.folder / LEDGER):
            return tuple(UsedRater(str(name), scope, dict(json.loads(facts))) for name, scope, facts in rows)

    def texts(self, model: str, decoding: Decoding) -> Iterator[Continuation]:
        """What a model wrote, prompt by prompt."""
        query = _TEXTS.format(unwritten=self._unwritten, more="", joined="")
        for row in self._rows(query, model, self._number(decoding)):
            with valid_ledger(self.folder / LEDGER):
                made = self._continuation(decoding, row)
            yield made

    def with_ratings(self, model: str, decoding: Decoding) -> Iterator[tuple[Continuation, dict[str, Rating]]]:
        """What a model wrote with what every rater makes of it, one text at a time; not every rater reads all."""
        numbers = list(self._rows("select number, rater from raters order by number"))
        more = "".join(f", r{n}.rater, r{n}.value, r{n}.label, r{n}.unrated" for n, _ in numbers)
        joined = " ".join(
            f"left join ratings r{n} on r{n}.rater = {n} and r{n}.completion = completions.number" for n, _ in numbers
        )
        unwritten = "completions.unwritten" if self._unwritten == "unwritten" else "null"
        query = _TEXTS.format(unwritten=unwritten, more=more, joined=joined)
        for row in self._rows(query, model, self._number(decoding)):
            ratings: dict[str, Rating] = {}
            for place, (_, rater) in enumerate(numbers):
                rated_by, value, label, unrated = row[7 + 4 * place : 11 + 4 * place]
                if rated_by is not None:
                    ratings[rater] = Rating(rater, value, unrated, label=label)
            with valid_ledger(self.folder / LEDGER):
                made = self._continuation(decoding, row)
                for rating in ratings.values():
                    number(rating.value)
            yield made, ratings

    def tilts(self, rater: str) -> list[tuple[str, TiltItem]]:
        """What a rater makes of sentences in which only the group changes, each with its bias."""
        rows = self._rows(
            'select bias, "group", term, kind, sentence, text, value, label, unrated from tilts '
            "join raters on raters.number = tilts.rater where raters.rater = ? order by tilts.rowid",
            rater,
        )
        with valid_ledger(self.folder / LEDGER):
            return [
                (bias, TiltItem(group, term, kind, sentence, text, Rating(rater, number(value), unrated, label=label)))
                for bias, group, term, kind, sentence, text, value, label, unrated in rows
            ]

    def _continuation(self, decoding: Decoding, row: tuple[Any, ...]) -> Continuation:
        prompt, *written = row[:7]
        return Continuation(self.prompts[prompt], decoding, *written)

    @cached_property
    def _unwritten(self) -> str:
        """The column of that name, which the ledgers of earlier versions lack."""
        return (
            "unwritten" if ("unwritten",) in self._rows("select name from pragma_table_info('completions')") else "null"
        )

    def _number(self, decoding: Decoding) -> int:
        try:
            return self.decodings.index(decoding)
        except ValueError:
            raise RunError(f"{self.folder}: no texts were written with {decoding}") from None

    def _rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return rows_of(self.folder, query, *values)
