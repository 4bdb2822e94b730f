"""A transformer asked for numbers at chosen places: batches of similar length, only the logits that are needed."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

# Logits are the largest thing in memory: a row of them for each place asked about. This many numbers at once.
_LOGITS_ON_CPU = 2**25
_LOGITS_ON_ACCELERATOR = 2**29
_SHARE_OF_MEMORY = 32
"""Of an accelerator's free memory, one part in so many may be the logits in float32: there are a few copies of them."""
_TOKENS_ON_CPU = 2048
_TOKENS_ON_ACCELERATOR = 32768
"""Tokens that are computed together unless told: fewer, and an accelerator waits for this process."""
_ROWS_ON_CPU = 16
"""Rows that are normalised together on a CPU, where they are to stay in its cache."""
_SHORTEST = 0.75
"""Rows shorter than this share of the longest of a batch go into the next one, so that little is padding."""

_AT_ONCE = 4096
"""Questions that a device is asked before the answers to those before them are read."""

Question = TypeVar("Question")
Answer = TypeVar("Answer")
TokenIds = tuple[int, ...]
Numbers = NDArray[np.int64]


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


@dataclass(frozen=True, slots=True)
class _Rows:
    """Sequences one after another in one array, the longest first."""

    tokens: Numbers
    lengths: Numbers
    starts: Numbers
    numbers: Numbers
    """Of each, its place in what was given."""
    hidden: Sequence[tuple[int, ...]] | None

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], hidden: Sequence[tuple[int, ...]] | None = None) -> _Rows:
        given = np.fromiter(map(len, rows), np.int64, len(rows))
        # Ties keep the order of the question, so that a plan fixes the batches.
        order = np.argsort(-given, kind="stable")
        lengths = given[order]
        tokens = np.fromiter(chain.from_iterable(rows[at] for at in order), np.int64, int(lengths.sum()))
        shown = None if hidden is None or not any(hidden) else [hidden[at] for at in order]
        return cls(tokens, lengths, np.concatenate([[0], lengths.cumsum()]), order, shown)

    def table(self, first: int, last: int, padding: int) -> tuple[Numbers, NDArray[np.bool_]]:
        """Some of the sequences, filled up to the length of the longest; and where there are tokens."""
        lengths = self.lengths[first:last]
        there = np.arange(lengths[0]) < lengths[:, None]
        table = np.full(there.shape, padding, np.int64)
        table[there] = self.tokens[self.starts[first] : self.starts[last]]
        return table, there


@dataclass(frozen=True, slots=True)
class Asked:
    """Numbers that the device is working out: some for each of the rows that were given."""

    values: Callable[[], NDArray[np.float32]]
    """Waits for them."""
    numbers: Numbers
    """The rows whose values follow one another, and where those of each begin and end."""
    starts: Numbers
    ends: Numbers

    def by_row(self) -> list[list[float]]:
        """The values of each row, once they are there."""
        values = self.values().tolist()
        found: list[list[float]] = [[]] * len(self.numbers)
        for number, start, end in zip(self.numbers.tolist(), self.starts.tolist(), self.ends.tolist(), strict=True):
            found[number] = values[start:end]
        return found


class Network:
    """The network of a checkpoint and how much of it to run at once.

    Wherever it can, it runs the body (all but the projection to the vocabulary) and the head apart: the head, often a
    third of the work, is then computed only for the places asked about, and in pieces of its own. A causal model needs
    no mask over what fills up short rows, since no token looks at what follows it. That both give the same numbers is
    tried out on a small input first; a model where they do not is run in full.
    """

    def __init__(
        self, model: Any, device: str, batch_tokens: int | None, padding: int, *, causal: bool = False
    ) -> None:
        self.model, self.device = model, device
        on_cpu = device == "cpu"
        self.batch_tokens = batch_tokens or (_TOKENS_ON_CPU if on_cpu else _TOKENS_ON_ACCELERATOR)
        self._padding = padding
        head = model.get_output_embeddings()
        # A few heads hide their projection; the configuration's number is then near enough for a bound on memory.
        self.vocabulary = int(head.weight.shape[0] if head is not None else model.config.get_text_config().vocab_size)
        self._logits_at_once = max(1, (_LOGITS_ON_CPU if on_cpu else _logits_that_fit(device)) // self.vocabulary)
        self._rows_at_once = _ROWS_ON_CPU if on_cpu else self._logits_at_once
        self._unmasked = self._apart = self._unchecked = False
        self._kind: Any = None
        """The record in which the body answers."""
        self._unmasked = causal and self._padding_changes_nothing()
        self._unchecked = causal and self._can("_unchecked")
        self._apart = self._can("_apart")

    def token_logprobs(self, rows: Sequence[TokenIds], first: int) -> Asked:
        """Ask for the log-probability of each token of each row, from place `first` on, given those before it."""
        kept = _Rows.of(rows)
        asked = np.maximum(kept.lengths - first, 0)
        lines = np.repeat(np.arange(len(asked)), asked)
        ends = asked.cumsum()
        places = np.arange(len(lines)) - np.repeat(ends - asked, asked) + first
        targets = kept.tokens[kept.starts[lines] + places]
        values = sent(self._target_values(kept, lines, places - 1, targets))
        return Asked(values, kept.numbers, ends - asked, ends)

    def answers(self, asks: Sequence[TokenQuery], *, raw: bool = False) -> list[float]:
        """The log-probability of each target, or with `raw` its logit. Equal rows are computed once."""
        kept, lines = _distinct([(ask.row, ()) for ask in asks])
        order = np.argsort(lines, kind="stable")
        places = np.array([ask.place for ask in asks], np.int64)
        targets = np.array([ask.target for ask in asks], np.int64)
        values = np.empty(len(asks), np.float32)
        values[order] = sent(self._target_values(kept, lines[order], places[order], targets[order], raw=raw))()
        found: list[float] = values.tolist()
        return found

    def ask_places(
        self, looks: Sequence[PlaceQuery], among: NDArray[np.bool_] | None = None
    ) -> Callable[[], list[PlaceAnswer]]:
        """Ask what the model says at each place; `among` marks the tokens whose probability together is wanted. What is
        returned waits for the answers.
        """
        import torch

        kept, lines = _distinct([(look.row, look.hidden) for look in looks])
        order = np.argsort(lines, kind="stable")
        places = np.array([look.place for look in looks], np.int64)[order]
        asked = [looks[at].targets for at in order]
        counts = np.fromiter(map(len, asked), np.int64, len(asked))
        targets = np.fromiter(chain.from_iterable(asked), np.int64, int(counts.sum()))
        ends = np.concatenate([[0], counts.cumsum()])
        chosen = None if among is None else self._given(np.flatnonzero(among))
        highest, together, logprobs = [], [], []
        with torch.inference_mode():
            for start, said in self._said(kept, lines[order], places):
                highest.append(said.topk(2).values)
                together.append(said.new_zeros(len(said)) if chosen is None else said[:, chosen].logsumexp(-1))
                stop = start + len(said)
                rows = self._given(np.repeat(np.arange(len(said)), counts[start:stop]))
                tokens = self._given(targets[ends[start] : ends[stop]])
                logprobs.append(said[rows, tokens])
        readers = [sent(parts) for parts in (highest, together, logprobs)]

        def read() -> list[PlaceAnswer]:
            top, sums, values = (reader().tolist() for reader in readers)
            found: list[PlaceAnswer] = [PlaceAnswer((), (0.0, 0.0))] * len(looks)
            for line, (at, start, end) in enumerate(
                zip(order.tolist(), ends.tolist(), ends[1:].tolist(), strict=False)
            ):
                found[at] = PlaceAnswer(tuple(values[start:end]), (top[line][0], top[line][1]), sums[line])
            return found

        return read

    def best(self, look: PlaceQuery, count: int) -> list[int]:
        """The most probable tokens at a place, the first one first."""
        import torch

        with torch.inference_mode():
            logits = self.logits([look.row], [0], [look.place], [look.hidden])
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

        kept = _Rows.of(rows, hidden)
        ranks = np.empty_like(kept.numbers)
        ranks[kept.numbers] = np.arange(len(rows))
        inputs, width = self._inputs(kept, 0, len(rows))
        at = self._given(ranks[list(lines)] * width + np.array(places))
        states = self._states(inputs, at)
        return torch.cat([self._projected(part) for part in torch.split(states, self._logits_at_once)])

    def _target_values(
        self, kept: _Rows, lines: Numbers, places: Numbers, targets: Numbers, *, raw: bool = False
    ) -> list[torch.Tensor]:
        """What the model says of one token at each place; the lines are in ascending order.

        Nothing waits for the device.
        """
        import torch

        found = []
        with torch.inference_mode():
            for start, said in self._said(kept, lines, places, raw=raw):
                wanted = self._given(targets[start : start + len(said)])
                found.append(said.gather(1, wanted[:, None])[:, 0])
        return found

    def _said(
        self, kept: _Rows, lines: Numbers, places: Numbers, *, raw: bool = False
    ) -> Iterator[tuple[int, torch.Tensor]]:
        """The logarithms of all probabilities at each place, or with `raw` the logits, in float32 whatever the model
        computes in: the number of the first place of a chunk, and a line for each.
        """
        import torch

        for start, logits in self._logits(kept, lines, places):
            for begin in range(0, len(logits), self._rows_at_once):
                some = logits[begin : begin + self._rows_at_once]
                yield start + begin, some.float() if raw else torch.log_softmax(some, -1, dtype=torch.float32)

    def _logits(self, kept: _Rows, lines: Numbers, places: Numbers) -> Iterator[tuple[int, torch.Tensor]]:
        """The logits at each place, in chunks that fit into memory: the number of the first, and a line for each.

        The lines are in ascending order, so that the places of a batch stand together.
        """
        first = 0
        while first < len(kept.lengths):
            last = self._end_of_batch(kept.lengths, first)
            start, stop = np.searchsorted(lines, (first, last)).tolist()
            inputs, width = self._inputs(kept, first, last)
            at = (lines[start:stop] - first) * width + places[start:stop]
            if self._apart:
                states = self._states(inputs, self._given(at))
                for begin in range(0, len(at), self._logits_at_once):
                    yield start + begin, self._projected(states[begin : begin + self._logits_at_once])
            else:
                for begin in range(0, len(at), self._logits_at_once):
                    yield start + begin, self._states(inputs, self._given(at[begin : begin + self._logits_at_once]))
            first = last

    def _end_of_batch(self, lengths: Numbers, first: int) -> int:
        """Where the batch ends that begins with a row: they fall in length, and are bounded with what fills them up."""
        longest = int(lengths[first])
        tokens = self.batch_tokens if self._apart else min(self.batch_tokens, self._logits_at_once)
        most = first + max(1, tokens // longest)
        short = int(np.searchsorted(-lengths, -longest * _SHORTEST, side="right"))
        return min(most, short, len(lengths))

    def _inputs(self, kept: _Rows, first: int, last: int) -> tuple[dict[str, torch.Tensor], int]:
        """What the body is given for some rows, and how long they are now."""
        ids, there = kept.table(first, last, self._padding)
        inputs = {"input_ids": self._given(ids)}
        hidden = [] if kept.hidden is None else kept.hidden[first:last]
        # Without padding, or where nothing looks at it, no mask is passed: attention is faster without one.
        if any(hidden) or not (self._unmasked or there.all()):
            for line, places in enumerate(hidden):
                there[line, list(places)] = False
            if any(hidden) and self._positions_from_zero:
                # Some networks count positions by the mask, and the words after a hidden one would move.
                inputs["position_ids"] = self._given(np.broadcast_to(np.arange(ids.shape[1]), ids.shape).copy())
            inputs["attention_mask"] = self._given(there.astype(np.int64))
        return inputs, ids.shape[1]

    def _given(self, numbers: Numbers) -> torch.Tensor:
        return given(numbers, self.device)

    def _states(self, inputs: dict[str, torch.Tensor], at: torch.Tensor) -> torch.Tensor:
        """What the body says at places of a batch, which are counted through all its rows; in full, the logits."""
        # Without a mask and a cache, transformers looks whether rows are several texts, and waits for the device.
        options = {"past_key_values": _forgetful()} if self._unchecked and "attention_mask" not in inputs else {}
        if self._apart:
            said = self.model.base_model(**inputs, **options)
            self._kind, output = type(said), said.last_hidden_state
        else:
            output = self.model(**inputs, **options).logits
        states: torch.Tensor = output.reshape(-1, output.shape[-1])[at]
        return states

    def _projected(self, states: torch.Tensor) -> torch.Tensor:
        """The logits of states, by the model itself with its body left out: some scale or cap what the head gives."""
        import torch

        if not self._apart:
            return states
        ids = torch.zeros((1, len(states)), dtype=torch.long, device=states.device)
        with self._saying(states[None]):
            logits: torch.Tensor = self.model(input_ids=ids).logits[0]
        return logits

    @contextmanager
    def _saying(self, states: torch.Tensor) -> Iterator[None]:
        """The body says these states, whatever it is asked."""
        body, said = self.model.base_model, self._kind(last_hidden_state=states)
        before = vars(body).get("forward")
        body.forward = lambda *_, **__: said
        try:
            yield
        finally:
            del body.forward
            if before is not None:
                body.forward = before

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

    def _padding_changes_nothing(self) -> bool:
        """Whether a short row beside a long one, without a mask, gives the numbers that it gives alone."""
        import torch

        size = min(self.vocabulary, 12)
        long, short = tuple(range(size)), tuple(reversed(range(size // 2)))
        with torch.inference_mode():
            alone = self.logits([short], [0], [len(short) - 1])
            self._unmasked = True
            beside = self.logits([long, short], [1], [len(short) - 1])
            self._unmasked = False
        return _same(alone, beside)

    def _can(self, way: Literal["_unchecked", "_apart"]) -> bool:
        """Whether computing it in this way gives the same numbers."""
        import torch

        size = min(self.vocabulary, 12)
        rows = [tuple(range(size)), tuple(reversed(range(size)))]
        lines, places = [0, 1, 1], [1, 0, size - 1]
        with torch.inference_mode():
            usual = self.logits(rows, lines, places)
            setattr(self, way, True)
            try:
                found = self.logits(rows, lines, places)
            except Exception as error:
                # Any architecture may object in its own way; then it is run as usual.
                logging.getLogger(__name__).debug("the network cannot be run %s: %s", way, error)
                return False
            finally:
                setattr(self, way, False)
        return found.shape == usual.shape and _same(found, usual)


@cache
def _forgetful() -> Any:
    """What stands for a cache of keys and values and keeps none."""
    from transformers import DynamicCache

    class Forgetful(DynamicCache):
        def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            return key_states, value_states

    return Forgetful()


def _same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether logits are equal but for rounding; that of the half formats is as large as a hundredth of their range."""
    import torch

    share = 1e-3 if one.dtype == torch.float32 else 0.02
    return bool((one - other).abs().max() <= share * (other.max() - other.min()))


def _distinct(keys: Sequence[tuple[TokenIds, tuple[int, ...]]]) -> tuple[_Rows, Numbers]:
    """Each row with its hidden places once, the longest first, and the number of each question's row among them."""
    numbers: dict[tuple[TokenIds, tuple[int, ...]], int] = {}
    asked = np.fromiter((numbers.setdefault(key, len(numbers)) for key in keys), np.int64, len(keys))
    kept = _Rows.of([row for row, _ in numbers], [hidden for _, hidden in numbers])
    ranks = np.empty_like(kept.numbers)
    ranks[kept.numbers] = np.arange(len(numbers))
    return kept, ranks[asked]


def in_turns(
    asked: Sequence[Question], ask: Callable[[Sequence[Question]], Callable[[], dict[Question, Answer]]]
) -> dict[Question, Answer]:
    """The answers to questions that differ: the device is at some while the answers to those before them are read."""
    answers: dict[Question, Answer] = {}
    before: Callable[[], dict[Question, Answer]] = dict
    for at in range(0, len(asked), _AT_ONCE):
        reading = ask(asked[at : at + _AT_ONCE])
        answers |= before()
        before = reading
    return answers | before()


def given(numbers: NDArray[Any], device: str) -> torch.Tensor:
    """Numbers on the device; they travel while this process goes on."""
    import torch

    here = torch.from_numpy(numbers)
    # From memory that may be moved, a copy would wait until the device has done everything before it.
    return here.pin_memory().to(device, non_blocking=True) if device[:4] == "cuda" else here.to(device)


def sent(parts: Sequence[torch.Tensor]) -> Callable[[], NDArray[Any]]:
    """Send numbers home from the device, before whatever it is asked next; what is returned waits for them."""
    import torch

    if not parts:
        return lambda: np.empty(0, np.float32)
    there = torch.cat(list(parts))
    if there.device.type != "cuda":
        return lambda: there.cpu().numpy()
    here = there.to("cpu", non_blocking=True)
    arrived = torch.Event("cuda")
    arrived.record(torch.cuda.current_stream(there.device))

    def waited() -> NDArray[np.float32]:
        arrived.synchronize()
        found: NDArray[Any] = here.numpy()
        return found

    return waited


def _logits_that_fit(device: str) -> int:
    import torch

    if not device.startswith("cuda"):
        return _LOGITS_ON_ACCELERATOR // 2
    free, _ = torch.cuda.mem_get_info(device)
    return min(_LOGITS_ON_ACCELERATOR, free // (4 * _SHARE_OF_MEMORY))
