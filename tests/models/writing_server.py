"""A server of the OpenAI form that writes test sentences as chat models do: in lists, with remarks, and not always."""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.models.api_server import listening

ASKED = re.compile(r"Write (\d+) different .*?exactly as given: \"(.+?)\" \(.*?\) and \"(.+?)\" \(", re.DOTALL)
FRAMES = (
    "Everyone in town knows that {term} {attribute} these days.",
    "On Monday we heard how {term} {attribute} before lunch.",
    "It was a long winter, and {term} {attribute} in spite of it.",
    "My neighbours were surprised when {term} {attribute} again.",
    "As far as I can tell, {term} {attribute} without any help.",
    "Nobody at the market believed that {term} {attribute} at all.",
    "After the long drive home {term} {attribute} once more.",
)
STYLES = ("numbered", "preamble", "quoted", "bullets", "json", "one line", "bold", "fewer", "plain")
"""Ways in which a list is written; all of them hold good sentences, `fewer` less than were asked for."""
FAILURES = ("missing", "refusal", "declined", "empty")
"""Answers without a sentence that can be used."""
FAULTS = ("429", "500")
"""What a first attempt may meet; the second is answered."""
PROSE = "I'm sorry, but I can't help with that request."


@dataclass
class Author:
    """What the server does, and an account of what it was asked."""

    styles: tuple[str, ...] = STYLES
    faults: float = 0.0
    """The share of requests whose first attempt fails."""
    chat: bool = True
    completions: bool = False
    refused: frozenset[str] = frozenset()
    """Fields of a request by chat that the server does not take."""
    temperature: float | None = None
    """The only temperature that it takes."""
    pause: float = 0.0
    log: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    """How often each request was answered, by the whole of its body."""
    used: Counter[str] = field(default_factory=Counter)
    """How often each style was used for a list of sentences."""
    lock: Any = field(default_factory=threading.Lock)

    def texts(self) -> list[str]:
        """What the server was told, request by request."""
        return [body.get("prompt") or body["messages"][-1]["content"] for _, body in self.log]

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and reply to one request."""
        whole = json.dumps(body, sort_keys=True)
        with self.lock:
            first = all(other != body for _, other in self.log)
            self.log.append((path, body))
        if not (self.chat if path.endswith("/chat/completions") else self.completions):
            return 404, {"error": {"message": "Not Found"}}
        wrong = self._wrong(body) if path.endswith("/chat/completions") else ""
        if wrong:
            return 400, {"error": {"message": wrong, "code": "unsupported_parameter"}}
        chance = int(hashlib.sha256(whole.encode()).hexdigest()[:8], 16)
        if first and chance % 1000 < 1000 * self.faults:
            status = int(FAULTS[chance % len(FAULTS)])
            return status, {"error": {"message": "try again"}}
        time.sleep(self.pause)
        with self.lock:
            self.answered[whole] += 1
        text = body.get("prompt") or body["messages"][-1]["content"]
        return 200, self._answer(text, "prompt" not in body, chance)

    def _wrong(self, body: dict[str, Any]) -> str:
        if "max_tokens" in self.refused & body.keys():
            return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens'."
        unknown = sorted(self.refused & body.keys())
        if unknown:
            return f"Unrecognized request argument supplied: {unknown[0]}"
        if self.temperature is not None and body.get("temperature", self.temperature) != self.temperature:
            return "Unsupported value: 'temperature' does not support this value. Only the default is supported."
        return ""

    def _answer(self, text: str, chat: bool, chance: int) -> dict[str, Any]:
        found = ASKED.search(text)
        message: dict[str, Any] = {"role": "assistant", "content": " yes"}
        if found:
            style = self.styles[chance // 7 % len(self.styles)]
            with self.lock:
                self.used[style] += 1
            message |= written(style, int(found[1]), found[2], found[3], chance)
        elif not chat and "Keywords: " in text:
            term, attribute = re.findall(r"Keywords: (.*), (.*)", text)[-1]
            message["content"] = f" {FRAMES[chance % len(FRAMES)].format(term=term, attribute=attribute)}"
        choice: dict[str, Any] = {"index": 0, "finish_reason": "stop"}
        choice |= {"message": message} if chat else {"text": message["content"]}
        usage = {"prompt_tokens": len(text) // 4, "completion_tokens": 60}
        return {"choices": [choice], "usage": usage, "system_fingerprint": "fp_tests"}


def written(style: str, count: int, term: str, attribute: str, chance: int) -> dict[str, Any]:
    """An answer in a style, as a part of the message."""
    if style == "declined":
        return {"content": None, "refusal": "Not this one."}
    if style == "refusal":
        return {"content": PROSE}
    if style == "empty":
        return {"content": ""}
    start = chance % len(FRAMES)
    frames = [FRAMES[(start + at) % len(FRAMES)] for at in range(count)]
    lines = [frame.format(term=term, attribute=attribute) for frame in frames]
    if style == "missing":
        lines = [frame.format(term=term, attribute="sleeps") for frame in frames]
    numbered = [f"{at}. {line}" for at, line in enumerate(lines, 1)]
    shown = {
        "numbered": numbered,
        "missing": numbered,
        "preamble": [
            f'Sure! Here are {count} sentences with "{term}" and "{attribute}":',
            "",
            *(f"{at}) {line}" for at, line in enumerate(lines, 1)),
            "",
            "Let me know if you need more!",
        ],
        "quoted": [f'"{line}"' for line in lines],
        "bullets": ["Certainly.", *(f"{mark} {line}" for mark, line in zip("-*•-*-*", lines, strict=False))],
        "json": ["```json", json.dumps(lines), "```"],
        "one line": [" ".join(numbered)],
        "bold": [f"**{at}.** {line.replace(term, f'**{term}**')}" for at, line in enumerate(lines, 1)],
        "fewer": ["Here is your sentence: " + lines[0]],
        "plain": lines,
    }
    return {"content": "\n".join(shown[style])}


@contextmanager
def author_serving(author: Author, port: int = 0) -> Iterator[str]:
    """The URL of the server for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": "gpt-x", "owned_by": "tests"}]})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self._send(*author.reply(self.path, body))

        def _send(self, status: int, reply: dict[str, Any]) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            for name, value in (("content-type", "application/json"), ("content-length", str(len(data)))):
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler, port) as url:
        yield url
