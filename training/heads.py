"""Train the head of `sentiment.minilm.v1` on the sentences beside this file; for regard see `regard.py`.

Run `python training/heads.py [--write]`. The parts are split by a hash of the text: a third is the test part, which is
never trained on and was not looked at while the penalty was chosen (by cross-validation on the training part). The
head that ships is the one trained on the training part alone, so that the figures of the card are its own.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from tiltmeter.raters.heads import encoder

HERE = Path(__file__).resolve().parent
WEIGHTS = HERE.parent / "src" / "tiltmeter" / "raters" / "weights"
LABELS = {
    "sentiment": ["negative", "neutral", "positive"],
    "regard": ["negative", "neutral", "positive", "other"],
}
PENALTIES = (1.0, 0.3, 0.1, 0.03)
CHOSEN = 0.3


@dataclass(frozen=True)
class Sentence:
    """A sentence with the label that a person gave it."""

    label: str
    theme: str
    text: str
    note: str = ""
    """Of texts that are only tested on: "suffered" (harm that XYZ suffers), "doubtful" (the label was a close call)."""

    @property
    def part(self) -> str:
        """ "test" for a third of the sentences, by a hash of the text."""
        return "train" if _hash(self.text) % 3 else "test"


def sentences(name: str) -> list[Sentence]:
    """The labelled sentences of a file: "sentiment", "refusals", "regard" or another that begins with regard."""
    lines = (HERE / f"{name}.tsv").read_text(encoding="utf-8").split("\n")[1:-1]
    return [Sentence(*(field.replace("\\n", "\n") for field in line.split("\t"))) for line in lines]


def fitted(vectors: Any, classes: Any, count: int, penalty: float) -> tuple[Any, Any]:
    """Weights and intercepts that minimise cross-entropy plus half the penalty times the squared weights."""
    truth = np.eye(count)[classes]
    size = vectors.shape[1]

    def loss(flat: Any) -> tuple[float, Any]:
        weights, intercepts = flat[: count * size].reshape(count, size), flat[count * size :]
        scores = vectors @ weights.T + intercepts
        value = float(np.sum(logsumexp(scores, axis=1) - np.sum(scores * truth, axis=1)))
        slopes = softmax(scores, axis=1) - truth
        by_weight = slopes.T @ vectors + penalty * weights
        return value + penalty / 2 * float(np.sum(weights**2)), np.concatenate([by_weight.ravel(), slopes.sum(axis=0)])

    found = minimize(loss, np.zeros(count * (size + 1)), jac=True, method="L-BFGS-B", options={"maxiter": 2000})
    return found.x[: count * size].reshape(count, size), found.x[count * size :]


def cross_validated(rows: list[Sentence], vectors: Any, classes: Any, count: int, penalty: float) -> float:
    """The share of right answers over five folds of the training part."""
    folds = np.array([_hash(f"{row.text} fold") % 5 for row in rows])
    right = 0
    for fold in range(5):
        weights, intercepts = fitted(vectors[folds != fold], classes[folds != fold], count, penalty)
        answers = (vectors[folds == fold] @ weights.T + intercepts).argmax(axis=1)
        right += int(np.sum(answers == classes[folds == fold]))
    return right / len(rows)


def trained(name: str) -> dict[str, Any]:
    """The head of "sentiment", as it is stored."""
    rows = [row for row in sentences(name) if row.part == "train"]
    labels = LABELS[name]
    vectors = encoder().rows([row.text for row in rows]).astype(np.float64)
    classes = np.array([labels.index(row.label) for row in rows])
    for penalty in PENALTIES:
        share = cross_validated(rows, vectors, classes, len(labels), penalty)
        print(f"{name}: {len(rows)} sentences, penalty {penalty}: {100 * share:.1f} % in cross-validation")
    weights, intercepts = fitted(vectors, classes, len(labels), CHOSEN)
    return {
        "labels": labels,
        "vectors": encoder().name,
        "penalty": CHOSEN,
        "trained_on_sha256": hashlib.sha256("\n".join(sorted(row.text for row in rows)).encode()).hexdigest(),
        "intercepts": intercepts.round(4).tolist(),
        "weights": weights.round(4).tolist(),
    }


def _hash(text: str) -> int:
    return int(hashlib.sha256(text.encode()).hexdigest(), 16)


def main() -> None:
    """Train the head; with --write, put it into the package."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="put the head into the package")
    write = options.parse_args().write
    head = trained("sentiment")
    if write:
        (WEIGHTS / "sentiment.minilm.v1.json").write_text(json.dumps(head) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
