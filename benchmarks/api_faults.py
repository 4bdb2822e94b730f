"""A study on a server that misbehaves on purpose: a fifth of its replies are wrong, in one of a dozen ways.

    python benchmarks/api_faults.py [--requests 10000] [--rate 0.2] [--seed 0] [--write]

The study is carried out by `tiltmeter run`, killed with `kill -9` about midway, and carried out again by the same
command. The account says whether every item has an answer or a reason, whether anything whose answer was written down
was sent again, and whether the key stands in any file or in anything printed. Exit status 1: one of these does not
hold.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from common import keep

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.models.misbehaving_server import POISON, Misbehaving, misbehaving

KEY = "sk-do-not-show-0123456789"
SAMPLES = 20
CONCURRENCY = 16
STUDY = """
name = "faults"
specs = ["gender-math-arts"]
models = ["api:tested@{url}?timeout=2&longest_wait=1&concurrency={concurrency}"]

[pairs]
sources = [{{ templates = {{ per_attribute = 2 }} }}]
scorers = ["forced-choice"]

[continuations]
sources = ["prompts-file:prompts.csv"]
decoding = {{ max_new_tokens = [4] }}
samples = {samples}
raters = ["sentiment.vader"]
"""


@dataclass(frozen=True, slots=True)
class Finished:
    """What a run left behind."""

    seconds: float
    lost: int
    """Answers that were on their way when the first run was killed."""
    killed_at: int
    printed: str
    files: dict[str, bytes]
    completions: list[tuple[str, str, str | None]]
    """Prompt, text, and the reason where nothing was written."""
    scores: list[tuple[float | None, str | None]]
    answers: int


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--rate", type=float, default=0.2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    options = parser.parse_args()
    server = Misbehaving(rate=options.rate, seed=options.seed, drip=4.0)
    with tempfile.TemporaryDirectory() as folder, misbehaving(server) as url:
        finished = carried_out(Path(folder), url, server, options.requests)
    lines, holds = account(server, finished, options.rate)
    print("\n".join(lines))
    if options.write:
        keep(lines)
    return 0 if holds else 1


def carried_out(folder: Path, url: str, server: Misbehaving, requests: int) -> Finished:
    """Carry out the study, kill it about midway, and carry it out to its end."""
    text = STUDY.format(url=url, concurrency=CONCURRENCY, samples=SAMPLES)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    with (folder / "prompts.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["text", "group"])
        for number in range(requests // SAMPLES):
            poison = f" {POISON}" if number % 100 == 3 else ""
            writer.writerow([f"{'x' * (number % 80)} {number}{poison}", ("one", "other")[number % 2]])
    began = time.perf_counter()
    first = started(folder)
    while sum(server.answered.values()) < requests // 2 and first.poll() is None:
        time.sleep(0.02)
    first.kill()
    printed = "".join(first.communicate())
    # What the server was still saying to nobody.
    time.sleep(server.drip)
    killed_at, lost = sum(server.answered.values()), sum(server.answered.values()) - len(kept(folder))
    second = started(folder)
    printed += "".join(second.communicate())
    if second.returncode:
        raise SystemExit(printed)
    seconds = time.perf_counter() - began
    with closing(sqlite3.connect(folder / "run" / "ledger.sqlite")) as ledger:
        completions = ledger.execute(
            "select json_extract(items.item, '$.text'), completions.text, unwritten from completions "
            "join items on items.view = 'continuations' and items.number = completions.prompt"
        ).fetchall()
        scores = ledger.execute("select score_1, unscored from scores").fetchall()
    files = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return Finished(seconds, lost, killed_at, printed, files, completions, scores, len(kept(folder)))


def started(folder: Path) -> subprocess.Popen[str]:
    """`tiltmeter run`, with the key where it belongs."""
    command = [sys.executable, "-c", "from tiltmeter.cli import main; main()", "--debug", "run", "study.toml"]
    return subprocess.Popen(
        [*command, "--out", "run"],
        cwd=folder,
        env={**os.environ, "TILTMETER_API_KEY": KEY, "TILTMETER_CACHE": str(folder / "cache")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kept(folder: Path) -> list[str]:
    """The keys of all answers that are written down."""
    [path] = (folder / "run" / "api").glob("*.sqlite")
    with closing(sqlite3.connect(path)) as journal:
        return [key for (key,) in journal.execute("select key from answers")]


def account(server: Misbehaving, run: Finished, rate: float) -> tuple[list[str], bool]:
    reasons = Counter(reason for *_, reason in run.completions if reason)
    reasons += Counter(reason for _, reason in run.scores if reason)
    items, total = len(run.completions) + len(run.scores), sum(server.asked.values())
    poisoned = sum(POISON in prompt for prompt, *_ in run.completions)
    wrong = [text for prompt, text, reason in run.completions if not reason and text != f" {len(prompt)} letters"]
    in_files = [name for name, found in run.files.items() if KEY.encode() in found]
    checks = {
        "every item is answered or unscored with its reason": all(
            (reason is None) != (text == "") for _, text, reason in run.completions
        )
        and all((score is None) == (reason is not None) for score, reason in run.scores),
        "every answer is that of its own item": not wrong,
        "items without an answer are those that never get one": sum(reasons.values()) == poisoned,
        "no request whose answer was written down was sent again": len(server.after_answer) == run.lost,
        f"at most {CONCURRENCY} answers were on their way at the kill": 0 <= run.lost <= CONCURRENCY,
        "every answer is written down once": run.answers == len(server.answered),
        f"the key is in none of {len(run.files)} files and in nothing printed": not in_files and KEY not in run.printed,
    }
    lines = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`api_faults.py`)",
        "",
        f"`tiltmeter run` on a server that misbehaves: {items:,} items, {total:,} requests, {CONCURRENCY} at once, "
        f"{rate:.0%} of the replies wrong; killed with `kill -9` after {run.killed_at:,} answers "
        f"({run.lost} of them on their way), and run again; {run.seconds:.0f} s in all; "
        f"Python {platform.python_version()}, tiltmeter {version('tiltmeter')}, httpx {version('httpx')}. "
        f"Answered: {items - sum(reasons.values()):,}. Unscored: "
        + "; ".join(f"{count:,} × “{reason}”" for reason, count in reasons.most_common())
        + ".",
        "",
        "| wrong replies | |",
        "|---|---|",
        *(f"| {kind} | {count:,} |" for kind, count in sorted(server.faults.items())),
        "",
        *(f"- {'holds' if holds else '**BROKEN**'}: {check}" for check, holds in checks.items()),
    ]
    return lines, all(checks.values())


if __name__ == "__main__":
    sys.exit(main())
