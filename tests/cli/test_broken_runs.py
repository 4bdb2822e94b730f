"""Commands that read a run folder, on folders that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.store.broken import EMPTY, META
from tests.web.texts_run import make_texts

pytestmark = pytest.mark.slow
CASES = {
    ("report",): "no fingerprint",
    ("report", "--format", "md"): "no SQLite",
    ("export",): "resolved no JSON",
    ("multiverse",): "of another program",
    ("compare",): "empty meta",
    ("plan", "--width", "0.05"): "specs without names",
    ("sentences", "audit"): "empty file",
}


@pytest.mark.parametrize("command", CASES)
def test_a_command_says_in_one_sentence_what_is_wrong(
    tiltmeter: Command, tmp_path: Path, command: tuple[str, ...]
) -> None:
    folder = make_texts(tmp_path)
    name = CASES[command]
    (META[name][0] if name in META else EMPTY[name])(folder)
    before = _files(folder)
    said = tiltmeter(*command, str(folder))
    assert said.status == 2, said.err
    assert len(said.err.strip().splitlines()) == 1, said.err
    assert said.out == ""
    assert _files(folder) == before


def _files(folder: Path) -> list[Path]:
    """What is in a folder, without what SQLite needs for reading."""
    return sorted(path for path in folder.rglob("*") if not path.name.endswith(("-shm", "-wal")))
