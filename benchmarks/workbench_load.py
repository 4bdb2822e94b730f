"""Fifty people who read a run in the workbench while it is being carried out: does that hold it up?

    python benchmarks/workbench_load.py [--clients 50] [--repeats 3] [--write]

The same study on the embedded model, with one thread, in turn alone and while clients read it: each opens a page every
two seconds (the list of runs, the run, its results so far, its texts, a search) and half of them follow the progress.
Exit status 1: a request was not answered as it should be, or the tables differ.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from common import heading, packages, served, tell, three_views

PAUSE = 2.0
"""Seconds between two pages that a reader opens."""


@dataclass
class Reading:
    """What the readers saw."""

    seconds: list[float] = field(default_factory=list)
    events: int = 0
    errors: list[str] = field(default_factory=list)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    alone, read, reading, tables = [], [], Reading(), set()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.toml").write_text(three_views("live", 24), encoding="utf-8")
        for repeat in range(options.repeats):
            # In turn, so that other work on the machine falls on both.
            for seconds, readers in ((alone, 0), (read, options.clients)):
                out = folder / "runs" / f"live-{repeat}-{readers}"
                seconds.append(asyncio.run(carried_out(folder, out, readers, reading)))
                tables.add(tuple((path.name, path.read_bytes()) for path in sorted((out / "tables").iterdir())))
    lines = account(alone, read, reading, len(tables) == 1, options, load)
    tell(lines, options.write)
    return 0 if not reading.errors and len(tables) == 1 else 1


async def carried_out(folder: Path, out: Path, readers: int, reading: Reading) -> float:
    """How long a run takes, with so many readers."""
    with served(folder) if readers else nullcontext({}) as server:
        began = time.perf_counter()
        run = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tiltmeter", "run", str(folder / "study.toml"), "--out", str(out)),
            *("--threads", "1", "--no-cache"),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        tasks = [asyncio.create_task(read_pages(server, out, number, reading)) for number in range(readers)]
        tasks += [asyncio.create_task(follow(server, out, reading)) for _ in range(readers // 2)]
        status = await run.wait()
        seconds = time.perf_counter() - began
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if status:
        raise SystemExit(f"the run ended with status {status}")
    return seconds


async def read_pages(server: dict[str, Any], out: Path, number: int, reading: Reading) -> None:
    """Open one page after another, as a person does."""
    while not (out / "ledger.sqlite").is_file():
        await asyncio.sleep(0.1)
    run = f"/runs/{out.name}"
    pages = ("/runs", run, f"{run}/results", f"{run}/texts", f"{run}/texts?q=the", f"{run}/texts?view=pairs")
    await asyncio.sleep(PAUSE * number / 50)
    async with httpx.AsyncClient(**server, timeout=30) as client:
        while True:
            page = pages[number % len(pages)]
            number += 1
            began = time.perf_counter()
            try:
                answer = await client.get(page)
                reading.seconds.append(time.perf_counter() - began)
                if answer.status_code != httpx.codes.OK:
                    reading.errors.append(f"{page.replace(out.name, 'RUN')}: {answer.status_code}")
            except httpx.HTTPError as error:
                reading.errors.append(f"{page.replace(out.name, 'RUN')}: {error!r}")
            await asyncio.sleep(PAUSE)


async def follow(server: dict[str, Any], out: Path, reading: Reading) -> None:
    """Keep the stream of progress open."""
    while not (out / "ledger.sqlite").is_file():
        await asyncio.sleep(0.1)
    async with (
        httpx.AsyncClient(**server, timeout=None) as client,
        client.stream("GET", f"/runs/{out.name}/events") as answer,
    ):
        if answer.status_code != httpx.codes.OK:
            reading.errors.append(f"events: {answer.status_code}")
        async for line in answer.aiter_lines():
            reading.events += line.startswith("data:")


def account(
    alone: list[float], read: list[float], reading: Reading, same: bool, options: argparse.Namespace, load: float
) -> list[str]:
    ratio = statistics.median(read) / statistics.median(alone)
    tenths = statistics.quantiles(reading.seconds, n=20)
    errors = "; ".join(sorted(set(reading.errors))[:5])
    return [
        heading(__file__),
        "",
        f"A study of all three views on SmolLM2-135M, one thread, alone and while {options.clients} clients read it in "
        f"the workbench (a page every {PAUSE:g} s each, half of them with the progress open); median of "
        f"{options.repeats}, in turn; {packages('tiltmeter', 'fastapi', 'uvicorn', 'torch')}. Load before the start: "
        f"{load:.1f}.",
        "",
        "| | seconds, median | all |",
        "|---|---|---|",
        f"| alone | {statistics.median(alone):.1f} | {', '.join(f'{one:.1f}' for one in alone)} |",
        f"| with {options.clients} readers | {statistics.median(read):.1f} | "
        f"{', '.join(f'{one:.1f}' for one in read)} |",
        "",
        f"The run takes {ratio:.2f}× as long with readers. {len(reading.seconds):,} pages: median "
        f"{statistics.median(reading.seconds) * 1000:.0f} ms, 95 % within {tenths[-1] * 1000:.0f} ms; "
        f"{reading.events:,} events of progress.",
        "",
        f"- {'holds' if not reading.errors else '**BROKEN**'}: every request was answered"
        + (f" ({len(reading.errors)} were not: {errors})" if errors else ""),
        f"- {'holds' if same else '**BROKEN**'}: the tables of all runs are the same, byte for byte",
    ]


if __name__ == "__main__":
    sys.exit(main())
