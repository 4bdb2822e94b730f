"""A study of all views, killed while it scores, writes, rates and asks for next words."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from tests.engine.killing import killed_until_done
from tests.engine.slow_continuing import OTHER, STUDY, main, small_steps
from tiltmeter.engine import carry_out
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import write_tables
from tiltmeter.store import read_run
from tiltmeter.study import plan, read

pytestmark = pytest.mark.slow

COUNTS = """
select (select count(*) from steps where stage = 'scoring'),
       (select count(*) from steps where stage = 'completing'),
       (select count(*) from steps where stage in ('rating', 'tilting')),
       (select count(*) from steps where stage = 'expecting')
"""


def steps(folder: Path) -> tuple[int, ...]:
    """How far a run has come, seen from outside: batches scored, written, rated and expected."""
    try:
        database = sqlite3.connect(f"file:{folder / 'ledger.sqlite'}?mode=ro", uri=True)
        return tuple(database.execute(COUNTS).fetchone())
    except sqlite3.Error:
        return 0, 0, 0, 0


def tables(folder: Path) -> dict[str, bytes]:
    run = read_run(folder)
    assert run.continuations
    paths = write_tables(run, summarise_run(run), folder)
    return {path.name: path.read_bytes() for path in paths}


def test_killed_at_any_moment_it_ends_with_the_same_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study, killed = tmp_path / "study.toml", tmp_path / "killed"
    study.write_text(STUDY, encoding="utf-8")
    (tmp_path / "other.toml").write_text(OTHER, encoding="utf-8")
    small_steps(monkeypatch)
    carry_out(plan(read(study)), tmp_path / "whole")
    whole = steps(tmp_path / "whole")
    killed_after = killed_until_done(main, study, killed, lambda: steps(killed))
    for stage, name in ((1, "writing"), (2, "rating"), (3, "asking for next words")):
        assert any(0 < counts[stage] < whole[stage] for counts in killed_after), f"never killed while {name}"
    assert steps(killed) == whole
    assert tables(killed) == tables(tmp_path / "whole")
