"""The sources of prompts that a table of a study file names."""

from __future__ import annotations

from typing import Any

from tiltmeter import registry
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.files import is_file, is_there
from tiltmeter.study.reader import Reader, material
from tiltmeter.study.records import SourceChoice, prompt_files


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
