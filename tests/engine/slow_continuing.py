"""A study of all views carried out in small steps with a pause before each, in a process that is killed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from tiltmeter.engine import carry_out, continuations, next_words, rating, scoring
from tiltmeter.study import plan, read

STUDY = """
name = "killed"
seed = 3
models = ["scripted", "scripted:other.toml"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
[continuations]
sources = [
  { own-prompts = { domain = "gender", per_group = 6 } },
  { own-prompts = { domain = "gender", kind = "situations" } },
]
decoding = { temperature = [0, 1.0], max_new_tokens = 9 }
samples = 3
raters = ["sentiment.vader", "toxicity.linear"]
[next_words]
sources = ["templates", { natural = { limit = 12 } }]
words = ["pronouns", "he-she"]
bounded = [false, true]
[choices]
sources = [{ templates = { per_attribute = 1 } }]
scorers = ["letter", "text", "forced-choice"]
"""
OTHER = "[weights]\nshe = 2\nhe = 1\nkind = 1\nawful = 1\nother = 3\n[tilts.man]\nawful = 1.0\n"


def small_steps(monkeypatch: Any = None) -> None:
    """Small batches, for a test or for good: they are part of the plan."""
    put = monkeypatch.setattr if monkeypatch else setattr
    put(scoring, "BATCH", 32)
    put(continuations, "BATCH", 24)
    put(rating, "BATCH", 20)
    put(next_words, "BATCH", 16)


def main(study: Path, folder: Path) -> None:
    """Carry the study out slowly."""
    ask, write, rated = scoring.ask, continuations.write, rating.RatingRun.rated
    expected = next_words.expected_after

    def slow(work: Any) -> Any:
        def later(*given: Any, **settings: Any) -> Any:
            time.sleep(0.03)
            return work(*given, **settings)

        return later

    small_steps()
    scoring.ask, continuations.write, next_words.expected_after = slow(ask), slow(write), slow(expected)
    rating.RatingRun.rated = slow(rated)  # type: ignore[method-assign]
    carry_out(plan(read(study)), folder)
