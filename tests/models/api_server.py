"""A small server of the OpenAI form that really runs a model of ours, so that its numbers can be held against it."""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from typing import Any

import numpy as np

from tiltmeter.records import Decoding

START = "<|start|>"


@dataclass
class Served:
    """A model, and what of it the server gives away."""

    model: Any
    start: str = START
    echo: bool = True
    form: str = "classic"
    """How log-probabilities are written: "classic", "content" (as in chats), or "" for none."""
    adds_start: bool = False
    """Whether the start token is put before every text by the server itself."""
    strict: frozenset[str] = frozenset()
    """Fields that are refused, as strict servers refuse what they do not know."""
    completions: bool = True
    most_top: int = 20
    chat_top: int = 0
    """How many of the most probable first tokens of an answer it lists by chat, at most; 0: it gives no numbers."""
    answer: Callable[[str], str] | None = None
    """What is said to an instruction; None: what the model writes."""
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)

    def models(self) -> dict[str, Any]:
        """The list of models, as vLLM writes it."""
        return {"object": "list", "data": [{"id": "tested", "owned_by": "tests", "max_model_len": 8192}]}

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Status and reply to one request."""
        with self.lock:
            self.asked.append(body)
            if body.get("model") != "tested":
                return 404, {"error": {"message": f"The model `{body.get('model')}` does not exist."}}
            unknown = sorted(self.strict & body.keys())
            if unknown:
                return 400, {"error": {"message": f"Unrecognized request argument supplied: {unknown[0]}"}}
            chat = path.endswith("/chat/completions")
            if not chat and not self.completions:
                return 404, {"detail": "Not Found"}
            wanted, most = (
                (body.get("top_logprobs", 0), self.chat_top or math.inf)
                if chat
                else (body.get("logprobs") or 0, self.most_top)
            )
            if wanted > most:
                return 400, {"error": {"message": f"at most {most} log-probabilities"}}
            return 200, self._chat(body) if chat else self._completion(body)

    def _completion(self, body: dict[str, Any]) -> dict[str, Any]:
        prompt = body["prompt"]
        started = self.adds_start or prompt.startswith(self.start)
        text = prompt.removeprefix(self.start)
        [[made]] = self.model.complete([text], decoding(body), seed=body.get("seed", 0))
        pieces = [] if not body.get("echo") or not self.echo else self._echoed(text, started)
        pieces += [(token, -1.0) for token in cut(made)]
        top = self._top(text, body.get("logprobs") or 0)
        finish = "length" if made.ended in ("length", "context") else "stop"
        return self._wrapped(
            {
                "text": ("".join(token for token, _ in pieces[:-1]) if self.echo and body.get("echo") else "")
                + made.text,
                "index": 0,
                "finish_reason": finish,
                "logprobs": self._logprobs(pieces, top) if body.get("logprobs") else None,
            },
            len(text),
            made.tokens,
        )

    def _chat(self, body: dict[str, Any]) -> dict[str, Any]:
        instruction = body["messages"][-1]["content"]
        if self.answer is not None:
            text, tokens, finish = self.answer(instruction), 3, "stop"
        else:
            prompt = self.model.chat_prompt(instruction)
            [[made]] = self.model.complete([prompt], decoding(body), seed=body.get("seed", 0))
            text, tokens, finish = made.text, made.tokens, "length" if made.ended == "length" else "stop"
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
        if self.chat_top and body.get("top_logprobs"):
            framed = instruction if self.answer is not None else self.model.chat_prompt(instruction)
            top = self._top(framed, body["top_logprobs"])
            listed = [{"token": token, "logprob": logprob} for token, logprob in top.items()]
            choice["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
        return self._wrapped(choice, len(instruction), tokens)

    def _wrapped(self, choice: dict[str, Any], tokens_in: int, tokens_out: int) -> dict[str, Any]:
        usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
        return {"choices": [choice], "model": "tested", "system_fingerprint": "fp_tests", "usage": usage}

    def _echoed(self, text: str, started: bool) -> list[tuple[str, float | None]]:
        [score] = self.model.score([text], conditioning="left" if started else "left-no-start") if text else [None]
        pieces: list[tuple[str, float | None]] = [(self.start, None)] if started else []
        place = 0
        spans = score.spans if score else ()
        # A bare space is told with the first letter of its word: the letter is spelt by the token that it belongs to.
        ends = [min(end, start) for (_, end), (start, _) in pairwise(spans)] + [end for _, end in spans[-1:]]
        for end, logprob in zip(ends, score.logprobs, strict=True) if score else ():
            pieces.append((text[place : max(place, end)], logprob))
            place = max(place, end)
        return pieces

    def _top(self, text: str, number: int) -> dict[str, float]:
        """The most probable next tokens, from the model's own numbers."""
        sampler = self.model._sampler() if callable(self.model._sampler) else self.model._sampler
        row = sampler.read(text)
        logits = np.asarray(sampler.open([row]).logits[0], dtype=np.float64)
        logprobs = logits - logits.max()
        logprobs -= np.log(np.exp(logprobs).sum())
        best = np.argsort(-logprobs)[:number]
        return {
            sampler.text(row, (int(token),)): float(logprobs[token]) for token in best if np.isfinite(logprobs[token])
        }

    def _logprobs(self, pieces: list[tuple[str, float | None]], top: dict[str, float]) -> dict[str, Any] | None:
        if self.form == "classic":
            tops = [None if logprob is None else {token: logprob} for token, logprob in pieces]
            return {
                "tokens": [token for token, _ in pieces],
                "token_logprobs": [logprob for _, logprob in pieces],
                "top_logprobs": [*tops[:-1], top],
                "text_offset": [0] * len(pieces),
            }
        if self.form == "content":
            listed = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in top.items()]
            content = [{"token": token, "logprob": logprob, "top_logprobs": []} for token, logprob in pieces]
            return {"content": [*content[:-1], {**content[-1], "top_logprobs": listed}]}
        return None


def decoding(body: dict[str, Any]) -> Decoding:
    """The settings of a request."""
    stop = body.get("stop") or ()
    return Decoding(
        temperature=body.get("temperature", 1.0),
        top_k=body.get("top_k", 0),
        top_p=body.get("top_p", 1.0),
        max_new_tokens=body.get("max_tokens", 16),
        stop=(stop,) if isinstance(stop, str) else tuple(stop),
    )


def cut(made: Any) -> list[str]:
    """The tokens of a completion."""
    ends = [0, *made.offsets]
    return [made.text[start:end] for start, end in pairwise(ends)] or [""]


@contextmanager
def serving(served: Any, port: int = 0) -> Iterator[str]:
    """The URL of a server that answers with `served.reply` for as long as the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(200, served.models())

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            served.headers.append(dict(self.headers))
            self._send(*served.reply(self.path, body))

        def _send(self, status: int, reply: dict[str, Any]) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler, port) as url:
        yield url


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], port: int = 0) -> Iterator[str]:
    """The URL of a server on this machine, in threads of its own."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 64

        def handle_error(self, request: Any, client_address: Any) -> None:
            """Clients that hang up are nothing to report."""

    server = Server(("127.0.0.1", port), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
