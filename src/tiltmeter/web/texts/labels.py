"""The labels of the items of a run as a table to search: a copy of the server's own, made when first asked for.

The ledger keeps each item whole, as JSON; reading 100,000 of these takes seconds. The copy is made once, again only
when the plan of the run has grown or is another one, and never holds a score or a rating: those are read from the
ledger, which is attached, so that they are those of this moment.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from tiltmeter.errors import RunError
from tiltmeter.results.findings.compared import BASELINE
from tiltmeter.results.summary.structures import FIXED
from tiltmeter.store import LEDGER
from tiltmeter.store.database import harmless, refuse_links
from tiltmeter.store.items import show_items
from tiltmeter.store.rows import check_whole
from tiltmeter.store.validation import valid_ledger
from tiltmeter.web.scratch import scratch_of

_NAME = "labels.sqlite"
_VERSION = "4"
_lock = Lock()


def _part(path: str) -> str:
    return f"json_extract(item, '$.{path}')"


def _kind() -> str:
    """The kind of the structure, as the choices of a curve have it."""
    plain = f"{_part('structure.id')} = '{FIXED}'"
    return f"iif({plain}, '{BASELINE}', coalesce({_part('structure.kind')}, '{BASELINE}'))"


_PROMPT = {
    "origin": _part("origin"),
    "structure": _part("structure.id"),
    "kind": _kind(),
    "template": _part("template"),
    '"group"': _part("group"),
    "words": _part("text"),
}
"""What is kept of a prompt."""
_COPIES: dict[str, tuple[str, dict[str, str]]] = {
    "prompt_labels": ("continuations", {"source": "source", "bias": "bias", **_PROMPT}),
    "pair_labels": (
        "pairs",
        {
            **{name: _part(name) for name in ("source", "bias", "origin", "contrast", "written_for")},
            "structure": _part("structure.id"),
            "kind": _kind(),
            "group_1": _part("groups[0]"),
            "group_2": _part("groups[1]"),
            "target": f"iif({_part('contrast')} = 'meaning', 0, {_part('stereotyped')})",
            "aside": f"{_part('stands_in')} is not null",
            "text_1": _part("texts[0]"),
            "text_2": _part("texts[1]"),
        },
    ),
    "asked_labels": (
        "next words",
        {
            **{name: name for name in ("question", "perturbation", "unscored")},
            "source": "source",
            "bias": "bias",
            **_PROMPT,
        },
    ),
}
"""For each table of the copy the view whose items it is made from, and its columns beside the number."""


def labelled_rows(folder: Path, query: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a question to the labels and the ledger of a run: `prompt_labels`, `pair_labels`, `asked_labels`."""
    with _opened(folder) as database:
        return database.execute(query, values).fetchall()


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    with valid_ledger(folder / LEDGER), closing(_attached(folder, _ready(folder))) as database:
        yield database


def _ready(folder: Path) -> Path:
    """The copy, made first where there is none of the run as it is now."""
    check_whole(folder / LEDGER, also_held=False)
    with _lock:
        with closing(_attached(folder, None)) as database:
            wanted = _key(database, "ledger")
        place = scratch_of(folder)
        return place / _NAME if _kept_key(place / _NAME) == wanted else _make(folder, place, wanted)


def _make(folder: Path, place: Path, key: str) -> Path:
    place.mkdir(parents=True, exist_ok=True)
    path = place / f".{_NAME}.{os.getpid()}"
    path.unlink(missing_ok=True)
    try:
        _copy(folder, path, key)
        return path.replace(place / _NAME)
    finally:
        path.unlink(missing_ok=True)


def _copy(folder: Path, path: Path, key: str) -> None:
    with closing(_attached(folder, path)) as database:
        # Nothing is lost where it does not come to an end: it has another name until then.
        database.execute("pragma main.journal_mode = off")
        database.execute("pragma main.synchronous = off")
        database.execute("begin")
        for name, (view, columns) in _COPIES.items():
            database.execute(f"create table {name} (number integer primary key, {', '.join(columns)})")
            chosen = ", ".join(columns.values())
            rows = f"select number, {chosen} from items where view = ? order by number"
            database.execute(f"insert into {name} {rows}", (view,))
        database.execute("create table kept (key text)")
        database.execute("insert into kept values (?)", (key,))
        database.execute("commit")


def _attached(folder: Path, path: Path | None) -> sqlite3.Connection:
    """The copy, or a database in memory, with the ledger beside it, which is only read."""
    address = ":memory:" if path is None else path.absolute().as_uri()
    refuse_links(folder / LEDGER)
    ledger = (folder / LEDGER).absolute().as_uri()
    for mode in ("mode=ro", "immutable=1"):
        database = sqlite3.connect(address, uri=True, timeout=60, isolation_level=None)
        try:
            database.execute("attach database ? as ledger", (f"{ledger}?{mode}",))
            database.execute("select count(*) from ledger.sqlite_master")
        except sqlite3.OperationalError:
            # In a folder that cannot be written SQLite cannot share memory with a writer; there is none then.
            database.close()
        else:
            return show_items(harmless(database), "ledger")
    raise RunError(f"{folder / LEDGER}: cannot be opened as a ledger")


def _key(database: sqlite3.Connection, ledger: str) -> str:
    """What tells one state of the plan from another: numbers are given in order and never taken away."""
    [(fingerprint,)] = database.execute(f"select value from {ledger}.meta where key = 'fingerprint'")
    counts = database.execute("select view, max(number) from items group by view order by view").fetchall()
    return " ".join(map(str, (_VERSION, fingerprint, *counts)))


def _kept_key(path: Path) -> str | None:
    if not path.is_file():
        return None
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as database:
            return str(database.execute("select key from kept").fetchone()[0])
    except (sqlite3.Error, TypeError):
        return None
