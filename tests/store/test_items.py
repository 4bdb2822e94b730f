from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tiltmeter.store import LEDGER, Ledger, Run, read_run
from tiltmeter.store.rows import check_whole
from tiltmeter.web.texts.labels import labelled_rows

EARLIER = Path(__file__).parent / "earlier.sqlite.xz"
"""A run of three views by a scripted model, made when each view had a table of items of its own."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir()
    (path / LEDGER).write_bytes(lzma.decompress(EARLIER.read_bytes()))
    return path


def items(run: Run) -> tuple[list[object], ...]:
    assert run.continuations is not None
    assert run.next_words is not None
    return list(run.pairs), list(run.continuations.prompts), list(run.next_words.asked)


def test_a_ledger_of_an_earlier_version_is_read_and_stays_as_it_is(folder: Path) -> None:
    before = (folder / LEDGER).read_bytes()
    assert [len(some) for some in items(read_run(folder))] == [16, 64, 12]
    assert [len(some) for some in items(read_run(folder, held=0))] == [16, 64, 12]
    assert labelled_rows(folder, "select count(*) from asked_labels") == [(12,)]
    assert (folder / LEDGER).read_bytes() == before


def test_a_ledger_of_an_earlier_version_is_converted_when_it_is_written(folder: Path) -> None:
    before, ratings = items(read_run(folder)), read_run(folder).continuations
    assert ratings is not None
    cells = ratings.cells()
    for _ in range(2):
        with Ledger(folder) as ledger:
            assert len(ledger.pairs()) == 16
            assert ledger.meta()["finished"]
    check_whole(folder / LEDGER)
    after = read_run(folder)
    assert items(after) == before
    assert after.continuations is not None
    assert after.continuations.cells() == cells
    assert after.is_checked
