"""A server that misbehaves on purpose: a known share of its replies is wrong, in every way that we know of."""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.models.api_server import listening

KINDS = (
    "429",
    "429 with Retry-After",
    "500 with the key in it",
    "502 with a page",
    "JSON cut off",
    "body cut off",
    "wrong types",
    "empty choices",
    "not a number",
    "slow drip",
    "slow headers",
    "dropped connection",
)
POISON = "poison"
"""Requests with this word never get an answer."""
ECHO = "say the key"
"""The answer to requests with these words has the key in it."""


@dataclass
class Misbehaving:
    """What is wrong, how often, and an account of what was asked and answered."""

    rate: float = 0.2
    seed: int = 0
    kinds: tuple[str, ...] = KINDS
    drip: float = 3.0
    """Seconds that a slow reply takes."""
    retry_after: str = "0.05"
    quiet: int = 0
    """So many requests at first are answered as they should be."""
    asked: Counter[str] = field(default_factory=Counter)
    """How often each request came, by the whole of its body."""
    answered: Counter[str] = field(default_factory=Counter)
    after_answer: Counter[str] = field(default_factory=Counter)
    """Requests that came again although they had been answered."""
    faults: Counter[str] = field(default_factory=Counter)
    lock: Any = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self._numbers = random.Random(self.seed)
        self._requests = 0

    def fault(self, body: str) -> str | None:
        """What goes wrong with the next reply; None: nothing."""
        with self.lock:
            self._requests += 1
            self.asked[body] += 1
            if self.answered[body]:
                self.after_answer[body] += 1
            kind = None
            if POISON in body:
                kind = "500 with the key in it"
            elif self._requests > self.quiet and self._numbers.random() < self.rate:
                kind = self._numbers.choice(self.kinds)
            if kind is not None:
                self.faults[kind] += 1
            return kind

    def note_answer(self, body: str) -> None:
        """An answer left the server whole."""
        with self.lock:
            self.answered[body] += 1

    @property
    def total(self) -> int:
        """How many requests came."""
        return sum(self.asked.values())


@contextmanager
def misbehaving(server: Misbehaving) -> Iterator[str]:
    """The URL of the server for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            self._send(200, json.dumps({"data": [{"id": "tested"}]}).encode())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            text, whole = body.get("prompt") or body["messages"][-1]["content"], json.dumps(body, sort_keys=True)
            kind = server.fault(whole)
            reply = json.dumps(good(self._said(text), "prompt" not in body)).encode()
            if kind is None:
                # Noted before the last byte: the client may ask on before this thread is back.
                server.note_answer(whole)
                self._send(200, reply)
            else:
                self._misbehave(kind, reply)

        def _said(self, text: str) -> str:
            if "Answer with A or B" in text:
                return "AB"[len(text) % 2]
            return f" {len(text)} letters" + (f" {self._key()}" if ECHO in text else "")

        def _key(self) -> str:
            return self.headers.get("authorization", "").removeprefix("Bearer ")

        def _misbehave(self, kind: str, reply: bytes) -> None:
            error = {"error": {"message": f"wrong, said {self._key()}", "code": self._key()}}
            if kind == "429":
                self._send(429, json.dumps(error).encode())
            elif kind == "429 with Retry-After":
                self._send(429, json.dumps(error).encode(), {"Retry-After": server.retry_after})
            elif kind == "500 with the key in it":
                self._send(500, json.dumps(error).encode(), {"X-Key": self._key()})
            elif kind == "502 with a page":
                self._send(502, f"<html><body>Bad Gateway {self._key()}</body></html>".encode())
            elif kind == "JSON cut off":
                self._send(200, reply[: len(reply) // 2])
            elif kind == "wrong types":
                self._send(200, b'{"choices": [{"text": 5, "message": "x", "finish_reason": "stop"}], "usage": []}')
            elif kind == "empty choices":
                self._send(200, b'{"choices": []}')
            elif kind == "not a number":
                self._send(200, reply.replace(b'"index": 0', b'"index": NaN'))
            else:
                self._break_off(kind, reply)

        def _break_off(self, kind: str, reply: bytes) -> None:
            self.close_connection = True
            head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(reply)}\r\n".encode()
            try:
                if kind == "body cut off":
                    self.wfile.write(head + b"\r\n" + reply[: len(reply) // 2])
                elif kind == "slow drip":
                    self.wfile.write(head + b"\r\n")
                    self._drip(reply)
                elif kind == "slow headers":
                    self._drip(head + b"\r\n" + reply)
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                # The client had enough of waiting.
                pass

        def _drip(self, data: bytes) -> None:
            end = time.monotonic() + server.drip
            for byte in data:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(0.05)
                if time.monotonic() > end:
                    return

        def _send(self, status: int, data: bytes, headers: dict[str, str] | None = None) -> None:
            self.send_response(status)
            for name, value in {"content-length": str(len(data)), **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler) as url:
        yield url


def good(text: str, chat: bool) -> dict[str, Any]:
    """A reply as it should be."""
    choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
    choice |= {"message": {"role": "assistant", "content": text}} if chat else {"text": text}
    return {"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}, "system_fingerprint": "fp"}
