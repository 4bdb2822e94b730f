"""Strings that try to get out of where they are put, on every page that shows one: nothing of them ever runs."""

from __future__ import annotations

import csv
import io
import json
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlencode

import pytest

from tests.web.browser import Watched, chromium, fetched, fits, served, watched
from tests.web.hostile import HOSTILE, PRINTABLE
from tiltmeter.engine import carry_out
from tiltmeter.errors import ModelError
from tiltmeter.models.scripted import ScriptedModel
from tiltmeter.present.files import write_run
from tiltmeter.raters.issues import NAME as AUDIT
from tiltmeter.records import Completion, Decoding
from tiltmeter.results import summarise_run
from tiltmeter.sources.generated.sentence_specs import encode
from tiltmeter.specs import skeleton
from tiltmeter.store import PROGRESS, Annotations, ProgressFile, read_run
from tiltmeter.store.database import locked
from tiltmeter.study import parse, plan
from tiltmeter.web.annotating.items import items
from tiltmeter.web.annotating.tasks import SCALES, rating_task
from tiltmeter.web.jobs import LOG

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator

pytest.importorskip("fastapi")
pytestmark = [pytest.mark.slow, pytest.mark.drawings]


def quoted(value: object) -> str:
    """A value as TOML has it."""
    return json.dumps(value, ensure_ascii=False)


IMAGE, SCRIPT, QUOTE, MARKUP = PRINTABLE[2], PRINTABLE[0], PRINTABLE[3], "<svg onload=window.pwned=1>"
TABLE = f"{IMAGE}.toml"
NAMES = [text for text in PRINTABLE if "/" not in text and len(text.encode()) < 200 and text not in (".", "..")]
"""Those that a file can be called."""
SHORT = [text[:80] for text in PRINTABLE if text[:80].isprintable()]
"""Those that an annotator can be called."""
WRITTEN = cycle(HOSTILE)
"""What the model writes, one after the other."""
STUDY = f"""
name = {quoted(SCRIPT)}
models = [{quoted(f"scripted:{TABLE}")}]
[pairs]
sources = ["pairs-file:pairs.csv"]
scorers = ["sum", "mean"]
[continuations]
sources = ["prompts-file:prompts.csv"]
decoding = {{ temperature = [0.5, 1.0], max_new_tokens = 4 }}
samples = 2
raters = ["sentiment.vader", "readability.fog"]
[next_words]
sources = ["prompts-file:open.csv"]
words = "he-she"
"""
SPEC = f"""
name = "hostile"
title = {quoted(SCRIPT)}
citation = {quoted(IMAGE)}
note = {quoted(PRINTABLE[5])}
templates = [{quoted("[T] likes [A] " + QUOTE)}, {quoted("[T] has [A] " + "W" * 3000)}]
[groups.one]
terms = {quoted([f"{text} 1" for text in PRINTABLE])}
[groups.two]
terms = {quoted([f"{text} 2" for text in PRINTABLE])}
[attributes.first]
terms = {quoted([f"{text} 3" for text in PRINTABLE])}
stereotype_of = "one"
neutral = {quoted(QUOTE)}
"""
DRAFT = f"""
name = {quoted(IMAGE)}
title = {quoted("W" * 3000)}
{quoted(SCRIPT)} = 1
[groups.{quoted(SCRIPT)}]
terms = {quoted(list(PRINTABLE))}
[groups.{quoted("W" * 300)}]
terms = [1]
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workbench in which everything that can be is a hostile string."""
    home = tmp_path_factory.mktemp("bench")
    for kind in ("specs", "studies", "runs"):
        (home / kind).mkdir()
    for name in NAMES:
        (home / "specs" / f"{name}.toml").write_text(skeleton("other"), encoding="utf-8")
    (home / "specs" / f"{IMAGE}.toml").write_text(SPEC, encoding="utf-8")
    (home / "specs" / f"{MARKUP}.toml").write_text(DRAFT, encoding="utf-8")
    beside = STUDY.replace("scripted:", "scripted:../").replace("-file:", "-file:../")
    for name in (*NAMES[:5], IMAGE):
        (home / "studies" / f"{name}.toml").write_text(beside, encoding="utf-8")
    (home / "studies" / f"{MARKUP}.toml").write_text(f"name = 1\n{quoted(SCRIPT)} = {quoted(IMAGE)}", "utf-8")
    _carry_out(home, home / "runs" / IMAGE)
    shutil.copytree(home / "runs" / IMAGE, home / "runs" / MARKUP)
    _fail(home, home / "runs" / QUOTE)
    _sentences(home / "sentences" / IMAGE)
    return home


def _sentences(folder: Path) -> None:
    """A set that came from elsewhere."""
    folder.mkdir(parents=True)
    (folder / "order.toml").write_text(f"by = {quoted(SCRIPT)}\nspec = {quoted(f'own/{MARKUP}')}\n", encoding="utf-8")
    columns = ["id", "bias", "set", "group", "term", "attribute_set", "attribute", "text", "strategy", "dropped"]
    rows = [
        (text, SCRIPT, "0", f"{text} g", "clerk", f"{text} s", text, f"The clerk {text}.", text, text[: 40 * (n % 2)])
        for n, text in enumerate(PRINTABLE)
    ]
    more = [(*row, encode([("other", QUOTE)])) for row in rows]
    _table(folder / "sentences.csv", [*columns, "counterparts"], more)
    _table(folder / "written.csv", ["id", "text"], [(text, f"was {text}") for text in PRINTABLE])
    found = [{"bias": SCRIPT, "term": "clerk", "attribute": text, "text": f"The clerk {text}."} for text in PRINTABLE]
    audited = [{**one, "issues": [["I4", IMAGE, 0.9]]} for one in found]
    (folder / "issues.json").write_text(json.dumps({"audit": AUDIT, "sentences": audited}), encoding="utf-8")


def _carry_out(home: Path, folder: Path) -> None:
    (home / TABLE).write_text("[weights]\nhe = 1\nshe = 1\nother = 4\n", encoding="utf-8")
    _table(
        home / "prompts.csv",
        ["text", "group", "origin"],
        [(text, SHORT[n % 3], text) for n, text in enumerate(PRINTABLE)],
    )
    _table(home / "open.csv", ["text", "profession"], [(f"The {text} said that", text) for text in PRINTABLE])
    _table(
        home / "pairs.csv",
        ["sentence_1", "sentence_2", "term_1", "term_2", "label_1", "label_2", "bias", "attribute"],
        [
            (f"He {text}", f"She {text}", "He", "She", "stereotype", "anti-stereotype", SCRIPT, text)
            for text in PRINTABLE
        ],
    )
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        patched.setattr(ScriptedModel, "complete", _write)
        carry_out(plan(parse(STUDY)), folder)
    run = read_run(folder)
    write_run(run, summarise_run(run))
    (folder / LOG).write_text("\n".join(HOSTILE), encoding="utf-8")
    kept = Annotations(folder)
    kept.keep_scale(SCALES["regard"])
    texts = items(folder, "continuations", range(1, 9))
    for who, value in zip(SHORT[:3], "100", strict=True):
        kept.mark(who, rating_task("regard"), [(item, value) for item in texts])
    kept.add_queue(rating_task("regard"), SCRIPT, texts)


def _write(
    model: ScriptedModel, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: object = 0
) -> list[list[Completion]]:
    """A hostile string after each prompt."""
    return [[Completion(f" {text}", 3, "length") for text in islice(WRITTEN, samples)] for _ in prompts]


def _fail(home: Path, folder: Path) -> None:
    """A run that failed, with a hostile string for the reason."""

    def refuse(*_: object, **__: object) -> None:
        raise ModelError(SCRIPT)

    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        patched.setattr(ScriptedModel, "score", refuse)
        with pytest.raises(ModelError), ProgressFile(folder) as progress:
            carry_out(plan(parse(STUDY)), folder, progress=progress)


def _table(path: Path, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([columns, *rows])


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    with served(home) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


WIDE, NARROW = 1280, 390


def at(*parts: str, **query: str | Sequence[str]) -> str:
    """The address of a page with names that hold anything."""
    path = "/" + "/".join(quote(part, safe="") for part in parts)
    return f"{path}?{urlencode(query, doseq=True)}" if query else path


def side(run: str) -> str:
    return f"{quote(run, safe='')}/{quote(f'scripted:{TABLE}', safe='')}"


RUN = ("runs", IMAGE)
PAGES: list[tuple[str, tuple[str, ...]]] = [
    (at(), ()),
    (at("specs"), (SCRIPT, *NAMES)),
    *((at("specs", q=text), (text.strip(),)) for text in PRINTABLE[:15]),
    (at("specs", "own", IMAGE), (SCRIPT, IMAGE, QUOTE, *(f"{text} 1" for text in PRINTABLE))),
    (at("specs", "own", IMAGE, "edit"), (SCRIPT, IMAGE, QUOTE, *(f"{text} 2" for text in PRINTABLE))),
    (at("specs", "own", MARKUP), (SCRIPT,)),
    (at("specs", "own", MARKUP, "edit"), (SCRIPT, IMAGE)),
    (at("specs", "new", copy=f"own/{IMAGE}"), (IMAGE,)),
    (at("sentences"), (IMAGE, SCRIPT)),
    (at("sentences", IMAGE), (SCRIPT, IMAGE, *(f"The clerk {text}." for text in PRINTABLE[:12]))),
    (at("sentences", IMAGE, q=QUOTE, attribute=SCRIPT, issue=QUOTE), (QUOTE,)),
    (at("sentences", "new", spec=f"own/{IMAGE}"), (IMAGE,)),
    (at("studies"), (SCRIPT, f"scripted:{TABLE}", *NAMES[:5])),
    (at("studies", IMAGE), (SCRIPT, f"scripted:../{TABLE}")),
    (at("studies", MARKUP), (SCRIPT,)),
    (at("studies", "new", spec=IMAGE, model=SCRIPT), (IMAGE, SCRIPT)),
    (at("runs"), (IMAGE, MARKUP, QUOTE, SCRIPT)),
    (at(*RUN), (IMAGE, SCRIPT, *HOSTILE)),
    (at("runs", QUOTE), (QUOTE, SCRIPT)),
    (at(*RUN, "results"), (IMAGE, SCRIPT, SHORT[0], SHORT[1])),
    (at(*RUN, "texts"), (SHORT[0], *PRINTABLE[:12])),
    (at(*RUN, "texts", q=SCRIPT), (SCRIPT,)),
    (at(*RUN, "texts", view="pairs"), (SCRIPT, f"She {IMAGE}")),
    (at(*RUN, "texts", view="pairs", q=IMAGE, origin=SCRIPT), (IMAGE, SCRIPT)),
    (at(*RUN, "texts", view="next-words"), (f"The {SCRIPT} said that",)),
    (at(*RUN, "texts", "c1"), (PRINTABLE[0],)),
    (at(*RUN, "texts", "p3"), (PRINTABLE[2],)),
    (at(*RUN, "texts", "w3"), (PRINTABLE[2],)),
    (at(*RUN, "texts", "annotate"), (SCRIPT, *SHORT[:3])),
    (at(*RUN, "texts", "queues", "1"), (SCRIPT,)),
    *((at(*RUN, "texts", "queues", "1", **{"as": who, "open": "1"}), (who,)) for who in SHORT[:6]),
    (at(*RUN, "texts", "agreement"), (*SHORT[:3],)),
    (at("compare"), (IMAGE, MARKUP, f"scripted:{TABLE}")),
    (at("compare", side=[side(IMAGE), side(MARKUP)]), (IMAGE, MARKUP, SHORT[0])),
    *(
        (at("playground", model="scripted", text=f"He {text}", second=f"She {text}"), (f"He {text}",))
        for text in PRINTABLE[:4]
    ),
    (at("playground", model=SCRIPT, text=IMAGE, kind="prompt", words=QUOTE), (SCRIPT, IMAGE)),
    *((at(*kind, f"no {MARKUP}"), (f"no {MARKUP}",)) for kind in (("runs",), ("studies",), ("specs", "own"))),
]
"""Every page, and the strings that must be on it as text."""
SHOWN = """() => {
  const values = [...document.querySelectorAll("input, textarea")].map((one) => one.value);
  return [document.title, document.body.textContent, ...values].join(" ").replace(/\\s+/g, " ");
}"""
ALIVE = """() => {
  const acts = ({ name, value }) => /^(on|hx-on)/.test(name)
    || /^(href|src|action|hx-)/.test(name) && /^\\s*javascript:/i.test(value);
  const foreign = "script:not([src^='/static/'], [type='application/json']), img, iframe, object, base, [src=x]";
  return [...document.querySelectorAll("*")]
    .filter((one) => one.matches(foreign) || [...one.attributes].some(acts))
    .map((one) => one.outerHTML.slice(0, 100));
}"""
"""What of a page could run, or load something."""


def test_hostile_strings_are_text_on_every_page(browser: Browser, address: str):
    wrong = []
    with watched(browser, address) as seen:
        for path, strings in PAGES:
            wrong += [f"{path}: {one}" for one in _looked_at(seen, path, strings)]
            seen.forgive("status of 4")
    assert not wrong, "\n".join(wrong)


def _looked_at(seen: Watched, path: str, strings: Sequence[str]) -> Iterator[str]:
    """What is wrong with a page."""
    seen.go(path)
    seen.open_all()
    yield from _too_wide(seen)
    shown = seen.page.evaluate(SHOWN)
    for text in strings:
        if " ".join(text.replace("\ufeff", " ").split()) not in shown:
            yield f"does not show {text[:60]!r}"
    for one in seen.page.evaluate(ALIVE):
        yield f"has {one}"


def _too_wide(seen: Watched) -> Iterator[str]:
    """Whether the page is wider than a window; the next page begins with the width that this one ends with."""
    now = seen.page.viewport_size
    assert now
    for width in (now["width"], WIDE + NARROW - now["width"]):
        if width != now["width"]:
            seen.page.set_viewport_size({"width": width, "height": 900})
            seen.settle()
        if not fits(seen.page):
            yield f"is wider than a window of {width} pixels"


def test_what_a_chart_says_of_a_point_is_text_and_its_texts_open(browser: Browser, address: str):
    with watched(browser, address) as seen:
        seen.go(at(*RUN, "results"))
        tip = seen.page.get_by_role("tooltip")
        told = [text for chart in seen.page.locator(".vega canvas").all()[:4] for text in _pointed_at(seen, chart, tip)]
        assert any(text in one for one in told for text in (*SHORT[:3], SCRIPT)), told
        seen.open_all()
        seen.page.locator("#results a[href*='/texts/part']").locator("visible=true").first.click()
        drawer = seen.page.get_by_role("complementary", name="Behind this point")
        drawer.get_by_text("Show texts").click()
        drawer.locator("q").first.wait_for()
        assert not seen.page.evaluate(ALIVE)


def _pointed_at(seen: Watched, chart: Locator, tip: Locator) -> Iterator[str]:
    """What is said when the pointer goes over a chart."""
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    assert box
    for down in range(10, int(box["height"]), 12):
        for along in (0.45, 0.6, 0.75):
            seen.page.mouse.move(box["x"] + box["width"] * along, box["y"] + down)
            if tip.is_visible():
                yield tip.inner_text()
                break


def test_a_run_under_way_says_what_it_does_in_text(browser: Browser, address: str, home: Path):
    folder = home / "runs" / MARKUP
    with locked(folder), watched(browser, address) as seen:
        progress = ProgressFile(folder)
        progress.start(f"scoring by {IMAGE}", 100, 0)
        seen.go(at("runs", MARKUP))
        for text in (SCRIPT, QUOTE, "W" * 3000):
            progress.start(text, 10, 3)
            seen.page.get_by_role("rowheader", name=text, exact=True).wait_for()
            assert fits(seen.page)
        seen.go(at("runs"))
        assert fits(seen.page)
        assert not seen.page.evaluate(ALIVE)
    (folder / PROGRESS).unlink()


@pytest.mark.parametrize(
    "path",
    [
        at(*RUN, "report", "file"),
        at("compare", "comparison.html", side=[side(IMAGE), side(MARKUP)]),
        at("compare", "leaderboard.html", side=[side(IMAGE), side(MARKUP)]),
    ],
)
def test_what_is_taken_home_shows_them_as_text_without_a_server(
    browser: Browser, address: str, tmp_path: Path, path: str
):
    file = tmp_path / "taken.html"
    file.write_bytes(fetched(address, path))
    for width in (1280, 390):
        with watched(browser, file.as_uri(), width=width) as seen:
            seen.page.goto(file.as_uri())
            seen.open_all()
            shown = seen.page.locator("body").text_content() or ""
            assert IMAGE in shown
            assert fits(seen.page)


def test_what_is_wrong_with_a_name_is_said_in_text(browser: Browser, address: str):
    with watched(browser, address) as seen:
        seen.go("/specs/new")
        form = seen.page.locator("form", has_text="From an example")
        form.get_by_label("Name").fill(IMAGE)
        form.get_by_role("button", name="Begin").click()
        seen.page.locator("#messages").get_by_text(IMAGE).wait_for()
        seen.go(at(*RUN, "texts", low=SCRIPT))
        assert SCRIPT in seen.page.locator("main").inner_text()
        seen.forgive("status of 4")


def test_a_table_of_items_keeps_texts_as_they_are_and_figures_as_figures(address: str):
    archive = zipfile.ZipFile(io.BytesIO(fetched(address, at(*RUN, "export", format="csv"))))
    written = list(csv.DictReader(io.StringIO(archive.read("completions.csv").decode(), newline="")))
    assert {row["completion"].strip() for row in written} == {text.strip() for text in HOSTILE}
    assert {row["origin"] for row in written} == set(PRINTABLE)
    assert all(float(row["temperature"]) in (0.5, 1.0) for row in written)
    assert any(float(row["sentiment.vader.v1"] or 0) for row in written)
