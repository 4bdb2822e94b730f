"""Sentences as a parser can read them: without citations, asides in brackets and odd signs, one at a time."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from tiltmeter.sources.natural.restating import head_of_entry, restated

_SIGNS = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "\u00a0": " ", "\u200b": "", "\u00ad": ""})
_CITATION = re.compile(r"\s*\[(?:\d+|[a-z]|note \d+|citation needed|who\?|clarification needed)\]", re.IGNORECASE)
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_OPEN_ASIDE = re.compile(r"\s*[(\[][^)\]]*$")
_LOST = re.compile(r"[()\[\]]")
_OTHER_NAMES = re.compile(
    r"^((?:[^,]{0,40}, )?(?:an?|the) [^,;:–—]{2,50}?)(?:,| –| —) (?=[^.;:]{0,160}\b(?:known|referred|called|termed|"
    r"abbreviated|shortened|spelled|titled)\b)[^.;:]{4,200}?(?:,| –| —) (?=(?:is|are) )",
    re.IGNORECASE,
)
# "…apprentice tradition.Silversmiths in…": where a heading was, the space is missing.
_GLUED = re.compile(r"(?<=[a-z\d\"')])([.!?])(?=[A-Z][a-z])")
_END = re.compile(r"(?<=[.!?])[\"')]*\s+(?=[\"'(]?[A-Z0-9])")
_SHORT = re.compile(r"\b(?:e\.g|i\.e|cf|etc|vs|Mr|Mrs|Ms|Dr|Prof|St|Jr|Sr|No|approx|ca|U\.S|U\.K|[A-Z])\.$")


_MARKER = re.compile(r"^(?:[-*•·▪◦‣–—]|#{1,6}|\(?\d{1,3}[.)])\s+")
"""What stands before an item of a list or a heading."""
_READER = re.compile(r"(?<=[a-z] )(?:your|you)\b(?!'|-)")
"""Whoever reads it, in "takes care of your teeth": anybody."""
_NESTED = 8
_NEAR = 40
"""Characters before the end of a sentence in which an abbreviation is looked for."""


@dataclass(frozen=True, slots=True)
class Clean:
    """One sentence as given and as cleaned, and what was done."""

    given: str
    text: str
    steps: tuple[str, ...]


def clean(text: str) -> Clean:
    """A sentence without what a reader would pass over.

    >>> clean("A smith[3] (IPA: /smɪθ/) is “somebody” who works metal  (cf.").text
    'A smith is "somebody" who works metal'
    >>> clean("3. Smith (n.): one who works metal").text
    'A smith is one who works metal'
    >>> clean("An ant, also known as an emmet or a pismire, is small.").text
    'An ant is small.'
    """
    steps: list[str] = []
    plain = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text).translate(_SIGNS)).strip()
    plain = _MARKER.sub("", plain).replace("**", "").replace("__", "")
    plain = _plainly(plain, steps)
    for pattern, step in ((_CITATION, "removed a citation"), (_ASIDE, "removed an aside in brackets")):
        shorter = pattern.sub("", plain)
        for _ in range(_NESTED if pattern is _ASIDE else 0):
            # An aside in an aside.
            shorter = pattern.sub("", shorter)
        if shorter != plain:
            steps.append(step)
        plain = shorter
    shorter = _LOST.sub("", _OPEN_ASIDE.sub("", plain))
    if shorter != plain:
        steps.append("removed an aside that is never closed")
    plain = re.sub(r"\s+([,.;:])", r"\1", re.sub(r"\s+", " ", shorter)).strip()
    plain = re.sub(r",(?:\s*,)+", ",", plain)
    shorter = _OTHER_NAMES.sub(r"\1 ", plain)
    if shorter != plain:
        steps.append("removed other names of the profession")
    shorter = _READER.sub(lambda found: "people's" if found[0].lower() == "your" else "people", shorter)
    first, semicolon, _ = _plainly(shorter, steps).partition(";")
    if semicolon:
        steps.append("removed the part after a semicolon")
    return Clean(text, first.strip(), tuple(steps))


def _plainly(text: str, steps: list[str]) -> str:
    said = restated(text)
    if said is None:
        return text
    steps.append(f"put into the plain form: {said}")
    return said


def is_item(text: str) -> bool:
    """Whether a line is an item of a list, or an entry of a dictionary or a glossary: whatever it starts with, it does
    not go on from the line before.

    >>> is_item("- hats"), is_item("hatter, n. a person who makes hats"), is_item("made hats for a person")
    (True, True, False)
    """
    return _MARKER.match(text) is not None or head_of_entry(text) > 0


def split(text: str) -> list[str]:
    """The sentences of a passage; a line break ends one, and so does a full stop that lost its space.

    >>> split("A smith works metal.Smiths were many, e.g. Ann. Dr. Bell\\nis no smith.")
    ['A smith works metal.', 'Smiths were many, e.g. Ann.', 'Dr. Bell', 'is no smith.']
    """
    found: list[str] = []
    for line in text.splitlines():
        spaced = _GLUED.sub(r"\1 ", line.strip())
        start, head = 0, head_of_entry(spaced)
        for end in _END.finditer(spaced):
            near = spaced[max(start, end.start() - _NEAR) : end.start()]
            if end.end() > head and not _SHORT.search(near.rstrip("\"')")):
                found.append(spaced[start : end.end()].strip())
                start = end.end()
        found.append(spaced[start:].strip())
    return [sentence for sentence in found if sentence]
