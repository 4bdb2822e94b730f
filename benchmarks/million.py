"""Studies of a million items of each view: time, peak memory and size on disk, beside those of a tenth of it.

Run `nice python benchmarks/million.py [--view pairs texts next-words] [--items 100000 1000000] [--write]`. A scripted
model scores pairs of a file, continues prompts about two groups, 20 texts each, which two raters read, or is asked for
next words after prompts of a file; the run is exported as Parquet and analysed there. Each command is a process of its
own, whose peak memory the system counts. Memory that grew with the number of items would show between the lines.
`--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common import heading, keep, packages

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
name = "many items"
models = ["scripted:model.toml"]
"""


@dataclass(frozen=True, slots=True)
class View:
    """A view as it is measured: its table in a study file, the file of its items, and how its export is analysed."""

    words: str
    table: str
    file: str
    header: str
    row: Callable[[int], str]
    export: str
    options: tuple[str, ...]
    counted: Callable[[dict[str, Any]], int]
    """How many items the analysis speaks of."""
    each: int = 1
    """Items of a row of the file."""


def pair_row(number: int) -> str:
    """Two sentences about one of 500 attributes."""
    texts = (f"The {word} in house {number} was kind and good" for word in GROUPS.values())
    return f"{','.join(texts)},{','.join(GROUPS)},word {number % 500},stereotype,anti-stereotype"


def prompt_row(number: int) -> str:
    """A prompt about one of two groups, under an origin that both have."""
    group, word = list(GROUPS.items())[number % 2]
    return f"Number {number // 2} was a {word},{group},opener {number // 2}"


def open_row(number: int) -> str:
    """A prompt about one of 500 professions, in one of 7 templates."""
    return f"The clerk in house {number} said that,clerk {number % 500},template {number % 7}"


VIEWS = {
    "pairs": View(
        "pairs of a file, scored by `sum`",
        '[pairs]\nsources = ["pairs-file:items.csv"]\n',
        "items.csv",
        "sentence_1,sentence_2,group_1,group_2,attribute,label_1,label_2",
        pair_row,
        "pairs",
        (),
        lambda found: int(found["by_bias"]["items"]["n"]),
    ),
    "texts": View(
        f"{SAMPLES} texts of at most 12 tokens for each prompt, `sentiment.vader` and refusals",
        '[continuations]\nsources = ["prompts-file:items.csv"]\ndecoding = { temperature = 1.0, max_new_tokens = 12 }\n'
        f'samples = {SAMPLES}\nraters = ["sentiment.vader"]\n',
        "items.csv",
        "text,group,origin",
        prompt_row,
        "completions",
        ("--columns", "value=sentiment.vader"),
        lambda found: sum(one["n"] + one["n_unscored"] for one in found["groups"].values()),
        SAMPLES,
    ),
    "next-words": View(
        "prompts of a file, asked for *he* and *she*",
        '[next_words]\nsources = ["prompts-file:items.csv"]\nwords = "he-she"\nperturbations = ["original"]\n',
        "items.csv",
        "text,profession,template",
        open_row,
        "next_words",
        ("--view", "next-words"),
        lambda found: int(found["overall"]["prompts"]),
    ),
}


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


def prepared(folder: Path, view: View, items: int) -> None:
    """The study, its model and its items."""
    for name, text in (("model.toml", MODEL), ("study.toml", STUDY + view.table)):
        (folder / name).write_text(text, encoding="utf-8")
    with (folder / view.file).open("w", encoding="utf-8") as file:
        file.write(f"{view.header}\n")
        file.writelines(f"{view.row(number)}\n" for number in range(items // view.each))


def line(view: View, items: int) -> str:
    """The row of the table for so many items."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepared(folder, view, items)
        run = measured(folder, "run", "study.toml", "--out", "run")
        ledger = (folder / "run" / "ledger.sqlite").stat().st_size / 1e6
        export = measured(folder, "export", "run", "--out", "parquet")
        table = Path("parquet", f"{view.export}.parquet")
        parquet = (folder / table).stat().st_size / 1e6
        analyze = measured(folder, "analyze", str(table), *view.options, "--json")
        assert view.counted(json.loads(analyze.out[analyze.out.index("{") :])) == items
    times = " | ".join(f"{one.seconds:,.0f} s, {one.peak:,.0f} MB" for one in (run, export, analyze))
    return f"| {items:,} | {times} | {ledger:,.0f} MB, {parquet:,.0f} MB |"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--view", choices=list(VIEWS), nargs="+", default=list(VIEWS))
    options.add_argument("--items", type=int, nargs="+", default=[100_000, 1_000_000])
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    made = [
        f"{heading(__file__)}\n",
        "A scripted model; time and peak memory of each command. Up to 300,000 items `run` ends with a report, which "
        f"holds them all. {packages('duckdb')}. Load before the start: {os.getloadavg()[0]:.1f}.",
    ]
    print("\n".join(made), flush=True)
    for name in chosen.view:
        head = f"| {name} | `run` | `export` | `analyze` | ledger, Parquet |\n|---|---|---|---|---|"
        made += [f"\n{name}: {VIEWS[name].words}.\n", head]
        print("\n".join(made[-2:]), flush=True)
        for items in chosen.items:
            made.append(line(VIEWS[name], items))
            print(made[-1], flush=True)
    if chosen.write:
        keep(made)


if __name__ == "__main__":
    main()
