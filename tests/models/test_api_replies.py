"""Replies that are well-formed and yet not what they seem: halves of characters, other models, missing numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import START, Served, serving
from tiltmeter.models.api import File, load
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.records import Decoding

SHORT = Decoding(max_new_tokens=4)
HALF = "\ud800"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


def scripted() -> ScriptedModel:
    return ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])


@dataclass
class Halving(Served):
    """A server that puts half of a character wherever there is room for one."""

    status: int = 200
    halved: bool = True

    def models(self) -> dict[str, Any]:
        listed = super().models()
        listed["data"][0] |= {"root": f"org/{HALF}", HALF: HALF}
        return listed

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.status != 200:
            return self.status, {"error": {"message": f"no {HALF}", "code": HALF}}
        status, reply = super().reply(path, body)
        choice = reply["choices"][0]
        reply["system_fingerprint"] = f"fp{HALF}"
        if "message" in choice:
            choice["message"]["content"] += HALF
        else:
            choice["text"] += f"{HALF}d"
            if choice["logprobs"]:
                choice["logprobs"]["tokens"][-1] += HALF
                choice["logprobs"]["top_logprobs"][-1] |= {HALF: -9.0, f"{HALF} she": -8.0}
        return status, reply


def test_halves_of_characters_in_replies_are_replaced_everywhere(tmp_path: Path) -> None:
    served = Halving(scripted(), answer=lambda _: "A")
    with serving(served) as url:
        model = load(f"tested@{url}?start={START}", journal=File(tmp_path / "journal.sqlite"))
        assert "\ufffd" in model.facts.revision
        [[text]] = model.complete(["She is"], SHORT)
        [[answer]] = model.complete([model.chat_prompt("Say A.")], SHORT)
        [score] = model.score(["She is a nurse."])
        [words] = model.next_words(["The nurse said that"], ["she"])
        [listed] = model.likeliest(["The nurse said that"])
        served.status = 400
        [[refused]] = model.complete(["He is"], SHORT)
    [near] = scripted().score(["She is a nurse."])
    assert text.text.endswith("\ufffdd")
    assert answer.text == "A\ufffd"
    assert score.logprobs == pytest.approx(near.logprobs)
    assert words.words[0].logprob is not None
    assert refused.unwritten is not None and "\ufffd" in refused.unwritten
    for one in (model.facts.revision, text.text, answer.text, refused.unwritten, repr(listed), model.spent.words()):
        one.encode()


def test_a_text_with_half_of_a_character_is_not_sent(tmp_path: Path) -> None:
    served = Served(scripted())
    with serving(served) as url:
        model = load(f"tested@{url}?start={START}", journal=File(tmp_path / "journal.sqlite"))
        before = len(served.asked)
        bad, good = model.score([f"She {HALF}.", "She is."])
        [text], [fine] = model.complete([f"She {HALF}", "She"], SHORT)
        [[answer]] = model.complete([model.chat_prompt(HALF)], SHORT)
    assert bad.unscored and not good.unscored
    assert text.unwritten and not fine.unwritten and answer.unwritten
    assert len(served.asked) == before + 2
