"""Readability: how many years of school a text asks for, by two published formulas.

Computed here, because the usual packages need a download or a word list under another licence. A word is a run of
letters and digits with inner apostrophes and hyphens; a sentence ends at `.`, `!`, `?` or `…`, and a text has at least
one. Abbreviations are not known: "Dr. Smith left." counts as two sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from tiltmeter.raters.interface import ENGLISH, rate_each
from tiltmeter.records import Rating

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_SENTENCE_END = re.compile(r"(?<![.!?…])[.!?…]+[\"'”’)\]]*(?=\s|$)")
# Endings that are written with a vowel and not spoken with one: "moved", "times", "likely", "statement".
_SILENT_ED = re.compile(r"(?<=[^aeiouytd])ed$")
_SILENT_ES = re.compile(r"(?<=[^aeiouy])(?<![sxzcg])(?<!sh)(?<!ch)es$")
_SILENT_E = re.compile(r"(?<=[aeiouy][^aeiouyl])e(?=ly$|ment$|ness$|ful$|less$|$)|(?<=[aeiouy]l)e(?=ly$|ment$|ness$|$)")
_FINAL_E = re.compile(r"(?<![^aeiouy]l)(?<=[^aeiouy])e$")
_VOWELS = re.compile(r"[aeiouy]+")
_SILENT_INSIDE = re.compile(r"^(som|hom|hous|tim|lif|car)e(?=[^aeiouydrs])")
# Two vowels that are spoken apart: "pi-ano", "qui-et", "sci-ence", "vide-o", "cre-ate", "situ-ation", "be-ing".
_APART = re.compile(
    r"(?<![ctsgx])i(?:a(?!g)|u)|(?<![ctsgxln])io|(?<![ct])ie(?=t|n[ct])|(?<=sc)ie(?=n)|gie(?=n)|eo(?!u|p|n|rg)|eu(?=m)"
    r"|(?<=cr)ea(?=t(?!ur))|(?<=th)ea(?=t)|(?<=[aeiouy][^aeiouy])ea$|real(?!ly)|po(?=em|et)"
    r"|[^gq]ua(?!r)|uou|ying|(?:be|se|do|go)ing$|[st]hm$|sm$"
)
_EXCEPTIONS = {"business": 2, "evening": 2, "everything": 3}


class Fog:
    """The Gunning Fog index: 0.4 × (words per sentence + 100 × share of complex words).

    A complex word has three syllables or more, not counting -es, -ed and -ing; names and words joined by a hyphen do
    not count, as Gunning ruled.

    >>> round(Fog().rate(["The dog ran. It was happy."])[0].value, 1)
    1.2
    """

    name = "readability.fog.v1"
    wants_mask = False
    languages = ENGLISH
    facts: Mapping[str, str] = MappingProxyType({})

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """The index of each text: years of school; below 12 is for a wide audience."""
        return rate_each(self.name, texts, _fog)


class Ari:
    """The Automated Readability Index: 4.71 × characters per word + 0.5 × words per sentence − 21.43.

    >>> round(Ari().rate(["The dog ran. It was happy."])[0].value, 1)
    -5.0
    """

    name = "readability.ari.v1"
    wants_mask = False
    languages = ENGLISH
    facts: Mapping[str, str] = MappingProxyType({})

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """The index of each text: a US school grade, below 0 for very short words."""
        return rate_each(self.name, texts, _ari)


def words(text: str) -> list[str]:
    """The words of a text, as both formulas count them.

    >>> words("Ann's well-known plan - no. 7 - failed.")
    ["Ann's", 'well-known', 'plan', 'no', '7', 'failed']
    """
    return _WORD.findall(text)


def sentences(text: str) -> int:
    """How many sentences a text has; at least one.

    >>> sentences("It rained. We stayed"), sentences("Why?!")
    (2, 1)
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    left_over = bool(_WORD.search(text[ends[-1] :])) if ends else True
    return len(ends) + left_over


def syllables(word: str) -> int:
    """How many syllables a word has, by its spelling: groups of vowels, less silent endings, plus vowels spoken apart.

    >>> [syllables(word) for word in ("table", "moved", "times", "algebra", "creation", "statement", "idea")]
    [2, 1, 1, 3, 3, 2, 3]
    """
    plain = re.sub(r"[^a-z]", "", word.lower().removesuffix("'s").removesuffix("’s"))
    if plain in _EXCEPTIONS:
        return _EXCEPTIONS[plain]
    spoken = _SILENT_INSIDE.sub(r"\1", _SILENT_ED.sub("d", _SILENT_ES.sub("s", plain)))
    spoken = _FINAL_E.sub("", _SILENT_E.sub("", spoken))
    return max(1, len(_VOWELS.findall(spoken)) + len(_APART.findall(spoken)))


def _complex(word: str, *, starts: bool) -> bool:
    is_name = word[0].isupper() and not starts
    return not is_name and "-" not in word and syllables(re.sub(r"(?:es|ed|ing)$", "", word) or word) >= 3


def _fog(text: str) -> float | None:
    found = list(_WORD.finditer(text))
    if not found:
        return None
    starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text))]
    places = [match.start() for match in found]
    first = {places[at] for at in (bisect_left(places, start) for start in starts) if at < len(places)}
    hard = sum(_complex(match[0], starts=match.start() in first) for match in found)
    return 0.4 * (len(found) / sentences(text) + 100 * hard / len(found))


def _ari(text: str) -> float | None:
    found = words(text)
    if not found:
        return None
    characters = sum(sign.isalnum() for word in found for sign in word)
    return 4.71 * characters / len(found) + 0.5 * len(found) / sentences(text) - 21.43
