"""Beam search: of several texts side by side the one with the highest log-probability per token.

It is the search of `transformers` with its defaults, so that published settings mean the same here: a text is finished
by an end token or the limit, and the search ends when no open beam is better per token than all finished ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tiltmeter.models.decoding.interface import Sampler, Step, TokenIds
from tiltmeter.models.decoding.sampled import batches, limit, whole
from tiltmeter.models.decoding.sampling import Logits, check
from tiltmeter.models.decoding.sentence_ends import first_sentence
from tiltmeter.records import Completion, Decoding


@dataclass(frozen=True, slots=True)
class Beam:
    """A text and its log-probability; of a finished one, per token."""

    score: float
    written: TokenIds
    parent: int = 0
    """The line of the beam that it lengthens."""


class Search:
    """The beams after one prompt."""

    def __init__(self, beams: int, limit: int, ends: frozenset[int]) -> None:
        self._beams, self._limit, self._ends = beams, limit, ends
        # Enough that as many as are wanted go on, even if the best all end here.
        self._candidates = max(2, 1 + len(ends)) * beams
        self.running = [Beam(0.0, ())]
        self.finished: list[Beam] = []

    def step(self, logits: Sequence[Logits]) -> bool:
        """Lengthen every beam by a token and keep the best; False: the search is over."""
        candidates = self._best(logits)
        ended = [beam for beam in candidates[: self._beams] if self._ends_with(beam)]
        length = len(candidates[0].written)
        self.finished = _highest(
            [*self.finished, *(Beam(beam.score / length, beam.written) for beam in ended)], self._beams
        )
        self.running = [beam for beam in candidates if not self._ends_with(beam)][: self._beams]
        if not self.running:
            return False
        return len(self.finished) < self._beams or self.running[0].score / length > self.finished[-1].score

    def _best(self, logits: Sequence[Logits]) -> list[Beam]:
        scores = np.stack([beam.score + _log_softmax(line) for beam, line in zip(self.running, logits, strict=True)])
        flat = scores.ravel()
        count = min(self._candidates, len(flat))
        chosen = np.argpartition(-flat, count - 1)[:count]
        ordered = chosen[np.lexsort((chosen, -flat[chosen]))]
        found = ((int(one) // scores.shape[1], int(one) % scores.shape[1]) for one in ordered if np.isfinite(flat[one]))
        return [Beam(float(scores[line, token]), (*self.running[line].written, token), line) for line, token in found]

    def _ends_with(self, beam: Beam) -> bool:
        return beam.written[-1] in self._ends or len(beam.written) == self._limit


def complete(
    sampler: Sampler, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1
) -> list[list[Completion]]:
    """The best text after each prompt."""
    check(decoding, samples)
    rows = [sampler.read(prompt) for prompt in prompts]
    found: dict[int, Completion] = {}
    for places in batches(rows, 1, decoding.max_new_tokens, sampler.batch_tokens // decoding.beams):
        searches = {at: Search(decoding.beams, limit(sampler, rows[at], decoding), sampler.ends) for at, _ in places}
        _search(sampler, rows, searches)
        for at, search in searches.items():
            found[at] = _completion(sampler, rows[at], prompts[at], search.finished[0].written, decoding)
    return [[found[at]] for at in range(len(prompts))]


def _search(sampler: Sampler, rows: Sequence[TokenIds], searches: dict[int, Search]) -> None:
    """Carry searches out on one batch, on which each has as many lines as it has beams."""
    batch = sampler.open([rows[at] for at in searches])
    live = list(searches.values())
    while live:
        lines: list[int] = []
        steps: list[Step] = []
        going: list[Search] = []
        first = 0
        for search in live:
            width = len(search.running)
            if search.step(batch.logits[first : first + width]):
                going.append(search)
                lines += [first + beam.parent for beam in search.running]
                steps += [Step(len(beam.written) - 1, beam.written[-1]) for beam in search.running]
            first += width
        live = going
        if live:
            batch.keep(lines)
            batch.advance(steps)


def _completion(sampler: Sampler, row: TokenIds, prompt: str, written: TokenIds, decoding: Decoding) -> Completion:
    kept = written[:-1] if written[-1] in sampler.ends else written
    if decoding.whole_sentences:
        for count in range(1, len(kept) + 1):
            sentence = first_sentence(prompt, sampler.text(row, kept[:count]))
            if sentence is not None:
                return Completion(sentence, count, "stop", decoding.beams)
    text, tokens = whole(sampler.text(row, kept)), len(written)
    if len(kept) < tokens:
        return Completion(text, tokens, "end", decoding.beams)
    return Completion(text, tokens, "length" if tokens == decoding.max_new_tokens else "context", decoding.beams)


def _highest(beams: list[Beam], count: int) -> list[Beam]:
    return sorted(beams, key=lambda beam: -beam.score)[:count]


def _log_softmax(logits: Logits) -> Logits:
    shifted = logits - logits.max()
    result: Logits = shifted - np.log(np.exp(shifted).sum())
    return result
