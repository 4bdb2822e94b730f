"""Whether a closed question asks for what the prompt leaves out: what its first word asks, and what stands at its end.

"What was the visitor known for?" asks for what follows *for*. "What was the visitor told to?" and "What did they stop
the visitor because?" end in a word that calls for a verb or a clause, and *what* asks for neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tiltmeter.english import CONJUNCTIONS, DETERMINERS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = (
    CONJUNCTIONS
    | DETERMINERS
    | _words("until till since than before during despite per via lest whereas my your his our their its")
    | _words("will would can could should may might must shall")
)
"""What a clause, a verb or a noun has to follow."""
_TAKES_TO = _words(
    "related relate similar close closely belong listen speak talk refer object respond reply react contribute lead "
    "introduce compare devote devoted dedicate dedicated commit committed attach attached connect connected link "
    "linked adapt adjust apply appeal attend cater cling confess conform consent correspond expose exposed opposed "
    "oppose married marry resort return stick submit superior inferior equal equivalent identical accustomed "
    "allergic immune sensitive attribute ascribe assign forward attracted loyal faithful grateful kind cruel rude "
    "polite sell write"
)
"""Verbs and adjectives whose *to* is a preposition, so that it may be last; after others it calls for a verb."""


def asks_wrongly(words: list[Any], breaks_off: str) -> bool:
    """Whether a question or pseudo-cleft asks with the wrong word, or ends in one that nothing follows.

    `words` are the tokens (of spaCy) without what closes it: the mark, or the form of be. Only *why* asks for what
    *because* leaves open, and it asks for nothing else.
    """
    if not words:
        return True
    first, last = words[0].lower_, words[-1]
    if (first == "why") != (breaks_off == "because"):
        return True
    if last.lower_ == "to":
        return not takes_to(last, words[-2:-1])
    return last.lower_ in _NEVER_LAST


def takes_to(last: Any, before: Sequence[Any]) -> bool:
    """Whether a *to* is a preposition, by what it belongs to and the word before it; otherwise a verb follows."""
    near = {form for token in [last.head, *before] for form in (token.lower_, token.lemma_.lower())}
    return bool(near & _TAKES_TO) and not any(token.lower_ == "how" for token in before)
