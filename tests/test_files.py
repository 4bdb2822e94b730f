"""Files are written whole or not at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData, RunError
from tiltmeter.files import _unfinished, read_csv, whole_file, write_csv


def test_a_file_appears_only_when_it_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "out" / "table.csv"
    with pytest.raises(KeyboardInterrupt), whole_file(path) as file:
        file.write("half")
        raise KeyboardInterrupt
    assert list(path.parent.iterdir()) == []
    write_csv(path, ["a", "b"], [{"a": 1, "b": None}])
    assert path.read_text(encoding="utf-8") == "a,b\n1,\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["table.csv"]


def test_a_left_over_file_of_a_process_that_cannot_be_goes(tmp_path: Path) -> None:
    left = tmp_path / f"{_unfinished(tmp_path / 'table.csv')}{10**30}-x"
    left.touch()
    with whole_file(tmp_path / "table.csv") as file:
        file.write("a")
    assert not left.exists()


def test_what_a_killed_process_left_of_a_file_goes_with_the_next_one(tmp_path: Path) -> None:
    program = (
        "import sys; from tiltmeter.files import whole_file\n"
        "with whole_file(sys.argv[1]) as file: file.write('half'); file.flush(); print('here', flush=True); input()"
    )

    def begin(name: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(tmp_path / name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None and process.stdout.readline() == "here\n"
        return process

    killed, alive, other = begin("table.csv"), begin("table.csv"), begin("other.csv")
    killed.kill(), other.kill()
    killed.communicate(), other.communicate()
    assert len(list(tmp_path.iterdir())) == 3
    with whole_file(tmp_path / "table.csv") as file:
        file.write("whole")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert len(names) == 3 and names[2] == "table.csv"
    assert names[0].startswith(".other.csv.") and names[1].startswith(".table.csv.")
    alive.communicate("go on\n")
    assert alive.returncode == 0
    assert (tmp_path / "table.csv").read_text(encoding="utf-8") == "half"


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(ValueError, match="no"), whole_file(path) as file:
        file.write("new")
        raise ValueError("no")
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_said_in_a_sentence() -> None:
    with pytest.raises(RunError, match="/dev/full: cannot be written: No space left on device"):
        write_csv("/dev/full", ["a"], [{"a": "x" * 100_000}])
    assert Path("/dev/full").is_char_device()


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is a folder; name a file"), whole_file(tmp_path):
        pass


def test_line_separators_inside_cells_are_text(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text('a,b\n"x\u2028y\nz",one\u2028two\n', encoding="utf-8-sig")
    assert read_csv(path) == (["a", "b"], [{"a": "x\u2028y\nz", "b": "one\u2028two"}])


def test_a_folder_cannot_be_read_as_a_table(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match="cannot be read: Is a directory"):
        read_csv(tmp_path)
