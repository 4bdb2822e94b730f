"""Raters that are published checkpoints: the field's standard classifiers, through transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, ClassVar, Literal

from tiltmeter.errors import ModelError
from tiltmeter.raters import regard_labels
from tiltmeter.raters.checkpoint_files import find
from tiltmeter.raters.classifier import Classifier
from tiltmeter.raters.interface import ENGLISH, rate_together
from tiltmeter.raters.network import Network
from tiltmeter.records import Rating

Shares = Mapping[str, float]
"""The probability of each class, by its name in small letters."""


class Checkpoint:
    """A sequence classifier of transformers; what its classes mean is said by the classes below.

    With an argument (a folder, or `@REVISION`) the weights are not those that are pinned, and neither the name nor what
    is known of them is theirs: then it is the rater `hf`, with the same meaning of classes.
    """

    name: str
    wants_mask: bool = False
    languages: ClassVar[tuple[str, ...] | None] = ENGLISH
    takes: ClassVar[str] = "FOLDER"
    repository: ClassVar[str]
    revision: ClassVar[str] = ""
    classes: ClassVar[tuple[str, ...]]
    """The names, in small letters, that the checkpoint must have for its classes."""
    together: ClassVar[Literal["softmax", "sigmoid"]] = "softmax"
    """Whether the classes exclude one another."""
    meaning: ClassVar[str]
    """What the classes mean, in the words of the rater `hf`."""

    def __new__(cls, argument: str = "") -> Any:
        """Other weights than those that are pinned are another rater: one that reads its classes as this one does."""
        if not argument:
            return super().__new__(cls)
        where = f"{cls.repository}{argument}" if argument.startswith("@") else argument
        return Classifier(f"{where}[{cls.meaning}]")

    def __init__(self) -> None:
        found = find(type(self).name, self.repository, self.revision, "")
        self._network = Network(found.folder, type(self).name, "classes")
        self._commit = found.revision
        self._labels = [self._network.labels[place].lower() for place in sorted(self._network.labels)]
        lacking = sorted(set(self.classes) - set(self._labels))
        if lacking:
            raise ModelError(
                f"`{self.name}` has the classes {', '.join(self._labels)} and lacks {', '.join(lacking)}; "
                f"a checkpoint like {self.repository} is needed"
            )

    @property
    def facts(self) -> Mapping[str, str]:
        """The checkpoint, its commit and the hashes of its files."""
        return {
            "checkpoint": self.repository,
            "revision": self._commit,
            **self._network.hashes,
            **{package: version(package) for package in ("torch", "transformers", "tokenizers")},
        }

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text; texts of similar length are computed together."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        import numpy as np

        logits = self._network.rows(texts).astype(np.float64)
        if self.together == "sigmoid":
            shares = 1 / (1 + np.exp(-logits))
        else:
            powers = np.exp(logits - logits.max(axis=1, keepdims=True))
            shares = powers / powers.sum(axis=1, keepdims=True)
        return [self._read(dict(zip(self._labels, row, strict=True))) for row in shares.round(6).tolist()]

    def _read(self, shares: Shares) -> Rating:
        """What the probabilities of one text mean."""
        raise NotImplementedError


class Sst2(Checkpoint):
    """DistilBERT fine-tuned on film reviews (SST-2): P(positive) − P(negative), from −1 to 1."""

    name = "sentiment.distilbert-sst2.v1"
    repository = "distilbert/distilbert-base-uncased-finetuned-sst-2-english"
    # The commit that transformers itself pins for its default sentiment pipeline. Apache-2.0.
    revision = "714eb0fa89d2f80546fda750413ed43d93601a13"
    classes = ("negative", "positive")
    meaning = "negative=-1,positive=1;worse=low;axis=sentiment"

    def _read(self, shares: Shares) -> Rating:
        return Rating(self.name, round(shares["positive"] - shares["negative"], 6))


class DetoxifyOriginal(Checkpoint):
    """Detoxify's `original`: BERT trained on the comments of the Jigsaw challenge; P(toxic), from 0 to 1."""

    name = "toxicity.detoxify-original.v1"
    repository = "unitary/toxic-bert"
    # Where safetensors were added. Apache-2.0.
    revision = "4d6c22e74ba2fdd26bc4f7238f50766b045a0d94"
    classes = ("toxic", "severe_toxic", "obscene", "threat", "insult", "identity_hate")
    together = "sigmoid"
    meaning = "toxic=1;worse=high;axis=toxicity;head=sigmoid"

    def _read(self, shares: Shares) -> Rating:
        return Rating(self.name, shares["toxic"])


class RobertaHate(Checkpoint):
    """RoBERTa trained on four rounds of adversarial hate speech; P(hate), from 0 to 1."""

    name = "toxicity.roberta-hate.v1"
    repository = "facebook/roberta-hate-speech-dynabench-r4-target"
    # Where safetensors were added. The page states no licence.
    revision = "391c99ab8b3f65beb77746a2cf6ddf1ddf9817e6"
    classes = ("nothate", "hate")
    meaning = "nothate=0,hate=1;worse=high;axis=toxicity"

    def _read(self, shares: Shares) -> Rating:
        return Rating(self.name, shares["hate"])


class SashaRegard(Checkpoint):
    """The regard classifier that the field uses: negative −1, neutral 0, positive 1; other is unrated."""

    name = "regard.sasha-v3.v1"
    repository = "sasha/regardv3"
    # The main branch has pickles alone; this proposal adds the same weights as safetensors. CC BY 4.0.
    revision = "refs/pr/1"
    wants_mask = True
    classes = regard_labels.LABELS
    meaning = "negative=-1,neutral=0,positive=1,other=none;worse=low;axis=regard;value=top;mask=yes"

    def _read(self, shares: Shares) -> Rating:
        return regard_labels.rating(self.name, shares)
