"""Pages of results: what is shown of findings, what filters do to it, and what is said while there are none."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tiltmeter.report.findings import FINDINGS, read_findings

from tests.web.bench import opened
from tests.web.found_runs import keep, keep_meta, make_whole_run
from tests.web.test_app import Loaded
from tests.web.texts_run import make_texts
from tiltmeter.store import Run
from tiltmeter.web.guard import TOKEN_HEADER
from tiltmeter.web.scratch import findings_scratch
from tiltmeter.web.working import Workers

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


def charts(page: str) -> list[str]:
    return [unescape(found) for found in re.findall(r'data-chart="([^"]+)"', page)]


def test_the_page_begins_with_what_survives(page: str, run: Run):
    found = read_findings(run.folder)
    assert found
    sentence = found["survives"]["questions"][0]["sentence"]
    text = unescape(page)
    assert sentence in text
    places = [
        text.index(f"{title}</h2>")
        for title in ("survive?", "What it prefers", "What it writes", "Which group it expects")
    ]
    assert places == sorted(places)
    assert re.search(r'<a href="/runs/whole/results" aria-current="page">Results</a>', page)


def test_the_page_needs_no_weaker_policy_and_nothing_hostile_is_markup(page: str):
    reader = Loaded()
    reader.feed(page)
    assert reader.inline == []
    assert "<img" not in page
    assert "&lt;img" in page


def test_every_question_is_listed_with_its_verdict(page: str, run: Run):
    found = read_findings(run.folder)
    assert found
    text = unescape(page)
    for one in found["survives"]["questions"]:
        assert one["title"] in text
    assert text.count("badge strength") == len(found["survives"]["questions"])


def test_every_figure_says_its_finding_and_has_its_numbers(page: str):
    figures = re.findall(r"<figure.*?</figure>", page, re.DOTALL)
    assert len(figures) == len(charts(page)) > 10
    for figure in figures:
        words = re.search(r'role="img" aria-label="([^"]+)"', figure)
        assert words
        assert words[1].strip()
        assert "The numbers in a table" in figure
        assert "<tbody>\n<tr>" in figure


def test_a_filter_leaves_rows_of_what_was_chosen_alone(browser: TestClient):
    shown = unescape(browser.get("/runs/whole/results?rater=toxicity.linear.v1&decoding=1").text)
    (heat,) = [one for one in charts(shown) if "/charts/heat" in one]
    rows = browser.get(heat).json()["data"]["values"]
    assert [(row["rater"], row["decoding"]) for row in rows] == [("toxicity.linear.v1", 1)]


def test_a_view_shows_no_other(browser: TestClient):
    shown = browser.get("/runs/whole/results?view=pairs").text
    assert "What it prefers" in shown
    assert "What it writes</h2>" not in shown
    assert "Which group it expects</h2>" not in shown


def test_filters_stand_in_an_address_without_those_left_blank(browser: TestClient):
    answer = browser.get("/runs/whole/results?view=&model=&rater=toxicity.linear.v1&bias=")
    assert answer.headers["HX-Push-Url"] == "/runs/whole/results?rater=toxicity.linear.v1"
    assert '<option value="toxicity.linear.v1" selected>' in answer.text


def test_only_what_varies_can_be_chosen(page: str):
    assert 'name="rater"' in page
    assert 'name="decoding"' in page
    assert 'name="model"' not in page


def test_what_fits_nothing_is_said(browser: TestClient):
    assert "Nothing in this run fits" in browser.get("/runs/whole/results?model=nobody").text


def test_scorers_are_all_shown_when_they_are_asked_for(browser: TestClient):
    of_one, of_all = (
        browser.get(next(one for one in charts(browser.get(f"/runs/whole/results{query}").text) if "/forest" in one))
        for query in ("", "?scorer=every")
    )
    scorers = [{row["scorer"] for row in answer.json()["data"]["values"]} for answer in (of_one, of_all)]
    assert [len(found) for found in scorers] == [1, 2]


def test_a_question_has_an_address_of_its_own(browser: TestClient, run: Run):
    found = read_findings(run.folder)
    assert found
    title, sentence = (found["survives"]["questions"][2][name] for name in ("title", "sentence"))
    for text in (
        whole(browser, "/runs/whole/results?question=2"),
        browser.get("/runs/whole/results/one/curve/2").text,
    ):
        assert f"<h3><bdi>{title}" in unescape(text)
        assert sentence in unescape(text)


@pytest.mark.parametrize("question", ["999", "-1", "x", "٣"])
def test_a_question_that_is_not_there_gives_way_to_the_first(browser: TestClient, question: str):
    text = whole(browser, f"/runs/whole/results?question={question}")
    assert "Gender, what it writes" in text


@pytest.mark.parametrize(
    "address",
    [
        *("charts/nothing", "charts/curve", "charts/curve?at=99", "charts/heat?at=x", "charts/groups?at=0"),
        *("one/nothing/0", "one/board/99", "one/words/7"),
    ],
)
def test_what_is_not_there_is_refused_in_a_sentence(browser: TestClient, address: str):
    answer = browser.get(f"/runs/whole/results/{address}")
    assert answer.status_code == 422
    assert 'class="problem"' in answer.text


def test_a_part_that_opens_later_is_there(browser: TestClient, page: str):
    later = [unescape(one) for one in re.findall(r'<details class="later" hx-get="([^"]+)"', page)]
    assert later
    for address in later:
        assert '<div class="vega"' in browser.get(address).text


def test_saliency_stands_behind_a_choice(page: str):
    before, _, after = page.partition('<details class="warning">')
    assert "salient" not in before
    assert 'class="text salient"' in after


def test_findings_of_another_plan_are_not_shown(tmp_path: Path, run: Run):
    old = replace(run, folder=tmp_path / "runs" / "old")
    keep_meta(replace(old, meta={key: value for key, value in old.meta.items() if key != "finished"}))
    found = read_findings(run.folder)
    (old.folder / FINDINGS).write_text(json.dumps(found))
    text = whole(opened(tmp_path), "/runs/old/results")
    assert "The run is not finished" in text
    assert "Work out the estimates so far" in text
    assert 'class="vega"' not in text


def test_estimates_so_far_say_so(tmp_path: Path, run: Run):
    begun = {key: value for key, value in run.meta.items() if key != "finished"}
    folder = tmp_path / "runs" / "begun"
    keep(replace(run, folder=folder, meta=begun))
    assert "The run is not finished" in whole(opened(tmp_path), "/runs/begun/results")
    findings_scratch(folder).mkdir(parents=True)
    (folder / FINDINGS).rename(findings_scratch(folder) / FINDINGS)
    text = whole(opened(tmp_path), "/runs/begun/results")
    assert "These are estimates so far" in text
    assert 'class="vega"' in text


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
    text = until(browser, "/runs/small/results/part", "Which conclusions survive?")
    assert read_findings(folder)
    for address in charts(text):
        assert browser.get(address).json()["data"]["values"], address


@pytest.mark.slow
def test_a_run_that_is_not_ours_to_write_to_gets_its_findings_elsewhere(tmp_path: Path):
    folder = make_texts(tmp_path)
    # What a folder without leave to write does to everybody but root.
    (folder / FINDINGS).mkdir()
    browser = opened(tmp_path)
    assert "being worked out" in whole(browser, "/runs/small/results")
    text = until(browser, "/runs/small/results/part", "Which conclusions survive?")
    assert "could not be worked out" not in text
    for address in charts(text):
        assert browser.get(address).json()["data"]["values"], address


def test_who_works_out_nothing_has_no_problem(tmp_path: Path):
    workers = Workers()
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
        command = [sys.executable, "-m", "tiltmeter.web.working", *given]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (done.returncode, "Traceback" in done.stderr) == (status, False), done.stderr
    assert read_findings(folder)
