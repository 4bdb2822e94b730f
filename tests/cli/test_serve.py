"""`tiltmeter serve`: where it can be reached, and how it ends."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tiltmeter.cli.serve import _listening
from tiltmeter.store import LEDGER, ProgressFile, locked


def test_whoever_comes_as_soon_as_the_address_is_said_waits_and_is_not_turned_away() -> None:
    with _listening(0) as listener, socket.create_connection(listener.getsockname(), timeout=5) as early:
        assert early.getpeername() == listener.getsockname()


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_quietly_though_a_page_follows_a_run(tmp_path: Path, number: signal.Signals) -> None:
    folder = tmp_path / "runs" / "mine"
    folder.mkdir(parents=True)
    (folder / LEDGER).touch()
    command = [sys.executable, "-m", "tiltmeter", "serve", str(tmp_path), "--no-open", "--port", "0"]
    with (
        locked(folder),
        ProgressFile(folder) as file,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server,
    ):
        file.start("scoring", 10, 0)
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[-1]
            browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
            browser.open(address, timeout=30).close()
            events = address.partition("?")[0] + "runs/mine/events"
            with browser.open(events, timeout=30) as following:
                assert following.readline().startswith(b"event: progress")
                server.send_signal(number)
                # What it still says is a whole answer: its last piece is there.
                following.read()
                _, said = server.communicate(timeout=30)
        finally:
            server.kill()
    assert said == "press Ctrl+C to stop; runs started here continue\n"
    assert server.returncode in (0, 128 + number, -number)
