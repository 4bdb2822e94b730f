"""Runs that the workbench starts: each a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from tiltmeter.errors import RunError
from tiltmeter.store import LEDGER, PROGRESS, ProgressFile, is_held, locked, process_of, read_progress, read_run
from tiltmeter.web.jobs import LOG, Jobs, last_line
from tiltmeter.web.runs.files import remove

_PATIENCE = 240.0


def _until(said: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not said():
        assert time.monotonic() < end
        time.sleep(0.05)


def _done(folder: Path) -> int:
    progress = read_progress(folder)
    return progress.stages[0].done if progress and progress.stages else 0


def _long_study(folder: Path, prompts: int = 1200) -> Path:
    """A study that takes some seconds, so that it can be stopped on the way."""
    rows = [f"Number {at} was a {word},{word}s" for at in range(prompts // 2) for word in ("man", "woman")]
    (folder / "prompts.csv").write_text("\n".join(["text,group", *rows]))
    (folder / "study.toml").write_text(
        'name = "long"\nmodels = ["scripted"]\n[continuations]\nsources = ["prompts-file:prompts.csv"]\n'
        'decoding = { temperature = 1.0, max_new_tokens = 12 }\nsamples = 10\nraters = ["readability.ari"]\n'
    )
    return folder / "study.toml"


def test_a_folder_in_which_nothing_happens_is_paused(tmp_path: Path) -> None:
    assert Jobs().status(tmp_path).state == "paused"


def test_a_run_that_failed_elsewhere_says_why(tmp_path: Path) -> None:
    (tmp_path / LEDGER).touch()
    with pytest.raises(RunError), ProgressFile(tmp_path):
        raise RunError("the disk is full")
    standing = Jobs().status(tmp_path)
    assert (standing.state, standing.message) == ("failed", "the disk is full")


def test_a_run_that_somebody_else_carries_out_is_running(tmp_path: Path) -> None:
    with locked(tmp_path):
        assert Jobs().status(tmp_path).state == "running"
        with pytest.raises(RunError, match="under way"):
            Jobs().start(tmp_path / "study.toml", tmp_path)
        with pytest.raises(RunError, match="only starting"):
            Jobs().pause(tmp_path)


def test_what_is_not_under_way_cannot_be_paused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="not under way"):
        Jobs().pause(tmp_path)


def test_the_last_line_is_the_last_that_says_anything(tmp_path: Path) -> None:
    assert last_line(tmp_path) == ""
    (tmp_path / LOG).write_bytes(b"one\ntwo \xff\n\n  \n")
    assert last_line(tmp_path) == "two �"


def test_what_an_earlier_start_did_is_not_what_this_one_does(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), ProgressFile(tmp_path) as file:
        file.start("scoring", 10, 0)
        raise KeyboardInterrupt
    assert Jobs().status(tmp_path).progress is not None
    with locked(tmp_path):
        assert Jobs().status(tmp_path).progress is None


@pytest.mark.slow
def test_a_study_that_is_none_fails_with_its_sentence(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('models = ["scriptd"]\n')
    jobs, folder = Jobs(), tmp_path / "run"
    jobs.start(tmp_path / "study.toml", folder)
    assert folder in jobs
    assert jobs.study_of(folder) == tmp_path / "study.toml"
    _until(lambda: jobs.status(folder).state == "failed")
    assert "did you mean `scripted`?" in jobs.status(folder).message


@pytest.mark.slow
def test_a_run_is_paused_goes_on_and_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    study, jobs, folder = _long_study(tmp_path), Jobs(), tmp_path / "run"
    jobs.start(study, folder)
    assert jobs.status(folder).state in ("starting", "running")
    with pytest.raises(RunError, match="under way"):
        jobs.start(study, folder)
    _until(lambda: _done(folder) > 0)
    # Another server, which did not start it, can pause it too.
    other = Jobs()
    other.pause(folder)
    assert other.status(folder).state in ("stopping", "paused")
    _until(lambda: jobs.status(folder).state == "paused")
    assert other.status(folder).state == "paused"
    progress = jobs.status(folder).progress
    assert progress is not None
    assert progress.state == "stopped"
    before = read_run(folder).continuations
    assert before is not None
    assert 0 < before.count < 12_000
    jobs.start(study, folder)
    # Whoever started it says that it stops until it has.
    _until(lambda: _done(folder) > before.count)
    jobs.pause(folder)
    seen = {jobs.status(folder).state}
    _until(lambda: seen.add(jobs.status(folder).state) or "paused" in seen)  # type: ignore[func-returns-value]
    assert seen <= {"stopping", "paused"}
    jobs.start(study, folder)
    _until(lambda: jobs.status(folder).state == "finished" and not is_held(folder))
    after = read_run(folder).continuations
    assert after is not None
    assert after.count == 12_000
    assert "stopped" in (folder / LOG).read_text()


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_command_as_a_key_press_does(tmp_path: Path, sent: signal.Signals) -> None:
    if signal.getsignal(sent) is signal.SIG_IGN:
        pytest.skip("whoever started the tests lets no key press through to them")
    study, folder = _long_study(tmp_path), tmp_path / "run"
    command = [sys.executable, "-m", "tiltmeter", "run", str(study), "--out", str(folder), "--no-cache"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        _until(lambda: process_of(folder) is not None)
        assert process_of(folder) == process.pid
        os.kill(process.pid, sent)
        _, said = process.communicate(timeout=_PATIENCE)
    assert process.returncode == 130
    assert "stopped; run the same command to resume" in said
    assert "Traceback" not in said
    assert '"stopped"' in (folder / PROGRESS).read_text()


def test_a_run_of_another_machine_is_not_stopped_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ProgressFile(tmp_path) as file, locked(tmp_path):
        file.start("scoring", 10, 0)
        monkeypatch.setattr("platform.node", lambda: "another")
        # The number is that of this very process.
        with pytest.raises(RunError, match="is carried out on `.+`; stop it there"):
            Jobs().pause(tmp_path)
        monkeypatch.undo()


def test_a_lock_that_is_no_file_of_sqlite_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "lock.sqlite").write_bytes(b"nothing of the kind" * 100)
    assert not is_held(tmp_path)


@pytest.mark.slow
def test_a_start_waits_until_a_removal_of_the_same_run_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, jobs, at_it, delete = tmp_path / "run", Jobs(), Event(), shutil.rmtree
    folder.mkdir()
    (folder / LOG).write_text("of before")

    def slow(path: Path) -> None:
        at_it.set()
        time.sleep(0.5)
        delete(path)

    monkeypatch.setattr(shutil, "rmtree", slow)
    with ThreadPoolExecutor() as pool:
        removed = pool.submit(jobs.remove, folder, remove)
        at_it.wait()
        started = pool.submit(jobs.start, tmp_path / "none.toml", folder)
        removed.result()
        started.result()
    _until(lambda: jobs.status(folder).state == "failed")
    assert "of before" not in (folder / LOG).read_text()
    assert "none.toml" in (folder / LOG).read_text()


@pytest.mark.slow
def test_of_two_starts_at_once_one_is_refused(tmp_path: Path) -> None:
    jobs, study = Jobs(), _long_study(tmp_path, 50)
    with ThreadPoolExecutor() as pool:
        starts = [pool.submit(jobs.start, study, tmp_path / "run") for _ in range(4)]
    problems = [str(one.exception()) for one in starts if one.exception()]
    assert len(problems) == 3
    assert all("is under way already" in one for one in problems)
    with pytest.raises(RunError, match="is under way"):
        jobs.remove(tmp_path / "run", remove)
    _until(lambda: jobs.status(tmp_path / "run").state == "finished")
    jobs.remove(tmp_path / "run", remove)
    with pytest.raises(RunError, match="is gone"):
        jobs.start(study, tmp_path / "run", again=True)


@pytest.mark.skipif(sys.platform not in ("linux", "darwin"), reason="the system does not say who holds a file")
def test_no_other_process_is_stopped_than_the_one_that_holds_the_folder(tmp_path: Path) -> None:
    holding = (
        "import sys; from pathlib import Path; from tiltmeter.store import locked\n"
        "with locked(Path(sys.argv[1])): print(flush=True); sys.stdin.read()"
    )
    with (
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as victim,
        subprocess.Popen(
            [sys.executable, "-c", holding, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as holder,
    ):
        assert holder.stdout is not None
        holder.stdout.readline()
        ProgressFile(tmp_path).start("scoring", 10, 0)
        told = json.loads((tmp_path / PROGRESS).read_text())
        for number in (victim.pid, 10**30):
            (tmp_path / PROGRESS).write_text(json.dumps({**told, "process": number}))
            with pytest.raises(RunError, match="cannot be told"):
                Jobs().pause(tmp_path)
        (tmp_path / PROGRESS).write_text(json.dumps({**told, "process": holder.pid}))
        Jobs().pause(tmp_path)
        assert holder.wait(_PATIENCE) == -signal.SIGTERM
        assert victim.poll() is None
        victim.communicate(b"\n")
