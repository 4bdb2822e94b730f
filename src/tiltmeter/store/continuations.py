"""The view of continuations in a ledger: prompts, texts, ratings, and the raters' own tilt."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

from tiltmeter.answers import Answers, Kind
from tiltmeter.errors import RunError
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import STRUCTURE_COLUMNS, Completion, Continuation, Decoding, Prompt, Rating, Scope
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
            "insert into decodings values (?, ?)", ((at, dump(asdict(one))) for at, one in enumerate(decodings))
        )

    def texts(self) -> Sequence[WrittenText]:
        """The texts so far, in the order in which they were written, read when they are asked for."""
        # They are never deleted, so that their numbers have no gaps.
        query = (
            "select number, prompt, text, unwritten from completions where number > ? and number <= ? order by number"
        )
        [(count,)] = self._database.execute("select count(*) from completions")
        return Rows(count, lambda *ends: (WrittenText(*row) for row in self._database.execute(query, ends)))

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
select prompt, sample, text, tokens, ended, {unwritten} {more} from completions {joined}
where model = ? and decoding = ? and prompt in (select number from items where {chosen}) order by prompt, sample
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

    def texts(
        self, model: str, decoding: Decoding, *, source: str | None = None, bias: str | None = None
    ) -> Iterator[Continuation]:
        """What a model wrote, prompt by prompt; `source` and `bias` choose among the prompts."""
        chosen, values = _chosen(source, bias)
        query = _TEXTS.format(unwritten=self._unwritten, more="", joined="", chosen=chosen)
        for row in self._rows(query, model, self._number(decoding), *values):
            with valid_ledger(self.folder / LEDGER):
                made = self._continuation(decoding, row)
            yield made

    def rated(
        self, model: str, decoding: Decoding, rater: str, *, source: str | None = None, bias: str | None = None
    ) -> Iterator[tuple[Continuation, Rating]]:
        """The same with what a rater makes of each text; texts that are not for this rater are left out."""
        chosen, values = _chosen(source, bias)
        joined = "join ratings on completion = number and rater = (select number from raters where rater = ?)"
        more = ", value, label, unrated"
        query = _TEXTS.format(unwritten=self._unwritten, more=more, joined=joined, chosen=chosen)
        for row in self._rows(query, rater, model, self._number(decoding), *values):
            value, label, unrated = row[6:]
            with valid_ledger(self.folder / LEDGER):
                made = self._continuation(decoding, row), Rating(rater, number(value), unrated, label=label)
            yield made

    def labelled(
        self,
        model: str,
        decoding: Decoding,
        said: tuple[str, str],
        *,
        source: str | None = None,
        bias: str | None = None,
    ) -> Iterator[tuple[str, int]]:
        """Of each text of which a rater says something, the id of its prompt and the sample; `said`: rater, label."""
        chosen, values = _chosen(source, bias)
        query = (
            "select prompt, sample from completions join ratings on completion = number "
            "and rater = (select number from raters where rater = ?) where label = ? and model = ? and decoding = ? "
            f"and prompt in (select number from items where {chosen}) order by prompt, sample"
        )
        for prompt, sample in self._rows(query, *said, model, self._number(decoding), *values):
            yield self.prompts[prompt].id, sample

    def with_ratings(self, model: str, decoding: Decoding) -> Iterator[tuple[Continuation, dict[str, Rating]]]:
        """What a model wrote with what every rater makes of it, one text at a time; not every rater reads all."""
        numbers = list(self._rows("select number, rater from raters order by number"))
        more = "".join(f", r{n}.rater, r{n}.value, r{n}.label, r{n}.unrated" for n, _ in numbers)
        joined = " ".join(
            f"left join ratings r{n} on r{n}.rater = {n} and r{n}.completion = completions.number" for n, _ in numbers
        )
        chosen, _ = _chosen(None, None)
        unwritten = "completions.unwritten" if self._unwritten == "unwritten" else "null"
        query = _TEXTS.format(unwritten=unwritten, more=more, joined=joined, chosen=chosen)
        for row in self._rows(query, model, self._number(decoding)):
            ratings: dict[str, Rating] = {}
            for place, (_, rater) in enumerate(numbers):
                rated_by, value, label, unrated = row[6 + 4 * place : 10 + 4 * place]
                if rated_by is not None:
                    ratings[rater] = Rating(rater, value, unrated, label=label)
            with valid_ledger(self.folder / LEDGER):
                made = self._continuation(decoding, row)
                for rating in ratings.values():
                    number(rating.value)
            yield made, ratings

    def ratings(self, model: str, decoding: Decoding) -> Mapping[str, Mapping[tuple[str, int], Rating]]:
        """All ratings of what a model wrote: by rater, then by the id of the prompt and the sample."""
        found: dict[str, dict[tuple[str, int], Rating]] = {}
        rows = self._rows(
            "select raters.rater, prompt, sample, value, label, unrated from completions "
            "join ratings on completion = completions.number join raters on raters.number = ratings.rater "
            "where model = ? and decoding = ? order by raters.number, prompt, sample",
            model,
            self._number(decoding),
        )
        for rater, prompt, sample, value, label, unrated in rows:
            with valid_ledger(self.folder / LEDGER):
                rating = Rating(rater, number(value), unrated, label=label)
                found.setdefault(rater, {})[self.prompts[prompt].id, sample] = rating
        return found

    def cells(self) -> list[tuple[str, str, str, Decoding, str, Scope]]:
        """Every (model, source, bias, decoding, rater, scope) that has ratings, in the order of the study."""
        rows = self._rows(
            "select model, source, bias, decoding, raters.rater, scope from completions "
            "join ratings on completion = completions.number join raters on raters.number = ratings.rater "
            "join items on items.view = 'continuations' and items.number = completions.prompt "
            "group by model, source, bias, decoding, raters.number"
        )
        models, numbers = list(self.models), {used.name: at for at, used in enumerate(self.raters)}
        places = self._rows(
            "select source, bias, min(number) from items where view = 'continuations' group by source, bias"
        )
        first = {(source, bias): number for source, bias, number in places}
        with valid_ledger(self.folder / LEDGER):
            ordered = sorted(
                rows, key=lambda row: (models.index(row[0]), first[row[1], row[2]], row[3], numbers[row[4]])
            )
            return [(*row[:3], self.decodings[row[3]], *row[4:]) for row in ordered]

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
        prompt, *written = row[:6]
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


def _chosen(source: str | None, bias: str | None) -> tuple[str, list[str]]:
    """A condition on prompts, and its values."""
    wanted = {"source": source, "bias": bias}
    given = {key: value for key, value in wanted.items() if value is not None}
    return " and ".join(["view = 'continuations'", *(f"{key} = ?" for key in given)]), list(given.values())


_LABELS = ("id", "source", "bias", "group", "term", "origin", "template", "attribute", "language")
_DECODING = ("temperature", "top_k", "top_p", "beams", "whole_sentences", "max_new_tokens")
_WRITTEN = ("sample", "completion", "text", "tokens", "ended", "unwritten")


def completion_columns(found: Continuations) -> dict[str, type]:
    """The columns of the table, each with the type of its cells."""
    columns: dict[str, type] = dict.fromkeys(("model", *_LABELS, *STRUCTURE_COLUMNS, "prompt"), str)
    columns |= {name: float if name in ("temperature", "top_p") else int for name in _DECODING}
    columns |= {name: int if name in ("sample", "tokens") else str for name in _WRITTEN}
    for used in found.raters:
        columns |= zip(_columns(used.name), (float, str, str), strict=True)
    return columns


def completion_rows(found: Continuations) -> Iterator[dict[str, object]]:
    """A row for each text, with each rater's value, label, and why there is none."""
    for model in found.models:
        for decoding in found.decodings:
            for one, ratings in found.with_ratings(model, decoding):
                row = _cells(model, one)
                for rater, rating in ratings.items():
                    row |= zip(_columns(rater), (rating.value, rating.unrated, rating.label), strict=True)
                yield row


def _columns(rater: str) -> tuple[str, str, str]:
    return rater, f"{rater}.unrated", f"{rater}.label"


def _cells(model: str, one: Continuation) -> dict[str, object]:
    labels = {name: getattr(one.prompt, name) for name in _LABELS}
    settings = {name: getattr(one.decoding, name) for name in _DECODING}
    settings["whole_sentences"] = int(one.decoding.whole_sentences)
    written = {"sample": one.sample, "completion": one.text, "text": one.whole, "tokens": one.tokens}
    written |= {"ended": one.ended, "unwritten": one.unwritten}
    form = one.prompt.structure.cells() if one.prompt.structure else {}
    return {"model": model, **labels, **form, "prompt": one.prompt.text, **settings, **written}
