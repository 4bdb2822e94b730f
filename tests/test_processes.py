"""What Windows does not have is not missed."""

from __future__ import annotations

import ast
import gc
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tiltmeter import processes
from tiltmeter.web import findings_process

SOURCE = Path(processes.__file__).parent
POSIX = {
    "nice",
    "fork",
    "killpg",
    "getuid",
    "geteuid",
    "getpgid",
    "setsid",
    "sysconf",
    "getloadavg",
    "sched_getaffinity",
}
SIGNALS = {"SIGKILL", "SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGCHLD"}
MODULES = {"fcntl", "resource", "pwd", "grp", "pty", "termios"}


@pytest.mark.parametrize("missing", [[], ["nice", "killpg"]])
def test_processes_give_way_and_end_whatever_the_system_knows(
    missing: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in missing:
        monkeypatch.delattr(os, name)
    if missing:
        monkeypatch.delattr(signal, "SIGKILL")
    processes.give_way(0)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('', flush=True); time.sleep(60)"
    for code in ("import time; print('', flush=True); time.sleep(60)", *(() if missing else (deaf,))):
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        assert process.stdout is not None and process.stdout.readline() == "\n"
        processes.end_with_children(process, 0.5)
        assert process.returncode is not None
        processes.end_with_children(process, 0.5)


def test_findings_are_worked_out_where_nobody_can_be_nice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delattr(os, "nice")
    monkeypatch.setattr(sys, "argv", ["working", str(tmp_path)])
    with pytest.raises(SystemExit) as ended:
        findings_process.main()
    assert ended.value.code == 2
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.slow
def test_what_windows_lacks_is_used_behind_a_question_alone() -> None:
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        asked = {
            node.args[1].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("hasattr", "getattr")
            and isinstance(node.args[1], ast.Constant)
        }
        # An import that a `try` stands around asks too.
        tried = {inner for node in ast.walk(tree) if isinstance(node, ast.Try) for inner in node.body}
        for node in ast.walk(tree):
            if node in tried:
                continue
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                of = {"os": POSIX, "signal": SIGNALS}.get(node.value.id, set())
                assert node.attr not in of - asked, f"{path}, line {node.lineno}: {node.attr}"
            names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not MODULES & {*names}, path


@pytest.mark.parametrize("collects", [True, False])
def test_cycles_are_looked_for_again_afterwards(collects: bool) -> None:
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        with processes.uncollected(), processes.uncollected():
            assert not gc.isenabled()
        assert gc.isenabled() == collects
        with pytest.raises(ValueError, match="work failed"), processes.uncollected():
            raise ValueError("work failed")
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
