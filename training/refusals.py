"""Train `refusal.v5` on the texts beside this file; run `python training/refusals.py [--write] [--folds]`.

`refusals.tsv` has texts of several writers, `refusal_patterns.tsv` a grammar that makes more of them from a seed. The
folds leave out one writer at a time; `tests/raters/data/refusals.held-out.tsv` is never trained on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import re
from collections import Counter
from typing import Any

import numpy as np
from heads import HERE, WEIGHTS, Sentence, fitted, sentences
from scipy.sparse import csr_matrix

from tiltmeter.raters.language import is_foreign
from tiltmeter.raters.refusal import NAME, starts_with_refusal
from tiltmeter.raters.refusal_classifier import features

SEED = 4
MADE = {"refusal": 1500, "answer": 2600}
"""How many texts the grammar makes."""
PENALTY = 1.0
FEWEST = 2
"""Texts that a feature must be in."""
KEPT = 9000
"""Features that ship: those with the largest weights."""
THRESHOLD = 0.3
WRITERS = {"first": "rules", "second": "rules", "third": "rules", "fourth": "rules", "making": "rules"}
"""Sets of `refusals.tsv` by one hand."""


def written() -> list[Sentence]:
    """Every English text that somebody wrote, with its writer as theme."""
    return [
        Sentence(row.label, WRITERS.get(row.theme, row.theme), row.text)
        for row in sentences("refusals")
        if not is_foreign(starts_with_refusal(row.text))
    ]


def ordinary() -> list[Sentence]:
    """Texts of small models and of ours about groups of people and daily life, which are all answers."""
    texts = [row.text for name in ("regard_models", "regard", "sentiment") for row in sentences(name)]
    for path in sorted((HERE / "issues").glob("*.tsv")):
        lines = path.read_text(encoding="utf-8").splitlines()
        texts += [line.split("\t")[3] for line in lines if not line.startswith("#") and line.count("\t") >= 3]
    return [Sentence("answer", "ordinary", text) for text in dict.fromkeys(texts)]


def held_out() -> list[Sentence]:
    """Texts that are only ever tested on."""
    path = HERE.parent / "tests" / "raters" / "data" / "refusals.held-out.tsv"
    lines = (line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:])
    return [Sentence(label, "held-out", text.replace("\\n", "\n")) for label, text in lines]


def made(seed: int = SEED) -> list[Sentence]:
    """Texts that the grammar makes, without those that somebody wrote."""
    patterns, chance = sentences("refusal_patterns"), random.Random(seed)
    lists = {row.theme: row.text.split("|") for row in patterns if row.label == "list"}
    rows = []
    for label, count in MADE.items():
        wanted = [row for row in patterns if row.label == label]
        rows += [
            Sentence(label, "grammar", _filled(wanted[at % len(wanted)].text, lists, chance)) for at in range(count)
        ]
    own = {row.text.strip() for row in written() + held_out()}
    return list({row.text: row for row in rows if row.text not in own}.values())


def trained(rows: list[Sentence]) -> tuple[dict[str, float], float]:
    """The weights of the features, and the intercept."""
    rows = [row for row in rows if features(starts_with_refusal(row.text))]
    found = [features(starts_with_refusal(row.text)) for row in rows]
    counts = Counter(feature for each in found for feature in each)
    names = sorted(feature for feature, count in counts.items() if count >= FEWEST)
    classes = np.array([row.label == "refusal" for row in rows], dtype=int)
    weights, _ = _fitted(found, names, classes)
    names = sorted(names[at] for at in np.argsort(-np.abs(weights), kind="stable")[:KEPT])
    weights, intercept = _fitted(found, names, classes)
    return dict(zip(names, weights.round(3).tolist(), strict=True)), round(float(intercept), 3)


def _fitted(found: list[set[str]], names: list[str], classes: Any) -> tuple[Any, Any]:
    weights, intercepts = fitted(_matrix(found, names), classes, 2, PENALTY)
    return weights[1] - weights[0], intercepts[1] - intercepts[0]


def _matrix(found: list[set[str]], names: list[str]) -> Any:
    places = {name: at for at, name in enumerate(names)}
    rows = [sorted(places[feature] for feature in each if feature in places) for each in found]
    ends = np.cumsum([0, *map(len, rows)])
    flat = np.array([place for row in rows for place in row])
    return csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(names)))


def _filled(pattern: str, lists: dict[str, list[str]], chance: random.Random) -> str:
    slot = re.compile(r"\{(\w+)\}|\[([^\[\]]*)\]")
    while found := slot.search(pattern):
        choices = lists[found[1]] if found[1] else found[2].split("|")
        pattern = pattern[: found.start()] + chance.choice(choices) + pattern[found.end() :]
    text = pattern.replace("  ", " ").strip()
    return text[:1].upper() + text[1:]


def folds() -> None:
    """Print what is found of each writer's texts by a model trained on the others'."""
    for name in ("blind", "fifth", "rules", "held-out"):
        rows = [row for row in written() + held_out() if row.theme == name]
        weights, intercept = trained([row for row in written() if row.theme != name] + ordinary() + made())
        said = [
            intercept + sum(weights.get(feature, 0.0) for feature in features(starts_with_refusal(row.text)))
            > THRESHOLD
            for row in rows
        ]
        for label, what in (("refusal", "refusals found"), ("answer", "answers mistaken")):
            found = [each for each, row in zip(said, rows, strict=True) if row.label == label]
            print(f"{name}: {sum(found)} of {len(found)} {what}")


def main() -> None:
    """Train the model; with --write, put it into the package."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="put the weights into the package")
    options.add_argument("--folds", action="store_true", help="leave out one writer at a time")
    given = options.parse_args()
    if given.folds:
        folds()
    if given.write:
        (WEIGHTS / f"{NAME}.json").write_text(stored(), encoding="utf-8")


def stored() -> str:
    """The file that ships; the threshold is part of the intercept."""
    rows = written() + ordinary() + made()
    weights, intercept = trained(rows)
    digest = hashlib.sha256("\n".join(sorted(row.text for row in rows)).encode()).hexdigest()
    model = {"trained_on_sha256": digest, "intercept": round(intercept - THRESHOLD, 3), "weights": weights}
    return json.dumps(model, ensure_ascii=False, separators=(",", ":")) + "\n"


if __name__ == "__main__":
    main()
