"""Scores of masked models against plain loops, one sentence and one mask at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings, load
from tiltmeter.records import Span

from .conftest import MASKED, SENTENCES

pytestmark = pytest.mark.slow
ONE_THREAD = ModelSettings(device="cpu", threads=1)


class Plain:
    """A checkpoint used in the plainest way."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        self.tokenizer: Any = AutoTokenizer.from_pretrained(folder)
        self.model: Any = AutoModelForMaskedLM.from_pretrained(folder, dtype=torch.float32).eval()
        self.mask = self.tokenizer.mask_token_id

    def logits(self, ids: list[int]) -> Any:
        import torch

        with torch.no_grad():
            return self.model(torch.tensor([ids])).logits[0]

    def logprob(self, ids: list[int], place: int, target: int) -> float:
        return float(self.logits(ids)[place].log_softmax(-1)[target])

    def inner(self, ids: list[int]) -> list[int]:
        """Places of the tokens that are not special: all but the first and the last."""
        return list(range(1, len(ids) - 1))


def masked(ids: list[int], places: list[int], mask: int) -> list[int]:
    return [mask if place in places else token for place, token in enumerate(ids)]


def place_of(text: str, term: str) -> tuple[Span, ...]:
    return ((text.index(term), text.index(term) + len(term)),)


@pytest.fixture(params=MASKED)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_token_masks_one_token_at_a_time(family: str, checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint(family)), load(f"hf:{checkpoint(family)}", ONE_THREAD)
    for text, score in zip(SENTENCES, model.score(SENTENCES), strict=True):
        ids = plain.tokenizer(text)["input_ids"]
        expected = [plain.logprob(masked(ids, [place], plain.mask), place, ids[place]) for place in plain.inner(ids)]
        assert score.logprobs == pytest.approx(expected, abs=1e-4)
        assert len(score.spans) == len(expected)


def test_within_word_masks_the_later_pieces_of_the_word(family: str, checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint(family)), load(f"hf:{checkpoint(family)}", ONE_THREAD)
    texts = ["metalsmiths sing electrically", "unbelievable engineers"]
    pieces = 0
    for text, score in zip(texts, model.score(texts, conditioning="within-word"), strict=True):
        ids = plain.tokenizer(text)["input_ids"]
        offsets = plain.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
        # Plain words without punctuation: a token belongs to the word in which its last character lies.
        word = [text[:end].count(" ") for _, end in offsets]
        expected = []
        for place in plain.inner(ids):
            hidden = [later for later in plain.inner(ids) if later >= place and word[later] == word[place]]
            pieces = max(pieces, len(hidden))
            expected.append(plain.logprob(masked(ids, hidden, plain.mask), place, ids[place]))
        assert score.logprobs == pytest.approx(expected, abs=1e-4)
    assert pieces > 1


def test_none_masks_nothing(family: str, checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint(family)), load(f"hf:{checkpoint(family)}", ONE_THREAD)
    for text, score in zip(SENTENCES, model.score(SENTENCES, conditioning="none"), strict=True):
        ids = plain.tokenizer(text)["input_ids"]
        assert score.logprobs == pytest.approx([plain.logprob(ids, at, ids[at]) for at in plain.inner(ids)], abs=1e-4)


def test_slot_fills_the_pieces_from_left_to_right(family: str, checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint(family)), load(f"hf:{checkpoint(family)}", ONE_THREAD)
    text, term = "The unbelievable metalsmith said that he was tired.", "metalsmith"
    [score] = model.score([text], conditioning="slot", spans=[place_of(text, term)])
    start = text.index(term)
    ids = plain.tokenizer(text)["input_ids"]
    offsets = plain.tokenizer(text, return_offsets_mapping=True)["offset_mapping"]
    places = [at for at in plain.inner(ids) if offsets[at][1] > start and offsets[at][1] <= start + len(term)]
    assert len(places) > 1
    expected: list[Any] = [None] * len(plain.inner(ids))
    for index, place in enumerate(places):
        row = masked(ids, places[index:], plain.mask)
        expected[place - 1] = pytest.approx(plain.logprob(row, place, ids[place]), abs=1e-4)
    assert list(score.logprobs) == expected


def test_slot_fills_several_places_of_one_text(checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint("bert")), load(f"hf:{checkpoint('bert')}", ONE_THREAD)
    text = "he said that he was tired"
    [score] = model.score([text], conditioning="slot", spans=[((0, 2), (13, 15))])
    ids = plain.tokenizer(text)["input_ids"]
    first, second = (at for at, token in enumerate(ids) if plain.tokenizer.decode([token]) == "he")
    assert score.logprobs[first - 1] == pytest.approx(
        plain.logprob(masked(ids, [first, second], plain.mask), first, ids[first]), abs=1e-4
    )
    assert score.logprobs[second - 1] == pytest.approx(
        plain.logprob(masked(ids, [second], plain.mask), second, ids[second]), abs=1e-4
    )
    assert sum(value is not None for value in score.logprobs) == 2


def test_one_mask_logits_are_the_raw_logits_of_the_pieces(family: str, checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint(family)), load(f"hf:{checkpoint(family)}", ONE_THREAD)
    text, term = "The unbelievable metalsmith said that he was tired.", "metalsmith"
    spans = place_of(text, term)
    [score] = model.score([text], conditioning="one-mask-logits", spans=[spans])
    ids = plain.tokenizer(text.replace(term, plain.tokenizer.mask_token))["input_ids"]
    pieces = plain.tokenizer(" " + term, add_special_tokens=False)["input_ids"]
    assert len(pieces) > 1
    logits = plain.logits(ids)[ids.index(plain.mask)]
    assert score.logprobs == pytest.approx([float(logits[piece]) for piece in pieces], abs=1e-4)
    assert score.spans == spans * len(pieces)


def test_one_mask_logits_of_two_places(checkpoint: Callable[[str], Path]) -> None:
    plain, model = Plain(checkpoint("bert")), load(f"hf:{checkpoint('bert')}", ONE_THREAD)
    text = "metalsmith and metalsmith"
    spans = ((0, 10), (15, 25))
    [score] = model.score([text], conditioning="one-mask-logits", spans=[spans])
    ids = plain.tokenizer("[MASK] and [MASK]")["input_ids"]
    pieces = plain.tokenizer("metalsmith", add_special_tokens=False)["input_ids"]
    logits = plain.logits(ids)
    places = [at for at, token in enumerate(ids) if token == plain.mask]
    expected = [float(logits[place][piece]) for place in places for piece in pieces]
    assert score.logprobs == pytest.approx(expected, abs=1e-4)
    assert score.spans == (spans[0],) * len(pieces) + (spans[1],) * len(pieces)


@pytest.mark.parametrize("conditioning", ["token", "within-word", "none"])
@pytest.mark.parametrize("batch_tokens", [1, 60, 100_000])
def test_scores_depend_on_neither_batch_nor_order(
    family: str, conditioning: str, batch_tokens: int, checkpoint: Callable[[str], Path]
) -> None:
    name = f"hf:{checkpoint(family)}"
    lone = load(name, ONE_THREAD)
    alone = [lone.score([text], conditioning=conditioning)[0] for text in SENTENCES]
    model = load(name, ModelSettings(device="cpu", threads=1, batch_tokens=batch_tokens))
    together = model.score(SENTENCES, conditioning=conditioning)
    backwards = model.score(SENTENCES[::-1], conditioning=conditioning)[::-1]
    for one, two, three in zip(alone, together, backwards, strict=True):
        assert one.logprobs == pytest.approx(two.logprobs, abs=1e-4)
        assert one.logprobs == pytest.approx(three.logprobs, abs=1e-4)


def test_spans_cover_the_visible_characters(family: str, checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    for text, score in zip(SENTENCES, model.score(SENTENCES, conditioning="none"), strict=True):
        covered = {at for start, end in score.spans for at in range(start, end)}
        # WordPiece drops the invisible joiner inside an emoji.
        visible = {at for at, sign in enumerate(text) if not sign.isspace() and sign != "\u200d"}
        assert visible <= covered
        for start, end in score.spans:
            # A token that is only the space before a word covers the word's first character too.
            assert not text[start].isspace() or end == start + 2 or text[start:end].isspace()


def test_texts_that_cannot_be_scored_say_why(family: str, checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    assert model.facts.context == 64
    empty, long, invisible = model.score(["  ", "nurse " * 100, "a"])
    assert empty.unscored == "the text is empty"
    assert long.unscored is not None
    assert "reads at most 64" in long.unscored
    assert len(invisible.logprobs) == 1


def test_a_text_as_long_as_the_context_is_scored(family: str, checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint(family)}", ONE_THREAD)
    fits, over = model.score(["a" + " a" * 61, "a" + " a" * 62], conditioning="none")
    assert len(fits.logprobs) == 62
    assert over.unscored == "the text has 65 tokens and the model reads at most 64"


def test_a_place_without_a_token_is_unscored(checkpoint: Callable[[str], Path]) -> None:
    model = load(f"hf:{checkpoint('bert')}", ONE_THREAD)
    for conditioning in ("slot", "one-mask-logits"):
        nowhere, blank = model.score(["a nurse", "a nurse"], conditioning=conditioning, spans=[(), ((1, 2),)])
        assert nowhere.unscored == blank.unscored == "no token of the text is in the blank"
        [unknown] = model.score(["a 漢 nurse"], conditioning=conditioning, spans=[((2, 3),)])
        assert unknown.unscored == "the tokenizer does not know the word in the blank"
        with pytest.raises(ModelError, match="needs the spans"):
            model.score(["a"], conditioning=conditioning)


def test_equal_questions_are_asked_once(checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    from tiltmeter.models.network import Network

    model = load(f"hf:{checkpoint('bert')}", ONE_THREAD)
    computed: list[int] = []
    original = Network._inputs

    def counted(self: Network, kept: Any, first: int, last: int) -> Any:
        computed.append(last - first)
        return original(self, kept, first, last)

    monkeypatch.setattr(Network, "_inputs", counted)
    texts = ["he was tired", "she was tired", "he was tired"]
    model.score(texts, conditioning="slot", spans=[((0, 2),), ((0, 3),), ((0, 2),)])
    # All three leave the same blank in the same sentence.
    assert sum(computed) == 1


def test_a_mask_written_in_a_text_is_only_characters(checkpoint: Callable[[str], Path]) -> None:
    [score] = load(f"hf:{checkpoint('bert')}", ONE_THREAD).score(["a [MASK]"], conditioning="none")
    assert len(score.spans) > 2
