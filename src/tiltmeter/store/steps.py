"""Steps of a run: batches of work that are done whole or not at all."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from tiltmeter.store.opening import writing

SCHEMA = """
create table steps (stage text, name text, batch integer, primary key (stage, name, batch)) without rowid
"""

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


def move_batches(database: sqlite3.Connection) -> None:
    """Runs of before had a table of their own for the batches of scoring."""
    if database.execute("select 1 from sqlite_master where name = 'batches'").fetchone():
        database.execute("insert into steps select 'scoring', model, batch from batches")
        database.execute("delete from batches")
