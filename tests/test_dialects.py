"""Tables are read however a spreadsheet saved them, and what was assumed is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData
from tiltmeter.files import dialect_assumptions, read_csv, read_numbered_csv

ROWS = [{"Gruppe": "Männer", "Text": "Er kam; spät, heute", "Wert": "0,4"}, {"Gruppe": "é", "Text": "", "Wert": ""}]


def saved(path: Path, separator: str, encoding: str, *, lead: str = "", mark: bytes = b"") -> Path:
    lines = [separator.join(ROWS[0]), *(separator.join(f'"{cell}"' for cell in row.values()) for row in ROWS)]
    lines.insert(2, "")
    lines.insert(3, separator * 2)
    path.write_bytes(mark + (lead + "\r\n".join(lines) + "\r\n").encode(encoding))
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16"])
def test_a_table_is_the_same_however_it_was_saved(tmp_path: Path, separator: str, encoding: str) -> None:
    path = saved(tmp_path / "t.csv", separator, encoding)
    assert read_csv(path) == (list(ROWS[0]), ROWS)
    said = " ".join(dialect_assumptions(path))
    assert ("separated" in said) == (separator != ",")
    assert ("read as" in said) == (not encoding.startswith("utf-8"))
    assert "2 empty lines" in said


def test_a_byte_order_mark_before_latin_letters_and_a_line_that_names_the_separator(tmp_path: Path) -> None:
    assert read_csv(saved(tmp_path / "a.csv", ";", "cp1252", mark=b"\xef\xbb\xbf"))[1] == ROWS
    columns, rows = read_numbered_csv(saved(tmp_path / "b.csv", ";", "utf-8", lead="sep=;\n"))
    assert columns == list(ROWS[0]) and [line for line, _ in rows] == [3, 6]


def test_the_separator_is_the_one_that_fits_every_row(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text;rating, 0 to 1\nShe ran;0,5\nHe, too;1\nThey;1\n", encoding="utf-8")
    columns, rows = read_csv(path)
    assert columns == ["text", "rating, 0 to 1"]
    assert [tuple(row.values()) for row in rows] == [("She ran", "0,5"), ("He, too", "1"), ("They", "1")]
    path.write_text("text,note\nShe ran; he did not,a;b\n", encoding="utf-8")
    assert read_csv(path)[1] == [{"text": "She ran; he did not", "note": "a;b"}]


def test_a_table_that_was_cut_off_is_not_taken_for_another_kind(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("text,group\nsüß und spät,ä\nspä".encode()[:-1])
    with pytest.raises(InvalidData, match="damaged or cut off"):
        read_csv(path)
    path.write_text("text,group\nx,y\nz\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="line 3: 1 cell where the header has 2"):
        read_csv(path)
