"""The labels that BBQ gives people, in one spelling, and which of two answers is about the stereotyped group.

The published files say the same in many ways: `F`, `woman` and `girl`; `low SES` and `lowSES`; `nonTrans_M`,
`lowSES-F-Black`, `M-white`, `MiddleEast`. What is not said is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from tiltmeter.sources import nouns

UNKNOWN = "unknown"
"""How BBQ labels the answer that it cannot be known."""

_ENDS = ("women", "men")
_TRANS = "trans"
_SPELLED = {
    **dict.fromkeys(("f", "female", "woman", "women", "girl", "girls"), "women"),
    **dict.fromkeys(("m", "male", "man", "men", "boy", "boys"), "men"),
    **dict.fromkeys(("transgender", "trans"), _TRANS),
    **dict.fromkeys(("hispanic", "white", "black"), ""),
}
"""Words in one spelling; blank: with a capital."""
_JOINED = re.compile(r"^(?:[fm]|(?:low|high)\s?ses|(?:non\s?)?trans)$", re.IGNORECASE)
"""What a hyphen or underscore joins to the next label: in `African-American` it joins nothing."""
_PEOPLE = frozenset({"person", "people", "individual", "individuals", "one", "the", "a", "an"})
_NOT = frozenset({"non", "not", "no"})
_DISABLED = "Disability_status"


def group_of(label: str) -> str:
    """A label in one spelling, as a name of a group.

    >>> [group_of(label) for label in ("F-Black", "nonOld", "lowSES-M-white", "nonTrans_F", "MiddleEast")]
    ['Black women', 'not old', 'low SES White men', 'not trans women', 'Middle East']
    """
    parts = _parts(label)
    return " ".join([*(one for one in parts if one not in ("women", "men")), *(one for one in parts if one in _ENDS)])


def target(answers: Sequence[tuple[str, str]], stereotyped: Sequence[str], category: str = "") -> int | None:
    """Which of two answers, each a name and its label, is about the stereotyped group; None where that is not said.

    >>> target([("grandson", "nonOld"), ("grandfather", "old")], ["old"])
    1
    >>> target([("Black woman", "F-Black"), ("Black man", "M-Black")], ["Black", "African American"]) is None
    True
    """
    # The authors' own analysis takes whoever has a disability, whichever the row names.
    wanted = [*stereotyped, "disabled"] if category == _DISABLED else stereotyped
    about = [any(_is_of(name, label, one) for one in wanted) for name, label in answers]
    return about.index(True) if about.count(True) == 1 else None


def _is_of(name: str, label: str, stereotyped: str) -> bool:
    """Whether an answer is of a stereotyped group; a group of two (`trans women`) has both among its labels."""
    wanted, said = _identities(stereotyped), _identities(label)
    if _TRANS in wanted:
        return _TRANS in said
    return bool(wanted) and (wanted <= said or wanted <= _identities(name) | said)


def _identities(text: str) -> frozenset[str]:
    """The labels as they are compared: of one person, whatever the case."""
    kept = {*_ENDS, _TRANS}
    return frozenset(one if one in kept else nouns.singular(one.replace("-", " ")).casefold() for one in _parts(text))


@cache
def _parts(text: str) -> tuple[str, ...]:
    """The labels that one joins, each in one spelling."""
    # "lowSES" and "MiddleEast" are two words, and so is "nonOld", which names nothing.
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    if text[:1].islower():
        spaced = re.sub(r"(?<= )[A-Z](?=[a-z])", lambda sign: sign[0].lower(), spaced)
    made: list[str] = []
    for piece in spaced.split("_"):
        rest = piece
        while (found := re.match(r"([^-]+)-(.+)", rest)) and _JOINED.match(found[1].strip()):
            made += _words(found[1])
            rest = found[2]
        made += _words(rest)
    return tuple(dict.fromkeys(made))


def _words(piece: str) -> list[str]:
    """The labels in the words of a piece: its gender, and the rest."""
    words = [word for word in re.split(r"\s+", piece.strip()) if word and word.casefold() not in _PEOPLE]
    if words and words[0].casefold() in _NOT:
        return [" ".join(["not", *words[1:]])]
    spelled = [_SPELLED.get(word.casefold(), word) or word.capitalize() for word in words]
    apart = [word for word in spelled if word in (*_ENDS, _TRANS)]
    rest = " ".join(word for word in spelled if word not in apart)
    return [*([rest] if rest else []), *apart]
