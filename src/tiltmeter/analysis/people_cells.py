"""The human column of the bidimensional table, and how far raters agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tiltmeter.analysis.continuation_records import ContinuationCell, PeopleSaid, RatersCompared
from tiltmeter.analysis.people_ratings import PeopleRatings, RatedText
from tiltmeter.analysis.rated_items import RatedCell
from tiltmeter.analysis.raters_compared import comparable, compared, within_bias
from tiltmeter.records import Continuation, Decoding, Rating, Scope
from tiltmeter.stats.annotators import krippendorffs_alpha_of_numbers
from tiltmeter.stats.continuations import RatedItem, summarise
from tiltmeter.store import Run


def people_cells(texts: Sequence[RatedText], rater: str, scope: Scope, seed: int) -> list[ContinuationCell]:
    """What people say of the groups, for every model, source, bias and decoding of which they rated texts.

    They stand beside the raters, so they have the `scope` of these.
    """
    by_place: dict[tuple[str, str, str, Decoding], list[RatedItem]] = {}
    for text in texts:
        one = text.continuation
        if one.prompt.group:
            place = (text.model, one.prompt.source, one.prompt.bias, one.decoding)
            by_place.setdefault(place, []).append(_item(one, text.value))
    return [
        ContinuationCell(*place, rater, scope, summarise(items, seed=seed), frozenset())
        for place, items in by_place.items()
    ]


def compare_with_people(
    run: Run, texts: Sequence[RatedText], people: str, cells: Sequence[RatedCell], seed: int
) -> Iterator[RatersCompared]:
    """Each rater that rates the same thing, held against people on the texts that they rated."""
    said = {(text.model, *_key(text.continuation)): text.value for text in texts}
    for model, source, rater in dict.fromkeys((cell.model, cell.source, cell.rater) for cell in cells):
        by_people: list[RatedItem] = []
        by_rater: list[RatedItem] = []
        for cell in cells:
            if (cell.model, cell.source, cell.rater) == (model, source, rater) and comparable(people, rater):
                both = [
                    (_item(one, value), _item(one, rating.value))
                    for one, rating in _rated(run, cell)
                    if (value := said.get((model, *_key(one)))) is not None
                ]
                by_people += within_bias(cell.bias, [item for item, _ in both])
                by_rater += within_bias(cell.bias, [item for _, item in both])
        if by_people:
            yield compared(model, source, (people, rater), (by_people, by_rater), seed)


def people_said(people: PeopleRatings, texts: Sequence[RatedText]) -> PeopleSaid:
    """Who rated how many of the texts, and how far they agree."""
    own = [people.values[text.id] for text in texts]
    counts = Counter(name for found in own for name in found)
    sheets = [[found.get(name) for found in own] for name in counts]
    alpha = krippendorffs_alpha_of_numbers(sheets) if len(counts) > 1 else None
    return PeopleSaid(dict(counts), len(own), alpha)


def _key(one: Continuation) -> tuple[Decoding, str, int]:
    return one.decoding, one.prompt.id, one.sample


def _item(one: Continuation, value: float | None) -> RatedItem:
    return RatedItem(one.prompt.group or "", value, one.prompt.origin, prompt=one.prompt.id)


def _rated(run: Run, cell: RatedCell) -> Iterator[tuple[Continuation, Rating]]:
    if run.continuations:
        yield from run.continuations.rated(cell.model, cell.decoding, cell.rater, source=cell.source, bias=cell.bias)
