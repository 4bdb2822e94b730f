"""Texts that a table writes: their frequencies are those worked out by hand."""

from __future__ import annotations

from collections import Counter

import pytest

from tiltmeter.errors import ModelError, UserError
from tiltmeter.models.scripted import ScriptedModel
from tiltmeter.records import Decoding

TABLE = ScriptedModel({"he": 1, "she": 2, "nurse": 1, ".": 0, "other": 0}, {"she": {"nurse": 1.0986123}})


def frequencies(prompt: str, decoding: Decoding, samples: int = 3000) -> dict[str, float]:
    [completions] = TABLE.complete([prompt], decoding, samples=samples)
    return {text: count / samples for text, count in Counter(completion.text for completion in completions).items()}


def test_words_are_drawn_with_their_probabilities() -> None:
    # Four standard errors of 3,000 draws at one half are 0.037.
    drawn = frequencies("So", Decoding(max_new_tokens=1))
    assert drawn == pytest.approx({" he": 1 / 4, " she": 1 / 2, " nurse": 1 / 4}, abs=0.037)
    # "she" was seen: nurse weighs 3.
    drawn = frequencies("She", Decoding(max_new_tokens=1))
    assert drawn == pytest.approx({" he": 1 / 6, " she": 2 / 6, " nurse": 3 / 6}, abs=0.037)


def test_what_was_written_counts_as_seen() -> None:
    drawn = frequencies("So", Decoding(max_new_tokens=2))
    assert drawn[" she nurse"] == pytest.approx(1 / 2 * 3 / 6, abs=0.037)


def test_temperature_and_cuts_change_the_probabilities_as_they_should() -> None:
    assert frequencies("So", Decoding(max_new_tokens=1, temperature=0.5))[" she"] == pytest.approx(4 / 6, abs=0.037)
    assert frequencies("She", Decoding(max_new_tokens=1, top_k=2)).keys() == {" she", " nurse"}
    assert frequencies("She", Decoding(max_new_tokens=1, top_p=0.5)).keys() == {" nurse"}
    assert frequencies("She", Decoding(max_new_tokens=1, temperature=0)) == {" nurse": 1.0}


def test_punctuation_is_joined_and_a_stop_text_ends() -> None:
    table = ScriptedModel({"he": 1, ".": 1, "other": 0})
    [completions] = table.complete(["So"], Decoding(max_new_tokens=30, stop=(".",)), samples=20)
    assert {completion.ended for completion in completions} == {"stop"}
    assert any(completion.text == " he" and completion.tokens == 2 for completion in completions)
    [completions] = table.complete(["So"], Decoding(max_new_tokens=2), samples=20)
    assert " he." in {completion.text for completion in completions}


def test_every_prompt_may_have_a_seed_of_its_own() -> None:
    decoding = Decoding(max_new_tokens=6)
    prompts, seeds = ["So", "She", "So"], [4, 5, 6]
    together = TABLE.complete(prompts, decoding, samples=5, seed=seeds)
    alone = [TABLE.complete([one], decoding, samples=5, seed=seed)[0] for one, seed in zip(prompts, seeds, strict=True)]
    assert together == alone
    assert together[0] != together[2]
    must = [["he"], ["nurse"], ["he"]]
    longer = Decoding(max_new_tokens=30)
    [alone_with] = TABLE.complete_with(prompts[1:2], must[1:2], longer, seed=5)
    assert TABLE.complete_with(prompts, must, longer, seed=seeds)[1] == alone_with
    with pytest.raises(UserError, match="3 prompts and 2 seeds: give one seed, or one for each prompt"):
        TABLE.complete(prompts, decoding, seed=[1, 2])


def test_a_table_knows_no_chat() -> None:
    with pytest.raises(ModelError, match="no chat template"):
        TABLE.chat_prompt("Say it")
