"""Chat models behind an API: what a server takes is found out, and an instruction arrives as it was written."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import listening
from tests.models.misbehaving_server import good
from tests.models.writing_server import Author, author_serving
from tiltmeter import models
from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings, as_writer
from tiltmeter.models.api import ApiModel, Journal, MemoryJournal, load
from tiltmeter.records import DECLINED, Decoding

QUICK = "longest_wait=0.05&timeout=2"
SHORT = Decoding(max_new_tokens=4)


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


def said(author: Author) -> list[str]:
    return [body["messages"][-1]["content"] for path, body in author.log if path.endswith("/chat/completions")]


def test_an_instruction_arrives_as_it_was_written(tmp_path: Path) -> None:
    author = Author()
    with author_serving(author) as url:
        chat = as_writer(models.load(f"chat:api:gpt-x@{url}?{QUICK}", ModelSettings(answers=tmp_path)))
        [[answer]] = chat.complete([chat.chat_prompt("Say yes.")], SHORT)
        [[continued]] = chat.complete(["She said"], SHORT)
    assert said(author)[-2] == "Say yes."
    assert said(author)[-1].endswith("\n\nShe said")
    assert answer.text == continued.text == " yes"


@pytest.mark.slow
def test_an_instruction_stands_in_the_template_of_a_checkpoint_once() -> None:
    inner, chat = (
        as_writer(models.load(name, ModelSettings(threads=1))) for name in ("smollm2-135m", "chat:smollm2-135m")
    )
    greedy = Decoding(temperature=0.0, max_new_tokens=12)
    prompt = chat.chat_prompt("Name a colour.")
    assert prompt == inner.chat_prompt("Name a colour.")
    [[framed]], [[bare]] = (one.complete([prompt], greedy) for one in (chat, inner))
    assert framed == bare


@pytest.mark.parametrize("completions", [False, True])
def test_the_limit_is_called_as_the_server_wants_it_and_nothing_refused_counts(
    completions: bool, tmp_path: Path
) -> None:
    author = Author(completions=completions, refused=frozenset({"max_tokens", "seed", "top_logprobs"}))

    def asked(model: ApiModel) -> list[str]:
        prompts = [model.chat_prompt(f"Say {number}.") for number in range(6)]
        return [one.text for [one] in model.complete(prompts, SHORT, seed=2)]

    with author_serving(author) as url:
        journal = Journal(tmp_path / "journal.sqlite")
        model = load(f"gpt-x@{url}?{QUICK}", journal=journal)
        before = len(said(author))
        assert asked(model) == [" yes"] * 6
        assert model.spent.answered == author.answered.total() == 6 + 1
        assert len(said(author)) - before <= 6 + 3, "one form after another for the first alone"
        # As after a crash: what was answered shows the form, so that not even the refused ones are sent again.
        again = load(f"gpt-x@{url}?{QUICK}", journal=Journal(tmp_path / "journal.sqlite"))
        before = len(said(author))
        assert asked(again) == [" yes"] * 6
    assert len(said(author)) == before


def test_a_refusal_that_the_server_tells_is_no_text() -> None:
    author = Author(styles=("declined",))
    with author_serving(author) as url:
        model = load(f"gpt-x@{url}?{QUICK}", journal=MemoryJournal())
        asked = 'Write 2 different sentences with words exactly as given: "a man" (x) and "reads" (y).'
        [[answer]] = model.complete([model.chat_prompt(asked)], SHORT)
    assert (answer.text, answer.unwritten, answer.attempts) == ("", DECLINED, 1)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["a chat", "500", "dropped", "400"])
def test_a_server_that_knows_nothing_but_chats_is_asked_by_chat(kind: str) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(404, {})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "messages" in body or kind == "a chat":
                self._send(200, good("well", chat=True))
            elif kind == "dropped":
                self.close_connection = True
            else:
                self._send(int(kind), {"error": {"message": "`messages` is missing"}})

        def _send(self, status: int, reply: dict[str, Any]) -> None:
            data = json.dumps(reply).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler) as url:
        model = load(f"gpt-x@{url}?{QUICK}", journal=MemoryJournal())
        assert model.facts.versions["server"] == "chat alone"
        [[answer]] = model.complete([model.chat_prompt("How is it?")], SHORT)
    assert answer.text == "well"


def test_a_model_that_is_not_there_is_said_to_be_missing() -> None:
    with (
        author_serving(Author(chat=False)) as url,
        pytest.raises(ModelError, match="has no model `other`; it has gpt-x"),
    ):
        load(f"other@{url}?{QUICK}", journal=MemoryJournal())
