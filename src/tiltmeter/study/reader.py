"""What the readers of a study file share: values of the right kind, names, sources, and errors that say where."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter import toml
from tiltmeter.errors import InvalidStudy, UnknownName, UserError
from tiltmeter.files import is_file, is_there
from tiltmeter.models import lasting_name
from tiltmeter.registry import names
from tiltmeter.sources.generated.settings import GenerationSettings
from tiltmeter.sources.interface import Source
from tiltmeter.study.records import GENERATED, MODEL_OPTIONS, SourceChoice
from tiltmeter.views import FACTS, VIEWS, View

_WORDS = {str: "a string", int: "a whole number", list: "a list", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Reader:
    """The text and data of one study file."""

    text: str
    data: Mapping[str, Any]
    file: Path | None
    size: str = ""
    """The one of its sizes that the study names."""

    def value(self, key: tuple[str, ...], kind: type, default: Any) -> Any:
        """What stands under a key, if it is of the right kind."""
        holder: Any = self.data
        for part in key[:-1]:
            holder = holder.get(part, {})
        found = holder.get(key[-1], default)
        if not isinstance(found, kind) or isinstance(found, bool):
            raise self.error(key, f"{found!r} is not {_WORDS[kind]}")
        return found

    def table(self, key: str, known: set[str]) -> Mapping[str, Any]:
        """A table of the file, which holds nothing but known keys."""
        found: Mapping[str, Any] = self.value((key,), dict, {})
        self.known_keys((key,), found, known)
        return found

    def names(self, key: tuple[str, ...]) -> list[str]:
        """A list of strings, each once."""
        found: list[Any] = self.value(key, list, [])
        for name in found:
            if not isinstance(name, str) or not name.strip():
                raise self.error(key, f"{name!r} is not a name; write a list of strings")
        doubled = {name for name in found if found.count(name) > 1}
        if doubled:
            raise self.error(key, f"`{sorted(doubled)[0]}` is listed twice")
        return found

    def known_keys(self, place: tuple[str, ...], table: Mapping[str, Any], known: set[str]) -> None:
        """Refuse a key that means nothing."""
        for key in table:
            if key not in known:
                raise self.error((*place, key), UnknownName("key", key, known).problem)

    def named(self, key: tuple[str, ...], given: Any, noun: str, example: str) -> tuple[str, Mapping[str, Any]]:
        """The name and the options of something: `"templates"` or `{ templates = { … } }`."""
        options: Any = {}
        if isinstance(given, dict) and len(given) == 1:
            given, options = next(iter(given.items()))
        if not isinstance(given, str) or not isinstance(options, dict):
            raise self.error(key, f'{given!r} is not a {noun}; write "{example}" or {{ {example} = {{ … }} }}')
        return given, options

    def sources(
        self, key: tuple[str, ...], given: list[Any], read: Callable[[Any], SourceChoice]
    ) -> tuple[SourceChoice, ...]:
        """Sources, each with a label of its own."""
        made: list[SourceChoice] = []
        every = [read(one) for one in given]
        for source in every:
            name = label(source, every)
            if source in [replace(other, label="") for other in made]:
                raise self.error(key, f"`{name}` is listed twice")
            labels = [other.label for other in made]
            same = sum(other == name or other.startswith(f"{name} (") for other in labels)
            made.append(replace(source, label=f"{name} ({same + 1})" if same else name))
        return tuple(made)

    def check_options(self, key: tuple[str, ...], source: Source, options: Mapping[str, Any]) -> None:
        """Refuse an option that a source does not have."""
        known = {one.name for one in source.options}
        for option in options:
            if option not in known:
                raise self.error(key, UnknownName(f"option of `{source.name}`", option, known).problem)

    def source(self, key: tuple[str, ...], name: str, view: View) -> Source:
        """A source of a view; where it makes items of other views only, these are named."""
        try:
            return Source.named(name, view)
        except UnknownName as error:
            short = name.rsplit(".v", 1)[0]
            others = [one for one in VIEWS if any(full.rsplit(".v", 1)[0] == short for full in names("source", one))]
            serves = f"`{name}` makes items for {' and '.join(map(repr, others))}, not for {view!r}; "
            raise self.error(key, f"{serves if others else ''}{error.problem}") from None

    def beside(self, path: str) -> Path:
        """A path of the file, which is relative to the file."""
        return (self.file.parent if self.file else Path()) / Path(path).expanduser()

    def error(self, key: Sequence[str], problem: str) -> InvalidStudy:
        """What is wrong, with the line on which it stands."""
        found, path = toml.lines(self.text), ("sizes", self.size, *key)
        path = path if self.size and path in found else tuple(key)
        return InvalidStudy(problem, file=self.file, line=toml.line_of(found, path), key=".".join(path))


def label(source: SourceChoice, among: Sequence[SourceChoice] = ()) -> str:
    """How results name a source, if no other of the study has the same name.

    Of generated sentences the generator, other examples than the usual ones, and every setting in which the sources of
    one generator differ.

    >>> plain, fixed = (SourceChoice(GENERATED, None, {"by": "m", **more}) for more in ({}, {"shots": "fixed"}))
    >>> label(plain), label(plain, [plain, fixed]), label(fixed)
    ('generated[by=m]', 'generated[by=m, shots=own]', 'generated[by=m, shots=fixed]')
    """
    short = source.name.rsplit(".v", 1)[0]
    parts = [Path(source.path).stem] if source.path else []
    shown = sorted(source.options.items()) if source.name != GENERATED else _distinguishing_settings(source, among)
    parts += [f"{key}={_label_value(lasting_name(value) if key in MODEL_OPTIONS else value)}" for key, value in shown]
    return f"{short}[{', '.join(parts)}]" if parts else short


def _distinguishing_settings(source: SourceChoice, among: Sequence[SourceChoice]) -> list[tuple[str, Any]]:
    alike = [one for one in among if one.name == GENERATED and one.options["by"] == source.options["by"]]
    keys = sorted({key for one in alike for key in one.options} - {"by"})
    differ = {key for key in keys if len({_label_value(_setting(one, key)) for one in alike}) > 1}
    if _setting(source, "shots") != GenerationSettings().shots:
        differ.add("shots")
    return [(key, _setting(source, key)) for key in ("by", *sorted(differ))]


def _setting(source: SourceChoice, key: str) -> Any:
    """What a source of generated sentences says, or what holds where it says nothing."""
    usual = GenerationSettings()
    said = (source.options.get(key), getattr(usual, key, None), getattr(usual.decoding, key, None))
    return next((one for one in said if one is not None), "usual")


def _label_value(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


def prompt_sources(reader: Reader, view: View, default: list[str]) -> tuple[SourceChoice, ...]:
    """The sources of prompts of a view, with the paths of their files and the options that they have."""
    key = (FACTS[view].key, "sources")

    def read(given: Any) -> SourceChoice:
        given, options = reader.named(key, given, "source", default[0])
        name, _, path = given.partition(":")
        source = reader.source(key, name, view)
        if (path and not source.reads_file) or (not path and source.reads_file and source.needs_input):
            right = f'"{name}:PATH"' if source.reads_file else f'"{name}"'
            raise reader.error(key, f"`{given}` {'needs a' if source.reads_file else 'takes no'} path; write {right}")
        place = place_of(reader, key, source, path)
        reader.check_options(key, source, options)
        return SourceChoice(source.name, place, options)

    return reader.sources(key, reader.value(key, list, default), read)


def place_of(reader: Reader, key: tuple[str, ...], source: Source, path: str) -> str | None:
    """The path of a source's files, all of which are there; None where it has none."""
    place = str(reader.beside(path)) if path and is_there(reader.beside(path)) else path
    try:
        missing = [file for file in source.files(place or None) if not is_file(file)]
    except UserError as error:
        raise reader.error(key, f"`{source.name.partition('.v')[0]}:{path}`: {error.problem}") from None
    if missing:
        raise reader.error(key, f"there is no file {reader.beside(path)}")
    return place or None
