"""Scores of causal models against a plain computation, one sentence at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings, load

from .conftest import CAUSAL, SENTENCES

pytestmark = pytest.mark.slow
ONE_THREAD = ModelSettings(device="cpu", threads=1)
START = {"gpt2": "<|endoftext|>", "llama": "<s>", "qwen2": "<|endoftext|>"}


def plainly(folder: Path, text: str, start: str | None) -> list[float | None]:
    """The log-probabilities of a text's tokens by the shortest program that gives them."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    before = [] if start is None else [tokenizer.convert_tokens_to_ids(start)]
    with torch.no_grad():
        logprobs = model(torch.tensor([before + ids])).logits[0].log_softmax(-1)
    known = [float(logprobs[place + len(before) - 1, token]) for place, token in enumerate(ids) if place + len(before)]
    return known if start is not None else [None, *known]


@pytest.mark.parametrize("family", CAUSAL)
@pytest.mark.parametrize("conditioning", ["left", "left-no-start"])
def test_each_token_has_the_log_probability_of_a_plain_computation(
    family: str, conditioning: str, checkpoint: Callable[[str], Path]
) -> None:
    model = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    start = START[family] if conditioning == "left" else None
    for text, score in zip(SENTENCES, model.score(SENTENCES, conditioning=conditioning), strict=True):
        assert score.unscored is None
        assert list(score.logprobs) == [
            None if value is None else pytest.approx(value, abs=1e-4)
            for value in plainly(checkpoint(family), text, start)
        ]
        assert len(score.spans) == len(score.logprobs)


@pytest.mark.parametrize("family", CAUSAL)
def test_the_start_token_is_the_document_separator_and_stands_once(
    family: str, checkpoint: Callable[[str], Path]
) -> None:
    facts = load(f"hf:{checkpoint(family)}", ONE_THREAD).facts
    assert facts.start_token == START[family]
    assert (facts.family, facts.context, facts.dtype, facts.device) == ("causal", 64, "float32", "cpu")
    assert len(facts.weights_sha256) == 64
    assert facts.parameters
    assert facts.versions.keys() == {"torch", "transformers", "tokenizers"}


@pytest.mark.parametrize("batch_tokens", [1, 40, 100_000])
def test_scores_depend_on_neither_batch_nor_order(batch_tokens: int, checkpoint: Callable[[str], Path]) -> None:
    name = f"hf:{checkpoint('llama')}"
    alone = [load(name, ONE_THREAD).score([text])[0] for text in SENTENCES]
    model = load(name, ModelSettings(device="cpu", threads=1, batch_tokens=batch_tokens))
    together = model.score(SENTENCES)
    backwards = model.score(SENTENCES[::-1])[::-1]
    for one, two, three in zip(alone, together, backwards, strict=True):
        assert one.spans == two.spans == three.spans
        assert one.logprobs == pytest.approx(two.logprobs, abs=1e-4)
        assert one.logprobs == pytest.approx(three.logprobs, abs=1e-4)


@pytest.mark.parametrize("family", CAUSAL)
def test_spans_cover_the_visible_characters(family: str, checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    for text, score in zip(SENTENCES, model.score(SENTENCES), strict=True):
        covered = {at for start, end in score.spans for at in range(start, end)}
        assert {at for at, character in enumerate(text) if not character.isspace()} <= covered
        for start, end in score.spans:
            # A token that is only the space before a word covers the word's first character too.
            assert not text[start].isspace() or end == start + 2 or text[start:end].isspace()
        assert list(score.spans) == sorted(score.spans)


def test_texts_that_cannot_be_scored_say_why(checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint('gpt2')}", ONE_THREAD)
    empty, blank, long, short = model.score(["", " \n", "nurse " * 100, "a"])
    assert empty.unscored == blank.unscored == "the text is empty"
    assert long.unscored is not None
    assert "reads at most 64" in long.unscored
    assert long.logprobs == ()
    assert len(short.logprobs) == 1
    assert model.score([]) == []
    assert model.score(["a"], conditioning="left-no-start")[0].logprobs == (None,)


def test_a_text_as_long_as_the_context_is_scored(checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint('gpt2')}", ONE_THREAD)
    fits, over = model.score(["a" + " a" * 62, "a" + " a" * 63])
    assert len(fits.logprobs) == 63
    assert over.unscored == "the text has 65 tokens and the model reads at most 64"
    assert model.score(["a" + " a" * 63], conditioning="left-no-start")[0].unscored is None


def test_special_tokens_in_a_text_are_only_characters(checkpoint: Callable[[str], Path]) -> None:
    [score] = load(f"hf:{checkpoint('gpt2')}", ONE_THREAD).score(["a<|endoftext|>"])
    assert len(score.spans) > 2


def test_another_familys_conditioning_is_refused(checkpoint: Callable[[str], Path]) -> None:
    with pytest.raises(ModelError, match="cannot score by `slot`; it can by left, left-no-start"):
        load(f"hf:{checkpoint('gpt2')}", ONE_THREAD).score(["a"], conditioning="slot")


def test_numbers_that_are_not_finite_are_unscored(checkpoint: Callable[[str], Path], tmp_path: Path) -> None:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    network: Any = AutoModelForCausalLM.from_pretrained(checkpoint("gpt2"))
    tokenizer: Any = AutoTokenizer.from_pretrained(checkpoint("gpt2"))
    with torch.no_grad():
        network.transformer.wte.weight[tokenizer("a")["input_ids"][0]] = torch.nan
    network.save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    [score] = load(str(tmp_path), ONE_THREAD).score(["a"])
    assert score.unscored == "the model's numbers for this text are not finite (computed in float32)"
