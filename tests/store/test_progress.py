"""How far a run is, as a file in its folder."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tiltmeter.engine import carry_out
from tiltmeter.errors import RunError
from tiltmeter.store import LEDGER, PROGRESS, ProgressFile, Stage, locked, process_of, read_progress
from tiltmeter.study import parse, plan

STUDY = """
name = "short"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 2 } }]
samples = 2
raters = ["readability.ari"]
"""


def test_a_run_keeps_what_it_did_and_that_it_finished(tmp_path: Path) -> None:
    with ProgressFile(tmp_path) as file:
        carry_out(plan(parse(STUDY)), tmp_path, progress=file)
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.state == "finished"
    assert progress.process == os.getpid()
    assert [stage.what.split()[0] for stage in progress.stages] == ["scoring", "writing", "rating", "rating"]
    assert all(stage.done == stage.total > 0 for stage in progress.stages)


def test_a_rate_counts_only_what_this_start_did() -> None:
    stage = Stage("x", total=100, done=40, first=20, failed=None, began=10.0, changed=14.0)
    assert (stage.rate, stage.left) == (5.0, 12.0)
    assert Stage("x", 100, 20, 20, None, 10.0, 14.0).rate is None


@pytest.mark.parametrize(
    ("error", "state", "message"),
    [
        (KeyboardInterrupt(), "stopped", ""),
        (RunError("the disk is full"), "failed", "the disk is full"),
        (ZeroDivisionError("a secret"), "failed", "ZeroDivisionError"),
    ],
)
def test_an_end_that_is_none_is_said(tmp_path: Path, error: BaseException, state: str, message: str) -> None:
    with pytest.raises(type(error)), ProgressFile(tmp_path) as file:
        file.start("scoring", 10, 0)
        file.advance(3, failed=1)
        file.advance(2, failed=1)
        raise error
    progress = read_progress(tmp_path)
    assert progress is not None
    assert (progress.state, progress.message) == (state, message)
    assert (progress.stages[0].done, progress.stages[0].failed) == (5, 2)


def test_a_failure_before_any_work_is_said_where_there_is_a_run(tmp_path: Path) -> None:
    with pytest.raises(RunError), ProgressFile(tmp_path):
        raise RunError("no such model")
    assert not (tmp_path / PROGRESS).exists()
    (tmp_path / LEDGER).touch()
    with pytest.raises(RunError), ProgressFile(tmp_path):
        raise RunError("no such model")
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.message == "no such model"


@pytest.mark.slow
def test_who_is_refused_leaves_the_file_of_the_other_alone(tmp_path: Path) -> None:
    (tmp_path / LEDGER).touch()
    with locked(tmp_path), ProgressFile(tmp_path) as file:
        file.start("scoring", 10, 0)
        before = (tmp_path / PROGRESS).read_text()
        with pytest.raises(RunError, match="another process"), ProgressFile(tmp_path), locked(tmp_path):
            pass
        assert (tmp_path / PROGRESS).read_text() == before


def test_looking_at_a_finished_run_again_keeps_what_it_did(tmp_path: Path) -> None:
    for _ in range(2):
        with ProgressFile(tmp_path) as file:
            carry_out(plan(parse(STUDY)), tmp_path, progress=file)
    progress = read_progress(tmp_path)
    assert progress is not None
    assert progress.stages


def test_the_process_is_known_only_while_it_holds_the_folder(tmp_path: Path) -> None:
    with ProgressFile(tmp_path) as file:
        with locked(tmp_path):
            assert process_of(tmp_path) is None
            file.start("scoring", 10, 0)
            assert process_of(tmp_path) == os.getpid()
        assert process_of(tmp_path) is None
        # A process that was killed leaves a file that names it: whoever holds the folder now is another.
        os.utime(tmp_path / PROGRESS, (1.0, 1.0))
        with locked(tmp_path):
            assert process_of(tmp_path) is None


STAGE = '{"what": "x", "total": %s, "done": 1, "first": 0, "failed": null, "began": 1.0, "changed": 2.0}'


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"process": 1, "stages": [{"what": "x"}]}', "null"),
        '{"process": 1, "stages": [%s]}' % (STAGE % '"many"'),
        '{"process": -1, "stages": []}',
        '{"process": "1", "stages": []}',
    ],
)
def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / PROGRESS).write_text(text)
    assert read_progress(tmp_path) is None
    assert read_progress(tmp_path / "nowhere") is None


def test_the_file_is_never_half_written(tmp_path: Path) -> None:
    with ProgressFile(tmp_path) as file:
        file.start("scoring", 1000, 0)
        for _ in range(1000):
            file.advance(1)
            json.loads((tmp_path / PROGRESS).read_text())
    assert [path.name for path in tmp_path.iterdir()] == [PROGRESS]


def test_a_file_of_an_earlier_version_names_no_machine(tmp_path: Path) -> None:
    (tmp_path / PROGRESS).write_text('{"process": 1, "stages": [%s]}' % (STAGE % "5"))
    progress = read_progress(tmp_path)
    assert progress is not None
    assert (progress.host, progress.stages[0].total) == ("", 5)
