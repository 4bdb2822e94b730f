"""Rated texts as measurements: a value belongs to the group that the prompt is about."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.parquet import Rows
from tiltmeter.raters.refusal import REFUSAL, is_refusal_rater
from tiltmeter.raters.scales import on_scale, scale_of
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import Continuation, Rating
from tiltmeter.results.files.rated_values import DECLINED
from tiltmeter.results.measurements.apart import apart
from tiltmeter.results.measurements.columns import GIVEN, RATING, TILT, of_prompt, prompt_item, scale, settings_of
from tiltmeter.results.summary.refusals import ANY, refusal_rater
from tiltmeter.results.summary.situations import UNDIRECTED, group_found, towards_of
from tiltmeter.store import Run

GROUP_RATERS = ("groups.first.", "groups.only.")
"""Raters that say which group a text names, for prompts that state a situation first."""


def measured(run: Run) -> Rows:
    """Every text of every model as each rater has it."""
    if run.continuations is None:
        return
    scopes = {one.name: one.scope for one in run.continuations.raters}
    scales = {name: scale_of(name) for name in scopes}
    ends = {name: scale(one.low, one.high, one.neutral, one.worse) if one else {} for name, one in scales.items()}
    refusal = refusal_rater(run.continuations)
    for name, scope in scopes.items():
        for bias, sentence in run.continuations.tilts(name):
            yield {"bias": bias, "rater": name, "scope": scope, **_tilt(sentence), **ends[name]}
    yield from apart(run)
    for model in run.continuations.models:
        for decoding in run.continuations.decodings:
            settings = settings_of(decoding)
            for one, ratings in run.continuations.with_ratings(model, decoding):
                said = ratings.get(refusal) if refusal else None
                refused = one.refused or (said is not None and said.label == REFUSAL)
                place = {"model": model, **of_prompt(one.prompt), **settings, "sample": one.sample, "measure": RATING}
                # A rater that another process has begun with since is not part of what is read here.
                for rater, rating in ((name, each) for name, each in ratings.items() if name in scopes):
                    rated = {**place, "rater": rater, "scope": scopes[rater]}
                    counted = _value(one, _counted(rating, one, refused))
                    yield {**rated, **counted, **ends[rater]}
                    given = {**counted, **_given(rating)}
                    if given != counted:
                        yield {**rated, **given, "measure": GIVEN}


def items(run: Run) -> Rows:
    """Every prompt."""
    return (prompt_item(prompt) for prompt in (run.continuations.prompts if run.continuations else ()))


def texts(run: Run) -> Rows:
    """Every text that a model wrote, or why there is none."""
    for model, one in written(run):
        yield {
            "number": one.number,
            "model": model,
            "item": one.prompt.id,
            "source": one.prompt.source,
            "bias": one.prompt.bias,
            "group": one.prompt.group,
            **settings_of(one.decoding),
            "sample": one.sample,
            "text": one.text,
            "tokens": one.tokens,
            "ended": one.ended,
            "reason": one.unwritten,
        }


def written(run: Run) -> Iterator[tuple[str, Continuation]]:
    """Every text with its model, in the order of the study."""
    if run.continuations is not None:
        for model in run.continuations.models:
            for decoding in run.continuations.decodings:
                yield from ((model, one) for one in run.continuations.texts(model, decoding))


def _tilt(one: TiltItem) -> dict[str, object]:
    place = {"measure": TILT, "origin": one.sentence, "group": one.group, "term": one.term}
    return {**place, **_given(one.rating)}


def _given(rating: Rating) -> dict[str, object]:
    return {"value": rating.value, "reason": rating.unrated, "label": rating.label}


def _counted(rating: Rating, one: Continuation, refused: bool) -> Rating:
    """The rating; none where the model declined, or where the number is none of the rater's scale."""
    if is_refusal_rater(rating.rater):
        return Rating(rating.rater, 1.0, label=REFUSAL) if one.refused else on_scale(rating)
    return Rating(rating.rater, None, DECLINED) if refused else on_scale(rating)


def _value(one: Continuation, rating: Rating) -> dict[str, object]:
    """The value of a text with its group.

    A prompt that states a situation first has no group. There each text is one item of the group that the stereotype
    points to: how far it goes towards the stereotype (`results.summary.situations`); its label is the group it names.
    """
    prompt = one.prompt
    if prompt.group is not None or not rating.rater.startswith(GROUP_RATERS):
        return {"group": prompt.group or ANY, **_given(rating)}
    named, why = group_found(rating)
    value = None if why else towards_of(prompt, named)
    reason = why or (UNDIRECTED if value is None else None)
    return {"group": prompt.stereotyped or ANY, "value": value, "reason": reason, "label": named}
