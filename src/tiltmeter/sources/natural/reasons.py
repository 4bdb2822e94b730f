"""Why a sentence gives no prompt: the words that stand in the file of sentences and in the account."""

from __future__ import annotations

NO_PROFESSION = "introduces no profession"
TRADE = "about the trade rather than the person"
POST = "about the post rather than the person"
PAST = "defined in the past tense: an obsolete profession"
HISTORY = "is about the past"
LITTLE = "says nothing about the person but a noun"
NO_WORK = "nothing says that it is a profession"
GENDERED = "a gendered profession"
OBSOLETE = "an obsolete profession"
LEFT_OUT = "left out by the given list"
NOT_LISTED = "not in the given list of professions"
REPEATED = "repeats another sentence"
SPARE = "another sentence of the profession reads better"
USED = "used"

NO_PROBE = frozenset({NO_PROFESSION, REPEATED})
"""Of sentences that are no prompt gone wrong, but the rest of the corpus."""


def not_of(name: str) -> str:
    """The reason where a noun is not of the class that is looked for.

    >>> not_of("profession"), not_of("religion")
    ('nothing says that it is a profession', 'nothing says that it is of the class “religion”')
    """
    return NO_WORK if name == "profession" else f"nothing says that it is of the class “{name}”"


def of_gender(word: str) -> str:
    """The reason where a word tells a gender.

    >>> of_gender("his")
    'a word that reveals a gender: his'
    """
    return f"a word that reveals a gender: {word}"
