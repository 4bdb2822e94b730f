"""A study whose sentences a model writes, killed while it writes, while it replaces and while it scores."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.engine.killing import killed_until_done
from tests.engine.stand_ins import STUDY, main, stand_in
from tiltmeter.engine import carry_out
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import write_tables
from tiltmeter.store import read_run
from tiltmeter.study import plan, read

pytestmark = pytest.mark.slow


COUNTS = """
select (select count(*) from units where unit not like '%/round-1'),
       (select count(*) from units where unit like '%/round-1'),
       (select count(*) from steps)
"""


def steps(folder: Path) -> tuple[int, int, int]:
    """How far a run has come, seen from outside: units written, units replaced, batches scored."""
    try:
        database = sqlite3.connect(f"file:{folder / 'ledger.sqlite'}?mode=ro", uri=True)
        written, replaced, batches = database.execute(COUNTS).fetchone()
    except sqlite3.Error:
        return 0, 0, 0
    return written, replaced, batches


def tables(folder: Path) -> dict[str, bytes]:
    run = read_run(folder)
    return {path.name: path.read_bytes() for path in write_tables(run, summarise_run(run), folder)}


def test_killed_at_any_moment_it_ends_with_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, killed = tmp_path / "study.toml", tmp_path / "killed"
    study.write_text(STUDY, encoding="utf-8")
    stand_in(monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "writer").mkdir()
    whole = carry_out(plan(read(study)), tmp_path / "whole")
    assert {pair.stands_in for pair in whole.pairs} == {None, "regenerated", "template"}
    killed_after = killed_until_done(main, study, killed, lambda: steps(killed))
    stages = [(bool(replaced), bool(batches)) for _, replaced, batches in killed_after]
    assert {*stages} == {(False, False), (True, False), (True, True)}, "killed in writing, replacing and scoring"
    assert tables(killed) == tables(tmp_path / "whole")
