"""A study of a million completions with ratings: time, peak memory and size on disk, beside one of a tenth of it.

Run `nice python benchmarks/million.py [--texts 100000 1000000] [--write]`. A scripted model continues prompts about two
groups, 20 texts each, and two raters read them; the run is exported as Parquet and analysed there. Each command is a
process of its own, whose peak memory the system counts. Memory that grew with the number of texts would show between
the lines. `--write` appends to RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

SAMPLES = 20
GROUPS = {"women": "woman", "men": "man"}
MODEL = """
[weights]
good = 2
awful = 1
kind = 1
walked = 2
home = 2
and = 2
other = 4
[tilts.woman]
awful = 0.4
[tilts.man]
kind = 0.3
"""
STUDY = """
name = "many texts"
models = ["scripted:model.toml"]
[continuations]
sources = ["prompts-file:prompts.csv"]
decoding = { temperature = 1.0, max_new_tokens = 12 }
samples = 20
raters = ["sentiment.vader"]
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """What a command took."""

    seconds: float
    peak: float
    """In megabytes."""
    out: str


def measured(folder: Path, *arguments: str) -> Measured:
    """Run a command of tiltmeter as a process of its own."""
    command = [sys.executable, "-m", "tiltmeter", *arguments]
    environment = {**os.environ, "TILTMETER_CACHE_LIMIT": "0"}
    began = time.perf_counter()
    with (folder / "said.txt").open("w+", encoding="utf-8") as said:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        out = said.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(arguments)}: {out[-2000:]}")
    return Measured(time.perf_counter() - began, usage.ru_maxrss / 1024, out)


def prepared(folder: Path, texts: int) -> None:
    """The study, its model and its prompts."""
    rows = ["text,group,origin"]
    for number in range(texts // SAMPLES):
        group, word = list(GROUPS.items())[number % 2]
        rows.append(f"Number {number // 2} was a {word},{group},opener {number // 2}")
    for name, text in (("model.toml", MODEL), ("study.toml", STUDY), ("prompts.csv", "\n".join(rows) + "\n")):
        (folder / name).write_text(text, encoding="utf-8")


def lines(texts: int) -> Iterator[str]:
    """The row of the table for so many texts."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(folder, texts)
        run = measured(folder, "run", "study.toml", "--out", "run")
        ledger = (folder / "run" / "ledger.sqlite").stat().st_size / 1e6
        export = measured(folder, "export", "run", "--to", "parquet")
        parquet = (folder / "parquet" / "completions.parquet").stat().st_size / 1e6
        table = ["parquet/completions.parquet", "--view", "continuations", "--value", "sentiment.vader"]
        analyze = measured(folder, "analyze", *table, "--json")
        found = json.loads(analyze.out[analyze.out.index("{") :])
        assert sum(one["n"] + one["n_unscored"] for one in found["groups"].values()) == texts
    times = " | ".join(f"{one.seconds:,.0f} s, {one.peak:,.0f} MB" for one in (run, export, analyze))
    yield f"| {texts:,} | {times} | {ledger:,.0f} MB, {parquet:,.0f} MB |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--texts", type=int, nargs="+", default=[100_000, 1_000_000])
    options.add_argument("--write", action="store_true", help="append to RESULTS.md")
    chosen = options.parse_args()
    made = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`million.py`)\n",
        f"A scripted model, {SAMPLES} texts of at most 12 tokens for each prompt, `sentiment.vader` and refusals; time "
        "and peak memory of each command. Up to 300,000 texts `run` ends with a report, which holds them all. "
        f"Python {platform.python_version()}, duckdb {version('duckdb')}, pyarrow "
        f"{version('pyarrow')}. Load before the start: {os.getloadavg()[0]:.1f}.\n",
        "| texts | `run` | `export` | `analyze` | ledger, Parquet |\n|---|---|---|---|---|",
    ]
    print("\n".join(made), flush=True)
    for texts in chosen.texts:
        for line in lines(texts):
            made.append(line)
            print(line, flush=True)
    if chosen.write:
        with (Path(__file__).resolve().parent / "RESULTS.md").open("a", encoding="utf-8") as stream:
            stream.write("\n\n" + "\n".join(made) + "\n")


if __name__ == "__main__":
    main()
