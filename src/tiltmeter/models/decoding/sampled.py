"""The loop that writes: batches of prompts of similar length, one token in each text at a time."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

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
        self.finished: Completion | None = None
        self.left = limit(sampler, row, decoding)
        """How many more tokens may be asked for."""
        self._ends, self._prompt, self._decoding, self._numbers = sampler.ends, prompt, decoding, numbers
        self._limit = self.left
        self._offsets: list[int] = []
        self._text = ""
        self._ended = False

    def uniforms(self, count: int) -> list[float]:
        """The numbers that decide the next tokens."""
        self.left -= count
        return [self._numbers.random() for _ in range(count)]

    def grow(self, tokens: Sequence[int]) -> list[TokenIds]:
        """Add tokens, up to one that ends the text; what is written after each."""
        before = len(self.written)
        self.written += takewhile(lambda token: token not in self._ends, tokens)
        self._ended = len(self.written) < before + len(tokens)
        return [tuple(self.written[:count]) for count in range(before + 1, len(self.written) + 1)]

    def read(self, texts: Sequence[str]) -> None:
        """See whether the text is finished, given what it is after each of the tokens that were added."""
        for text in texts:
            self._text = text
            self._offsets.append(len(whole(text)))
            stopped = before_stop(text, self._decoding.stop) if self._decoding.stop else None
            if stopped is None and self._decoding.whole_sentences:
                stopped = first_sentence(self._prompt, text)
            if stopped is not None:
                self._finish(stopped, "stop")
                return
        if self._ended:
            self._finish(whole(self._text), "end", 1)
        elif len(self.written) == self._limit:
            self._finish(whole(self._text), "length" if self._limit == self._decoding.max_new_tokens else "context")

    def _finish(self, text: str, ended: Ended, unseen: int = 0) -> None:
        offsets = tuple(self._offsets)
        self.finished = Completion(text, len(offsets) + unseen, ended, offsets=offsets)


def write_freely(sampler: Sampler, batch: Batch, drafts: Sequence[FreeDraft], decoding: Decoding) -> None:
    """Finish the drafts of a batch. Where tokens are drawn in stretches, the next is begun before one is read."""
    waiting: deque[tuple[Sequence[FreeDraft], Callable[[], NDArray[np.int64]]]] = deque()
    while drafts:
        count = min(batch.stretch, *(one.left for one in drafts))
        if count:
            waiting.append((drafts, batch.draw(decoding, np.array([one.uniforms(count) for one in drafts]))))
        if len(waiting) > (batch.stretch > 1) or not count:
            _read(sampler, *waiting.popleft())
            going = [line for line, one in enumerate(drafts) if one.finished is None]
            if len(going) < len(drafts):
                drafts = [drafts[line] for line in going]
                if drafts:
                    batch.keep(going)


def _read(sampler: Sampler, drafts: Sequence[FreeDraft], drawn: Callable[[], NDArray[np.int64]]) -> None:
    """Add the tokens of a stretch to the drafts that did not end before it."""
    open_drafts = [(one, tokens) for one, tokens in zip(drafts, drawn().tolist(), strict=True) if one.finished is None]
    grown = [(one, one.grow(tokens)) for one, tokens in open_drafts]
    texts = iter(sampler.texts([(one.row, written) for one, each in grown for written in each]))
    for one, each in grown:
        one.read([*islice(texts, len(each))])


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

    def finish(batch: Batch, drafts: Sequence[FreeDraft]) -> list[Completion]:
        write_freely(sampler, batch, drafts, decoding)
        return [one.finished for one in drafts if one.finished]

    return _written(sampler, prompts, decoding, draft, finish, samples=samples, seed=seed)


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
    return _written(sampler, prompts, decoding, draft, _finish_step_by_step, samples=samples, seed=seed)


def _finish_step_by_step(batch: Batch, drafts: Sequence[Draft]) -> list[Completion]:
    finished: dict[int, Completion] = {}
    live = list(enumerate(drafts))
    while live:
        results = [one.next(logits) for (_, one), logits in zip(live, batch.logits, strict=True)]
        finished |= {at: one for (at, _), one in zip(live, results, strict=True) if isinstance(one, Completion)}
        live = [entry for entry in live if entry[0] not in finished]
        if live:
            batch.advance([one if isinstance(one, Step) else None for one in results])
    return [finished[at] for at in range(len(drafts))]


def _written(
    sampler: Sampler,
    prompts: Sequence[str],
    decoding: Decoding,
    draft: Callable[[TokenIds, int, random.Random], AnyDraft],
    finish: Callable[[Batch, Sequence[AnyDraft]], Sequence[Completion]],
    *,
    samples: int,
    seed: int | Sequence[int],
) -> list[list[Completion]]:
    """Carry out drafts in batches; `finish` writes those of one to their ends."""
    check(decoding, samples)
    seeds = seeds_of(seed, len(prompts))
    rows = [sampler.read(prompt) for prompt in prompts]
    found: dict[tuple[int, int], Completion] = {}
    for places in batches(rows, samples, decoding.max_new_tokens, sampler.batch_tokens):
        batch = sampler.open([rows[at] for at, _ in places])
        drafts = [draft(rows[at], at, stream(seeds[at], prompts[at], sample)) for at, sample in places]
        found |= zip(places, finish(batch, drafts), strict=True)
    return [[found[at, sample] for sample in range(samples)] for at in range(len(prompts))]


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
