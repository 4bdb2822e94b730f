"""Every item of a run as Parquet, on disk and at an address, and read from there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.engine.slow_continuing import OTHER, STUDY
from tests.parquet_files import types
from tiltmeter.addresses import filesystem_of, joined, whole_object
from tiltmeter.engine import carry_out
from tiltmeter.errors import InvalidData, RunError, UserError
from tiltmeter.parquet import parquet_rows
from tiltmeter.results import summarise_run
from tiltmeter.results.files.rated import summarise_rated_file
from tiltmeter.results.files.rated_texts import RatedColumns
from tiltmeter.results.files.scored import Columns, summarise_file
from tiltmeter.results.tables import export_items, write_parquet
from tiltmeter.store import Run
from tiltmeter.study import plan, read

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("export")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    (folder / "other.toml").write_text(OTHER, encoding="utf-8")
    return carry_out(plan(read(folder / "study.toml")), folder / "run")


@pytest.fixture
def address() -> Iterator[str]:
    """A place in memory that is reached as a bucket would be."""
    place = f"memory://bucket-{uuid4().hex}/runs"
    yield place
    system, path = filesystem_of(place)
    system.rm(path.rpartition("/")[0], recursive=True)


def test_items_are_those_of_the_tables(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Several batches of rows, and a last one that is not full.
    monkeypatch.setattr("tiltmeter.parquet._AT_ONCE", 61)
    export_items(run, tmp_path / "items")
    write_parquet(run, summarise_run(run), tmp_path / "tables")
    assert {path.name for path in (tmp_path / "items").iterdir()} == {
        "pairs.parquet",
        "completions.parquet",
        "next_words.parquet",
        "dropped.parquet",
    }
    for path in (tmp_path / "items").iterdir():
        one, other = (folder / path.name for folder in (tmp_path / "items", tmp_path / "tables"))
        assert types(one) == types(other)
        assert sorted(map(repr, parquet_rows(one))) == sorted(map(repr, parquet_rows(other)))


def test_an_address_is_written_and_summed_as_a_file_is(run: Run, tmp_path: Path, address: str) -> None:
    written = export_items(run, address)
    assert f"{address}/completions.parquet" in written
    export_items(run, tmp_path)
    columns = RatedColumns(
        "sentiment.vader.v1",
        where={
            "model": "scripted",
            "temperature": "1.0",
            "max_new_tokens": "9",
            "source": "own-prompts[domain=gender, per_group=6]",
        },
    )
    at_address = summarise_rated_file(f"{address}/completions.parquet", columns)
    assert at_address.as_json() == summarise_rated_file(tmp_path / "completions.parquet", columns).as_json()
    scored = Columns(where={"model": "scripted"})
    assert (
        summarise_file(f"{address}/pairs.parquet", scored).as_json()
        == summarise_file(tmp_path / "pairs.parquet", scored).as_json()
    )


def test_what_is_not_there_or_not_known_is_said_in_a_sentence(address: str) -> None:
    with whole_object(joined(address, "other.txt")) as file:
        file.write(b"x")
    with pytest.raises(InvalidData, match="the folder has no Parquet files"):
        summarise_rated_file(address, RatedColumns("x"))
    with pytest.raises(InvalidData, match="there is no such file"):
        summarise_rated_file(f"{address}/nothing.parquet", RatedColumns("x"))
    with pytest.raises(UserError, match="nonsense://a: is no address that is known"):
        filesystem_of("nonsense://a")


def test_an_object_appears_whole_or_not_at_all(address: str) -> None:
    place = joined(address, "table.parquet")
    system, path = filesystem_of(str(place))

    def broken() -> None:
        with whole_object(place) as file:
            file.write(b"half")
            raise OSError("the line was cut")

    with pytest.raises(RunError, match=r"table\.parquet: cannot be written: the line was cut"):
        broken()
    assert not system.exists(path) and not system.exists(f"{path}.part")
    with whole_object(place) as file:
        file.write(b"whole")
    assert system.cat(path) == b"whole"


def test_prompts_and_ratings_stream_in_the_order_of_the_study(run: Run) -> None:
    assert run.continuations
    for model in run.continuations.models:
        for decoding in run.continuations.decodings:
            texts = list(run.continuations.texts(model, decoding))
            found = list(run.continuations.with_ratings(model, decoding))
            assert [one for one, _ in found] == texts
            assert all(rated for _, rated in found)
