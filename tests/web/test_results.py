"""Pages of results: what is shown of findings, what filters do to it, and what is said while there are none."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.testclient import TestClient

from tests.web.bench import opened
from tests.web.found_runs import keep, keep_meta, make_whole_run
from tests.web.test_app import LoadedModel
from tests.web.texts_run import make_texts
from tiltmeter.present.blocks import Chart, Section, each, plain
from tiltmeter.present.files import write_run
from tiltmeter.present.kept import FINDINGS, VERSION, read_findings
from tiltmeter.results import summarise_run
from tiltmeter.store import Run, read_run
from tiltmeter.web.findings_process import FindingsProcesses
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.results.filters import findings_in
from tiltmeter.web.scratch import findings_scratch

WAITING = 300
"""Seconds that a process may take on a busy machine."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bench")


@pytest.fixture(scope="module")
def run(home: Path) -> Run:
    made = make_whole_run(home / "runs" / "whole")
    keep(made)
    return made


@pytest.fixture(scope="module")
def browser(home: Path, run: Run) -> TestClient:
    """A browser that asks for parts; without the header of htmx it asks for pages."""
    return opened(home)


@pytest.fixture(scope="module")
def page(browser: TestClient) -> str:
    return whole(browser, "/runs/whole/results")


def whole(browser: TestClient, address: str) -> str:
    """A page as a person asks for it."""
    answer = browser.get(address, headers={"HX-Request": "false"})
    assert answer.status_code == 200, answer.text
    return answer.text


def specs(page: str) -> list[dict[str, Any]]:
    """The charts of a page."""
    return [json.loads(unescape(one)) for one in re.findall(r"<span data-spec hidden>(.*?)</span>", page)]


def rows(value: Any) -> list[dict[str, Any]]:
    """Every row of the data of a chart."""
    if isinstance(value, dict):
        own = value["values"] if isinstance(value.get("values"), list) else []
        return [*(row for row in own if isinstance(row, dict)), *(row for one in value.values() for row in rows(one))]
    return [row for one in value for row in rows(one)] if isinstance(value, list) else []


def sections(page: str) -> list[str]:
    """The anchors of the findings that are shown."""
    return list(dict.fromkeys(re.findall(r'id="(finding--[^"]+)"', page)))


def test_the_page_has_the_blocks_of_the_report_in_their_order(page: str, run: Run) -> None:
    found = read_findings(run.folder)
    assert found
    lead, *_ = found["page"].blocks
    text = re.sub(r"\s+", " ", unescape(re.sub("<[^>]+>", "", page)))
    assert re.sub(r"\s+", " ", plain(lead.text)) in text
    anchors = [one.anchor for one in each(found["page"].everything, Section) if one.anchor]
    places = [page.index(f'id="{anchor}"') for anchor in anchors]
    assert places == sorted(places) and len(anchors) > 5
    assert len(specs(page)) == len(list(each(found["page"].everything, Chart)))
    assert re.search(r'<a href="/runs/whole/results" aria-current="page">Results</a>', page)


def test_the_page_needs_no_weaker_policy_and_nothing_hostile_is_markup(page: str) -> None:
    reader = LoadedModel()
    reader.feed(page)
    assert reader.inline == []
    assert "<img" not in page
    assert "&lt;img" in page


def test_every_finding_is_there_with_its_verdict(page: str, run: Run) -> None:
    found = read_findings(run.folder)
    assert found
    assert len(sections(page)) == len(found["findings"])
    for one in (one for one in found["findings"] if not one["question"]["check"]):
        assert one["verdict"]["sentence"].replace("\xa0", " ") in unescape(page).replace("\xa0", " ")


def test_every_chart_has_words(page: str) -> None:
    words = re.findall(r'role="img" aria-label="([^"]+)"', page)
    assert len(words) == len(specs(page)) and all(one.strip() for one in words)


def test_every_point_of_a_chart_opens_texts(browser: TestClient, page: str) -> None:
    """Of each chart every point has an address; the same address is asked for once."""
    addresses: set[str] = set()
    for spec in specs(page):
        # Random draws of sentence structures are of no texts of their own.
        points = [row for row in rows(spec) if row.get("tip") and "of draws of" not in row["tip"]]
        assert all(row.get("open") for row in points), [row for row in points if not row.get("open")]
        addresses |= {row["open"] for row in points}
    addresses |= {unescape(one) for one in re.findall(r'href="(/runs/whole/texts/part[^"]+)"', page)}
    assert len(addresses) > 20
    assert all(one.startswith("/runs/whole/texts/part?view=") for one in addresses)
    # The ledger of this run holds nothing, which no address may take amiss.
    assert {one: status for one in addresses if (status := browser.get(one).status_code) >= 500} == {}


def test_points_open_the_texts_of_their_method(page: str) -> None:
    opened_by = [parse_qs(urlsplit(row["open"]).query) for spec in specs(page) for row in rows(spec) if "open" in row]
    texts = [query for query in opened_by if query["view"] == ["continuations"] and "rater" in query]
    assert {rater for query in texts for rater in query["rater"]} >= {"sentiment.vader.v1", "toxicity.linear.v1"}
    assert {number for query in texts for number in query.get("decoding", [])} == {"0", "1"}


@pytest.mark.slow
def test_every_address_of_a_run_that_was_carried_out_is_answered(tmp_path: Path) -> None:
    folder = make_texts(tmp_path)
    known = read_run(folder)
    write_run(known, summarise_run(known))
    browser = opened(tmp_path)
    page = whole(browser, "/runs/small/results")
    addresses = {row["open"] for spec in specs(page) for row in rows(spec) if "open" in row}
    addresses |= {unescape(one) for one in re.findall(r'href="(/runs/small/texts[^"]+)"', page)}
    assert len(addresses) > 20
    assert {one: status for one in addresses if (status := browser.get(one).status_code) != 200} == {}


@pytest.mark.parametrize("name", ["view", "bias", "verdict"])
def test_a_filter_leaves_sections_of_what_was_chosen_alone(browser: TestClient, run: Run, name: str) -> None:
    found = read_findings(run.folder)
    assert found
    listed = [one for one in each(found["page"].everything, Section) if one.anchor.startswith("finding--")]
    values = {one.about[name] for one in listed}
    assert len(values) > 1
    for value in values:
        shown = browser.get("/runs/whole/results", params={name: value}).text
        assert sections(shown) == [one.anchor for one in listed if one.about[name] == value]
        assert "overview" in shown or specs(shown), "the summary is about the whole run"


def test_filters_are_kept_in_the_address_without_those_left_blank(browser: TestClient) -> None:
    answer = browser.get("/runs/whole/results?view=pairs&model=&bias=&unknown=1")
    assert answer.headers["HX-Push-Url"] == "/runs/whole/results?view=pairs"
    assert '<option value="pairs" selected>' in answer.text


def test_only_what_varies_can_be_chosen(page: str) -> None:
    assert {*re.findall(r'<select name="(\w+)"', page)} == {"view", "bias", "verdict"}


def test_what_fits_nothing_is_said(browser: TestClient) -> None:
    empty, some = (browser.get(f"/runs/whole/results?{query}").text for query in ("model=nobody", "view=pairs"))
    assert sections(empty) == [] and sections(some)
    notices = [re.findall(r'<p class="notice">(.*?)</p>', text) for text in (empty, some)]
    assert len(notices[0]) == len(notices[1]) == 1 and notices[0] != notices[1]


@pytest.mark.parametrize("version", [3, VERSION + 1])
def test_findings_of_an_older_version_are_made_anew(tmp_path: Path, run: Run, version: int) -> None:
    old = replace(run, folder=tmp_path / "runs" / "old")
    keep(old)
    scratch = findings_scratch(old.folder)
    scratch.mkdir(parents=True, exist_ok=True)
    kept = json.loads((old.folder / FINDINGS).read_text(encoding="utf-8"))
    (old.folder / FINDINGS).unlink()
    (scratch / FINDINGS).write_text(json.dumps({**kept, "version": version}), encoding="utf-8")
    assert findings_in(old.folder, old.meta) is None
    (scratch / FINDINGS).write_text(json.dumps(kept), encoding="utf-8")
    assert findings_in(old.folder, old.meta)


def test_findings_of_another_plan_are_not_shown(tmp_path: Path, run: Run):
    old = replace(run, folder=tmp_path / "runs" / "old")
    keep_meta(replace(old, meta={key: value for key, value in old.meta.items() if key != "finished"}))
    shutil.copy(run.folder / FINDINGS, old.folder / FINDINGS)
    text = whole(opened(tmp_path), "/runs/old/results")
    assert "The run is not finished" in text
    assert 'hx-post="/runs/old/results/work"' in text
    assert not specs(text)


def test_estimates_so_far_say_so(tmp_path: Path, run: Run):
    begun = {key: value for key, value in run.meta.items() if key != "finished"}
    folder = tmp_path / "runs" / "begun"
    keep(replace(run, folder=folder, meta=begun))
    assert "The run is not finished" in whole(opened(tmp_path), "/runs/begun/results")
    findings_scratch(folder).mkdir(parents=True)
    (folder / FINDINGS).rename(findings_scratch(folder) / FINDINGS)
    text = whole(opened(tmp_path), "/runs/begun/results")
    assert "These are estimates so far" in text
    assert specs(text)


def test_only_a_page_of_the_workbench_has_estimates_worked_out(browser: TestClient):
    assert browser.post("/runs/whole/results/work", headers={TOKEN_HEADER: "guessed"}).status_code == 403


@pytest.mark.slow
def test_a_run_that_cannot_be_read_says_why_and_can_be_tried_again(tmp_path: Path, run: Run):
    keep_meta(replace(run, folder=tmp_path / "runs" / "hollow"))
    browser = opened(tmp_path)
    first = whole(browser, "/runs/hollow/results")
    assert "being worked out" in first
    text = until(browser, "/runs/hollow/results/part", "could not be worked out")
    assert "ledger.sqlite: is damaged" in text
    assert "Try again" in text


@pytest.mark.slow
def test_a_finished_run_without_findings_gets_them(tmp_path: Path):
    folder = make_texts(tmp_path)
    browser = opened(tmp_path)
    assert not (folder / FINDINGS).exists()
    first = whole(browser, "/runs/small/results")
    assert "being worked out" in first
    assert 'hx-trigger="load delay' in first
    assert "<dt>Texts</dt>" in first
    text = until(browser, "/runs/small/results/part", "data-spec")
    assert read_findings(folder)
    assert sections(text)


@pytest.mark.slow
def test_a_run_that_is_not_ours_to_write_to_gets_its_findings_elsewhere(tmp_path: Path):
    folder = make_texts(tmp_path)
    # What a folder without leave to write does to everybody but root.
    (folder / FINDINGS).mkdir()
    browser = opened(tmp_path)
    assert "being worked out" in whole(browser, "/runs/small/results")
    text = until(browser, "/runs/small/results/part", "data-spec")
    assert "could not be worked out" not in text
    assert sections(text)


def test_who_works_out_nothing_has_no_problem(tmp_path: Path):
    workers = FindingsProcesses()
    assert not workers.is_at_work(tmp_path)
    assert workers.problem(tmp_path) == ""


def until(browser: TestClient, address: str, words: str) -> str:
    """The part of a page, asked for again and again until it says something."""
    end = time.monotonic() + WAITING
    while time.monotonic() < end:
        text = unescape(browser.get(address).text)
        if words in text:
            return text
        time.sleep(0.3)
    pytest.fail(f"the page never said {words!r}: {text[:500]}")


@pytest.mark.slow
def test_findings_can_be_worked_out_by_hand(tmp_path: Path):
    folder = make_texts(tmp_path)
    (folder / FINDINGS).unlink(missing_ok=True)
    for given, status in (([str(folder)], 0), ([], 2), ([str(tmp_path / "nowhere")], 2)):
        command = [sys.executable, "-m", "tiltmeter.web.findings_process", *given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert read_findings(folder)
