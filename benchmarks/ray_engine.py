"""The engine `ray` beside the local one: the same tables with a node lost midway, and how fast it is.

    python benchmarks/ray_engine.py [--repeats 3] [--write]

A study of all three views on the embedded model, one thread for each worker. First `tiltmeter run --engine ray` on a
cluster of two nodes, of which one is removed midway; then one and two workers beside the local engine, in turn. Exit
status 1: a run is not complete, or its tables are not those of the local engine, byte for byte.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from sqlite3 import Error, connect

from common import heading, packages, tell, three_views
from tiltmeter.engine import Cluster, carry_out
from tiltmeter.models import ModelSettings
from tiltmeter.study import plan, read

SMALLER = {"scoring": 64, "completing": 32, "asking": 32}
"""Batches of fewer texts than usual, so that a study of a minute has enough of them for two workers."""
PROGRAM = "\n".join(
    [
        "from tiltmeter.cli import main",
        *(f"from tiltmeter.engine import {stage}; {stage}.BATCH = {size}" for stage, size in SMALLER.items()),
        "main()",
    ]
)


@dataclass
class Clock:
    """A watcher that looks at the clock from the second stage on, when every worker has loaded the model."""

    began: float = 0.0
    done: int = 0
    stages: int = 0

    def start(self, what: str, total: int, done: int) -> None:
        self.stages += 1
        if self.stages == 2:
            self.began = time.perf_counter()

    def advance(self, steps: int, failures: int = 0) -> None:
        if self.stages > 1:
            self.done += steps


@dataclass(frozen=True, slots=True)
class Removal:
    """A run that lost a node."""

    after: int
    batches: int
    holds: dict[str, bool]
    said: list[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    options = parser.parse_args()
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "study.toml").write_text(three_views("cluster", 16), encoding="utf-8")
        _, error = (local := command(folder, "local")).communicate()
        if local.returncode:
            raise SystemExit(error)
        removal = node_removed(folder)
        seconds, same = throughput(folder, options.repeats)
    lines = account(removal, seconds, same, options.repeats, load, ceiling())
    tell(lines, options.write)
    return 0 if all(removal.holds.values()) and same else 1


def command(folder: Path, out: str, *more: str) -> subprocess.Popen[str]:
    """`tiltmeter run`, with smaller batches."""
    given = ["run", "study.toml", "--out", out, "--threads", "1", "--no-cache", *more]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *given],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def node_removed(folder: Path) -> Removal:
    """A cluster with room for one worker on each of two nodes, of which one goes while the models are asked."""
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = nodes.add_node(num_cpus=1)
    try:
        run = command(folder, "ray", "--engine", "ray", "--workers", "2", "--ray-address", nodes.address)
        whole = batches(folder / "local")
        while batches(folder / "ray") < whole // 3 and run.poll() is None:
            time.sleep(0.02)
        after = batches(folder / "ray")
        nodes.remove_node(second, allow_graceful=False)
        out, error = run.communicate(timeout=600)
    finally:
        nodes.shutdown()
    said = [line for line in error.splitlines() if "worker" in line]
    lost = sum("a worker was lost" in line for line in said)
    return Removal(
        after,
        whole,
        {
            "the node was removed while work was left": 0 < after < whole,
            "a worker was lost with it, and the run said so": lost == 1,
            "the run ends with status 0": run.returncode == 0,
            "every batch is recorded once": batches(folder / "ray") == whole,
            "its tables are those of the local engine, byte for byte": tables(folder / "ray")
            == tables(folder / "local"),
            "nothing but the place of the report is on standard output": out == "report: ray/report.html\n",
        },
        said,
    )


def batches(folder: Path) -> int:
    """How many batches a run has recorded."""
    try:
        with closing(connect(f"file:{folder / 'ledger.sqlite'}?mode=ro", uri=True)) as ledger:
            [count] = ledger.execute("select count(*) from steps").fetchone()
            return int(count)
    except Error:
        return 0


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "tables").iterdir())}


def throughput(folder: Path, repeats: int) -> tuple[dict[str, list[tuple[float, float, int]]], bool]:
    """For each engine and repeat: seconds in all, seconds of work and texts; and whether all answers are equal."""
    from tiltmeter import engine
    from tiltmeter.results import summarise_run
    from tiltmeter.results.tables import write_tables

    for stage, size in SMALLER.items():
        getattr(engine, stage).BATCH = size
    made = plan(read(folder / "study.toml"))
    engines = {"local": None, "ray, 1 worker": Cluster(1), "ray, 2 workers": Cluster(2)}
    found: dict[str, list[tuple[float, float, int]]] = {name: [] for name in engines}
    answers = set()
    # In turn, so that other work on the machine falls on all of them.
    for repeat in range(repeats):
        for name, cluster in engines.items():
            out, clock, began = folder / f"{name} {repeat}", Clock(), time.perf_counter()
            run = carry_out(made, out, ModelSettings(device="cpu", threads=1), clock, cluster=cluster)
            ended = time.perf_counter()
            found[name].append((ended - began, ended - clock.began, clock.done))
            answers.add(tuple(path.read_bytes() for path in write_tables(run, summarise_run(run), out)))
    return found, len(answers) == 1


def ceiling(seconds: float = 6.0) -> float:
    """How much more two processes multiply than one: what the machine has to give to a second worker just now."""
    program = (
        "import time, torch; torch.set_num_threads(1); a, b, n = torch.randn(32, 576), torch.randn(60, 576, 1536), 0\n"
        f"end = time.time() + {seconds}\n"
        "while time.time() < end: [a @ one for one in b]; n += 1\n"
        "print(n)"
    )

    def done(processes: int) -> int:
        started = [
            subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
            for _ in range(processes)
        ]
        return sum(int(one.communicate()[0]) for one in started)

    return done(2) / done(1)


def account(
    removal: Removal,
    seconds: dict[str, list[tuple[float, float, int]]],
    same: bool,
    repeats: int,
    load: float,
    most: float,
) -> list[str]:
    rates = {name: statistics.median(texts / work for _, work, texts in runs) for name, runs in seconds.items()}
    wholes = {name: statistics.median(whole for whole, *_ in runs) for name, runs in seconds.items()}
    others = ", of other work on the same cores" if load > 0.5 else ""
    [texts] = {texts for runs in seconds.values() for *_, texts in runs}
    checks = {**removal.holds, f"the tables of all {3 * repeats} runs above are the same, byte for byte": same}
    return [
        heading(__file__),
        "",
        f"SmolLM2-135M, float32, one torch thread for each worker; a study of all three views in batches of "
        f"{SMALLER['completing']} to {SMALLER['scoring']} texts. Texts a second are those of the {texts:,} to write, "
        f"expect and rate after the stage of scores, in which the workers load the model; median of {repeats}, the "
        f"engines in turn; {packages('tiltmeter', 'ray', 'torch', 'transformers')}. Load before the start: "
        f"{load:.1f}{others}.",
        "",
        "| engine | texts/s | beside the local engine | seconds in all, with starting and loading |",
        "|---|---|---|---|",
        *(
            f"| {name} | {rate:.1f} | {rate / rates['local']:.2f}× | {wholes[name]:.1f} |"
            for name, rate in rates.items()
        ),
        "",
        f"What a second worker can gain here: two processes that multiply matrices do {most:.2f}× the work of one.",
        "",
        f"`tiltmeter run --engine ray --workers 2` on a cluster of two nodes with room for one worker each; one node "
        f"removed after {removal.after} of {removal.batches} batches. It said: "
        + " ".join(f"“{line}”" for line in removal.said),
        "",
        *(f"- {'holds' if holds else '**BROKEN**'}: {check}" for check, holds in checks.items()),
    ]


if __name__ == "__main__":
    sys.exit(main())
