"""The ledger of a run: its plan, and what the view of pairs makes of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import RunError
from tiltmeter.records import Dropped, ModelFacts, Pair, PairScore, Query, TokenScores
from tiltmeter.sources.generated.settings import UnitResult
from tiltmeter.store import continuations, next_words, steps
from tiltmeter.store.continuations import ContinuationLedger
from tiltmeter.store.next_words import Expectations, NextWordLedger, questions_of
from tiltmeter.store.opening import LEDGER, connect, connect_to_read, dump, load, transaction, versions
from tiltmeter.store.reading import Continuations
from tiltmeter.store.records import Probes, Run
from tiltmeter.study import Plan

_SCHEMA = """
create table meta    (key text primary key, value text not null);
create table models  (model text primary key, facts text not null);
create table writers (model text primary key, facts text not null);
create table readers (model text primary key, facts text not null);
create table pairs   (number integer primary key, id text not null unique, pair text not null);
create table dropped (number integer primary key, bias text, origin text, text text, reason text);
create table units   (source text, unit text, result text not null, primary key (source, unit));
create table findings (pair integer references pairs, issue text, because text);
create table batches (model text, batch integer, primary key (model, batch));
create table answers (model text, conditioning text, text text, spans text, tokens text, unscored text,
                      primary key (model, conditioning, text, spans)) without rowid;
create table cells   (number integer primary key, model text, scorer text, unique (model, scorer));
create table scores  (model text, scorer text, pair integer references pairs, score_1 real, score_2 real,
                      unscored text, primary key (model, scorer, pair)) without rowid;
"""


class Ledger:
    """The open ledger of one run."""

    def __init__(self, folder: str | Path, *, read_only: bool = False) -> None:
        self.folder = Path(folder)
        path = self.folder / LEDGER
        self._database = connect_to_read(path) if read_only else connect(path)
        self.continuations = ContinuationLedger(self._database, self.folder)
        self.next_words = NextWordLedger(self._database, self.folder)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def begin(self, plan: Plan) -> bool:
        """Write the plan into a new ledger, or check that it is the one an earlier run began; True where new.

        A run that was begun and has no answer yet gives way: nothing of it would be lost.
        """
        with self._transaction() as database:
            if self.has_plan():
                before = self.meta()
                if before["fingerprint"] == plan.fingerprint:
                    self._refuse_other_versions(before["versions"])
                    return False
                if self.has_answers():
                    raise RunError(
                        f"{self.folder}: holds another run (its study, specs or data differ); "
                        "name another folder with --out, or let the cache keep what stays the same"
                    )
                for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
                    database.execute(f'drop table "{table}"')
            for statement in ";".join((_SCHEMA, steps.SCHEMA, continuations.SCHEMA, next_words.SCHEMA)).split(";"):
                database.execute(statement)
            meta = {
                "fingerprint": plan.fingerprint,
                "study": plan.study.text,
                "resolved": plan.resolved,
                "versions": versions(),
                "has_all_probes": not plan.study.generated,
                "all_rated": plan.study.continuations is None,
            }
            database.executemany("insert into meta values (?, ?)", [(k, json.dumps(v)) for k, v in meta.items()])
            self._insert_probes(Probes(plan.pairs, plan.dropped, {}))
            if plan.study.continuations:
                self.continuations.insert_plan(plan.prompts, plan.study.continuations.decodings)
            if plan.study.next_words:
                self.next_words.insert_plan(*questions_of(plan.asked, plan.study.next_words))
        return True

    def has_all_probes(self) -> bool:
        """Whether every pair of the study is made: sentences that a model is to write may still be missing."""
        return bool(self.meta()["has_all_probes"])

    def units(self, source: str) -> dict[str, UnitResult]:
        """The finished units of writing of a source, by their ids, in the order in which they were finished."""
        rows = self._database.execute("select unit, result from units where source = ? order by rowid", (source,))
        return {unit: UnitResult.from_json(json.loads(result)) for unit, result in rows}

    def record_units(self, source: str, results: Sequence[UnitResult]) -> None:
        """Write down what came of units that were written side by side: all of it or nothing."""
        with self._transaction() as database:
            database.executemany(
                "insert into units values (?, ?, ?)",
                ((source, result.unit.id, dump(asdict(result))) for result in results),
            )

    def record_probes(self, probes: Probes) -> None:
        """Add what was written to the plan: all of it or nothing."""
        with self._transaction() as database:
            self._insert_probes(probes)
            database.execute("update meta set value = 'true' where key = 'has_all_probes'")
            # Nothing found is not the same as nobody looked.
            database.execute("insert or replace into meta values ('audited', ?)", (json.dumps(bool(probes.findings)),))

    def pairs(self) -> tuple[Pair, ...]:
        """Every pair so far, in order."""
        return tuple(load(Pair, text) for (text,) in self._database.execute("select pair from pairs order by number"))

    def _insert_probes(self, probes: Probes) -> None:
        count, lost = self._database.execute(
            "select (select count(*) from pairs), (select count(*) from dropped)"
        ).fetchone()
        self._database.executemany(
            "insert into pairs values (?, ?, ?)",
            ((count + i, pair.id, dump(asdict(pair))) for i, pair in enumerate(probes.pairs)),
        )
        self._database.executemany(
            "insert into dropped values (?, ?, ?, ?, ?)",
            ((lost + i, *asdict(item).values()) for i, item in enumerate(probes.dropped)),
        )
        self._database.executemany(
            "insert into findings select number, ?, ? from pairs where id = ?",
            ((issue, because, pair) for pair, found in probes.findings.items() for issue, because in found),
        )

    def meta(self) -> dict[str, Any]:
        """The fingerprint, the study as given and as resolved, and the versions of the packages."""
        return {key: json.loads(value) for key, value in self._database.execute("select key, value from meta")}

    def finish(self) -> None:
        """Note that everything was done."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with self._transaction() as database:
            database.execute("insert or replace into meta values ('finished', ?)", (json.dumps(now),))

    def record_spent(self, spent: Mapping[str, Any]) -> None:
        """Note what models behind an API took so far, by their names: `api` of the metadata."""
        with self._transaction() as database:
            database.execute("insert or replace into meta values ('api', ?)", (json.dumps(spent),))

    def record_model(self, facts: ModelFacts, role: Literal["models", "writers", "readers"] = "models") -> None:
        """Note what a model is that is tested, writes, or reads what was written; refuse one that has changed since."""
        with self._transaction() as database:
            row = database.execute(f"select facts from {role} where model = ?", (facts.name,)).fetchone()
            if row is None:
                database.execute(f"insert into {role} values (?, ?)", (facts.name, dump(asdict(facts))))
            elif row[0] != dump(asdict(facts)):
                before, now = json.loads(row[0]), json.loads(dump(asdict(facts)))
                changed = next(key for key in now if now[key] != before.get(key))
                raise RunError(
                    f"{self.folder}: the run began with {changed} {before.get(changed)!r} of model {facts.name}, which "
                    f"is now {now[changed]!r}; restore it, or name another folder with --out"
                )

    def done(self, model: str) -> set[int]:
        """The batches of a model that are finished."""
        return {number for (number,) in self._database.execute("select batch from batches where model = ?", (model,))}

    def record_batch(self, model: str, batch: int, answers: Mapping[Query, TokenScores]) -> None:
        """Write the answers of one batch and mark it as done: all of it or nothing."""
        with self._transaction() as database:
            database.execute("insert into batches values (?, ?)", (model, batch))
            database.executemany(
                "insert into answers values (?, ?, ?, ?, ?, ?)",
                ((model, *_question(query), *_answer(scores)) for query, scores in answers.items()),
            )

    def answers(self, model: str) -> dict[Query, TokenScores]:
        """Every answer of a model so far."""
        rows = self._database.execute(
            "select conditioning, text, spans, tokens, unscored from answers where model = ?", (model,)
        )
        found = {}
        for conditioning, text, spans, tokens, unscored in rows:
            triples = json.loads(tokens)
            found[Query(text, conditioning, tuple(map(tuple, json.loads(spans))))] = TokenScores(
                tuple((start, end) for start, end, _ in triples), tuple(value for *_, value in triples), unscored
            )
        return found

    def record_scores(self, model: str, scored: Mapping[str, Sequence[PairScore]]) -> None:
        """Write the scores of a model under all its scorers, each in the order of the plan: all of it or nothing."""
        with self._transaction() as database:
            for scorer, scores in scored.items():
                database.execute("insert or ignore into cells (model, scorer) values (?, ?)", (model, scorer))
                database.execute("delete from scores where model = ? and scorer = ?", (model, scorer))
                database.executemany(
                    "insert into scores values (?, ?, ?, ?, ?, ?)",
                    (
                        (model, scorer, number, *(score.scores or (None, None)), score.unscored)
                        for number, score in enumerate(scores)
                    ),
                )

    def run(self) -> Run:
        """Everything the ledger holds."""
        if not self.has_plan():
            raise RunError(f"{self.folder}: the run has not begun; start it with `tiltmeter run`")
        pairs = self.pairs()
        dropped = tuple(
            Dropped(*row)
            for row in self._database.execute("select bias, origin, text, reason from dropped order by number")
        )
        scores: dict[tuple[str, str], list[PairScore]] = {}
        for model, scorer, number, first, second, unscored in self._database.execute(
            "select model, scorer, pair, score_1, score_2, unscored from scores join cells using (model, scorer) "
            "order by number, pair"
        ):
            both = None if first is None else (first, second)
            scores.setdefault((model, scorer), []).append(PairScore(pairs[number], scorer, both, unscored))
        facts, writers = (
            {
                model: ModelFacts(**json.loads(text))
                for model, text in self._database.execute(f"select model, facts from {role} order by rowid")
            }
            for role in ("models", "writers")
        )
        findings: dict[str, list[tuple[str, str]]] = {}
        for number, issue, because in self._database.execute(
            "select pair, issue, because from findings order by rowid"
        ):
            findings.setdefault(pairs[number].id, []).append((issue, because))
        final = {key: tuple(value) for key, value in scores.items()}
        meta = self.meta()
        texts = Continuations(self.folder) if meta["resolved"].get("continuations") else None
        words = Expectations(self.folder) if meta["resolved"].get("next_words") else None
        return Run(self.folder, meta, facts, pairs, dropped, final, findings, writers, texts, words)

    def _refuse_other_versions(self, before: Mapping[str, str]) -> None:
        now = versions()
        changed = next((package for package in {**before, **now} if before.get(package) != now.get(package)), None)
        if changed:
            raise RunError(
                f"{self.folder}: the run began with {changed} {before.get(changed)}, which is now {now.get(changed)}; "
                "restore it, or name another folder with --out"
            )

    def has_answers(self) -> bool:
        """Whether anything was asked and answered."""
        tables = ("batches", "units", "steps")
        known = {name for (name,) in self._database.execute("select name from sqlite_master")}
        found = (self._database.execute(f"select exists (select 1 from {one})") for one in tables if one in known)
        return any(answer for cursor in found for (answer,) in cursor)

    def has_plan(self) -> bool:
        """Whether the run has begun."""
        found = self._database.execute("select count(*) from sqlite_master where name = 'meta'").fetchone()
        return bool(found[0])

    def _transaction(self) -> AbstractContextManager[sqlite3.Connection]:
        return transaction(self._database, self.folder)


def _question(query: Query) -> tuple[str, str, str]:
    return query.conditioning, query.text, json.dumps(query.spans)


def _answer(scores: TokenScores) -> tuple[str, str | None]:
    triples = [[*span, value] for span, value in zip(scores.spans, scores.logprobs, strict=True)]
    return json.dumps(triples), scores.unscored
