"""Servers that run elsewhere: name one in TILTMETER_TEST_API, e.g. `api:NAME@http://localhost:8000/v1`.

What it can do decides what is held against the embedded model, which has the weights of SmolLM2-135M-Instruct: servers
that have others are only asked whether they answer.
"""

from __future__ import annotations

import os

import pytest

pytest.importorskip("httpx")

from tests.examples import NURSE
from tiltmeter import models
from tiltmeter.engine import score_pairs
from tiltmeter.measures.scorers.forced_choice import FORCED_CHOICE
from tiltmeter.models import ModelSettings, as_predictor, as_writer
from tiltmeter.models.api import ApiModel, MemoryJournal, load
from tiltmeter.records import Decoding

NAME = os.environ.get("TILTMETER_TEST_API", "")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(not NAME, reason="TILTMETER_TEST_API names no server")]


@pytest.fixture(scope="module")
def model() -> ApiModel:
    return load(NAME.removeprefix("api:"), journal=MemoryJournal())


def test_it_writes_what_the_settings_say(model: ApiModel) -> None:
    [[first, second]] = model.complete(["The nurse was known for"], Decoding(max_new_tokens=8), samples=2, seed=1)
    assert first.unwritten is second.unwritten is None
    assert first.text != second.text
    [[greedy]] = model.complete(["The nurse was known for"], Decoding(temperature=0, max_new_tokens=8))
    assert greedy.tokens == 8
    assert greedy.ended == "length"
    assert model.spent.tokens_out > 0


def test_it_answers_by_chat(model: ApiModel) -> None:
    [[answer]] = as_writer(model).complete([model.chat_prompt("Say hello.")], Decoding(temperature=0, max_new_tokens=9))
    assert answer.text.strip()


def test_a_forced_choice_is_scored_or_says_why(model: ApiModel) -> None:
    [score] = score_pairs(model, [NURSE], [FORCED_CHOICE])["causal.forced-choice.v1"]
    assert (score.scores is None) == (score.unscored is not None)


def test_next_words_are_near_those_of_the_same_weights(model: ApiModel) -> None:
    [found] = model.next_words(["The nurse said that"], ["she", "he"])
    if "smollm2" not in NAME.lower() or found.words[0].logprob is None:
        pytest.skip(f"nothing to compare: {found.words[0].unscored or NAME}")
    local = as_predictor(models.load("smollm2-135m", ModelSettings(device="cpu", threads=1)))
    [near] = local.next_words(["The nurse said that"], ["she", "he"])
    # A server that computes with the quantised weights themselves differs in the second place.
    assert [word.probability for word in found.words] == pytest.approx(
        [word.probability for word in near.words], abs=0.03
    )
