from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from unittest.mock import Mock

import pytest

from tests.store.broken import EMPTY, META, RECORDS
from tests.web.texts_run import STUDY, make_texts
from tiltmeter.errors import RunError, TiltmeterError
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import export_items
from tiltmeter.store import LEDGER, NotBegun, read_meta, read_run, rows, state_of, validation
from tiltmeter.store.database import connect, writing
from tiltmeter.study import parse, plan


@pytest.mark.parametrize("name", META)
def test_a_ledger_that_does_not_say_of_which_run_it_is_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    folder = make_texts(tmp_path)
    assert read_meta(folder)["resolved"]["name"] == "texts"
    break_it, sentence = META[name]
    break_it(folder)
    for read in (read_meta, read_run):
        with pytest.raises(RunError) as refused:
            read(folder)
        assert sentence in str(refused.value)
        assert str(refused.value).startswith(str(folder / LEDGER))


@pytest.mark.parametrize("name", EMPTY)
def test_a_run_that_has_not_begun_is_not_damaged(tmp_path: Path, name: str) -> None:
    folder = make_texts(tmp_path)
    EMPTY[name](folder)
    with pytest.raises(RunError, match="has not started|is not a run folder") as refused:
        read_run(folder)
    assert isinstance(refused.value, NotBegun) == (folder / LEDGER).is_file()


def test_a_run_that_did_not_change_is_checked_once_however_often_it_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = make_texts(tmp_path)
    checked: list[Path] = []
    monkeypatch.setattr(rows, "check", lambda _, path: checked.append(path))
    for _ in range(3):
        read_run(folder)
        # A second reader while the first one is still at it.
        assert all(list(rows.rows_of(folder, "select 1 from items")) for _ in rows.rows_of(folder, "select 1"))
    assert len(checked) <= 1
    with sqlite3.connect(folder / LEDGER) as database:
        database.execute("update items set source = 'other'")
    read_run(folder)
    assert checked.pop() == folder / LEDGER


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_that_is_none_is_said(tmp_path: Path, name: str) -> None:
    folder = make_texts(tmp_path)
    RECORDS[name](folder)
    with pytest.raises(TiltmeterError, match="damaged"):
        run = read_run(folder)
        summarise_run(run)
        export_items(run, tmp_path / "items")


def test_what_another_program_wrote_is_not_written_over(tmp_path: Path) -> None:
    folder = make_texts(tmp_path)
    META["of another program"][0](folder)
    with pytest.raises(RunError, match="is not a tiltmeter ledger"):
        state_of(folder, plan(parse(STUDY.replace("hf:./writer", "scripted"))))


def test_a_key_press_while_a_row_is_added_up_stays_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite turns whatever a function of ours raises into an error of its own."""
    folder = make_texts(tmp_path)
    monkeypatch.setattr(validation, "_digest", Mock(side_effect=KeyboardInterrupt))
    with closing(connect(folder / LEDGER)) as database:
        with pytest.raises(KeyboardInterrupt), writing(database, folder):
            database.execute("update items set source = 'other'")
        monkeypatch.undo()
        with pytest.raises(RunError, match="cannot be written: no such table"), writing(database, folder):
            database.execute("update absent set source = 'other'")
    assert read_run(folder)
