"""Slips of people who write a spec by hand: a list typed into one text, and the example's own words left in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

EXAMPLES = {
    "title": "Which groups, and what about them",
    "citation": "Where the word lists come from: authors, year, title",
    "note": "What a reader of the figures should know",
}
"""What the file to start from says under these keys: never to be published as a user's own words."""


def is_example(key: str, text: str) -> bool:
    """Whether a text is still that of the example, whatever its capitals and signs.

    >>> is_example("title", "which groups and what about them!"), is_example("title", "Villages")
    (True, False)
    """
    return bool(EXAMPLES.get(key)) and _words(text) == _words(EXAMPLES[key])


def run_together(terms: object, data: Mapping[str, Any]) -> list[str]:
    """The terms that somebody typed into one text; none where there is more than one, or a comma may be part of it.

    Three parts are a list; two are, where another list of the spec has two terms or is typed in the same way.

    >>> run_together(["he, my brother, the man"], {}), run_together(["a man, tall"], {})
    (['he', 'my brother', 'the man'], [])
    """
    parts = _parts(terms)
    if len(parts) != 2:
        return parts
    tables = [data.get(key) for key in ("groups", "attributes")]
    others = [
        table["terms"]
        for held in tables
        if isinstance(held, dict)
        for table in held.values()
        if isinstance(table, dict) and "terms" in table and table["terms"] is not terms
    ]
    alike = any(_parts(other) or (isinstance(other, list) and len(other) == 2) for other in others)
    return parts if alike else []


def _parts(terms: object) -> list[str]:
    """The terms of a list that was typed into one text, of at most four words each; none of any other list."""
    text = terms[0] if isinstance(terms, list) and len(terms) == 1 else terms
    if not isinstance(text, str):
        return []
    # A line break inside a list of one is a slip; in a text where a list belongs it ends an entry.
    parts = [part.strip(" \"'\t") for part in re.split(r"[,;]" if isinstance(terms, list) else r"[,;\n]", text)]
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 and all(len(part.split()) <= 4 for part in parts) else []


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
