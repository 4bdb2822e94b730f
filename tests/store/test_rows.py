"""Tables of a ledger as sequences."""

from __future__ import annotations

import pytest

from tiltmeter.store import rows
from tiltmeter.store.rows import Rows, rows_or_reader


def test_rows_are_read_a_block_at_a_time_and_only_when_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "_BLOCK", 10)
    read: list[tuple[int, int]] = []

    def between(start: int, stop: int) -> range:
        read.append((start, stop))
        return range(start, stop)

    found = Rows(25, between)
    assert (len(found), read) == (25, [])
    assert [found[12], found[19], found[-1]] == [12, 19, 24]
    assert read == [(10, 20), (20, 25)]
    assert list(found) == list(range(25))
    assert list(found[3:22]) == list(range(3, 22))
    assert list(found[::-6]) == list(range(25))[::-6]
    with pytest.raises(IndexError):
        found[25]


def test_few_rows_are_held() -> None:
    assert rows_or_reader(3, range, 3) == (0, 1, 2)
    assert isinstance(rows_or_reader(4, range, 3), Rows)
