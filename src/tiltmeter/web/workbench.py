"""The folder that the workbench works in: specs, studies and runs, each found by name among those that are there.

A name from a request never becomes part of a path: it is looked up. Names that the workbench gives are plain ones.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from tiltmeter.errors import UserError
from tiltmeter.files import whole_file
from tiltmeter.store import LEDGER
from tiltmeter.web.jobs import Jobs, was_refused
from tiltmeter.web.sentences.folder import WRITING, is_set

_PLAIN = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 80


class NotThere(UserError):
    """Nothing of that name is in the folder."""

    def __init__(self, noun: str, name: str) -> None:
        super().__init__(f"there is no {noun} `{name}` in this folder; it may have been renamed or removed")


@dataclass(frozen=True, slots=True)
class Workbench:
    """A folder with `specs/*.toml`, `sentences/*`, `studies/*.toml` and `runs/*`; or a single run folder."""

    folder: Path
    jobs: Jobs = field(default_factory=Jobs)
    writing: Jobs = field(default_factory=lambda: Jobs(WRITING))
    """The writing of sentences."""

    @property
    def home(self) -> Path:
        """Where specs and studies are: beside the folder `runs` where a run folder was named."""
        if not self.is_run:
            return self.folder
        return self.folder.parent.parent if self.folder.parent.name == "runs" else self.folder.parent

    @property
    def is_run(self) -> bool:
        """Whether the folder is a run itself."""
        return (self.folder / LEDGER).is_file()

    def specs(self) -> dict[str, Path]:
        """The spec files, by name."""
        return _toml_files(self.home / "specs")

    def studies(self) -> dict[str, Path]:
        """The study files, by name."""
        return _toml_files(self.home / "studies")

    def runs(self) -> dict[str, Path]:
        """The run folders, by name, the newest first; also of runs that failed before they had a ledger."""
        inside = _folders(self.folder / "runs") if not self.is_run else [self.folder]
        found = [path for path in inside if (path / LEDGER).is_file() or path in self.jobs or was_refused(path)]
        return {path.name: path for path in sorted(found, key=changed, reverse=True)}

    def sentences(self) -> dict[str, Path]:
        """The folders of sets of test sentences, by name, the newest first."""
        found = [path for path in _folders(self.home / "sentences") if is_set(path)]
        return {path.name: path for path in sorted(found, key=changed, reverse=True)}

    def unreadable_names(self, noun: Literal["specs", "sentences", "studies", "runs"]) -> list[str]:
        """The names that cannot stand in an address, and so are in none of the lists, as far as they can be read."""
        folder = (self.folder if noun == "runs" else self.home) / noun
        odd = [path for path in folder.iterdir() if not _is_text(path.name)] if folder.is_dir() else []
        return sorted(os.fsencode(path.name).decode("utf-8", "backslashreplace") for path in odd)

    def spec(self, name: str) -> Path:
        """The spec file of a name."""
        return _found("spec", name, self.specs())

    def study(self, name: str) -> Path:
        """The study file of a name."""
        return _found("study", name, self.studies())

    def run(self, name: str) -> Path:
        """The run folder of a name."""
        return _found("run", name, self.runs())

    def sentence_set(self, name: str) -> Path:
        """The folder of a set of sentences."""
        return _found("set of sentences", name, self.sentences())

    def new_sentence_set(self, name: str) -> Path:
        """Where a new set of sentences goes."""
        return self.home / "sentences" / checked_name("set of sentences", name)

    def new_run(self, name: str) -> Path:
        """Where the run of a study goes."""
        return (self.home / "runs") / checked_name("run", name)

    def message_for(self, error: Exception) -> str:
        """What is wrong, without a word from a file outside this folder: a study that names one may be anybody's."""
        file = getattr(error, "file", None)
        home = self.home.resolve()
        if file is None or not Path(file).is_file() or Path(file).resolve().is_relative_to(home):
            return str(error).replace(f"{self.home}/studies/../", "").replace(f"{self.home}/", "")
        problem = "is not what it is taken for; it is outside this folder, so that nothing is quoted from it here"
        return str(UserError(f"{problem} (the command line says more)", file=file))

    def write_spec(self, name: str, text: str) -> Path:
        """Write a spec file; one that is there keeps its name, a new one gets a plain one."""
        there = self.specs().get(name)
        return _written(there or self.home / "specs" / f"{checked_name('spec', name)}.toml", text)

    def write_study(self, name: str, text: str) -> Path:
        """Write a study file."""
        return _written(self.home / "studies" / f"{checked_name('study', name)}.toml", text)


def checked_name(noun: str, name: str) -> str:
    """The name, where it is fit for a new file.

    >>> checked_name("spec", "gender-at-work")
    'gender-at-work'
    """
    if not _PLAIN.fullmatch(name) or len(name) > _LONGEST:
        raise UserError(
            f"`{name[:_LONGEST]}` cannot be the name of a {noun}: use small letters, digits and single hyphens, "
            f"such as `gender-at-work`, and at most {_LONGEST} of them"
        )
    return name


def plain_name(text: str) -> str:
    """A name made of a title.

    >>> plain_name("Gender at work: nurses & co.")
    'gender-at-work-nurses-co'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower())[:_LONGEST].strip("-") or "unnamed"


def _found(noun: str, name: str, known: dict[str, Path]) -> Path:
    if name not in known:
        raise NotThere(noun, name)
    return known[name]


def _toml_files(folder: Path) -> dict[str, Path]:
    found = sorted(folder.glob("*.toml")) if folder.is_dir() else []
    return {path.stem: path for path in found if path.is_file() and _is_text(path.name)}


def _folders(folder: Path) -> Iterable[Path]:
    inside = folder.iterdir() if folder.is_dir() else ()
    return [path for path in inside if path.is_dir() and _is_text(path.name)]


def _is_text(name: str) -> bool:
    """Whether the name of a file is UTF-8: where it is not, Python puts halves of signs for its bytes."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def changed(path: Path) -> float:
    """When a run changed last; one that is gone meanwhile comes last."""
    for file in (path / LEDGER, path):
        try:
            return file.stat().st_mtime
        except OSError:
            continue
    return 0.0


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        file.write(text)
    return path
