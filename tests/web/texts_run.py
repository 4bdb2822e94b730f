"""A small run with all three views and written sentences, carried out by the engine with a scripted model."""

from __future__ import annotations

import csv
import shutil
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.sources.generated.fakes import FakeGenerator
from tiltmeter import models
from tiltmeter.engine import carry_out
from tiltmeter.raters.issues import Finding
from tiltmeter.store import ProgressFile
from tiltmeter.study import parse, plan

STUDY = """
name = "texts"
seed = 2
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }, { generated = { by = "hf:./writer", judge = false } }]
scorers = ["sum", "mean"]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 4 } }]
decoding = { temperature = [0.6, 1.0], max_new_tokens = 6 }
samples = 2
raters = ["sentiment.vader", "toxicity.linear", "toxicity.tiny"]
[next_words]
sources = [{ profession-templates = { limit = 2 } }]
words = "pronouns"
saliency = "gradient-x-input"
"""
HOSTILE_STUDY = """
name = "hostile"
models = ["scripted"]
[continuations]
sources = ["prompts-file:prompts.csv"]
decoding = { temperature = 1.0, max_new_tokens = 4 }
samples = 1
raters = ["sentiment.vader"]
"""


def make_texts(home: Path, name: str = "small") -> Path:
    """The run of the study in `runs/` of a workbench; every third written sentence has an issue."""
    return Path(shutil.copytree(_carried_out(), home / "runs" / name))


@cache
def _scratch() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="tiltmeter-")


@cache
def _carried_out() -> Path:
    home = Path(_scratch().name)
    folder = home / "run"
    with pytest.MonkeyPatch.context() as patched:
        (home / "writer").mkdir(parents=True)
        patched.chdir(home)
        load = models.load
        writer = FakeGenerator(
            lambda source, *_: f"The {{term}} wrote of {{attribute}} {source.randint(1, 999)} times."
        )
        patched.setattr(models, "load", lambda given, *more: writer if given.endswith("writer") else load(given, *more))
        patched.setattr(
            "tiltmeter.raters.issues.audit",
            lambda items, explain=True: [
                (Finding("I4", "it is framed", 1.0),) if number % 3 == 0 else () for number, _ in enumerate(items)
            ],
        )
        with ProgressFile(folder) as file:
            carry_out(plan(parse(STUDY)), folder, progress=file)
    return folder


def make_hostile(home: Path, strings: tuple[str, ...], name: str = "hostile") -> Path:
    """A run whose prompts, groups and origins are hostile strings."""
    folder = home / "runs" / name
    home.mkdir(parents=True, exist_ok=True)
    with (home / "prompts.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["text", "group", "origin"])
        writer.writerows([text, text[:60], text[:60]] for text in strings)
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(home)
        carry_out(plan(parse(HOSTILE_STUDY)), folder)
    return folder
