"""Run folders: an SQLite ledger of every item and score, and the result tables made from it.

The ledger is in WAL mode, so that another process can read while a run writes. A batch of answers and the mark that it
is done are one transaction: killed at any moment, nothing that was marked is lost and nothing is written twice.
"""

from __future__ import annotations

import json
import platform
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from tiltmeter.errors import RunError
from tiltmeter.records import Dropped, ModelFacts, Pair, PairScore, Query, TokenScores
from tiltmeter.study import Plan

LEDGER = "ledger.sqlite"
_LOCK = "lock.sqlite"
_SCHEMA = """
create table meta    (key text primary key, value text not null);
create table models  (model text primary key, facts text not null);
create table pairs   (number integer primary key, id text not null unique, pair text not null);
create table dropped (number integer primary key, bias text, origin text, text text, reason text);
create table batches (model text, batch integer, primary key (model, batch));
create table answers (model text, conditioning text, text text, spans text, tokens text, unscored text,
                      primary key (model, conditioning, text, spans)) without rowid;
create table cells   (number integer primary key, model text, scorer text, unique (model, scorer));
create table scores  (model text, scorer text, pair integer references pairs, score_1 real, score_2 real,
                      unscored text, primary key (model, scorer, pair)) without rowid;
"""
_PACKAGES = ("tiltmeter", "numpy", "scipy", "torch", "transformers", "tokenizers", "safetensors", "gguf")


@dataclass(frozen=True, slots=True)
class Run:
    """What a finished or unfinished run holds, read back without any model."""

    folder: Path
    meta: Mapping[str, Any]
    facts: Mapping[str, ModelFacts]
    pairs: tuple[Pair, ...]
    dropped: tuple[Dropped, ...]
    scores: Mapping[tuple[str, str], tuple[PairScore, ...]]
    """By model and scorer, in the order of the study; the scores in the order of the pairs."""


class Ledger:
    """The open ledger of one run."""

    def __init__(self, folder: str | Path, *, read_only: bool = False) -> None:
        self.folder = Path(folder)
        path = self.folder / LEDGER
        self._database = _connect_to_read(path) if read_only else _connect(path)

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def begin(self, plan: Plan) -> bool:
        """Write the plan into a new ledger, or check that it is the one an earlier run began; True where new.

        A run that was begun and has no answer yet gives way: nothing of it would be lost.
        """
        with self._transaction() as database:
            if self._has_plan():
                before = self.meta()
                if before["fingerprint"] == plan.fingerprint:
                    self._refuse_other_versions(before["versions"])
                    return False
                if database.execute("select count(*) from batches").fetchone()[0]:
                    raise RunError(
                        f"{self.folder}: holds another run (its study, specs or data differ); "
                        "name another folder with --out, or remove this one"
                    )
                for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
                    database.execute(f'drop table "{table}"')
            for statement in _SCHEMA.split(";"):
                database.execute(statement)
            meta = {
                "fingerprint": plan.fingerprint,
                "study": plan.study.text,
                "resolved": plan.resolved,
                "versions": _versions(),
            }
            database.executemany("insert into meta values (?, ?)", [(k, json.dumps(v)) for k, v in meta.items()])
            database.executemany(
                "insert into pairs values (?, ?, ?)",
                ((i, pair.id, json.dumps(asdict(pair), ensure_ascii=False)) for i, pair in enumerate(plan.pairs)),
            )
            database.executemany(
                "insert into dropped values (?, ?, ?, ?, ?)",
                ((i, *asdict(item).values()) for i, item in enumerate(plan.dropped)),
            )
        return True

    def meta(self) -> dict[str, Any]:
        """The fingerprint, the study as given and as resolved, and the versions of the packages."""
        return {key: json.loads(value) for key, value in self._database.execute("select key, value from meta")}

    def record_model(self, facts: ModelFacts) -> None:
        """Note what a model is; refuse to go on with one that is not what the run began with."""
        with self._transaction() as database:
            row = database.execute("select facts from models where model = ?", (facts.name,)).fetchone()
            if row is None:
                database.execute("insert into models values (?, ?)", (facts.name, _dump(asdict(facts))))
            elif row[0] != _dump(asdict(facts)):
                before, now = json.loads(row[0]), json.loads(_dump(asdict(facts)))
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
        if not self._has_plan():
            raise RunError(f"{self.folder}: the run has not begun; start it with `tiltmeter run`")
        pairs = tuple(_pair(text) for (text,) in self._database.execute("select pair from pairs order by number"))
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
        facts = {
            model: ModelFacts(**json.loads(text))
            for model, text in self._database.execute("select model, facts from models order by rowid")
        }
        return Run(
            self.folder, self.meta(), facts, pairs, dropped, {key: tuple(value) for key, value in scores.items()}
        )

    def _refuse_other_versions(self, before: Mapping[str, str]) -> None:
        now = _versions()
        changed = next((package for package in {**before, **now} if before.get(package) != now.get(package)), None)
        if changed:
            raise RunError(
                f"{self.folder}: the run began with {changed} {before.get(changed)}, which is now {now.get(changed)}; "
                "restore it, or name another folder with --out"
            )

    def _has_plan(self) -> bool:
        found = self._database.execute("select count(*) from sqlite_master where name = 'meta'").fetchone()
        return bool(found[0])

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        try:
            self._database.execute("begin immediate")
            yield self._database
            self._database.execute("commit")
        except BaseException as error:
            if self._database.in_transaction:
                self._database.execute("rollback")
            if isinstance(error, sqlite3.Error):
                raise RunError(f"{self.folder}: cannot be written: {error}") from error
            raise


def read_run(folder: str | Path) -> Run:
    """Read a run folder, also while another process writes it."""
    path = Path(folder)
    if not (path / LEDGER).is_file():
        raise RunError(f"{path}: is not a run folder (it has no {LEDGER}); `tiltmeter run` makes one")
    try:
        with Ledger(path, read_only=True) as ledger:
            return ledger.run()
    except (sqlite3.Error, ValueError, KeyError, TypeError, IndexError) as error:
        raise RunError(f"{path / LEDGER}: is damaged, or not a ledger of tiltmeter ({error})") from error


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a run folder, so that no second process writes the same run; a killed process lets go by itself."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = sqlite3.connect(folder / _LOCK, timeout=0, isolation_level=None)
        lock.execute("begin exclusive")
    except OSError as error:
        raise RunError(f"{folder}: cannot be written: {error.strerror or error}") from error
    except sqlite3.Error as error:
        if "locked" in str(error):
            raise RunError(f"{folder}: another process is carrying out this run; wait for it, or stop it") from error
        raise RunError(f"{folder}: cannot be written: {error}") from error
    try:
        yield
    finally:
        lock.close()


def _connect_to_read(path: Path) -> sqlite3.Connection:
    """Open a ledger without writing to its folder, which may not be ours; a run may be writing it meanwhile."""
    address = path.absolute().as_uri()
    for mode in ("mode=ro", "immutable=1"):
        database = sqlite3.connect(f"{address}?{mode}", uri=True, timeout=60, isolation_level=None)
        try:
            database.execute("select count(*) from sqlite_master")
        except sqlite3.OperationalError:
            # In a folder that cannot be written SQLite cannot share memory with a writer; there is none then.
            database.close()
        else:
            return database
    raise RunError(f"{path}: cannot be opened as a ledger")


def _connect(path: Path) -> sqlite3.Connection:
    try:
        database = sqlite3.connect(path, timeout=60, isolation_level=None)
        database.execute("pragma journal_mode = wal")
        database.execute("pragma synchronous = full")
        database.execute("select count(*) from sqlite_master")
    except sqlite3.Error as error:
        raise RunError(f"{path}: cannot be opened as a ledger: {error}") from error
    return database


def _question(query: Query) -> tuple[str, str, str]:
    return query.conditioning, query.text, json.dumps(query.spans)


def _answer(scores: TokenScores) -> tuple[str, str | None]:
    triples = [[*span, value] for span, value in zip(scores.spans, scores.logprobs, strict=True)]
    return json.dumps(triples), scores.unscored


def _pair(text: str) -> Pair:
    data = json.loads(text)

    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    return Pair(**{key: tuples(value) for key, value in data.items()})


def _dump(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
