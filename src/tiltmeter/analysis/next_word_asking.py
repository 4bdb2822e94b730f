"""Asks a model for next words: every prompt under every perturbation, one answer each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from tiltmeter.models import Explainer, Predictor
from tiltmeter.records import NextWord, NextWords, Saliency, Span
from tiltmeter.sources.perturbing import Perturbed
from tiltmeter.sources.word_sets import WordSets

_AT_ONCE = 512
"""Prompts asked about in one call: many enough to find others of their length, few enough to see progress."""

Method = Literal["gradient-x-input", "integrated-gradients"]


class Watcher(Protocol):
    """Whoever wants to know how far the work is."""

    def start(self, what: str, total: int, done: int) -> None:
        """A stretch of work begins."""
        ...

    def advance(self, steps: int) -> None:
        """So many more prompts are done."""
        ...


@dataclass(frozen=True, slots=True)
class Answered:
    """A prompt as it was asked, and what the model expects after it."""

    asked: Perturbed
    found: NextWords
    saliency: Saliency | None = None

    @property
    def on_subject(self) -> float | None:
        """The share of the saliency that lies on the subject."""
        spans = self.asked.prompt.subject_spans
        return self.saliency.share_on(spans) if self.saliency is not None and spans else None

    @property
    def on_last(self) -> float | None:
        """The share of the saliency that lies on the last word of the prompt."""
        span = last_word(self.asked.prompt.text)
        return self.saliency.share_on((span,)) if self.saliency is not None and span else None


def last_word(text: str) -> Span | None:
    """Where the last word of a text stands.

    >>> last_word("The nurse said that ")
    (15, 19)
    """
    ended = text.rstrip()
    return (len(ended) - len(ended.split()[-1]), len(ended)) if ended else None


def ask(
    model: Predictor,
    asked: Sequence[Perturbed],
    sets: WordSets,
    *,
    bounded: bool = False,
    watcher: Watcher | None = None,
) -> list[Answered]:
    """What the model expects after each prompt; one that could not be perturbed is unscored with that reason."""
    words = [word for _, listed in sets for word in listed]
    made = [one for one in asked if one.unscored is None]
    if watcher:
        watcher.start(f"{model.facts.name}: next words", len(made), 0)
    found: list[NextWords] = []
    for start in range(0, len(made), _AT_ONCE):
        batch = made[start : start + _AT_ONCE]
        texts = [one.prompt.text for one in batch]
        found += model.next_words(texts, words, bounded=bounded, hidden=[one.hidden for one in batch])
        if watcher:
            watcher.advance(len(batch))
    answers = iter(found)
    return [
        Answered(
            one,
            next(answers)
            if one.unscored is None
            else NextWords(tuple(NextWord(word, None, one.unscored) for word in words)),
        )
        for one in asked
    ]


def explain(
    model: Explainer, answered: Sequence[Answered], method: Method, *, watcher: Watcher | None = None
) -> list[Answered]:
    """The answers with the saliency of the most probable of the words asked about.

    Hidden places are not hidden from gradients, so those prompts have none; nor has a prompt without a scored word.
    """
    chosen = [at for at, one in enumerate(answered) if not one.asked.hidden and likeliest(one.found) is not None]
    if watcher:
        watcher.start(f"{model.facts.name}: saliency", len(chosen), 0)
    found: dict[int, Saliency] = {}
    for start in range(0, len(chosen), _AT_ONCE // 8):
        batch = chosen[start : start + _AT_ONCE // 8]
        texts = [answered[at].asked.prompt.text for at in batch]
        words = [likeliest(answered[at].found) or "" for at in batch]
        found |= zip(batch, model.saliency(texts, words, method=method), strict=True)
        if watcher:
            watcher.advance(len(batch))
    return [Answered(one.asked, one.found, found.get(at)) for at, one in enumerate(answered)]


def likeliest(found: NextWords) -> str | None:
    """The most probable of the words asked about; None where none is scored."""
    scored = [(word.logprob, word.word) for word in found.words if word.logprob is not None]
    return max(scored, key=lambda pair: pair[0])[1] if scored else None
