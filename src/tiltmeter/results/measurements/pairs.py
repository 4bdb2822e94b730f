"""Scored pairs as measurements: a value compares the stereotyped text with the other, a score is of one text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, TypeVar

from tiltmeter.measures.pairs import MARGIN, PREFERENCE, preferred
from tiltmeter.parquet import Rows
from tiltmeter.records import Pair, PairScore, Span
from tiltmeter.results.measurements.columns import (
    ASIDE,
    AUDIT,
    CONTROL,
    FIRST,
    MEANING,
    OTHER,
    SCORE,
    SECOND,
    STAND_INS,
    STEREOTYPED,
    marks,
    scale,
)
from tiltmeter.results.scores import terms_of
from tiltmeter.sources.datasets.bbq_groups import UNKNOWN
from tiltmeter.sources.generated.annotations import ISSUES
from tiltmeter.sources.logs.sides import CANNOT_TELL
from tiltmeter.store import Run

_Part = TypeVar("_Part")
_CHOSEN = {1: 1.0, "tie": 0.5, 2: 0.0, None: None}
_ENDS = {one.name: scale(one.low, one.high, one.neutral, 1) for one in (PREFERENCE, MARGIN)}
_SHARE = scale(PREFERENCE.low, PREFERENCE.high, PREFERENCE.neutral, 0)
_SCORE = scale(None, None, None, 0)


def measured(run: Run) -> Rows:
    """Every score, what it comes to, and what the audit found in written sentences."""
    for (model, scorer), scores in run.scores.items():
        for score in scores:
            yield from of_score(score, model=model, scorer=scorer)
    if run.flagged or run.meta.get("audited"):
        written = {pair.source for pair in run.pairs if pair.written_for}
        judged = {pair.id: dict(run.flagged.get(pair.id, ())) for pair in run.pairs if pair.source in written}
        yield from flag_rows(run.pairs, AUDIT, judged)


def of_score(score: PairScore, **of: str) -> Iterator[dict[str, Any]]:
    """The rows of one scored pair; measures of what is not the test itself have names of their own."""
    pair, role = score.pair, role_of(score.pair)
    place = {**of, **of_pair(pair), "set": pair.set, "reason": score.unscored}
    place |= {"label": UNKNOWN} if score.unscored == CANNOT_TELL else {}
    for measure in () if role in (CONTROL, MEANING) else (PREFERENCE, MARGIN):
        ends = _ENDS[measure.name]
        yield {**place, "measure": named(measure.name, role), "value": measure.values([score])[0], **ends}
    if role in (CONTROL, MEANING):
        yield {**place, "measure": named(PREFERENCE.name, role), "value": _CHOSEN[preferred(score)], **_SHARE}
    groups, values = (place["group"], place["against"]), _sided(pair, score.scores or (None, None))
    for group, value in zip(groups, values, strict=True):
        yield {**place, "group": group, "against": None, "measure": named(SCORE, role), "value": value, **_SCORE}


def flag_rows(pairs: Iterable[Pair], rater: str, judged: Mapping[str, Mapping[str, str | None]]) -> Rows:
    """What a rater found in written sentences: a row for each issue, 1 and why where the sentence has it."""
    ends = scale(0.0, 1.0, None, 1)
    for pair in pairs:
        if pair.id in judged:
            own = of_pair(pair)
            group = pair.written_for or own["group"]
            place = {**own, "group": group, "against": None, "set": pair.set, "rater": rater}
            for issue in ISSUES:
                found = judged[pair.id]
                yield {**place, "measure": issue, "value": float(issue in found), "label": found.get(issue), **ends}


def items(run: Run) -> Rows:
    """Every pair, whatever its role."""
    for pair in run.pairs:
        spans = list(map(_marks, pair.attribute_spans, pair.group_spans))
        yield {
            **of_pair(pair),
            **(pair.structure.cells() if pair.structure else {}),
            "attribute": pair.attribute,
            # Blank where the source names no groups.
            **dict(zip(("group", "against"), _sided(pair, pair.groups), strict=True)),
            **dict(zip(("term", "other_term"), _sided(pair, pair.terms), strict=True)),
            **dict(zip(("text", "other_text"), _sided(pair, pair.texts), strict=True)),
            **dict(zip(("marks", "other_marks"), _sided(pair, (spans[0], spans[1])), strict=True)),
            "swapped": int(_is_swapped(pair)),
            "role": role_of(pair),
            "written_for": pair.written_for,
            "set": pair.set,
        }


@lru_cache(maxsize=10_000)
def _marks(attribute: tuple[Span, ...], group: tuple[Span, ...]) -> str | None:
    """Where a text names attribute and group; in many texts that is at the same places."""
    return marks({"attribute": attribute, "group": group})


def of_pair(pair: Pair) -> dict[str, Any]:
    """What the tables say of a pair."""
    group, against = _sided(pair, pair.groups)
    unnamed = (STEREOTYPED, OTHER) if role_of(pair) not in (CONTROL, MEANING) else (FIRST, SECOND)
    return {
        "item": pair.id,
        "source": pair.source,
        "bias": pair.bias,
        # Pairs of a data set without attributes are clustered by what they came from.
        "origin": pair.attribute or pair.origin,
        "structure": pair.structure.id if pair.structure else None,
        "template": pair.template,
        "term": terms_of(pair),
        "attribute_set": pair.attribute_set,
        "group": group or unnamed[0],
        "against": against or unnamed[1],
    }


def role_of(pair: Pair) -> str | None:
    """What a pair is there for, where it is not the test itself."""
    if pair.stands_in is not None:
        return pair.stands_in
    if pair.contrast == "meaning":
        return MEANING
    return CONTROL if pair.stereotyped is None else None


def named(measure: str, role: str | None) -> str:
    """What a measure is called for pairs of a role, so that nobody counts them by accident.

    >>> named("preference", None), named("preference", "control"), named("score", "regenerated")
    ('preference', 'control preference', 'stand-in score')
    """
    return measure if role is None else f"{ASIDE if role in STAND_INS else role} {measure}"


def _is_swapped(pair: Pair) -> bool:
    return pair.stereotyped == 1 and pair.contrast == "stereotype"


def _sided(pair: Pair, both: tuple[_Part, _Part]) -> tuple[_Part, _Part]:
    """What belongs to the two texts, the stereotyped one first."""
    return (both[1], both[0]) if _is_swapped(pair) else both
