"""Tables of a ledger: queries, and sequences whose rows are read when they are asked for."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar, overload

from tiltmeter.records import Item as AnyItem
from tiltmeter.store.database import LEDGER, connect_to_read, is_held
from tiltmeter.store.validation import check, record_reader, valid_ledger
from tiltmeter.views import View

HELD = 300_000
"""So many items of a run are held in memory where everything is said of it; of more, those that are asked for."""
_BLOCK = 512
"""So many rows are read at once."""

_WHOLE: dict[Path, list[tuple[int, ...] | None]] = {}
"""Files that were checked, and as what."""

Item = TypeVar("Item")
ItemKind = TypeVar("ItemKind", bound=AnyItem)


class Rows(Sequence[Item]):
    """So many rows of a table, numbered from 0; `read` gives those from one number to before another."""

    def __init__(self, count: int, read: Callable[[int, int], Iterable[Item]]) -> None:
        self._count, self._read = count, read
        self._start: int | None = None
        self._block: tuple[Item, ...] = ()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        for start in range(0, self._count, _BLOCK):
            yield from self._read(start, min(start + _BLOCK, self._count))

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | Sequence[Item]:
        places = range(self._count)[at]
        if isinstance(places, range):
            whole = places.step == 1
            return tuple(self._read(places.start, places.stop) if whole else (self[place] for place in places))
        start = places - places % _BLOCK
        if start != self._start:
            self._block = tuple(self._read(start, min(start + _BLOCK, self._count)))
            self._start = start
        return self._block[places - start]


def rows_or_reader(count: int, read: Callable[[int, int], Iterable[Item]], held: int) -> Sequence[Item]:
    """The rows at once where they are few enough to be held, or else when they are asked for."""
    return tuple(read(0, count)) if count <= held else Rows(count, read)


def rows_of(folder: Path, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a question to the ledger of a run folder, as they are read."""
    with _opened(folder) as database:
        for row in database.execute(query, values):
            if bytes in map(type, row):
                raise TypeError("it holds bytes instead of text")
            yield row


def count_of(folder: Path, table: str) -> int:
    """How many rows a table of the ledger of a run folder has."""
    return next(int(count) for (count,) in rows_of(folder, f"select count(*) from {table}"))


def count_items(folder: Path, view: View) -> int:
    """How many items of a view the ledger of a run folder has."""
    return next(int(count) for (count,) in rows_of(folder, "select count(*) from items where view = ?", view))


def items_of(folder: Path, view: View, kind: type[ItemKind], held: int = 0) -> Sequence[ItemKind]:
    """The items of a view in their order; more than `held` are read when they are asked for."""
    made = record_reader(kind)
    query = "select item from items where view = ? and number >= ? and number < ? order by number"

    def read(*ends: int) -> Iterator[ItemKind]:
        return (made(text) for (text,) in rows_of(folder, query, view, *ends))

    return rows_or_reader(count_items(folder, view), read, held)


def is_whole(path: Path) -> bool:
    """Whether a file of a run is not there yet, or is as it was when it was checked."""
    return not path.exists() or _WHOLE.get(path) == _signatures(path)


def note_whole(path: Path) -> None:
    """Remember a file of a run that was whole, and to which nobody but this process has written since."""
    _WHOLE[path] = _signatures(path)


def check_unchanged(path: Path, *, also_held: bool = True) -> None:
    """Refuse a file of a run that is not as it was written; what did not change is looked at once.

    One that a run is writing was looked at when the run began; with `also_held` it is again.
    """
    now = _signatures(path)
    if _WHOLE.get(path) == now or (not also_held and is_held(path.parent)):
        return
    with valid_ledger(path), closing(connect_to_read(path)) as database:
        check(database, path)
    _WHOLE[path] = now


def _signatures(path: Path) -> list[tuple[int, ...] | None]:
    return [_signature(path.with_name(f"{path.name}{end}")) for end in ("", "-wal")]


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # SQLite makes an empty log anew, or its own again, whenever a file is opened.
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns) if found.st_size else None


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / LEDGER
    check_unchanged(path, also_held=False)
    with valid_ledger(path), closing(connect_to_read(path)) as database:
        yield database
