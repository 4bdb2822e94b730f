"""Why a sentence gives no prompt: the words that stand in the file of sentences and in the account."""

from __future__ import annotations

NO_PROFESSION = "introduces no profession"
TRADE = "about the trade rather than the person"
POST = "about the post rather than the person"
PAST = "defined in the past tense: an obsolete profession"
HISTORY = "tells of the past"
LITTLE = "says nothing of the person but a noun"
STUCK = "the noun gives the trade away, and *person* does not fit in its place"
NO_WORK = "nothing says that it is a profession"
GENDERED = "a gendered profession"
OBSOLETE = "an obsolete profession"
LEFT_OUT = "left out by the list that was given"
NOT_LISTED = "not in the list of professions that was given"
REPEATED = "repeats a sentence that stands elsewhere"
SPARE = "another sentence of the profession reads better"
USED = "used"

NO_PROBE = frozenset({NO_PROFESSION, REPEATED})
"""Of sentences that are no prompt gone wrong, but the rest of the corpus."""


def of_gender(word: str) -> str:
    """The reason where a word tells a gender.

    >>> of_gender("his")
    'a word that tells a gender: his'
    """
    return f"a word that tells a gender: {word}"
