"""Parquet files as strangers bring them: what is in the file is read, nothing else, or it is refused in a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

import pytest

from tests.parquet_files import types, write_query, write_rows
from tiltmeter.errors import InvalidData
from tiltmeter.parquet import database, parquet_columns, parquet_rows, write_again, write_parquet
from tiltmeter.results.files.measurements import measured
from tiltmeter.results.files.rated import summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns
from tiltmeter.results.files.scored import Columns, summarise_file
from tiltmeter.sources.tables import read_table, stream_table

RATED = [{"group": group, "origin": f"o{at}", "v": at / 10} for group in ("a", "b") for at in range(8)]


@pytest.mark.parametrize(
    "name", ["a*.parquet", "[a]b.parquet", "a?.parquet", "\\*.parquet", "~.parquet", "'\".parquet"]
)
def test_a_name_is_no_pattern(tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for other in ("ab.parquet", "ac.parquet", "a.parquet"):
        write_rows(tmp_path / other, [{"text": "another file"}])
    (tmp_path / name).write_bytes(write_rows(tmp_path / "given", [{"text": "this file"}]).read_bytes())
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path / name, name):
        assert list(parquet_rows(path)) == [{"text": "this file"}]
    folder = tmp_path / "x?"
    folder.mkdir()
    (tmp_path / "xy").mkdir()
    write_rows(folder / "t.parquet", RATED)
    write_rows(tmp_path / "xy" / "t.parquet", RATED)
    for place in (folder, folder / "t.parquet"):
        assert summarise_rated_file(place, RatedColumns("v")).rows == len(RATED)


def test_a_table_of_measurements_is_read_by_its_name_or_refused(tmp_path: Path) -> None:
    rows = [{"bias": "b", "origin": row["origin"], "group": row["group"], "value": row["v"]} for row in RATED]
    write_rows(tmp_path / "ab.parquet", rows)
    path = write_rows(tmp_path / "given", rows).rename(tmp_path / "a?.parquet")
    assert measured(path) == measured(tmp_path / "ab.parquet")
    write_rows(path.with_name("odd.parquet"), [{**row, "origin": "é"} for row in rows]).rename(path)
    path.write_bytes(path.read_bytes().replace("é".encode(), b"\xe9\xe9"))
    with pytest.raises(InvalidData, match="UTF-8"):
        measured(path)
    (tmp_path / "t.csv").write_text("bias,Bias,origin,group,value\nb,c,o,g,1\n", encoding="utf-8")
    assert measured(tmp_path / "t.csv")["cells"][0]["bias"] == "b"
    (tmp_path / "t.parquet").write_text("PAR1", encoding="utf-8")
    with pytest.raises(InvalidData):
        measured(tmp_path / "t.parquet")


def test_the_name_of_a_folder_is_no_column(tmp_path: Path) -> None:
    folder = tmp_path / "group=women"
    folder.mkdir()
    path = write_rows(folder / "t.parquet", [{"text": "x"}])
    assert parquet_columns(path) == ["text"]
    with pytest.raises(InvalidData, match="group"):
        summarise_rated_file(write_rows(path, [{"origin": "o", "v": 1.0}]), RatedColumns("v"))


@pytest.mark.parametrize("query", ["1 AS named, 2 AS other", "1 AS x, {'named': 1, 'other': 2} AS y"])
@pytest.mark.parametrize("alike", ["named", "Named", "NAMED"])
def test_columns_that_duckdb_would_rename_are_refused(tmp_path: Path, query: str, alike: str) -> None:
    path = write_query(tmp_path / "t.parquet", f"SELECT {query}")
    assert len(list(parquet_rows(path))) == 1
    path.write_bytes(path.read_bytes().replace(b"other", alike.encode()))
    for read in (read_table, lambda path: summarise_rated_file(path, RatedColumns("named"))):
        with pytest.raises(InvalidData, match=alike):
            read(path)


def test_dates_maps_lists_and_large_numbers_are_read_or_passed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    query = (
        "SELECT 'x' AS text, TIMESTAMPTZ '2020-01-01 00:00:00Z' AS z, [TIMESTAMPTZ '2020-01-01 00:00:00Z'] AS zs, "
        "MAP {'k': 1} AS m, {'a b': {'c': 'd'}} AS o, 18446744073709551615::UBIGINT AS big, 1.50::DECIMAL(5, 2) AS d, "
        '\'a"\' AS "q""\'; drop", NULL AS nothing'
    )
    path = write_query(tmp_path / "t.parquet", query)
    [row] = parquet_rows(path)
    assert (row["z"], row["zs"]) == (datetime(2020, 1, 1), [datetime(2020, 1, 1)])
    assert row["m"] == [{"key": "k", "value": 1}]
    [(_, cells)] = stream_table(path)
    assert (cells["o.a b.c"], cells["big"], cells["d"]) == ("d", "18446744073709551615", "1.50")
    assert (cells["q\"'; drop"], cells["nothing"]) == ('a"', "")
    for name in ("m", "zs"):
        with pytest.raises(InvalidData, match="a list of 1 entry"):
            cells[name]


def test_a_file_without_rows_says_so(tmp_path: Path) -> None:
    path = write_query(tmp_path / "t.parquet", "SELECT 'x' AS text LIMIT 0")
    assert (list(parquet_rows(path)), parquet_columns(path)) == ([], ["text"])
    with pytest.raises(InvalidData, match="no rows"):
        read_table(path)


def test_what_is_no_parquet_is_refused_in_one_sentence(tmp_path: Path) -> None:
    whole = write_rows(tmp_path / "t.parquet", RATED).read_bytes()
    for torn in (b"", b"PAR1", whole[:-9], whole[:40] + whole[-40:], whole[: len(whole) // 2] * 2):
        (tmp_path / "t.parquet").write_bytes(torn)
        for read in (list, lambda _: parquet_columns(tmp_path / "t.parquet")):
            with pytest.raises(InvalidData) as raised:
                read(parquet_rows(tmp_path / "t.parquet"))
            assert "\n" not in str(raised.value)
    with pytest.raises(InvalidData, match="there is no such file"):
        parquet_columns(tmp_path / "none.parquet")


def test_columns_may_have_the_names_that_places_have(tmp_path: Path) -> None:
    rows = [{**row, "filename": "x"} for row in RATED]
    found = summarise_rated_file(write_rows(tmp_path / "t.parquet", rows), RatedColumns("v"))
    assert list(found.summary.groups) == ["a", "b"]


def test_the_name_of_a_scorer_is_never_read_as_sql(tmp_path: Path) -> None:
    rows = [{"bias": "b", "attribute": f"a{at}", "stereotyped.x'y": (1.0, 0.0, None)[at % 3]} for at in range(30)]
    found = summarise_file(write_rows(tmp_path / "t'.parquet", rows), Columns(scorer="x'y"))
    assert found.unscored == {"the column `stereotyped` is blank": 10}


def test_a_file_that_changed_while_it_was_rated_is_not_written(tmp_path: Path) -> None:
    path = write_rows(tmp_path / "t.parquet", RATED)
    with pytest.raises(InvalidData, match="changed"):
        write_again(path, tmp_path / "out.parquet", {"new": float}, [{"new": 1.0}])
    assert not (tmp_path / "out.parquet").exists()


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "it's [scratch]"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    path = tmp_path / "t.parquet"
    write_parquet(path, {"text": str, "n": int}, [{"text": f"{n}", "n": n} for n in range(100)])
    write_again(path, path, {"new": float}, [{"new": n / 2} for n in range(100)], without=["n"])
    begun = parquet_rows(path)
    assert next(begun) == {"text": "0", "new": 0.0}
    begun.close()
    assert types(path) == {"text": "VARCHAR", "new": "DOUBLE"}
    assert list(scratch.iterdir()) == []


def test_no_variable_is_a_table() -> None:
    import duckdb

    secret = {"a": [1]}
    with database() as found, pytest.raises(duckdb.Error):
        found.execute("SELECT * FROM secret")
    assert secret


@pytest.mark.slow
def test_a_million_rows_are_read_and_written_again_with_bounded_memory(tmp_path: Path) -> None:
    program = (
        "import json, resource, sys\n"
        "from tiltmeter.parquet import parquet_rows, write_again\n"
        "count = sum(1 for _ in parquet_rows(sys.argv[1]))\n"
        "write_again(sys.argv[1], sys.argv[2], {'new': float}, ({'new': n / 2} for n in range(count)))\n"
        "print(json.dumps([count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss]))\n"
    )
    peaks = []
    for rows in (250_000, 1_500_000):
        path, out = tmp_path / f"{rows}.parquet", tmp_path / "out.parquet"
        write_query(path, f"SELECT i, repeat('text ' || i || ' ', 20) AS text FROM range({rows}) t(i)")
        # A process begins with the peak of the one that starts it: a shell between the two keeps that small.
        command = ["sh", "-c", '"$@"; exit $?', "sh", sys.executable, "-c", program, str(path), str(out)]
        count, kilobytes = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        assert count == rows
        peaks.append(kilobytes)
        assert all(row["new"] == row["i"] / 2 for row in parquet_rows(out))
    assert peaks[1] < peaks[0] + 300_000
