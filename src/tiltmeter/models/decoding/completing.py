"""Texts after prompts, drawn or searched for, as the settings say."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.models.decoding import beams, sampled
from tiltmeter.models.decoding.interface import Sampler, Unwritable
from tiltmeter.records import Completion, Decoding


def complete(
    sampler: Sampler, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
) -> list[list[Completion]]:
    """`samples` texts after each prompt, in the order given; see `Writer`."""
    reasons = [_unwritable(sampler, prompt) for prompt in prompts]
    open_prompts = [prompt for prompt, reason in zip(prompts, reasons, strict=True) if reason is None]
    seeds = sampled.seeds_of(seed, len(prompts))
    if decoding.beams > 1:
        written = beams.complete(sampler, open_prompts, decoding, samples=samples)
    else:
        own = [one for one, reason in zip(seeds, reasons, strict=True) if reason is None]
        written = sampled.complete(sampler, open_prompts, decoding, samples=samples, seed=own)
    rest = iter(written)
    return [next(rest) if reason is None else [_nothing(reason)] * samples for reason in reasons]


def _unwritable(sampler: Sampler, prompt: str) -> str | None:
    try:
        sampler.read(prompt)
    except Unwritable as error:
        return error.reason
    return None


def _nothing(reason: str) -> Completion:
    return Completion("", 0, "unwritten", attempts=0, unwritten=reason)
