"""Reads and writes the JSON specifications of AutoBiasTest (BiasTestGPT).

The order carries the meaning there: the first attribute set is the stereotype of the first group, the second of the
second, and any further set is a control; of more than two groups only the first two are compared.
Names are made into slugs, the original ones kept as `published_as`; source and address go into `citation`
("source <address>") and come back from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidSpec, UnknownName
from tiltmeter.files import json_value, read_text
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.specs.check import Problem, check, slug

_KEYS = ("name", "source", "url", "social_groups", "attributes", "templates")
_VARIED = ("social_groups_", "attributes_")
_CITATION = re.compile(r"(?P<source>.*?)(?: ?<(?P<url>[^<>]*)>)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Imported:
    """The specs of a file, and why some of it could not be used."""

    specs: tuple[Spec, ...]
    refused: tuple[InvalidSpec, ...]
    variants: tuple[str, ...] = ()
    """Further word lists that the file has beside the plain ones, such as neighbours by word vectors."""
    ignored: tuple[str, ...] = ()
    """Keys that mean nothing here."""


def from_autobiastest(path: str | Path, *, skip_invalid: bool = False) -> list[Spec]:
    """The specs of an AutoBiasTest file; `import_autobiastest` also says what was skipped."""
    return list(import_autobiastest(path, skip_invalid=skip_invalid).specs)


def import_autobiastest(path: str | Path, *, skip_invalid: bool = False, variant: str | None = None) -> Imported:
    """The specs of an AutoBiasTest file; the first that cannot be used is refused, or all such skipped and listed.

    `variant` takes the lists of `social_groups_VARIANT` and `attributes_VARIANT` in place of the plain ones; a list
    that the variant leaves empty stays the plain one.
    """
    text = read_text(path, noun="AutoBiasTest file")
    entries = _entries(text, path)
    variants = _variants(entries)
    if variant is not None and variant not in variants:
        raise InvalidSpec(UnknownName("variant", variant, variants or ["none"]).problem, file=path)
    ignored = _ignored(entries, variants)
    specs: dict[str, Spec] = {}
    refused: list[InvalidSpec] = []
    for position, entry in enumerate(entries, start=1):
        try:
            spec = _spec(_with_variant(entry, variant), specs, variant)
        except _Refusal as refusal:
            called = entry.get("name") if isinstance(entry, dict) else None
            which = f"`{called}`" if isinstance(called, str) and called.strip() else f"specification {position}"
            line = _line_of_name(text, called)
            refused.append(InvalidSpec(f"{which}: {refusal}", file=path, line=line, key=refusal.key))
        else:
            specs[spec.name] = spec
    if refused and not skip_invalid:
        first = refused[0]
        hint = "; `--skip-invalid` imports the others" if specs else ""
        raise InvalidSpec(f"{first.problem}{hint}", file=first.file, line=first.line, key=first.key)
    return Imported(tuple(specs.values()), tuple(refused), variants, ignored)


def to_autobiastest(specs: Iterable[Spec]) -> str:
    """Specs as an AutoBiasTest file; what that format cannot say is refused."""
    return json.dumps([_entry(spec) for spec in specs], indent=4, ensure_ascii=False) + "\n"


class _Refusal(Exception):
    """One specification cannot be used; its place in the file is added by the caller."""

    def __init__(self, problem: str, key: str | None = None) -> None:
        super().__init__(problem)
        self.key = key


def _entries(text: str, path: str | Path) -> list[Any]:
    try:
        data = json_value(text, object_pairs_hook=_without_doubles)
    except json.JSONDecodeError as error:
        raise InvalidSpec(f"not valid JSON: {error.msg}", file=path, line=error.lineno) from None
    except ValueError as error:
        raise InvalidSpec(f"not valid JSON: {error}", file=path) from None
    except _Refusal as refusal:
        raise InvalidSpec(str(refusal), file=path) from None
    entries = data if isinstance(data, list) else [data]
    if not entries:
        raise InvalidSpec("the list of specifications is empty", file=path)
    return entries


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # JSON readers keep the last of two equal keys, and a whole word list would silently be lost.
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise _Refusal(f"the key `{key}` is listed twice in one object")
        made[key] = value
    return made


def _variants(entries: Sequence[Any]) -> tuple[str, ...]:
    """What stands behind the names of further word lists; notes about a variant (`glove_deleted`) are none."""
    found = {
        key.removeprefix(lead): None
        for entry in entries
        if isinstance(entry, dict)
        for key, value in entry.items()
        for lead in _VARIED
        if key.startswith(lead) and len(key) > len(lead) and isinstance(value, dict)
    }
    return tuple(name for name in found if not any(name.startswith(f"{other}_") for other in found))


def _ignored(entries: Sequence[Any], variants: Sequence[str]) -> tuple[str, ...]:
    known = {*_KEYS, *(f"{lead}{name}" for lead in _VARIED for name in variants)}
    keys = dict.fromkeys(key for entry in entries if isinstance(entry, dict) for key in entry)
    return tuple(key for key in keys if key not in known)


def _with_variant(entry: Any, variant: str | None) -> Any:
    """The specification with the lists of a variant; those of groups only where both compared groups have some."""
    if variant is None or not isinstance(entry, dict):
        return entry
    made = dict(entry)
    for lead in _VARIED:
        key, given = lead.removesuffix("_"), entry.get(f"{lead}{variant}")
        plain = entry.get(key)
        if not isinstance(given, dict) or not isinstance(plain, dict):
            continue
        if key == "attributes" or all(given.get(name) for name in list(plain)[:2]):
            made[key] = {name: given.get(name) or terms for name, terms in plain.items()}
    return made


def _spec(entry: object, taken: Mapping[str, Spec], variant: str | None) -> Spec:
    if not isinstance(entry, dict):
        raise _Refusal("a specification is an object with `name`, `social_groups`, `attributes` and `templates`")
    name = entry.get("name")
    if not isinstance(name, str) or not slug(name):
        raise _Refusal("needs a name with letters or digits in it", "name")
    # The same bias with other words is another spec.
    own = slug(name) if variant is None else slug(f"{name} {variant}")
    if own in taken:
        raise _Refusal(f"its name becomes `{own}`, which is already taken by `{taken[own].published_as}`", "name")
    for key in ("source", "url"):
        if not isinstance(entry.get(key, ""), str):
            raise _Refusal("must be text in quotes", key)
    groups, attributes = _word_lists(entry, "social_groups"), _word_lists(entry, "attributes")
    group_names = list(groups)
    owners = dict(zip(attributes, group_names[:2], strict=False))
    data: dict[str, Any] = {
        "name": own,
        "title": " ".join(name.replace("_", " ").split()) + (f" ({variant})" if variant else ""),
        "citation": _citation(entry.get("source", ""), entry.get("url", "")),
        "published_as": name,
        "templates": entry.get("templates", []),
        "groups": {group: {"terms": terms} for group, terms in groups.items()},
        "attributes": {
            attribute: {"terms": terms} | ({"stereotype_of": owners[attribute]} if attribute in owners else {})
            for attribute, terms in attributes.items()
        },
    }
    if len(group_names) > 2:
        data["compare"] = [group_names[:2]]
    checked = check(data, slugs=False)
    if checked.spec is None:
        problem = checked.problems[0]
        raise _Refusal(problem.sentence, _json_key(problem))
    return _with_slugs(checked.spec)


def _word_lists(entry: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = entry.get(key, {})
    if not isinstance(value, dict):
        raise _Refusal("must be an object with a list of terms under each name", key)
    return value


def _with_slugs(spec: Spec) -> Spec:
    groups = _slugs([group.name for group in spec.groups], "group")
    sets = _slugs([attributes.name for attributes in spec.attributes], "set")
    return replace(
        spec,
        groups=tuple(replace(group, name=groups[group.name], published_as=group.name) for group in spec.groups),
        attributes=tuple(
            replace(
                attributes,
                name=sets[attributes.name],
                published_as=attributes.name,
                stereotype_of=tuple(groups[owner] for owner in attributes.stereotype_of),
            )
            for attributes in spec.attributes
        ),
        compare=tuple((groups[first], groups[second]) for first, second in spec.compare),
    )


def _slugs(names: Sequence[str], noun: str) -> dict[str, str]:
    """A slug for each name; a number tells two names apart that would become the same."""
    slugs: dict[str, str] = {}
    for position, name in enumerate(names, start=1):
        wanted = slug(name) or f"{noun}-{position}"
        slugs[name] = wanted if wanted not in slugs.values() else f"{wanted}-{position}"
    return slugs


def _json_key(problem: Problem) -> str:
    keys = [str(part) for part in problem.path if isinstance(part, str)]
    if keys[:1] == ["groups"]:
        keys[0] = "social_groups"
    if keys[-1:] == ["terms"]:
        keys.pop()
    return ".".join(keys) or "name"


def _line_of_name(text: str, name: object) -> int | None:
    if not isinstance(name, str):
        return None
    for written in (json.dumps(name, ensure_ascii=False), json.dumps(name)):
        place = re.search(rf'"name"\s*:\s*{re.escape(written)}', text)
        if place:
            return text.count("\n", 0, place.start()) + 1
    return None


def _citation(source: str, url: str) -> str:
    return f"{source} <{url}>".strip() if url else source


def _entry(spec: Spec) -> dict[str, Any]:
    groups, attributes = _exportable(spec)
    citation = _CITATION.fullmatch(spec.citation)
    source, url = (citation["source"], citation["url"] or "") if citation else (spec.citation, "")
    return {
        "name": spec.published_as or spec.name,
        "source": source,
        "url": url,
        "social_groups": {group.published_as or group.name: list(group.terms) for group in groups},
        "attributes": {item.published_as or item.name: list(item.terms) for item in attributes},
        "templates": list(spec.templates),
    }


def _exportable(spec: Spec) -> tuple[list[Group], list[AttributeSet]]:
    """Groups and attribute sets in the order that says what belongs to what."""
    if len(spec.compare) != 1:
        raise InvalidSpec(
            f"`{spec.name}` compares {len(spec.compare)} pairs of groups, and an AutoBiasTest specification only one; "
            "give the spec a `compare` with one pair",
            key="compare",
        )
    pair = spec.compare[0]
    groups = [spec.group(name) for name in pair] + [group for group in spec.groups if group.name not in pair]
    owned = [[item for item in spec.attributes if item.stereotype_of == (name,)] for name in pair]
    rest = [item for item in spec.attributes if not item.stereotype_of]
    in_order = [item for items in owned for item in items] + rest
    if len(owned[0]) != 1 or len(owned[1]) > 1 or (rest and not owned[1]) or len(in_order) != len(spec.attributes):
        raise InvalidSpec(
            f"`{spec.name}` cannot be written as an AutoBiasTest specification, which has exactly one attribute set "
            f"for each of its two groups: here `{pair[0]}` has {len(owned[0])} and `{pair[1]}` has {len(owned[1])}",
            key="attributes",
        )
    return groups, in_order
