"""The loop that writes: batches of prompts of similar length, one token in each text at a time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from tiltmeter.errors import UserError
from tiltmeter.models.decoding.interface import Sampler, Step, TokenIds
from tiltmeter.models.decoding.sampling import Logits, check, draw, stream
from tiltmeter.models.decoding.sentence_ends import first_sentence
from tiltmeter.records import Completion, Decoding, Ended


class Draft(Protocol):
    """One text being written."""

    def next(self, logits: Logits) -> Step | Completion:
        """What to do, given the model's numbers for the next token; a completion: the text is finished."""
        ...


class FreeDraft:
    """A text drawn from the model as it is."""

    def __init__(
        self, sampler: Sampler, row: TokenIds, prompt: str, decoding: Decoding, numbers: random.Random
    ) -> None:
        self._sampler, self._row, self._prompt, self._decoding, self._numbers = sampler, row, prompt, decoding, numbers
        self._limit = limit(sampler, row, decoding)
        self._has_room = self._limit == decoding.max_new_tokens
        self._written: list[int] = []
        self._offsets: list[int] = []
        self._text = ""

    def next(self, logits: Logits) -> Step | Completion:
        """Draw a token; finished at an end token, a stop text or the limit."""
        token = draw(logits, self._decoding, self._numbers.random())
        decoded = len(self._written) + 1
        if token in self._sampler.ends:
            return self._completion(whole(self._text), decoded, "end")
        self._written.append(token)
        self._text = self._sampler.text(self._row, self._written)
        self._offsets.append(len(whole(self._text)))
        stopped = before_stop(self._text, self._decoding.stop)
        if stopped is None and self._decoding.whole_sentences:
            stopped = first_sentence(self._prompt, self._text)
        if stopped is not None:
            return self._completion(stopped, decoded, "stop")
        if decoded == self._limit:
            return self._completion(whole(self._text), decoded, "length" if self._has_room else "context")
        return Step(decoded - 1, token)

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

    def draft(row: TokenIds, at: int, numbers: random.Random) -> Draft:
        return FreeDraft(sampler, row, prompts[at], decoding, numbers)

    return write(sampler, prompts, decoding, draft, samples=samples, seed=seed)


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
    check(decoding, samples)
    seeds = seeds_of(seed, len(prompts))
    rows = [sampler.read(prompt) for prompt in prompts]
    finished: dict[tuple[int, int], Completion] = {}
    for places in batches(rows, samples, decoding.max_new_tokens, sampler.batch_tokens):
        batch = sampler.open([rows[at] for at, _ in places])
        live = [((at, sample), draft(rows[at], at, stream(seeds[at], prompts[at], sample))) for at, sample in places]
        while live:
            steps: list[Step | None] = []
            for (place, one), logits in zip(live, batch.logits, strict=True):
                result = one.next(logits)
                if isinstance(result, Completion):
                    finished[place] = result
                steps.append(result if isinstance(result, Step) else None)
            live = [entry for entry, step in zip(live, steps, strict=True) if step is not None]
            if live:
                batch.advance(steps)
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
