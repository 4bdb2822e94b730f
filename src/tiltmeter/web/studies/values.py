"""Values of a study file whose kinds nobody has looked at yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tiltmeter.views import FACTS
from tiltmeter.web.studies.available import defaults

VIEWS = {one.key: one.name for one in FACTS.values() if f"{one.key}.sources" in defaults()}
"""The views that the form has, by the names of their tables."""
KEYS = {one.key for one in FACTS.values()}
"""The tables of all views: those that the form does not have stay as they are."""


def axis_text(value: Any) -> str | None:
    """Values of an axis as a form shows them; None: something that it cannot show."""
    values = value if isinstance(value, list) else [] if value is None else [value]
    if any(not isinstance(one, int | float) for one in values):
        return None
    return ", ".join("yes" if one is True else "no" if one is False else str(one) for one in values)


def table_in(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A table of the data; an empty one where there is none."""
    found = data.get(key, {})
    return found if isinstance(found, dict) else {}


def list_in(table: Mapping[str, Any], key: str, place: str) -> list[Any]:
    """A list of the data; what holds by default where there is none."""
    found = table.get(key, defaults()[place])
    return found if isinstance(found, list) else []


def strings_in(given: Any) -> list[str]:
    """The strings of a value that is one or a list of some."""
    values = given if isinstance(given, list) else [given]
    return [one for one in values if isinstance(one, str)]
