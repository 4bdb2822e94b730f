"""From a run to what stats averages: the cells of the view of continuations, and the rated items of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.analysis.rated_values import DECLINED
from tiltmeter.analysis.refusals import ANY, refusal_rater
from tiltmeter.analysis.situations import UNDIRECTED, NamedText, named_by, towards_of
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

    A prompt that states a situation first has no group. There each text is one item of the group that the stereotype
    points to: how far it goes towards the stereotype, see `analysis.situations`; its label is the group that it names.
    """
    return [item for _, item in rated_texts(run, RatedCell(model, source, bias, decoding, rater, scope))]


def rated_texts(run: Run, cell: RatedCell) -> Iterator[tuple[Continuation, RatedItem]]:
    """The same, each with its text."""
    if run.continuations is None:
        return
    used = {one.name: one.scope for one in run.continuations.raters}
    if used.get(cell.rater) != cell.scope:
        return
    place = cell.model, cell.source, cell.bias, cell.decoding
    own = is_refusal_rater(cell.rater)
    declined = frozenset() if own else _declined(run.continuations, *place)
    found = run.continuations.rated(cell.model, cell.decoding, cell.rater, source=cell.source, bias=cell.bias)
    for continuation, rating in found:
        refused = continuation.refused or (continuation.prompt.id, continuation.sample) in declined
        yield continuation, _item(continuation, _unless(rating, not own and refused))


def _declined(
    found: Continuations, model: str, source: str, bias: str, decoding: Decoding
) -> frozenset[tuple[str, int]]:
    """Prompt and sample of the texts that refuse."""
    rater = refusal_rater(found)
    return frozenset(found.labelled(model, decoding, (rater, REFUSAL), source=source, bias=bias) if rater else ())


def _unless(rating: Rating, declined: bool) -> Rating:
    """The rating; none where the model declined, or where the number is none of the rater's scale."""
    return Rating(rating.rater, None, DECLINED) if declined else on_scale(rating)


def _item(continuation: Continuation, rating: Rating) -> RatedItem:
    prompt = continuation.prompt
    structure = prompt.structure.id if prompt.structure else None
    if prompt.group is not None or not rating.rater.startswith(GROUP_RATERS):
        return RatedItem(
            group=prompt.group or ANY,
            value=rating.value,
            origin=prompt.origin,
            label=rating.label,
            prompt=prompt.id,
            structure=structure,
            unrated=rating.unrated,
        )
    named, why = named_by(rating)
    value = None if why else towards_of(prompt, named)
    unrated = why or (UNDIRECTED if value is None else None)
    return RatedItem(prompt.stereotyped or ANY, value, prompt.origin, named, prompt.id, structure, unrated)


def named_texts(run: Run, cell: RatedCell) -> list[NamedText]:
    """Each text of a cell whose prompts state a situation, and the group that it names."""
    if run.continuations is None:
        return []
    declined = _declined(run.continuations, cell.model, cell.source, cell.bias, cell.decoding)
    found = run.continuations.rated(cell.model, cell.decoding, cell.rater, source=cell.source, bias=cell.bias)
    return [
        (one.prompt, *named_by(_unless(rating, one.refused or (one.prompt.id, one.sample) in declined)))
        for one, rating in found
        if one.prompt.group is None
    ]
