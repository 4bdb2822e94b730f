"""Groups that differ in the term alone: a rephrasing stays only where every group has it in the same words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.records import Prompt
from tiltmeter.sources.rephrased.paraphrasing.group import Mentions, mentions_of
from tiltmeter.sources.rephrased.paraphrasing.records import Attempt, Rephrased

NO_COUNTERPART = "no counterpart alike in every group"

Place = tuple[str, str, str, int]
"""Bias, origin, the original without its group, and which of the group's prompts that are alike in these it is."""


def matched(prompts: Sequence[Prompt], found: Sequence[Rephrased]) -> list[Rephrased]:
    """What came of the prompts, with what some group of the bias has not got in the same words dropped.

    "It is [T] who" and "It is the [T] who" are not the same words. `found` is in the order of `prompts`, and has all of
    them: which groups a bias has is read off the prompts.
    """
    groups: dict[str, set[str | None]] = {}
    for prompt in prompts:
        groups.setdefault(prompt.bias, set()).add(prompt.group)
    named = [mentions_of(prompt) for prompt in prompts]
    places = _places(prompts, named)
    having: dict[tuple[Place, str, str], set[str | None]] = {}
    for prompt, mentions, place, one in zip(prompts, named, places, found, strict=True):
        for attempt in one.attempts:
            if mentions and attempt.dropped is None:
                words = without_group(attempt.text, mentions)
                having.setdefault((place, attempt.target, words), set()).add(prompt.group)

    def judged(attempt: Attempt, place: Place, mentions: Mentions | None, wanted: set[str | None]) -> Attempt:
        if mentions is None or attempt.dropped is not None:
            return attempt
        alike = having[place, attempt.target, without_group(attempt.text, mentions)]
        return attempt if alike == wanted else replace(attempt, dropped=NO_COUNTERPART)

    return [
        replace(one, attempts=tuple(judged(each, place, mentions, groups[prompt.bias]) for each in one.attempts))
        for prompt, mentions, place, one in zip(prompts, named, places, found, strict=True)
    ]


def without_group(text: str, mentions: Mentions) -> str:
    """The text with one stand-in for the group, whether it is a name, one person or several; a plural shows.

    >>> without_group("There was an Asian man who", Mentions("Asian man", 1))
    'There was a [T] who'
    >>> without_group("There were Asian men who", Mentions("Asian man", 1))
    'There were [T]s who'
    """
    result = text
    for start, end in reversed(mentions.spans(text)):
        same = re.sub(r"[\W_]+", " ", text[start:end]).casefold() == re.sub(r"[\W_]+", " ", mentions.form).casefold()
        result = f"{result[:start]}{'[T]' if same else '[T]s'}{result[end:]}"
    return re.sub(r"\b([Aa])n (?=\[T\])", r"\1 ", result)


def _places(prompts: Sequence[Prompt], named: Sequence[Mentions | None]) -> list[Place]:
    """Where each prompt stands: two terms of one group in one template have two places, in the order of the prompts."""
    before: Counter[tuple[str, str, str, str | None]] = Counter()
    places = []
    for prompt, mentions in zip(prompts, named, strict=True):
        frame = without_group(prompt.text, mentions) if mentions else prompt.text
        place = before[prompt.bias, prompt.origin, frame, prompt.group]
        before[prompt.bias, prompt.origin, frame, prompt.group] += 1
        places.append((prompt.bias, prompt.origin, frame, place))
    return places
