"""Networks that read whole texts, from a folder of safetensors: one row of numbers for each text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.quietly import quietly

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_WEIGHTS = "model.safetensors"
_BATCH_TOKENS = 4096


class Network:
    """A text encoder with its tokenizer.

    `gives` "classes": the logits of each class. "vectors": the mean of the last layer over the tokens, of length one.
    Texts of similar length are computed together; beyond the network's limit a text is cut off.
    """

    def __init__(self, folder: Path, name: str, gives: Literal["classes", "vectors"]) -> None:
        self._gives = gives
        self.name = name
        self.weights_sha256 = _weights_sha256(folder, name)
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
        self._model: Any = model.eval().to(self._device)
        self.labels: dict[int, str] = {int(place): str(label) for place, label in model.config.id2label.items()}
        self._limit = _limit(model, self._tokenizer)

    def rows(self, texts: Sequence[str]) -> Array:
        """One row for each text, in the order given."""
        import numpy as np

        coded = self._tokenizer(list(texts), truncation=True, max_length=self._limit)["input_ids"]
        rows: dict[int, Array] = {}
        for batch in _batches([len(ids) for ids in coded]):
            computed = self._run([coded[place] for place in batch])
            rows |= dict(zip(batch, computed, strict=True))
        return np.stack([rows[place] for place in range(len(coded))])

    def _run(self, batch: list[list[int]]) -> Array:
        import torch

        longest = max(map(len, batch))
        padding = self._tokenizer.pad_token_id or 0
        ids = torch.tensor([row + [padding] * (longest - len(row)) for row in batch], device=self._device)
        lengths = torch.tensor([len(row) for row in batch], device=self._device)
        mask = (torch.arange(longest, device=self._device) < lengths[:, None]).long()
        with torch.inference_mode():
            output = self._model(input_ids=ids, attention_mask=mask)
            if self._gives == "classes":
                logits: Array = output.logits.cpu().numpy()
                return logits
            weights = mask[..., None].to(output.last_hidden_state.dtype)
            mean = (output.last_hidden_state * weights).sum(1) / weights.sum(1)
            vectors: Array = torch.nn.functional.normalize(mean, dim=1).cpu().numpy()
        return vectors


def _batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places of texts of similar length, longest first; which are together depends on the texts alone."""
    batch: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: -lengths[place]):
        longest = lengths[batch[0]] if batch else lengths[place]
        if batch and ((len(batch) + 1) * longest > _BATCH_TOKENS or lengths[place] < 0.75 * longest):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _limit(model: Any, tokenizer: Any) -> int:
    """How many tokens the network reads; RoBERTa and its kin never use the places up to the padding index."""
    places = int(getattr(model.config, "max_position_embeddings", 512))
    if "roberta" in model.config.model_type:
        places -= int(model.config.pad_token_id or 0) + 1
    return min(places, int(tokenizer.model_max_length))


def _weights_sha256(folder: Path, name: str) -> str:
    file = folder / _WEIGHTS
    if not file.is_file():
        raise ModelError(
            f"{name}: {folder} has no {_WEIGHTS}; other formats can run code when they are read: convert it where you "
            "trust it, with AutoModelForSequenceClassification….save_pretrained(folder), and give the folder"
        )
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


@contextmanager
def _one_sentence(name: str) -> Iterator[None]:
    """Whatever goes wrong inside the libraries becomes one sentence of ours."""
    try:
        yield
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        raise ModelError(f"{name} cannot be loaded by transformers {version('transformers')}: {reason}") from error
