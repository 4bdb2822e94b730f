"""From the ledger of a run to rated items: what each rater made of each text."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.raters.refusal import REFUSAL, is_refusal_rater
from tiltmeter.raters.scales import on_scale
from tiltmeter.records import Continuation, Rating, Scope
from tiltmeter.results.files.rated_values import DECLINED
from tiltmeter.results.summary.refusals import ANY, refusal_rater
from tiltmeter.results.summary.situations import UNDIRECTED, named_by, towards_of
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.store import Run

GROUP_RATERS = ("groups.first.", "groups.only.")
"""Raters that say which group a text names, for prompts that state a situation first."""


def rated_texts(run: Run) -> Iterator[tuple[str, Continuation, str, Scope, RatedItem]]:
    """Every text of every model as each rater has it, with what the rater read.

    A prompt that states a situation first has no group. There each text is one item of the group that the stereotype
    points to: how far it goes towards the stereotype (`results.summary.situations`); its label is the group it names.
    """
    if run.continuations is None:
        return
    scopes: dict[str, Scope] = {one.name: one.scope for one in run.continuations.raters}
    refusal = refusal_rater(run.continuations)
    for model in run.continuations.models:
        for decoding in run.continuations.decodings:
            for one, ratings in run.continuations.with_ratings(model, decoding):
                said = ratings.get(refusal) if refusal else None
                refused = one.refused or (said is not None and said.label == REFUSAL)
                # A rater that another process has begun with since is not part of what is read here.
                for rater, rating in ((name, one) for name, one in ratings.items() if name in scopes):
                    yield model, one, rater, scopes[rater], _item(one, _counted(rating, one, refused))


def _counted(rating: Rating, one: Continuation, refused: bool) -> Rating:
    """The rating; none where the model declined, or where the number is none of the rater's scale."""
    if is_refusal_rater(rating.rater):
        return Rating(rating.rater, 1.0, label=REFUSAL) if one.refused else on_scale(rating)
    return Rating(rating.rater, None, DECLINED) if refused else on_scale(rating)


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
