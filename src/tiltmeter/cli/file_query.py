"""What is asked of files, whatever they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileQuery:
    """The files of a command, what their columns are called, and which rows count."""

    places: Sequence[str | Path]
    columns: Mapping[str, str]
    where: Mapping[str, str]
    reference: str | None
    level: float
    seed: int

    @property
    def only(self) -> str | Path:
        """The one file of a command that takes one."""
        [place] = self.places
        return place
