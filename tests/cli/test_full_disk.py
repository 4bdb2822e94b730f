"""A disk that takes no more: one sentence that says so, and never that the ledger is damaged."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tiltmeter.errors import RunError
from tiltmeter.store.database import LEDGER
from tiltmeter.store.validation import valid_ledger

# What a process writes to any file is refused behind so many bytes, as it is on a disk that is full.
LIMITED = """
import resource, sys
from pathlib import Path
from tiltmeter import cli
from tiltmeter.store.run_folder import recover
resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
cli.app = lambda: recover(Path(sys.argv[1]))
cli.main()
"""


def test_a_ledger_that_cannot_grow_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / LEDGER
    database = sqlite3.connect(path)
    database.execute("create table t (a)")
    database.execute("pragma max_page_count = 4")
    with pytest.raises(RunError) as raised, valid_ledger(path):
        database.execute("insert into t values (?)", ("x" * 100_000,))
    database.close()
    assert "full" in str(raised.value)
    assert "damaged" not in str(raised.value)


@pytest.mark.skipif(os.name != "posix", reason="limits of what a process writes are POSIX's")
def test_a_killed_run_that_finds_no_room_to_recover_says_so(tmp_path: Path) -> None:
    database = sqlite3.connect(tmp_path / LEDGER, isolation_level=None)
    database.execute("pragma journal_mode = wal")
    database.execute("create table t (a)")
    database.execute("insert into t values (?)", ("x" * 200_000,))
    killed = tmp_path / "killed"
    killed.mkdir()
    for end in ("", "-wal"):
        shutil.copy(tmp_path / f"{LEDGER}{end}", killed / f"{LEDGER}{end}")
    database.close()
    done = subprocess.run([sys.executable, "-c", LIMITED, killed], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert LEDGER in done.stderr
    assert "damaged" not in done.stderr
    with sqlite3.connect(killed / LEDGER) as again:
        assert again.execute("select length(a) from t").fetchall() == [(200_000,)]
