"""Tables and sources that are read a row at a time: they say what those that are read at once say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.parquet_files import write_rows
from tiltmeter.errors import InvalidData
from tiltmeter.records import Dropped
from tiltmeter.sources import open_prompts_file, pairs_file, prompts_file
from tiltmeter.sources.tables import open_table, read_table

ROWS = [{"text": "a", "group": "x"}, {"text": "b,\nc", "place": {"town": "d"}}, {"group": "y", "text": None}]


def written(folder: Path, name: str) -> Path:
    path = folder / name
    if path.suffix == ".parquet":
        write_rows(path, ROWS)
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    else:
        sign = "\t" if path.suffix == ".tsv" else ","
        path.write_text(f'text{sign}group\na{sign}x\n"b,\nc"{sign}\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.jsonl", "t.parquet"])
def test_a_table_read_by_rows_is_the_table_read_at_once(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, name)
    columns, rows = open_table(path)
    assert (columns, list(rows)) == read_table(path)


def test_a_table_without_rows_has_its_header_or_says_so(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text,group\n", encoding="utf-8")
    columns, rows = open_table(tmp_path / "t.csv")
    assert (columns, list(rows)) == (["text", "group"], [])
    (tmp_path / "t.jsonl").write_text("\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="the file has no rows"):
        open_table(tmp_path / "t.jsonl")


PAIRS = "sentence_1,sentence_2\nhe runs,she runs\nsame,same\nhe sits,she sits\n"
PROMPTS = "text,group,id\nHe is,men,7\n,men,\nShe is,women,\nHe is,men,8\n"
OPEN = "text,profession,id\nThe cook said that,cook,row 3\n,cook,\nThe cook is here and,cook,\nA nurse,nurse,x\n"


@pytest.mark.parametrize(
    ("source", "make", "table", "options"),
    [
        (pairs_file, pairs_file.pairs, PAIRS, {}),
        (prompts_file, prompts_file.prompts, PROMPTS, {"seed": 3, "language": "it"}),
        (prompts_file, prompts_file.prompts, PROMPTS, {"repeats": "once-per-group"}),
        (prompts_file, prompts_file.prompts, PROMPTS, {"per_group": 1, "seed": 5}),
        (open_prompts_file, open_prompts_file.prompts, OPEN, {"seed": 3}),
    ],
)
def test_a_source_gives_one_by_one_what_it_gives_at_once(
    tmp_path: Path, source: Any, make: Any, table: str, options: dict[str, Any]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table, encoding="utf-8")
    made, dropped = make(path, **options)
    found = list(source.stream(path, **options))
    assert [one for one in found if not isinstance(one, Dropped)] == made
    assert [one for one in found if isinstance(one, Dropped)] == dropped
    assert made and dropped
    assert len({one.id for one in made}) == len(made)
