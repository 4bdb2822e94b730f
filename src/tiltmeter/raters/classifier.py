"""Rater `hf`: a classifier of the user's own, from a folder or the Hugging Face hub, and what its classes mean."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tiltmeter.errors import ModelError, UserError
from tiltmeter.raters import class_map
from tiltmeter.raters.checkpoint_files import CheckpointFolder, find
from tiltmeter.raters.class_map import ClassMap, Head
from tiltmeter.raters.interface import rate_together
from tiltmeter.raters.network import Network
from tiltmeter.records import Rating

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_DIGEST = 12
"""Signs of a hash that stand in the name: that of the weights and of what is read beside them."""


class Classifier:
    """A sequence classifier of yours: the mean of the numbers of its classes, weighed by their probabilities.

    `argument`: `FOLDER[CLASS=NUMBER,…;worse=low]`, or the id of a checkpoint on the hub, with `@REVISION` after it.
    """

    name: str = class_map.NAME
    wants_mask: bool = False
    languages: ClassVar[None] = None
    """Whatever it was trained on: nobody here knows."""
    takes: ClassVar[str] = "FOLDER[CLASS=NUMBER,…;worse=low]"
    needs: ClassVar[bool] = True

    def __init__(self, argument: str) -> None:
        where, said = class_map.split(argument)
        given = f"{class_map.KIND}:{where}"
        meaning = _parsed(given, said)
        found = _checkpoint_folder(given, where)
        self._network = Network(found.folder, given, "classes")
        self._revision = found.revision
        self._labels = [self._network.labels[place] for place in sorted(self._network.labels)]
        self._head = _head(given, self._network, meaning, self._labels)
        self._meaning = meaning
        self._numbers = _numbers(given, meaning, self._labels, self._head)
        self.wants_mask = meaning.mask
        self.checkpoint = found.folder.resolve().name if not found.revision else where.partition("@")[0]
        digest = hashlib.sha256("".join(self._network.hashes.values()).encode()).hexdigest()[:_DIGEST]
        self.name = f"{class_map.NAME}:{self.checkpoint}@{digest}[{meaning}]"

    @staticmethod
    def check(argument: str) -> None:
        """Refuse an argument that does not say what the classes mean, without loading anything."""
        where, said = class_map.split(argument)
        _parsed(f"{class_map.KIND}:{where}", said)

    @property
    def facts(self) -> Mapping[str, str]:
        """Which weights, by their hash, and how what they give is read."""
        low, high = self._meaning.ends
        return {
            "checkpoint": self.checkpoint,
            **({"revision": self._revision} if self._revision else {}),
            **self._network.hashes,
            "head": self._head,
            "classes": str(self._meaning),
            "range": f"{low:g} to {high:g}",
            "reads": f"{self._network.limit} tokens",
            **{package: version(package) for package in ("torch", "transformers", "tokenizers")},
        }

    def rate(self, texts: Sequence[str]) -> list[Rating]:
        """One rating for each text; of one that is too long, of its beginning, and its caveat says so."""
        return rate_together(self.name, texts, self._rate_many)

    def _rate_many(self, texts: list[str]) -> list[Rating]:
        import numpy as np

        logits = self._network.rows(texts).astype(np.float64)
        return [self._read(row, self._network.is_cut(text)) for text, row in zip(texts, logits, strict=True)]

    def _read(self, logits: NDArray[np.float64], cut: bool) -> Rating:
        caveat = f"only the first {self._network.limit} tokens were read" if cut else None
        if self._head == "regression":
            return self._clipped(float(logits[0]), caveat)
        shares = dict(zip(self._labels, _shares(logits, self._head), strict=True))
        if self._head == "sigmoid":
            [(label, number)] = self._numbers.items()
            return Rating(self.name, round(shares[label] * (number or 0.0), 9), caveat=caveat)
        likeliest = max(shares, key=lambda label: shares[label])
        number = self._numbers[likeliest]
        if number is None:
            return Rating(self.name, None, f"its class, `{likeliest}`, has no number", label=likeliest)
        if not self._meaning.top:
            known = {label: value for label, value in self._numbers.items() if value is not None}
            weight = sum(shares[label] for label in known)
            number = sum(shares[label] * value for label, value in known.items()) / weight
        return Rating(self.name, round(number, 9), label=likeliest, caveat=caveat)

    def _clipped(self, value: float, caveat: str | None) -> Rating:
        low, high = self._meaning.ends
        inside = min(max(value, low), high)
        beyond = None if inside == value else f"the model's number was outside {low:g} to {high:g} and was clipped"
        return Rating(self.name, round(inside, 9), caveat="; ".join(filter(None, (caveat, beyond))) or None)


def _parsed(name: str, said: str) -> ClassMap:
    if not said:
        raise UserError(f"`{name}` does not say what its classes mean; append them: {name}{class_map.EXAMPLE}")
    try:
        return class_map.parse(said)
    except UserError as error:
        raise UserError(f"`{name}`: {error.problem}") from None


def _checkpoint_folder(name: str, where: str) -> CheckpointFolder:
    """A folder that is there; else a checkpoint of the hub, by its id and maybe a revision."""
    repository, _, revision = where.partition("@")
    if Path(where).expanduser().is_dir() or not _is_id(repository):
        return find(name, "a checkpoint of the hub", "", where)
    return find(name, repository, revision, "")


def _is_id(where: str) -> bool:
    """Whether this can be the id of a checkpoint: OWNER/NAME.

    >>> _is_id("org/tone"), _is_id("./tone"), _is_id("models/de/tone"), _is_id("/models/tone")
    (True, False, False, False)
    """
    owner, _, rest = where.partition("/")
    return bool(owner.strip(".~") and rest) and "/" not in rest


def _head(name: str, network: Network, meaning: ClassMap, labels: Sequence[str]) -> Head:
    """How the outputs relate: as the user says, or the configuration, or as many outputs usually do."""
    if meaning.head is not None:
        found: Head = meaning.head
    elif network.problem == "multi_label_classification":
        found = "sigmoid"
    elif network.problem == "regression" or (len(labels) == 1 and not meaning.classes):
        found = "regression"
    else:
        found = "sigmoid" if len(labels) == 1 else "softmax"
    if found == "regression" and (len(labels) != 1 or meaning.classes or meaning.range is None):
        raise ModelError(
            f"`{name}` gives {len(labels)} number{'s' * (len(labels) != 1)} and is read as a regression, which "
            f"has one number in a range and no classes; write {name}[;worse=low;range=0..1]"
        )
    if found == "softmax" and len(labels) < 2:
        raise ModelError(f"`{name}` has one output, which does not allow a softmax; write head=sigmoid or regression")
    return found


def _numbers(name: str, meaning: ClassMap, labels: Sequence[str], head: Head) -> dict[str, float | None]:
    """The number of each label; labels are told apart by their letters, small or not, where that is clear."""
    found: dict[str, float | None] = {}
    for given, number in meaning.classes:
        fitting = [given] if given in labels else [one for one in labels if one.casefold() == given.casefold()]
        if len(fitting) != 1:
            raise ModelError(f"`{name}` has no class `{given}`; its classes are {', '.join(labels)}")
        found[fitting[0]] = number
    lacking = [label for label in labels if label not in found]
    if head == "softmax" and lacking:
        raise ModelError(
            f"`{name}` has the classes {', '.join(labels)}, and {', '.join(lacking)} has no meaning yet: give "
            "each a number, or none"
        )
    if head == "sigmoid" and len(found) != 1:
        raise ModelError(
            f"the classes of `{name}` do not exclude one another: give one of {', '.join(labels)} a number, and "
            "use further raters for the others"
        )
    return found


def _shares(logits: NDArray[np.float64], head: Head) -> list[float]:
    import numpy as np

    if head == "sigmoid":
        shares: Any = 1 / (1 + np.exp(-logits))
    else:
        powers = np.exp(logits - logits.max())
        shares = powers / powers.sum()
    return [float(share) for share in shares]
