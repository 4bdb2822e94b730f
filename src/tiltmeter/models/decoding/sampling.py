"""One token drawn from a model's numbers, in a way that rounding seldom changes."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import UserError
from tiltmeter.records import Decoding

if TYPE_CHECKING:
    import torch

Logits: TypeAlias = NDArray[np.float32]


def check(decoding: Decoding, samples: int) -> None:
    """Refuse settings that mean nothing."""
    for wrong, problem in (
        (decoding.temperature < 0, f"temperature must be 0 (greedy) or more, not {decoding.temperature}"),
        (decoding.top_k < 0, f"top_k must be 0 (no cut) or more, not {decoding.top_k}"),
        (not 0 < decoding.top_p <= 1, f"top_p must be above 0 and at most 1 (no cut), not {decoding.top_p}"),
        (decoding.max_new_tokens < 1, f"max_new_tokens must be at least 1, not {decoding.max_new_tokens}"),
        (decoding.beams < 1, f"beams must be at least 1 (no beam search), not {decoding.beams}"),
        (decoding.beams > 1 and samples > 1, f"beam search gives one text for each prompt, not {samples} samples"),
        (samples < 1, f"samples must be at least 1, not {samples}"),
        ("" in decoding.stop, "an empty stop text would end every text at once"),
    ):
        if wrong:
            raise UserError(problem)


def stream(seed: int, prompt: str, sample: int) -> random.Random:
    """The random numbers of one text; they depend on nothing but these three.

    >>> stream(1, "He is", 0).random() == stream(1, "He is", 0).random()
    True
    >>> stream(1, "He is", 0).random() == stream(1, "He is", 1).random()
    False
    """
    digest = hashlib.sha256(f"{seed}\n{sample}\n{prompt}".encode("utf-8", "surrogatepass")).digest()
    return random.Random(int.from_bytes(digest, "big"))


def draw(logits: Logits, decoding: Decoding, uniform: float) -> int:
    """The token at which the running sum of probabilities, over token ids in ascending order, passes `uniform`.

    The order by id is the same whatever the rounding, where an order by probability is not: another batch, with its
    other rounding, then gives another token only where `uniform` falls within rounding of a border.

    >>> draw(np.log(np.array([0.2, 0.5, 0.3], dtype=np.float32)), Decoding(), 0.69)
    1
    """
    if decoding.temperature == 0:
        return int(logits.argmax())
    ids, probabilities = cut(logits, decoding)
    running = probabilities.cumsum()
    return int(ids[min(running.searchsorted(uniform * running[-1], side="right"), len(ids) - 1)])


def cut(logits: Logits, decoding: Decoding) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The tokens that top_k, then top_p leave, in ascending order of their ids, and their probabilities.

    top_p keeps the fewest most probable tokens whose sum reaches it.

    >>> ids, probabilities = cut(np.log(np.array([0.1, 0.5, 0.4], dtype=np.float32)), Decoding(top_k=2))
    >>> ids.tolist(), probabilities.round(3).tolist()
    ([1, 2], [0.556, 0.444])
    """
    ids = _all_ids(len(logits))
    kept_logits = logits
    if 0 < decoding.top_k < len(logits):
        lowest = np.partition(logits, -decoding.top_k)[-decoding.top_k]
        ids = np.flatnonzero(logits >= lowest)
        kept_logits = logits[ids]
    scores = kept_logits.astype(np.float64)
    scores /= decoding.temperature
    scores -= scores.max()
    probabilities = np.exp(scores, out=scores)
    probabilities /= probabilities.sum()
    if decoding.top_p < 1:
        falling = np.argsort(-probabilities, kind="stable")
        count = int(probabilities[falling].cumsum().searchsorted(decoding.top_p)) + 1
        kept = np.sort(falling[:count])
        ids, probabilities = ids[kept], probabilities[kept] / probabilities[kept].sum()
    return ids, probabilities


_AT_ONCE = 2**25
"""Numbers of double precision that are at hand at once where an accelerator draws."""


def draw_there(logits: torch.Tensor, decoding: Decoding, uniforms: torch.Tensor) -> torch.Tensor:
    """`draw` for each line, where the numbers are; nothing waits for the device."""
    import torch

    if decoding.temperature == 0:
        return logits.argmax(-1)
    lines = max(1, _AT_ONCE // logits.shape[1])
    drawn = []
    for some, numbers in zip(torch.split(logits, lines), torch.split(uniforms, lines), strict=True):
        running = _cut_there(some.float(), decoding).cumsum(-1)
        total = running[:, -1:].contiguous()
        found = torch.searchsorted(running, numbers[:, None] * total, right=True)
        # Rounding may carry the number up to the whole sum, behind which no token is left.
        drawn.append(torch.minimum(found, torch.searchsorted(running, total))[:, 0])
    return torch.cat(drawn)


def _cut_there(logits: torch.Tensor, decoding: Decoding) -> torch.Tensor:
    """`cut` for each line: the probabilities, and 0 where a token is not left."""
    if 0 < decoding.top_k < logits.shape[1]:
        lowest = logits.topk(decoding.top_k).values[:, -1:]
        logits = logits.masked_fill(logits < lowest, -np.inf)
    probabilities = (logits.double() / decoding.temperature).softmax(-1)
    if decoding.top_p < 1:
        falling, order = probabilities.sort(descending=True, stable=True)
        # A token stays where those before it do not reach the sum.
        before = falling.cumsum(-1).roll(1, -1)
        before[:, 0] = 0
        falling = falling.masked_fill(before >= decoding.top_p, 0)
        probabilities = probabilities.new_zeros(probabilities.shape).scatter(-1, order, falling)
    return probabilities


class Drawing:
    """A batch that is written on freely; the tokens are drawn in this process, one at a time."""

    stretch = 1
    _drawn: Any = None
    """The tokens that were drawn last: they are read when the next are drawn, so that the last of all never are."""

    @property
    def logits(self) -> Sequence[Logits]:
        """For each text, a number for each token that could come next."""
        raise NotImplementedError

    def append(self, tokens: Any) -> None:
        """Add a token to each text."""
        raise NotImplementedError

    def draw(self, decoding: Decoding, uniforms: NDArray[np.float64]) -> Callable[[], NDArray[np.int64]]:
        """In each text a token for each of its numbers between 0 and 1."""
        found = []
        for numbers in uniforms.T:
            self.read_drawn()
            lines = zip(self.logits, numbers.tolist(), strict=True)
            self._drawn = np.array([draw(line, decoding, number) for line, number in lines])
            found.append(self._drawn)
        drawn = np.stack(found, 1)
        return lambda: drawn

    def read_drawn(self) -> None:
        """Read the tokens that were drawn last."""
        if self._drawn is not None:
            self.append(self._drawn)

    def keep_drawn(self, lines: Any) -> None:
        """Go on with these texts."""
        if self._drawn is not None:
            self._drawn = self._drawn[lines]


@cache
def _all_ids(count: int) -> NDArray[np.int64]:
    return np.arange(count)
