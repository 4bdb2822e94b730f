"""Replies that are well-formed and yet not what they seem: halves of characters, other models, missing numbers."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")


from tests.models.api_server import START, Served, listening, serving
from tests.present.reading import limits_of
from tiltmeter.answers import is_transient
from tiltmeter.engine import carry_out
from tiltmeter.engine.cached import open_model
from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings
from tiltmeter.models.api import Hopeless, Journal, MemoryJournal, api_name, load
from tiltmeter.models.api import client as client_module
from tiltmeter.models.api.model_names import accepts
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.records import Decoding
from tiltmeter.results import summarise_run
from tiltmeter.store import Cache
from tiltmeter.study import parse, plan

SHORT = Decoding(max_new_tokens=4)
HALF = "\ud800"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


def scripted() -> ScriptedModel:
    return ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])


@dataclass
class Halving(Served):
    """A server that puts half a character wherever there is room for one."""

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
        model = load(f"tested@{url}?start={START}", journal=Journal(tmp_path / "journal.sqlite"))
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
        model = load(f"tested@{url}?start={START}", journal=Journal(tmp_path / "journal.sqlite"))
        before = len(served.asked)
        bad, good = model.score([f"She {HALF}.", "She is."])
        [text], [fine] = model.complete([f"She {HALF}", "She"], SHORT)
        [[answer]] = model.complete([model.chat_prompt(HALF)], SHORT)
    assert bad.unscored and not good.unscored
    assert text.unwritten and not fine.unwritten and answer.unwritten
    assert len(served.asked) == before + 2


@pytest.mark.parametrize(
    ("said", "asked", "is_fine"),
    [
        ("", "small", True),
        ("gpt-4o-2024-08-06", "gpt-4o", True),
        ("GPT-4o", "gpt-4o", True),
        ("gpt-4-0613", "gpt-4", True),
        ("claude-3-5-sonnet-20241022", "claude-3-5-sonnet-latest", True),
        ("gemini-1.5-flash-001", "models/gemini-1.5-flash", True),
        ("command-r-08-2024", "command-r", True),
        ("org/name@main", "org/name", True),
        ("llama3:8b", "llama3", True),
        ("name", "org/name", True),
        ("/data/org/name", "org/name", True),
        ("C:\\models\\Small.gguf", "small", True),
        ("gpt-4o-mini", "gpt-4o", False),
        ("gpt-4o-mini-2024-07-18", "gpt-4o", False),
        ("gpt-4o-2024-05-13", "gpt-4o-2024-08-06", False),
        ("gpt-4o", "gpt-4o-2024-08-06", False),
        ("llama3:70b", "llama3:8b", False),
        ("llama-3-8b-instruct", "llama-3-8b", False),
        ("phi-3.5", "phi-3", False),
        ("other/name", "org/name", False),
    ],
)
def test_a_fuller_form_of_a_name_is_the_same_model(said: str, asked: str, is_fine: bool) -> None:
    assert accepts(said, asked) == is_fine
    assert accepts(said, asked, "*") and accepts(said, asked, said)
    assert accepts(said, asked, listed={"id": asked, "aliases": ["x", said]})


@dataclass
class Named(Served):
    """A server whose replies call the model what they are told to."""

    said: object = "tested"

    def _wrapped(self, choice: dict[str, Any], tokens_in: int, tokens_out: int) -> dict[str, Any]:
        return {**super()._wrapped(choice, tokens_in, tokens_out), "model": self.said}


@pytest.mark.parametrize("completions", [True, False])
def test_replies_of_another_model_are_refused_unless_they_were_agreed_on(completions: bool, tmp_path: Path) -> None:
    served = Named(scripted(), completions=completions, said="another-model", answer=lambda _: "A")
    with serving(served) as url:
        with pytest.raises(ModelError, match="`tested` and answers as `another-model`"):
            load(f"tested@{url}", ModelSettings(answers=tmp_path))
        agreed = load(f"tested@{url}?answers_as=Another-Model", ModelSettings(answers=tmp_path))
        [[text]] = agreed.complete([agreed.chat_prompt("Say A.")], SHORT)
        assert text.text == "A"
        assert agreed.spent.models == ("another-model",)
        assert "another-model" in agreed.facts.revision
        # What was agreed on then is no answer of this model now.
        with pytest.raises(ModelError, match="answers as `another-model`"):
            load(f"tested@{url}", ModelSettings(answers=tmp_path))


def test_a_model_that_changes_on_the_way_is_refused_or_said(tmp_path: Path) -> None:
    served = Named(scripted(), said="tested-2024-08-06")
    with serving(served) as url:
        model = load(f"tested@{url}?start={START}", ModelSettings(answers=tmp_path))
        assert model.facts.revision.endswith("answers as tested-2024-08-06")
        model.score(["She is."])
        for said in ("tested-2024-11-20", None, 7, ""):
            served.said = said
            model.score([f"He is {said}."])
        assert model.spent.models == ("tested-2024-08-06", "tested-2024-11-20")
        served.said = "tested-mini"
        with pytest.raises(Hopeless, match="tested-mini"):
            model.score(["They are."])
    assert "tested-2024-11-20" in model.spent.words()


@dataclass
class Mute(Served):
    """A server that stops giving log-probabilities, in one of the ways in which servers do."""

    how: str = ""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = super().reply(path, body)
        choice = reply["choices"][0]
        if self.how == "null":
            choice["logprobs"] = None
        elif self.how == "missing":
            choice.pop("logprobs", None)
        elif self.how == "empty":
            choice["logprobs"] = {"tokens": [], "token_logprobs": [], "top_logprobs": []}
        elif self.how == "no numbers" and choice.get("logprobs"):
            found = choice["logprobs"]
            found["token_logprobs"] = [None] * len(found["tokens"])
            found["top_logprobs"] = [None] * len(found["tokens"])
        elif self.how == "no echo" and choice.get("logprobs"):
            for values in choice["logprobs"].values():
                del values[:-1]
            choice["logprobs"]["top_logprobs"] = None
        return status, reply


@pytest.mark.slow
@pytest.mark.parametrize("how", ["null", "missing", "empty", "no numbers", "no echo"])
@pytest.mark.parametrize("echo", [True, False])
def test_numbers_that_were_missing_are_asked_for_again_when_the_server_is_mended(
    how: str, echo: bool, tmp_path: Path
) -> None:
    served = Mute(scripted(), echo=echo)
    with serving(served) as url:
        name = f"tested@{url}?start={START}&longest_wait=0.01"
        model = load(name, ModelSettings(answers=tmp_path))
        served.how = how
        if echo:
            [score] = model.score(["She is a nurse."])
            assert score.unscored is not None and "no log-probabilities" in score.unscored
        [found] = model.next_words(["The nurse said that"], ["she"])
        assert found.words[0].unscored is not None and "no log-probabilities" in found.words[0].unscored
        served.how = ""
        again = load(name, ModelSettings(answers=tmp_path))
        if echo:
            assert again.score(["She is a nurse."])[0].unscored is None
        assert again.next_words(["The nurse said that"], ["she"])[0].words[0].unscored is None


@pytest.mark.slow
def test_a_server_that_gives_no_numbers_any_more_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "HOPELESS", 5)
    served = Mute(scripted())
    with serving(served) as url:
        model = load(f"tested@{url}?start={START}&longest_wait=0.01&concurrency=2", journal=MemoryJournal())
        served.how, before = "null", len(served.asked)
        with pytest.raises(Hopeless, match="no log-probabilities"):
            model.score([f"She is {number}." for number in range(100)])
    # Each was sent once; of the second attempts, no more than it takes to see that none helps.
    assert len(served.asked) - before < 130


def test_what_a_server_could_not_do_is_seen_again_when_it_is_mended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    served = Mute(scripted(), how="null")
    with serving(served) as url:
        assert "left" not in load(f"tested@{url}?start={START}").conditionings
        served.how = ""
        assert "left" in load(f"tested@{url}?start={START}").conditionings


def test_a_file_that_plants_a_tilt_on_itself_is_no_endless_search(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(f'model = "planted:{tmp_path / "own.toml"}"\n')
    assert api_name(f"planted:{tmp_path / 'own.toml'}") is None


@pytest.mark.slow
def test_a_report_says_that_a_model_changed_during_its_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    served = Named(scripted(), said="tested-2024-08-06")
    study = 'specs = ["gender-math-arts"]\nmodels = ["api:tested@{}?start={}"]\n[pairs]\nsources = ["templates"]\n'
    with serving(served) as url:
        answer = served.reply

        def rolled(path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            served.said = "tested-2024-11-20" if len(served.asked) > 20 else served.said
            return answer(path, body)

        served.reply = rolled  # type: ignore[method-assign]
        run = carry_out(plan(parse(study.format(url, START))), tmp_path / "run")
    [spent] = run.meta["api"].values()
    assert spent["models"] == ["tested-2024-08-06", "tested-2024-11-20"]
    assert any("tested-2024-11-20" in one for one in limits_of(run, summarise_run(run)))


@pytest.mark.parametrize("prefix", ["", "chat:"])
def test_answers_of_the_model_that_came_after_are_not_kept_for_the_first(prefix: str, tmp_path: Path) -> None:
    served = Named(scripted(), said="tested-2024-08-06")
    texts = ["She is a nurse.", "He is a nurse."]

    def score(folder: str, text: str) -> list[float | None]:
        name = f"{prefix}api:tested@{url}?start={START}"
        with Cache(tmp_path / "cache.sqlite") as kept:
            model = open_model(name, ModelSettings(answers=tmp_path / folder), kept)
            before = len(served.asked)
            if folder == "first":
                model.score(texts[:1])
                served.said = "tested-2024-11-20"
            model.score([text])
            return [len(served.asked) - before, kept.hits]

    with serving(served) as url:
        score("first", texts[1])
        # The first snapshot is back: what the other one answered is asked for again, what it answered itself is not.
        served.said = "tested-2024-08-06"
        assert score("second", texts[0]) == [0, 1]
        assert score("third", texts[1]) == [1, 0]


@pytest.mark.parametrize("tokens", [2**63, 10**30, 10**400])
def test_a_count_of_tokens_that_cannot_be_is_none(tokens: int, tmp_path: Path) -> None:
    class Boasting(Served):
        def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
            status, reply = super().reply(path, body)
            return status, reply | {"usage": {"prompt_tokens": tokens, "completion_tokens": 1}}

    with serving(Boasting(scripted())) as url:
        model = load(f"tested@{url}?start={START}", ModelSettings(answers=tmp_path))
        assert model.score(["She is a nurse."])[0].unscored is None
        assert (model.spent.answered, model.spent.uncounted, model.spent.tokens_in) == (2, 2, 0)


@pytest.mark.parametrize("spoilt", ['{"choice": NaN, "digest": "x"}', b"\x00", 5, "[1]", "{"])
def test_a_kept_answer_that_is_not_as_it_was_written_is_none(spoilt: object, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal.sqlite")
    journal.record(b"key", {"choice": 1})
    assert journal.answer(b"key") == {"choice": 1}
    with sqlite3.connect(tmp_path / "journal.sqlite") as database:
        database.execute("update answers set answer = ? where key = cast('key' as blob)", (spoilt,))
    assert journal.answer(b"key") is None


@dataclass
class Unwell(Mute):
    """A server that has a bad moment at first, in one of several ways."""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if self.how == "503" and not path.endswith("/chat/completions"):
            return 503, {}
        if self.how == "refuses" and ("echo" in body or "logprobs" in body):
            return 400, {"error": {"message": "Unsupported parameter: 'logprobs'"}}
        return super().reply(path, body)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["503", "refuses", "null", "no echo"])
@pytest.mark.parametrize("view", ["pairs", "next_words"])
def test_a_run_goes_on_when_a_server_is_well_that_was_not_at_first(how: str, view: str, tmp_path: Path) -> None:
    served = Unwell(scripted(), how=how, answer=lambda _: "A")
    sources = {"pairs": "{ templates = { per_attribute = 1 } }", "next_words": "{ templates = { limit = 1 } }"}[view]
    with serving(served) as url:
        name = f"api:tested@{url}?start={START}&longest_wait=0.01"
        study = plan(parse(f'specs = ["gender-math-arts"]\nmodels = ["{name}"]\n[{view}]\nsources = [{sources}]\n'))
        if how == "no echo" and view == "next_words":
            pytest.skip("next words need no echo")
        with pytest.raises(ModelError, match="log-probabilities|by chat"):
            carry_out(study, tmp_path)
        served.how = ""
        run = carry_out(study, tmp_path)
    assert "log-probabilities of whole texts" in next(iter(run.facts.values())).versions["server"]
    if view == "pairs":
        assert all(one.unscored is None for found in run.scores.values() for one in found)
    else:
        assert run.next_words is not None


@dataclass
class Odd(Served):
    """A server that only answers by chat, in an odd way."""

    way: str = ""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        if not path.endswith("/chat/completions"):
            return 404, {"detail": "Not Found"}
        status, reply = super().reply(path, body)
        [choice] = reply["choices"]
        if self.way == "tool" and "Hello" not in str(body):
            choice |= {"message": {"content": None, "tool_calls": [{"id": "1"}]}, "finish_reason": "tool_calls"}
        if self.way == "backwards":
            reply["choices"] = [choice | {"index": 1, "message": {"content": "another"}}, choice]
        return status, reply


def test_the_first_choice_is_the_one_that_says_so() -> None:
    with serving(Odd(scripted(), answer=lambda _: "the first", way="backwards")) as url:
        model = load(f"tested@{url}", journal=MemoryJournal())
        [[found]] = model.complete([model.chat_prompt("Write.")], SHORT)
    assert found.text.strip() == "the first"


def test_a_call_of_a_tool_is_told_and_not_paid_for_again() -> None:
    served = Odd(scripted(), answer=lambda _: "x", way="tool")
    with serving(served) as url:
        model = load(f"tested@{url}?attempts=5", journal=MemoryJournal())
        before = len(served.asked)
        [[found]] = model.complete([model.chat_prompt("Write.")], SHORT)
    assert "tool" in str(found.unwritten)
    assert not is_transient(found)
    assert len(served.asked) == before + 1


@pytest.mark.parametrize("body", [b"data: {}\n\ndata: [DONE]\n\n", b"[" * 10_000, b"\x1f\x8b"])
def test_a_server_that_chats_in_another_form_is_not_said_to_have_no_such_address(body: bytes) -> None:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._send(404, b"{}")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self._send(*((200, body) if "chat" in self.path else (404, b'{"detail": "Not Found"}')))

        def _send(self, status: int, body: bytes) -> None:
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    with listening(Handler) as url, pytest.raises(ModelError) as found:
        load(f"tested@{url}?attempts=1", journal=MemoryJournal())
    assert "JSON" in str(found.value)
    assert "Not Found" not in str(found.value)
