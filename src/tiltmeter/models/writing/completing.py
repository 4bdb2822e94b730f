"""Texts after prompts, drawn or searched for, as the settings say."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.models.writing import beams, drafts
from tiltmeter.models.writing.pen import Pen, Unwritable
from tiltmeter.records import Completion, Decoding


def complete(
    pen: Pen, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
) -> list[list[Completion]]:
    """`samples` texts after each prompt, in the order given; see `Writer`."""
    reasons = [_unwritable(pen, prompt) for prompt in prompts]
    open_prompts = [prompt for prompt, reason in zip(prompts, reasons, strict=True) if reason is None]
    seeds = drafts.seeds_of(seed, len(prompts))
    if decoding.beams > 1:
        written = beams.complete(pen, open_prompts, decoding, samples=samples)
    else:
        own = [one for one, reason in zip(seeds, reasons, strict=True) if reason is None]
        written = drafts.complete(pen, open_prompts, decoding, samples=samples, seed=own)
    rest = iter(written)
    return [next(rest) if reason is None else [_nothing(reason)] * samples for reason in reasons]


def _unwritable(pen: Pen, prompt: str) -> str | None:
    try:
        pen.read(prompt)
    except Unwritable as error:
        return error.reason
    return None


def _nothing(reason: str) -> Completion:
    return Completion("", 0, "unwritten", attempts=0, unwritten=reason)
