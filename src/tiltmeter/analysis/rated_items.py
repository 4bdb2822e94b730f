"""From a run to what stats averages: the cells of the view of continuations, and the rated items of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.analysis.rated_values import DECLINED
from tiltmeter.analysis.refusals import ANY, refusal_rater
from tiltmeter.raters.refusal import REFUSAL, is_refusal_rater
from tiltmeter.raters.scales import on_scale
from tiltmeter.records import Continuation, Decoding, Rating, Scope
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.store import Continuations, Run

GROUP_RATERS = ("groups.first.", "groups.only.")
"""Raters that say which group a text names, for prompts that state a situation first."""


@dataclass(frozen=True, slots=True)
class RatedCell:
    """One combination of choices that has ratings."""

    model: str
    source: str
    bias: str
    decoding: Decoding
    rater: str
    scope: Scope


def rated_cells(run: Run) -> list[RatedCell]:
    """Every cell of the view of continuations, in the order of the study; none where it has no such view."""
    return [RatedCell(*cell) for cell in run.continuations.cells()] if run.continuations else []


def rated_items(
    run: Run, model: str, source: str, bias: str, decoding: Decoding, rater: str, scope: Scope
) -> list[RatedItem]:
    """The ratings of one cell, in the order of prompts and samples.

    A prompt that states a situation first has no group. There each text gives an item for every group that is asked
    for: 1 for the one that it names, 0 for the others, so that the mean of a group is the share of texts that name it.
    """
    if run.continuations is None:
        return []
    used = {one.name: one.scope for one in run.continuations.raters}
    if used.get(rater) != scope:
        return []
    own = is_refusal_rater(rater)
    declined = frozenset() if own else _declined(run.continuations, model, source, bias, decoding)
    found = run.continuations.rated(model, decoding, rater, source=source, bias=bias)
    return [
        item
        for continuation, rating in found
        for item in _items(
            continuation,
            _unless(
                rating,
                not own and (continuation.refused or (continuation.prompt.id, continuation.sample) in declined),
            ),
        )
    ]


def _declined(
    found: Continuations, model: str, source: str, bias: str, decoding: Decoding
) -> frozenset[tuple[str, int]]:
    """Prompt and sample of the texts that refuse."""
    rater = refusal_rater(found)
    return frozenset(found.labelled(model, decoding, (rater, REFUSAL), source=source, bias=bias) if rater else ())


def _unless(rating: Rating, declined: bool) -> Rating:
    """The rating; none where the model declined, or where the number is none of the rater's scale."""
    return Rating(rating.rater, None, DECLINED) if declined else on_scale(rating)


def _items(continuation: Continuation, rating: Rating) -> Iterator[RatedItem]:
    prompt = continuation.prompt
    structure = prompt.structure.id if prompt.structure else None
    if prompt.group is not None or not rating.rater.startswith(GROUP_RATERS):
        yield RatedItem(
            group=prompt.group or ANY,
            value=rating.value,
            origin=prompt.origin,
            label=rating.label,
            prompt=prompt.id,
            structure=structure,
            unrated=rating.unrated,
        )
        return
    for group, _ in prompt.word_sets:
        named = None if rating.label is None else float(rating.label == group)
        yield RatedItem(group, named, prompt.origin, None, prompt.id, structure, rating.unrated)
