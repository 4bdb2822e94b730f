"""Changes to the TOML text of a spec that leave the rest of it as it was, and texts made of data that may be wrong."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter import toml
from tiltmeter.specs.check import TOP_KEYS
from tiltmeter.specs.write import ONE_PER_LINE
from tiltmeter.toml_writing import quoted, to_toml

Holder = Literal["groups", "attributes"]

_QUOTED = re.compile(r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'', re.DOTALL)
_NAME = re.compile(r"^([ \t]*name[ \t]*=[ \t]*)(?:\"(?:\\.|[^\"\\\n])*\"|'[^'\n]*')", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Addition:
    """A term, and the place in a list that it is meant for: one that is blank, or the one after the last."""

    holder: Holder
    name: str
    position: int
    term: str


def fingerprint(text: str) -> str:
    """What tells one text from another, so that nobody saves over what somebody else changed."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def parsed(text: str) -> dict[str, Any] | None:
    """The data of a text; None where it is no TOML."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        # A mistake in the TOML, or a number of thousands of digits.
        return None


def has_comments(text: str) -> bool:
    """Whether there are comments, which a text made of data does not have.

    >>> has_comments('a = "# no"'), has_comments('a = 1 # yes')
    (False, True)
    """
    return "#" in _QUOTED.sub("", text)


def renamed(text: str, name: str) -> str:
    """The text with another name in it; whatever else it says stays.

    >>> renamed('# Mine\\nname = "old"  # so far\\ntitle = "x"', "new")
    '# Mine\\nname = "new"  # so far\\ntitle = "x"'
    """
    data = parsed(text)
    changed = _NAME.sub(lambda found: found[1] + quoted(name), text, count=1)
    if data is None or parsed(changed) == {**data, "name": name}:
        return changed
    return f"name = {quoted(name)}\n{text}" if "name" not in data else written({**data, "name": name})


def with_terms(text: str, additions: Sequence[Addition]) -> str:
    """The text with terms added; comments stay where the lists can be found in it.

    >>> with_terms('[groups.a]\\nterms = ["he"] # two to come', [Addition("groups", "a", 1, "him")])
    '[groups.a]\\nterms = ["he", "him"] # two to come'
    """
    for addition in additions:
        wanted = parsed(text)
        if wanted is None:
            return text
        terms = _terms(wanted, addition)
        if terms is None or addition.position > len(terms):
            continue
        if addition.position < len(terms):
            if str(terms[addition.position]).strip():
                continue
            terms[addition.position] = addition.term
            text = written(wanted)
            continue
        terms.append(addition.term)
        changed = _appended(text, addition)
        text = changed if changed is not None and parsed(changed) == wanted else written(wanted)
    return text


def written(data: Mapping[str, Any]) -> str:
    """Data as TOML, with the keys of a spec in their usual order and whatever else there is after them.

    >>> print(written({"groups": {"a b": {"terms": ["he"]}}, "name": "x"}), end="")
    name = "x"
    <BLANKLINE>
    [groups."a b"]
    terms = ["he"]
    """
    known = [key for key in TOP_KEYS if key in data]
    ordered = {key: data[key] for key in [*known, *(key for key in data if key not in known)]}
    return to_toml(ordered, ONE_PER_LINE)


def _terms(data: dict[str, Any], addition: Addition) -> list[Any] | None:
    lists = data.get(addition.holder)
    held = lists.get(addition.name) if isinstance(lists, dict) else None
    terms = held.setdefault("terms", []) if isinstance(held, dict) else None
    return terms if isinstance(terms, list) else None


def _appended(text: str, addition: Addition) -> str | None:
    """The text with the term at the end of its list; None where the list cannot be found."""
    line = toml.lines(text).get((addition.holder, addition.name, "terms"))
    if line is None:
        return None
    start = sum(len(row) + 1 for row in text.split("\n")[: line - 1])
    opening = re.compile(r"terms[\"']?[ \t]*=[ \t]*\[").search(text, start)
    if opening is None:
        return None
    place = last = opening.end()
    comma = True
    while text[place : place + 1] not in ("]", ""):
        if text[place] == "#":
            place = text.find("\n", place) if "\n" in text[place:] else len(text)
        elif item := _QUOTED.match(text, place):
            place = last = item.end()
            comma = False
        else:
            if text[place] == ",":
                comma, last = True, place + 1
            place += 1
    new = quoted(addition.term)
    if last == opening.end():
        return f"{text[:last]}{new}{text[last:]}"
    return f"{text[:last]} {new},{text[last:]}" if comma else f"{text[:last]}, {new}{text[last:]}"
