"""The ledger of a run: its plan, its finished batches, and what the view of pairs makes of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tiltmeter.answers import Answers
from tiltmeter.errors import OtherRun, RunError
from tiltmeter.records import Dropped, Item, ModelFacts, Pair, PairScore
from tiltmeter.sources.generated.settings import UnitResult
from tiltmeter.store import continuations, items, next_words, replies
from tiltmeter.store.amending import Amendments
from tiltmeter.store.continuations import RATED, WRITTEN, ContinuationLedger, Continuations
from tiltmeter.store.database import LEDGER, changed_versions, connect, connect_to_read, dump, versions, writing
from tiltmeter.store.items import convert_items, insert_items, is_earlier
from tiltmeter.store.next_words import EXPECTED, EXPLAINED, Expectations, NextWordLedger
from tiltmeter.store.pairs import SCORED, dropped_of, scored_pairs
from tiltmeter.store.replies import REPLIED
from tiltmeter.store.rows import HELD, is_whole, items_of, note_whole
from tiltmeter.store.validation import check_rows, checked_meta, create, has_digests
from tiltmeter.study import Plan
from tiltmeter.study.asked import asked_in, asked_view
from tiltmeter.views import View


@dataclass(frozen=True, slots=True)
class NewItems:
    """What a generation stage adds to a plan: pairs, what could not be made, and the issues of each pair's sentence."""

    pairs: Sequence[Pair]
    dropped: Sequence[Dropped]
    findings: Mapping[str, Sequence[tuple[str, str]]]
    """By the id of a pair that was audited: issues and reasons; none of them where the sentence is clean."""


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Run:
    """What a finished or unfinished run holds, read back without any model; very many items when they are asked for."""

    folder: Path
    meta: Mapping[str, Any]
    facts: Mapping[str, ModelFacts]
    pairs: Sequence[Pair]
    dropped: Sequence[Dropped]
    scores: Mapping[tuple[str, str], Sequence[PairScore]]
    """By model and scorer, in the order of the study; the scores in the order of the pairs."""
    flagged: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)
    """Issues and reasons of the generated pairs that have some, by the id of the pair."""
    writers: Mapping[str, ModelFacts] = field(default_factory=dict)
    """The models that wrote sentences."""
    continuations: Continuations | None = None
    """Texts and ratings, read when they are asked for; None where the study has no such view."""
    next_words: Expectations | None = None
    """What the models expect, likewise."""
    asked: Mapping[View, Sequence[Item]] = field(default_factory=dict)
    """Those of the views that need no more than queries."""
    is_checked: bool = True
    """Whether the ledger keeps digests, so that damage to it is noticed: those of earlier versions do not."""

    def __repr__(self) -> str:
        return f"<Run {self.folder}: {self.meta['resolved']['name']}>"


StageName = Literal["scoring", "completing", "rating", "tilting", "expecting", "explaining"]


@dataclass(frozen=True, slots=True)
class Steps:
    """The finished batches of a stage of the work by one model or rater."""

    database: sqlite3.Connection
    folder: Path
    stage: StageName
    name: str

    def done(self) -> set[int]:
        """Those that are finished."""
        query = "select batch from steps where stage = ? and name = ?"
        return {number for (number,) in self.database.execute(query, (self.stage, self.name))}

    @contextmanager
    def marked(self, at: int = 0) -> Iterator[None]:
        """A writing at whose end a batch is marked as done."""
        with writing(self.database, self.folder):
            yield
            self.database.execute("insert into steps values (?, ?, ?)", (self.stage, self.name, at))


def _convert_batches(database: sqlite3.Connection) -> None:
    """Runs of before had a table of their own for the batches of scoring."""
    if database.execute("select 1 from sqlite_master where name = 'batches'").fetchone():
        database.execute("insert into steps select 'scoring', model, batch from batches")
        database.execute("delete from batches")


_SCHEMA = """
create table meta    (key text primary key, value text not null);
create table models  (model text primary key, facts text not null);
create table writers (model text primary key, facts text not null);
create table readers (model text primary key, facts text not null);
create table dropped (number integer primary key, bias text, origin text, text text, reason text);
create table units   (source text, unit text, result text not null, primary key (source, unit));
create table findings (pair integer, issue text, because text);
create table answers (model text, conditioning text, text text, spans text, tokens text, unscored text,
                      primary key (model, conditioning, text, spans)) without rowid;
create table cells   (number integer primary key, model text, scorer text, unique (model, scorer));
create table scores  (model text, scorer text, pair integer, score_1 real, score_2 real,
                      unscored text, primary key (model, scorer, pair)) without rowid;
create table steps   (stage text, name text, batch integer, primary key (stage, name, batch)) without rowid
"""


class Ledger:
    """The open ledger of one run."""

    def __init__(self, folder: str | Path, *, read_only: bool = False) -> None:
        self.folder = Path(folder)
        path = self.folder / LEDGER
        self._is_whole = not read_only and is_whole(path)
        self._database = connect_to_read(path) if read_only else connect(path)
        if not read_only and is_earlier(self._database):
            with self._transaction() as database:
                convert_items(database)
        if not read_only and self._lacks_replies():
            with self._transaction() as database:
                create(database, replies.SCHEMA)
        self.continuations = ContinuationLedger(self._database, self.folder)
        self.next_words = NextWordLedger(self._database, self.folder)
        self.scored = Answers(SCORED, self._database)
        self.written = Answers(WRITTEN, self._database)
        self.rated = Answers(RATED, self._database)
        self.expected = Answers(EXPECTED, self._database)
        self.explained = Answers(EXPLAINED, self._database)
        self.replied = Answers(REPLIED, self._database)
        kept = (self.scored, self.replied, self.written, self.rated, self.expected)
        self.amendments = Amendments(self._database, self.folder, kept)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, error: object, *_: object) -> None:
        self._database.close()
        if self._is_whole and error is None:
            # What this process has written need not be read to be known.
            note_whole(self.folder / LEDGER)

    def begin(self, plan: Plan) -> bool:
        """Write the plan into a new ledger, or check that it is the one an earlier run began; True where new.

        A run that was begun and has no answer yet gives way: nothing of it would be lost.
        """
        with self._transaction() as database:
            if self.has_plan():
                before = self.meta()
                if before["fingerprint"] == plan.fingerprint:
                    self._refuse_other_versions(before["versions"])
                    _convert_batches(database)
                    return False
                if self.has_answers():
                    raise OtherRun(
                        f"{self.folder}: holds another run (its study, specs or data differ); choose another "
                        "folder with --out; unchanged parts come from the cache"
                    )
                for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
                    database.execute(f'drop table "{table}"')
            create(database, ";".join((_SCHEMA, items.SCHEMA, replies.SCHEMA, continuations.SCHEMA, next_words.SCHEMA)))
            meta = {
                "fingerprint": plan.fingerprint,
                "study": plan.study.text,
                "resolved": plan.resolved,
                "versions": versions(),
                "has_all_probes": not plan.study.generated,
                "all_rated": plan.study.continuations is None,
            }
            database.executemany("insert into meta values (?, ?)", [(k, json.dumps(v)) for k, v in meta.items()])
            self._insert_pairs(NewItems(plan.pairs, plan.dropped, {}))
            if plan.study.continuations:
                self.continuations.insert_plan(plan.prompts, plan.study.continuations.decodings)
            if plan.study.next_words:
                self.next_words.insert_plan(plan.asked, plan.study.next_words)
            for view, made in plan.items.items():
                insert_items(database, view, ((item, (None, None)) for item in made))
        return True

    def _lacks_replies(self) -> bool:
        """Whether it is of a version that kept no replies."""
        known = {name for (name,) in self._database.execute("select name from sqlite_master")}
        return "meta" in known and "replies" not in known

    def has_all_items(self) -> bool:
        """Whether every pair of the study is made: sentences that a model is to write may still be missing."""
        return bool(self.meta()["has_all_probes"])

    def units(self, source: str) -> dict[str, UnitResult]:
        """The finished units of writing of a source, by their ids, in the order in which they were finished."""
        rows = self._database.execute("select unit, result from units where source = ? order by rowid", (source,))
        return {unit: UnitResult.from_json(json.loads(result)) for unit, result in rows}

    def record_units(self, source: str, made: Mapping[str, UnitResult]) -> None:
        """Write down what came of units that were written side by side: all of it or nothing."""
        with self._transaction() as database:
            database.executemany(
                "insert into units values (?, ?, ?)",
                ((source, unit, dump(asdict(result))) for unit, result in made.items()),
            )

    def record_items(self, items: NewItems) -> None:
        """Add what was written to the plan: all of it or nothing."""
        with self._transaction() as database:
            self._insert_pairs(items)
            database.execute("update meta set value = 'true' where key = 'has_all_probes'")
            # Nothing found is not the same as nobody looked.
            database.execute("insert or replace into meta values ('audited', ?)", (json.dumps(bool(items.findings)),))

    def pairs(self) -> Sequence[Pair]:
        """Every pair so far, in order, read when it is asked for."""
        return items_of(self.folder, "pairs", Pair)

    def dropped(self) -> Sequence[Dropped]:
        """Every item that could not be made, likewise."""
        return dropped_of(self.folder)

    def _insert_pairs(self, items: NewItems) -> None:
        [(first,)] = self._database.execute("select count(*) from items where view = 'pairs'")
        lost = self._count("dropped")
        insert_items(self._database, "pairs", ((pair, (None, None)) for pair in items.pairs), first)
        self._database.executemany(
            "insert into dropped values (?, ?, ?, ?, ?)",
            ((lost + i, one.bias, one.origin, one.text, one.reason) for i, one in enumerate(items.dropped)),
        )
        # The first condition is that of the index.
        pair = "select number, ?, ? from items where view != 'next words' and view = 'pairs' and id = ?"
        self._database.executemany(
            f"insert into findings {pair}",
            ((issue, because, pair) for pair, found in items.findings.items() for issue, because in found),
        )

    def meta(self) -> dict[str, Any]:
        """The fingerprint, the study as given and as resolved, and the versions of the packages."""
        check_rows(self._database, self.folder / LEDGER, ("meta",))
        rows = self._database.execute("select key, value from meta")
        return checked_meta(self.folder / LEDGER, {key: json.loads(value) for key, value in rows})

    def finish(self) -> None:
        """Note that everything was done."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as database:
            database.execute("insert or replace into meta values ('finished', ?)", (json.dumps(now),))

    def note_report(self) -> None:
        """Note that the tables and the report of the run are written, all of them."""
        with self._transaction() as database:
            database.execute("insert or replace into meta values ('reported', 'true')")

    def record_spent(self, spent: Mapping[str, Any]) -> None:
        """Note what models behind an API took so far, by their names: `api` of the metadata."""
        with self._transaction() as database:
            database.execute("insert or replace into meta values ('api', ?)", (json.dumps(spent),))

    def record_screening(self, model: str, account: Mapping[str, Any]) -> None:
        """Note how the pairs of a model were screened: `screened` of the metadata."""
        with self._transaction() as database:
            row = database.execute("select value from meta where key = 'screened'").fetchone()
            noted = {**(json.loads(row[0]) if row else {}), model: account}
            database.execute("insert or replace into meta values ('screened', ?)", (json.dumps(noted),))

    def record_model(self, facts: ModelFacts, role: Literal["models", "writers", "readers"] = "models") -> None:
        """Note what a model is that is tested, writes, or reads what was written; refuse one that has changed since.

        A fact that an earlier version did not know is noted when the run goes on, and so is what a model has become
        that has not said anything yet: a server may have had a bad moment.
        """
        with self._transaction() as database:
            row = database.execute(f"select facts from {role} where model = ?", (facts.name,)).fetchone()
            if row is None:
                database.execute(f"insert into {role} values (?, ?)", (facts.name, dump(asdict(facts))))
            elif row[0] != dump(asdict(facts)):
                before, now = json.loads(row[0]), json.loads(dump(asdict(facts)))
                changed = next(
                    (key for key in now if key in before and _deciding(now[key]) != _deciding(before[key])), None
                )
                if changed is not None and self._has_answers(facts.name, role):
                    raise RunError(
                        f"{self.folder}: the run started with {changed} {before[changed]!r} of model "
                        f"{facts.name}, which is now {now[changed]!r}; restore it, or name another folder with "
                        "--out"
                    )
                database.execute(f"update {role} set facts = ? where model = ?", (dump(now), facts.name))

    def noted(self, role: Literal["models", "writers", "readers", "raters"]) -> dict[str, dict[str, Any]]:
        """What the run was begun with: the facts of its models or raters, by their names."""
        name = "rater" if role == "raters" else "model"
        if role not in {table for (table,) in self._database.execute("select name from sqlite_master")}:
            return {}
        return {
            one: dict(json.loads(facts)) for one, facts in self._database.execute(f"select {name}, facts from {role}")
        }

    def _has_answers(self, model: str, role: str) -> bool:
        """Whether anything of a model is in the ledger; of those that write or read sentences, of any of them."""
        if role != "models":
            return self._count("units") > 0
        held = (
            f"exists (select 1 from {table} where model = ?)"
            for table in ("answers", "replies", "completions", "expected")
        )
        [(found,)] = self._database.execute(f"select {' or '.join(held)}", (model,) * 4)
        return bool(found)

    def steps(self, stage: StageName, name: str) -> Steps:
        """The batches of a stage that a model or rater has finished."""
        return Steps(self._database, self.folder, stage, name)

    def record_scores(self, model: str, scorers: Sequence[str], scored: Iterable[Sequence[PairScore]]) -> None:
        """Write the scores of a model, for each pair those under all its scorers: all of it or nothing."""
        with self._transaction() as database:
            for scorer in scorers:
                database.execute("insert or ignore into cells (model, scorer) values (?, ?)", (model, scorer))
                database.execute("delete from scores where model = ? and scorer = ?", (model, scorer))
            database.executemany(
                "insert into scores values (?, ?, ?, ?, ?, ?)",
                (
                    (model, score.scorer, number, *(score.scores or (None, None)), score.unscored)
                    for number, scores in enumerate(scored)
                    for score in scores
                ),
            )

    def run(self, held: int = HELD) -> Run:
        """What the ledger holds; items that are more than `held` are read from it when they are asked for."""
        meta = self.meta()
        facts, writers = (
            {
                model: ModelFacts(**json.loads(text))
                for model, text in self._database.execute(f"select model, facts from {role} order by rowid")
            }
            for role in ("models", "writers")
        )
        findings: dict[str, list[tuple[str, str]]] = {}
        for name, issue, because in self._database.execute(
            "select id, issue, because from findings join items on view = 'pairs' and number = findings.pair "
            "order by findings.rowid"
        ):
            findings.setdefault(name, []).append((issue, because))
        texts = Continuations(self.folder, held) if meta["resolved"].get("continuations") else None
        words = Expectations(self.folder, held) if meta["resolved"].get("next_words") else None
        pairs, scores = scored_pairs(self.folder, held)
        dropped = dropped_of(self.folder, held)
        checked = has_digests(self._database)
        asked = {
            view: items_of(self.folder, view, asked_view(view).item, held) for view, _ in asked_in(meta["resolved"])
        }
        return Run(self.folder, meta, facts, pairs, dropped, scores, findings, writers, texts, words, asked, checked)

    def _count(self, table: str) -> int:
        return int(self._database.execute(f"select count(*) from {table}").fetchone()[0])

    def _refuse_other_versions(self, before: Mapping[str, str]) -> None:
        for package, (was, now) in changed_versions(before).items():
            raise RunError(
                f"{self.folder}: the run started with {package} {was}, which is now {now}; restore it, or name "
                "another folder with --out"
            )

    def has_answers(self) -> bool:
        """Whether anything was asked and answered."""
        tables = ("batches", "units", "steps")
        known = {name for (name,) in self._database.execute("select name from sqlite_master")}
        found = (self._database.execute(f"select exists (select 1 from {one})") for one in tables if one in known)
        return any(answer for cursor in found for (answer,) in cursor)

    def has_plan(self) -> bool:
        """Whether the run has begun; refuses what another program wrote."""
        tables = {name for (name,) in self._database.execute("select name from sqlite_master where type = 'table'")}
        if tables and "meta" not in tables:
            raise RunError(f"{self.folder / LEDGER}: is not a tiltmeter ledger; choose another folder")
        return bool(tables)

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return writing(self._database, self.folder)


def _deciding(fact: Any) -> Any:
    """A fact of a model without the package that sends the questions, which has no part in the answers."""
    return {key: one for key, one in fact.items() if key != "httpx"} if isinstance(fact, dict) else fact
