"""Texts after prompts, drawn or searched for, as the settings say."""

from __future__ import annotations

from collections.abc import Sequence

from tiltmeter.models.writing import beams, drafts
from tiltmeter.models.writing.pen import Pen
from tiltmeter.records import Completion, Decoding


def complete(
    pen: Pen, prompts: Sequence[str], decoding: Decoding, *, samples: int = 1, seed: int | Sequence[int] = 0
) -> list[list[Completion]]:
    """`samples` texts after each prompt, in the order given; see `Writer`."""
    if decoding.beams > 1:
        return beams.complete(pen, prompts, decoding, samples=samples)
    return drafts.complete(pen, prompts, decoding, samples=samples, seed=seed)
