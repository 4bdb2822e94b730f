"""Nouns for people that are known beforehand: by their work (`occupations.txt`) or by anything else (`roles.txt`).

What stands in neither is left to a learned judge; see `noun_class`.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from tiltmeter.sources.nouns import singular

_OCCUPATIONAL = re.compile(
    r"\w(?:ologist|ographer|ometrist|iatrist|iatrician|ician|smith|wright|monger|binder|herd|worker|builder|dresser|"
    r"fitter|grower|repairer)$"
)
"""Endings that name somebody by work, whatever they are added to."""


@cache
def words_of(file: str) -> frozenset[str]:
    """The words of one of the two lists."""
    text = files(__package__).joinpath(file).read_text(encoding="utf-8")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


def is_occupation(name: str) -> bool:
    """Whether a name or its last word is known to be one of work.

    >>> [is_occupation(one) for one in ("farrier", "loss adjuster", "director of photography", "patient", "elevator")]
    [True, True, True, False, False]
    """
    forms = _forms(name)
    if not forms or forms & words_of("roles.txt"):
        return False
    return bool(forms & words_of("occupations.txt")) or any(_OCCUPATIONAL.search(form) for form in forms)


def is_role(name: str) -> bool:
    """Whether a name or its last word is known to be one of somebody, and not of work.

    >>> [is_role(one) for one in ("patient", "football fan", "farrier")]
    [True, True, False]
    """
    return bool(_forms(name) & words_of("roles.txt"))


def is_person(noun: str) -> bool:
    """Whether a noun is known to be one for people.

    >>> is_person("farrier"), is_person("fans"), is_person("hammer")
    (True, True, False)
    """
    return bool(_forms(noun) & (words_of("occupations.txt") | words_of("roles.txt")))


def _forms(name: str) -> set[str]:
    """The name joined by hyphens, its last word, and what that ends in behind a hyphen, each in the singular."""
    words = re.findall(r"[\w'’-]+", name.casefold())
    if "of" in words[1:]:
        words = words[: words.index("of", 1)]
    if not words:
        return set()
    last = words[-1]
    found = {last, last.rpartition("-")[2], "-".join(words)}
    return found | {singular(one) for one in found}
