"""The loop that writes: batches of prompts of similar length, one token in each text at a time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Protocol, TypeVar

import numpy as np

from tiltmeter.errors import UserError
from tiltmeter.models.decoding.interface import Batch, Sampler, Step, TokenIds
from tiltmeter.models.decoding.sampling import Logits, check, stream
from tiltmeter.models.decoding.sentence_ends import first_sentence
from tiltmeter.records import Completion, Decoding, Ended


class Draft(Protocol):
    """One text being written, a token at a time."""

    def next(self, logits: Logits) -> Step | Completion:
        """What to do, given the model's numbers for the next token; a completion: the text is finished."""
        ...


AnyDraft = TypeVar("AnyDraft")


class FreeDraft:
    """A text drawn from the model as it is, in stretches of several tokens."""

    def __init__(
        self, sampler: Sampler, row: TokenIds, prompt: str, decoding: Decoding, numbers: random.Random
    ) -> None:
        self.row, self.written = row, list[int]()
        self._ends, self._prompt, self._decoding, self._numbers = sampler.ends, prompt, decoding, numbers
        self._limit = limit(sampler, row, decoding)
        self._has_room = self._limit == decoding.max_new_tokens
        self._offsets: list[int] = []
        self._text = ""
        self._ended = False

    @property
    def left(self) -> int:
        """How many tokens may still be written."""
        return self._limit - len(self.written)

    def uniforms(self, count: int) -> list[float]:
        """The numbers that decide the next tokens."""
        return [self._numbers.random() for _ in range(count)]

    def grow(self, tokens: Sequence[int]) -> list[TokenIds]:
        """Add tokens, up to one that ends the text; what is written after each."""
        before = len(self.written)
        self.written += takewhile(lambda token: token not in self._ends, tokens)
        self._ended = len(self.written) < before + len(tokens)
        return [tuple(self.written[:count]) for count in range(before + 1, len(self.written) + 1)]

    def read(self, texts: Sequence[str]) -> Completion | None:
        """The finished text, given what it is after each of the tokens that were added; None: it goes on."""
        for text in texts:
            self._text = text
            self._offsets.append(len(whole(text)))
            stopped = before_stop(text, self._decoding.stop)
            if stopped is None and self._decoding.whole_sentences:
                stopped = first_sentence(self._prompt, text)
            if stopped is not None:
                return self._completion(stopped, len(self._offsets), "stop")
        if self._ended:
            return self._completion(whole(self._text), len(self._offsets) + 1, "end")
        if not self.left:
            return self._completion(whole(self._text), len(self._offsets), "length" if self._has_room else "context")
        return None

    def _completion(self, text: str, tokens: int, ended: Ended) -> Completion:
        return Completion(text, tokens, ended, offsets=tuple(self._offsets))


def limit(sampler: Sampler, row: TokenIds, decoding: Decoding) -> int:
    """How many tokens may be written after a prompt: as many as asked for, or as the context has room for."""
    room = sampler.room(row)
    return decoding.max_new_tokens if room is None else min(decoding.max_new_tokens, room)


def whole(text: str) -> str:
    """The text without the first bytes of a character whose rest never came."""
    return text.rstrip("\ufffd")


def before_stop(text: str, stops: Sequence[str]) -> str | None:
    r"""What stands before the first stop text, or None where there is no stop text.

    >>> before_stop("He is. She is.\n", ["\n", "."])
    'He is'
    """
    found = [at for at in (text.find(stop) for stop in stops) if at >= 0]
    return text[: min(found)] if found else None


def complete(
    sampler: Sampler, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
) -> list[list[Completion]]:
    """Texts drawn freely after each prompt."""

    def draft(row: TokenIds, at: int, numbers: random.Random) -> FreeDraft:
        return FreeDraft(sampler, row, prompts[at], decoding, numbers)

    def stretch(batch: Batch, drafts: Sequence[FreeDraft]) -> list[Completion | None]:
        count = min(batch.stretch, *(one.left for one in drafts))
        drawn = batch.draw(decoding, np.array([one.uniforms(count) for one in drafts]))
        grown = [one.grow(tokens) for one, tokens in zip(drafts, drawn.tolist(), strict=True)]
        texts = iter(sampler.texts([(one.row, each) for one, own in zip(drafts, grown, strict=True) for each in own]))
        results = [one.read([*islice(texts, len(own))]) for one, own in zip(drafts, grown, strict=True)]
        going = [line for line, result in enumerate(results) if result is None]
        if 0 < len(going) < len(results):
            batch.keep(going)
        return results

    return _written(sampler, prompts, decoding, draft, stretch, samples=samples, seed=seed)


def write(
    sampler: Sampler,
    prompts: Sequence[str],
    decoding: Decoding,
    draft: Callable[[TokenIds, int, random.Random], Draft],
    *,
    samples: int,
    seed: int | Sequence[int],
) -> list[list[Completion]]:
    """Carry out drafts; `draft(row, i, numbers)` begins one after prompt i with its own random numbers."""

    def step(batch: Batch, drafts: Sequence[Draft]) -> list[Completion | None]:
        results = [one.next(logits) for one, logits in zip(drafts, batch.logits, strict=True)]
        steps = [result if isinstance(result, Step) else None for result in results]
        if any(steps):
            batch.advance(steps)
        return [result if isinstance(result, Completion) else None for result in results]

    return _written(sampler, prompts, decoding, draft, step, samples=samples, seed=seed)


def _written(
    sampler: Sampler,
    prompts: Sequence[str],
    decoding: Decoding,
    draft: Callable[[TokenIds, int, random.Random], AnyDraft],
    write_on: Callable[[Batch, Sequence[AnyDraft]], list[Completion | None]],
    *,
    samples: int,
    seed: int | Sequence[int],
) -> list[list[Completion]]:
    """Carry out drafts in batches; `write_on` lengthens those of a batch, and those that it finishes leave it."""
    check(decoding, samples)
    seeds = seeds_of(seed, len(prompts))
    rows = [sampler.read(prompt) for prompt in prompts]
    finished: dict[tuple[int, int], Completion] = {}
    for places in batches(rows, samples, decoding.max_new_tokens, sampler.batch_tokens):
        batch = sampler.open([rows[at] for at, _ in places])
        live = [((at, sample), draft(rows[at], at, stream(seeds[at], prompts[at], sample))) for at, sample in places]
        while live:
            results = write_on(batch, [one for _, one in live])
            done = [(place, result) for (place, _), result in zip(live, results, strict=True) if result is not None]
            finished.update(done)
            live = [entry for entry, result in zip(live, results, strict=True) if result is None]
    return [[finished[at, sample] for sample in range(samples)] for at in range(len(prompts))]


def seeds_of(seed: int | Sequence[int], prompts: int) -> Sequence[int]:
    """The seed of each prompt, where one is given for all or one for each."""
    if isinstance(seed, int):
        return [seed] * prompts
    if len(seed) != prompts:
        raise UserError(f"{prompts} prompts and {len(seed)} seeds: give one seed, or one for each prompt")
    return seed


def batches(
    rows: Sequence[TokenIds], samples: int, new_tokens: int, batch_tokens: int
) -> Iterator[list[tuple[int, int]]]:
    """(prompt, sample) in batches of bounded size, prompts of similar length together; a function of the call alone."""
    batch: list[tuple[int, int]] = []
    width = 0
    for at in sorted(range(len(rows)), key=lambda at: len(rows[at]), reverse=True):
        for sample in range(samples):
            if batch and (len(batch) + 1) * width > batch_tokens:
                yield batch
                batch = []
            if not batch:
                width = len(rows[at]) + new_tokens
            batch.append((at, sample))
    if batch:
        yield batch
