"""A prompt with what a model expects after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.models.next_words import BLANK
from tiltmeter.records import NextWord, NextWords, Saliency, Span
from tiltmeter.sources.perturbing import Perturbed


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
        """The share of the saliency that lies on the last word before the one that is asked for."""
        span = last_word(self.asked.prompt.text)
        return self.saliency.share_on((span,)) if self.saliency is not None and span else None


def last_word(text: str) -> Span | None:
    """Where the last word of a prompt stands: the one before its blank, or before its end.

    >>> last_word("The nurse said that "), last_word("The nurse said that [MASK].")
    ((15, 19), (15, 19))
    """
    ended = text.partition(BLANK)[0].rstrip()
    return (len(ended) - len(ended.split()[-1]), len(ended)) if ended else None


def likeliest(found: NextWords) -> str | None:
    """The most probable of the words asked about; None where none is scored."""
    scored = [(word.logprob, word.word) for word in found.words if word.logprob is not None]
    return max(scored, key=lambda pair: pair[0])[1] if scored else None


def unasked(words: Sequence[str], reason: str) -> NextWords:
    """The answer to a question that could not be asked."""
    return NextWords(tuple(NextWord(word, None, reason) for word in words))
