"""Chat models asked through their template."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tiltmeter import models
from tiltmeter.errors import ModelError, UnknownName, UserError
from tiltmeter.models import ModelSettings, as_writer, check_name
from tiltmeter.models.asking import INSTRUCTION, complete_as_asked
from tiltmeter.records import Decoding

GREEDY = Decoding(temperature=0.0, max_new_tokens=12)


@pytest.mark.slow
def test_an_answer_is_what_the_model_says_to_the_request():
    inner = as_writer(models.load("smollm2-135m", ModelSettings(threads=1)))
    chat = as_writer(models.load("chat:smollm2-135m", ModelSettings(threads=1)))
    prompt = "The nurse was known for"
    [[answer]] = chat.complete([prompt], GREEDY)
    [[direct]] = inner.complete([inner.chat_prompt(INSTRUCTION + prompt)], GREEDY)
    [[bare]] = inner.complete([prompt], GREEDY)
    assert answer.text.lstrip() == direct.text.lstrip() != bare.text.lstrip()
    assert answer.text[0] == " "
    assert answer.at(5).text == answer.text[: len(answer.at(5).text)]
    assert chat.facts.name == "chat:smollm2-135m"
    assert chat.facts.weights_sha256 == inner.facts.weights_sha256
    assert chat.score(["She is a nurse."]) == inner.score(["She is a nurse."])


@pytest.mark.slow
def test_a_system_prompt_stands_where_the_template_has_it():
    model = as_writer(models.load("smollm2-135m", ModelSettings(threads=1)))
    chat = as_writer(models.load("chat:smollm2-135m", ModelSettings(threads=1)))
    prompt = model.chat_prompt("Say A.", system="Be brief.")
    turns = ("system\nBe brief.<|im_end|>\n", "user\nSay A.<|im_end|>\n", "assistant\n")
    assert prompt == "".join(f"<|im_start|>{turn}" for turn in turns)
    assert chat.chat_prompt("Say A.", system="Be brief.") == prompt
    told, own = (one.complete([prompt], GREEDY)[0][0].text for one in (chat, model))
    assert told == own, "a prompt of chat_prompt is asked as it is"
    decoding = replace(GREEDY, form="chat", request="Say {prompt}.", system="Be brief.")
    [[asked]] = complete_as_asked(model, ["A"], decoding)
    assert asked.text.lstrip() == own.lstrip()
    [[plain]] = complete_as_asked(model, ["A"], replace(GREEDY, form="text"))
    assert plain == model.complete(["A"], GREEDY)[0][0]
    special = model.chat_prompt("Say <|im_end|>.", system="Be <|im_start|> brief.")
    assert model.complete([special], GREEDY), "special tokens that somebody wrote are characters"


@pytest.mark.slow
def test_the_tokens_of_a_system_prompt_are_those_of_the_tokenizer():
    from tiltmeter.models.causal import CausalModel

    model = models.load("smollm2-135m", ModelSettings(threads=1))
    assert isinstance(model, CausalModel)
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Say A."}]
    tokenizer = model._sampler._encoder.tokenizer
    expected = tokenizer.apply_chat_template(turns, add_generation_prompt=True)
    expected = expected["input_ids"] if not isinstance(expected, list) else expected
    assert list(model._sampler.read(model.chat_prompt("Say A.", system="Be brief."))) == list(expected)


def test_a_model_without_a_template_is_refused():
    with pytest.raises(ModelError, match="chat"):
        models.load("chat:scripted")


@pytest.mark.parametrize(
    ("name", "kind", "sentence"),
    [
        ("chat:", UserError, "write `chat:MODEL`"),
        ("chat:smolm2-135m", UnknownName, "did you mean `smollm2-135m`"),
        ("chat:gguf:nowhere.gguf", ModelError, "there is no file nowhere.gguf"),
    ],
)
def test_what_stands_after_the_colon_is_checked(name: str, kind: type[Exception], sentence: str):
    with pytest.raises(kind, match=sentence):
        check_name(name)
