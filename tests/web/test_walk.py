"""A new user goes the whole way in a browser, by what the pages show: from a spec with a mistake to the report."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.shared import own_cache
from tests.web.browser import Watched, chromium, served, watched
from tiltmeter.models import embedded

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytest.importorskip("fastapi")
pytestmark = pytest.mark.slow

RUN = "tools-and-crafts"
PATIENCE = 60_000
LONG = 300_000
"""Milliseconds for what a page does, and for what a model does; a loaded machine takes its time."""


@pytest.fixture
def walk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Watched]:
    """An empty workbench in a browser. Its answers are its own: none is known beforehand."""
    if not embedded.is_cached():
        pytest.skip("the embedded model is not in the cache: tiltmeter models get smollm2-135m")
    monkeypatch.setenv("TILTMETER_CACHE", own_cache(tmp_path / "cache"))
    (tmp_path / "bench").mkdir()
    with served(tmp_path / "bench") as address, chromium() as browser, watched(browser, address) as found:
        found.page.set_default_timeout(PATIENCE)
        found.go("/")
        yield found


def test_from_a_mistake_in_a_spec_to_a_report_that_is_taken_home(walk: Watched, tmp_path: Path):
    write_a_spec(walk.page)
    plan_a_study(walk.page)
    watch_it_pause_and_go_on(walk.page)
    read_the_verdict_and_open_a_text(walk)
    annotate(walk, tmp_path)
    take_the_report_home(walk, tmp_path)


def write_a_spec(page: Page) -> None:
    """From the start to a spec that was wrong and is right."""
    page.get_by_role("link", name="Specs", exact=True).click()
    page.get_by_role("link", name="Write a spec").click()
    example = page.locator("form", has_text="From an example")
    example.get_by_label("Name").fill(RUN)
    example.get_by_role("button", name="Begin").click()
    arrive(page, f"Edit {RUN}")
    women = page.get_by_role("group", name="Group 2").get_by_label("Terms")
    women.fill("she\nmy sister")
    checked = page.get_by_role("complementary", name="What is to be said of it")
    problem = checked.get_by_role("button", name=re.compile("Group female: 2 terms here, 3 in male"))
    problem.wait_for()
    assert checked.get_by_text("no counterpart").first.is_visible()
    problem.click()
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    women.fill("she\nmy sister\nthe woman")
    checked.get_by_text("Nothing is wrong: studies can use it.").last.wait_for()
    page.keyboard.press("Control+s")
    page.get_by_text(re.compile("^Saved")).wait_for()


def plan_a_study(page: Page) -> None:
    """From the spec to a study whose plan is seen before it starts."""
    page.get_by_role("link", name="Close").click()
    page.get_by_role("link", name="Use in a study").click()
    arrive(page, "A new study")
    page.get_by_label("per attribute").first.fill("2")
    page.get_by_role("checkbox", name=re.compile("^What does it write")).check()
    writing = page.get_by_role("group", name=re.compile("^What does it write"))
    for label, value in [("per group", "2"), ("max new tokens", "8"), ("samples", "2")]:
        writing.get_by_label(label).first.fill(value)
    for rater in ("toxicity.minilm", "hate.minilm", "regard.minilm"):
        writing.get_by_role("checkbox", name=rater).uncheck()
    plan = page.get_by_role("region", name="Before you start")
    plan.get_by_role("row", name=re.compile("Pairs 12 pairs")).wait_for()
    plan.get_by_role("row", name=re.compile("2 texts after each")).wait_for()
    plan.get_by_role("button", name="Save and start").click()


def watch_it_pause_and_go_on(page: Page) -> None:
    """A run moves before one's eyes; stopped, it goes on, and it ends."""
    arrive(page, RUN)
    shown = page.get_by_role("region", name="Progress")
    shown.get_by_text("running").first.wait_for(timeout=LONG)
    page.evaluate("window.isTheSamePage = true")
    before = shown.inner_text()
    page.wait_for_function("was => document.getElementById('live').innerText !== was", arg=before, timeout=LONG)
    assert page.evaluate("window.isTheSamePage")
    shown.get_by_role("button", name="Pause").click()
    shown.get_by_role("button", name="Continue").wait_for(timeout=LONG)
    page.wait_for_load_state()
    assert shown.get_by_text("paused").first.is_visible()
    shown.get_by_role("button", name="Continue").click()
    shown.get_by_role("link", name="See the results").wait_for(timeout=LONG)
    page.get_by_text("no item that was asked for is without its value").wait_for()


def read_the_verdict_and_open_a_text(walk: Watched) -> None:
    """From the verdict to a text behind a figure."""
    page = walk.page
    page.get_by_role("link", name="See the results").click()
    page.get_by_role("heading", name="Findings").wait_for(timeout=LONG)
    walk.settle()
    assert page.locator("[id^=finding--]").count() > 1
    walk.open_all()
    page.locator("#results a[href*='/texts/part']").locator("visible=true").first.click()
    behind = page.get_by_role("complementary", name="Behind this point")
    behind.get_by_text(re.compile("^Show texts")).click()
    behind.get_by_role("link", name=re.compile("^Everything about it")).first.click()
    page.get_by_role("heading", name=re.compile("^Text ")).wait_for()


def annotate(walk: Watched, home: Path) -> None:
    """Three texts judged with the keyboard alone, one taken back, and the sheet of them."""
    page = walk.page
    page.get_by_role("navigation", name="Pages of this run").get_by_role("link", name="Texts").click()
    page.get_by_role("link", name="Annotate these texts").click()
    arrive(page, "Annotate")
    page.get_by_label("Your name").fill("Ada")
    page.get_by_label("Your name").press("Enter")
    arrive(page, re.compile("^Annotate: "))
    assert page.locator("q").first.is_visible()
    page.get_by_text(re.compile("^Show texts")).click()
    page.keyboard.press("3")
    page.get_by_text("Nothing was marked, since the text was closed.").wait_for()
    assert page.locator("q").first.is_visible()
    done = page.get_by_role("status").filter(has_text="done.")
    for key, words in [("3", "1 done"), ("1", "2 done"), ("2", "3 done"), ("u", "2 done"), ("2", "3 done")]:
        page.keyboard.press(key)
        done.filter(has_text=words).wait_for()
        walk.settle()
    page.get_by_role("link", name="Agreement", exact=True).click()
    page.get_by_text("Ada judged 3").wait_for()
    rows = list(
        csv.DictReader(saved(page.get_by_role("link", name="All ratings of regard"), home).open(encoding="utf-8"))
    )
    assert [(row["annotator"], row["value"]) for row in rows] == [("Ada", "1"), ("Ada", "-1"), ("Ada", "0")]


def take_the_report_home(walk: Watched, home: Path) -> None:
    """The report as a file, which says what was found without a server."""
    page = walk.page
    page.get_by_role("navigation", name="Pages of this run").get_by_role("link", name="Run", exact=True).click()
    file = saved(page.get_by_role("link", name="download it"), home)
    with watched(page.context.browser, file.as_uri()) as taken:
        taken.page.goto(file.as_uri())
        assert taken.page.get_by_role("heading", name="Findings").first.is_visible()
        assert RUN in taken.page.locator("body").inner_text()
    page.get_by_role("link", name="Open the report").click()
    page.get_by_role("heading", level=1).wait_for()


def arrive(page: Page, heading: str | re.Pattern[str]) -> None:
    """Wait until a page is there, with all that it does: nobody types as fast as a test."""
    page.get_by_role("heading", name=heading, level=1).wait_for()
    page.wait_for_load_state()


def saved(link: Locator, home: Path) -> Path:
    """The file that a link gives."""
    with link.page.expect_download() as found:
        link.click()
    path = home / found.value.suggested_filename
    found.value.save_as(path)
    return path
