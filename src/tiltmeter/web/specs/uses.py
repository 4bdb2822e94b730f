"""Which studies name a spec, so that nobody renames or deletes it unawares."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.errors import UserError
from tiltmeter.files import read_text
from tiltmeter.web.specs.entries import Entry
from tiltmeter.web.specs.text import parsed
from tiltmeter.web.workbench import Workbench


def studies_with(workbench: Workbench, entry: Entry) -> list[str]:
    """The studies of the workbench that name the file of a spec."""
    return [name for name, path in workbench.studies().items() if _names(path, workbench.spec(entry.name))]


def _names(study: Path, spec: Path) -> bool:
    try:
        named = (parsed(read_text(study)) or {}).get("specs")
    except UserError:
        return False
    listed = [one for one in named if isinstance(one, str)] if isinstance(named, list) else []
    return any(_same_file(study.parent / one, spec) for one in listed if "\0" not in one)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.is_file() and one.samefile(other)
    except OSError:
        return False
