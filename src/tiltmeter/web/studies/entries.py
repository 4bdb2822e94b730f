"""Sources and raters of a study as rows of a form, and back; what a row does not show stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tiltmeter.errors import UserError
from tiltmeter.web.fields import Fields
from tiltmeter.web.studies.available import Available, Option

_YES_NO = {True: "yes", False: "no"}
_LISTS = {"words": (", ", ","), "lines": ("\n", "\n")}
"""What stands between the parts of a list, and what therefore cannot stand in one."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One row: something that the study names, or could name."""

    key: str
    """How the fields of the row begin."""
    name: str
    on: bool
    at: int | None = None
    """Its place in the list of the study."""
    known: Available | None = None
    """None: something that the form does not know; it stays as it is."""
    path: str = ""
    shown: Mapping[str, str] = field(default_factory=dict)
    """The options that the form shows, as text."""
    hidden: tuple[str, ...] = ()
    """Those that only the TOML shows."""

    @property
    def settings(self) -> tuple[list[Option], list[Option]]:
        """The options that are set or needed, and the others."""
        options = [one for one in (self.known.options if self.known else ()) if one.name not in self.hidden]
        first = [one for one in options if one.needed or one.name in self.shown]
        return first, [one for one in options if one not in first]


def entries_of(key: str, listed: Sequence[Any], known: Sequence[Available], *, is_new: bool = False) -> list[Entry]:
    """A row for each thing that a study lists, then one for each other that it could; `is_new`: not in its file."""
    used = [_entry(f"{key}.{at}", None if is_new else at, item, known) for at, item in enumerate(listed)]
    names = {one.known.name for one in used if one.known}
    rest = [one for one in known if one.name not in names]
    return used + [Entry(f"{key}.{len(used) + at}", one.name, on=False, known=one) for at, one in enumerate(rest)]


def _entry(key: str, at: int | None, item: Any, known: Sequence[Available]) -> Entry:
    given, options = _parts(item)
    name, _, path = given.partition(":")
    found = next((one for one in known if name == one.name or name.startswith(f"{one.name}.v")), None)
    if found is None or (path and not found.path):
        return Entry(key, given or str(item), on=True, at=at)
    texts = {one.name: _text(one, options[one.name]) for one in found.options if one.name in options}
    shown = {option: text for option, text in texts.items() if text is not None}
    hidden = tuple(option for option in options if option not in shown)
    return Entry(key, name, on=True, at=at, known=found, path=path, shown=shown, hidden=hidden)


def listed_of(key: str, sent: Fields, listed: Sequence[Any], known: Sequence[Available]) -> list[Any]:
    """The list that the rows of a form come to; `listed` is what the study had."""
    made = []
    for row in sent.all(key):
        if not sent.one(f"{row}.on"):
            continue
        place = sent.one(f"{row}.at")
        before = listed[int(place)] if place.isdecimal() and int(place) < len(listed) else None
        entry = _entry(row, 0, before, known) if before is not None else None
        found = entry.known if entry else next((one for one in known if one.name == sent.one(f"{row}.name")), None)
        if found is None:
            made += [] if before is None else [before]
            continue
        made.append(_item(row, sent, found, entry, before))
    return made


def _item(row: str, sent: Fields, known: Available, entry: Entry | None, before: Any) -> Any:
    path = sent.one(f"{row}.path")
    name = entry.name if entry else known.name
    options = dict(_parts(before)[1]) if before is not None else {}
    for option in known.options:
        text = sent.text(f"{row}.o.{option.name}")
        if entry and (option.name in entry.hidden or text == entry.shown.get(option.name)):
            continue
        value = value_of(option, text)
        if value is None:
            options.pop(option.name, None)
        else:
            options[option.name] = value
    given = f"{name}:{path}" if path else name
    return {given: options} if options else given


def _parts(item: Any) -> tuple[str, Mapping[str, Any]]:
    if isinstance(item, str):
        return item, {}
    if isinstance(item, dict) and len(item) == 1:
        [(name, options)] = item.items()
        if isinstance(options, dict):
            return name, options
    return "", {}


def _text(option: Option, value: Any) -> str | None:
    """The value as a form shows it; None: a form cannot."""
    if option.kind in _LISTS:
        return _listed(value, *_LISTS[option.kind])
    match option.kind, value:
        case "yes-no", bool():
            return _YES_NO[value]
        case (("whole" | "number"), int() | float()) if not isinstance(value, bool):
            return str(value)
        case (("text" | "choice"), str()) if value == value.strip() and value in (option.choices or (value,)):
            return value
    return None


def _listed(value: Any, between: str, end: str) -> str | None:
    """A list of texts as one text, unless that could not be taken apart again."""
    parts = value if isinstance(value, list) else [value]
    fits = all(isinstance(one, str) and end not in one and one == one.strip() and one for one in parts)
    return between.join(parts) if fits and len(parts) > 0 else None


def value_of(option: Option, text: str) -> Any:
    """The value that a form shows as this text; None: nothing was said."""
    text = text.strip()
    if not text:
        return None
    match option.kind:
        case "yes-no":
            return text == "yes"
        case "whole" | "number":
            return number(option.label, text, whole=option.kind == "whole")
        case "words":
            words = [one.strip() for one in text.split(",") if one.strip()]
            return words[0] if len(words) == 1 else words
        case "lines":
            return [line.strip() for line in text.splitlines() if line.strip()]
    return text


def number(label: str, text: str, *, whole: bool) -> int | float:
    """A number that somebody typed."""
    try:
        return int(text) if whole else float(text) if "." in text or "e" in text.lower() else int(text)
    except ValueError:
        right = "a whole number, such as 8" if whole else "a number, such as 0.7"
        raise UserError(f"{label}: {text[:40]!r} is no number; write {right}") from None
