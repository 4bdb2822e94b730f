"""Texts per second of each offline rater, all texts at once against one at a time, by the same rater.

Run `python benchmarks/raters.py [--texts 300] [--repeats 3] [--threads 1] [--write]`. The answers of both ways are
compared first, and the script stops where they differ by more than 0.00001. `--rater NAME` times others, for example
`toxicity.detoxify-original:FOLDER`. `--write` puts it into RESULTS.md.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version

from common import keep
from pairs import sentences
from tiltmeter import raters
from tiltmeter.raters import Rater
from tiltmeter.records import Rating

OFFLINE = (
    *("sentiment.vader", "sentiment.minilm", "toxicity.linear", "toxicity.tiny", "regard.minilm"),
    *("refusal", "readability.fog"),
)


def one_at_a_time(rater: Rater, texts: list[str]) -> list[Rating]:
    return [rater.rate([text])[0] for text in texts]


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def check(rater: Rater, texts: list[str]) -> float:
    """The largest difference between both ways; stops where they do not agree."""
    pairs = list(zip(rater.rate(texts), one_at_a_time(rater, texts), strict=True))
    largest = max(abs((a.value or 0.0) - (b.value or 0.0)) for a, b in pairs)
    if largest > 1e-5 or any((a.label, a.unrated) != (b.label, b.unrated) for a, b in pairs):
        raise SystemExit(f"{rater.name} does not give the same answers: {largest}")
    return largest


def main() -> None:
    import torch

    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=300)
    options.add_argument("--repeats", type=int, default=3)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--rater", action="append", default=[])
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    torch.set_num_threads(chosen.threads)
    texts = list(dict.fromkeys(sentences(chosen.texts)))
    machine = f"{platform.machine()}, {os.cpu_count()} cores, {chosen.threads} threads"
    lines = [
        f"## {datetime.date.today()}, {machine} (`raters.py`)",
        "",
        f"{len(texts)} distinct sentences of {min(len(t.split()) for t in texts)} to "
        f"{max(len(t.split()) for t in texts)} words; median of {chosen.repeats}, in turn; torch {version('torch')}, "
        f"transformers {version('transformers')}. Load before the start: {os.getloadavg()[0]:.1f}.",
        "",
        "| rater | all at once, texts/s | one at a time, texts/s | faster by | largest difference |",
        "|---|---|---|---|---|",
    ]
    print("\n".join(lines))
    for name in (*OFFLINE, *chosen.rater):
        rater = raters.load(name)
        difference = check(rater, texts)
        times: list[tuple[float, float]] = [
            (seconds(lambda r=rater: r.rate(texts)), seconds(lambda r=rater: one_at_a_time(r, texts)))
            for _ in range(chosen.repeats)
        ]
        together, alone = (statistics.median(column) for column in zip(*times, strict=True))
        lines.append(
            f"| {rater.name} | {len(texts) / together:.0f} | {len(texts) / alone:.0f} | {alone / together:.2f}× | "
            f"{difference:.0e} |"
        )
        print(lines[-1], flush=True)
    if chosen.write:
        keep(lines)


if __name__ == "__main__":
    main()
