"""Servers that misbehave: every item has an answer or a reason, nothing answered is sent twice, the key is nowhere."""

from __future__ import annotations

import json
import logging
import pickle
import re
import socket
import sqlite3
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import listening
from tests.models.misbehaving_server import ECHO, KINDS, POISON, Misbehaving, good, misbehaving
from tiltmeter.errors import ModelError, RunError, TiltmeterError
from tiltmeter.models.api import ApiModel, Hopeless, Journal, MemoryJournal, load
from tiltmeter.models.api import client as client_module
from tiltmeter.models.api.answers import Malformed, parsed, pieces, stored_answer, written
from tiltmeter.models.api.key import Key
from tiltmeter.records import Decoding

pytestmark = pytest.mark.slow

KEY = "sk-do-not-show-0123456789"
SHORT = Decoding(max_new_tokens=4)
QUICK = "timeout=0.8&longest_wait=0.1&concurrency=16"
PATIENT = QUICK.replace("0.8", "2")
"""A machine with more to do than it can does not time out on its own account."""


@pytest.fixture(autouse=True)
def with_key(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTMETER_API_KEY", KEY)
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))


def asked(model: ApiModel, prompts: list[str]) -> list[tuple[str, str | None]]:
    return [(one.text, one.unwritten) for [one] in model.complete(prompts, SHORT, seed=1)]


def everything_in(folder: Path) -> str:
    return "".join(path.read_bytes().decode(errors="replace") for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_fault_is_asked_again(kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = Misbehaving(rate=0.5, seed=3, kinds=(kind,), drip=2.0)
    prompts = [f"prompt {number}{'x' * number}" for number in range(12)]
    with misbehaving(server) as url:
        model = load(f"tested@{url}?{QUICK}&attempts=30", journal=Journal(tmp_path / "journal.sqlite"))
        found = asked(model, prompts)
    assert found == [(f" {len(prompt)} letters", None) for prompt in prompts]
    assert server.faults[kind] > 0
    assert not server.after_answer
    assert KEY not in caplog.text
    assert KEY not in everything_in(tmp_path)
    # A machine with more to do than it can adds a timeout of its own.
    assert sum(count for _, count in model.spent.faults) >= server.faults[kind]


def test_of_many_requests_each_has_an_answer_or_a_reason(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server = Misbehaving(rate=0.2, seed=11, drip=4.0)
    prompts = [f"{'x' * (number % 50)} {number} {POISON * (number % 40 == 7)}" for number in range(300)]
    prompts[5] += ECHO
    with misbehaving(server) as url:
        journal = Journal(tmp_path / "journal.sqlite")
        model = load(f"tested@{url}?{PATIENT}&attempts=6", journal=journal)
        found = asked(model, prompts)
        # The same once more, as after a crash: only what has no answer is asked for again.
        before = server.total
        again = load(f"tested@{url}?{PATIENT}&attempts=2", journal=Journal(tmp_path / "journal.sqlite"))
        second = asked(again, prompts)
    for prompt, (text, reason), (same, _) in zip(prompts, found, second, strict=True):
        if POISON in prompt:
            assert (text, reason) == ("", "no answer: the server answered with status 500 (6 attempts)")
        elif reason is None:
            assert text == same == f" {len(prompt)} letters" + (" [key]" if ECHO in prompt else "")
    assert sum(reason is not None for _, reason in found) < 12
    assert not server.after_answer
    assert max(server.answered.values()) == 1
    assert server.total - before <= 2 * sum(reason is not None for _, reason in found)
    for place in (
        everything_in(tmp_path),
        caplog.text,
        repr(found),
        repr(model.__dict__),
        repr(vars(model._client)),
        str(model.spent),
    ):
        assert KEY not in place


def test_a_server_that_is_gone_ends_the_run_and_keeps_what_it_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "HOPELESS", 5)
    server = Misbehaving(rate=1.0, kinds=("dropped connection",), quiet=4)
    prompts = [f"prompt {number}" for number in range(40)]
    with misbehaving(server) as url:
        path = tmp_path / "journal.sqlite"
        model = load(f"tested@{url}?{QUICK}&attempts=2&concurrency=2", journal=Journal(path))
        with pytest.raises(Hopeless, match="left 5 requests in a row without an answer, .* the connection was dropped"):
            asked(model, prompts)
        server.rate = 0.0
        answers = asked(load(f"tested@{url}?{QUICK}", journal=Journal(path)), prompts)
    assert [reason for _, reason in answers] == [None] * 40
    assert not server.after_answer


def test_a_server_that_wants_nobody_now_ends_the_run(tmp_path: Path) -> None:
    server = Misbehaving(rate=0.0, kinds=("429",))
    with misbehaving(server) as url:
        model, patient = (load(f"tested@{url}?{QUICK}{more}", journal=MemoryJournal()) for more in ("&attempts=3", ""))
        server.rate = 1.0
        with pytest.raises(Hopeless, match=r"refuses more requests \(429\) after 3 attempts; answers so far are saved"):
            asked(model, ["prompt"])
        server.kinds, server.retry_after = ("429 with Retry-After",), "3600"
        with pytest.raises(Hopeless, match="asks to wait 3,600 seconds, longer than tiltmeter waits"):
            asked(patient, ["prompt"])


def test_texts_that_a_server_cannot_bear_do_not_end_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "HOPELESS", 5)
    server = Misbehaving(rate=0.0)
    with misbehaving(server) as url:
        model = load(f"tested@{url}?{QUICK}&attempts=2", journal=Journal(tmp_path / "journal.sqlite"))
        found = asked(model, [f"{POISON} {number}" for number in range(30)])
    assert {reason for _, reason in found} == {"no answer: the server answered with status 500 (2 attempts)"}
    # It was asked in between whether it is there at all, and never the same twice.
    assert 1 < len(server.answered) <= 8
    assert not server.after_answer


@contextmanager
def half_open(drip: bytes, pause: float) -> Iterator[tuple[str, list[threading.Event]]]:
    """A server that takes every connection and never comes to an end, and when each was closed by the other side."""
    closed: list[threading.Event] = []

    def serve(connection: socket.socket, gone: threading.Event) -> None:
        with connection:
            connection.settimeout(pause)
            while not gone.is_set():
                try:
                    gone.set() if connection.recv(65536) == b"" else None
                except TimeoutError:
                    with suppress(OSError):
                        connection.sendall(drip)
                except OSError:
                    gone.set()

    with socket.create_server(("127.0.0.1", 0)) as server:

        def accept() -> None:
            with suppress(OSError):
                while True:
                    closed.append(threading.Event())
                    threading.Thread(target=serve, args=(server.accept()[0], closed[-1]), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/v1", closed


@pytest.mark.parametrize("drip", [b"", b"H", b"HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n"])
def test_a_connection_on_which_nothing_comes_to_an_end_is_closed_in_time(drip: bytes) -> None:
    began = time.monotonic()
    with half_open(drip, 0.05) as (url, closed):
        with pytest.raises(ModelError, match=r"no complete reply came within 0\.4 seconds"):
            load(f"tested@{url}?timeout=0.4&longest_wait=0.01&attempts=2", journal=MemoryJournal())
        assert time.monotonic() - began < 20
        # The last is the one that nobody has taken yet.
        assert len(closed) > 2 and all(gone.wait(5) for gone in closed[:-1])


def test_nobody_listens() -> None:
    with listening(BaseHTTPRequestHandler) as url:
        pass
    with pytest.raises(ModelError, match=r"127\.0\.0\.1:\d+/v1 does not answer: the server cannot be reached"):
        load(f"tested@{url}?{QUICK}", journal=MemoryJournal())


@contextmanager
def always(status: int, body: bytes, headers: dict[str, str] | None = None) -> Iterator[tuple[str, list[str]]]:
    seen: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.headers.get("authorization", ""))
            self.rfile.read(int(self.headers.get("content-length", 0)))
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler) as url:
        yield url, seen


@pytest.mark.parametrize(
    ("status", "body", "sentence"),
    [
        (401, f'{{"error": {{"message": "wrong key {KEY}"}}}}', "does not accept the key in TILTMETER_API_KEY"),
        (403, KEY, "does not accept the key in TILTMETER_API_KEY"),
        (402, KEY, "the account has no credit left"),
        (429, '{"error": {"code": "insufficient_quota"}}', "the account has no credit left"),
        (404, f'{{"error": "{KEY}"}}', "has no model `tested`"),
        (400, f'{{"error": {{"message": "no {KEY}"}}}}', "cannot be asked: the server refused it: no [key]"),
        (503, f"{KEY}", "does not answer: the server answered with status 503"),
    ],
)
def test_a_refusal_is_one_sentence_without_the_key(status: int, body: str, sentence: str) -> None:
    with always(status, body.encode()) as (url, _), pytest.raises(ModelError) as caught:
        load(f"tested@{url}?{QUICK}&attempts=2", journal=MemoryJournal())
    assert sentence in str(caught.value)
    shown = "".join(traceback.format_exception(caught.value))
    assert KEY not in shown


def test_the_key_does_not_follow_a_redirect() -> None:
    with always(200, b"{}") as (elsewhere, seen):
        for status in (301, 302, 307, 308):
            with (
                always(status, b"", {"Location": f"{elsewhere}/completions"}) as (url, _),
                pytest.raises(ModelError, match=f"127.0.0.1 redirects \\(status {status}\\)"),
            ):
                load(f"tested@{url}?{QUICK}&attempts=1", journal=MemoryJournal())
        assert seen == []


def test_a_key_that_is_missing_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY")
    with always(401, b"") as (url, seen), pytest.raises(ModelError, match="needs a key: set TILTMETER_API_KEY"):
        load(f"tested@{url}?{QUICK}&attempts=1", journal=MemoryJournal())
    assert set(seen) == {""}


def test_a_key_neither_prints_nor_pickles(monkeypatch: pytest.MonkeyPatch) -> None:
    key = Key.of()
    assert KEY not in f"{key!r} {key} {[key]}"
    with pytest.raises(TypeError):
        pickle.dumps(key)
    assert key.out_of_all({KEY: [f"a {KEY}", 1]}) == {"[key]": ["a [key]", 1]}
    # A key that local servers want and that is no secret is not cut out of what a model writes.
    assert Key("EMPTY").out_of("EMPTY rooms") == "EMPTY rooms"
    monkeypatch.setenv("TILTMETER_API_KEY", "sk-\u2026")
    with pytest.raises(TiltmeterError, match="characters that are not allowed in a key"):
        Key.of()


def test_an_answer_that_cannot_be_kept_ends_the_run(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    server = Misbehaving(rate=0)
    with misbehaving(server) as url:
        model = load(f"tested@{url}?concurrency=1", journal=Journal(path))
        with closing(sqlite3.connect(path)) as other:
            other.execute("create trigger full before insert on answers begin select raise(fail, 'disk full'); end")
        with pytest.raises(RunError, match="journal.sqlite: an answer cannot be kept: disk full"):
            asked(model, [f"prompt {number}" for number in range(20)])
    # That of the beginning, and one more.
    assert server.total == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"null",
        b'"text"',
        b'{"choices": null}',
        b'{"choices": {}}',
        b'{"choices": ["text"]}',
        b'{"choices": [null]}',
        b'{"choices": [{"finish_reason": "stop"}]}',
        b'{"choices": [{"text": null, "finish_reason": "stop"}]}',
        b'{"choices": [{"text": "a"}]}',
        b'{"choices": [{"text": "a", "finish_reason": "because"}]}',
        b'{"choices": [{"text": "a", "finish_reason": "stop", "logprobs": []}]}',
        b'{"choices": [{"text": "a", "finish_reason": "stop", "logprobs": {"tokens": ["a"], "token_logprobs": []}}]}',
        b'{"choices": [{"text": "a", "finish_reason": "stop", "logprobs": {"content": [1]}}]}',
        b'{"choices": [{"text": "a", "finish_reason": "stop", "logprobs": {"content": [{"token": 1}]}}]}',
        b'{"choices": [{"text": "", "finish_reason": "eos", "logprobs": {"content": [{"token": "", "logprob": 3}]}}]}',
        b'{"choices": [{"text": "", "finish_reason": "eos", "logprobs": {"content": [{"token": "", "logprob": []}]}}]}',
        b'{"choices": [{"text": "", "finish_reason": "eos", "logprobs": {"tokens": ["a"], "token_logprobs": [true]}}]}',
        b'{"choices": [{"text": "a", "finish_reason": "stop", "index": Infinity}]}',
        b"[" * 100_000,
    ],
)
def test_a_reply_that_is_not_as_it_should_be_is_no_answer(body: bytes) -> None:
    with pytest.raises(Malformed) as caught:
        written(stored_answer(parsed(body))["choice"], chat=False)
    assert re.fullmatch(r"(the|a) [\w ,-]+", str(caught.value))


def test_minus_infinity_is_no_number() -> None:
    choice = {"logprobs": {"tokens": ["a"], "token_logprobs": [-9999.0], "top_logprobs": None}}
    [piece] = pieces(choice) or ()
    assert piece.logprob == float("-inf")


def test_a_good_reply_is_read() -> None:
    kept = stored_answer(parsed(json.dumps(good("yes", chat=True)).encode()))
    assert written(kept["choice"], chat=True).text == "yes"
    assert kept["usage"] == [7, 3]
