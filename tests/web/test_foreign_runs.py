"""A run folder from somebody else: nothing in it leads out of it, and nothing in it is believed but its ledger."""

from __future__ import annotations

import io
import json
import os
import shutil
import sqlite3
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi")
from starlette.testclient import TestClient
from typer.testing import CliRunner

from tests.store.broken import rewritten
from tests.web.bench import let_in
from tests.web.test_broken_runs import _pages as pages_of
from tests.web.texts_run import make_texts
from tiltmeter.cli import app as command_line
from tiltmeter.engine import carry_out
from tiltmeter.errors import RunError
from tiltmeter.present.files import REPORT, write_run
from tiltmeter.present.kept import FINDINGS
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import LEDGER, PROGRESS, is_held, read_run
from tiltmeter.store.run_folder import _place, is_current, ledger_hash, record_made_files
from tiltmeter.study import parse, plan
from tiltmeter.web.app import make_app
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.jobs import LOG, Jobs
from tiltmeter.web.workbench import Workbench

SECRET = "the secret of a file elsewhere"
FILES = (LOG, PROGRESS, FINDINGS, REPORT, "summary.json", "lock.sqlite", "annotations.sqlite", f"{LEDGER}-wal")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbench with a run that was made here, report and all."""
    home = tmp_path_factory.mktemp("bench")
    run = read_run(make_texts(home, "mine"))
    write_run(run, summarise_run(run))
    (run.folder / LOG).write_text("said\n")
    return home


@pytest.fixture(scope="module")
def summary(made: Path) -> RunSummary:
    return summarise_run(read_run(made / "runs" / "mine"))


@pytest.fixture
def bench(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "bench")
    return tmp_path / "bench"


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A folder with secrets, in every form that a run folder has."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    for name in ("shadow", "pairs.csv", "summary.json"):
        (place / name).write_text(SECRET)
    return place


def browser(home: Path) -> TestClient:
    app = make_app(Workbench(home))
    return let_in(app, headers={TOKEN_HEADER: app.state.token}, raise_server_exceptions=False)


def everything(home: Path) -> Iterator[tuple[str, int, bytes]]:
    """Every page and download of the run, as sent; zip files with what is in them."""
    client = browser(home)
    for page in ["/", "/runs", "/compare", "/studies/new?run=mine", *pages_of(client, "mine")]:
        answer = client.get(page)
        content = answer.content
        if answer.headers.get("content-type") == "application/zip":
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                content = "\n".join(archive.namelist()).encode() + b"".join(map(archive.read, archive.namelist()))
        yield page, answer.status_code, content


def no_secret(home: Path) -> None:
    for page, status, content in everything(home):
        assert status < 500, (page, content[:300])
        assert SECRET.encode() not in content, page


def link(path: Path, target: Path) -> None:
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)
    path.symlink_to(target)


@pytest.mark.slow
def test_links_lead_nowhere(bench: Path, elsewhere: Path) -> None:
    run = bench / "runs" / "mine"
    link(run / "tables", elsewhere)
    for name in FILES:
        link(run / name, elsewhere / "shadow")
    no_secret(bench)


@pytest.mark.slow
def test_links_deep_in_a_run_lead_nowhere(bench: Path, elsewhere: Path) -> None:
    run = bench / "runs" / "mine"
    link(run / "tables" / "pairs.csv", elsewhere / "shadow")
    (run / "tables" / "more").symlink_to(elsewhere)
    link(run / "figures", elsewhere)
    (run / "workbench").symlink_to(elsewhere)
    no_secret(bench)


@pytest.mark.slow
def test_pipes_keep_nobody_waiting(bench: Path) -> None:
    run = bench / "runs" / "mine"
    for name in (*FILES, "tables/pairs.csv", "tables/pipe"):
        (run / name).unlink(missing_ok=True)
        os.mkfifo(run / name)
    for page, status, content in everything(bench):
        assert status < 500, (page, content[:300])


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", "-journal"])
def test_a_ledger_that_is_a_link_is_refused(bench: Path, ending: str) -> None:
    run = bench / "runs" / "mine"
    other = run.with_name("other")
    other.mkdir()
    if not ending:
        shutil.copy(run / LEDGER, other / "own")
    link(run / f"{LEDGER}{ending}", other / "own")
    with pytest.raises(RunError, match="is a link"):
        read_run(run)
    assert browser(bench).get("/runs/mine/results").status_code == 422


@pytest.mark.parametrize("name", [f"{LEDGER}-journal", f"{LEDGER}-wal", "lock.sqlite-journal"])
def test_a_pipe_beside_a_database_keeps_nobody_waiting(bench: Path, name: str) -> None:
    run = bench / "runs" / "mine"
    (run / "lock.sqlite").touch()
    (run / name).unlink(missing_ok=True)
    os.mkfifo(run / name)
    if name.startswith(LEDGER):
        with pytest.raises(RunError, match="is not a file"):
            read_run(run)
    assert browser(bench).get("/runs/mine").status_code == 200
    assert not is_held(run)


@pytest.mark.parametrize("name", ["api", "api/1.answers.sqlite"])
def test_answers_are_not_kept_through_a_link(elsewhere: Path, tmp_path: Path, name: str) -> None:
    run = tmp_path / "run"
    (run / name).parent.mkdir(parents=True)
    (run / name).symlink_to(elsewhere if name == "api" else elsewhere / "new.sqlite")
    before = sorted(elsewhere.iterdir())
    with pytest.raises(RunError, match="is a link"):
        carry_out(plan(parse('specs = ["gender-math-arts"]\nmodels = ["scripted"]\n')), run)
    assert sorted(elsewhere.iterdir()) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tables", "figures", "summary.json", FINDINGS, REPORT, "tables/estimates.csv"])
def test_nothing_is_written_through_a_link(bench: Path, elsewhere: Path, name: str, summary: RunSummary) -> None:
    run = bench / "runs" / "mine"
    link(run / name, elsewhere if name in ("tables", "figures") else elsewhere / "shadow")
    before = {path: path.read_text() for path in elsewhere.iterdir()}
    with pytest.raises(RunError, match="is a link"):
        write_run(read_run(run), summary)
    done = CliRunner().invoke(command_line, ["report", str(run), "--parquet"])
    assert isinstance(done.exception, RunError)
    if name.startswith("tables"):
        done = CliRunner().invoke(command_line, ["export", str(run)])
        assert isinstance(done.exception, RunError)
    assert {path: path.read_text() for path in elsewhere.iterdir()} == before


def test_a_log_that_is_a_link_is_not_written(bench: Path, elsewhere: Path) -> None:
    run = bench / "runs" / "mine"
    link(run / LOG, elsewhere / "shadow")
    with pytest.raises(RunError, match="is a link"):
        Jobs().start(bench / "nothing.toml", run)
    assert (elsewhere / "shadow").read_text() == SECRET


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield path
    for key, one in inner:
        yield from leaves(one, (*path, key))


def changed(found: Any, path: tuple[Any, ...], value: Any) -> Any:
    copy = json.loads(json.dumps(found))
    if not path:
        return value
    inside = copy
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return copy


def test_findings_that_were_changed_are_worked_out_again(bench: Path) -> None:
    """One value changed at a time: what was made up is never shown, and nothing fails inside."""
    folder = bench / "runs" / "mine"
    found = json.loads((folder / FINDINGS).read_text())
    kinds = {tuple("" if isinstance(key, int) else key for key in path): path for path in leaves(found)}
    assert len(kinds) > 100
    client = browser(bench)
    # The hash of the file decides, so that a few places speak for all.
    for path in list(kinds.values())[:: len(kinds) // 6]:
        for value in ("forged verdict", None, [], {}, -1e308):
            (folder / FINDINGS).write_text(json.dumps(changed(found, path, value)))
            assert not is_current(folder, FINDINGS)
    text = client.get("/runs/mine/results").text
    assert "being worked out" in text


def test_a_verdict_cannot_be_forged(bench: Path) -> None:
    folder = bench / "runs" / "mine"
    real = unescape(browser(bench).get("/runs/mine/results").text)
    found = json.loads((folder / FINDINGS).read_text())
    sentence = found["findings"][0]["verdict"]["sentence"]
    assert sentence in real
    found["findings"][0]["verdict"]["sentence"] = "forged verdict"
    found["page"]["title"] = "forged verdict"
    found["page"]["blocks"][0]["text"][0]["text"] = "forged verdict"
    stamp = (folder / FINDINGS).stat()
    (folder / FINDINGS).write_text(json.dumps(found))
    os.utime(folder / FINDINGS, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    text = browser(bench).get("/runs/mine/results").text
    assert "forged verdict" not in text


def test_a_report_and_tables_from_elsewhere_are_not_passed_on(bench: Path) -> None:
    folder = bench / "runs" / "mine"
    client = browser(bench)
    assert client.get("/runs/mine/report").status_code == 200
    with zipfile.ZipFile(io.BytesIO(client.get("/runs/mine/tables").content)) as archive:
        assert "tables/estimates.csv" in archive.namelist()
    (folder / REPORT).write_text("<p>forged verdict</p>")
    (folder / "tables" / "estimates.csv").write_text("forged verdict")
    (folder / "tables" / "added.csv").write_text("forged verdict")
    assert "forged" not in client.get("/runs/mine/report").text
    assert client.get("/runs/mine/report").status_code == 404
    assert client.get("/runs/mine/report/file").status_code == 422
    with zipfile.ZipFile(io.BytesIO(client.get("/runs/mine/tables").content)) as archive:
        assert not {"tables/estimates.csv", "tables/added.csv"} & set(archive.namelist())
        assert "tables/pairs.csv" in archive.namelist()


def test_what_was_made_of_another_ledger_is_not_believed(bench: Path) -> None:
    folder = bench / "runs" / "mine"
    assert is_current(folder, FINDINGS)
    with rewritten(folder / LEDGER) as ledger:
        ledger.execute("update scores set score_1 = score_1 + 1")
    assert not is_current(folder, FINDINGS)
    assert not is_current(folder, REPORT)
    assert "being worked out" in browser(bench).get("/runs/mine/results").text


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_a_note_that_others_can_write_is_not_believed(
    bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = bench / "runs" / "mine"
    # The notes of tests that run at the same time stay as they are.
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    record_made_files(folder, [folder / FINDINGS])
    note = _place(ledger_hash(folder))
    assert note.stat().st_mode & 0o077 == 0
    assert note.parent.stat().st_mode & 0o077 == 0
    try:
        note.chmod(0o622)
        assert not is_current(folder, FINDINGS)
        note.chmod(0o600)
        note.parent.chmod(0o777)
        assert not is_current(folder, FINDINGS)
    finally:
        note.parent.chmod(0o700)
        note.chmod(0o600)
    assert is_current(folder, FINDINGS)


def test_two_that_note_at_once_both_do(bench: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = bench / "runs" / "mine"
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(LEDGER)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda path: record_made_files(folder, [path]), files))
    assert all(is_current(folder, path.relative_to(folder).as_posix()) for path in files)


def test_a_copy_of_a_folder_is_known(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made / "runs" / "mine", tmp_path / "runs" / "again")
    assert is_current(tmp_path / "runs" / "again", FINDINGS)


def test_the_schema_of_a_foreign_ledger_runs_no_function_of_ours(bench: Path) -> None:
    from tiltmeter.store.database import connect_to_read

    with closing(connect_to_read(bench / "runs" / "mine" / LEDGER)) as database:
        assert database.execute("pragma trusted_schema").fetchone() == (0,)


CELLS = [
    *(("answers", name) for name in ("spans", "tokens")),
    *(("scores", name) for name in ("score_1", "score_2", "unscored")),
    *(("completions", name) for name in ("model", "decoding", "sample", "text", "tokens", "ended")),
    *(("raters", name) for name in ("rater", "scope", "facts")),
    *(("ratings", name) for name in ("value", "label")),
    *(("questions", name) for name in ("hidden",)),
    *(("items", name) for name in ("item", "id", "perturbation", "question")),
    *(("expected", name) for name in ("words", "highest", "gap", "model")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), CELLS)
def test_cells_of_a_ledger_that_do_not_fit_are_said_in_a_sentence(bench: Path, table: str, column: str) -> None:
    folder = bench / "runs" / "mine"
    good = (folder / LEDGER).read_bytes()
    for value in ("x", b"\xff\xfe", None):
        (folder / LEDGER).write_bytes(good)
        with closing(sqlite3.connect(folder / LEDGER)) as ledger, ledger:
            ledger.execute(f"update or ignore {table} set {column} = ?", (value,))
        client = browser(bench)
        for page in ("", "/texts", "/texts/part", "/texts/c1", "/texts/p1", "/texts/w1", "/missing", "/facts"):
            assert client.get(f"/runs/mine{page}").status_code < 500, (value, page)


PROGRESSES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no numbers": lambda one: one | {"stages": [one["stages"][0] | {"total": "many", "done": None}]},
    "not a number": lambda one: one | {"stages": [one["stages"][0] | {"total": float("nan"), "done": float("inf")}]},
    "huge": lambda one: one | {"stages": [one["stages"][0] | {"total": 10**400, "done": -(10**400)}]},
    "names": lambda one: one | {"stages": [one["stages"][0] | {"what": {"a": [1]}}], "message": [1], "host": 5},
    "process": lambda one: one | {"process": -1, "state": "running"},
    "state": lambda one: one | {"state": {"<b>": 1}},
    "many": lambda one: one | {"stages": one["stages"] * 5_000},
    "deep": lambda one: json.loads("[" * 900 + "]" * 900),
}


@pytest.mark.parametrize("kind", sorted(PROGRESSES))
def test_a_progress_that_is_none_fails_nowhere(bench: Path, kind: str) -> None:
    folder = bench / "runs" / "mine"
    given = json.loads((folder / PROGRESS).read_text())
    (folder / PROGRESS).write_text(json.dumps(PROGRESSES[kind](given)))
    for page in ("/runs", "/runs/mine", "/runs/mine/events", "/runs/mine/results", "/studies/new?run=mine"):
        assert browser(bench).get(page).status_code < 500, page
    with closing(sqlite3.connect(folder / LEDGER)) as ledger, ledger:
        ledger.execute("delete from meta where key = 'finished'")
    for page in ("/runs", "/runs/mine", "/runs/mine/events", "/studies/new?run=mine"):
        assert browser(bench).get(page).status_code < 500, page


def test_what_a_run_made_is_known_when_it_is_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    study = 'name = "x"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nsources = ["templates"]\n'
    (tmp_path / "study.toml").write_text(study)
    done = CliRunner().invoke(command_line, ["run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "run")])
    assert done.exit_code == 0, done.output
    for name in (FINDINGS, REPORT, "summary.json", "tables/pairs.csv"):
        assert is_current(tmp_path / "run", name), name


@pytest.mark.slow
def test_a_report_from_elsewhere_is_made_again(bench: Path) -> None:
    folder = bench / "runs" / "mine"
    for name in (REPORT, FINDINGS, "tables/estimates.csv"):
        (folder / name).write_text("forged verdict")
    client = browser(bench)
    client.post("/runs/mine/report/as/html")
    end = time.monotonic() + 120
    while "being made" in client.get("/runs/mine/report/as/html").text and time.monotonic() < end:
        time.sleep(0.2)
    answer = client.get("/runs/mine/report")
    assert answer.status_code == 200
    assert "forged" not in answer.text
    assert answer.headers["content-security-policy"].startswith("sandbox")
    with zipfile.ZipFile(io.BytesIO(client.get("/runs/mine/tables").content)) as archive:
        assert b"forged" not in archive.read("tables/estimates.csv")
    assert "data-spec" in client.get("/runs/mine/results").text
