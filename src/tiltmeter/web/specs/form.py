"""A spec as a form, for people who never saw TOML: made of the data of a spec, or of what a page sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from tiltmeter import toml
from tiltmeter.errors import UserError
from tiltmeter.web.fields import Fields

TEXTS = ("name", "title", "citation", "note")
"""What the form has a field for under the name that it has in the data."""


@dataclass(frozen=True, slots=True)
class Part:
    """A group or an attribute set in the form.

    `key` is its own on the page, so that what refers to it follows when it gets another name; `was` is the name under
    which the data know it, empty for a new one.
    """

    key: str
    was: str
    name: str
    terms: str
    """One term on a line."""
    neutral: str = ""
    stereotype_of: tuple[str, ...] = ()
    """Keys of groups."""


@dataclass(frozen=True, slots=True)
class Form:
    """What the form shows of a spec."""

    texts: Mapping[str, str]
    templates: str
    groups: tuple[Part, ...]
    sets: tuple[Part, ...]
    reference: str
    """The key of a group, or nothing."""
    pairs: tuple[tuple[str, str], ...] | None
    """The compared groups, by key; None: every pair."""
    benchmark: bool

    @property
    def choices(self) -> list[tuple[str, str]]:
        """The pairs that could be compared: those that are, as they are, and then the others."""
        chosen = list(self.pairs or ())
        known = [{*pair} for pair in chosen]
        others = combinations((group.key for group in self.groups), 2)
        return chosen + [pair for pair in others if {*pair} not in known]


class Unshowable(UserError):
    """The form has no place for something that the TOML says."""


def form_of(data: Mapping[str, Any]) -> Form:
    """The form of a spec; refused where the data have another shape than the form.

    >>> form_of({"groups": {"a": {"terms": ["he", "man"]}}}).groups[0].terms
    'he\\nman'
    """
    tables = {holder: tables_of(data, holder) for holder in ("groups", "attributes")}
    keys = {name: f"g{place}" for place, name in enumerate(tables["groups"])}
    groups = tuple(
        Part(keys[name], name, name, _lines(table, "terms", ("groups", name)))
        for name, table in tables["groups"].items()
    )
    sets = tuple(
        Part(
            f"s{place}",
            name,
            name,
            _lines(table, "terms", ("attributes", name)),
            _text(table, "neutral", ("attributes", name)),
            _owners(table.get("stereotype_of", []), keys, ("attributes", name, "stereotype_of")),
        )
        for place, (name, table) in enumerate(tables["attributes"].items())
    )
    reference = _text(data, "reference")
    if reference and reference not in keys:
        raise _unshowable(("reference",), f"names `{reference}`, which is no group")
    benchmark = data.get("benchmark", False)
    if not isinstance(benchmark, bool):
        raise _unshowable(("benchmark",), "is not true or false")
    return Form(
        {key: _text(data, key) for key in TEXTS},
        _lines(data, "templates"),
        groups,
        sets,
        keys.get(reference, ""),
        _pairs(data["compare"], keys) if "compare" in data else None,
        benchmark,
    )


def form_from_fields(fields: Fields) -> Form:
    """The form as a page sent it."""
    groups = tuple(
        Part(key, fields.text(f"{key}.was"), fields.one(f"{key}.name"), fields.text(f"{key}.terms"))
        for key in dict.fromkeys(fields.all("group"))
    )
    known = {group.key for group in groups}
    sets = tuple(
        Part(
            key,
            fields.text(f"{key}.was"),
            fields.one(f"{key}.name"),
            fields.text(f"{key}.terms"),
            fields.one(f"{key}.neutral"),
            tuple(owner for owner in fields.all(f"{key}.of") if owner in known),
        )
        for key in dict.fromkeys(fields.all("set"))
    )
    chosen = [tuple(value.split(" ")) for value in fields.all("pair")]
    pairs = tuple((pair[0], pair[1]) for pair in chosen if len(pair) == 2 and {*pair} <= known)
    return Form(
        {key: fields.text(key).strip() for key in TEXTS},
        fields.text("templates"),
        groups,
        sets,
        fields.one("reference") if fields.one("reference") in known else "",
        None if fields.one("compare") != "chosen" else pairs,
        bool(fields.one("benchmark")),
    )


def rows_of(text: str) -> list[tuple[int, str]]:
    """The lines of a text that say something, each with its place.

    >>> rows_of("one\\n\\n two ")
    [(0, 'one'), (2, 'two')]
    """
    return [(place, line.strip()) for place, line in enumerate(text.split("\n")) if line.strip()]


def rebased(form: Form) -> Form:
    """The form over data that were made of it."""
    return replace(
        form,
        groups=tuple(replace(part, was=part.name) for part in form.groups),
        sets=tuple(replace(part, was=part.name) for part in form.sets),
    )


def with_part(form: Form, noun: str) -> Form:
    """The form with one more group or attribute set, which is empty."""
    if noun == "group":
        return replace(form, groups=(*form.groups, Part(_free("g", form.groups), "", "", "")))
    return replace(form, sets=(*form.sets, Part(_free("s", form.sets), "", "", "")))


def without_part(form: Form, key: str) -> Form:
    """The form without a group, and what referred to it, or without an attribute set."""
    pairs = form.pairs and tuple(pair for pair in form.pairs if key not in pair)
    return replace(
        form,
        groups=tuple(part for part in form.groups if part.key != key),
        sets=tuple(
            replace(part, stereotype_of=tuple(owner for owner in part.stereotype_of if owner != key))
            for part in form.sets
            if part.key != key
        ),
        reference="" if form.reference == key else form.reference,
        pairs=pairs or None,
    )


def _free(letter: str, parts: Sequence[Part]) -> str:
    used = {part.key for part in parts}
    return next(key for place in range(len(parts) + 1) if (key := f"{letter}{place}") not in used)


def tables_of(data: Mapping[str, Any], holder: str) -> dict[str, dict[str, Any]]:
    """The tables of the groups or of the attribute sets, by their names."""
    tables = data.get(holder, {})
    if not isinstance(tables, dict):
        raise _unshowable((holder,), "is not made of tables")
    for name, table in tables.items():
        if not isinstance(table, dict):
            raise _unshowable((holder, name), "is not a table with `terms`")
    return tables


def _text(table: Mapping[str, Any], key: str, path: toml.Path = ()) -> str:
    value = table.get(key, "")
    if not isinstance(value, str):
        raise _unshowable((*path, key), "is not a text")
    if "\n" in value and key not in ("citation", "note"):
        raise _unshowable((*path, key), "has a line break in it")
    return value


def _lines(table: Mapping[str, Any], key: str, path: toml.Path = ()) -> str:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _unshowable((*path, key), "is not a list of texts")
    if any("\n" in item or "\r" in item for item in value):
        raise _unshowable((*path, key), "has a line break inside one of its texts")
    return "\n".join(value)


def _owners(value: object, keys: Mapping[str, str], path: toml.Path) -> tuple[str, ...]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise _unshowable(path, "is not the name of a group, nor a list of names")
    unknown = next((name for name in names if name not in keys), None)
    if unknown is not None:
        raise _unshowable(path, f"names `{unknown}`, which is no group")
    return tuple(keys[name] for name in names)


def _pairs(value: object, keys: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    if not isinstance(value, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        raise _unshowable(("compare",), "is not a list of pairs of groups")
    if not all(isinstance(name, str) and name in keys for pair in value for name in pair):
        raise _unshowable(("compare",), "names something that is no group")
    return tuple((keys[first], keys[second]) for first, second in value)


def _unshowable(path: toml.Path, problem: str) -> Unshowable:
    return Unshowable(f"`{toml.dotted(path)}` {problem}: the form has no place for it, so mend it in the TOML first")
