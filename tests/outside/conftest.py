"""What every test here goes through: the command line, its tables, and servers that are really there.

Nothing here calls what is inside, so that each test can be run on any earlier commit, where it fails for what it names.
"""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tests.cli.conftest import tiltmeter
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel

__all__ = ["tiltmeter"]


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


def scripted() -> ScriptedModel:
    return ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
