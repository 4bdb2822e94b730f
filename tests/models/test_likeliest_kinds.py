"""What every kind of model keeps to that lists its most probable next words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import Served, serving
from tiltmeter import models
from tiltmeter.models import ModelSettings, Predictor, Proposer, as_proposer
from tiltmeter.models.api import ApiModel, MemoryJournal
from tiltmeter.models.api import load as load_api
from tiltmeter.models.chat import ChatModel
from tiltmeter.models.likeliest import ending_if_known
from tiltmeter.models.planted import Tilt, plant
from tiltmeter.models.scripted import ScriptedModel

PROMPTS = ["The nurse said that", "The engineer met", "She opened the"]
TABLE = {"he": 3.0, "she": 2.0, "nurse": 1.0, "un": 0.5, "engineer": 0.2, ".": 1.0, "other": 4.0}
FAST = ("scripted", "planted", "api with texts", "api with lists", "chat by api")
SLOW = ("gpt2", "llama", "qwen2", "bert", "roberta", "planted llama")


def table() -> ScriptedModel:
    return ScriptedModel(TABLE, {"nurse": {"she": 0.7}})


@pytest.fixture
def open_model(checkpoint: Callable[[str], Path]) -> Iterator[Callable[[str], Proposer]]:
    with ExitStack() as stack:

        def behind(served: Served) -> ApiModel:
            url = stack.enter_context(serving(served))
            return load_api(f"tested@{url}?start={served.start}", journal=MemoryJournal())

        def local(family: str) -> models.Model:
            return models.load(str(checkpoint(family)), ModelSettings(device="cpu", threads=1))

        made: dict[str, Callable[[], models.Model]] = {
            "scripted": table,
            "planted": lambda: plant(table(), [Tilt(("he",), -2.0, ("nurse",)), Tilt(("engineer",), 1.0)]),
            "api with texts": lambda: behind(Served(table())),
            "api with lists": lambda: behind(Served(table(), echo=False, most_top=5)),
            "chat by api": lambda: ChatModel(behind(Served(table(), answer=str, chat_top=5)), "chat:api"),
            "planted llama": lambda: plant(local("llama"), [Tilt(("she",), 3.0)]),
        }
        yield lambda kind: as_proposer(made[kind]() if kind in made else local(kind))


KINDS = [*FAST, *(pytest.param(kind, marks=pytest.mark.slow) for kind in SLOW)]


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_is_in_order_and_one_distribution(kind: str, open_model: Any) -> None:
    model = open_model(kind)
    for found in model.likeliest(PROMPTS, 6):
        assert 0 < len(found.words) <= 6
        chances = [word.probability for word in found.words]
        assert all(word.word == word.word.strip() and word.word[0].isalnum() for word in found.words)
        assert len({word.word for word in found.words}) == len(found.words)
        assert all(0 < chance <= 1 for chance in chances)
        assert chances == sorted(chances, reverse=True)
        assert math.fsum(chances) <= 1 + 1e-6


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_does_not_depend_on_the_others_nor_on_its_length(kind: str, open_model: Any) -> None:
    model = open_model(kind)
    together = model.likeliest([*PROMPTS, PROMPTS[0]], 4)
    for prompt, found in zip([*PROMPTS, PROMPTS[0]], together, strict=True):
        [alone] = model.likeliest([prompt], 4)
        assert [word.word for word in alone.words] == [word.word for word in found.words]
        for one, other in zip(alone.words, found.words, strict=True):
            assert one.probability == pytest.approx(other.probability, abs=1e-4)
        [longer] = model.likeliest([prompt], 6)
        assert [word.word for word in longer.words[: len(found.words)]] == [word.word for word in found.words]


@pytest.mark.parametrize("kind", KINDS)
def test_chances_are_those_of_the_same_words_asked_for(kind: str, open_model: Any) -> None:
    model = open_model(kind)
    if not isinstance(model, Predictor):
        pytest.skip("a chat model is not asked for words by name")
    for prompt, found in zip(PROMPTS, model.likeliest(PROMPTS, 6), strict=True):
        [[asked], _] = ending_if_known(model, [prompt], [word.word for word in found.words])
        known = [(one, other) for one, other in zip(found.words, asked.words, strict=True) if other.logprob is not None]
        # A server that only lists tokens says nothing of words of several.
        assert len(known) == len(found.words) or "with lists" in kind
        assert known
        for one, other in known:
            assert other.logprob == pytest.approx(one.logprob, abs=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_that_was_not_listed_is_more_probable(kind: str, open_model: Any) -> None:
    model = open_model(kind)
    if not isinstance(model, Predictor) or kind in ("bert", "roberta"):
        pytest.skip("of a blank only the words of one piece are listed, and a chat model is not asked by name")
    # Whatever is not in a table has the chance of `other` there, and no letters by which it could be listed.
    others = ["he", "she", "nurse", "engineer", "un"] + ["they", "a", "secretary", "women"] * (kind in SLOW)
    for prompt, found in zip(PROMPTS, model.likeliest(PROMPTS, 3), strict=True):
        listed = [word.word for word in found.words]
        least = min(word.logprob for word in found.words)
        [[asked], _] = ending_if_known(model, [prompt], [word for word in others if word not in listed])
        assert all(word.logprob is None or word.logprob <= least + 1e-6 for word in asked.words)


@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_that_cannot_be_read_has_a_reason_and_the_others_have_words(kind: str, open_model: Any) -> None:
    model = open_model(kind)
    broken = "[MASK] and [MASK] met"
    bad, good = model.likeliest([broken, PROMPTS[0]], 3)
    assert [(word.word, word.unscored) for word in bad.words] == [("", "[MASK] occurs more than once in the prompt")]
    assert good.words[0].logprob is not None
