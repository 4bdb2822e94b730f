"""Whether a text is in another language than English, as far as its letters and its commonest words show."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from importlib.resources import files

_WORD = re.compile(r"[^\W\d_]+")
_FEWEST = 2
"""Words of another language that a text must have at least: names and dishes come in all languages."""


def is_foreign(text: str) -> bool:
    """Whether the text is not English, as far as can be seen; a few foreign words do not make it so.

    >>> is_foreign("Lo siento, pero no puedo ayudar con eso."), is_foreign("抱歉，我无法满足这个请求。")
    (True, True)
    >>> is_foreign(" a nurse from São Paulo who loves coq au vin"), is_foreign("Björn Müller.")
    (False, False)
    """
    letters = [sign for sign in text if sign.isalpha()]
    if not letters:
        return False
    if sum(not _is_latin(sign) for sign in letters) > len(letters) / 2:
        return True
    words = [word.lower() for word in _WORD.findall(text)]
    english, others = (sum(word in listed for word in words) for listed in _common())
    return others >= _FEWEST and others > 2 * english


@cache
def _common() -> tuple[frozenset[str], frozenset[str]]:
    """Common words of English and of other languages; without *de*, *la* and the like, which stand in English names."""
    text = files("tiltmeter.raters").joinpath("data/common_words.tsv").read_text(encoding="utf-8")
    english, others = (frozenset(line.partition("\t")[2].split()) for line in text.splitlines())
    return english, others


def _is_latin(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(("LATIN", "FULLWIDTH LATIN", "FEMININE", "MASCULINE", "MODIFIER"))
