"""Tables of a ledger as sequences whose rows are read when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar, overload

HELD = 300_000
"""So many items of a run are held in memory where everything is said of it; of more, those that are asked for."""
_BLOCK = 512
"""So many rows are read at once."""

Item = TypeVar("Item")


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


def held_or_read(count: int, read: Callable[[int, int], Iterable[Item]], held: int) -> Sequence[Item]:
    """The rows at once where they are few enough to be held, or else when they are asked for."""
    return tuple(read(0, count)) if count <= held else Rows(count, read)
