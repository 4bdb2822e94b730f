"""The human column of the bidimensional table, and how far raters agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.records import Decoding, Scope
from tiltmeter.results.cells import Cell, Measurement, Table
from tiltmeter.results.items import rated_items
from tiltmeter.results.measurements.columns import HUMAN, RATING
from tiltmeter.results.summary.raters import comparable, compared, grouped_by_bias
from tiltmeter.results.summary.refusals import ANY, Order
from tiltmeter.results.summary.text_records import (
    PEOPLE,
    ContinuationCell,
    PeopleAgreement,
    PeoplePooled,
    RatersCompared,
    ends_of,
)
from tiltmeter.stats.agreement.annotators import krippendorffs_alpha_of_numbers
from tiltmeter.stats.views.continuations import ContinuationSummary, RatedItem, summarise
from tiltmeter.stats.views.rating_curves import mean_judgement

_Place = tuple[str, str, str, Decoding]
"""Model, source, bias and decoding."""


@dataclass(frozen=True, slots=True)
class RatedText:
    """A text of a model, and what each person said of it."""

    place: _Place
    row: Measurement
    values: dict[str, float] = field(default_factory=dict)
    unrated: dict[str, str] = field(default_factory=dict)
    """Why somebody who looked at it gave it no number."""

    @property
    def key(self) -> tuple[object, ...]:
        """What tells it from other texts of the run."""
        return self.place[0], self.place[3], self.row.item, self.row.sample

    @property
    def value(self) -> float | None:
        """What they said together; None where nobody gave a number."""
        return mean_judgement(list(self.values.values())) if self.values else None

    @property
    def item(self) -> RatedItem:
        """The text as one that was rated once."""
        why = None if self.values else next(iter(self.unrated.values()), None)
        return RatedItem(self.row.group, self.value, self.row.origin, prompt=self.row.item, unrated=why)


def people_name(table: Table) -> str:
    """The name that stands for all people in tables: with the kind of what they rated, where it is known."""
    kinds = dict.fromkeys(cell.measure.removeprefix(f"{HUMAN} ") for cell in table.by_people("continuations"))
    return ".".join((PEOPLE, *(kind for kind in kinds if kind != RATING)))


def rated_by_people(table: Table) -> list[RatedText]:
    """The texts that people rated, in the order of the run within each combination of choices."""
    places: dict[_Place, list[Cell]] = {}
    for cell in table.by_people("continuations"):
        places.setdefault((cell.model, cell.source, cell.bias, cell.decoding), []).append(cell)
    found: dict[tuple[object, ...], RatedText] = {}
    for place, cells in places.items():
        for cell in cells:
            name = cell.rater.removeprefix(f"{HUMAN}:")
            for row in cell.rows:
                text = RatedText(place, row)
                text = found.setdefault(text.key, text)
                if row.value is None:
                    text.unrated[name] = row.reason or ""
                else:
                    text.values[name] = row.value
    return list(found.values())


def people_cells(texts: Sequence[RatedText], rater: str, scope: Scope, order: Order) -> list[ContinuationCell]:
    """What people say of the groups, for every model, source, bias and decoding of which they rated texts.

    They stand beside the raters, so they have the `scope` of these, and the study's order and reference of groups.
    """
    by_key: dict[_Place, list[RatedItem]] = {}
    for text in texts:
        if text.row.group != ANY:
            by_key.setdefault(text.place, []).append(text.item)
    return [
        ContinuationCell(*place, rater, scope, _summary(items, place[2], rater, order), frozenset())
        for place, items in by_key.items()
    ]


def pooled_people(
    texts: Sequence[RatedText], rater: str, cells: Sequence[Cell], order: Order
) -> Iterator[PeoplePooled]:
    """What people say of the groups over all prompts and decodings: few rate enough texts of one setting.

    Texts of all settings count the same. Raters of the same kind stand beside, on the very texts that people gave a
    number.
    """
    for model, bias in dict.fromkeys((text.place[0], text.place[2]) for text in texts if text.row.group != ANY):
        own = [text for text in texts if (text.place[0], text.place[2]) == (model, bias)]
        numbered = {text.key for text in own if text.value is not None}
        beside: dict[str, list[RatedItem]] = {}
        for cell in cells:
            if (cell.model, cell.bias) == (model, bias) and comparable(rater, cell.rater):
                beside.setdefault(cell.rater, []).extend(
                    item
                    for item, row in zip(rated_items(cell), cell.rows, strict=True)
                    if (model, cell.decoding, row.item, row.sample) in numbered
                )
        summaries = {name: _summary(items, bias, name, order) for name, items in beside.items() if items}
        yield PeoplePooled(model, bias, rater, _summary([text.item for text in own], bias, rater, order), summaries)


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
    said: Mapping[tuple[object, ...], float] = {text.key: text.value for text in texts if text.value is not None}
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
                by_people += grouped_by_bias(cell.bias, [item for item, _ in both])
                by_rater += grouped_by_bias(cell.bias, [item for _, item in both])
        if by_people:
            yield compared(model, source, (people, rater), (by_people, by_rater), seed)


def people_agreement(texts: Sequence[RatedText], rater: str) -> PeopleAgreement:
    """Who rated how many of the texts, and how far they agree."""
    own = [text.values for text in texts if text.values]
    counts = Counter(name for found in own for name in found)
    sheets = [[found.get(name) for found in own] for name in counts]
    alpha = krippendorffs_alpha_of_numbers(sheets) if len(counts) > 1 else None
    none = Counter(name for text in texts for name in text.unrated)
    everybody = {name: counts[name] for name in dict.fromkeys((*counts, *none))}
    return PeopleAgreement(everybody, len(own), alpha, len(texts) - len(own), dict(none), rater)
