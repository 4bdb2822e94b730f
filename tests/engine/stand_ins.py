"""A study carried out with a generator and an audit that need no weights; slowly, in a process that is killed."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.sources.generated.fakes import FakeGenerator
from tiltmeter import models
from tiltmeter.engine import carry_out, scoring, sentence_units
from tiltmeter.raters import issues
from tiltmeter.raters.issues import Finding
from tiltmeter.study import plan, read

STUDY = """
name = "killed"
seed = 3
models = ["scripted"]
specs = ["gender-math-arts", "gender-science-arts"]
[pairs]
sources = [
  { templates = { per_attribute = 2 } },
  { generated = { by = "hf:./writer", sets = 2, replace_flagged = true } },
]
scorers = ["sum", "mean"]
"""


def audit(items: Sequence[Any], *, explain: bool = True) -> list[tuple[Finding, ...]]:
    """Most reveal the group, one kind is incoherent, and whatever is about novels or technology has an issue."""
    marks = {"My": "I1", "A": "I1", "The": "I1", "Nobody": "I7"}
    found = []
    for one in items:
        issue = "I4" if one.attribute in ("novel", "technology") else marks.get(one.text.split()[0])
        found.append((Finding(issue, "so it is", 1.0),) if issue else ())
    return found


def stand_in(monkeypatch: Any = None) -> None:
    """Put the stand-ins into their places, for a test or for good."""
    load = models.load
    put = monkeypatch.setattr if monkeypatch else setattr
    put(models, "identity_of", lambda *_, **__: None)
    put(models, "load", lambda name, *more: FakeGenerator() if name.endswith("writer") else load(name, *more))
    put(issues, "audit", audit)
    put(scoring, "BATCH", 64)


def main(study: Path, folder: Path) -> None:
    """Carry the study out with a pause before every step."""
    ask, write = scoring.ask, sentence_units.generated.write_block

    def slow_ask(*given: Any) -> Any:
        time.sleep(0.05)
        return ask(*given)

    def slow_write(*given: Any, **more: Any) -> Any:
        time.sleep(0.05)
        return write(*given, **more)

    stand_in()
    os.chdir(study.parent)
    scoring.ask, sentence_units.generated.write_block = slow_ask, slow_write
    carry_out(plan(read(study)), folder)
