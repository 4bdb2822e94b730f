"""Tokenizers, read below transformers where that gives the same and through it where not."""

from __future__ import annotations

from typing import Any

import pytest

from tiltmeter.models.encoding import Encoder

from .conftest import bytelevel_tokenizer

pytestmark = pytest.mark.slow
TEXTS = ["The nurse said", "a <s> b", "", " two  spaces .", "naïve 他"]


def own_steps(**steps: Any) -> Any:
    """A tokenizer with steps of its own around the one below."""
    tokenizer = bytelevel_tokenizer("llama")
    tokenizer.__class__ = type("Own", (type(tokenizer),), steps)
    return tokenizer


def test_both_ways_read_and_write_the_same() -> None:
    plain = Encoder(bytelevel_tokenizer("llama"), "tiny")
    called = Encoder(
        own_steps(_decode=lambda self, *given, **named: super(type(self), self)._decode(*given, **named)), "tiny"
    )
    assert plain._is_plain
    assert not called._is_plain
    for one, other in zip(plain.encode(TEXTS), called.encode(TEXTS), strict=True):
        assert (one.ids, one.spans, one.words) == (other.ids, other.spans, other.words)
    assert plain.ids(TEXTS) == called.ids(TEXTS)
    rows = [(*ids, 0, 1) for ids in plain.ids(TEXTS)]
    assert plain.decoded(rows) == called.decoded(rows)
    assert plain.decoded([]) == called.decoded([]) == called.ids([]) == called.encode([]) == []


def test_steps_of_a_tokenizers_own_are_taken() -> None:
    loud = Encoder(own_steps(_decode=lambda self, *given, **named: "loud"), "tiny")
    assert loud.decoded([(5, 6)]) == ["loud"]


def test_special_tokens_in_a_text_are_characters_and_nothing_is_cut() -> None:
    tokenizer = bytelevel_tokenizer("llama")
    tokenizer.backend_tokenizer.enable_truncation(2)
    tokenizer.backend_tokenizer.enable_padding(length=64)
    encoder = Encoder(tokenizer, "tiny")
    [encoded] = encoder.encode(["The nurse said <s>"])
    special = tokenizer.convert_tokens_to_ids("<s>")
    assert special not in encoded.ids
    assert len(encoded.ids) > 2
    assert encoder.decoded([encoded.ids]) == ["The nurse said <s>"]
