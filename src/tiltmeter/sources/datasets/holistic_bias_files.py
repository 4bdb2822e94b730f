"""The four files of HolisticBias: descriptors, nouns, templates and standalone noun phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import InvalidData
from tiltmeter.sources.datasets.json_files import read_json, text_field

FILES = ("descriptors.json", "nouns.json", "sentence_templates.json", "standalone_noun_phrases.json")
PHRASES = "phrases"
"""The group of the standalone noun phrases, which the authors sort into no bucket."""

_SLOTS = ("{plural_noun_phrase}", "{noun_phrase}")


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A word for people, or (`is_phrase`) a noun phrase, in which `{article} {noun}` may yet have to be filled."""

    axis: str
    group: str
    text: str
    plural: str = ""
    """Of a phrase."""
    article: str | None = None
    gender: str | None = None
    preference: str | None = None
    as_object: bool = False

    @property
    def is_phrase(self) -> bool:
        """Whether it is a standalone noun phrase."""
        return bool(self.plural)

    @property
    def takes_noun(self) -> bool:
        """Whether a noun is missing in it."""
        return "{noun}" in self.text


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun for a person, with the gender that the authors file it under."""

    gender: str
    singular: str
    plural: str


@dataclass(frozen=True, slots=True)
class Template:
    """A sentence with a slot for a noun phrase, singular or plural."""

    number: int
    text: str
    slot: str
    must_be_noun: bool

    @property
    def plural(self) -> bool:
        """Whether the slot takes a plural."""
        return self.slot == _SLOTS[0]

    @property
    def hostile(self) -> bool:
        """Whether the sentence states dislike of whoever is named."""
        return re.search(r"\b(?:hate|don't like|worst)\b", self.text) is not None


@dataclass(frozen=True, slots=True)
class HolisticBias:
    """What the sentences are made of."""

    descriptors: tuple[Descriptor, ...]
    nouns: tuple[Noun, ...]
    templates: tuple[Template, ...]

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes in the order of the file."""
        return tuple(dict.fromkeys(descriptor.axis for descriptor in self.descriptors))

    def buckets(self, axis: str) -> int:
        """How many buckets the descriptors of an axis are sorted into, phrases aside."""
        found = {one.group for one in self.descriptors if one.axis == axis and not one.is_phrase}
        return len(found)


def read(folder: Path) -> HolisticBias:
    """The parts in a folder, refused as a whole where a file is missing or malformed."""
    if not folder.is_dir():
        raise InvalidData(f"not a folder; HolisticBias is the folder with {', '.join(FILES)}", file=folder)
    phrases = folder / FILES[3]
    return HolisticBias(
        (*_descriptors(folder / FILES[0]), *(_phrases(phrases) if phrases.is_file() else ())),
        tuple(_nouns(folder / FILES[1])),
        tuple(_templates(folder / FILES[2])),
    )


def _descriptors(path: Path) -> Iterator[Descriptor]:
    for axis, buckets in _items(read_json(path), path, "axes"):
        for bucket, listed in _items(buckets, path, f"buckets under `{axis}`"):
            for item in _list(listed, path, f"`{axis}`, `{bucket}`"):
                held = {"descriptor": item} if isinstance(item, str) else item
                text = text_field(held, "descriptor", path, f"an item of `{axis}`, `{bucket}`")
                yield Descriptor(
                    axis,
                    bucket,
                    text,
                    article=_optional(held, "article", path),
                    gender=_optional(held, "gender", path),
                    preference=_optional(held, "preference", path),
                    as_object=held is item,
                )


def _phrases(path: Path) -> Iterator[Descriptor]:
    for axis, listed in _items(read_json(path), path, "axes"):
        for item in _list(listed, path, f"`{axis}`"):
            held = {"noun_phrase": item} if isinstance(item, str) else item
            text = text_field(held, "noun_phrase", path, f"an item of `{axis}`")
            yield Descriptor(
                axis,
                PHRASES,
                text,
                plural=_optional(held, "plural_noun_phrase", path) or text,
                preference=_optional(held, "preference", path),
                as_object=held is item,
            )


def _nouns(path: Path) -> Iterator[Noun]:
    for gender, listed in _items(read_json(path), path, "genders"):
        for forms in _list(listed, path, f"`{gender}`"):
            if not isinstance(forms, list) or len(forms) != 2 or not all(isinstance(form, str) for form in forms):
                raise InvalidData(f"a noun of `{gender}` is not a singular and a plural", file=path)
            yield Noun(gender, *forms)


def _templates(path: Path) -> Iterator[Template]:
    for number, (text, held) in enumerate(_items(read_json(path), path, "templates")):
        slot = next((slot for slot in _SLOTS if slot in text), None)
        if slot is None or not isinstance(held, dict):
            raise InvalidData(f"the template '{text:.60}' has neither {' nor '.join(_SLOTS)}", file=path)
        yield Template(number, text, slot, held.get("must_be_noun") is True)


def _optional(held: dict[str, Any], key: str, path: Path) -> str | None:
    value = held.get(key)
    if value is not None and not isinstance(value, str):
        raise InvalidData(f"must be text, not {value!r:.40}", file=path, key=key)
    return value


def _items(value: Any, path: Path, noun: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict) or not value:
        raise InvalidData(f"not a HolisticBias file: an object with {noun} is needed", file=path)
    if not all(name.strip() for name in value):
        raise InvalidData(f"one of the {noun} has no name", file=path)
    return list(value.items())


def _list(value: Any, path: Path, place: str) -> list[Any]:
    if not isinstance(value, list):
        raise InvalidData(f"{place} has no list", file=path)
    return value
