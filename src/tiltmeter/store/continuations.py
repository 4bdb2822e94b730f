"""What a ledger keeps of the view of continuations: prompts, texts, ratings, and the raters' own tilt."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from tiltmeter.errors import RunError
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import Completion, Decoding, Prompt, Rating, Scope
from tiltmeter.store.answers import Answers, Kind
from tiltmeter.store.opening import dump, writing
from tiltmeter.store.rows import Rows
from tiltmeter.study.spool import packed

SCHEMA = """
create table prompts (number integer primary key, id text not null unique, source text, bias text,
                      prompt text not null);
create table decodings (number integer primary key, decoding text not null unique);
create table completions (number integer primary key, model text, decoding integer references decodings,
                          prompt integer references prompts, sample integer, text text not null, tokens integer,
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
class KeptText:
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
        self._database.executemany(
            "insert into prompts values (?, ?, ?, ?, ?)",
            ((at, one.id, one.source, one.bias, packed(one)) for at, one in enumerate(prompts)),
        )
        self._database.executemany(
            "insert into decodings values (?, ?)", ((at, dump(asdict(one))) for at, one in enumerate(decodings))
        )

    def texts(self) -> Sequence[KeptText]:
        """The texts so far, in the order in which they were written, read when they are asked for."""
        # They are never deleted, so that their numbers have no gaps.
        query = (
            "select number, prompt, text, unwritten from completions where number > ? and number <= ? order by number"
        )
        [(count,)] = self._database.execute("select count(*) from completions")
        return Rows(count, lambda *ends: (KeptText(*row) for row in self._database.execute(query, ends)))

    def record_rater(self, name: str, scope: Scope, facts: Mapping[str, str]) -> None:
        """Note what a rater is; refuse to go on with one that has changed since.

        A fact that an earlier version did not know is noted when the run goes on.
        """
        now = dump(dict(facts))
        with writing(self._database, self._folder) as database:
            row = database.execute("select facts from raters where rater = ?", (name,)).fetchone()
            if row is None:
                database.execute("insert into raters (rater, scope, facts) values (?, ?, ?)", (name, scope, now))
            elif any(facts.get(key) != value for key, value in json.loads(row[0]).items()):
                raise RunError(
                    f"{self._folder}: the run began with the rater {name} as {row[0]}, which is now {now}; restore it, "
                    "or name another folder with --out"
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
