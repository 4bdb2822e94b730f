"""Names that no file can have, folders that cannot be written, texts that are none: a sentence and status 2."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

LONG = "n" * 300
STUDY = (
    'name = "{}"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nscorers = ["sum"]\n'
    "sources = [{{ templates = {{ per_attribute = 2 }} }}]\n"
)


pytestmark = pytest.mark.slow


def run(folder: Path, *arguments: str, before: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """In a Python of its own, since a mount is that of a process."""
    command = [*before, sys.executable, "-m", "tiltmeter", *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, errors="replace", cwd=folder, timeout=120, check=False
    )


def said(status: int, err: str) -> str:
    assert status == 2, err[-300:]
    [line] = [line for line in err.splitlines() if line.startswith("tiltmeter: ")]
    assert "Errno" not in line and "Traceback" not in err
    return line


@pytest.mark.parametrize(
    "command",
    [
        ("rate", LONG, "-r", "sentiment.vader", "-o", "x.csv"),
        ("rate", "t.csv", "-r", "sentiment.vader", "-o", f"{LONG}.csv"),
        ("analyze", LONG),
        ("report", LONG),
        ("run", f"{LONG}.toml"),
        ("score", LONG, "--model", "scripted", "--out", "x.csv"),
        ("next-words", "score", "--model", "scripted", "--prompts", LONG, "--out", "x.csv"),
        ("data", "check", LONG),
    ],
)
def test_a_name_that_no_file_can_have_is_refused(tiltmeter: Command, tmp_path: Path, command: tuple[str, ...]) -> None:
    (tmp_path / "t.csv").write_text("text\nShe is kind.\n", encoding="utf-8")
    done = tiltmeter(*command)
    said(done.status, done.err)
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_file_may_be_called_whatever_fits(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text\nShe is kind.\n", encoding="utf-8")
    name = f"{'m' * 250}.csv"
    assert tiltmeter("rate", "t.csv", "-r", "sentiment.vader", "-o", name).status == 0
    assert (tmp_path / name).is_file()


def test_a_study_with_a_long_name_is_carried_out(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format(LONG), encoding="utf-8")
    assert tiltmeter("run", "s.toml").status == 0
    [folder] = (tmp_path / "runs").iterdir()
    assert (folder / "report.html").is_file()


@pytest.mark.skipif(os.getuid() != 0 or not shutil.which("unshare"), reason="a read-only mount needs root")
def test_a_finished_run_that_may_only_be_read_is_read_or_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format("short"), encoding="utf-8")
    assert run(tmp_path, "run", "s.toml").returncode == 0
    mount = f"mount --bind '{tmp_path}/runs' '{tmp_path}/runs' && mount -o remount,ro,bind '{tmp_path}/runs'"
    before = ("unshare", "-m", "bash", "-c", f'{mount} && exec "$@"', "bash")
    if run(tmp_path, "--version", before=before).returncode:
        pytest.skip("this machine lets nobody mount")
    for command in (("report", "runs/short"), ("run", "s.toml"), ("export", "runs/short")):
        done = run(tmp_path, *command, before=before)
        assert "Read-only" in said(done.returncode, done.stderr)
    assert run(tmp_path, "multiverse", "runs/short", before=before).returncode == 0
    assert run(tmp_path, "report", "runs/short", "--out", "there.html", before=before).returncode == 0


def test_half_a_character_from_a_file_ends_nothing(tiltmeter: Command, tmp_path: Path) -> None:
    rows = [{"text": "She is \ud800 kind.", "group": "w\udfff", "origin": str(at), "v": at / 9} for at in range(8)]
    rows += [row | {"group": "m"} for row in rows]
    (tmp_path / "t.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for name in ("o.csv", "o.jsonl", "o.parquet"):
        assert tiltmeter("rate", "t.jsonl", "-r", "sentiment.vader", "-o", name).status == 0
    for name in ("o.csv", "o.jsonl", "o.parquet", "t.jsonl"):
        done = tiltmeter("analyze", name, "--columns", "value=v", "--json")
        assert done.status == 0 and "w\ufffd" in done.json["groups"]
    words = ("--words", "he-she", "--out", "w.csv")
    done = tiltmeter("next-words", "score", "--model", "scripted", "--prompts", "t.jsonl", *words)
    assert done.status == 0 and "\ufffd" in (tmp_path / "w.csv").read_text(encoding="utf-8")
