"""A network of sentence vectors that was adapted to one question by small changes of our own."""

from __future__ import annotations

import base64
import hashlib
import json
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.raters.masking import MASK
from tiltmeter.raters.network import Network

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tiltmeter.raters.network import Array

_REMEMBERED = 20_000
"""Texts whose labels are remembered, so that toxicity and hate take one pass."""


class Adapted(Network):
    """Scores of labels, one row for each text.

    Matrices of its layers have a change of low rank added, `up @ down`. What is read is the mean of the last
    layer over all tokens, and its mean over the tokens of XYZ (over all of them again where there is none).
    """

    step, tokens_on_cpu = 8, 512
    # A small network on short texts: half again as fast as with larger steps and smaller tables.

    def __init__(self, folder: Path, name: str, weights: str) -> None:
        super().__init__(folder, name, "vectors")
        kept = files("tiltmeter.raters").joinpath("weights", f"{weights}.json").read_bytes()
        self._stored = json.loads(kept)
        self.sha256 = hashlib.sha256(kept).hexdigest()
        self.answers: list[str] = self._stored["labels"]
        self.trained_on: str = self._stored["trained_on_sha256"]
        for place, change in self._stored["changes"].items():
            module = self._model.get_submodule(place)
            module.weight.data += self._tensor(change["up"]) @ self._tensor(change["down"])
        self._head, self._intercepts = (self._tensor(self._stored[key]) for key in ("weights", "intercepts"))
        self._read: dict[str, list[float]] = {}
        self._mark: list[int] = self._tokenizer(MASK, add_special_tokens=False)["input_ids"]

    def _tensor(self, kept: dict[str, Any]) -> Any:
        import torch

        return torch.from_numpy(unpacked(kept).copy()).to(self._device)

    def shares(self, texts: list[str]) -> list[dict[str, float]]:
        """The probability of each label for each text; another rater that reads the same texts asks for them again."""
        import numpy as np

        new = [text for text in dict.fromkeys(texts) if text not in self._read]
        if new:
            shares = probabilities(self.rows(new).astype(np.float64))
            if len(self._read) + len(new) > _REMEMBERED:
                self._read = {text: self._read[text] for text in texts if text in self._read}
            self._read |= zip(new, shares.tolist(), strict=True)
        return [dict(zip(self.answers, self._read[text], strict=True)) for text in texts]

    def _run(self, batch: list[list[int]], length: int) -> Array:
        import torch

        ids, mask = self._table(batch, length)
        marks = torch.tensor([marked(row, self._mark, length) for row in batch], device=self._device)
        with torch.inference_mode():
            states = self._model(input_ids=ids, attention_mask=mask).last_hidden_state
            read = torch.cat([pooled(states, mask), pooled(states, torch.where(marks.any(1)[:, None], marks, mask))], 1)
            scores: Array = (read @ self._head.T + self._intercepts).cpu().numpy()
        return scores


def probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The probabilities of scores, row by row, to six digits."""
    import numpy as np

    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: NDArray[np.float64] = (powers / powers.sum(axis=1, keepdims=True)).round(6)
    return shares


def pooled(states: Any, chosen: Any) -> Any:
    """The mean of the states of the chosen tokens."""
    weights = chosen[..., None].to(states.dtype)
    return (states * weights).sum(1) / weights.sum(1).clamp(min=1)


def marked(ids: list[int], mark: list[int], length: int) -> list[int]:
    """1 at every token of every mention of the mark, up to a length.

    >>> marked([5, 7, 8, 2, 7, 8], [7, 8], 7)
    [0, 1, 1, 0, 1, 1, 0]
    """
    found = [0] * length
    for start in range(len(ids) - len(mark) + 1):
        if ids[start : start + len(mark)] == mark:
            found[start : start + len(mark)] = [1] * len(mark)
    return found


def packed(array: NDArray[np.float32]) -> dict[str, Any]:
    """Numbers as text, in half precision.

    >>> import numpy as np
    >>> packed(np.array([[1.0, 0.5]]))
    {'shape': [1, 2], 'half': 'ADwAOA=='}
    """
    return {"shape": list(array.shape), "half": base64.b64encode(array.astype("<f2").tobytes()).decode()}


def unpacked(kept: dict[str, Any]) -> NDArray[np.float32]:
    """Numbers that were packed.

    >>> unpacked({"shape": [1, 2], "half": "ADwAOA=="}).tolist()
    [[1.0, 0.5]]
    """
    import numpy as np

    return np.frombuffer(base64.b64decode(kept["half"]), dtype="<f2").astype(np.float32).reshape(kept["shape"])
