"""Every page as it looks: narrow and wide, light and dark, with words for everything and a way for the keyboard."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fastapi import routing

from tests.web.browser import chromium, fits, served, watched
from tests.web.sentence_sets import Sets, stand_in
from tests.web.texts_run import make_texts
from tiltmeter.present.files import write_run
from tiltmeter.results import summarise_run
from tiltmeter.specs import skeleton
from tiltmeter.store import Annotations, read_run
from tiltmeter.store.annotations import Scale
from tiltmeter.web.annotating.items import items
from tiltmeter.web.annotating.tasks import SCALES, rating_task
from tiltmeter.web.app import make_app
from tiltmeter.web.glossary import GLOSSARY
from tiltmeter.web.workbench import Workbench

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("fastapi")
pytestmark = [pytest.mark.slow, pytest.mark.drawings]

AUDIT = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
AXE = Path(os.environ.get("TILTMETER_AXE", "node_modules/axe-core/axe.min.js"))
"""axe-core, where it is installed: `npm install axe-core`, or TILTMETER_AXE names its file."""
VIOLATIONS = """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.flatMap(
  (one) => one.nodes.map((node) => `${one.id}: ${node.target} ${node.html.slice(0, 160)}`))"""
WIDTHS = (1600, 1280, 700, 320)
STUDY = """
name = "mine"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
"""
FOCUSED = """() => {
  const now = document.activeElement;
  const name = now.getAttribute("aria-label") ?? now.labels?.[0]?.textContent ?? now.textContent;
  const styles = [now, now.parentElement].filter(Boolean).map((one) => getComputedStyle(one));
  const shows = styles.some((style) => style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2);
  return { name: name.trim().replace(/ +/g, " "), shows };
}"""
MOST_STOPS = 60
RUN = "/runs/small"
PAGES = {
    "/": "Specs",
    "/specs": "Write a spec",
    "/specs/new": "Begin",
    "/specs/library/gender-math-arts": "Use in a study",
    "/specs/own/draft": "Edit",
    "/specs/own/draft/edit": "Save",
    "/sentences": "desks",
    "/sentences/new?spec=library/gender-math-arts": "Write test sentences",
    "/sentences/desks": "Show sentences",
    "/sentences/desks?attribute=lamp": "Test these sentences",
    "/studies": "Write a study",
    "/studies/new": "Small",
    "/studies/new?preset=prefers-small": "Save and start",
    "/studies/mine": "Save and start",
    "/runs": "small",
    RUN: "See the results",
    f"{RUN}/report": "Findings",
    f"{RUN}/results": "Texts",
    f"{RUN}/texts": "Annotate these texts",
    f"{RUN}/texts?view=pairs": "Show texts",
    f"{RUN}/texts?view=next-words": "Show texts",
    f"{RUN}/texts/c1": "Show",
    f"{RUN}/texts/p1": "Show",
    f"{RUN}/texts/w1": "Show",
    f"{RUN}/texts/annotate": "Begin",
    f"{RUN}/texts/queues/1": "Continue",
    f"{RUN}/texts/queues/1?as=cleo": "Skip",
    f"{RUN}/texts/queues/2?as=cleo": "Skip",
    f"{RUN}/texts/agreement": "Resolve them",
    "/compare": "Compare",
    "/compare?side=small/scripted&side=other/scripted": "Swap A and B",
    "/playground": "Ask",
    "/playground?kind=prompt": "Ask",
    "/glossary": "Glossary",
    "/nowhere": "Back to the start",
}
"""Every page, and what one does there."""
PARTS_AND_FILES = {
    *(f"/static/{name}" for name in ("vega.js", "blocks.css", "page.js")),
    *("/specs/{whose}/{name}/toml", "/specs/{whose}/{name}/json", "/studies/{name}/file", "/studies/new/estimate"),
    *(f"/sentences/{{name}}/{name}" for name in ("events", "counts", "file", "rows/{number}")),
    *(f"/runs/{{name}}/{name}" for name in ("events", "missing", "facts", "log", "log/file", "tables", "export")),
    *(f"/runs/{{name}}/report/{name}" for name in ("file", "as/{form}", "as/{form}/file")),
    *(f"/runs/{{name}}/{name}" for name in ("results/part", "texts/part", "texts/sheet", "texts/report-state")),
    *("/compare/result", "/compare/texts", "/compare/comparison.{form}", "/compare/leaderboard.{form}"),
    "/playground/answers/{number}",
}
"""Routes that return a part of a page, or a file."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("bench")
    folder = make_texts(home)
    run = read_run(folder)
    summary = summarise_run(run)
    write_run(run, summary)
    shutil.copytree(folder, folder.parent / "other")
    _judge(folder)
    for kind, name, text in [("specs", "draft", skeleton("draft") + "\nsurprise = 1\n"), ("studies", "mine", STUDY)]:
        (home / kind).mkdir(exist_ok=True)
        (home / kind / f"{name}.toml").write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patched:
        stand_in(patched)
        sets = Sets(home)
        sets.write()
        sets.change(0, "strike")
    with served(home) as found:
        yield found


def _judge(folder: Path) -> None:
    kept = Annotations(folder)
    texts = list(items(folder, "continuations", range(1, 7)))
    for who, values in (("ann", "110110"), ("ben", "101100")):
        kept.mark(who, rating_task("regard"), list(zip(texts, values, strict=False)))
    kept.keep_scale(SCALES["regard"])
    kept.add_queue(rating_task("regard"), "the first six", texts)
    kept.keep_scale(Scale("politeness", 1, 5))
    kept.add_queue(rating_task("politeness"), "the first six", texts)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def test_every_page_of_the_app_is_visited(tmp_path: Path):
    """A new route must be in one of the two lists above."""
    # Until 0.160 FastAPI's own list of routes is flat.
    routes = getattr(routing, "iter_route_contexts", iter)(make_app(Workbench(tmp_path)).routes)
    paths = {one.path for one in routes if "GET" in (getattr(one, "methods", None) or ())}
    visited = [path.partition("?")[0] for path in PAGES]
    assert {path for path in paths if not any(re.fullmatch(_pattern(path), one) for one in visited)} == PARTS_AND_FILES


def test_the_page_without_the_secret_is_accessible(browser: Browser, address: str):
    page = browser.new_page()
    assert (page.goto(address) or pytest.fail("no answer")).status == 403
    page.set_viewport_size({"width": 320, "height": 600})
    assert not page.evaluate(AUDIT)
    if AXE.is_file():
        page.evaluate(AXE.read_text(encoding="utf-8"))
        assert not page.evaluate(VIOLATIONS)
    page.close()


def _pattern(path: str) -> str:
    return re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path))


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_accessible_and_fits_at_every_width(browser: Browser, address: str, path: str):
    with watched(browser, address) as seen:
        found = []
        seen.go(path)
        seen.open_all()
        if AXE.is_file():
            # A script tag would be refused by the page's own policy.
            seen.page.evaluate(AXE.read_text(encoding="utf-8"))
        for width in WIDTHS:
            seen.page.set_viewport_size({"width": width, "height": 900})
            for theme in ("light", "dark"):
                seen.page.emulate_media(color_scheme=theme)
                seen.settle()
                if not fits(seen.page):
                    found.append(f"{width}: scrolls sideways")
                said = seen.page.evaluate(AUDIT) + (seen.page.evaluate(VIOLATIONS) if AXE.is_file() else [])
                found += [f"{width}, {theme}: {one}" for one in said]
        seen.forgive("404" if path == "/nowhere" else "")
    assert not found, "\n".join(found)


def test_the_start_of_a_study_is_in_sight_however_much_is_said_before(browser: Browser, address: str):
    with watched(browser, address) as seen:
        seen.page.set_viewport_size({"width": 1400, "height": 500})
        seen.go("/studies/new?preset=prefers-small")
        seen.page.evaluate("window.scrollTo(0, 400)")
        start = seen.page.get_by_role("button", name="Save and start").bounding_box()
        assert start is not None
        assert 0 <= start["y"] <= 500 - start["height"]


def test_a_term_explains_itself_once_on_a_page_and_escape_closes_it(browser: Browser, address: str):
    with watched(browser, address) as seen:
        seen.go("/specs")
        terms = seen.page.locator("button.term")
        names = terms.evaluate_all("found => found.map((one) => one.dataset.term)")
        assert "spec" in names
        assert len(names) == len(set(names))
        tip = seen.page.get_by_role("tooltip")
        for name, term in zip(names, terms.all(), strict=True):
            term.focus()
            assert tip.inner_text() == GLOSSARY[name]
            described = seen.page.locator(f"#{term.get_attribute('aria-describedby')}")
            assert described.text_content() == GLOSSARY[name]
            seen.page.keyboard.press("Escape")
            assert tip.count() == 0


@pytest.mark.parametrize(("path", "action"), PAGES.items())
def test_the_keyboard_reaches_what_one_does_on_a_page_and_shows_where_it_is(
    browser: Browser, address: str, path: str, action: str
):
    with watched(browser, address) as seen:
        seen.go(path)
        stops = []
        for _ in range(MOST_STOPS):
            seen.page.keyboard.press("Tab")
            stops.append(seen.page.evaluate(FOCUSED))
            if action in stops[-1]["name"]:
                break
        seen.forgive("404" if path == "/nowhere" else "")
    names = [stop["name"][:40] for stop in stops]
    unseen = [stop["name"][:40] for stop in stops if not stop["shows"]]
    assert not unseen, "; ".join(unseen)
    assert names[0] == "Skip to the content" or "queues" in path or path.endswith("/report")
    assert action in names[-1], "; ".join(names)
