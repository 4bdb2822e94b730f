"""Limits on what is sent: they hold over kills, restarts, and several who ask at once."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from tests.models.misbehaving_server import Misbehaving, misbehaving
from tiltmeter.answers import key_of
from tiltmeter.models import ModelSettings
from tiltmeter.models.api import BudgetSpent, Journal, load
from tiltmeter.models.api.budget import Limits
from tiltmeter.records import Decoding

SHORT = Decoding(max_new_tokens=4)
QUICK = "timeout=5&longest_wait=0.05"
ASKING = """
import sys
from pathlib import Path
from tiltmeter.models import ModelSettings
from tiltmeter.models.api import load
from tiltmeter.records import Decoding
name, folder = sys.argv[1:]
model = load(name, ModelSettings(answers=Path(folder)))
model.complete([f"prompt {number}" for number in range(300)], Decoding(max_new_tokens=4))
"""


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


@pytest.mark.slow
def test_a_limit_holds_however_often_the_process_is_killed(tmp_path: Path) -> None:
    # Slow and failing, so that many requests are on their way or were sent again when the end comes.
    server = Misbehaving(rate=0.6, seed=5, kinds=("500 with the key in it", "slow headers"), drip=1.0, quiet=1)
    with misbehaving(server) as url:
        name = f"tested@{url}?{QUICK}&max_requests=60&attempts=50&concurrency=12"
        ended = None
        for _ in range(12):
            before = server.total
            process = subprocess.Popen(
                [sys.executable, "-c", ASKING, name, str(tmp_path)],
                stderr=subprocess.PIPE,
                env={**os.environ, "TILTMETER_API_KEY": ""},
            )
            while process.poll() is None and server.total < before + 9:
                time.sleep(0.01)
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            _, said = process.communicate()
            if process.returncode != -signal.SIGKILL:
                ended = said
                break
        assert ended is not None and b"the budget of 60 requests is used up" in ended
        assert server.total <= 60
        [path] = tmp_path.glob("*.sqlite")
        spent = Journal(path).spent()
    assert spent.requests == 60
    assert spent.answered <= server.answered.total()


def test_two_that_ask_at_once_share_one_limit(tmp_path: Path) -> None:
    server = Misbehaving(rate=0.0)
    with misbehaving(server) as url:
        name = f"tested@{url}?{QUICK}&max_requests=10"
        first, second = (load(name, ModelSettings(answers=tmp_path)) for _ in range(2))
        first.complete([f"prompt {at}" for at in range(6)], SHORT)
        with pytest.raises(BudgetSpent):
            second.complete([f"other {at}" for at in range(6)], SHORT)
    assert server.total == 10


def test_what_is_sent_again_counts(tmp_path: Path) -> None:
    server = Misbehaving(rate=1.0, kinds=("500 with the key in it",), quiet=1)
    with misbehaving(server) as url:
        model = load(f"tested@{url}?{QUICK}&max_requests=7&attempts=30", ModelSettings(answers=tmp_path))
        with pytest.raises(BudgetSpent):
            model.complete(["prompt", "other"], SHORT)
    assert server.total == 7 == model.spent.requests


def test_a_request_counts_from_before_it_is_sent(tmp_path: Path) -> None:
    path, limits = tmp_path / "journal.sqlite", Limits(requests=2, tokens=100)
    first = Journal(path)
    assert first.reserve(60, limits) is None
    # As after a kill: nobody settled it.
    second = Journal(path)
    assert second.reserve(60, limits) == "max_tokens"
    assert second.reserve(40, limits) is None
    second.settle(40, 0)
    assert Journal(path).reserve(1, limits) == "max_requests"
    assert Journal(path).spent().requests == 2


def test_a_journal_of_an_earlier_version_keeps_its_count(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("create table answers (key text primary key, answer text not null) without rowid")
        old.execute("create table faults (kind text primary key, number integer not null) without rowid")
        kept = json.dumps({"choice": {}, "usage": [7, 3], "fingerprint": None})
        old.executemany("insert into answers values (?, ?)", [("a", kept), ("b", kept.replace("[7, 3]", "null"))])
        old.execute("insert into faults values ('gone', 3)")
    for _ in range(2):
        journal = Journal(path)
        assert journal.spent().requests == 5
        journal.close()
    assert Journal(path).reserve(1, Limits(requests=5)) == "max_requests"
    assert Journal(path).reserve(1, Limits(tokens=10)) == "max_tokens"
    assert Journal(path).reserve(1, Limits(requests=6, tokens=11)) is None


def test_a_journal_of_an_earlier_version_is_converted_and_pays_nothing_twice(tmp_path: Path) -> None:
    path, answer = tmp_path / "journal.sqlite", {"choice": {"text": "é"}, "usage": [7, 3], "fingerprint": "f"}
    keys = [key_of("url", number) for number in range(3)]
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("create table about (model text primary key) without rowid")
        old.execute("insert into about values ('tested')")
        old.execute("create table answers (key text primary key, answer text not null) without rowid")
        for key in keys:
            digest = hashlib.sha256(json.dumps((key.hex(), answer), sort_keys=True).encode()).hexdigest()
            old.execute("insert into answers values (?, ?)", (key.hex(), json.dumps({**answer, "digest": digest})))
        old.execute("update answers set answer = replace(answer, '7', '8') where key = ?", (keys[2].hex(),))
    for _ in range(2):
        with Journal(path, "tested") as journal:
            assert [journal.answer(key) for key in keys] == [answer, answer, None]
            assert (journal.model, journal.spent().answered, journal.spent().tokens_in) == ("tested", 2, 14)
