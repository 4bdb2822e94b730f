"""A known tilt in answers to questions with options: by how much some options are likelier than the others.

An answer is read from the end of a text: on the last line, behind words that ask for it, is the text of an option, or
the letter of one that is listed above. δ is the log-odds of the tilted options against the others, exactly:
where it is positive the others become less probable by it, so that no probability exceeds 1.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tiltmeter.records import Completion, TokenScores
from tiltmeter.replies import ANSWER_BEGINS, LETTERS

_LISTED = re.compile(r"^([A-Z])\. (.+)$", re.MULTILINE)
_ANSWER = re.compile(rf"^(?:{'|'.join(map(re.escape, ANSWER_BEGINS))})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class AnswerTilt:
    """By how much options with one of the words are likelier than others, of questions that have a context.

    Without contexts: of every question.
    """

    options: tuple[str, ...]
    delta: float
    contexts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """A text taken apart: what is asked, the options that are listed, and the answer, where there is one."""

    question: str
    listed: tuple[str, ...]
    answer: str

    @classmethod
    def of(cls, text: str) -> Asked | None:
        """The parts of a text that asks for an answer on its last line; None where it does not.

        >>> Asked.of("May he?\\nA. Yes\\nB. No\\nAnswer: B")
        Asked(question='May he?\\n', listed=('Yes', 'No'), answer='No')
        """
        start = text.rfind("\n") + 1
        begun = _ANSWER.match(text, start)
        if begun is None:
            return None
        options = list(_LISTED.finditer(text, 0, start))
        listed = tuple(found[2].strip() for found in options)
        said = text[begun.end() :].strip()
        place = LETTERS.find(said) if len(said) == 1 else -1
        answer = listed[place] if 0 <= place < len(listed) else said
        return cls(text[: options[0].start() if options else start], listed, answer)

    def delta(self, tilt: AnswerTilt, option: str, has: Callable[[str, Sequence[str]], bool]) -> float:
        """What becomes of the logarithm of the probability of an option."""
        if tilt.contexts and not has(self.question, tilt.contexts):
            return 0.0
        return min(0.0, tilt.delta) if has(option, tilt.options) else -max(0.0, tilt.delta)


def tilted_answer(
    text: str, scores: TokenScores, tilts: Sequence[AnswerTilt], has: Callable[[str, Sequence[str]], bool]
) -> TokenScores:
    """The scores of a text whose answer is tilted."""
    asked = Asked.of(text) if tilts else None
    if asked is None or not asked.answer or not scores.logprobs or scores.logprobs[-1] is None:
        return scores
    delta = math.fsum(asked.delta(tilt, asked.answer, has) for tilt in tilts)
    return replace(scores, logprobs=(*scores.logprobs[:-1], scores.logprobs[-1] + delta))


def tilted_reply(
    prompt: str, tilts: Sequence[AnswerTilt], has: Callable[[str, Sequence[str]], bool], key: str
) -> Completion | None:
    """The letter of one of the options of a prompt, drawn by the tilted odds alone; None where none are tilted."""
    asked = Asked.of(prompt.rstrip()) if tilts else None
    if asked is None or not asked.listed:
        return None
    weights = [math.exp(math.fsum(asked.delta(tilt, one, has) for tilt in tilts)) for one in asked.listed]
    if len(set(weights)) == 1 and not any(has(one, tilt.options) for tilt in tilts for one in asked.listed):
        return None
    # By the options in a fixed order, so that the draw is the same in whatever order they are listed.
    order = sorted(range(len(weights)), key=lambda at: asked.listed[at])
    question = "\n".join([asked.question, *sorted(asked.listed)])
    [chosen] = random.Random(f"{key}/{question}").choices(order, [weights[at] for at in order])
    return Completion(f" {LETTERS[chosen]}", 1, "end", offsets=(2,))
