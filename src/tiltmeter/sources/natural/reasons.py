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


def of_gender(word: str) -> str:
    """The reason where a word tells a gender.

    >>> of_gender("his")
    'a word that reveals a gender: his'
    """
    return f"a word that reveals a gender: {word}"
