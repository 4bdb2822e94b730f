"""Makes docs/images/*.png: `python -m docs.screenshots`, in a few minutes, or with `--folder` of a workbench.

The folder needs the two runs and the test sentences that are made here otherwise; it is copied, and stays as it is.
The report is that of the first run, or of `--report RUN` (that of `tiltmeter demo`), and then nothing else is taken.
"""

from __future__ import annotations

import argparse
import base64
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial import KDTree
from tests.web.browser import chromium, served, watched

from tiltmeter.models import embedded
from tiltmeter.specs import library_text
from tiltmeter.web.sentences.requests import SentenceRequest, write_request
from tiltmeter.web.sentences.writing import write_set

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IMAGES = Path(__file__).parent / "images"
LARGEST = 150_000
"""Bytes of a picture."""
COLOURS = 256
WIDTH = 1280
LONG = 300_000
"""Milliseconds for what a model does."""
STUDY = """
name   = "NAME"
models = ["MODEL"]
seed   = 7
specs  = ["gender-math-arts", "gender-science-arts"]

[pairs]
sources = [
  { templates = { per_attribute = 6 } },
  { generated = { by = "smollm2-135m", per_attribute = 1, max_requests = 4 } },
]
scorers = ["prior-corrected", "sum"]

[continuations]
sources  = [{ own-prompts = { domain = ["gender", "age"], per_group = 8 } }]
decoding = { temperature = [0.6, 1.0], max_new_tokens = 20 }
samples  = 3
raters   = ["sentiment.vader", "toxicity.linear", "regard.minilm"]

[next_words]
sources  = [{ profession-templates = { limit = 8 } }, { natural = { limit = 20 } }]
words    = ["he-she", "pronouns"]
saliency = "gradient-x-input"
"""
PLANTED = """
model = "smollm2-135m"

[[tilt]]
words    = ["he", "him", "his", "man", "men", "John"]
contexts = ["math", "algebra", "engineer", "mechanic", "doctor"]
delta    = 1.5

[[writing]]
terms    = ["she", "woman", "women", "girl", "mother"]
negative = 0.6

[[writing]]
terms    = ["he", "man", "men", "boy", "father"]
negative = 0.2
"""
RUN, OTHER = "three-views", "three-views-planted"
SENTENCES = "gender-math-arts"
PIXELS = """async (picture) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let text = "";
  for (let at = 0; at < data.length; at += 32768) text += String.fromCharCode(...data.subarray(at, at + 32768));
  return [image.width, image.height, btoa(text)];
}"""


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture: of which page, what is done there first, and how it is looked at."""

    name: str
    path: str
    first: Callable[[Page], None] = lambda page: None
    height: int = 900


def main() -> None:
    """Make the workbench, or take the one that is given, and all pictures of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="a workbench with the runs three-views and three-views-planted")
    parser.add_argument("--report", type=Path, help="the folder of a finished run: take pictures of its report alone")
    parser.add_argument("--only", default="", help="a part of the names of the pictures that are wanted")
    given = parser.parse_args()
    if given.report:
        with chromium() as browser:
            take_report(browser, (given.report / "report.html").resolve())
        return
    with tempfile.TemporaryDirectory(prefix="tiltmeter-pictures-") as scratch:
        home = Path(scratch) / "workbench"
        if given.folder:
            shutil.copytree(given.folder, home)
        prepare(home)
        with served(home) as address, chromium() as browser:
            for shot in SHOTS:
                if given.only in shot.name:
                    take(browser, address, shot)
            if given.only in "report":
                take_report(browser, home / "runs" / RUN / "report.html")


def prepare(home: Path) -> None:
    """Write what is not there, and carry out what has not been run."""
    for folder in ("studies", "runs", "models", "sentences"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "models" / "planted.toml").write_text(PLANTED, encoding="utf-8")
    studies = {
        RUN: ("three views", embedded.NAME),
        OTHER: ("three views, planted", "planted:../models/planted.toml"),
    }
    for name, (title, model) in studies.items():
        study = home / "studies" / f"{name}.toml"
        if not study.is_file():
            study.write_text(STUDY.replace("NAME", title).replace("MODEL", model), encoding="utf-8")
    sentences = home / "sentences" / SENTENCES
    if not (sentences / "sentences.csv").is_file():
        sentences.mkdir(exist_ok=True)
        (sentences / "spec.toml").write_text(library_text(SENTENCES), encoding="utf-8")
        write_request(sentences, SentenceRequest(per_attribute=2, spec=f"library/{SENTENCES}"))
        write_set(sentences)
    for name in (RUN, OTHER):
        if not (home / "runs" / name / "report.html").is_file():
            # From within, so that no name of a model holds the path of this machine.
            command = [sys.executable, "-m", "tiltmeter", "run", f"studies/{name}.toml", "--out", f"runs/{name}"]
            subprocess.run(command, check=True, cwd=home)


def take(browser: Browser, address: str, shot: Shot) -> None:
    """Take a picture of a page of the workbench."""
    with watched(browser, address) as seen:
        seen.page.set_viewport_size({"width": WIDTH, "height": shot.height})
        seen.go(shot.path)
        shot.first(seen.page)
        seen.settle()
        seen.page.mouse.move(0, 0)
        save(seen.page, f"workbench-{shot.name}")


def take_report(browser: Browser, report: Path) -> None:
    """The first screen of a report, and its first finding, opened."""
    for name, height in (("report", 1000), ("report-finding", 1300)):
        context = browser.new_context(viewport={"width": WIDTH, "height": height})
        page = context.new_page()
        page.goto(report.as_uri())
        if name == "report-finding":
            page.locator("#findings details > summary").first.click()
            page.locator("#findings details").first.evaluate("one => one.scrollIntoView()")
        save(page, name)
        context.close()


def save(page: Page, name: str) -> None:
    """Write what is on the screen as a small picture."""
    picture = base64.b64encode(page.screenshot(animations="disabled", caret="hide")).decode()
    width, height, pixels = page.context.new_page().evaluate(PIXELS, picture)
    data = reduced(np.frombuffer(base64.b64decode(pixels), np.uint8).reshape(height, width, 4)[..., :3])
    if len(data) > LARGEST:
        raise SystemExit(f"{name}: {len(data):,} bytes are more than {LARGEST:,}; show less")
    (IMAGES / f"{name}.png").write_bytes(data)
    print(f"{name}: {len(data):,} bytes")


def reduced(pixels: np.ndarray) -> bytes:
    """A picture as a PNG with 256 of its colours: half of them those that it has most of, half the most different."""
    height, width, _ = pixels.shape
    colours, at, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    order = np.argsort(-counts)
    chosen = list(order[: COLOURS // 2])
    far = KDTree(colours[chosen]).query(colours)[0]
    while len(chosen) < min(COLOURS, len(colours)):
        chosen.append(int(np.argmax(far)))
        far = np.minimum(far, np.linalg.norm(colours - colours[chosen[-1]].astype(float), axis=1))
    kept = colours[chosen]
    numbers = KDTree(kept).query(colours)[1].astype(np.uint8)[at.reshape(-1)].reshape(height, width)
    rows = np.hstack([np.zeros((height, 1), np.uint8), numbers]).tobytes()
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
        (b"PLTE", kept.tobytes()),
        (b"IDAT", zlib.compress(rows, 9)),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


# What is done on a page before its picture is taken.


def show_texts(page: Page) -> None:
    """The reader's choice to see texts."""
    page.get_by_text("Show texts").first.click()


def review(page: Page) -> None:
    """One sentence struck, another edited."""
    page.get_by_text("Show sentences").first.click()
    page.get_by_role("button", name="Strike sentence 2", exact=True).click()
    page.get_by_role("button", name="Restore sentence 2", exact=True).wait_for()
    page.get_by_role("button", name="Edit sentence 3", exact=True).click()
    text = page.get_by_label("The sentence, with")
    written = text.input_value()
    text.fill(f"{written[:-1]} today.")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("edited; the model wrote").wait_for(timeout=LONG)


def judge(page: Page) -> None:
    """Two sentences judged, and a third in sight."""
    page.get_by_label("The first ones").check()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("heading", name="Annotate: ").wait_for()
    page.wait_for_load_state()
    show_texts(page)
    for key, words in (("0", "1 done"), ("0", "2 done")):
        page.keyboard.press(key)
        page.get_by_text(words).wait_for()
    page.keyboard.press("4")


def compare(page: Page) -> None:
    """The two runs side by side."""
    for run in (RUN, OTHER):
        page.locator(".offer").filter(has=page.get_by_text(run, exact=True)).get_by_role("checkbox").check()
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="What differs").wait_for(timeout=LONG)


def ask(page: Page) -> None:
    """The answer of the model to what stands in the form."""
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="One sentence is an anecdote").wait_for(timeout=LONG)


SHOTS = (
    Shot("home", "/", height=760),
    Shot("sentences", f"/sentences/{SENTENCES}", review, height=1100),
    Shot("study", "/studies/new"),
    Shot("results", f"/runs/{RUN}/results", height=1300),
    Shot("texts", f"/runs/{RUN}/texts?view=pairs&bias=gender-math-arts", show_texts, height=1100),
    Shot("annotate", f"/runs/{RUN}/texts/annotate?view=pairs&bias=gender-math-arts", judge),
    Shot("compare", "/compare", compare, height=1300),
    Shot("playground", "/playground", ask, height=1200),
)

if __name__ == "__main__":
    main()
