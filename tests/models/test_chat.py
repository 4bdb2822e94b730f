"""Chat models asked through their template."""

from __future__ import annotations

import pytest

from tiltmeter import models
from tiltmeter.errors import ModelError, UnknownName, UserError
from tiltmeter.models import ModelSettings, as_writer, check_name
from tiltmeter.models.chat import INSTRUCTION
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
