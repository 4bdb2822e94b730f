"""The loop that writes: pages of prompts of similar length, one token in each text at a time."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from tiltmeter.errors import UserError
from tiltmeter.models.writing.drawing import Logits, check, draw, stream
from tiltmeter.models.writing.pen import Move, Pen, Row
from tiltmeter.models.writing.sentences import first_sentence
from tiltmeter.records import Completion, Decoding, Ended


class Draft(Protocol):
    """One text being written."""

    def next(self, logits: Logits) -> Move | Completion:
        """What to do, given the model's numbers for the next token; a completion: the text is finished."""
        ...


class FreeDraft:
    """A text drawn from the model as it is."""

    def __init__(self, pen: Pen, row: Row, prompt: str, decoding: Decoding, numbers: random.Random) -> None:
        self._pen, self._row, self._prompt, self._decoding, self._numbers = pen, row, prompt, decoding, numbers
        self._limit = limit(pen, row, decoding)
        self._has_room = self._limit == decoding.max_new_tokens
        self._written: list[int] = []
        self._offsets: list[int] = []
        self._text = ""

    def next(self, logits: Logits) -> Move | Completion:
        """Draw a token; finished at an end token, a stop text or the limit."""
        token = draw(logits, self._decoding, self._numbers.random())
        decoded = len(self._written) + 1
        if token in self._pen.ends:
            return self._completion(whole(self._text), decoded, "end")
        self._written.append(token)
        self._text = self._pen.text(self._row, self._written)
        self._offsets.append(len(whole(self._text)))
        stopped = before_stop(self._text, self._decoding.stop)
        if stopped is None and self._decoding.whole_sentences:
            stopped = first_sentence(self._prompt, self._text)
        if stopped is not None:
            return self._completion(stopped, decoded, "stop")
        if decoded == self._limit:
            return self._completion(whole(self._text), decoded, "length" if self._has_room else "context")
        return Move(decoded - 1, token)

    def _completion(self, text: str, tokens: int, ended: Ended) -> Completion:
        return Completion(text, tokens, ended, offsets=tuple(self._offsets))


def limit(pen: Pen, row: Row, decoding: Decoding) -> int:
    """How many tokens may be written after a prompt: as many as asked for, or as the context has room for."""
    room = pen.room(row)
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
    pen: Pen, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
) -> list[list[Completion]]:
    """Texts drawn freely after each prompt."""

    def draft(row: Row, at: int, numbers: random.Random) -> Draft:
        return FreeDraft(pen, row, prompts[at], decoding, numbers)

    return write(pen, prompts, decoding, draft, samples=samples, seed=seed)


def write(
    pen: Pen,
    prompts: Sequence[str],
    decoding: Decoding,
    draft: Callable[[Row, int, random.Random], Draft],
    *,
    samples: int,
    seed: int | Sequence[int],
) -> list[list[Completion]]:
    """Carry out drafts; `draft(row, i, numbers)` begins one after prompt i with its own random numbers."""
    check(decoding, samples)
    seeds = seeds_of(seed, len(prompts))
    rows = [pen.read(prompt) for prompt in prompts]
    finished: dict[tuple[int, int], Completion] = {}
    for places in pages(rows, samples, decoding.max_new_tokens, pen.page_tokens):
        page = pen.open([rows[at] for at, _ in places])
        live = [((at, sample), draft(rows[at], at, stream(seeds[at], prompts[at], sample))) for at, sample in places]
        while live:
            moves: list[Move | None] = []
            for (place, one), logits in zip(live, page.logits, strict=True):
                result = one.next(logits)
                if isinstance(result, Completion):
                    finished[place] = result
                moves.append(result if isinstance(result, Move) else None)
            live = [entry for entry, move in zip(live, moves, strict=True) if move is not None]
            if live:
                page.advance(moves)
    return [[finished[at, sample] for sample in range(samples)] for at in range(len(prompts))]


def seeds_of(seed: int | Sequence[int], prompts: int) -> Sequence[int]:
    """The seed of each prompt, where one is given for all or one for each."""
    if isinstance(seed, int):
        return [seed] * prompts
    if len(seed) != prompts:
        raise UserError(f"{prompts} prompts and {len(seed)} seeds: give one seed, or one for each prompt")
    return seed


def pages(rows: Sequence[Row], samples: int, new_tokens: int, page_tokens: int) -> Iterator[list[tuple[int, int]]]:
    """(prompt, sample) in pages of bounded size, prompts of similar length together; a function of the call alone."""
    page: list[tuple[int, int]] = []
    width = 0
    for at in sorted(range(len(rows)), key=lambda at: len(rows[at]), reverse=True):
        for sample in range(samples):
            if page and (len(page) + 1) * width > page_tokens:
                yield page
                page = []
            if not page:
                width = len(rows[at]) + new_tokens
            page.append((at, sample))
    if page:
        yield page
