"""The text of a study in the folder of the workbench: read, checked and planned, whether it is saved or not."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter import specs
from tiltmeter.errors import InvalidStudy, TiltmeterError, UserError
from tiltmeter.raters import class_map, functions
from tiltmeter.study import Plan, Study, parse, plan
from tiltmeter.web.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a study, and the line of its text."""

    sentence: str
    line: int | None = None


def data_in(text: str) -> Mapping[str, Any]:
    """The data of a TOML text, of which nothing else is known."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        raise UserError("the TOML cannot be read, so that the form cannot change it; mend the TOML first") from None


def planned(bench: Workbench, text: str, name: str) -> Plan:
    """The plan of a study that may not be saved yet; `name` is that of its file, if it has one."""
    return plan(parse(text, place_of(bench, name)))


def problem_of(bench: Workbench, text: str, name: str) -> Problem | None:
    """What is wrong with the text of a study; None: nothing."""
    try:
        parse(text, place_of(bench, name))
    except TiltmeterError as error:
        return worded(bench, error)
    return None


def refuse_foreign_code(bench: Workbench, study: Study) -> None:
    """Refuse a study that runs Python from outside this folder, or from the folder of a run: it may be anybody's."""
    home = bench.home.resolve()
    for rater in study.continuations.raters if study.continuations else ():
        if rater.name == class_map.PYTHON:
            file = functions.file_of(rater.argument or "")
            place = file.resolve() if file else None
            runs = (home / "runs").resolve()
            if place is None or not place.is_relative_to(home) or place.is_relative_to(runs):
                where, _ = class_map.split(rater.argument or "")
                raise UserError(
                    f"`python:{where}` is not started from here: the workbench runs Python only from a file in its own "
                    "folder, and from none in `runs`; move the file, or use `tiltmeter run`"
                )


def worded(bench: Workbench, error: TiltmeterError) -> Problem:
    """The sentence about a mistake, with its line where that is in the study itself."""
    if isinstance(error, InvalidStudy):
        return Problem(f"{error.key}: {error.problem}" if error.key else error.problem, error.line)
    return Problem(bench.message_for(error))


def place_of(bench: Workbench, name: str) -> Path:
    """Where the study file is or would be; relative paths in it are seen from there."""
    known = bench.studies()
    if name in known:
        return known[name]
    # A folder that is not there has nothing beside it; what a study names lies beside any of these.
    folder = next(
        (bench.home / one for one in ("studies", "specs", "sentences") if (bench.home / one).is_dir()), bench.home
    )
    return folder / "study.toml"


def own_specs(bench: Workbench) -> Sequence[tuple[str, str]]:
    """The user's own specs as a study names them, and their titles."""
    found = []
    for name, path in bench.specs().items():
        try:
            title = specs.read(path).title or name
        except TiltmeterError:
            title = "a draft: it has mistakes, and no study can use it yet"
        found.append((reference_to(name), title))
    return found


def reference_to(name: str) -> str:
    """How a file in `studies/` names one in `specs/`."""
    return f"../specs/{name}.toml"
