"""Servers that do not take a part of a request say so in many ways; none of them is a missing model."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import serving
from tests.models.misbehaving_server import good
from tiltmeter.errors import ModelError
from tiltmeter.models.api import MemoryJournal, load
from tiltmeter.records import Decoding

pytestmark = pytest.mark.slow

QUICK = "longest_wait=0.02&timeout=5&attempts=2"
DRAWN = Decoding(temperature=1.0, max_new_tokens=4)
WORDINGS = {
    "openai": lambda name: (
        400,
        {"error": {"message": f"Unsupported parameter: '{name}' is not supported with this model.", "param": name}},
    ),
    "param alone": lambda name: (400, {"error": {"message": "Unsupported parameter.", "param": name}}),
    "fastapi": lambda name: (
        422,
        {"detail": [{"loc": ["body", name], "msg": "Extra inputs are not permitted", "type": "extra_forbidden"}]},
    ),
    "text": lambda name: (400, {"error": f"unknown field `{name}`"}),
    "nested": lambda name: (400, {"error": {"error": {"message": f"unexpected keyword argument {name}"}}}),
    "errors": lambda name: (422, {"errors": [{"field": name, "message": "not allowed"}]}),
    "message": lambda name: (400, {"object": "error", "message": f"{name} is not supported", "code": 400}),
    "list": lambda name: (400, [{"error": {"code": 400, "message": f'Invalid: Unknown name "{name}"'}}]),
    "long": lambda name: (400, {"error": {"message": f"{'The request was refused. ' * 40}It is {name}."}}),
    "plain": lambda name: (400, f"bad request: {name}"),
    "page": lambda name: (400, f"<html><body>Bad request: {name}</body></html>"),
    "501": lambda name: (501, {"error": {"message": f"{name} is not implemented"}}),
    "404": lambda name: (404, {"error": {"message": f"Unsupported parameter: '{name}'"}}),
}


@dataclass
class Particular:
    """A chat server that refuses fields, in a wording."""

    refused: frozenset[str]
    wording: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    def models(self) -> dict[str, Any]:
        return {"data": [{"id": "gpt-5-mini"}, {"id": "gpt-5"}]}

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, Any]:
        self.asked.append(body)
        if not path.endswith("/chat/completions"):
            return 404, {"error": {"message": "This is not a completions model; use v1/chat/completions."}}
        wrong = sorted(self.refused & body.keys())
        return WORDINGS[self.wording](wrong[0]) if wrong else (200, good("yes", chat=True))


@pytest.mark.parametrize("wording", WORDINGS)
def test_a_newer_name_of_the_limit_is_found_however_the_server_says_it(wording: str) -> None:
    server = Particular(frozenset({"max_tokens"}), wording)
    with serving(server) as url:
        model = load(f"gpt-5-mini@{url}?{QUICK}", journal=MemoryJournal())
        texts = [one.text for [one] in model.complete([model.chat_prompt(f"Say {n}.") for n in range(3)], DRAWN)]
    assert texts == ["yes"] * 3
    assert "max_completion_tokens" in server.asked[-1]


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("name", ["temperature", "top_p", "seed"])
def test_what_can_be_left_out_is_left_out(wording: str, name: str) -> None:
    server = Particular(frozenset({name}), wording)
    with serving(server) as url:
        model = load(f"gpt-5-mini@{url}?{QUICK}", journal=MemoryJournal())
        [[text]] = model.complete([model.chat_prompt("Say yes.")], DRAWN)
    assert text.text == "yes"
    assert name not in server.asked[-1]


@pytest.mark.parametrize("wording", WORDINGS)
def test_several_at_once_are_found_one_after_another(wording: str) -> None:
    refused = frozenset({"max_tokens", "temperature", "top_p", "seed"})
    server = Particular(refused, wording)
    with serving(server) as url:
        model = load(f"gpt-5-mini@{url}?{QUICK}", journal=MemoryJournal())
        [[text]] = model.complete([model.chat_prompt("Say yes.")], DRAWN)
    assert text.text == "yes"
    assert not refused & server.asked[-1].keys()


@pytest.mark.parametrize("wording", WORDINGS)
@pytest.mark.parametrize("refused", [{"stop"}, {"messages"}, {"model"}, {"temperature"}])
def test_what_cannot_be_left_out_is_refused_by_the_server_s_words_and_no_model_is_missing(
    wording: str, refused: set[str]
) -> None:
    server = Particular(frozenset(refused), wording)
    decoding = Decoding(temperature=0.3, max_new_tokens=4, stop=("\n",))
    with serving(server) as url:
        try:
            model = load(f"gpt-5-mini@{url}?{QUICK}", journal=MemoryJournal())
            [[text]] = model.complete([model.chat_prompt("Say yes.")], decoding)
            said = text.unwritten
        except ModelError as error:
            said = str(error)
    assert said is not None and "has no model" not in said


def test_only_a_model_that_is_not_listed_is_missing() -> None:
    with serving(Particular(frozenset({"messages"}), "404")) as url, pytest.raises(ModelError, match="has no model"):
        load(f"other@{url}?{QUICK}", journal=MemoryJournal())
