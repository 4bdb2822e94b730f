"""How long the second run of a study takes, into another folder, where the cache has every answer.

Run `nice python benchmarks/second_run.py [--model smollm2-135m] [--repeats 3] [--write]`. The tables of all runs are
compared byte for byte. Beside it stands what no cache can save: the same command with a table of words for a model.
`--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import subprocess
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

from common import keep
from soak import STUDY, command, environment, tables


def timed(study: Path, folder: Path, cache: Path) -> tuple[float, str]:
    """Seconds of a run, and what it said of the cache."""
    began = time.perf_counter()
    done = subprocess.run(
        command(study, folder), env=environment(cache), check=True, capture_output=True, encoding="utf-8"
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("from the cache")]
    return time.perf_counter() - began, said[-1] if said else "nothing from the cache"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", default="smollm2-135m")
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        for study, model in (("study", chosen.model), ("table", "scripted")):
            text = STUDY.replace("MODELS", f'["{model}"]').replace("SAMPLES", "4")
            (home / f"{study}.toml").write_text(text, encoding="utf-8")
        first, _ = timed(home / "study.toml", home / "first", home / "cache")
        again, said = zip(
            *(timed(home / "study.toml", home / f"again {n}", home / "cache") for n in range(chosen.repeats)),
            strict=True,
        )
        bare, _ = timed(home / "table.toml", home / "bare", home / "cache")
        same = all(tables(home / f"again {n}") == tables(home / "first") for n in range(chosen.repeats))
        size = sum(path.stat().st_size for path in (home / "cache").glob("answers.sqlite*")) / 1e6
    second = statistics.median(again)
    lines = [
        f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`second_run.py`)\n",
        f"A study of all three views on {chosen.model}, one thread: first run {first:.0f} s, again into another folder "
        f"{second:.1f} s (median of {chosen.repeats}; {said[0]}), {first / second:.0f} times as fast; the tables are "
        f"{'the same, byte for byte' if same else 'NOT THE SAME'}. The same study on a table of words: {bare:.1f} s. "
        f"The cache takes {size:.1f} MB. Load at the end: {os.getloadavg()[0]:.1f}. "
        f"Python {platform.python_version()}, torch {version('torch')}.",
    ]
    print("\n".join(lines))
    if chosen.write:
        keep(lines)
    if not same:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
