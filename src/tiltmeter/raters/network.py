"""Networks that read whole texts, from a folder of safetensors: one row of numbers for each text."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.files import listing_sha256
from tiltmeter.products import quicken
from tiltmeter.quietly import quietly

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_WEIGHTS = "model.safetensors"
_INDEX = f"{_WEIGHTS}.index.json"
"""Which parts the weights are in, where they are in several."""
_SMALL = frozenset({".json", ".txt", ".model"})
"""The endings of files that are read beside the weights: configuration with the names of classes, and tokenizer."""
_AT_ENDS = 4
"""Tokens, at most, that a tokenizer puts before and behind a text."""
_TOKENS_ON_CPU = 256
_TOKENS_ON_ACCELERATOR = 4096
"""Tokens that are computed together. They always are so many, so that a few texts take as long as that."""


class Network:
    """A text encoder with its tokenizer.

    `gives` "classes": the logits of each class. "vectors": the mean of the last layer over the tokens, of length one.
    Texts of similar length are computed together, in tables of the same size however many there are: so a row depends
    on its text alone, to the last bit. Beyond the network's limit a text is cut off.
    """

    step: ClassVar[int] = 16
    """Texts are filled up to a multiple of so many tokens."""
    tokens_on_cpu: ClassVar[int] = _TOKENS_ON_CPU

    def __init__(self, folder: Path, name: str, gives: Literal["classes", "vectors"]) -> None:
        self._gives = gives
        self.name = name
        weights = _weights_sha256(folder, name)
        small = [file for file in folder.iterdir() if file.suffix in _SMALL and file.is_file()]
        self.hashes = {"weights_sha256": weights, "files_sha256": listing_sha256(folder, small)}
        """Of the weights, and of all that is read beside them."""
        try:
            import torch
            import transformers
        except ModuleNotFoundError as error:
            raise MissingExtra(f"ratings by {name}", "hf", str(error.name)) from None
        maker: Any = transformers.AutoModelForSequenceClassification if gives == "classes" else transformers.AutoModel
        source: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
        with quietly(), _one_sentence(name):
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(folder, **source)
            model, report = maker.from_pretrained(
                folder, use_safetensors=True, dtype=torch.float32, output_loading_info=True, **source
            )
        missing = sorted(key for key in report["missing_keys"] if not key.startswith("pooler."))
        if missing:
            # transformers would fill these with random numbers and go on.
            raise ModelError(f"{name} is not a complete classifier: its weights lack {missing[0]}")
        self._device = "cuda" if torch.cuda.is_available() else "cpu"
        self._at_once = self.tokens_on_cpu if self._device == "cpu" else _TOKENS_ON_ACCELERATOR
        if self._device == "cpu":
            quicken(model)
        self._model: Any = model.eval().to(self._device)
        self.problem: str | None = getattr(model.config, "problem_type", None)
        """What the configuration says of the head, where it does."""
        self._padding = _padding(model, self._tokenizer)
        self.labels: dict[int, str] = {int(place): str(label) for place, label in model.config.id2label.items()}
        self.limit = _limit(model, self._tokenizer)
        """How many tokens of a text are read."""

    def rows(self, texts: Sequence[str]) -> Array:
        """One row for each text, in the order given."""
        return self._rows(self._tokenizer(list(texts), truncation=True, max_length=self.limit)["input_ids"])

    def is_cut(self, text: str) -> bool:
        """Whether a text is longer than what is read of it."""
        # No token is shorter than a byte, and every text has a few of its own at its ends.
        if len(text.encode()) + _AT_ENDS <= self.limit:
            return False
        return len(self._tokenizer(text, truncation=False, verbose=False)["input_ids"]) > self.limit

    def _rows(self, coded: Sequence[list[int]]) -> Array:
        """One row for the tokens of each text."""
        import numpy as np

        rows: dict[int, Array] = {}
        for length, places in _by_length([len(ids) for ids in coded], self.limit, self.step).items():
            many = max(1, self._at_once // length)
            for start in range(0, len(places), many):
                batch = places[start : start + many]
                # What is missing in a table is filled up with its first row.
                filled = [coded[place] for place in batch + batch[:1] * (many - len(batch))]
                rows |= zip(batch, self._run(filled, length), strict=False)
        return np.stack([rows[place] for place in range(len(coded))])

    def _run(self, batch: list[list[int]], length: int) -> Array:
        """A row for each of a table's texts, which are filled up to a length."""
        import torch

        ids, mask = self._table(batch, length)
        with torch.inference_mode():
            output = self._model(input_ids=ids, attention_mask=mask)
            if self._gives == "classes":
                logits: Array = output.logits.cpu().numpy()
                return logits
            weights = mask[..., None].to(output.last_hidden_state.dtype)
            mean = (output.last_hidden_state * weights).sum(1) / weights.sum(1)
            vectors: Array = torch.nn.functional.normalize(mean, dim=1).cpu().numpy()
        return vectors

    def _table(self, batch: list[list[int]], length: int) -> tuple[Any, Any]:
        """The tokens of texts, and where there are any."""
        import torch

        ids = torch.tensor([row + [self._padding] * (length - len(row)) for row in batch], device=self._device)
        lengths = torch.tensor([len(row) for row in batch], device=self._device)
        return ids, (torch.arange(length, device=self._device) < lengths[:, None]).long()


def _by_length(lengths: Sequence[int], limit: int, step: int) -> dict[int, list[int]]:
    """Places of texts by the length that they are filled up to, which depends on the text and the limit alone.

    >>> _by_length([3, 17, 16, 40], 40, 16)
    {16: [0, 2], 32: [1], 40: [3]}
    """
    found: dict[int, list[int]] = {}
    for place, length in enumerate(lengths):
        found.setdefault(min(-(-max(length, 1) // step) * step, limit), []).append(place)
    return found


def _limit(model: Any, tokenizer: Any) -> int:
    """How many tokens the network reads; RoBERTa and its kin never use the places up to the padding index."""
    places = int(getattr(model.config, "max_position_embeddings", 512))
    if "roberta" in model.config.model_type:
        places -= int(model.config.pad_token_id or 0) + 1
    return min(places, int(tokenizer.model_max_length))


def _padding(model: Any, tokenizer: Any) -> int:
    """The token that fills up; a head that reads the last token finds it by this one, so the model must know it too."""
    known = (model.config.pad_token_id, tokenizer.pad_token_id, tokenizer.eos_token_id, 0)
    padding = next(int(one) for one in known if one is not None)
    model.config.pad_token_id = padding
    return padding


def _weights_sha256(folder: Path, name: str) -> str:
    """The SHA-256 of the weights; of several parts, that of the list of their hashes and names."""
    files = _weight_files(folder, name)
    digests = []
    for file in files:
        with file.open("rb") as stream:
            digests.append(hashlib.file_digest(stream, "sha256").hexdigest())
    listed = "".join(f"{digest}  {file.name}\n" for digest, file in zip(digests, files, strict=True))
    return digests[0] if len(digests) == 1 else hashlib.sha256(listed.encode()).hexdigest()


def _weight_files(folder: Path, name: str) -> list[Path]:
    if (folder / _WEIGHTS).is_file():
        return [folder / _WEIGHTS]
    if not (folder / _INDEX).is_file():
        raise ModelError(
            f"{name}: {folder} has no {_WEIGHTS}; other formats can run code when loaded: convert it on a machine "
            "you trust, with AutoModelForSequenceClassification….save_pretrained(folder), and give the folder"
        )
    try:
        parts = sorted(set(json.loads((folder / _INDEX).read_text(encoding="utf-8"))["weight_map"].values()))
        outside = [part for part in parts if Path(part).name != part]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        parts, outside = [], []
    lacking = [part for part in parts if not (folder / part).is_file()]
    if not parts or outside or lacking:
        problem = f"the part {(outside or lacking)[0]} is not in the folder" if parts else "it lists no parts"
        raise ModelError(f"{name}: {folder / _INDEX}: {problem}; download the weights again")
    return [folder / part for part in parts]


@contextmanager
def _one_sentence(name: str) -> Iterator[None]:
    """Whatever goes wrong inside the libraries becomes one sentence of ours."""
    try:
        yield
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        raise ModelError(f"{name} cannot be loaded by transformers {version('transformers')}: {reason}") from error
