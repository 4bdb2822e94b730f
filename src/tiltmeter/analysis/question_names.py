"""What a text in plain words names: the groups of a question, and where; its bias."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tiltmeter.analysis.questions import Question

_PLURALS = {"women": "woman", "men": "man", "people": "person", "children": "child", "wives": "wife"}
GROUP_WORDS = {"male": ("man", "boy", "he", "him", "his"), "female": ("woman", "girl", "she", "her", "hers")}
"""Words for groups that are called the same almost everywhere."""
_MARKS = re.compile(r"\b(than|versus|vs|unlike|(?:compared|comparison|relative) (?:with|to|against))\b")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, in the singular as far as that is easily told.

    >>> words_of("Women's texts, and African-American men")
    ['woman', 'text', 'and', 'african', 'american', 'man']
    """
    found = re.findall(r"\w+", re.sub(r"['’]s\b", "", text.casefold()).replace("_", " "))
    return [_singular(word) for word in found]


def named_groups(question: Question, words: Sequence[str]) -> int:
    """How many of the two groups are named."""
    return sum(map(bool, places_of(question, words)))


def masked(question: Question, words: Sequence[str]) -> list[str]:
    """The words with those that name a group left blank: "lower class" asks for nothing lower."""
    named = {at for places in _spans(question, words) for start, end in places for at in range(start, end)}
    return ["" if at in named else word for at, word in enumerate(words)]


def places_of(question: Question, words: Sequence[str]) -> tuple[list[int], list[int]]:
    """Where each of the two groups is named."""
    first, second = _spans(question, words)
    return [start for start, _ in first], [start for start, _ in second]


def _spans(question: Question, words: Sequence[str]) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """From where to where each group is named; a word that stands for both names neither, the longer name wins."""
    if not question.first:
        return [], []
    names = [
        {tuple(words_of(name)) for name in (group, *terms, *GROUP_WORDS.get(group.casefold(), ()))}
        for group, terms in zip((question.first, question.second), question.terms, strict=True)
    ]
    own = (names[0] - names[1], names[1] - names[0])
    first, second = ([(at, at + len(name)) for name in each for at in _found(name, words)] for each in own)
    every = first + second

    def whole(span: tuple[int, int]) -> bool:
        return not any(other != span and other[0] <= span[0] and span[1] <= other[1] for other in every)

    return [span for span in first if whole(span)], [span for span in second if whole(span)]


def bias_score(question: Question, words: Sequence[str]) -> int:
    """How many words of the name or a title of the bias are there; more for a name that stands there whole."""
    best = 0
    for name in (question.bias, *question.titles):
        parts = tuple(words_of(name))
        whole = 100 if _found(parts, words) else 0
        best = max(best, whole + sum(len(part) > 3 and part in words for part in set(parts)))
    return best


def marks_of(words: Sequence[str]) -> list[int]:
    """Where a comparison says what something is held against."""
    text = " ".join(words)
    return [text.count(" ", 0, found.start()) for found in _MARKS.finditer(text)]


def held_against(question: Question, words: Sequence[str]) -> str:
    """The group that stands after "than" or "compared with", wherever in the sentence that is; blank where none does.

    >>> held_against(Question("m", "continuations", "gender", "male", "female"), "than man be woman lower".split())
    'male'
    """
    first, second = places_of(question, words)
    for mark in marks_of(words):
        if after := [at for at in (*first, *second) if at > mark]:
            return question.first if min(after) in first else question.second
    return ""


def _found(name: tuple[str, ...], words: Sequence[str]) -> list[int]:
    length = len(name)
    return [at for at in range(len(words) - length + 1) if name and tuple(words[at : at + length]) == name]


def _singular(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    plain = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plain else word
