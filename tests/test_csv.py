"""One writer for all CSV: what is written is read back, in every version of Python and by other readers too."""

from __future__ import annotations

import csv
import io
import re
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tiltmeter
from tiltmeter.errors import InvalidData
from tiltmeter.files import csv_text, read_csv, write_csv
from tiltmeter.formulas import defused, undone
from tiltmeter.records import Written
from tiltmeter.results.summary.people_ratings import read_ratings
from tiltmeter.sources.generated.annotations import export_annotations
from tiltmeter.sources.generated.sentence_files import read_sentences, write_sentences
from tiltmeter.text import readable

_SIGNS = [chr(number) for number in range(0x100)] + list(
    "\u0085\u2028\u2029\ufeff\u200b\u00a0\u3000\u202e\ufffe\U0010ffff"
)
_FIRST_OF_CLASS = sorted({unicodedata.category(chr(number)): chr(number) for number in range(sys.maxunicode)}.values())
_PLACES = ("{}", "{}a", "a{}", "a{}b", "{}{}", '"{}', "{},", "\r{}\n")
cells = st.text(
    st.one_of(st.sampled_from("\r\n\t\",;|'=+-@ {[\0\x1a\x85\u2028\ufeff"), st.characters(exclude_categories=()))
)
HOSTILE = ["=1+1", "+1 a", "-", "@SUM(A1)", "\t=1", "\r=1", " =1", "'=1", "''=1", "＝1", "=cmd|' /C calc'!A0"]


def back(path: Path, columns: list[str], rows: list[list[str]], *, delimiter: str = ",") -> list[list[str]]:
    write_csv(path, columns, [dict(zip(columns, row, strict=True)) for row in rows], delimiter=delimiter)
    names, read = read_csv(path, delimiter)
    assert names == columns
    return [list(row.values()) for row in read]


@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_every_sign_in_every_place_is_read_back(tmp_path: Path, delimiter: str) -> None:
    signs = dict.fromkeys([*_SIGNS, *_FIRST_OF_CLASS])
    rows = [[str(number), place.format(sign, sign)] for number, sign in enumerate(signs) for place in _PLACES]
    wanted = [[number, readable(cell)] for number, cell in rows]
    assert back(tmp_path / "t.csv", ["id", "text"], rows, delimiter=delimiter) == wanted
    # As a column alone, and as the first one, where a sign may pass for that of the encoding or for JSON.
    texts = [[cell] for _, cell in wanted if cell.strip()]
    assert back(tmp_path / "t.csv", ["text"], texts, delimiter=delimiter) == texts
    swapped = [[cell, number] for number, cell in wanted]
    assert back(tmp_path / "t.csv", ["text", "id"], swapped, delimiter=delimiter) == swapped
    for sign in (sign for sign in "{[\ufeff;|,\r\x85\u2028\0" if sign.strip()):
        assert back(tmp_path / "t.csv", [f"{sign}x", "id"], [["a", "1"]], delimiter=delimiter) == [["a", "1"]]


@given(st.lists(st.tuples(cells, cells), max_size=5))
@example([("a\rb", "\r"), ("\0", "a\0b"), ("\ud800", "")])
def test_what_is_written_is_read_back(rows: list[tuple[str, str]]) -> None:
    made = csv_text(["id", "a", "b"], ({"id": at, "a": a, "b": b} for at, (a, b) in enumerate(rows)))
    wanted = [["id", "a", "b"], *([str(at), readable(a), readable(b)] for at, (a, b) in enumerate(rows))]
    assert list(csv.reader(io.StringIO(made, newline=""), strict=True)) == wanted
    assert list(csv.reader(made.encode().decode().splitlines(keepends=True), strict=True)) == wanted


@given(st.lists(st.tuples(cells, cells), max_size=5))
def test_a_sheet_is_undone_to_the_letter(rows: list[tuple[str, str]]) -> None:
    made = csv_text(["a", "b"], ({"a": a, "b": b} for a, b in rows), sheet=True)
    read = list(csv.reader(io.StringIO(made, newline=""), strict=True))[1:]
    assert [tuple(map(undone, row)) for row in read] == [(readable(a), readable(b)) for a, b in rows]


@pytest.mark.parametrize("cell", HOSTILE)
def test_a_formula_is_defused_and_undone(cell: str) -> None:
    assert defused(cell).startswith("'") and undone(defused(cell)) == cell


@pytest.mark.parametrize("cell", ["-0.5", "+1", "-1e-07", "1.", "-.5", "", "Anna", "a=b", "'quoted'"])
def test_numbers_and_plain_texts_stay_as_they_are(cell: str) -> None:
    assert defused(cell) == cell == undone(cell)


def test_a_data_table_holds_formulas_as_they_are(tmp_path: Path) -> None:
    rows = [[cell, "1"] for cell in HOSTILE]
    assert back(tmp_path / "t.csv", ["text", "id"], rows) == rows


@pytest.mark.parametrize("text", HOSTILE)
def test_sheets_of_sentences_are_defused_and_come_back(tmp_path: Path, text: str) -> None:
    sentence = Written("s/1", "b", f"{text} the nurse is kind", "women", "@nurse", "=kind", "set")
    wanted = Written("s/1", "b", f"{text} the nurse is kind".strip(), "women", "@nurse", "=kind", "set")
    for name, write in (("review.csv", write_sentences), ("annotate.csv", export_annotations)):
        write(tmp_path / name, [sentence])
        with (tmp_path / name).open(encoding="utf-8", newline="") as file:
            [cells] = csv.DictReader(file)
        assert not [cell for cell in cells.values() if re.match(r"[\t\r\s]*[=+\-@]", cell)]
        [read] = read_sentences(tmp_path / name)
        assert (read.text, read.term, read.attribute) == (wanted.text, wanted.term, wanted.attribute)


def test_a_table_of_somebody_else_keeps_its_apostrophes(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("bias,term,attribute,text\nb,nurse,kind,'@ann the nurse is kind'\n", encoding="utf-8")
    assert read_sentences(path)[0].text == "'@ann the nurse is kind'"


def test_the_name_of_an_annotator_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    rows = [{"id": "1", "text": "=1", "value": "-0.5", "annotator": "@ann"}]
    write_csv(path, ["id", "text", "kind", "value", "annotator"], rows, sheet=True)
    assert read_ratings([path]).values == {"1": {"@ann": -0.5}}


def test_zero_bytes_between_cells_are_not_text(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes('a,"b"\n1,"2"\n'.encode("utf-16-le"))
    with pytest.raises(InvalidData, match="zero bytes"):
        read_csv(path)


def test_there_is_no_other_writer() -> None:
    folder = Path(tiltmeter.__file__).parent
    other = re.compile(r"csv\.(?:writer|DictWriter|CSVWriter|write_csv)|to_csv\(|format csv", re.IGNORECASE)
    assert not [path for path in folder.rglob("*.py") if other.search(path.read_text(encoding="utf-8"))]
