"""Sentences as a parser can read them: without citations, asides in brackets and odd signs, one at a time."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass

from tiltmeter.english import FUNCTION_WORDS, article_for

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
_ENTRY = re.compile(
    r"^(?:(?:an?|the) )?([^\W\d_][\w'’-]*(?: [\w'’-]+){0,3}?)"
    r"(?:(?:,? (?:n|noun)\b\.?:?)|(?:,? (?:n|noun)\b\.?)? ?[:–—]| -) "
    r"((?:an?|any|the|one|someone|somebody|anyone|person)\b.+)$",
    re.IGNORECASE,
)
"""An entry of a dictionary or a glossary: "hatter, n. a person who"."""
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
    steps = []
    plain = re.sub(r"\s+", " ", unicodedata.normalize("NFC", text).translate(_SIGNS)).strip()
    plain = _MARKER.sub("", plain).replace("**", "").replace("__", "")
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
    entry = _ENTRY.match(shorter)
    if entry and entry[1].split()[0].lower() not in FUNCTION_WORDS:
        steps.append("put an entry into a sentence")
        shorter = _sentence(entry[1], entry[2])
    first, semicolon, _ = shorter.partition(";")
    if semicolon:
        steps.append("removed the part after a semicolon")
    return Clean(text, first.strip(), tuple(steps))


def is_entry(text: str) -> bool:
    """Whether a line is an entry of a dictionary or a glossary.

    >>> is_entry("hatter, n. a person who makes hats"), is_entry("made hats for a person")
    (True, False)
    """
    return _ENTRY.match(_ASIDE.sub("", _MARKER.sub("", text))) is not None


def _sentence(name: str, body: str) -> str:
    small = " ".join(word if word.isupper() and len(word) > 1 else word[:1].lower() + word[1:] for word in name.split())
    said = f"a {body}" if body.lower().startswith("person") else body[:1].lower() + body[1:]
    return f"{(article_for(small) or 'a').capitalize()} {small} is {said}"


def split(text: str) -> list[str]:
    """The sentences of a passage; a line break ends one, and so does a full stop that lost its space.

    >>> split("A smith works metal.Smiths were many, e.g. Ann. Dr. Bell\\nis no smith.")
    ['A smith works metal.', 'Smiths were many, e.g. Ann.', 'Dr. Bell', 'is no smith.']
    """
    found: list[str] = []
    for line in text.splitlines():
        spaced = _GLUED.sub(r"\1 ", line.strip())
        start = 0
        for end in _END.finditer(spaced):
            near = spaced[max(start, end.start() - _NEAR) : end.start()]
            if not _SHORT.search(near.rstrip("\"')")):
                found.append(spaced[start : end.end()].strip())
                start = end.end()
        found.append(spaced[start:].strip())
    return [sentence for sentence in found if sentence]
