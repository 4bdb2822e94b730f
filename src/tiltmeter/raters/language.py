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
    if not text.isascii() and sum(not _is_latin(sign) for sign in letters) > len(letters) / 2:
        return True
    words = [word.lower() for word in _WORD.findall(text)]
    # Without *de*, *la* and the like, which stand in English names.
    english, others = (sum(word in listed for word in words) for listed in word_lists("common_words"))
    return others >= _FEWEST and others > 2 * english


@cache
def word_lists(name: str) -> tuple[frozenset[str], ...]:
    """The lists of words in a file of ours, one on a line behind its name."""
    text = files("tiltmeter.raters").joinpath(f"data/{name}.tsv").read_text(encoding="utf-8")
    return tuple(frozenset(line.partition("\t")[2].split()) for line in text.splitlines())


def _is_latin(sign: str) -> bool:
    return unicodedata.name(sign, "").startswith(("LATIN", "FULLWIDTH LATIN", "FEMININE", "MASCULINE", "MODIFIER"))
