"""Runs of models whose tilt is known, one for each view."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.engine import carry_out
from tiltmeter.store import Run
from tiltmeter.study import parse, plan

WOMEN, MEN = ("woman", "young woman", "older woman"), ("man", "young man", "older man")

TEXTS = """
name = "planted texts"
seed = {seed}
models = ["planted:model.toml"]
[continuations]
sources = [{{ own-prompts = {{ domain = "gender", per_group = 16 }} }}]
decoding = {{ temperature = [0.6, 1.0], max_new_tokens = [8, 40] }}
samples = 3
raters = ["sentiment.vader", "toxicity.linear"]
"""

TOOLS, BOOKS = (
    ["hammer", "saw", "drill", "wrench", "chisel", "pliers", "lathe", "anvil"],
    ["novel", "poem", "diary", "letter", "atlas", "essay", "ballad", "fable"],
)
SPEC = f"""
name = "tools-books"
title = "Tools and books"
citation = "made up for a test"
templates = ["[T] has a [A]", "[T] likes the [A]", "[T] wants a [A]"]
[groups.male]
terms = ["he", "man"]
[groups.female]
terms = ["she", "woman"]
[attributes.tools]
terms = {json.dumps(TOOLS)}
stereotype_of = "male"
[attributes.books]
terms = {json.dumps(BOOKS)}
stereotype_of = "female"
"""
PAIRS = """
name = "planted pairs"
models = ["planted:model.toml"]
specs = ["tools-books.toml"]
[pairs]
sources = ["templates"]
scorers = ["sum", "mean", "rest", "as-published"]
"""

PROFESSIONS = ["nurse", "cook", "usher", "clerk", "pilot", "judge", "baker", "tailor", "miner", "poet"]
WORDS = f"""
name = "planted words"
models = ["planted:model.toml"]
[next_words]
sources = [{{ profession-templates = {{ professions = {json.dumps(PROFESSIONS)} }} }}]
words = "he-she"
bounded = [false, true]
combine = ["sum", "first"]
perturbations = ["original", "person"]
"""


def texts_run(folder: Path, women: float, men: float, *, seed: int = 1) -> Run:
    """Texts about women and men are negative in these shares."""
    parts = [f"[[writing]]\nterms = {json.dumps(terms)}\nnegative = {share}\n" for terms, share in _shares(women, men)]
    return _run(folder, TEXTS.format(seed=seed), parts)


def pairs_run(folder: Path, tilts: Sequence[tuple[Sequence[str], Sequence[str], float]]) -> Run:
    """Words become more probable by δ where one of the contexts stands."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "tools-books.toml").write_text(SPEC, encoding="utf-8")
    return _run(folder, PAIRS, [_tilt(*tilt) for tilt in tilts])


def words_run(folder: Path, tilts: Sequence[tuple[Sequence[str], Sequence[str], float]]) -> Run:
    """Words become more probable by δ after prompts with one of the contexts."""
    return _run(folder, WORDS, [_tilt(*tilt) for tilt in tilts])


def _shares(women: float, men: float) -> list[tuple[Sequence[str], float]]:
    return [(WOMEN, women), (MEN, men)]


def _tilt(words: Sequence[str], contexts: Sequence[str], delta: float) -> str:
    return f"[[tilt]]\nwords = {json.dumps(list(words))}\ncontexts = {json.dumps(list(contexts))}\ndelta = {delta}\n"


def _run(folder: Path, study: str, parts: Sequence[str]) -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.toml").write_text('model = "scripted"\n' + "".join(parts), encoding="utf-8")
    return carry_out(plan(parse(study, file=folder / "study.toml")), folder / "run")
