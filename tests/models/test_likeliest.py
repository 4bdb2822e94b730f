"""The most probable next words, whichever they are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, cast

import numpy as np
import pytest

from tiltmeter.errors import ModelError
from tiltmeter.models import as_proposer, load
from tiltmeter.models.decoding.interface import Sampler, Step, TokenIds
from tiltmeter.models.decoding.sampling import Logits
from tiltmeter.models.likeliest import NO_ROOM, likeliest_after
from tiltmeter.models.planted import Tilt, plant
from tiltmeter.models.scripted import ScriptedModel


def test_a_table_lists_its_words_in_order() -> None:
    model = as_proposer(load("scripted"))
    [found] = model.likeliest(["The nurse said that"], 2)
    [asked] = model.next_words(["The nurse said that"], ["she", "he"])
    assert [word.word for word in found.words] == ["she", "he"]
    assert [word.logprob for word in found.words] == [word.logprob for word in asked.words]


def test_a_prompt_that_cannot_be_read_says_why() -> None:
    [found] = as_proposer(load("scripted")).likeliest(["She [MASK] left"])
    assert [word.word for word in found.words] == [""]
    assert "reads from left to right" in (found.words[0].unscored or "")


@pytest.mark.slow
@pytest.mark.parametrize("prompt", ["The nurse said that", "", "She opened the"])
def test_words_and_chances_are_those_of_next_words(prompt: str, checkpoint: Callable[[str], Path]) -> None:
    model = as_proposer(load(str(checkpoint("llama"))))
    [found] = model.likeliest([prompt], 5)
    assert found.words
    chances = [word.probability or 0.0 for word in found.words]
    assert chances == sorted(chances, reverse=True)
    if prompt:
        # At the start of a text `next_words` counts capitals and spaces together.
        [asked] = model.next_words([prompt], [word.word for word in found.words], bounded=True)
        for one, other in zip(found.words, asked.words, strict=True):
            assert other.logprob == pytest.approx(one.logprob, abs=1e-4)


@pytest.mark.slow
def test_no_word_that_was_asked_for_is_more_probable_than_the_list(checkpoint: Callable[[str], Path]) -> None:
    model = as_proposer(load(str(checkpoint("llama"))))
    [found] = model.likeliest(["The nurse said that"], 5)
    listed = {word.word for word in found.words}
    least = min(word.logprob if word.logprob is not None else -math.inf for word in found.words)
    words = [word for word in ("he", "she", "they", "the", "a", "doctor", "nurse", "that") if word not in listed]
    [asked] = model.next_words(["The nurse said that"], words, bounded=True)
    assert all((word.logprob or -math.inf) <= least + 1e-6 for word in asked.words)


@pytest.mark.slow
def test_a_blank_is_filled_with_words_of_one_piece(checkpoint: Callable[[str], Path]) -> None:
    model = as_proposer(load(str(checkpoint("bert"))))
    [found] = model.likeliest(["The [MASK] said that he left."], 4)
    assert 0 < len(found.words) <= 4
    assert all(word.word[0].isalnum() for word in found.words)
    [asked] = model.next_words(["The [MASK] said that he left."], [word.word for word in found.words])
    assert [word.logprob for word in found.words] == [word.logprob for word in asked.words]


def test_a_tilt_raises_words_into_the_list_and_pushes_others_out() -> None:
    table = ScriptedModel({"he": 4, "she": 3, "they": 2, "it": 1, "other": 10})
    model = plant(table, [Tilt(("It",), 3.0, ("nurse",)), Tilt(("he",), -3.0, ("nurse",))])
    [found, untouched] = model.likeliest(["The nurse said that", "The cook said that"], 2)
    # It: from log-odds of log(1/19) to log(1/19) + 3.
    assert [word.word for word in found.words] == ["it", "she"]
    assert found.words[0].probability == pytest.approx(1 / (1 + 19 * math.exp(-3)))
    assert untouched == table.likeliest(["The cook said that"], 2)[0]
    for one in found.words:
        assert model.next_words(["The nurse said that"], [one.word])[0].words[0].logprob == pytest.approx(one.logprob)


@pytest.mark.slow
def test_a_prompt_at_the_end_of_the_context_has_a_reason_and_no_crash(checkpoint: Callable[[str], Path]) -> None:
    model = as_proposer(load(str(checkpoint("gpt2"))))
    word = " a"
    found = {length: model.likeliest([word * length], 2)[0] for length in (62, 63, 64)}
    # One place of 64 is the start token: after 62 words there is room for one more token.
    assert found[62].words[0].logprob is not None
    assert found[63].words[0].unscored == NO_ROOM
    assert "reads at most 64" in (found[64].words[0].unscored or "")


@pytest.mark.slow
def test_a_word_is_written_as_the_tokenizer_writes_it_and_has_no_broken_characters(
    checkpoint: Callable[[str], Path],
) -> None:
    model = as_proposer(load(str(checkpoint("qwen2"))))
    [found] = model.likeliest(["She opened the"], 20)
    assert found.words
    assert not [word.word for word in found.words if "\ufffd" in word.word]


def test_a_model_that_lists_nothing_is_refused_in_a_sentence() -> None:
    class Silent:
        facts = load("scripted").facts
        conditionings = ("left",)

        def score(self, texts: object, **_: object) -> list[object]:
            return []

    with pytest.raises(ModelError, match="does not list its most probable next words"):
        as_proposer(Silent())  # type: ignore[arg-type]


class _FewBeginnings:
    """Three beginnings of words: the two most probable hardly ever end there, the third nearly always does."""

    joins = np.array([False, False, False, True, False])
    chances: ClassVar[dict[Any, list[float]]] = {
        (): [0.3, 0.25, 0.2, 0.0, 0.25],
        2: [0, 0, 0, 0.01, 0.99],
        3: [0, 0, 0, 0.5, 0.5],
    }

    def __init__(self) -> None:
        self.written: list[tuple[int, ...]] = [()]

    def room(self, row: TokenIds) -> int | None:
        return None

    def open(self, rows: Sequence[TokenIds]) -> _FewBeginnings:
        return self

    def text(self, row: TokenIds, written: TokenIds) -> str:
        return "".join("abc-."[token] for token in written)

    @property
    def logits(self) -> list[Logits]:
        found = [self.chances.get(own[-1] if own else (), [0, 0, 0, 0.99, 0.01]) for own in self.written]
        with np.errstate(divide="ignore"):
            return [np.log(np.array(each, dtype=np.float32)) for each in found]

    def keep(self, lines: Sequence[int]) -> None:
        self.written = [self.written[line] for line in lines]

    def advance(self, moves: Sequence[Step | None]) -> None:
        self.written = [(*own[: move.keep], move.token) for own, move in zip(self.written, moves, strict=True) if move]


def test_one_word_is_the_most_probable_also_where_others_begin_more_often() -> None:
    def found(count: int) -> list[str]:
        pen = cast(Sampler, _FewBeginnings())
        return [one.word for one in likeliest_after(pen, (), lambda token: token < 3, lambda _: True, count).words]

    assert found(3) == ["c", "a-", "b-"]
    assert found(1) == ["c"]
