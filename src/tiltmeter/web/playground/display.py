"""Answers of the playground in words and shades, ready for the template."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.measures.token_gaps import TokenGap
from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.shading import Shaded, shaded
from tiltmeter.present.words import NONE, count, probability, signed
from tiltmeter.records import NextWord, NextWords, Saliency
from tiltmeter.web.playground.answers import Answer, Scored, Tokens, WrittenText
from tiltmeter.web.playground.question import Question, Spans

_SHADES = 4
"""Shades of a difference: one for each unit of log-probability begun."""
_NOTHING = 0.01
"""A difference below this is none to speak of."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """What one scorer says."""

    name: str
    meaning: str
    leading: bool
    first: str
    second: str
    difference: str
    preferred: str
    unscored: str


@dataclass(frozen=True, slots=True)
class TokenChip:
    """A token with its shade: how much more (`above`) or less (`below`) probable it is than in the other sentence."""

    text: str
    logprob: str
    gap: str
    shade: str
    own: bool
    """Whether only this sentence has it."""


@dataclass(frozen=True, slots=True)
class WordLine:
    """A word with its probability after each prompt."""

    word: str
    probabilities: tuple[str, ...]
    shares: tuple[float, ...]
    """The same as shares of the largest in the table, for a bar."""
    ratio: str
    unscored: str
    """Why a probability is missing."""


@dataclass(frozen=True, slots=True)
class SalientPrompt:
    """A prompt with its tokens shaded by how much each has to do with a word."""

    text: str
    word: str
    pieces: tuple[Shaded, ...]
    unscored: str


@dataclass(frozen=True, slots=True)
class PromptLine:
    """A prompt, the characters in which its variants differ, and the texts that were written after it."""

    text: str
    spans: Spans
    written: tuple[WrittenText, ...]


def score_lines(scores: Sequence[Scored]) -> list[ScoreLine]:
    """Each scorer, that of the headlines first."""
    return [
        ScoreLine(
            short_scorer(one.score.scorer),
            one.meaning,
            one.leading,
            *_numbers(one),
            _preferred(one),
            one.score.unscored or "",
        )
        for one in scores
    ]


def _numbers(one: Scored) -> tuple[str, str, str]:
    if one.score.scores is None:
        return NONE, NONE, NONE
    first, second = (f"{score:.2f}".replace("-", "−") for score in one.score.scores)
    return first, second, signed(one.difference)


def _preferred(one: Scored) -> str:
    return {1: "the first", 2: "the second", "tie": "neither"}.get(one.preferred or "", "")


def verdict(scores: Sequence[Scored]) -> str:
    """Which sentence is preferred, by how much, and whether the scorers agree."""
    known = [one for one in scores if one.score.scores is not None]
    if not known:
        return "No scorer has a number for these two sentences."
    leading = next((one for one in known if one.leading), known[0])
    ties, unscored = sum(one.preferred == "tie" for one in known), len(scores) - len(known)
    sides = {side: sum(one.preferred == side for one in known) for side in (1, 2)}
    if leading.preferred == "tie":
        said = f"Under {short_scorer(leading.score.scorer)} neither sentence is preferred"
    else:
        size = abs(leading.difference or 0.0)
        times = f", which is {_times(size)} as probable" if leading.score.scorer.endswith("causal.sum.v1") else ""
        said = (
            f"The model prefers {_preferred(leading)} sentence{times} (by {size:.2f} under "
            f"{short_scorer(leading.score.scorer)})"
        )
    if len(scores) == 1:
        return f"{said}."
    parts = [
        f"{count(number, 'prefers', 'prefer')} {word}"
        for number, word in ((sides[1], "the first"), (sides[2], "the second"))
        if number
    ]
    parts += [f"{count(ties, 'has a tie', 'have a tie')}"] if ties else []
    parts += [f"{unscored} cannot score it"] if unscored else []
    opposed = " The scorers disagree: that is reason enough not to believe one of them." if all(sides.values()) else ""
    return f"{said}. Of {count(len(scores), 'scorer')}, {', '.join(parts)}.{opposed}"


def _times(logarithm: float) -> str:
    """A ratio in words.

    >>> _times(0.7), _times(20.0)
    ('2.0 times', 'more than 1,000 times')
    """
    return "more than 1,000 times" if logarithm > math.log(1000) else f"{math.exp(logarithm):,.1f} times"


def chips(tokens: Tokens) -> list[list[TokenChip]]:
    """Both sentences, token by token."""
    return [[_chip(token) for token in sentence] for sentence in tokens.sentences]


def _chip(token: TokenGap) -> TokenChip:
    gap = token.gap
    shade = ""
    if gap is not None and abs(gap) >= _NOTHING:
        shade = f"{'more' if gap > 0 else 'less'}-{min(_SHADES, math.ceil(abs(gap)))}"
    return TokenChip(token.text, _log(token.logprob), signed(gap) if shade else NONE, shade, not token.shared)


def _log(number: float | None) -> str:
    return NONE if number is None else f"{number:.2f}".replace("-", "−")


def word_lines(found: Sequence[NextWords]) -> list[WordLine]:
    """Every word of all answers, with its probability after each prompt."""
    words = list(dict.fromkeys(word.word for one in found for word in one.words if word.word))
    by_prompt = [{word.word: word for word in one.words} for one in found]
    largest = max((word.probability or 0.0 for one in found for word in one.words), default=0.0)
    return [_word_line(word, [own.get(word) for own in by_prompt], largest) for word in words]


def _word_line(word: str, found: Sequence[NextWord | None], largest: float) -> WordLine:
    probabilities = [None if one is None else one.probability for one in found]
    ratio = ""
    if len(probabilities) == 2 and probabilities[0] and probabilities[1]:
        ratio = f"{probabilities[0] / probabilities[1]:.2f}"
    reasons = dict.fromkeys(one.unscored for one in found if one is not None and one.unscored)
    shares = tuple(one / largest if one else 0.0 for one in probabilities)
    return WordLine(word, tuple(map(probability, probabilities)), shares, ratio, "; ".join(map(str, reasons)))


def notes(found: Sequence[NextWords]) -> list[str]:
    """What must be known to read the lists."""
    return list(dict.fromkeys(one.note for one in found if one.note))


def unread(found: Sequence[NextWords]) -> str:
    """Why a prompt has no most probable words; empty where all have some."""
    reasons = (word.unscored for one in found for word in one.words if not word.word and word.unscored)
    return next(reasons, "")


def salient(found: Sequence[Saliency], question: Question) -> list[SalientPrompt]:
    """The prompts with their tokens shaded."""
    made = []
    for one, (text, spans) in zip(found, question.prompts(), strict=True):
        shares = one.shares()
        pieces = shaded(text, one.spans, shares, spans) if shares else []
        reason = one.unscored or ("" if shares else "no token has anything to do with it")
        made.append(SalientPrompt(text, one.word, tuple(pieces), reason))
    return made


def prompt_lines(answer: Answer, question: Question) -> list[PromptLine]:
    """The prompts with what was written after each."""
    written = answer.written or [[] for _ in question.prompts()]
    return [PromptLine(text, spans, tuple(own)) for (text, spans), own in zip(question.prompts(), written, strict=True)]


def rated(value: float | None, label: str | None) -> str:
    """A rating as the page shows it."""
    if value is None:
        return NONE
    return f"{value:.3f}".replace("-", "−") + (f", {label}" if label else "")


def bar(share: float) -> int:
    """How long the bar of a share is, in twentieths; whatever is more than nothing has one.

    >>> bar(0.0), bar(0.001), bar(1.0)
    (0, 1, 20)
    """
    return 0 if share <= 0 else max(1, round(20 * min(1.0, share)))
