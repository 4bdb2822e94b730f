"""Runs in the browser: which there are, how far each is, what it is made of, and what can be taken home."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import re
import shutil
import sqlite3
import time
import zipfile
from contextlib import closing
from html import unescape
from pathlib import Path

import anyio
import pytest

from tests.store.broken import rewritten
from tests.web.bench import opened
from tests.web.hostile import HOSTILE
from tiltmeter.engine import carry_out
from tiltmeter.present.files import REPORT, write_run
from tiltmeter.results import summarise_run
from tiltmeter.store import LEDGER, PROGRESS, ProgressFile, locked
from tiltmeter.study import parse, plan
from tiltmeter.web.jobs import LOG, Jobs
from tiltmeter.web.runs import live as runs_live
from tiltmeter.web.runs.files import report_policy
from tiltmeter.web.runs.live import Live, RunWatcher, events, log_of
from tiltmeter.web.workbench import Workbench, changed

STUDY = """
name = "a <b>bold</b> study"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 2 } }]
samples = 1
raters = ["readability.ari"]
[next_words]
sources = [{ natural = { limit = 2 } }]
"""


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbench with one run, which is finished and has its report."""
    home = tmp_path_factory.mktemp("bench")
    (home / "studies").mkdir()
    (home / "studies" / "mine.toml").write_text(STUDY, encoding="utf-8")
    folder = home / "runs" / "mine"
    folder.mkdir(parents=True)
    with ProgressFile(folder) as file:
        run = carry_out(plan(parse(STUDY)), folder, progress=file)
    write_run(run, summarise_run(run))
    return home


@pytest.fixture
def bench(finished: Path, tmp_path: Path) -> Path:
    """A copy of it that may be changed."""
    shutil.copytree(finished, tmp_path / "bench")
    return tmp_path / "bench"


def _execute(folder: Path, statement: str, *values: object) -> None:
    with rewritten(folder / LEDGER) as database:
        database.execute(statement, values)


def test_the_list_has_state_models_study_and_size(finished: Path) -> None:
    page = opened(finished).get("/runs").text
    assert "finished" in page
    assert "scripted" in page
    assert "a &lt;b&gt;bold&lt;/b&gt; study" in page
    assert re.search(r"\d+ [kM]B", page)
    assert "every 2s" not in page


def test_an_empty_folder_says_what_to_do(tmp_path: Path) -> None:
    assert "Write a study" in opened(tmp_path).get("/runs").text


def test_a_finished_run_shows_its_work_and_what_can_be_taken_home(finished: Path) -> None:
    page = opened(finished).get("/runs/mine").text
    assert "sse-connect" not in page
    for part in ("scoring with scripted", "See the results", "/runs/mine/report", "as Parquet", 'href="/studies/mine"'):
        assert part in page


def test_a_run_that_somebody_carries_out_is_followed(bench: Path) -> None:
    with locked(bench / "runs" / "mine"):
        client = opened(bench)
        assert "every 2s" in client.get("/runs").text
        page = client.get("/runs/mine").text
        assert 'sse-connect="/runs/mine/events"' in page
        assert "Delete it" not in page
        assert "pause it first" in client.delete("/runs/mine").text
    assert (bench / "runs" / "mine" / LEDGER).is_file()


def test_the_events_of_a_run_that_is_over_say_so_and_end(finished: Path) -> None:
    answer = opened(finished).get("/runs/mine/events")
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert re.findall(r"event: (\w+)", answer.text) == ["progress", "stage", "done"]
    assert "scoring with scripted" in answer.text


def test_events_follow_a_run_until_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs_live, "_PATIENCE", 0.3)

    def show(live: Live) -> str:
        return f"{live.standing.state} {live.now.done if live.now else '-'} {' '.join(live.log)}"

    async def followed() -> list[tuple[str, str]]:
        found = []
        with ProgressFile(tmp_path) as file:
            lock = locked(tmp_path)
            lock.__enter__()
            file.start("scoring", 10, 0)
            async for event in events(RunWatcher(Jobs()), tmp_path, show, anyio.Event()):
                found.append((event["event"], event["data"]))
                if len(found) == 2:
                    file.advance(4)
                    (tmp_path / LOG).write_text("half-way")
                    time.sleep(0.6)
                    file.advance(1)
                elif len(found) == 3:
                    # As when the process is killed: no file changes.
                    lock.__exit__(None, None, None)
        return found

    found = anyio.run(followed)
    assert found[:2] == [("progress", "running 0 "), ("stage", "1")]
    assert found[2] == ("progress", "running 5 half-way")
    assert [event for event, _ in found[3:]] == ["progress", "stage", "done"]
    assert found[-1] == ("done", "paused")


def test_many_pages_look_once(tmp_path: Path) -> None:
    drawn: list[Live] = []

    def show(live: Live) -> str:
        drawn.append(live)
        return str(len(drawn))

    lookout = RunWatcher(Jobs())
    assert {lookout.look(tmp_path, show)[1] for _ in range(50)} == {"1"}
    (tmp_path / LOG).write_text("something new")
    assert {lookout.look(tmp_path, show)[1] for _ in range(50)} == {"2"}
    assert [live.log for live in drawn] == [(), ("something new",)]


def test_what_came_to_nothing_is_counted_by_reason(bench: Path) -> None:
    folder = bench / "runs" / "mine"
    reason = "<script>window.pwned = 1</script>"
    _execute(folder, "update completions set unwritten = ? where number = 1", reason)
    _execute(folder, "update ratings set unrated = 'no words', value = null where rater = 1 and completion < 4")
    _execute(folder, "update scores set unscored = 'too long' where pair < 2")
    _execute(folder, """update expected set words = '[["he",null,"not finite",null],["she",-1,null,null]]'""")
    page = opened(bench).get("/runs/mine/missing").text
    assert "&lt;script&gt;" in page
    assert "<script>" not in page
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))
    assert re.search(r"Texts that were not written: 1 .* 1 of \d+", plain)
    assert re.search(r"readability.ari.v1 no words 3 of \d+", plain)
    assert re.search(r"scripted, causal.sum.v1 too long 2 of \d+", plain)
    assert re.search(r"not finite (\d+) of \d+", plain)
    assert "cannot be the subject of" in unescape(plain)


def test_a_run_of_which_nothing_was_lost_says_so(tmp_path: Path) -> None:
    text = (
        'models = ["scripted"]\n[continuations]\nsources = [{ own-prompts = { domain = "gender", per_group = 1 } }]\n'
    )
    carry_out(plan(parse(text + 'samples = 1\nraters = ["readability.ari"]')), tmp_path / "runs" / "x")
    assert "Nothing so far" in opened(tmp_path).get("/runs/x/missing").text


def test_a_run_says_what_it_is_made_of(finished: Path) -> None:
    page = opened(finished).get("/runs/mine/facts").text
    assert "fingerprint" in page
    assert "tested" in page
    assert "readability.ari.v1" in page
    assert "a &lt;b&gt;bold&lt;/b&gt; study" in page
    assert "templates.v1" in page


def test_the_log_is_text_and_its_last_lines(bench: Path) -> None:
    folder, client = bench / "runs" / "mine", opened(bench)
    assert "Nothing was said" in client.get("/runs/mine/log").text
    (folder / LOG).write_text("\n".join([*(f"line {at}" for at in range(600)), *HOSTILE]), encoding="utf-8")
    page = client.get("/runs/mine/log").text
    assert "<script>window" not in page
    assert "line 599" in page
    assert "line 99\n" not in page
    answer = client.get("/runs/mine/log/file")
    assert answer.text.startswith("line 0\n")
    assert "attachment" in answer.headers["Content-Disposition"]


def test_of_a_long_log_only_the_end_is_read(tmp_path: Path) -> None:
    (tmp_path / LOG).write_text("x" * 300_000 + "\nlast\n")
    assert log_of(tmp_path, 5) == ["last"]
    assert log_of(tmp_path / "nowhere", 5) == []


def test_a_log_names_the_folder_of_its_run_as_the_workbench_has_it(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "mine"
    folder.mkdir(parents=True)
    (folder / LOG).write_text(f"plan: 6 cells; into {folder}\nreport: {folder}/report.html\n", encoding="utf-8")
    assert log_of(folder, 5) == ["plan: 6 cells; into runs/mine", "report: runs/mine/report.html"]


def _hash(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def test_the_report_runs_its_own_script_in_a_sandbox_and_no_other(finished: Path) -> None:
    answer = opened(finished).get("/runs/mine/report")
    policy = answer.headers["Content-Security-Policy"]
    [script] = re.findall(r"<script>(.*?)</script>", answer.text, re.DOTALL)
    [style] = re.findall(r"<style>(.*?)</style>", answer.text, re.DOTALL)
    assert f"script-src {_hash(script)};" in policy
    assert f"style-src {_hash(style)};" in policy
    assert policy.startswith("sandbox allow-scripts")
    assert "same-origin" not in policy
    assert answer.text == (finished / "runs" / "mine" / REPORT).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "given",
    [
        "",
        '<meta http-equiv="Content-Security-Policy" content="script-src \'unsafe-inline\' https://evil.example">',
        '<meta http-equiv="Content-Security-Policy" content="default-src *; script-src \'self\'; sandbox">',
    ],
)
def test_a_report_from_elsewhere_gets_nothing_but_hashes(given: str) -> None:
    policy = report_policy(f"<!doctype html>{given}<script>alert(1)</script>")
    assert "script-src 'none'; style-src 'none'" in policy
    assert "evil" not in policy
    assert "unsafe" not in policy


def test_a_run_without_a_report_says_when_there_will_be_one(bench: Path) -> None:
    (bench / "runs" / "mine" / REPORT).unlink()
    answer = opened(bench).get("/runs/mine/report")
    assert answer.status_code == 404
    assert "There is no report yet" in answer.text
    assert opened(bench).get("/runs/mine/report/file").status_code == 422


def test_the_report_of_an_earlier_study_does_not_pass_for_that_of_this_one(bench: Path) -> None:
    with rewritten(bench / "runs" / "mine" / LEDGER) as ledger:
        ledger.execute("delete from meta where key = 'finished'")
    client = opened(bench)
    for address in ("report", "report/file", "tables"):
        assert client.get(f"/runs/mine/{address}").status_code in (404, 422)
    assert "it can be made again" in client.get("/runs/mine").text


def test_tables_and_items_are_taken_home(finished: Path) -> None:
    client = opened(finished)
    for address, wanted in (
        ("tables", {"tables/pairs.csv", "tables/completions.csv", "summary.json"}),
        ("export", {"pairs.parquet", "completions.parquet", "next_words.parquet", "dropped.parquet"}),
        ("export?format=csv", {"pairs.csv", "completions.csv", "next_words.csv", "dropped.csv"}),
    ):
        answer = client.get(f"/runs/mine/{address}")
        assert answer.headers["Content-Type"] == "application/zip"
        with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
            names = set(archive.namelist())
            assert archive.testzip() is None
        assert wanted <= names
        assert not any(PROGRESS in name for name in names)
    assert client.get("/runs/mine/export?format=exe").status_code == 422


@pytest.mark.slow
def test_the_report_is_made_in_other_forms_when_somebody_asks(finished: Path) -> None:
    client = opened(finished)
    page = client.get("/runs/mine").text
    wanted = {
        "pdf": {"mine report.pdf"},
        "md": {"report.md"},
        "latex": {"report.tex", "report.bib"},
        "card": {"card.md", "card.html"},
    }
    for form, files in wanted.items():
        place = f"/runs/mine/report/as/{form}"
        assert f'hx-post="{place}"' in page
        assert "not there" in client.get(f"{place}/file").text
        text = client.post(place).text
        end = time.monotonic() + 120
        while "download it" not in text:
            assert 'class="problem"' not in text, text
            assert time.monotonic() < end
            time.sleep(0.2)
            text = client.get(place).text
        answer = client.get(f"{place}/file")
        if form == "pdf":
            assert answer.content.startswith(b"%PDF")
            assert "mine%20report.pdf" in answer.headers["Content-Disposition"]
        else:
            with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
                assert files <= set(archive.namelist())
    assert client.post("/runs/mine/report/as/exe").status_code == 422


@pytest.mark.slow
def test_a_form_that_cannot_be_made_says_why(bench: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bench / "broken").mkdir()
    (bench / "broken" / "typst.py").write_text("raise ImportError", encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(bench / "broken"), prepend=os.pathsep)
    client = opened(bench)
    text = client.post("/runs/mine/report/as/pdf").text
    end = time.monotonic() + 120
    while "being made" in text:
        assert time.monotonic() < end
        time.sleep(0.2)
        text = client.get("/runs/mine/report/as/pdf").text
    assert "Reports as PDF need the package typst: pip install" in text
    with locked(bench / "runs" / "mine"):
        assert "under way" in client.post("/runs/mine/report/as/pdf").text


def test_a_run_is_removed_and_what_is_none_is_left_alone(bench: Path) -> None:
    client = opened(bench)
    other = bench / "runs" / "other"
    other.mkdir()
    (other / "thesis.txt").write_text("precious")
    assert "there is no run <code>other</code>" in client.delete("/runs/other").text
    (bench / "runs" / "linked").symlink_to(bench / "runs" / "mine")
    assert "only points to a folder elsewhere" in client.delete("/runs/linked").text
    assert client.delete("/runs/mine").headers["HX-Redirect"] == "/runs"
    assert not (bench / "runs" / "mine").exists()
    assert (other / "thesis.txt").read_text() == "precious"
    assert (bench / "studies" / "mine.toml").is_file()


@pytest.mark.slow
def test_a_folder_that_only_a_failed_start_made_is_removed(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    folder = tmp_path / "runs" / "x"
    folder.mkdir(parents=True)
    (tmp_path / "study.toml").write_text("")
    bench.jobs.start(tmp_path / "study.toml", folder)
    end = time.monotonic() + 240
    while bench.jobs.status(folder).state != "failed":
        assert time.monotonic() < end
        time.sleep(0.05)
    client = opened(bench)
    assert "no model to measure" in client.get("/runs/x").text
    (folder / "mine.txt").write_text("precious")
    assert "holds other files" in client.delete("/runs/x").text
    (folder / "mine.txt").unlink()
    assert client.delete("/runs/x").status_code == 204
    assert not folder.exists()
    assert "Write a study" in client.get("/runs").text


def test_a_run_that_failed_before_it_had_a_ledger_is_listed_by_another_server_and_removed(tmp_path: Path) -> None:
    folder = tmp_path / "runs" / "x"
    folder.mkdir(parents=True)
    (folder / LOG).write_text("plan: 2 pairs\ntiltmeter: study.toml: there is no <b>model</b>\n")
    other = tmp_path / "runs" / "notes"
    other.mkdir()
    (other / LOG).write_text("my own log")
    (other / "thesis.txt").write_text("precious")
    client = opened(tmp_path)
    page = client.get("/runs").text
    assert '<small class="problem">study.toml: there is no &lt;b&gt;model&lt;/b&gt;</small>' in page
    assert "failed" in page
    assert "notes" not in page
    assert "study.toml: there is no &lt;b&gt;" in client.get("/runs/x").text
    assert client.get("/runs/x/results").status_code == 200
    assert client.delete("/runs/x").status_code == 204
    assert not folder.exists()
    assert (other / "thesis.txt").is_file()


def test_the_only_run_of_a_workbench_is_not_removed(bench: Path) -> None:
    client = opened(bench / "runs" / "mine")
    assert "Delete it" not in client.get("/runs/mine").text
    assert "open the folder above it" in client.delete("/runs/mine").text
    assert (bench / "runs" / "mine" / LEDGER).is_file()


def test_going_on_needs_the_study_as_it_was(bench: Path) -> None:
    folder = bench / "runs" / "mine"
    _execute(folder, "delete from meta where key = 'finished'")
    client = opened(bench)
    assert "Continue" in client.get("/runs/mine").text
    (bench / "studies" / "mine.toml").write_text(STUDY + "\n# changed")
    page = client.get("/runs/mine").text
    assert "Continue" not in page
    assert "/studies/new?run=mine" in page
    assert "take it over from the run" in client.post("/runs/mine/resume").text
    assert "a &lt;b&gt;bold&lt;/b&gt; study" in client.get("/studies/new?run=mine").text


def test_what_is_not_under_way_is_not_paused(finished: Path) -> None:
    answer = opened(finished).post("/runs/mine/pause")
    assert (answer.status_code, "is not under way" in answer.text) == (422, True)


def test_a_damaged_run_is_listed_with_what_is_wrong(bench: Path) -> None:
    (bench / "runs" / "mine" / LEDGER).write_bytes(b"not a ledger at all" * 100)
    client = opened(bench)
    assert "is damaged" in client.get("/runs").text
    assert client.get("/runs/mine").status_code == 200


def test_folders_with_odd_names_are_shown_as_they_are(finished: Path, tmp_path: Path) -> None:
    # The client of the tests, unlike a server, takes the signs of an address apart twice.
    names = [odd for odd in HOSTILE if 0 < len(odd.encode()) < 200 and not {"/", "%"} & set(odd) and odd.isprintable()]
    for name in names:
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        shutil.copy(finished / "runs" / "mine" / LEDGER, folder / LEDGER)
    client = opened(tmp_path)
    page = client.get("/runs").text
    assert "<script>window" not in page
    assert "<img" not in page
    addresses = [unescape(one) for one in re.findall(r'<th scope="row"><a href="([^"]*)"', page)]
    assert len(addresses) == len(names) > 5
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200, address
        assert "<script>window" not in answer.text
        assert client.get(f"{address}/tables").status_code == 422


def test_one_damaged_run_does_not_take_the_list_with_it(tmp_path: Path) -> None:
    for name, statement in (
        ("list", "insert into meta values ('resolved', '[]')"),
        ("date", "insert into meta values ('finished', '\"yesterday\"')"),
    ):
        (tmp_path / "runs" / name).mkdir(parents=True)
        with closing(sqlite3.connect(tmp_path / "runs" / name / LEDGER)) as ledger:
            ledger.execute("create table meta (key text primary key, value text)")
            ledger.execute(statement)
            ledger.commit()
    page = opened(tmp_path).get("/runs")
    assert page.status_code == 200
    assert page.text.count("is damaged, or not a tiltmeter ledger") == 2
    assert "/runs/date" in page.text


def test_a_run_that_goes_while_it_is_looked_at_is_no_error(tmp_path: Path) -> None:
    assert changed(tmp_path / "gone") == 0.0
