"""How long a person waits for each page of a run of 100,000 items: the first time, and again.

    nice python benchmarks/workbench_views.py [--items 100000] [--folder WORKBENCH] [--repeats 3] [--write]

A run of each view is made with a scripted model, as `million.py` does, and kept where `--folder` is given; what is
there already is taken. A first view is that of a server just started, on a copy of the run that nobody has looked at
and that the system does not hold in memory; each page is opened so, and then a second time. Exit status 1: a page was
not given, or took longer than a second.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from pathlib import Path

import httpx

from common import heading, packages, served, tell
from million import VIEWS, View, measured, prepared
from tiltmeter.web.texts.records import SIZE

LIMIT = 1.0
"""Seconds that a person waits at most."""
TIMEOUT = 120
TABLES = {
    "pairs": VIEWS["pairs"].table + 'scorers = ["sum", "mean"]\n',
    "texts": VIEWS["texts"].table.replace("sentiment.vader", 'toxicity.linear", "toxicity.tiny'),
    "next-words": VIEWS["next-words"].table,
}
"""What the studies ask for: two judges, so that they can disagree."""
ADDRESSES = {
    "pairs": {"VIEW": "pairs", "CHOSEN": "group=women", "WORD": "house+77", "ID": "p"},
    "texts": {"VIEW": "continuations", "CHOSEN": "group=women", "WORD": "number+77", "ID": "c"},
    "next-words": {"VIEW": "next-words", "CHOSEN": "structure=template+3", "WORD": "house+77", "ID": "w"},
}
"""What stands in the addresses of each run."""
PAGES = {
    "overview": "",
    "what came to nothing": "/lost",
    "made of": "/made-of",
    "results": "/results",
    "report": "/report",
    "texts": "/texts?view=VIEW",
    "texts of one group or template": "/texts?view=VIEW&CHOSEN",
    "texts with a word": "/texts?view=VIEW&q=WORD",
    "texts, highest first": "/texts?view=VIEW&order=highest",
    "texts by disagreement": "/texts?view=VIEW&order=disagreement",
    "texts, last page": "/texts?view=VIEW&page=LAST",
    "one text": "/texts/ID",
    "annotate": "/texts/annotate?view=VIEW",
    "agreement": "/texts/agreement",
}
PARTS = "charts and parts of the results, the slowest"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--folder", type=Path, help="where the runs are, or are to be kept")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = options.folder or Path(scratch)
        for name, view in VIEWS.items():
            make(home / name, replace(view, table=TABLES[name]), options.items)
        load = os.getloadavg()[0]
        found = {name: views_of(home / name / "run", name, options) for name in VIEWS}
    slowest = max(first for pages in found.values() for first, _ in pages.values())
    tell(account(found, slowest, options, load), options.write)
    return 0 if slowest < LIMIT else 1


def make(folder: Path, view: View, items: int) -> None:
    """A run with so many items, unless it is there."""
    if (folder / "run" / "report.html").is_file():
        return
    folder.mkdir(parents=True, exist_ok=True)
    prepared(folder, view, items)
    measured(folder, "run", "study.toml", "--out", "run")


def views_of(run: Path, name: str, options: argparse.Namespace) -> dict[str, tuple[float, float]]:
    """Of each page the seconds of the first view and of the second, medians."""
    own = ADDRESSES[name]
    given = {**own, "LAST": str(options.items // SIZE), "ID": f"{own['ID']}{options.items // 2}"}
    seen: dict[str, list[tuple[float, float]]] = {}
    for _ in range(options.repeats):
        for title, path in PAGES.items():
            with opened(run) as (client, place):
                first, page = waited(client, place + filled(path, given))
                second, _ = waited(client, place + filled(path, given))
                seen.setdefault(title, []).append((first, second))
                if title == "results":
                    parts = [tuple(waited(client, part)[0] for _ in range(2)) for part in parts_in(page, place)]
                    seen.setdefault(PARTS, []).append((max(one for one, _ in parts), max(two for _, two in parts)))
    return {
        title: (statistics.median(one for one, _ in times), statistics.median(two for _, two in times))
        for title, times in seen.items()
    }


def filled(path: str, given: Mapping[str, str]) -> str:
    """The address of a page of one of the runs."""
    for name, value in given.items():
        path = path.replace(name, value)
    return path


@contextmanager
def opened(run: Path) -> Iterator[tuple[httpx.Client, str]]:
    """A server just started, on a copy of a run that nobody has looked at; and the address of the run there."""
    with tempfile.TemporaryDirectory(dir=run.parent) as name:
        copy = Path(name) / "runs" / "run"
        shutil.copytree(run, copy, copy_function=os.link, ignore=shutil.ignore_patterns("workbench"))
        for path in copy.rglob("*"):
            if path.is_file():
                forget(path)
        with served(Path(name)) as server, httpx.Client(**server, timeout=TIMEOUT) as client:
            client.get("/static/app.css")
            yield client, "/runs/run"


def forget(path: Path) -> None:
    """Have the system hold nothing of a file in memory, where it can be told so."""
    if hasattr(os, "posix_fadvise"):
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def waited(client: httpx.Client, path: str) -> tuple[float, str]:
    """How long a page takes, and the page."""
    began = time.perf_counter()
    answer = client.get(path)
    seconds = time.perf_counter() - began
    if answer.status_code != httpx.codes.OK:
        raise SystemExit(f"{path}: {answer.status_code}")
    return seconds, answer.text


def parts_in(page: str, place: str) -> list[str]:
    """The addresses of what a results page loads, at once or when it is opened."""
    found = re.findall(rf'"({re.escape(place)}/results/(?:charts|one)/[^"]*)"', page)
    return list(dict.fromkeys(map(unescape, found)))


def account(
    found: Mapping[str, Mapping[str, tuple[float, float]]], slowest: float, options: argparse.Namespace, load: float
) -> list[str]:
    names = list(found)
    rows = [
        " | ".join([f"| {title}", *(f"{seconds:.2f}" for name in names for seconds in found[name][title]), ""]).rstrip()
        for title in PAGES | {PARTS: ""}
    ]
    verdict = "holds" if slowest < LIMIT else "**BROKEN**"
    return [
        heading(__file__),
        "",
        f"Seconds until each page of a run of {options.items:,} items is there: the first view (a server just started, "
        f"a run that nobody has looked at and that is not in memory) and the second; median of {options.repeats}; "
        f"{packages('tiltmeter', 'fastapi', 'uvicorn')}. Load before the start: {load:.1f}.",
        "",
        "| | " + " | ".join(f"{name}, first | again" for name in names) + " |",
        "|---" * (1 + 2 * len(names)) + "|",
        *rows,
        "",
        f"- {verdict}: every page within {LIMIT:g} s; the slowest takes {slowest:.2f} s",
    ]


if __name__ == "__main__":
    sys.exit(main())
