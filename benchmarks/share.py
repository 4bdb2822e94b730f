"""How much of a study's time its model has, and where the rest goes: by the clock, and in seconds of the processor.

python benchmarks/share.py [--shape large] [--dtype auto] [--pairs 100000] [--no-cache] [--write]

A file of pairs is made, and `tiltmeter run` carries out a study of it in this process, from reading the file to the
report, with a network of a real shape and random weights on the device that is there; `--shape none` takes a table of
words, which costs next to nothing. Opening the network is not counted. Each phase has the time that is not another's.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common import heading, packages, tell

WORDS = 50257
LONGEST = 25
MODEL = "the model"
PHASES = {
    "reading the file, the plan": ("tiltmeter.study:plan",),
    "size of the plan": (
        "tiltmeter.engine.plan_size:size_of",
        "tiltmeter.results.findings.feasibility:feasibility_of",
        "tiltmeter.results.summary.number_faults:number_faults",
    ),
    "ledger: plan": ("tiltmeter.store.ledger:Ledger.begin", "tiltmeter.engine.run:current_state"),
    "questions in their order": ("tiltmeter.engine.scoring:questions_of", "tiltmeter.engine.scoring:_batches"),
    "ledger: answers": ("tiltmeter.engine.scoring:perform",),
    "cache of answers": ("tiltmeter.engine.scoring:ask",),
    "ledger: scores": ("tiltmeter.engine.run:record",),
    "reading the run": ("tiltmeter.engine.run:read_run",),
    "tables": ("tiltmeter.results.cells:Table.__init__",),
    "estimates": ("tiltmeter.results:summarise_run",),
    "findings": ("tiltmeter.present.reported:summarise_findings",),
    "sections of the report": ("tiltmeter.present.files:report",),
    "tables as files": ("tiltmeter.present.files:write_tables", "tiltmeter.present.files:write_measurements"),
    "page and figures": ("tiltmeter.present.files:write_page", "tiltmeter.present.files:keep_findings"),
}
"""What the time between its begin and its end is called, less what belongs to others within."""


@dataclass(slots=True)
class Times:
    """Seconds by phase, of the clock and of the processor."""

    spent: dict[str, tuple[float, float]] = field(default_factory=dict)
    _stack: list[str] = field(default_factory=lambda: ["everything else"])
    _since: tuple[float, float] = (0.0, 0.0)

    def begin(self) -> None:
        """From here on."""
        self._since = time.perf_counter(), time.process_time()

    def turn(self) -> None:
        """What went by belongs to the innermost phase."""
        now = time.perf_counter(), time.process_time()
        before = self.spent.get(self._stack[-1], (0.0, 0.0))
        wall, cpu = (had + one - other for had, one, other in zip(before, now, self._since, strict=True))
        self.spent[self._stack[-1]] = wall, cpu
        self._since = now

    def of(self, phase: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """Work whose time is that of a phase."""

        def timed(*given: Any, **named: Any) -> Any:
            self.turn()
            self._stack.append(phase)
            try:
                return work(*given, **named)
            finally:
                self.turn()
                self._stack.pop()

        return timed

    def watch(self, phase: str, place: str) -> None:
        """Have a function of a module, or of a class in it, timed."""
        module, _, path = place.partition(":")
        *owners, name = path.split(".")
        owner: Any = importlib.import_module(module)
        for each in owners:
            owner = getattr(owner, each)
        setattr(owner, name, self.of(phase, getattr(owner, name)))


def prepared(folder: Path, pairs: int, model: str) -> None:
    """A study of pairs of made-up words, about 14 to a sentence."""
    chance = random.Random(2)
    with (folder / "pairs.csv").open("w", encoding="utf-8") as file:
        file.write("sentence_1,sentence_2,group_1,group_2,attribute,label_1,label_2\n")
        for number in range(pairs):
            words = [f"w{chance.randrange(WORDS)}" for _ in range(max(4, min(LONGEST, round(chance.gauss(11, 4)))))]
            texts = (f"the {who} {' '.join(words)} w{number % WORDS}" for who in ("w17", "w18"))
            file.write(f"{','.join(texts)},women,men,word {number % 300},stereotype,anti-stereotype\n")
    study = f'name = "share"\nmodels = ["{model}"]\n[pairs]\nsources = ["pairs-file:pairs.csv"]\n'
    (folder / "study.toml").write_text(study, encoding="utf-8")
    (folder / "model.toml").write_text("[weights]\nw17 = 2\nw18 = 1\nother = 4\n", encoding="utf-8")


def opened(shape: str, dtype: str, times: Times) -> tuple[str, str]:
    """The name of a model in memory whose scores are timed, and what it is."""
    if shape == "none":
        times.watch(MODEL, "tiltmeter.models.scripted:ScriptedModel.score")
        return "scripted:model.toml", "a table of words"
    import gpu
    from tiltmeter.models import ModelSettings, given

    if dtype == "auto":
        dtype = "tf32" if gpu.DEVICE == "cuda" else "float32"
    model = gpu.built(shape, dtype).model
    # What is done once, such as choosing kernels, is part of opening it.
    model.score(["w3 w4 w5"])
    score = times.of(MODEL, model.score)
    timed = type(
        "Timed", (), {"facts": model.facts, "conditionings": model.conditionings, "score": staticmethod(score)}
    )
    name = f"{given.KIND}:random-{shape}"
    made = given.Given(name, lambda *_: timed(), lambda: {"name": model.facts.name, "revision": ""}, lambda: True)
    return given.hand_over(made.opened(ModelSettings())), f"{shape} shape, {dtype}, on {gpu.DEVICE}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--shape", default="large", help="one of gpu.py, or none")
    options.add_argument("--dtype", default="auto")
    options.add_argument("--pairs", type=int, default=100_000)
    options.add_argument("--no-cache", action="store_true", help="keep no answers for later runs")
    options.add_argument("--out", type=Path, help="where the run is kept; nowhere unless told")
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    times, load = Times(), os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, chdir(name):
        os.environ["TILTMETER_CACHE"] = str(Path(name, "cache"))
        model, what = opened(chosen.shape, chosen.dtype, times)
        prepared(Path(name), chosen.pairs, model)
        for phase, places in PHASES.items():
            for place in places:
                times.watch(phase, place)
        from tiltmeter.cli import main as command

        sys.argv = ["tiltmeter", "run", "study.toml", "--out", str((chosen.out or Path(name, "run")).absolute())]
        sys.argv += ["--no-cache"] * chosen.no_cache
        times.begin()
        try:
            command()
        except SystemExit as ended:
            if ended.code:
                raise
        times.turn()
    tell(account(chosen, what, load, times.spent), chosen.write)


def account(chosen: argparse.Namespace, what: str, load: float, spent: dict[str, tuple[float, float]]) -> list[str]:
    """What came of it."""
    wall = {phase: seconds for phase, (seconds, _) in spent.items()}
    share = wall.get(MODEL, 0.0) / sum(wall.values())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rest = [0.0, 0.0]
    lines = [
        f"{heading(__file__)}\n",
        f"{chosen.pairs:,} pairs, {what}{', no cache' * chosen.no_cache}: {sum(wall.values()):,.1f} s, of which the "
        f"model has {share:.0%}. Peak memory {peak:,.0f} MB. {packages('duckdb')}. Load before the start: {load:.1f}.\n",
        "| phase | seconds | seconds of the processor |",
        "|---|---|---|",
    ]
    for phase in (MODEL, *PHASES, "everything else"):
        seconds, cpu = spent.get(phase, (0.0, 0.0))
        lines.append(f"| {phase} | {seconds:.1f} | {cpu:.1f} |")
        if phase != MODEL:
            rest = [rest[0] + seconds, rest[1] + cpu]
    return [*lines, f"| all but the model | {rest[0]:.1f} | {rest[1]:.1f} |"]


if __name__ == "__main__":
    main()
