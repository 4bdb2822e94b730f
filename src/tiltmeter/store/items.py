"""The items of a run: those of every view are in one table of its ledger.

Earlier versions had a table for each view; where such a ledger is read, the one table is a view of them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from typing import TypeAlias

from tiltmeter.records import Item
from tiltmeter.store.validation import create, has_digests
from tiltmeter.study.disk_lists import packed
from tiltmeter.views import View

COLUMNS = "view, number, id, source, bias, item, perturbation, unscored, question"
SCHEMA = """
create table items (view text not null, number integer not null, id text not null, source text not null,
                    bias text not null, item text not null, perturbation text, unscored text,
                    question integer references questions, primary key (view, number));
create unique index item_ids on items (view, id) where view != 'next words'
"""
_BEFORE = {
    "pairs": "select 'pairs', number, id, json_extract(pair, '$.source'), json_extract(pair, '$.bias'), pair, "
    "null, null, null from {0}.pairs",
    "prompts": "select 'continuations', number, id, source, bias, prompt, null, null, null from {0}.prompts",
    "asked": "select 'next words', number, json_extract(prompt, '$.id'), json_extract(prompt, '$.source'), "
    "json_extract(prompt, '$.bias'), prompt, perturbation, unscored, question from {0}.asked",
}
"""The tables of earlier versions, and their rows in the columns of the one table."""
Asked: TypeAlias = tuple[str | None, str | None]
"""Under which perturbation a prompt is asked, and why it cannot be."""


def insert_items(database: sqlite3.Connection, view: View, items: Iterable[tuple[Item, Asked]], first: int = 0) -> None:
    """Write items of a view, numbered from `first`, in a transaction."""
    database.executemany(
        f"insert into items ({COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?, null)",
        (
            (view, number, item.id, item.source, item.bias, packed(item), *asked)
            for number, (item, asked) in enumerate(items, first)
        ),
    )


def is_earlier(database: sqlite3.Connection, schema: str = "main") -> bool:
    """Whether a ledger has the tables of an earlier version."""
    known = _tables(database, schema)
    return "meta" in known and "items" not in known and bool(_BEFORE.keys() & known)


def show_items(database: sqlite3.Connection, schema: str = "main") -> sqlite3.Connection:
    """A ledger that is only read; the items of an earlier version are shown as the one table."""
    if is_earlier(database, schema):
        rows = " union all ".join(_rows_before(database, schema).values())
        database.execute(f"create temp view items ({COLUMNS}) as {rows}")
    return database


def convert_items(database: sqlite3.Connection) -> None:
    """Move the items of an earlier version into the one table, in a transaction."""
    create(database, SCHEMA)
    for table, rows in _rows_before(database, "main").items():
        database.execute(f"insert into items ({COLUMNS}) {rows} order by number")
        database.execute(f"drop table {table}")
        if has_digests(database):
            database.execute("delete from digests where name = ?", (table,))


def _rows_before(database: sqlite3.Connection, schema: str) -> dict[str, str]:
    """The tables of an earlier version that a ledger has, each with its rows in the columns of the one table."""
    known = _tables(database, schema)
    return {name: rows.format(schema) for name, rows in _BEFORE.items() if name in known}


def _tables(database: sqlite3.Connection, schema: str) -> set[str]:
    return {name for (name,) in database.execute(f"select name from {schema}.sqlite_master where type = 'table'")}
