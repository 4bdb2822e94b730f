"""Writes docs/commands.md from the help texts of the command line: `python docs/write_commands.py`."""

from __future__ import annotations

import re
from pathlib import Path

import typer
from typer.main import get_command

from tiltmeter.cli import app

TARGET = Path(__file__).with_name("commands.md")
HEAD = """# Commands

Written by `python docs/write_commands.py` from the program itself; a test keeps it current. Every command prints a
table for people or, with `--json`, JSON for machines; every command has `--help`. Exit status: 0, or 1 where a
`--fail-if` condition holds, or 2 with one sentence where something is wrong.
"""


_SAID_ABOVE = re.compile(r"  (-h, )?--help  |  --json  +Print JSON for machines instead of a table\.")
"""Options that all commands have."""


def page() -> str:
    """The page as it should be."""
    command = get_command(app)
    parts = [HEAD]
    for name, sub in command.commands.items():
        parts += _section(sub, f"tiltmeter {name}", "##")
        for child_name, child in getattr(sub, "commands", {}).items():
            parts += _section(child, f"tiltmeter {name} {child_name}", "###")
    return "\n".join(parts)


def _section(command, path: str, level: str) -> list[str]:
    context = typer.Context(command, info_name=path, terminal_width=100, max_content_width=100)
    shown = [line.rstrip() for line in command.get_help(context).strip().splitlines()]
    lines = "\n".join(line for line in shown if not _SAID_ABOVE.match(line))
    return [f"{level} `{path}`\n", f"```text\n{lines}\n```\n"]


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
