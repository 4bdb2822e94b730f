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

Stage = Literal["completing", "rating", "tilting", "expecting", "explaining"]


@dataclass(frozen=True, slots=True)
class Step:
    """A batch of a stage of the work, by a model or rater."""

    stage: Stage
    name: str
    batch: int = 0


def done(database: sqlite3.Connection, stage: str, name: str) -> set[int]:
    """The batches of a stage that are finished."""
    rows = database.execute("select batch from steps where stage = ? and name = ?", (stage, name))
    return {number for (number,) in rows}


@contextmanager
def marked(database: sqlite3.Connection, folder: Path, at: Step) -> Iterator[sqlite3.Connection]:
    """A writing at whose end the step is marked as done."""
    with writing(database, folder):
        yield database
        database.execute("insert into steps values (?, ?, ?)", (at.stage, at.name, at.batch))
