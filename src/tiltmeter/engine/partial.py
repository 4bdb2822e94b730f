"""The file beside an unfinished file of sentences: finished blocks, so that a command that was killed can go on."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

from tiltmeter.databases import transaction
from tiltmeter.engine.units import Journal
from tiltmeter.errors import RunError
from tiltmeter.sources.generated import UnitResult
from tiltmeter.sources.rephrased.paraphrasing import Rephrased

Kind = TypeVar("Kind", UnitResult, Rephrased)

_SCHEMA = """
create table if not exists orders (key text primary key, value text not null);
create table if not exists units (part text, unit text, result text not null, primary key (part, unit));
"""


class Partial:
    """Finished blocks of one order, in parts that have their units apart; held against any other process."""

    def __init__(self, path: Path, order: Mapping[str, Any]) -> None:
        self.path = path
        self._open = True
        try:
            self._database = sqlite3.connect(path, timeout=0, isolation_level=None)
            self._database.execute("pragma locking_mode = exclusive")
            # A script is one transaction only if it says so; the lock that it takes is kept.
            self._database.executescript(f"begin exclusive; {_SCHEMA} commit;")
        except sqlite3.Error as error:
            raise self._refused(error) from error
        self._agree(order)

    def close(self) -> None:
        """Let go of the file, and leave it for another time; one in which nothing is finished is deleted."""
        if not self._open:
            return
        if self.has_units():
            self._let_go()
        else:
            self.remove()

    def has_units(self) -> bool:
        """Whether anything is finished."""
        return bool(self._database.execute("select exists (select 1 from units)").fetchone()[0])

    def part(self, name: str, kind: type[Kind]) -> Journal[Kind]:
        """The journal of one part, which keeps records of a kind."""

        def done() -> dict[str, Kind]:
            rows = self._database.execute("select unit, result from units where part = ?", (name,))
            return {unit: kind.from_json(json.loads(result)) for unit, result in rows}

        def record(made: Mapping[str, Kind]) -> None:
            rows = [(name, unit, json.dumps(asdict(one))) for unit, one in made.items()]
            try:
                with transaction(self._database):
                    self._database.executemany("insert into units values (?, ?, ?)", rows)
            except sqlite3.Error as error:
                raise self._refused(error) from error

        return Journal(done, record)

    def remove(self) -> None:
        """Delete the file: what it was kept for is finished."""
        self._let_go()
        # A process that was killed leaves its journal behind, spent.
        for path in (self.path.with_name(f"{self.path.name}-journal"), self.path):
            path.unlink(missing_ok=True)

    def _agree(self, order: Mapping[str, Any]) -> None:
        now = json.loads(json.dumps(order))
        before = {key: json.loads(value) for key, value in self._database.execute("select key, value from orders")}
        if not self.has_units():
            # Nothing would be lost: another order may take the place of this one.
            rows = [(key, json.dumps(value)) for key, value in now.items()]
            with transaction(self._database):
                self._database.execute("delete from orders")
                self._database.executemany("insert into orders values (?, ?)", rows)
            return
        key = next((key for key in {**before, **now} if before.get(key) != now.get(key)), None)
        if key:
            self._let_go()
            raise RunError(
                f"{self.path}: was begun with {key} {before.get(key)!r}, which is now {now.get(key)!r}; "
                "repeat the command that began it, or remove the file to start anew"
            )

    def _let_go(self) -> None:
        self._open = False
        self._database.close()

    def _refused(self, error: sqlite3.Error) -> RunError:
        if "locked" in str(error):
            return RunError(f"{self.path}: another process is writing these sentences; wait for it, or stop it")
        return RunError(f"{self.path}: cannot be used to go on ({error}); remove it, or name another file with --out")
