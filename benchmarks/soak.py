"""A study that is killed again and again ends as one that never was.

Run `nice python benchmarks/soak.py [--kills 50] [--models scripted smollm2-135m] [--write]`. One run is left alone; the
other is killed with `kill -9` at random moments, so many times, and begun again with the same command. Then the tables
of both are compared byte for byte, and every row of the ledgers. Each has a cache of its own, which is killed with it.
`--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from common import keep
from tiltmeter.cache import cache_folder
from tiltmeter.version import __version__

STUDY = """
name = "soak"
seed = 5
models = MODELS
specs = ["gender-math-arts", "gender-science-arts"]
[pairs]
sources = ["templates"]
scorers = ["sum", "mean"]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 24 } }]
decoding = { temperature = [0, 0.7, 1.0], max_new_tokens = [6, 12] }
samples = SAMPLES
raters = ["sentiment.vader", "toxicity.linear"]
[next_words]
sources = ["templates", { natural = { limit = 60 } }]
words = ["pronouns", "he-she"]
bounded = [false, true]
"""
TABLES = ("pairs", "scores", "completions", "ratings", "tilts", "expected", "answers", "batches", "steps")


def command(study: Path, folder: Path) -> list[str]:
    return [sys.executable, "-m", "tiltmeter", "run", str(study), "--out", str(folder), "--threads", "1"]


def environment(cache: Path) -> dict[str, str]:
    """A cache of its own, with the models of the user's."""
    cache.mkdir(parents=True, exist_ok=True)
    models = cache_folder() / "models"
    if models.is_dir() and not (cache / "models").exists():
        (cache / "models").symlink_to(models)
    return {**os.environ, "TILTMETER_CACHE": str(cache)}


def stage(folder: Path, model: str) -> str:
    """How far a run had come with its last model, seen from outside: the last kind of work of which a batch is done."""
    try:
        database = sqlite3.connect(f"file:{folder / 'ledger.sqlite'}?mode=ro", uri=True)
        named = (f"{model}%",)
        done = {name for (name,) in database.execute("select distinct stage from steps where name like ?", named)}
        rated = database.execute("select count(*) from steps where stage = 'rating'").fetchone()[0]
    except sqlite3.Error:
        return "nothing"
    if rated:
        return "rating"
    ways = (("expecting", "next words"), ("completing", "writing"), ("scoring", "scoring"))
    return next((words for name, words in ways if name in done), "nothing")


def rows(folder: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of the tables that a ledger has."""
    database = sqlite3.connect(folder / "ledger.sqlite")
    known = {name for (name,) in database.execute("select name from sqlite_master where type = 'table'")}
    return {name: sorted(database.execute(f"select * from {name}"), key=repr) for name in TABLES if name in known}


def tables(folder: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}
    return {**found, "summary.json": (folder / "summary.json").read_bytes()}


def killed(study: Path, folder: Path, cache: Path, kills: int, whole: float, model: str) -> tuple[Counter[str], float]:
    """Begin and kill a run so many times, then let it end; what it was doing when killed, and the time of all."""
    moments, seen = random.Random(7), Counter[str]()
    began = time.perf_counter()
    done = 0
    while done < kills:
        process = subprocess.Popen(
            command(study, folder), env=environment(cache), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moments.uniform(0.2, max(1.0, 3 * whole / kills) + 4.0))
        if process.poll() is not None:
            # It came to its end: begin anew, so that every kill hits a run at work.
            if process.returncode:
                raise SystemExit(f"the run ended with {process.returncode}")
            raise SystemExit(f"the run was finished after {done} kills: give it more to do")
        process.send_signal(signal.SIGKILL)
        process.wait()
        done += 1
        seen[stage(folder, model)] += 1
    subprocess.run(command(study, folder), env=environment(cache), check=True, capture_output=True)
    return seen, time.perf_counter() - began


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--kills", type=int, default=50)
    options.add_argument("--models", nargs="+", default=["scripted", "smollm2-135m"])
    options.add_argument("--samples", type=int, default=6)
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        study = home / "study.toml"
        text = STUDY.replace("MODELS", json.dumps(chosen.models)).replace("SAMPLES", str(chosen.samples))
        study.write_text(text, encoding="utf-8")
        began = time.perf_counter()
        subprocess.run(command(study, home / "whole"), env=environment(home / "one"), check=True, capture_output=True)
        whole = time.perf_counter() - began
        print(f"left alone: {whole:.0f} s", flush=True)
        seen, took = killed(study, home / "killed", home / "other", chosen.kills, whole, chosen.models[-1])
        same_tables = tables(home / "whole") == tables(home / "killed")
        first, second = rows(home / "whole"), rows(home / "killed")
        unlike = [table for table in first if first[table] != second[table]]
        count = sum(map(len, first.values()))
        names = len(tables(home / "whole"))
    stages = ", ".join(f"{what} {times}" for what, times in seen.most_common())
    verdict = "the same, byte for byte" if same_tables else "NOT THE SAME"
    lines = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`soak.py`)\n",
        f"A study of all three views on {' and '.join(chosen.models)}, killed with `kill -9` {chosen.kills} times "
        f"(of the last model, the last kind of work of which a batch was done: {stages}) and begun again: {names} "
        f"tables {verdict}; of {count:,} rows in the ledger "
        f"{'none differs' if not unlike else 'those of ' + ', '.join(unlike) + ' differ'}. {whole:.0f} s left alone, "
        f"{took:.0f} s with all starts. Python {platform.python_version()}, tiltmeter {__version__}.",
    ]
    print("\n".join(lines))
    if chosen.write:
        keep(lines)
    if not same_tables or unlike:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
