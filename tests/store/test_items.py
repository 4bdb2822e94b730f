from __future__ import annotations

import lzma
from pathlib import Path

import pytest

from tiltmeter.results.cells import Measurement, table_of
from tiltmeter.store import LEDGER, Ledger, Run, read_run
from tiltmeter.store.rows import check_unchanged

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


def measurements(run: Run) -> list[Measurement]:
    table = table_of(run)
    return table.rows(*(cell.number for cell in table.cells))


def test_a_ledger_of_an_earlier_version_is_read_and_stays_as_it_is(folder: Path) -> None:
    before = (folder / LEDGER).read_bytes()
    assert [len(some) for some in items(read_run(folder))] == [16, 64, 12]
    assert [len(some) for some in items(read_run(folder, held=0))] == [16, 64, 12]
    assert (folder / LEDGER).read_bytes() == before


def test_a_ledger_of_an_earlier_version_is_converted_when_it_is_written(folder: Path) -> None:
    earlier = read_run(folder)
    before, measured = items(earlier), measurements(earlier)
    assert len(measured) > 50
    for _ in range(2):
        with Ledger(folder) as ledger:
            assert len(ledger.pairs()) == 16
            assert ledger.meta()["finished"]
    check_unchanged(folder / LEDGER)
    after = read_run(folder)
    assert items(after) == before
    assert measurements(after) == measured
    assert after.is_checked
