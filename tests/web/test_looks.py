"""Every page as it looks: narrow and wide, light and dark, with words for everything and a way for the keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.web.browser import chromium, fits, served, watched
from tests.web.sentence_sets import Sets, stand_in
from tests.web.texts_run import make_texts
from tiltmeter.present.files import write_run
from tiltmeter.results import summarise_run
from tiltmeter.specs import skeleton
from tiltmeter.store import Annotations, read_run
from tiltmeter.web.annotating.items import items
from tiltmeter.web.annotating.tasks import SCALES, rating_task

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("fastapi")
pytestmark = pytest.mark.slow

AUDIT = (Path(__file__).parent / "looks.js").read_text(encoding="utf-8")
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
    "/studies/mine": "Save and start",
    "/runs": "small",
    RUN: "See the results",
    f"{RUN}/results": "Texts",
    f"{RUN}/texts": "Annotate these texts",
    f"{RUN}/texts?view=pairs": "Show texts",
    f"{RUN}/texts?view=next-words": "Show texts",
    f"{RUN}/texts/c1": "Show",
    f"{RUN}/texts/p1": "Show",
    f"{RUN}/texts/w1": "Show",
    f"{RUN}/texts/annotate": "Begin",
    f"{RUN}/texts/queues/1?as=cleo": "Skip",
    f"{RUN}/texts/agreement": "Resolve them",
    "/compare": "Compare",
    "/compare?side=small/scripted&side=other/scripted": "Swap A and B",
    "/playground": "Ask",
    "/playground?kind=prompt": "Ask",
    "/nowhere": "Back to the start",
}
"""Every page, and what one does there."""


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize("path", PAGES)
def test_a_page_has_words_for_everything_and_fits(browser: Browser, address: str, path: str):
    with watched(browser, address) as seen:
        found = []
        for width in (1280, 390):
            seen.page.set_viewport_size({"width": width, "height": 900})
            seen.page.emulate_media(color_scheme="light")
            seen.go(path)
            assert fits(seen.page), width
            seen.open_all()
            found += [f"{width}: {one}" for one in seen.page.evaluate(AUDIT)]
            seen.page.emulate_media(color_scheme="dark")
            found += [f"{width}, dark: {one}" for one in seen.page.evaluate(AUDIT)]
        seen.forgive("404" if path == "/nowhere" else "")
    assert not found, "\n".join(found)


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
    unseen = [stop["name"] for stop in stops if not stop["shows"]]
    assert not unseen, "; ".join(unseen)
    assert names[0] == "Skip to the content" or "queues" in path
    assert action in names[-1], "; ".join(names)
