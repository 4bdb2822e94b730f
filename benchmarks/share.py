"""How much of a study's time its model has, and where the rest goes: by the clock, and in seconds of the processor.

python benchmarks/share.py [--shape large|small|7B|tiny|none] [--dtype auto] [--pairs 100000] [--no-cache] [--write]

A file of pairs is made, and `tiltmeter run` carries out a study of it in this process, from reading the file to the
report, with a network of a real shape and random weights on the device that is there; `--shape none` takes a table of
words, which costs next to nothing. Opening the network is not counted. Each phase has the time that is not another's;
on an accelerator the model, and what goes into the cache of answers, run beside it.
"""

from __future__ import annotations

import argparse
import importlib
import os
import random
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import chdir
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from common import heading, packages, tell

WORDS = 50257
LONGEST = 25
MODEL = "the model"
OTHER = "everything else"
IDLE = "nothing"
WAITING = "waiting for what runs beside"
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
    "cache of answers": ("tiltmeter.engine.scoring:ask", "tiltmeter.engine.cached:CachedAnswers._keep"),
    WAITING: ("tiltmeter.engine.executor:Future.result",),
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


class Times(threading.local):
    """Seconds by phase, of the clock and of the processor: those of this thread, which began the command, or another.

    What runs beside this thread, such as an accelerator's next batch, is counted apart.
    """

    def __init__(self, spent: dict[tuple[bool, str], tuple[float, float]]) -> None:
        self.spent = spent
        self._here = threading.current_thread() is threading.main_thread()
        self._stack = [OTHER if self._here else IDLE]
        self.begin()

    def begin(self) -> None:
        """From here on."""
        self._since = time.perf_counter(), time.thread_time()

    def turn(self) -> None:
        """What went by belongs to the innermost phase."""
        now, place = (time.perf_counter(), time.thread_time()), (self._here, self._stack[-1])
        had, self._since, since = self.spent.get(place, (0.0, 0.0)), now, self._since
        self.spent[place] = had[0] + now[0] - since[0], had[1] + now[1] - since[1]

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
    options.add_argument("--shape", help="one of gpu.py, or none; large on an accelerator, else none, unless told")
    options.add_argument("--dtype", default="auto")
    options.add_argument("--pairs", type=int, default=100_000)
    options.add_argument("--no-cache", action="store_true", help="keep no answers for later runs")
    options.add_argument("--out", type=Path, help="where the run is kept; nowhere unless told")
    options.add_argument("--write", action="store_true", help="put it into RESULTS.md")
    chosen = options.parse_args()
    chosen.shape = chosen.shape or ("large" if has_accelerator() else "none")
    times, load = Times({}), os.getloadavg()[0]
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


def account(
    chosen: argparse.Namespace, what: str, load: float, spent: dict[tuple[bool, str], tuple[float, float]]
) -> list[str]:
    """What came of it."""
    nothing = (0.0, 0.0)
    total = sum(seconds for (here, _), (seconds, _) in spent.items() if here)
    model = sum(seconds for (_, phase), (seconds, _) in spent.items() if phase == MODEL)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rest = [
        sum(each[at] for (here, phase), each in spent.items() if here and phase not in (MODEL, WAITING))
        for at in (0, 1)
    ]
    lines = [
        f"{heading(__file__)}\n",
        f"{chosen.pairs:,} pairs, {what}{', no cache' * chosen.no_cache}: {total:,.1f} s, of which the model has "
        f"{model:,.1f}, {model / total:.0%}. Peak memory {peak:,.0f} MB. {packages('duckdb')}. "
        f"Load before the start: {load:.1f}.\n",
        "| phase | seconds | of the processor | beside, seconds |",
        "|---|---|---|---|",
    ]
    for phase in (MODEL, *PHASES, OTHER):
        (wall, cpu), beside = spent.get((True, phase), nothing), spent.get((False, phase), nothing)
        lines.append(f"| {phase} | {wall:.1f} | {cpu:.1f} | {beside[0]:.1f} |")
    return [*lines, f"| all but the model and waiting | {rest[0]:.1f} | {rest[1]:.1f} | |"]


def has_accelerator() -> bool:
    """Whether there is a CUDA device."""
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


if __name__ == "__main__":
    main()
