"""Train the head of `professions.minilm.v2`: does a noun, with what is said of it, name somebody by their work?

Run `python training/professions.py [--write]`; it takes a minute on one core, and cross-validates by noun first. It
reads the definitions in `professions/`, those of our own sentences (`sources/natural/authored.jsonl`), and, with
nothing said of them, the nouns of `occupations.txt` and `roles.txt` and the words that end like a person and are none.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from heads import WEIGHTS, fitted

from tiltmeter.raters.noun_classes import NAME, vectors
from tiltmeter.sources.natural import authored, lexicon, words
from tiltmeter.sources.natural.marks import apply

HERE = Path(__file__).resolve().parent / "professions"
PENALTIES = (1.0, 0.3, 0.1)
CHOSEN = 0.3
_IS = re.compile(r"(?:An?|The) .+? is (.+)$")
_LAST = re.compile(r",? (?:where|because|and|that)$")

Row = tuple[bool, str, str]
"""Whether it is a profession, the noun, and what is said of it."""


def rows() -> list[Row]:
    """What is trained on."""
    found: list[Row] = []
    for sentence in authored():
        for text in (apply(sentence.annotated).sentence, _LAST.sub("", sentence.prompt)):
            said = _IS.match(text)
            found += [(True, sentence.profession, said[1].rstrip("."))] if said else []
    for file, is_one in (("professions", True), ("others", False)):
        for line in (HERE / f"{file}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            noun, said_of_it = line.split("\t")
            found.append((is_one, noun, said_of_it))
    defined = {noun for _, noun, _ in found}
    named = [
        *((True, noun) for noun in lexicon.words_of("occupations.txt")),
        *((False, noun) for noun in lexicon.words_of("roles.txt") | words.NO_PERSON),
    ]
    return found + [(is_one, noun, "") for is_one, noun in sorted(named) if noun not in defined]


def cross_validated(given: list[Row], read: Any, truth: Any, penalty: float) -> str:
    """How many nouns of five folds are right, of those with a definition."""
    folds = np.array([int(hashlib.sha256(noun.encode()).hexdigest(), 16) % 5 for _, noun, _ in given])
    defined = np.array([bool(said) for _, _, said in given])
    right = np.zeros(len(given), dtype=bool)
    for fold in range(5):
        weights, intercepts = fitted(read[folds != fold], truth[folds != fold], 2, penalty)
        right[folds == fold] = (read[folds == fold] @ weights.T + intercepts).argmax(axis=1) == truth[folds == fold]
    shares = [100 * right[defined & (truth == kind)].mean() for kind in (1, 0)]
    return f"{shares[0]:.1f} % of professions, {shares[1]:.1f} % of others"


def trained() -> dict[str, Any]:
    """The head, as it is stored."""
    given = rows()
    read = vectors([(noun, said) for _, noun, said in given]).astype(np.float64)
    truth = np.array([int(is_one) for is_one, _, _ in given])
    for penalty in PENALTIES:
        print(f"{len(given)} nouns, penalty {penalty}: {cross_validated(given, read, truth, penalty)}")
    weights, intercepts = fitted(read, truth, 2, CHOSEN)
    return {
        "vectors": "all-MiniLM-L6-v2",
        "penalty": CHOSEN,
        "trained_on_sha256": trained_on(given),
        "intercept": round(float(intercepts[1] - intercepts[0]), 4),
        "weights": (weights[1] - weights[0]).round(4).tolist(),
    }


def trained_on(given: list[Row]) -> str:
    """The hash of what is trained on."""
    return hashlib.sha256(
        "\n".join(sorted(f"{is_one}\t{noun}\t{said}" for is_one, noun, said in given)).encode()
    ).hexdigest()


def main() -> None:
    """Train the head; with --write, put it into the package."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true", help="put the head into the package")
    write = options.parse_args().write
    head = trained()
    if write:
        (WEIGHTS / f"{NAME}.json").write_text(json.dumps(head) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
