"""Which professions a corpus itself names: those that someone is said to work as."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tiltmeter.english import FUNCTION_WORDS
from tiltmeter.sources.nouns import singular

_WORKS_AS = re.compile(
    r"\b(?:work(?:s|ed|ing)?|employ(?:ed|ment)|hired|train(?:ed|ing)|job|career|apprenticeship|apprenticed|living|"
    r"qualif(?:ied|ies|y)|appointed)\s+(?:\w+ly\s+)?as\s+(?:an?\s+)?((?:[\w-]+[ ]?){1,4})|"
    r"\b((?:[\w-]+ ){0,2}[\w-]+) by (?:trade|profession)\b",
    re.IGNORECASE,
)


def worked_as(texts: Iterable[str]) -> Iterator[str]:
    """The professions that a corpus says someone works as.

    >>> list(worked_as(["She works as a luthier in Cremona.", "He was a tanner by trade."]))
    ['luthier', 'tanner']
    """
    for text in texts:
        for found in _WORKS_AS.finditer(text):
            name: list[str] = []
            for word in (found[1] or found[2]).split():
                if word.lower() in FUNCTION_WORDS:
                    if found[1]:
                        break
                    name = []
                else:
                    name.append(word)
            if name:
                yield singular(" ".join(name).casefold())
