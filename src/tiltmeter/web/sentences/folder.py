"""The folder of a set of test sentences, plain files all of them, so that the command line can take it over."""

from __future__ import annotations

import shutil
from pathlib import Path

from tiltmeter.errors import RunError
from tiltmeter.store import locked
from tiltmeter.web.jobs import Work

ORDER = "order.toml"
"""What is to be written and by whom."""
SPEC = "spec.toml"
"""The spec as it was when the sentences were ordered."""
SENTENCES = "sentences.csv"
"""The sentences; those that were struck are marked as dropped."""
WRITTEN = "written.csv"
"""The same as the model wrote them."""
DROPPED = "dropped.csv"
"""What was written and not kept, with reasons."""
ACCOUNT = "account.json"
ISSUES = "issues.json"
"""What the audit found."""


def is_set(folder: Path) -> bool:
    """Whether a folder holds sentences, or an order for some."""
    return (folder / ORDER).is_file() or (folder / SENTENCES).is_file()


def remove(folder: Path) -> None:
    """Delete a set for good; refuses what is none, or is somebody's at the moment."""
    if folder.is_symlink():
        raise RunError(f"`{folder.name}` only points to a folder elsewhere; remove it there")
    if not is_set(folder):
        raise RunError(f"`{folder.name}` is no set of sentences: it holds other files, and is left alone")
    try:
        with locked(folder):
            shutil.rmtree(folder)
    except OSError as error:
        raise RunError(f"the sentences `{folder.name}` cannot be removed: {error.strerror or error}") from error


def _command(_: Path, folder: Path) -> list[str]:
    return ["tiltmeter.web.sentences.writing", str(folder)]


WRITING = Work("set of sentences", _command, lambda folder: (folder / SENTENCES).is_file())
