"""Sequences that may be longer than memory: beyond a size they are in a temporary file, where they are put in order."""

from __future__ import annotations

import heapq
import io
import json
import pickle
import tempfile
import threading
import weakref
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import groupby, islice, pairwise
from typing import Any, Generic, TypeVar, overload

from tiltmeter.errors import RunError
from tiltmeter.records import Prompt, Structure

LIMIT = 10_000
"""So many items are held in memory; more are in a file, all of them."""
STRETCH = 50_000
"""So many rows are sorted at once."""
_BLOCK = 32
"""So many items of a file are read at once."""
_NESTED: dict[str, type] = {"structure": Structure, "prompt": Prompt}
"""The fields of items that are records themselves."""

Item = TypeVar("Item")
Row = TypeVar("Row", bound=tuple[Any, ...])


class DiskList(Sequence[Item], Generic[Item]):
    """Items that are added once and read in any order; those of a file are gone with it when nobody uses it any more.

    They are text, numbers, tuples of these, and records of such. What comes back is equal to what was added.
    """

    def __init__(self) -> None:
        self._held: list[Item] = []
        """All of them, or those that are not in the file yet."""
        self._file: Any = None
        self._blocks = array("q", [0])
        """Where each block of items begins, and where the last ends."""
        self._was_read = False
        self._lock = threading.Lock()

    def append(self, item: Item) -> None:
        """Add an item."""
        self._held.append(item)
        if len(self._held) > LIMIT or (self._file is not None and len(self._held) == _BLOCK):
            self._move()

    def extend(self, items: Iterable[Item]) -> None:
        """Add items in their order."""
        for item in items:
            self.append(item)

    def finished(self) -> Sequence[Item]:
        """What is here: a tuple where it is held in memory."""
        return tuple(self._held) if self._file is None else self

    def between(self, start: int, stop: int) -> Iterator[Item]:
        """The items from one place to before another."""
        stop = min(stop, len(self))
        while start < stop:
            block, first = divmod(start, _BLOCK)
            some = self._block(block)[first : first + stop - start]
            yield from some
            start += len(some)

    def __len__(self) -> int:
        return (len(self._blocks) - 1) * _BLOCK + len(self._held)

    def __iter__(self) -> Iterator[Item]:
        return self.between(0, len(self))

    @overload
    def __getitem__(self, at: int) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Item]: ...
    def __getitem__(self, at: int | slice) -> Item | Sequence[Item]:
        places = range(len(self))[at]
        if isinstance(places, int):
            return next(self.between(places, places + 1))
        if places.step == 1:
            return tuple(self.between(places.start, places.stop))
        return tuple(self[place] for place in places)

    def _move(self) -> None:
        """From memory to a file, but for those that fill no block."""
        try:
            with self._lock:
                if self._file is None:
                    self._file = tempfile.TemporaryFile(prefix="tiltmeter-")  # noqa: SIM115
                    weakref.finalize(self, self._file.close)
                if self._was_read:
                    self._file.seek(self._blocks[-1])
                    self._was_read = False
                while len(self._held) >= _BLOCK:
                    line = _written(self._held[:_BLOCK])
                    self._file.write(line)
                    self._blocks.append(self._blocks[-1] + len(line))
                    del self._held[:_BLOCK]
        except OSError as error:
            raise _unkept(error) from error

    def _block(self, block: int) -> list[Item]:
        if block == len(self._blocks) - 1:
            return self._held
        start, end = self._blocks[block : block + 2]
        try:
            with self._lock:
                self._was_read = True
                self._file.seek(start)
                read: bytes = self._file.read(end - start)
        except OSError as error:
            raise _unkept(error) from error
        items: list[Item] = pickle.loads(read)
        return items


class _Pickler(pickle.Pickler):
    """Writes records by their fields. What this process wrote into a file without a name it may read back."""

    def reducer_override(self, given: Any) -> Any:
        kind = type(given)
        if not is_dataclass(kind):
            return NotImplemented
        by_place, by_name = _names(kind)
        return _made, (kind, *[getattr(given, name) for name in (*by_place, *by_name)])


@cache
def _names(kind: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The fields of a kind of records that are given by place, and those that are given by name."""
    by_place = tuple(field.name for field in fields(kind) if not field.kw_only)
    return by_place, tuple(field.name for field in fields(kind) if field.kw_only)


def _made(kind: Any, *values: Any) -> Any:
    by_place, by_name = _names(kind)
    return kind(*values[: len(by_place)], **dict(zip(by_name, values[len(by_place) :], strict=True)))


def _written(items: Sequence[Any]) -> bytes:
    file = io.BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(items)
    return file.getvalue()


def disk_list(items: Iterable[Item]) -> Sequence[Item]:
    """Items as a sequence, which is in a file where they are many."""
    found: DiskList[Item] = DiskList()
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
    return _LINES.encode(_fields(record))


def unpacker(kind: Callable[..., Item]) -> Callable[[str], Item]:
    """What makes items of a kind of the lines that `packed` wrote."""

    def unpack(line: str) -> Item:
        return kind(**_restored(json.loads(line)))

    return unpack


def _fields(record: Any) -> dict[str, Any]:
    by_place, by_name = _names(record.__class__)
    return {name: getattr(record, name) for name in (*by_place, *by_name)}


_LINES = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=_fields)


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


def _unkept(error: OSError) -> RunError:
    return RunError(
        f"{tempfile.gettempdir()}: a plan too large for memory cannot be stored there: {error.strerror or error}; "
        "set TMPDIR to a folder with more space"
    )
