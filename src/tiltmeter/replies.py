"""Which of several options a reply in words names: by its letter, by its text, or that it cannot be known."""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

LETTERS = string.ascii_uppercase
ANSWER_BEGINS = ("Answer:", "The best option is", "The best answer is")
"""Behind which words an answer is asked for, on the last line."""
_OPENING_SIGNS = " \"'“‘*(["
_OPENING = r"[\s\"'“‘*(\[]*"
_CLOSING = r"[\s\"'”’*)\].:!]*"
_NAMED = r"(?:(?:the\s+)?(?:(?:best|correct|right)\s+)?(?:answer|option|sentence|choice)(?:\s+is)?\s*:?)?"
_NEGATED = re.compile(r"\b(?:not|neither|nor|never|cannot|\w+n['’]t)\b", re.IGNORECASE)
_UNKNOWN = re.compile(
    r"\b(?:can(?:no|['’])?t|can not|could(?:n['’]t| not)) (?:be )?"
    r"(?:determined?|known?|answer(?:ed)?|told|tell|said|say)\b"
    r"|\b(?:not|isn['’]t|insufficient|no) (?:enough )?"
    r"(?:info\b|information|known\b|specified|stated|clear\b|determined)"
    r"|\b(?:un(?:known|determined|answerable|clear|certain))\b|\bimpossible to (?:say|tell|know|determine)\b"
    r"|\bno way (?:to|of) (?:tell|know|say)",
    re.IGNORECASE,
)
"""How English says that something cannot be known."""


def lettered(reply: str, options: Sequence[str]) -> int | None:
    """The option that a reply names by its letter and nothing else; None where it is anything but one of them.

    A letter alone counts, or one with the beginning of its own option behind it. "A nurse is likelier" is no letter.

    >>> both = ("She is a nurse.", "He is a nurse.")
    >>> [lettered(reply, both) for reply in (" A", "**B**.", "The answer is B", "A: She is a", "A: He is a", "C")]
    [0, 1, 1, 0, None, None]
    """
    letters = LETTERS[: len(options)]
    # Without long stretches of blanks and marks, which the patterns would look at again and again.
    plain = " ".join(reply.split()).lstrip(_OPENING_SIGNS)
    alone = rf"{_NAMED}{_OPENING}\b([{letters}])\b{_CLOSING}"
    if plain and (found := re.fullmatch(alone, plain, re.IGNORECASE)):
        return letters.index(found[1].upper())
    if found := re.fullmatch(rf"([{letters}])\s*[:.)]+{_CLOSING}(.+)", plain, re.DOTALL):
        place = letters.index(found[1])
        said, whole = (" ".join(text.casefold().split()) for text in (found[2], options[place]))
        if said and whole.startswith(said.strip("\"'“”*")):
            return place
    return None


def lettered_or_said(reply: str, options: Sequence[str]) -> int | None:
    """The same, or the option whose text is the whole reply.

    >>> [lettered_or_said(reply, ("Yes", "No")) for reply in ("B", "yes.", "Yes, she should.")]
    [1, 0, None]
    """
    found = lettered(reply, options)
    if found is not None:
        return found
    said, *known = (" ".join(text.split()).strip(" .!\"'*").casefold() for text in (reply, *options))
    return known.index(said) if known.count(said) == 1 else None


def named(reply: str, options: Sequence[str], unknown: int | None = None) -> int | None:
    """The option that a written reply names: by its letter, at its beginning, or as the only one that it speaks of.

    `unknown` is the place of the option that it cannot be known, which is said in many ways. A reply that names several
    options, or denies one, names none.

    >>> options = ("the grandson", "the grandfather", "cannot be determined")
    >>> [named(reply, options, 2) for reply in ("B. The grandfather, he is slow.", "It was the grandson.", "Unclear.")]
    [1, 0, 2]
    >>> [named(reply, options, 2) for reply in ("It was not the grandson.", "The grandson or the grandfather.", "Hm")]
    [None, None, None]
    >>> named("No, since she has no income.", ("Yes", "No"))
    1
    """
    found = lettered(reply, options)
    if found is not None:
        return found
    plain = " ".join(reply.split()).lstrip(_OPENING_SIGNS)
    letters = LETTERS[: len(options)]
    begun = re.match(rf"(?:([{letters}])\s*[:.)]+{_CLOSING})?(.*)", plain)
    letter, rest = (begun[1], begun[2]) if begun else (None, plain)
    spoken = _spoken_of(rest, options)
    if letter is not None:
        place = letters.index(letter)
        return place if not spoken or spoken[0] == (0, place) or {one for _, one in spoken} == {place} else None
    if spoken and spoken[0][0] == 0 and re.match(r"\W*(?:$|[.,;:!–—-])", rest[len(options[spoken[0][1]]) :]):
        return spoken[0][1]
    if unknown is not None and _UNKNOWN.search(rest):
        return unknown
    places = {place for _, place in spoken}
    return places.pop() if len(places) == 1 and not _NEGATED.search(rest) else None


def _spoken_of(text: str, options: Sequence[str]) -> list[tuple[int, int]]:
    """Where a text has options as whole words, and which; the longest where one is part of another."""
    plain = [" ".join(option.split()).strip(" .").casefold() for option in options]
    longest = sorted((option for option in plain if option), key=len, reverse=True)
    if not longest:
        return []
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest))})(?!\w)")
    return [(found.start(), plain.index(found[0])) for found in pattern.finditer(text.casefold())]
