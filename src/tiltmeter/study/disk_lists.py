"""Sequences that may be longer than memory: beyond a size they are in a temporary file, where they are put in order."""

from __future__ import annotations

import heapq
import json
import tempfile
import threading
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from itertools import groupby, islice, pairwise
from typing import Any, Generic, TypeVar, overload

from tiltmeter.errors import RunError
from tiltmeter.records import Prompt, Structure

LIMIT = 10_000
"""So many items are held in memory; more are in a file, all of them."""
STRETCH = 50_000
"""So many rows are sorted at once."""
_BLOCK = 32
"""So many lines are read at once."""
_NESTED: dict[str, type] = {"structure": Structure, "prompt": Prompt}
"""The fields of items that are records themselves."""

Item = TypeVar("Item")
Row = TypeVar("Row", bound=tuple[Any, ...])


class DiskList(Sequence[Item], Generic[Item]):
    """Items that are added once and read in any order; those of a file are gone with it when nobody uses it any more.

    `pack` makes one line of an item, `unpack` an equal item of the line; unless told, items are text, numbers, and
    tuples of these.
    """

    def __init__(self, pack: Callable[[Item], str] | None = None, unpack: Callable[[str], Item] | None = None) -> None:
        self._pack, self._unpack = pack or _row_packed, unpack or _row_unpacked
        self._held: list[Item] = []
        self._file: Any = None
        self._blocks = array("q")
        """Where each block of lines begins."""
        self._count = self._size = 0
        self._was_read = False
        self._lock = threading.Lock()

    def append(self, item: Item) -> None:
        """Add an item."""
        if self._file is None:
            self._held.append(item)
            self._count += 1
            if self._count > LIMIT:
                self._move()
        else:
            self._write(item)

    def extend(self, items: Iterable[Item]) -> None:
        """Add items in their order."""
        for item in items:
            self.append(item)

    def finished(self) -> Sequence[Item]:
        """What is here: a tuple where it is held in memory."""
        return tuple(self._held) if self._file is None else self

    def lines(self) -> Iterator[str]:
        """The items as they are packed."""
        if self._file is None:
            yield from map(self._pack, self._held)
        else:
            for block in range(len(self._blocks)):
                yield from self._lines(block)

    def between(self, start: int, stop: int) -> Iterator[Item]:
        """The items from one place to before another."""
        if self._file is None:
            yield from self._held[start:stop]
            return
        while start < stop:
            block, first = divmod(start, _BLOCK)
            for line in self._lines(block)[first : first + stop - start]:
                yield self._unpack(line)
                start += 1

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Item]:
        return self.between(0, self._count)

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | Sequence[Item]:
        places = range(self._count)[at]
        if isinstance(places, int):
            return next(self.between(places, places + 1))
        if places.step == 1:
            return tuple(self.between(places.start, places.stop))
        return tuple(self[place] for place in places)

    def _move(self) -> None:
        """From memory to a file."""
        held, self._held, self._count = self._held, [], 0
        try:
            self._file = tempfile.TemporaryFile(prefix="tiltmeter-")  # noqa: SIM115
        except OSError as error:
            raise _unkept(error) from error
        weakref.finalize(self, self._file.close)
        for item in held:
            self._write(item)

    def _write(self, item: Item) -> None:
        line = self._pack(item).encode("utf-8", "surrogatepass") + b"\n"
        if self._count % _BLOCK == 0:
            self._blocks.append(self._size)
        try:
            with self._lock:
                if self._was_read:
                    self._file.seek(self._size)
                    self._was_read = False
                self._file.write(line)
        except OSError as error:
            raise _unkept(error) from error
        self._size += len(line)
        self._count += 1

    def _lines(self, block: int) -> list[str]:
        start = self._blocks[block]
        end = self._blocks[block + 1] if block + 1 < len(self._blocks) else self._size
        try:
            with self._lock:
                self._was_read = True
                self._file.seek(start)
                read: bytes = self._file.read(end - start)
        except OSError as error:
            raise _unkept(error) from error
        return read.decode("utf-8", "surrogatepass").split("\n")[:-1]


def disk_list(
    items: Iterable[Item], pack: Callable[[Item], str] | None = None, unpack: Callable[[str], Item] | None = None
) -> Sequence[Item]:
    """Items as a sequence, which is in a file where they are many."""
    found = DiskList(pack, unpack)
    found.extend(items)
    return found.finished()


def ordered(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows of text and numbers in their order, each different one once, however many there are.

    >>> list(ordered([(2, "b"), (1, "c"), (2, "a"), (1, "c")]))
    [(1, 'c'), (2, 'a'), (2, 'b')]
    """
    given = iter(rows)
    first = list(islice(given, STRETCH))
    if len(first) < STRETCH:
        yield from sorted(set(first))
        return
    kept: DiskList[Row] = DiskList()
    bounds = [0]
    while first:
        kept.extend(sorted(set(first)))
        bounds.append(len(kept))
        first = list(islice(given, STRETCH))
    before = None
    stretches = [kept.between(start, stop) for start, stop in pairwise(bounds)]
    for row in heapq.merge(*stretches):
        if row != before:
            yield row
        before = row


def doubled(names: Iterable[str]) -> str | None:
    """The first of the names that stands more than once; None where each stands once.

    >>> doubled(["b", "a", "c", "a", "b"]), doubled("abc")
    ('b', None)
    """
    found = None
    for name, places in groupby(ordered((name, at) for at, name in enumerate(names)), key=lambda row: row[0]):
        (_, first), *more = islice(places, 2)
        if more and (found is None or first < found[0]):
            found = first, name
    return found[1] if found else None


def packed(record: Any) -> str:
    """An item as a line: equal items, equal lines."""
    return json.dumps(_fields(record), sort_keys=True, ensure_ascii=False, default=_fields)


def unpacker(kind: Callable[..., Item]) -> Callable[[str], Item]:
    """What makes items of a kind of the lines that `packed` wrote."""

    def unpack(line: str) -> Item:
        return kind(**_restored(json.loads(line)))

    return unpack


def _fields(record: Any) -> dict[str, Any]:
    return {field.name: getattr(record, field.name) for field in fields(record)}


def _restored(given: dict[str, Any]) -> dict[str, Any]:
    """The fields of a record: lists were tuples, and tables were records."""
    for name, value in given.items():
        if isinstance(value, list):
            given[name] = _tuples(value)
        elif isinstance(value, dict):
            given[name] = _NESTED[name](**_restored(value))
    return given


def _tuples(value: list[Any]) -> tuple[Any, ...]:
    return tuple([_tuples(one) if type(one) is list else one for one in value])


def _row_packed(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False)


def _row_unpacked(line: str) -> Any:
    return _tuples(json.loads(line))


def _unkept(error: OSError) -> RunError:
    return RunError(
        f"{tempfile.gettempdir()}: a plan too large for memory cannot be stored there: {error.strerror or error}; "
        "set TMPDIR to a folder with more space"
    )
