"""`tiltmeter cache`, and what `tiltmeter run` says of a folder that holds a run already."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.store.broken import rewritten
from tiltmeter.answers import key_of
from tiltmeter.store import Cache

STUDY = """
name = "t"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.toml"
    path.write_text(STUDY, encoding="utf-8")
    return path


@pytest.mark.slow
def test_a_finished_run_is_left_alone(tiltmeter: Command, study: Path, tmp_path: Path) -> None:
    cache = {"TILTMETER_CACHE": str(tmp_path / "cache"), "TILTMETER_CACHE_LIMIT": "1GB"}
    first = tiltmeter("run", study, "--out", "run", **cache)
    assert first.status == 0 and "nothing to do" not in first.err
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run").iterdir() if "sqlite" not in path.name}
    ledger = (tmp_path / "run" / "ledger.sqlite").read_bytes()
    again = tiltmeter("run", study, "--out", "run", **cache)
    assert again.status == 0
    assert "run: the run is finished; there is nothing to do" in again.err
    assert "scoring" not in again.err
    assert again.out == first.out
    after = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "run").iterdir() if "sqlite" not in path.name}
    assert before == after
    assert (tmp_path / "run" / "ledger.sqlite").read_bytes() == ledger


@pytest.mark.slow
def test_a_run_that_was_killed_while_it_wrote_its_tables_writes_them(
    tiltmeter: Command, study: Path, tmp_path: Path
) -> None:
    first = tiltmeter("run", study, "--out", "run", "--no-cache")
    folder = tmp_path / "run"
    whole = {path.name: path.read_bytes() for path in (folder / "tables").iterdir()}
    # As it is when the process dies after the last answer: the report of an earlier study may still be there.
    with rewritten(folder / "ledger.sqlite") as ledger:
        assert ledger.execute("delete from meta where key = 'reported'").rowcount == 1
    for name in list(whole)[1:]:
        (folder / "tables" / name).unlink()
    (folder / "report.html").write_text("of another study", encoding="utf-8")
    again = tiltmeter("run", study, "--out", "run", "--no-cache")
    assert again.status == 0 and again.out == first.out
    assert "the run is finished except for its tables and report" in again.err
    assert {path.name: path.read_bytes() for path in (folder / "tables").iterdir()} == whole
    assert "of another study" not in (folder / "report.html").read_text(encoding="utf-8")
    assert "nothing to do" in tiltmeter("run", study, "--out", "run", "--no-cache").err


@pytest.mark.slow
def test_a_changed_study_says_what_changed_and_keeps_the_earlier_ledger(
    tiltmeter: Command, study: Path, tmp_path: Path
) -> None:
    cache = {"TILTMETER_CACHE": str(tmp_path / "cache"), "TILTMETER_CACHE_LIMIT": "1GB"}
    assert tiltmeter("run", study, "--out", "run", **cache).status == 0
    study.write_text(STUDY.replace("[pairs]", 'seed = 4\n[pairs]\nscorers = ["sum", "mean"]'), encoding="utf-8")
    refused = tiltmeter("run", study, "--out", "run", "--no-cache", **cache)
    assert refused.status == 2
    assert "run: holds another run" in refused.err and "parts come from the cache" in refused.err
    done = tiltmeter("run", study, "--out", "run", **cache)
    assert done.status == 0
    assert "run: the study has changed (scorers, seed); unchanged parts come from the cache" in done.err
    assert (tmp_path / "run" / "before.1" / "ledger.sqlite").is_file()


@pytest.mark.slow
def test_info_and_prune(tiltmeter: Command, tmp_path: Path) -> None:
    cache = {"TILTMETER_CACHE": str(tmp_path / "cache"), "TILTMETER_CACHE_LIMIT": "2GB"}
    empty = tiltmeter("cache", "info", **cache)
    assert empty.status == 0 and "0 answers" in empty.err and "of at most 2.0 GB" in empty.err
    with Cache(tmp_path / "cache" / "answers.sqlite") as kept:
        kept.put("hf:gpt2", "score", {key_of({}, "score", number): "x" * 1_000 for number in range(500)})
    found = tiltmeter("cache", "info", "--json", **cache).json
    assert found["answers"] == 500 and found["limit"] == 2_000_000_000
    assert found["subjects"] == [{"who": "hf:gpt2", "verb": "score", "answers": 500}]
    assert tiltmeter("cache", "prune", "--unused-for", "30d", "--json", **cache).json["deleted"] == 0
    some = tiltmeter("cache", "prune", "--to", "200 KB", "--json", **cache).json
    assert 0 < some["answers"] < 500 and some["bytes"] <= 200_000
    assert "0 are left" in tiltmeter("cache", "prune", "--to", "0", **cache).err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("prune", "--to", "much"), "'much' is not a size; write e.g. 500MB or 2GB"),
        (("prune", "--unused-for", "ever"), "--unused-for 'ever': is not a number of days; write e.g. 30"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(
    tiltmeter: Command, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    done = tiltmeter("cache", *arguments, TILTMETER_CACHE=str(tmp_path))
    assert (done.status, done.err.strip()) == (2, f"tiltmeter: {sentence}")


@pytest.mark.slow
def test_a_cache_that_is_none_does_not_stop_a_run(tiltmeter: Command, study: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "answers.sqlite").write_bytes(b"nonsense" * 1_000)
    cache = {"TILTMETER_CACHE": str(tmp_path / "cache"), "TILTMETER_CACHE_LIMIT": "1GB"}
    done = tiltmeter("run", study, "--out", "run", **cache)
    assert done.status == 0
    assert "the cache of answers cannot be used" in done.err and "continuing without it" in done.err
    assert tiltmeter("cache", "info", **cache).status == 2
