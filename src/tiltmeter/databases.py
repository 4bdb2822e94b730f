"""Writing to an SQLite database: all of it, or nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def _nothing(_: sqlite3.Connection) -> None:
    """Nothing more is to be done."""


@contextmanager
def transaction(
    database: sqlite3.Connection,
    *,
    before_commit: Callable[[sqlite3.Connection], None] = _nothing,
    after_rollback: Callable[[sqlite3.Connection], None] = _nothing,
) -> Iterator[sqlite3.Connection]:
    """All of what is done in it, or nothing."""
    try:
        database.execute("begin immediate")
        yield database
        before_commit(database)
        database.execute("commit")
    except BaseException:
        if database.in_transaction:
            database.execute("rollback")
        after_rollback(database)
        raise
