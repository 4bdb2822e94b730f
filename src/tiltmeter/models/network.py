"""A transformer asked for numbers at chosen places: batches of similar length, only the logits that are needed."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

# Logits are the largest thing in memory: a row of them for each place asked about. This many numbers at once.
_LOGITS_ON_CPU = 2**25
_LOGITS_ON_ACCELERATOR = 2**28
# Rows whose normaliser is computed together; bounds the copy that logsumexp makes.
_ROWS_AT_ONCE = 64

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One question: at place `place` of the sequence `row`, what has the model to say of the token `target`?"""

    row: Row
    place: int
    target: int


class Network:
    """The network of a checkpoint and how much of it to run at once.

    Wherever it can, it computes the head (the projection to the vocabulary, often a third of the work) only for
    the places asked about: the output of the base model is cut down to them on its way to the head. That it gives
    the same numbers is tried out on a small input first; a model where it does not is run in full.
    """

    def __init__(self, model: Any, device: str, batch_tokens: int, padding: int) -> None:
        self._model, self._device, self._batch_tokens, self._padding = model, device, batch_tokens, padding
        budget = _LOGITS_ON_CPU if device == "cpu" else _LOGITS_ON_ACCELERATOR
        head = model.get_output_embeddings()
        # A few heads hide their projection; the configuration's number is then near enough for a bound on memory.
        self._vocabulary = int(head.weight.shape[0] if head is not None else model.config.get_text_config().vocab_size)
        self._asks_at_once = max(1, budget // self._vocabulary)
        self._cut = False
        self._cut = self._cutting_is_exact()

    def answers(self, asks: Sequence[Ask], *, raw: bool = False) -> list[float]:
        """The log-probability of each target, or with `raw` its logit. Equal rows are computed once."""
        import torch

        by_row: dict[Row, list[int]] = {}
        for at, ask in enumerate(asks):
            by_row.setdefault(ask.row, []).append(at)
        values = [0.0] * len(asks)
        with torch.inference_mode():
            for rows in self._batches(by_row):
                order = [at for row in rows for at in by_row[row]]
                lines = [line for line, row in enumerate(rows) for _ in by_row[row]]
                places = [asks[at].place for at in order]
                targets = [asks[at].target for at in order]
                for start in range(0, len(order), self._asks_at_once):
                    chunk = slice(start, start + self._asks_at_once)
                    logits = self._logits(rows, lines[chunk], places[chunk])
                    results = _values(logits, targets[chunk], raw)
                    for at, value in zip(order[chunk], results, strict=True):
                        values[at] = value
        return values

    def looks_ahead(self) -> bool:
        """Whether what follows a place changes what the model says there; true of no model that is causal."""
        import torch

        size = min(self._vocabulary, 12)
        rows = [tuple(range(size)), (0, *reversed(range(1, size)))]
        with torch.inference_mode():
            one, other = self._logits(rows, [0, 1], [0, 0])
        return not torch.allclose(one, other, rtol=1e-3, atol=1e-3, equal_nan=True)

    def _batches(self, by_row: dict[Row, list[int]]) -> Iterator[list[Row]]:
        """Rows of similar length together. Ties keep the order of the question, so a plan fixes the batches."""
        batch: list[Row] = []
        asked = 0
        for row in sorted(by_row, key=len, reverse=True):
            longest = len(batch[0]) if batch else len(row)
            if batch and (
                (len(batch) + 1) * longest > self._batch_tokens
                or asked + len(by_row[row]) > self._asks_at_once
                or len(row) < longest * 0.75
            ):
                yield batch
                batch, asked = [], 0
            batch.append(row)
            asked += len(by_row[row])
        if batch:
            yield batch

    def _logits(self, rows: Sequence[Row], lines: Sequence[int], places: Sequence[int]) -> torch.Tensor:
        """The logits at `places[i]` of `rows[lines[i]]`, one line each."""
        import torch

        longest = max(map(len, rows))
        ids = torch.tensor([row + (self._padding,) * (longest - len(row)) for row in rows])
        inputs = {"input_ids": ids.to(self._device)}
        lengths = torch.tensor([len(row) for row in rows])
        if int(lengths.min()) < longest:
            # Without padding no mask is passed: attention is faster without one.
            inputs["attention_mask"] = (torch.arange(longest) < lengths[:, None]).long().to(self._device)
        chosen = torch.tensor(lines, device=self._device), torch.tensor(places, device=self._device)
        if not self._cut:
            full: torch.Tensor = self._model(**inputs).logits
            return full[chosen]

        def keep_chosen(module: Any, arguments: Any, output: Any) -> Any:
            output["last_hidden_state"] = output["last_hidden_state"][chosen].unsqueeze(0)
            return output

        hook = self._model.base_model.register_forward_hook(keep_chosen)
        try:
            logits: torch.Tensor = self._model(**inputs).logits[0]
        finally:
            hook.remove()
        return logits

    def _cutting_is_exact(self) -> bool:
        import torch

        size = min(self._vocabulary, 12)
        rows = [tuple(range(size)), tuple(reversed(range(size)))]
        lines, places = [0, 1, 1], [1, 0, size - 1]
        with torch.inference_mode():
            full = self._logits(rows, lines, places)
            self._cut = True
            try:
                cut = self._logits(rows, lines, places)
            except Exception as error:
                # Any architecture may object in its own way; then it is run in full.
                logging.getLogger(__name__).debug("the head cannot be cut: %s", error)
                return False
            finally:
                self._cut = False
        return cut.shape == full.shape and torch.allclose(cut, full, rtol=1e-3, atol=1e-4)


def _values(logits: torch.Tensor, targets: Sequence[int], raw: bool) -> list[float]:
    """The targets' logits, normalised unless `raw`, in float32 whatever the model computes in."""
    import torch

    wanted = logits.gather(1, torch.tensor(targets, device=logits.device)[:, None])[:, 0].float()
    if not raw:
        parts = [part.float().logsumexp(-1) for part in torch.split(logits, _ROWS_AT_ONCE)]
        wanted = wanted - torch.cat(parts)
    values: list[float] = wanted.tolist()
    return values
