"""From characters to tokens and back: ids, the characters each token covers, and the words they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tiltmeter.errors import ModelError
from tiltmeter.records import Span

# A line break is no space before a word.
_BREAK = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]")


@dataclass(frozen=True)
class Encoded:
    """The tokens of one text, special ones left out; their places in it are found when they are asked for."""

    text: str
    ids: tuple[int, ...]
    encoding: Any
    """What the tokenizer says of them."""

    @cached_property
    def spans(self) -> tuple[Span, ...]:
        """The characters of each token, as in `visible_spans`."""
        return visible_spans(self.text, self.encoding.offsets)

    @cached_property
    def words(self) -> tuple[int, ...]:
        """A number for each token, equal for the pieces of one word."""
        return _words(self.text, self.encoding.word_ids, self.spans)

    def overlapping(self, spans: Sequence[Span]) -> list[int]:
        """The places of the tokens that share a character with any of the spans."""
        return [
            at
            for at, (start, end) in enumerate(self.spans if spans else ())
            if any(start < span_end and span_start < end for span_start, span_end in spans)
        ]


class Encoder:
    """A tokenizer, read in one way: text is only ever text.

    A text that contains "[MASK]" or "<|endoftext|>" is encoded as those characters, never as the special token.
    """

    def __init__(self, tokenizer: Any, name: str) -> None:
        if not tokenizer.is_fast:
            raise ModelError(
                f"{name} has no fast tokenizer (tokenizer.json), so its tokens cannot be found in the text"
            )
        self.tokenizer = tokenizer

    def encode(self, texts: Sequence[str]) -> list[Encoded]:
        """The tokens of each text."""
        if self._is_plain:
            found = self._backend().encode_batch(list(texts), add_special_tokens=False)
        else:
            found = self._called(texts).encodings if texts else []
        return [Encoded(text, tuple(one.ids), one) for text, one in zip(texts, found, strict=True)]

    def ids(self, texts: Sequence[str]) -> list[tuple[int, ...]]:
        """The tokens of each text without their places, which takes a fraction of the time."""
        if self._is_plain:
            return [tuple(one.ids) for one in self._backend().encode_batch_fast(list(texts), add_special_tokens=False)]
        return [tuple(ids) for ids in self._called(texts)["input_ids"]] if texts else []

    def decoded(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """The characters of each row of tokens, special ones left out, and no space tidied."""
        if self._is_plain:
            texts: list[str] = self._backend().decode_batch(rows, skip_special_tokens=True)
            return texts
        tidy = {"skip_special_tokens": True, "clean_up_tokenization_spaces": False}
        return [self.tokenizer.decode(list(row), **tidy) for row in rows]

    def frame(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The special tokens that the tokenizer itself puts before and after a text."""
        bare = list(self.ids(["a"])[0])
        whole = self.tokenizer("a")["input_ids"]
        for start in range(len(whole) - len(bare) + 1):
            if whole[start : start + len(bare)] == bare:
                return tuple(whole[:start]), tuple(whole[start + len(bare) :])
        return (), ()

    @cached_property
    def _is_plain(self) -> bool:
        """Whether the tokenizer below that of transformers does all there is to do; a few have steps of their own."""
        from transformers import PreTrainedTokenizerFast

        steps = ("__call__", "_encode_plus", "_batch_encode_plus", "_decode", "decode")
        kind = type(self.tokenizer)
        return all(getattr(kind, step, None) is getattr(PreTrainedTokenizerFast, step, None) for step in steps)

    def _called(self, texts: Sequence[str]) -> Any:
        return self.tokenizer(
            list(texts),
            add_special_tokens=False,
            split_special_tokens=True,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )

    def _backend(self) -> Any:
        """The tokenizer below that of transformers, which makes a dictionary of each text; set up the same way."""
        backend = self.tokenizer.backend_tokenizer
        # Setting what is set already would fail while another thread encodes.
        if backend.truncation is not None:
            backend.no_truncation()
        if backend.padding is not None:
            backend.no_padding()
        if not backend.encode_special_tokens:
            backend.encode_special_tokens = True
        return backend


PIECES = 2
"""The version of `visible_spans`: answers that are kept under another say of other tokens that they are of a word."""


def visible_spans(text: str, ranges: Sequence[Span]) -> tuple[Span, ...]:
    """The characters of each token without the white space at their front.

    A token that is nothing but the space before a word is a piece of that word: it covers the space and the word's
    first character. Any other token of white space keeps its range.

    >>> visible_spans("a nurse ox", [(0, 1), (1, 7), (7, 8), (8, 9), (9, 10)])
    ((0, 1), (2, 7), (7, 9), (8, 9), (9, 10))
    """
    found = []
    for at, (start, end) in enumerate(ranges):
        first = text[start : start + 1]
        if start < end and not first.isspace():
            found.append((start, end))
        elif first == " " and start + 1 < end and not text[start + 1].isspace():
            found.append((start + 1, end))
        else:
            found.append(_of_space(text, ranges, at))
    return tuple(found)


def _of_space(text: str, ranges: Sequence[Span], at: int) -> Span:
    """The same for a token that begins with any white space or has no characters of its own."""
    start, end = _untrimmed(text, *ranges[at])
    word = text[start:end].lstrip()
    first, last = _untrimmed(text, *ranges[at + 1]) if at + 1 < len(ranges) else (end, end)
    if not word and first == end < last and text[end].strip() and not _BREAK.search(text[start:end]):
        return start, end + 1
    return (end - len(word), end) if word else (start, end)


def _untrimmed(text: str, start: int, end: int) -> Span:
    """Some tokenizers trim the space away even where a token is nothing else: its range is then that of the space."""
    space = max(start - 1, 0)
    return (space, space + 1) if start == end and text[space : space + 1].isspace() else (start, end)


def _words(text: str, word_ids: Sequence[int | None], spans: Sequence[Span]) -> tuple[int, ...]:
    """Number the words of a text.

    Pieces belong together when the tokenizer says so and no gap is between them: byte-level tokenizers differ in
    whether the space before a word, and a run of words, count as one.
    """
    words: list[int] = []
    for at, span in enumerate(spans):
        joined = (
            at > 0
            and word_ids[at] == word_ids[at - 1]
            and span[0] <= spans[at - 1][1]
            and not (text[span[0]].isspace() and text[slice(*span)].strip())
        )
        words.append(words[-1] if joined else at)
    return tuple(words)
