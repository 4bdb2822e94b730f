"""The human column of the bidimensional table, and how far raters agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from tiltmeter.records import Continuation, Decoding, Scope
from tiltmeter.results.cells import Cell
from tiltmeter.results.items import rated_items
from tiltmeter.results.summary.people_ratings import PeopleRatings, RatedText
from tiltmeter.results.summary.raters import comparable, compared, within_bias
from tiltmeter.results.summary.refusals import Order
from tiltmeter.results.summary.text_records import ContinuationCell, PeopleSaid, RatersCompared, ends_of
from tiltmeter.stats.annotators import krippendorffs_alpha_of_numbers
from tiltmeter.stats.continuations import ContinuationSummary, RatedItem, summarise


def people_cells(texts: Sequence[RatedText], rater: str, scope: Scope, order: Order) -> list[ContinuationCell]:
    """What people say of the groups, for every model, source, bias and decoding of which they rated texts.

    They stand beside the raters, so they have the `scope` of these, and the study's order and reference of groups.
    """
    by_place: dict[tuple[str, str, str, Decoding], list[RatedItem]] = {}
    for text in texts:
        one = text.continuation
        if one.prompt.group:
            place = (text.model, one.prompt.source, one.prompt.bias, one.decoding)
            by_place.setdefault(place, []).append(_item(one, text.value, text.unrated))
    return [
        ContinuationCell(*place, rater, scope, _summary(items, place[2], rater, order), frozenset())
        for place, items in by_place.items()
    ]


def _summary(items: Sequence[RatedItem], bias: str, rater: str, order: Order) -> ContinuationSummary:
    groups, reference = order(bias, list(dict.fromkeys(item.group for item in items)))
    places = {group: place for place, group in enumerate(groups)}
    ordered = sorted(items, key=lambda item: places[item.group])
    there = reference if reference in places else None
    found = summarise(ordered, reference=there, scale=ends_of(rater))
    # Of a reference that people have rated no text of, there is nothing to compare with.
    return found if there == reference else replace(found, pairs=())


def compare_with_people(
    texts: Sequence[RatedText], people: str, cells: Sequence[Cell], seed: int
) -> Iterator[RatersCompared]:
    """Each rater that rates the same thing, held against people on the texts that they rated."""
    said = {(text.model, *_key(text.continuation)): text.value for text in texts if text.value is not None}
    for model, source, rater in dict.fromkeys((cell.model, cell.source, cell.rater) for cell in cells):
        by_people: list[RatedItem] = []
        by_rater: list[RatedItem] = []
        for cell in cells:
            if (cell.model, cell.source, cell.rater) == (model, source, rater) and comparable(people, rater):
                both = [
                    (replace(item, value=value), item)
                    for item, row in zip(rated_items(cell), cell.rows, strict=True)
                    if (value := said.get((model, cell.decoding, row.item, row.sample))) is not None
                ]
                by_people += within_bias(cell.bias, [item for item, _ in both])
                by_rater += within_bias(cell.bias, [item for _, item in both])
        if by_people:
            yield compared(model, source, (people, rater), (by_people, by_rater), seed)


def people_said(people: PeopleRatings, texts: Sequence[RatedText]) -> PeopleSaid:
    """Who rated how many of the texts, and how far they agree."""
    own = [people.values[text.id] for text in texts if text.value is not None]
    counts = Counter(name for found in own for name in found)
    sheets = [[found.get(name) for found in own] for name in counts]
    alpha = krippendorffs_alpha_of_numbers(sheets) if len(counts) > 1 else None
    none = Counter(name for text in texts for name in people.unrated.get(text.id, ()))
    everybody = {name: counts[name] for name in dict.fromkeys((*counts, *none))}
    return PeopleSaid(everybody, len(own), alpha, sum(text.value is None for text in texts), dict(none), people.rater)


def _key(one: Continuation) -> tuple[Decoding, str, int | None]:
    return one.decoding, one.prompt.id, one.sample


def _item(one: Continuation, value: float | None, unrated: str | None = None) -> RatedItem:
    return RatedItem(one.prompt.group or "", value, one.prompt.origin, prompt=one.prompt.id, unrated=unrated)
