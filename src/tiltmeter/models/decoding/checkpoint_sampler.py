"""Writing with a checkpoint of transformers: a cache of what was read, and a mask over what was dropped."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import ModelError
from tiltmeter.models.decoding.chat import ChatFrame
from tiltmeter.models.decoding.interface import Step, TokenIds, Unwritable
from tiltmeter.models.decoding.sampling import Drawing, Logits, draw_there
from tiltmeter.models.encoding import Encoder
from tiltmeter.models.network import given, sent
from tiltmeter.records import Decoding

if TYPE_CHECKING:
    import torch

# While a text is written each row adds one token at a time, so a batch may hold more than what is computed at once.
_BATCH_FACTOR = 4
_SHARE_OF_MEMORY = 4
"""Of an accelerator's memory, one part in so many may be the cache of a batch."""
_ROOM = 32
"""Tokens of room that a cache has when it has grown."""
_STRETCHES = {"cpu": 1}
_STRETCH = 8
"""Tokens that an accelerator writes in each text before this process looks at them: texts may have ended before."""
# As much of a prompt's end as is needed to see how the first token written is joined to it.
_TAIL = 4
# Any word of one token will do.
_WORD = "a"


class CheckpointBatch(Drawing):
    """Rows of a key-value cache.

    The common beginning of the prompts is read once, and so is each distinct prompt. Rows are made equally long by
    places that the mask hides; a token that is taken back is hidden too, so nothing is ever moved in the cache.
    """

    def __init__(self, model: Any, device: str, padding: int, rows: Sequence[TokenIds], *, waits: bool = False) -> None:
        import torch
        from transformers import Cache

        self._model, self._device, self._waits = model, device, waits
        self.stretch = _STRETCHES.get(device, _STRETCH)
        accepted = inspect.signature(model.forward).parameters
        self._positioned, self._last_only = "position_ids" in accepted, "logits_to_keep" in accepted
        self._cache: Any = Cache(layer_class_to_replicate=_roomy_layer())
        self._hides = False
        self._said: torch.Tensor
        distinct = list(dict.fromkeys(rows))
        shared = _shared_length(distinct)
        if shared:
            beginning = torch.tensor([distinct[0][:shared]], device=device)
            self._read(beginning, torch.ones_like(beginning), torch.arange(shared, device=device)[None])
            self._cache.batch_repeat_interleave(len(distinct))
        longest = max(map(len, distinct)) - shared
        hidden = [longest + shared - len(row) for row in distinct]
        ids = torch.tensor([(padding,) * gap + row[shared:] for gap, row in zip(hidden, distinct, strict=True)])
        seen = (torch.arange(longest) >= torch.tensor(hidden)[:, None]).long()
        mask = torch.cat([torch.ones(len(distinct), shared, dtype=torch.long), seen], 1).to(device)
        self._hides = any(hidden)
        self._read(ids.to(device), mask, shared + (seen.cumsum(1) - 1).clamp(min=0).to(device))
        numbers = {row: number for number, row in enumerate(distinct)}
        copies = given(np.array([numbers[row] for row in rows]), device)
        self._cache.batch_select_indices(copies)
        self._mask, self._said = mask[copies], self._said[copies]
        self._places: list[list[int]] = [[] for _ in rows]

    @property
    def logits(self) -> Sequence[Logits]:
        """The numbers after the last token of each row."""
        return list(self._said.float().cpu().numpy())

    @property
    def bytes_per_token(self) -> float:
        """What the cache takes for each token of each row."""
        states = [one for layer in self._cache.layers for one in (layer.keys, layer.values)]
        return sum(int(one.numel() * one.element_size()) for one in states) / self._mask.numel()

    def keep(self, lines: Sequence[int]) -> None:
        """Go on with these rows of the cache."""
        kept = given(np.array(lines), self._device)
        self._cache.batch_select_indices(kept)
        self._mask = self._mask[kept]
        self._places = [[*self._places[line]] for line in lines]
        self.keep_drawn(lines if self.stretch == 1 else kept)

    def advance(self, steps: Sequence[Step | None]) -> None:
        """Make a step in each row; rows without one leave."""
        staying = [(at, step) for at, step in enumerate(steps) if step is not None]
        if len(staying) < len(steps):
            self.keep([at for at, _ in staying])
        for line, (_, step) in enumerate(staying):
            if taken_back := self._places[line][step.keep :]:
                self._mask[line, taken_back], self._hides = 0, True
                del self._places[line][step.keep :]
        self.append(np.array([step.token for _, step in staying]))

    def append(self, tokens: Any) -> None:
        """Read a token in each row."""
        import torch

        ids = given(tokens, self._device) if isinstance(tokens, np.ndarray) else tokens
        for places in self._places:
            places.append(self._mask.shape[1])
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(self._mask), 1)], 1)
        # A mask of two dimensions makes transformers look whether it hides anything, and wait for the device.
        mask = self._mask if self._waits else self._mask[:, None, None].bool()
        self._read(ids[:, None], mask, self._mask.sum(1, keepdim=True) - 1)

    def draw(self, decoding: Decoding, uniforms: NDArray[np.float64]) -> Callable[[], NDArray[np.int64]]:
        """In each row a token for each of its numbers; where these are several, they are drawn on the device."""
        import torch

        if self.stretch == 1:
            return super().draw(decoding, uniforms)
        found = []
        for numbers in given(np.ascontiguousarray(uniforms.T), self._device):
            self.read_drawn()
            with torch.inference_mode():
                self._drawn = draw_there(self._said, decoding, numbers)
            found.append(self._drawn[:, None])
        return sent([torch.cat(found, 1)])

    def _read(self, ids: torch.Tensor, mask: torch.Tensor, positions: torch.Tensor) -> None:
        """Add tokens to each row of the cache, and keep the numbers after the last of them."""
        import torch

        options: dict[str, Any] = {}
        if self._positioned:
            options["position_ids"] = positions
        if self._last_only:
            options["logits_to_keep"] = 1
        if self._hides:
            # Attention is faster without a mask, and most batches begin without one.
            options["attention_mask"] = mask
        with torch.inference_mode():
            output = self._model(ids, past_key_values=self._cache, use_cache=True, **options)
            self._said = output.logits[:, -1]


@cache
def _roomy_layer() -> type[Any]:
    """The keys and values of a layer, with room behind them, so that the next tokens do not have all of them copied."""
    from transformers.cache_utils import DynamicLayer

    class RoomyLayer(DynamicLayer):  # type: ignore[no-untyped-call]
        wide: tuple[torch.Tensor, ...] = ()

        def update(self, key_states: Any, value_states: Any, *_: Any, **__: Any) -> tuple[Any, Any]:
            if not self.is_initialized:
                self.lazy_initialization(key_states, value_states)
            length = self.get_seq_length()
            end = length + key_states.shape[-2]
            new = (key_states, value_states)
            if not self.wide or end > self.wide[0].shape[-2]:
                self.wide = tuple(one.new_empty((*one.shape[:-2], end + _ROOM, one.shape[-1])) for one in new)
                if length:
                    old: tuple[Any, Any] = (self.keys, self.values)
                    for wide, states in zip(self.wide, old, strict=True):
                        wide[..., :length, :] = states
            for wide, states in zip(self.wide, new, strict=True):
                wide[..., length:end, :] = states
            filled: list[Any] = [wide[..., :end, :] for wide in self.wide]
            self.keys, self.values = filled
            return filled[0], filled[1]

        def batch_select_indices(self, indices: Any) -> None:
            self.wide = ()
            super().batch_select_indices(indices)

        def batch_repeat_interleave(self, repeats: int) -> None:
            self.wide = ()
            super().batch_repeat_interleave(repeats)

    return RoomyLayer


class CheckpointSampler:
    """The means of writing of a causal checkpoint."""

    def __init__(
        self,
        model: Any,
        device: str,
        encoder: Encoder,
        *,
        name: str,
        start: TokenIds,
        ends: frozenset[int],
        context: int | None,
        batch_tokens: int,
    ) -> None:
        self._model, self._device, self._encoder, self._name = model, device, encoder, name
        self._start, self._context = start, context
        self.ends = ends
        self._batch_tokens = _BATCH_FACTOR * batch_tokens
        self._waits = False

    @property
    def batch_tokens(self) -> int:
        """As many as fit into the memory of an accelerator."""
        return min(self._batch_tokens, self._tokens_that_fit)

    @cached_property
    def chat(self) -> ChatFrame | None:
        """What the chat template puts around an instruction, where the tokenizer has one."""
        return ChatFrame.of(self._encoder.tokenizer)

    def read(self, prompt: str) -> TokenIds:
        """Start token and prompt, or a chat prompt with the special tokens of its frame."""
        row = self.chat.ids(prompt, self._encoder) if self.chat is not None else None
        if row is None:
            row = self._start + self.pieces(prompt)
        if not row:
            problem = f"{self._name} has no start token, so it cannot write after an empty prompt"
            raise Unwritable(problem, "the prompt is empty and the model has no start token")
        if self._context is not None and len(row) >= self._context:
            raise Unwritable(
                f"a prompt has {len(row)} tokens and {self._name} reads at most {self._context}, so nothing can be "
                f"written after it: {prompt[:60]!r}",
                f"the prompt fills the model's context of {self._context} tokens",
            )
        return row

    def room(self, row: TokenIds) -> int | None:
        """What the prompt leaves of the context."""
        return None if self._context is None else self._context - len(row)

    def open(self, rows: Sequence[TokenIds]) -> CheckpointBatch:
        """A batch of a cache that was found, once, to give the numbers of the plain computation."""
        if not self._cache_is_exact:
            raise ModelError(
                f"{self._name} gives different numbers with a cache and without, so tiltmeter cannot write with it"
            )
        return self._batch(rows)

    def pieces(self, text: str) -> TokenIds:
        """The tokens of a text."""
        [encoded] = self._encoder.encode([text])
        return encoded.ids

    def continuation(self, text: str) -> TokenIds:
        """The tokens of a text after another word; some tokenizers treat the beginning of a text in their own way."""
        before = self.pieces(_WORD)
        both = self.pieces(_WORD + text)
        return both[len(before) :] if both[: len(before)] == before else self.pieces(text)

    @cached_property
    def joins(self) -> NDArray[np.bool_]:
        """Found by writing each token after a word."""
        word = list(self.pieces(_WORD))
        count = len(self._encoder.tokenizer)
        texts = self._encoder.decoded([[*word, token] for token in range(count)])
        # A token that is part of a character shows as a replacement sign; it may be a letter.
        return np.array([lengthens(text.removeprefix(_WORD)) for text in texts])

    def text(self, row: TokenIds, written: Sequence[int]) -> str:
        """The characters of the tokens after a prompt, with the space before the first where there is one."""
        [text] = self.texts([(row, written)])
        return text

    def texts(self, drafts: Sequence[tuple[TokenIds, Sequence[int]]]) -> list[str]:
        """The same of many."""
        # Some tokenizers drop the space of whatever they decode first: so that is the end of the prompt.
        tails = [row[-_TAIL:] for row, _ in drafts]
        before = list(dict.fromkeys(tails))
        lengths = dict(zip(before, map(len, self._encoder.decoded(before)), strict=True))
        texts = self._encoder.decoded([[*tail, *written] for tail, (_, written) in zip(tails, drafts, strict=True)])
        return [text[lengths[tail] :] for tail, text in zip(tails, texts, strict=True)]

    @cached_property
    def _tokens_that_fit(self) -> int:
        """How many tokens the cache of a batch may hold."""
        import torch

        if self._device[:4] != "cuda":
            return self._batch_tokens
        room = torch.cuda.get_device_properties(self._device).total_memory / _SHARE_OF_MEMORY
        return max(1, int(room / self.open([(0,)]).bytes_per_token))

    def _batch(self, rows: Sequence[TokenIds]) -> CheckpointBatch:
        return CheckpointBatch(self._model, self._device, 0, rows, waits=self._waits)

    @cached_property
    def _cache_is_exact(self) -> bool:
        """Whether prompts of different length and a token taken back leave the numbers as they are."""
        # A mask of four dimensions is all that a layer goes by, so one that looks back only so far would see too much.
        ways = (True,) if _looks_back_only_so_far(self._model.config) else (False, True)
        return any(self._is_exact() for self._waits in ways)

    def _is_exact(self) -> bool:
        import torch

        rows: list[TokenIds] = [(0, 1, 2, 3, 4, 5), (0, 1, 7), (0, 1, 7)]
        try:
            batch = self._batch(rows)
            batch.advance([Step(0, 6), Step(0, 5), Step(0, 4)])
            batch.advance([Step(0, 2), Step(1, 3), None])
        except (AttributeError, TypeError, ValueError, RuntimeError, NotImplementedError):
            # Each architecture without a cache of this kind objects in its own way.
            return False
        for row, logits in zip([(*rows[0], 2), (*rows[1], 5, 3)], batch.logits, strict=True):
            with torch.inference_mode():
                plain = self._model(torch.tensor([row], device=self._device)).logits[0, -1].float().cpu().numpy()
            # float32 agrees to 1e-5 of the range, bfloat16 to 1e-2; a wrong cache is off by a good part of it.
            if not np.abs(logits - plain).max() <= 0.03 * np.ptp(plain):
                return False
        return True


def _looks_back_only_so_far(config: Any) -> bool:
    """Whether some layers attend to the last tokens alone, or may, as far as a configuration tells."""
    said = config.get_text_config().to_dict()
    layers = said.get("layer_types") or said.get("attention_layers") or ()
    limits = (key for key, value in said.items() if value and ("window" in key or "chunk" in key))
    return any(limits) or not {*layers} <= {"full_attention", "global"}


def lengthens(text: str) -> bool:
    """Whether a text directly after a word makes it another word; the apostrophe of a genitive does not.

    >>> [lengthens(text) for text in ("ment", "-made", " of", "'s", ".")]
    [True, True, False, False, False]
    """
    return text[:1].isalnum() or text[:1] in ("-", "_", "\ufffd")


def _shared_length(rows: Sequence[TokenIds]) -> int:
    """How many tokens all rows begin with, leaving each at least one of its own.

    >>> _shared_length([(1, 2, 3, 4), (1, 2, 5), (1, 2)])
    1
    """
    if len(rows) == 1:
        return 0
    common = sum(1 for _ in takewhile(lambda column: len(set(column)) == 1, zip(*rows, strict=False)))
    return min(common, min(map(len, rows)) - 1)
