"""Where in the form a problem is."""

from __future__ import annotations

from dataclasses import dataclass

from tiltmeter import toml
from tiltmeter.specs.check import TOP_KEYS
from tiltmeter.web.specs.form import Form, rows_of


@dataclass(frozen=True, slots=True)
class Place:
    """A field of the form, what to call it, and the row of it, from nought."""

    field: str
    label: str
    row: int | None = None


_FIELDS = {"stereotype_of": ("of", "tied to"), "neutral": ("neutral", "neutral word")}
"""The fields of a part for keys other than its terms, and what to call them."""
NAMES = Place("add-group", "Names")
"""Where two parts of the form have one name."""


def place_in_form(path: toml.Path, form: Form) -> Place:
    """Where in the form the value at a path stands, or could be added."""
    first = str(path[0]) if path else "name"
    if first == "templates":
        row = _row(path, 1, form.templates)
        return Place("templates", _labelled("Templates", row), row)
    if first not in ("groups", "attributes"):
        known = first in TOP_KEYS
        return Place(first, first.capitalize().replace("_", " ") if known else first)
    noun, parts = ("group", form.groups) if first == "groups" else ("set", form.sets)
    part = next((part for part in parts if len(path) > 1 and part.name == path[1]), None)
    if part is None:
        return Place(f"add-{noun}", f"{noun.capitalize()}s")
    label = f"{noun.capitalize()} {part.name}"
    if path[2:3] == ("terms",):
        # In a group a blank line is a place without a term; in an attribute set it is nothing.
        place = path[3] if len(path) > 3 and isinstance(path[3], int) else None
        row = place if first == "groups" else _row(path, 3, part.terms)
        return Place(f"{part.key}.terms", _labelled(label, row), row)
    key = str(path[2]) if len(path) > 2 else ""
    if key in _FIELDS:
        field, words = _FIELDS[key]
        return Place(f"{part.key}.{field}", f"{label}, {words}")
    return Place(f"{part.key}.name", f"{label}, {key}" if key else label)


def _labelled(label: str, row: int | None) -> str:
    return label if row is None else f"{label}, line {row + 1}"


def _row(path: toml.Path, at: int, text: str) -> int | None:
    place, rows = path[at] if len(path) > at else None, rows_of(text)
    return rows[place][0] if isinstance(place, int) and place < len(rows) else None
