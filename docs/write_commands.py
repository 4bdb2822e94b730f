"""Writes docs/commands.md from the help texts of the command line: `python docs/write_commands.py`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from typer.main import get_command

from tiltmeter.cli import app

TARGET = Path(__file__).with_name("commands.md")
HEAD = """# Commands

Written by `python docs/write_commands.py` from the program itself; a test keeps it current. Every command prints a
table for people or, with `--json`, JSON for machines; `--help` says more about each. Exit status: 0, or 1 if a
`--fail-if` condition holds, or 2 with one sentence if something is wrong.

## Shared options

Commands that end with "and" and a list of options share these:
"""
KINDS: dict[Any, str] = {Path: "PATH", int: "NUMBER", float: "NUMBER"}
ENOUGH = 4
"""Commands that have an option with the same words before these are said once for all of them."""


def page() -> str:
    """The page as it should be."""
    commands = list(_commands(get_command(app), "tiltmeter"))
    shared = [line for line, times in Counter(_lines(commands)).items() if times >= ENOUGH]
    return "\n".join([HEAD, *shared, "", *(part for one in commands for part in _section(*one, shared))])


def _commands(command: Any, path: str) -> Iterator[tuple[Any, str]]:
    for name, sub in command.commands.items():
        yield sub, f"{path} {name}"
        if hasattr(sub, "commands"):
            yield from _commands(sub, f"{path} {name}")


def _lines(commands: list[tuple[Any, str]]) -> Iterator[str]:
    return (_line(one) for command, _ in commands for one in _options(command))


def _options(command: Any) -> list[Any]:
    return [one for one in command.params if not {"--json", "--help"} & {*one.opts}]


def _line(one: Any) -> str:
    """What an option or argument is called, and what it does."""
    names = ", ".join(sorted((*one.opts, *one.secondary_opts), key=len)) if one.opts[0].startswith("-") else ""
    value = "" if getattr(one, "is_flag", False) else one.metavar or _value(one)
    called = " ".join(part for part in (names, value) if part)
    return f"- `{called}`: {one.help}{_default(one)}"


def _value(one: Any) -> str:
    """The values to choose from, or what kind of value it is; of an argument its name in capitals."""
    if not one.opts[0].startswith("-"):
        return str(one.name).upper()
    kind = one.type_descriptor.annotation
    for each in (kind, *get_args(kind)):
        if isinstance(each, type) and issubclass(each, Enum):
            return "|".join(choice.value for choice in each)
        if get_origin(each) is Literal:
            return "|".join(get_args(each))
        if each in KINDS:
            return KINDS[each]
    return "TEXT"


def _default(one: Any) -> str:
    if getattr(one, "is_flag", False) or isinstance(one.default, list | tuple) or callable(one.default):
        return ""
    if one.required and one.opts[0].startswith("-"):
        return " Required."
    known = one.default is not None and one.default != "" and "efault" not in (one.help or "") and not one.required
    return f" Default: `{getattr(one.default, 'value', one.default)}`." if known else ""


def _section(command: Any, path: str, shared: list[str]) -> list[str]:
    """A heading, what the command does in a sentence, its options, and the names of those that others have too."""
    said = " ".join((command.help or "").strip().split("\n\n")[0].split())
    lines = [_line(one) for one in _options(command)]
    own = [line for line in lines if line not in shared]
    others = [re.findall(r"--[\w-]+", line.split("`")[1])[0] for line in lines if line in shared]
    also = [f"- and {', '.join(f'`{one}`' for one in others)}"] if others else []
    level = "#" * path.count(" ")
    return [f"#{level} `{path}`", "", said, "", *own, *also, *([""] if own or also else [])]


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
