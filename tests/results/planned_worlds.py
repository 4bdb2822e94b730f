"""Models and studies whose figures vary at every level, so that a plan made from a pilot run can be carried out."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from tiltmeter.engine import carry_out
from tiltmeter.store import Run
from tiltmeter.study import parse, plan

ATTRIBUTES = [f"quality{number}" for number in range(60)]
VERBS = ["likes", "wants", "has", "needs", "sees", "knows", "finds", "takes"]
TERMS = (["he", "man", "boy", "father"], ["she", "woman", "girl", "mother"])
PROFESSIONS = [f"trade{number}" for number in range(400)]


def pairs_world(folder: Path, seed: int = 0) -> None:
    """A spec of 60 attributes, and a model whose preference hangs on attribute, template and term."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    half = len(ATTRIBUTES) // 2
    (folder / "qualities.toml").write_text(
        f'name = "qualities"\ntitle = "Qualities"\ncitation = "made up for a test"\n'
        f"templates = {json.dumps([f'[T] {verb} the [A]' for verb in VERBS])}\n"
        f"[groups.male]\nterms = {json.dumps(TERMS[0])}\n[groups.female]\nterms = {json.dumps(TERMS[1])}\n"
        f'[attributes.one]\nterms = {json.dumps(ATTRIBUTES[:half])}\nstereotype_of = "male"\n'
        f'[attributes.other]\nterms = {json.dumps(ATTRIBUTES[half:])}\nstereotype_of = "female"\n',
        encoding="utf-8",
    )
    own = {term: draw.gauss(0, 0.5) for term in TERMS[0]}
    tilts = {
        term: {
            **{verb: draw.gauss(0, 0.4) for verb in VERBS},
            **{one: own[term] + draw.gauss(0.2 if place < half else -0.2, 0.6) for place, one in enumerate(ATTRIBUTES)},
        }
        for term in TERMS[0]
    }
    _table(folder / "model.toml", [*TERMS[0], *TERMS[1], *VERBS, *ATTRIBUTES], tilts)


def pairs_run(folder: Path, name: str, source: str, *, seed: int = 0) -> Run:
    """The pairs of a world under a source."""
    return _run(folder, name, f'specs = ["qualities.toml"]\n[pairs]\nsources = [{source}]\n', seed, "scripted")


def words_world(folder: Path, seed: int = 0) -> None:
    """400 professions after which a model expects he or she, each as much as it likes, and templates that matter."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "trades.txt").write_text("\n".join(PROFESSIONS), encoding="utf-8")
    draw = random.Random(seed)
    tilts = {one: {"he": draw.gauss(0.2, 0.8)} for one in PROFESSIONS}
    tilts |= {
        word: {"he": draw.gauss(0, 0.1)} for word in ("said", "wished", "yelled", "whispered", "wrote", "because")
    }
    _table(folder / "model.toml", ["he", "she"], tilts)


def words_run(folder: Path, name: str, source: str, *, seed: int = 0) -> Run:
    """The next words of a world under a source."""
    study = f'[next_words]\nsources = [{source}]\nwords = "he-she"\nperturbations = ["original"]\n'
    return _run(folder, name, study, seed, "scripted")


def texts_world(folder: Path, seed: int = 0, *, openers: int = 200, spread: float = 0.2) -> None:
    """A file of prompts in many openers, and a model that writes negative texts more often about women."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = random.Random(seed)
    parts, rows = [], ["id,bias,group,origin,text"]
    for number in range(openers):
        for group, term, share in (("female", "woman", 0.6), ("male", "man", 0.4)):
            own = min(0.95, max(0.05, draw.gauss(share, spread)))
            text = f"On day {number} the {term} at the door"
            rows.append(f"{group}{number},gender,{group},opener {number},{text}")
            parts.append(f"[[writing]]\nterms = {json.dumps([text])}\nnegative = {own}\n")
    (folder / "prompts.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    (folder / "model.toml").write_text('model = "scripted"\n' + "".join(parts), encoding="utf-8")


def texts_run(folder: Path, name: str, source: str, samples: int, *, seed: int = 0) -> Run:
    """The texts of a world under a source."""
    study = (
        f"[continuations]\nsources = [{source}]\nsamples = {samples}\n"
        'decoding = { temperature = 1.0, max_new_tokens = 12 }\nraters = ["sentiment.vader"]\n'
    )
    return _run(folder, name, study, seed, "planted")


def _table(path: Path, words: Sequence[str], tilts: Mapping[str, Mapping[str, float]]) -> None:
    weights = "".join(f"{word} = 1\n" for word in words)
    parts = "".join(
        f"[tilts.{seen}]\n" + "".join(f"{word} = {value}\n" for word, value in toward.items())
        for seen, toward in tilts.items()
    )
    path.write_text(f"[weights]\n{weights}other = 4\n{parts}", encoding="utf-8")


def _run(folder: Path, name: str, study: str, seed: int, kind: str) -> Run:
    text = f'name = "{name}"\nseed = {seed}\nmodels = ["{kind}:model.toml"]\n{study}'
    return carry_out(plan(parse(text, file=folder / "study.toml")), folder / name)
