"""Beam search against `transformers`, whole sentences, and shorter texts that are the beginning of longer ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import UserError
from tiltmeter.models import ModelSettings, Writer, as_writer, load
from tiltmeter.models.scripted import ScriptedModel
from tiltmeter.records import Decoding

from .conftest import CAUSAL

ONE_THREAD = ModelSettings(device="cpu", threads=1)
PROMPTS = ["The nurse said", "The nurse said that he", "My brother-in-law is", "a", "The nurse said"]
TABLE = ScriptedModel({"left": 2, "she": 3, "he": 2, ".": 2, "other": 1}, {"she": {"left": 1.0}})


def writer(folder: Path) -> Writer:
    return as_writer(load(f"hf:{folder}", ONE_THREAD))


@pytest.mark.slow
@pytest.mark.parametrize("family", CAUSAL)
@pytest.mark.parametrize("beams", [2, 5])
def test_beam_search_is_that_of_transformers(family: str, beams: int, checkpoint: Callable[[str], Path]) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    folder = checkpoint(family)
    model: Any = writer(folder)
    sampler = model._sampler
    network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    texts = model.complete(PROMPTS, Decoding(temperature=0, beams=beams, max_new_tokens=12))
    for prompt, [completion] in zip(PROMPTS, texts, strict=True):
        row = sampler.read(prompt)
        ids = network.generate(
            torch.tensor([row]),
            do_sample=False,
            num_beams=beams,
            max_new_tokens=12,
            eos_token_id=sorted(sampler.ends),
            pad_token_id=0,
        )[0].tolist()[len(row) :]
        assert completion.text == sampler.text(row, [token for token in ids if token not in sampler.ends]).rstrip(
            "\ufffd"
        )
        assert (completion.tokens, completion.attempts) == (len(ids), beams)


@pytest.mark.slow
def test_beams_that_end_early_are_those_of_transformers(checkpoint: Callable[[str], Path]) -> None:
    """With a common token as the end, texts of many lengths finish and compete."""
    import torch
    from transformers import AutoModelForCausalLM

    folder = checkpoint("gpt2")
    model: Any = writer(folder)
    network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    sampler = model._sampler
    lengths = set()
    for ends in (range(0, 360, 2), range(0, 360, 7), range(100, 300)):
        sampler.ends = frozenset(ends)
        for prompt in PROMPTS:
            row = sampler.read(prompt)
            given = {"do_sample": False, "num_beams": 3, "max_new_tokens": 12, "pad_token_id": 0}
            ids = network.generate(torch.tensor([row]), eos_token_id=sorted(ends), **given)[0].tolist()[len(row) :]
            [[completion]] = model.complete([prompt], Decoding(temperature=0, beams=3, max_new_tokens=12))
            assert completion.tokens == len(ids)
            assert completion.text == sampler.text(row, [one for one in ids if one not in sampler.ends]).rstrip(
                "\ufffd"
            )
            assert completion.ended == ("end" if ids[-1] in sampler.ends else "length")
            lengths.add(len(ids))
    assert len(lengths) > 2


def test_beam_search_finds_what_greedy_misses() -> None:
    """`a` is the likelier first word, but nothing after it is as likely as `c` is after `b`."""
    model = ScriptedModel({"a": 1.2, "b": 1, "c": 0.1, "other": 0.1}, {"b": {"c": 6.0}})
    [[greedy]] = model.complete(["x"], Decoding(temperature=0, max_new_tokens=2))
    [[searched]] = model.complete(["x"], Decoding(temperature=0, max_new_tokens=2, beams=3))
    assert (greedy.text, searched.text) == (" a a", " b c")
    with pytest.raises(UserError, match="beam search gives one text for each prompt, not 2 samples"):
        model.complete(["x"], Decoding(beams=2), samples=2)


@pytest.mark.slow
@pytest.mark.parametrize("family", CAUSAL)
@pytest.mark.parametrize(
    "decoding",
    [Decoding(temperature=0), Decoding(temperature=1.4), Decoding(0.8, 50, 0.85), Decoding(1.4, whole_sentences=True)],
)
def test_a_shorter_text_is_the_beginning_of_a_longer_one(
    family: str, decoding: Decoding, checkpoint: Callable[[str], Path]
) -> None:
    model = writer(checkpoint(family))
    long = model.complete(PROMPTS, replace(decoding, max_new_tokens=20), samples=4, seed=3)
    for length in (1, 2, 5, 11, 20):
        short = model.complete(PROMPTS, replace(decoding, max_new_tokens=length), samples=4, seed=3)
        assert [[one.at(length) for one in texts] for texts in long] == short


def test_a_shorter_text_ends_as_if_it_had_been_written_alone() -> None:
    decoding = Decoding(max_new_tokens=12, whole_sentences=True)
    [long] = TABLE.complete(["She"], decoding, samples=50, seed=1)
    for length in range(1, 12):
        [short] = TABLE.complete(["She"], replace(decoding, max_new_tokens=length), samples=50, seed=1)
        assert [one.at(length) for one in long] == short
    assert {one.ended for one in long} == {"stop", "length"}


def test_a_whole_sentence_ends_at_its_full_stop_and_nowhere_else() -> None:
    [texts] = TABLE.complete(["She"], Decoding(max_new_tokens=12, whole_sentences=True), samples=50, seed=1)
    for one in texts:
        assert one.text.count(".") == (one.ended == "stop")
        assert one.text.endswith(".") == (one.ended == "stop")
    [[searched]] = TABLE.complete(["She"], Decoding(temperature=0, max_new_tokens=4, beams=2, whole_sentences=True))
    assert searched.text.count(".") <= 1
