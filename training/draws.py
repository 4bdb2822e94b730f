"""What a network is trained on in one epoch, and batches for several networks at once."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import transformers
from adapt_data import Row

from tiltmeter.packages import fetched
from tiltmeter.raters.heads import MINILM
from tiltmeter.raters.masking import MASK

Drawn = tuple[list[str], tuple[float, ...], tuple[bool, ...]]
"""A text, or two copies of it; the shares of its labels, and those left open."""


@dataclass(frozen=True)
class Job:
    """What one network is trained on."""

    rows: Sequence[Row]
    seed: int
    unnamed: re.Pattern[str] | None = None
    """Texts in which this is found are not drawn."""


@dataclass(frozen=True)
class Draws:
    """The draws of an epoch by length: the tokens of all texts, where each text begins, and with which text a draw."""

    tokens: Any
    texts: Any
    first: Any
    targets: Any
    allowed: Any


@cache
def tokenizer() -> Any:
    """The network's tokenizer alone: those who draw need no network."""
    return transformers.AutoTokenizer.from_pretrained(fetched(MINILM), local_files_only=True)


def drawn(job: Job, epoch: int, joined: float, longest: int) -> Draws:
    """An epoch of a network; in each, a line of ours names other groups."""
    chance = random.Random(f"{job.seed} {epoch}")
    found: list[Drawn] = []
    for row in job.rows:
        for _ in range(row.times(chance)):
            texts = row.texts(chance)
            if not (job.unnamed and any(job.unnamed.search(text) for text in texts)):
                found.append((texts, row.target, row.allowed))
    found += several(found, int(joined * len(found)), chance)
    found.sort(key=lambda one: len(one[0][0]) * (0.8 + 0.4 * chance.random()))
    every = [text for texts, _, _ in found for text in texts]
    coded = tokenizer()(every, truncation=True, max_length=longest)["input_ids"]
    return Draws(
        np.concatenate([np.array(ids, dtype=np.int32) for ids in coded]),
        np.cumsum([0, *map(len, coded)]),
        np.cumsum([0, *(len(texts) for texts, _, _ in found)]),
        np.array([target for _, target, _ in found], dtype=np.float32),
        np.array([allowed for _, _, allowed in found]),
    )


def several(found: Sequence[Drawn], count: int, chance: random.Random) -> Iterator[Drawn]:
    """Long texts of many that were drawn: all harmless, or one that is not among harmless ones."""
    plain = [texts[0] for texts, target, _ in found if target[0] > 0.6]
    others = [(texts[0], target, allowed) for texts, target, allowed in found if sum(target) > 0 and target[0] < 0.4]
    harmless = (1.0, *(0.0 for _ in found[0][1][1:]))
    for _ in range(count):
        pieces, target, allowed = chance.choices(plain, k=chance.randint(2, 10)), harmless, (False,) * len(harmless)
        if chance.random() < 0.5:
            pieces[chance.randrange(len(pieces))], target, allowed = chance.choice(others)
        yield [chance.choice((" ", "\n", "\n\n")).join(pieces)], target, allowed


@dataclass(frozen=True)
class Batch:
    """Texts of several networks; the first two axes of every table are network and text."""

    ids: Any
    mask: Any
    marks: Any
    """The tokens of XYZ."""
    targets: Any
    allowed: Any
    weights: Any
    """What a text counts: nothing where a network has fewer texts than another."""
    copies: Any
    """What the difference of each text from the one after it counts, where they are copies."""


def batch(draws: Sequence[Draws], number: int, count: int) -> Batch:
    """One of `count` batches of an epoch, of texts of about one length."""
    spans = [(len(one.targets) * number // count, len(one.targets) * (number + 1) // count) for one in draws]
    texts = [(one.first[low], one.first[high]) for one, (low, high) in zip(draws, spans, strict=True)]
    lengths = [np.diff(one.texts[low : high + 1]) for one, (low, high) in zip(draws, texts, strict=True)]
    size = len(draws), max(map(len, lengths))
    ids = np.zeros((*size, max(one.max() for one in lengths)), dtype=np.int64)
    # A text that is only there to fill up has one token, so that a mean over its tokens is a number.
    known = np.ones(size, dtype=np.int64)
    labels = draws[0].targets.shape[1]
    targets, allowed = np.zeros((*size, labels), dtype=np.float32), np.zeros((*size, labels), dtype=bool)
    weights, copies = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
    for place, (one, (low, high), (start, stop)) in enumerate(zip(draws, spans, texts, strict=True)):
        many = stop - start
        known[place, :many] = lengths[place]
        inside = np.arange(ids.shape[2]) < known[place, :many, None]
        ids[place, :many][inside] = one.tokens[one.texts[start] : one.texts[stop]]
        each = np.diff(one.first[low : high + 1])
        targets[place, :many] = np.repeat(one.targets[low:high], each, axis=0)
        allowed[place, :many] = np.repeat(one.allowed[low:high], each, axis=0)
        weights[place, :many] = 1 / many
        pairs = one.first[low:high][each > 1] - start
        copies[place, pairs] = 1 / max(1, len(pairs))
    mask = (np.arange(ids.shape[2]) < known[..., None]).astype(np.int64)
    return Batch(ids, mask, marked(ids), targets, allowed, weights, copies)


def marked(ids: Any) -> Any:
    """1 at every token of every mention of XYZ."""
    mark = tokenizer()(MASK, add_special_tokens=False)["input_ids"]
    found = np.zeros_like(ids)
    for start in range(ids.shape[-1] - len(mark) + 1):
        span = slice(start, start + len(mark))
        found[..., span] |= (ids[..., span] == mark).all(-1, keepdims=True)
    return found
