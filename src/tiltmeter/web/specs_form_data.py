"""From the form of a spec back to its data. What the form does not show stays in them."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.errors import InvalidSpec
from tiltmeter.web.specs_form import TEXTS, Form, Part, rows_of, tables_of


def data_of(form: Form, base: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a form, laid over those that it was made of.

    >>> from dataclasses import replace
    >>> from tiltmeter.web.specs_form import form_of
    >>> base = {"name": "x", "published_as": "X1", "groups": {"a": {"terms": ["he"], "published_as": "A"}}}
    >>> form = form_of(base)
    >>> data_of(replace(form, groups=(replace(form.groups[0], name="men"),)), base)["groups"]
    {'men': {'terms': ['he'], 'published_as': 'A'}}
    """
    _refuse_doubles(form.groups, "groups")
    _refuse_doubles(form.sets, "attribute sets")
    data = copy.deepcopy(dict(base))
    names = {group.key: group.name for group in form.groups}
    for key in TEXTS:
        if form.texts[key] != str(base.get(key, "")).strip():
            _put(data, key, form.texts[key])
    _put(data, "reference", names.get(form.reference, ""))
    _put(data, "templates", [line for _, line in rows_of(form.templates)])
    if form.benchmark or "benchmark" in data:
        data["benchmark"] = form.benchmark
    if form.pairs is None:
        data.pop("compare", None)
    else:
        data["compare"] = [[names[first], names[second]] for first, second in form.pairs]
    before = tables_of(base, "groups")
    data["groups"] = {
        group.name: {**before.get(group.was, {}), "terms": _terms_with_gaps(group.terms)} for group in form.groups
    }
    sets = {part.name: _set_data(part, tables_of(base, "attributes").get(part.was, {}), names) for part in form.sets}
    _put(data, "attributes", sets)
    return data


def _set_data(part: Part, before: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    table = {**before, "terms": [line for _, line in rows_of(part.terms)]}
    owners = [names[key] for key in part.stereotype_of]
    _put(table, "stereotype_of", owners[0] if len(owners) == 1 else owners)
    _put(table, "neutral", part.neutral)
    return table


def _terms_with_gaps(text: str) -> list[str]:
    # A blank line inside stays as a blank term: without it all counterparts after it would move up.
    return [line.strip() for line in text.rstrip().split("\n")] if text.strip() else []


def _put(data: dict[str, Any], key: str, value: Any) -> None:
    """Set a value; an empty one takes the key away."""
    if value:
        data[key] = value
    else:
        data.pop(key, None)


def _refuse_doubles(parts: Sequence[Part], noun: str) -> None:
    names = [part.name for part in parts]
    doubled = next((name for name in names if names.count(name) > 1), None)
    if doubled is not None:
        called = f"called `{doubled}`" if doubled else "without a name"
        raise InvalidSpec(f"two {noun} are {called}: give each a name of its own, or one of them would be lost")
