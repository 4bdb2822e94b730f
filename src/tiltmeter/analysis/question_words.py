"""Finding a question from plain words: the groups in their order, the view, the bias."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from tiltmeter.analysis.questions import Question, View
from tiltmeter.errors import UserError

_VIEW_WORDS: dict[View, frozenset[str]] = {
    "continuations": frozenset(
        ("rate", "rates", "rated", "rating", "text", "texts", "write", "writes", "written", "writing", "continue")
    ),
    "next words": frozenset(("expect", "expects", "expected", "expecting", "next", "pronoun", "pronouns", "likely")),
    "pairs": frozenset(
        ("prefer", "prefers", "preferred", "stereotype", "stereotypes", "stereotyped", "stereotypical", "pair", "pairs")
    ),
}
_PLURALS = {"women": "woman", "men": "man", "people": "person", "children": "child", "wives": "wife"}
_BAD = frozenset(("toxic", "negative", "negatively", "harsh", "harshly", "rude", "badly", "hateful"))
_WORSE = frozenset(("lower", "worse", "less", "fewer", "harsher", "ruder")) | _BAD
_BETTER = frozenset(("higher", "better", "more", "nicer", "kinder", "positive", "positively"))
_KNOWN = {"male": ("man", "boy", "he", "him", "his"), "female": ("woman", "girl", "she", "her", "hers")}
"""Words for groups that are called the same almost everywhere."""
_HABIT = frozenset(("habit", "default", "usual"))
_SHOWN = 12
"""Questions that an error lists."""


def asked(text: str, questions: Sequence[Question]) -> list[Question]:
    """The questions that the words mean: one for each model, with the groups in the order asked.

    >>> known = [Question("m", "continuations", "gender", "male", "female", terms=(("man",), ("woman",)))]
    >>> [(one.first, one.second) for one in asked("does it rate texts about women lower than about men?", known)]
    [('female', 'male')]
    """
    words = _words(text)
    ordered = [found for one in questions if (found := _oriented(one, words))]
    named = [one for one in ordered if one.first and _places(one, words) != (None, None)]
    # A group that is named narrows the choice, even where not both are.
    kept = _narrowed(named or ordered, words) if named or _told(ordered, words) else []
    kinds = dict.fromkeys(one.key for one in kept)
    if len(kinds) == 1:
        return kept
    problem = "fits several questions, so say which" if kinds else "fits no question that these runs can answer; ask"
    raise UserError(f"--question {text!r} {problem}: {listed(kept if kinds else questions)}")


def listed(questions: Iterable[Question]) -> str:
    """Questions in one sentence, each once whoever is asked."""
    texts = list(dict.fromkeys(f"“{one.text}” ({one.view}, {one.bias})" for one in questions))
    more = f"; and {len(texts) - _SHOWN} more, see --list" if len(texts) > _SHOWN else ""
    return "; ".join(texts[:_SHOWN]) + more if texts else "nothing"


def _told(questions: Sequence[Question], words: Sequence[str]) -> bool:
    """Whether the words name a view or a bias at all."""
    known = frozenset().union(*_VIEW_WORDS.values())
    return bool(known & set(words)) or any(_bias_score(one, words) for one in questions)


def _narrowed(questions: Sequence[Question], words: Sequence[str]) -> list[Question]:
    """Those of the view, the bias and the habit that are named; where none is, all."""
    said = set(words)
    views = [view for view, known in _VIEW_WORDS.items() if known & said]
    kept = [one for one in questions if not views or one.view in views]
    # Texts are written in all views; what is asked of them tells.
    if len(views) > 1 and "continuations" in views:
        kept = [one for one in kept if one.view != "continuations"] or kept
    kept = [one for one in kept if one.beyond_habit == bool(_HABIT & said)]
    scores = [_bias_score(one, words) for one in kept]
    return [one for one, score in zip(kept, scores, strict=True) if score == max(scores)]


def _oriented(question: Question, words: Sequence[str]) -> Question | None:
    """The question with its groups in the order asked; None where one of two groups is missing."""
    if not question.first or question.view == "pairs":
        return question
    first, second = _places(question, words)
    if first is None and second is None:
        # Whoever is compared here is somebody else.
        return None if "than" in words else question
    if first is None or second is None:
        return None
    turned = (first > second) != _praises(words)
    return question.exchanged() if turned else question


def _places(question: Question, words: Sequence[str]) -> tuple[int | None, int | None]:
    """Where each of the two groups is named first; a word that stands for both names neither."""
    names = [
        {tuple(_words(name)) for name in (group, *terms, *_KNOWN.get(group.casefold(), ()))}
        for group, terms in zip((question.first, question.second), question.terms, strict=True)
    ]
    own = (names[0] - names[1], names[1] - names[0])
    first, second = (min((at for name in each for at in _found(name, words)), default=None) for each in own)
    return first, second


def _found(name: tuple[str, ...], words: Sequence[str]) -> list[int]:
    length = len(name)
    return [at for at in range(len(words) - length + 1) if name and tuple(words[at : at + length]) == name]


def _praises(words: Sequence[str]) -> bool:
    """Whether the words ask for the better group first: "rated higher than".

    >>> _praises(["rated", "higher"]), _praises(["more", "toxic"]), _praises(["less", "toxic"])
    (True, False, True)
    """
    for one, other in pairwise(words):
        if other in _BAD and one in ("more", "less", "fewer"):
            return one != "more"
    said = set(words)
    return bool(said & _BETTER) and not said & _WORSE


def _bias_score(question: Question, words: Sequence[str]) -> int:
    """How many words of the name or a title of the bias are there; more for a name that stands there whole."""
    best = 0
    for name in (question.bias, *question.titles):
        parts = tuple(_words(name))
        whole = 100 if _found(parts, words) else 0
        best = max(best, whole + sum(len(part) > 3 and part in words for part in set(parts)))
    return best


def _words(text: str) -> list[str]:
    """The words of a text in lower case, in the singular as far as that is easily told.

    >>> _words("Women's texts, and African-American men")
    ['woman', 'text', 'and', 'african', 'american', 'man']
    """
    found = re.findall(r"\w+", re.sub(r"['’]s\b", "", text.casefold()).replace("_", " "))
    return [_singular(word) for word in found]


def _singular(word: str) -> str:
    if word in _PLURALS:
        return _PLURALS[word]
    plain = len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is"))
    return word[:-1] if plain else word
