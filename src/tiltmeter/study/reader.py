"""What the readers of a study file share: values of the right kind, names, sources, and errors that say where."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter import registry, toml
from tiltmeter.errors import InvalidStudy, UnknownName, UserError
from tiltmeter.files import is_file, is_there
from tiltmeter.models import lasting_name
from tiltmeter.sources.generated.settings import GenerationSettings
from tiltmeter.study.records import GENERATED, MODEL_OPTIONS, SourceChoice, prompt_files

GIVEN = frozenset({"seed", "specs"})
"""Parameters of a source that the study itself gives, and that are no options."""
_WORDS = {str: "a string", int: "a whole number", list: "a list", dict: "a table"}


@dataclass(frozen=True, slots=True)
class Reader:
    """The text and data of one study file."""

    text: str
    data: Mapping[str, Any]
    file: Path | None

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

    def check_options(self, key: tuple[str, ...], noun: str, name: str, options: Mapping[str, Any]) -> None:
        """Refuse an option that a source does not have."""
        known = {
            parameter.name
            for parameter in inspect.signature(registry.load(noun, name)).parameters.values()
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY
        } - GIVEN
        for option in options:
            if option not in known:
                raise self.error(key, UnknownName(f"option of `{name}`", option, known).problem)

    def beside(self, path: str) -> Path:
        """A path of the file, which is relative to the file."""
        return (self.file.parent if self.file else Path()) / Path(path).expanduser()

    def error(self, key: Sequence[str], problem: str) -> InvalidStudy:
        """What is wrong, with the line on which it stands."""
        return InvalidStudy(
            problem, file=self.file, line=toml.line_of(toml.lines(self.text), tuple(key)), key=".".join(key)
        )


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
    shown = sorted(source.options.items()) if source.name != GENERATED else _told_apart(source, among)
    parts += [f"{key}={_shown(lasting_name(value) if key in MODEL_OPTIONS else value)}" for key, value in shown]
    return f"{short}[{', '.join(parts)}]" if parts else short


def _told_apart(source: SourceChoice, among: Sequence[SourceChoice]) -> list[tuple[str, Any]]:
    alike = [one for one in among if one.name == GENERATED and one.options["by"] == source.options["by"]]
    keys = sorted({key for one in alike for key in one.options} - {"by"})
    differ = {key for key in keys if len({_shown(_setting(one, key)) for one in alike}) > 1}
    if _setting(source, "shots") != GenerationSettings().shots:
        differ.add("shots")
    return [(key, _setting(source, key)) for key in ("by", *sorted(differ))]


def _setting(source: SourceChoice, key: str) -> Any:
    """What a source of generated sentences says, or what holds where it says nothing."""
    usual = GenerationSettings()
    said = (source.options.get(key), getattr(usual, key, None), getattr(usual.decoding, key, None))
    return next((one for one in said if one is not None), "usual")


def _shown(value: Any) -> str:
    return "+".join(map(str, value)) if isinstance(value, list) else str(value)


@dataclass(frozen=True, slots=True)
class Material:
    """What a source is made from: a `path`, a `spec`, or nothing (an empty name); and whether it can do without."""

    name: str
    needed: bool


def takes_specs(noun: str, source: str) -> bool:
    """Whether a source that reads a file looks the biases of the file up in specs."""
    return "specs" in inspect.signature(registry.load(noun, source)).parameters


def material(noun: str, source: str) -> Material:
    """What a source is called with, seen from its first parameter.

    >>> material("prompt-source", "bold.v1"), material("prompt-source", "own-prompts.v1").name
    (Material(name='path', needed=True), '')
    """
    first = next(iter(inspect.signature(registry.load(noun, source)).parameters.values()), None)
    if first is None or first.kind is inspect.Parameter.KEYWORD_ONLY:
        return Material("", needed=False)
    return Material(first.name, needed=first.default is inspect.Parameter.empty)


def prompt_sources(reader: Reader, view: str, noun: str, default: list[str]) -> tuple[SourceChoice, ...]:
    """The sources of a view, with the paths of their files and the options that they have."""
    key = (view, "sources")

    def read(given: Any) -> SourceChoice:
        given, options = reader.named(key, given, "source", default[0])
        name, _, path = given.partition(":")
        try:
            full = registry.resolve(noun, name)
        except UnknownName as error:
            raise reader.error(key, error.problem) from None
        made_from = material(noun, full)
        reads = made_from.name == "path"
        if (path and not reads) or (not path and reads and made_from.needed):
            right = f'"{name}:PATH"' if reads else f'"{name}"'
            raise reader.error(key, f"`{given}` {'needs a' if reads else 'takes no'} path; write {right}")
        place = str(reader.beside(path)) if path and is_there(reader.beside(path)) else path
        try:
            missing = [file for file in prompt_files(noun, full, place or None) if not is_file(file)]
        except UserError as error:
            raise reader.error(key, f"`{given}`: {error.problem}") from None
        if missing:
            raise reader.error(key, f"there is no file {reader.beside(path)}")
        reader.check_options(key, noun, full, options)
        return SourceChoice(full, place or None, options)

    return reader.sources(key, reader.value(key, list, default), read)
