"""A transformer asked for numbers at chosen places: batches of similar length, only the logits that are needed."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

# Logits are the largest thing in memory: a row of them for each place asked about. This many numbers at once.
_LOGITS_ON_CPU = 2**25
_LOGITS_ON_ACCELERATOR = 2**28
# Rows whose normaliser is computed together; bounds the copy that logsumexp makes.
_ROWS_AT_ONCE = 64

TokenIds = tuple[int, ...]
_Key = tuple[TokenIds, tuple[int, ...]]
"""A sequence, and the places of it that nothing may attend to."""


@dataclass(frozen=True, slots=True)
class TokenQuery:
    """One question: at place `place` of the sequence `row`, what has the model to say of the token `target`?"""

    row: TokenIds
    place: int
    target: int


@dataclass(frozen=True, slots=True)
class PlaceQuery:
    """A place of a sequence and several tokens asked about there; nothing attends to the places `hidden`."""

    row: TokenIds
    place: int
    targets: tuple[int, ...]
    hidden: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class PlaceAnswer:
    """The log-probabilities of a look's targets, of the two most probable tokens, and of the tokens of a set
    together; 0 where no set was given.
    """

    logprobs: tuple[float, ...]
    highest: tuple[float, float]
    among: float = 0.0


class Network:
    """The network of a checkpoint and how much of it to run at once.

    Wherever it can, it computes the head (the projection to the vocabulary, often a third of the work) only for
    the places asked about: the output of the base model is cut down to them on its way to the head. That it gives
    the same numbers is tried out on a small input first; a model where it does not is run in full.
    """

    def __init__(self, model: Any, device: str, batch_tokens: int, padding: int) -> None:
        self.model, self.device, self.batch_tokens = model, device, batch_tokens
        self._padding = padding
        budget = _LOGITS_ON_CPU if device == "cpu" else _LOGITS_ON_ACCELERATOR
        head = model.get_output_embeddings()
        # A few heads hide their projection; the configuration's number is then near enough for a bound on memory.
        self.vocabulary = int(head.weight.shape[0] if head is not None else model.config.get_text_config().vocab_size)
        self._asks_at_once = max(1, budget // self.vocabulary)
        self._cut = False
        self._cut = self._cutting_is_exact()

    def answers(self, asks: Sequence[TokenQuery], *, raw: bool = False) -> list[float]:
        """The log-probability of each target, or with `raw` its logit. Equal rows are computed once."""
        import torch

        by_row: dict[_Key, list[int]] = {}
        for at, ask in enumerate(asks):
            by_row.setdefault((ask.row, ()), []).append(at)
        values = [0.0] * len(asks)
        with torch.inference_mode():
            for order, logits in self._computed(by_row, [ask.place for ask in asks]):
                results = _values(logits, [asks[at].target for at in order], raw)
                for at, value in zip(order, results, strict=True):
                    values[at] = value
        return values

    def answer_places(self, looks: Sequence[PlaceQuery], among: NDArray[np.bool_] | None = None) -> list[PlaceAnswer]:
        """What the model says at each place; `among` marks the tokens whose chance together is wanted."""
        import torch

        by_row: dict[_Key, list[int]] = {}
        for at, look in enumerate(looks):
            by_row.setdefault((look.row, look.hidden), []).append(at)
        chosen = None if among is None else torch.from_numpy(among).to(self.device)
        seen: dict[int, PlaceAnswer] = {}
        with torch.inference_mode():
            for order, logits in self._computed(by_row, [look.place for look in looks]):
                seen |= zip(order, _place_answers(logits, [looks[at].targets for at in order], chosen), strict=True)
        return [seen[at] for at in range(len(looks))]

    def best(self, look: PlaceQuery, count: int) -> list[int]:
        """The most probable tokens at a place, the first one first."""
        import torch

        with torch.inference_mode():
            [(_, logits)] = self._computed({(look.row, look.hidden): [0]}, [look.place])
            found: list[int] = logits[0].topk(min(count, logits.shape[1])).indices.tolist()
        return found

    def looks_ahead(self) -> bool:
        """Whether what follows a place changes what the model says there; true of no model that is causal."""
        import torch

        size = min(self.vocabulary, 12)
        rows = [tuple(range(size)), (0, *reversed(range(1, size)))]
        with torch.inference_mode():
            one, other = self.logits(rows, [0, 1], [0, 0])
        return not torch.allclose(one, other, rtol=1e-3, atol=1e-3, equal_nan=True)

    def logits(
        self,
        rows: Sequence[TokenIds],
        lines: Sequence[int],
        places: Sequence[int],
        hidden: Sequence[tuple[int, ...]] | None = None,
    ) -> torch.Tensor:
        """The logits at `places[i]` of `rows[lines[i]]`, one line each; `hidden[j]` are places of `rows[j]`."""
        import torch

        inputs = self._inputs(rows, hidden)
        chosen = torch.tensor(lines, device=self.device), torch.tensor(places, device=self.device)
        if not self._cut:
            full: torch.Tensor = self.model(**inputs).logits
            return full[chosen]

        def keep_chosen(module: Any, arguments: Any, output: Any) -> Any:
            output["last_hidden_state"] = output["last_hidden_state"][chosen].unsqueeze(0)
            return output

        hook = self.model.base_model.register_forward_hook(keep_chosen)
        try:
            logits: torch.Tensor = self.model(**inputs).logits[0]
        finally:
            hook.remove()
        return logits

    def _inputs(self, rows: Sequence[TokenIds], hidden: Sequence[tuple[int, ...]] | None) -> dict[str, torch.Tensor]:
        import torch

        longest = max(map(len, rows))
        ids = torch.tensor([row + (self._padding,) * (longest - len(row)) for row in rows])
        inputs = {"input_ids": ids.to(self.device)}
        lengths = torch.tensor([len(row) for row in rows])
        anything_hidden = hidden is not None and any(hidden)
        if int(lengths.min()) == longest and not anything_hidden:
            # Without padding no mask is passed: attention is faster without one.
            return inputs
        mask = (torch.arange(longest) < lengths[:, None]).long()
        if hidden is not None and anything_hidden:
            for line, places in enumerate(hidden):
                mask[line, list(places)] = 0
            if self._positions_from_zero:
                # Some networks count positions by the mask, and the words after a hidden one would move.
                inputs["position_ids"] = torch.arange(longest).expand(len(rows), -1).to(self.device)
        inputs["attention_mask"] = mask.to(self.device)
        return inputs

    @cached_property
    def _positions_from_zero(self) -> bool:
        """Whether positions can be given and count from zero; tried out, since families differ in both."""
        import torch

        if "position_ids" not in inspect.signature(self.model.forward).parameters:
            return False
        size = min(self.vocabulary, 12)
        ids = torch.arange(size, device=self.device)[None]
        with torch.inference_mode():
            plain = self.model(input_ids=ids).logits
            given = self.model(input_ids=ids, position_ids=torch.arange(size, device=self.device)[None]).logits
        return torch.allclose(plain, given, rtol=1e-3, atol=1e-4)

    def _computed(
        self, by_row: Mapping[_Key, list[int]], places: Sequence[int]
    ) -> Iterator[tuple[list[int], torch.Tensor]]:
        """Which questions, by number, and their logits, in chunks that fit into memory."""
        for keys in self._batches(by_row):
            order = [at for key in keys for at in by_row[key]]
            lines = [line for line, key in enumerate(keys) for _ in by_row[key]]
            rows, hidden = [row for row, _ in keys], [places for _, places in keys]
            for start in range(0, len(order), self._asks_at_once):
                chunk = slice(start, start + self._asks_at_once)
                yield order[chunk], self.logits(rows, lines[chunk], [places[at] for at in order[chunk]], hidden)

    def _batches(self, by_row: Mapping[_Key, list[int]]) -> Iterator[list[_Key]]:
        """Rows of similar length together. Ties keep the order of the question, so a plan fixes the batches."""
        batch: list[_Key] = []
        asked = 0
        for key in sorted(by_row, key=lambda key: len(key[0]), reverse=True):
            length = len(key[0])
            longest = len(batch[0][0]) if batch else length
            if batch and (
                (len(batch) + 1) * longest > self.batch_tokens
                or asked + len(by_row[key]) > self._asks_at_once
                or length < longest * 0.75
            ):
                yield batch
                batch, asked = [], 0
            batch.append(key)
            asked += len(by_row[key])
        if batch:
            yield batch

    def _cutting_is_exact(self) -> bool:
        import torch

        size = min(self.vocabulary, 12)
        rows = [tuple(range(size)), tuple(reversed(range(size)))]
        lines, places = [0, 1, 1], [1, 0, size - 1]
        with torch.inference_mode():
            full = self.logits(rows, lines, places)
            self._cut = True
            try:
                cut = self.logits(rows, lines, places)
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


def _place_answers(
    logits: torch.Tensor, targets: Sequence[tuple[int, ...]], among: torch.Tensor | None
) -> Iterator[PlaceAnswer]:
    """What is asked of each line of logits, normalised, in float32."""
    import torch

    for part, asked in zip(torch.split(logits, _ROWS_AT_ONCE), _chunks(targets, _ROWS_AT_ONCE), strict=True):
        numbers = part.float()
        total = numbers.logsumexp(-1)
        highest = (numbers.topk(2).values - total[:, None]).tolist()
        together = [0.0] * len(asked)
        if among is not None:
            together = (numbers[:, : len(among)][:, among].logsumexp(-1) - total).tolist()
        lines = torch.tensor([line for line, each in enumerate(asked) for _ in each], dtype=torch.long)
        tokens = torch.tensor([token for each in asked for token in each], dtype=torch.long)
        lines, tokens = lines.to(numbers.device), tokens.to(numbers.device)
        found = iter((numbers[lines, tokens] - total[lines]).tolist())
        for line, each in enumerate(asked):
            first, second = highest[line]
            yield PlaceAnswer(tuple(next(found) for _ in each), (first, second), together[line])


def _chunks(items: Sequence[tuple[int, ...]], size: int) -> list[Sequence[tuple[int, ...]]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
