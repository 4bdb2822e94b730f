"""The copy of the labels of a run: made once, made again when the plan grew, and never in the way."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.store.broken import rewritten
from tests.web.texts_run import make_texts
from tiltmeter.errors import RunError
from tiltmeter.store import LEDGER, Annotations
from tiltmeter.web.scratch import scratch_of
from tiltmeter.web.texts.labels import labelled_rows


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_texts(tmp_path)


def count(folder: Path) -> int:
    return int(labelled_rows(folder, "select count(*) from pair_labels")[0][0])


def test_the_copy_says_what_the_ledger_says(folder: Path):
    differing = labelled_rows(
        folder,
        "select count(*) from items p left join pair_labels l using (number) where p.view = 'pairs' and "
        "(l.source is not json_extract(item, '$.source') or text_2 is not json_extract(item, '$.texts[1]') "
        "or target is not json_extract(item, '$.stereotyped'))",
    )
    assert differing == [(0,)]
    assert labelled_rows(folder, "select count(*) from asked_labels") == labelled_rows(
        folder, "select count(*) from items where view = 'next words'"
    )


def test_it_is_made_once_and_again_when_the_plan_has_grown(folder: Path):
    before = count(folder)
    kept = scratch_of(folder) / "labels.sqlite"
    stamp = kept.stat().st_mtime_ns
    assert count(folder) == before
    assert kept.stat().st_mtime_ns == stamp
    with rewritten(folder / LEDGER) as database:
        database.execute(
            "insert into items (view, number, id, source, bias, item) "
            "select view, max(number) + 1, 'new', source, bias, item from items where view = 'pairs'"
        )
    assert count(folder) == before + 1
    assert [file.name for file in scratch_of(folder).iterdir()] == ["labels.sqlite"]


def test_the_ledger_stays_as_it_is(folder: Path):
    before = (folder / LEDGER).read_bytes()
    count(folder)
    assert (folder / LEDGER).read_bytes() == before
    with pytest.raises(RunError):
        labelled_rows(folder, "delete from items")
    assert Annotations(folder).tasks() == []


def test_a_copy_in_the_folder_of_the_run_is_not_believed(folder: Path):
    before = count(folder)
    forged = folder / "workbench" / "labels.sqlite"
    forged.parent.mkdir()
    forged.write_bytes((scratch_of(folder) / "labels.sqlite").read_bytes())
    with closing(sqlite3.connect(forged)) as database, database:
        database.execute("delete from pair_labels")
    (scratch_of(folder) / "labels.sqlite").unlink()
    assert count(folder) == before


def test_a_copy_that_is_damaged_is_made_again(folder: Path):
    count(folder)
    (scratch_of(folder) / "labels.sqlite").write_bytes(b"nothing of the kind" * 100)
    assert count(folder) > 0
