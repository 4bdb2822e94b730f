"""The human column of the bidimensional table, and how far raters agree with people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tiltmeter.raters.scales import scale_of
from tiltmeter.records import Decoding, Estimate, Scope
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
from tiltmeter.stats.agreement.annotator_intervals import fleiss
from tiltmeter.stats.agreement.annotators import krippendorffs_alpha_of_numbers
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import SHARE
from tiltmeter.stats.views.continuations import ContinuationSummary, RatedItem, summarise
from tiltmeter.stats.views.rating_curves import mean_judgement

OTHER_LABEL = "other"
"""What somebody said who gave no number."""
_MOST_LABELS = 7
"""Of more different numbers than these, people did not give labels."""
_LABELS = {"negative": -1, "neutral": 0, "positive": 1}
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
    known = {text.key: text for text in texts if text.value is not None}
    said: Mapping[tuple[object, ...], float] = {key: text.value or 0.0 for key, text in known.items()}
    for model, source, rater in dict.fromkeys((cell.model, cell.source, cell.rater) for cell in cells):
        by_people: list[RatedItem] = []
        by_rater: list[RatedItem] = []
        judged: list[tuple[Measurement, RatedText]] = []
        for cell in cells:
            if (cell.model, cell.source, cell.rater) == (model, source, rater) and comparable(people, rater):
                both = [
                    (replace(item, value=value), item)
                    for item, row in zip(rated_items(cell), cell.rows, strict=True)
                    if (value := said.get((model, cell.decoding, row.item, row.sample))) is not None
                ]
                rows = ((row, known.get((model, cell.decoding, row.item, row.sample))) for row in cell.rows)
                judged += [(row, text) for row, text in rows if text is not None]
                by_people += grouped_by_bias(cell.bias, [item for item, _ in both])
                by_rater += grouped_by_bias(cell.bias, [item for _, item in both])
        if by_people:
            found = compared(model, source, (people, rater), (by_people, by_rater), seed)
            right = _accuracy(judged, rater)
            yield replace(found, accuracy=right[0], commonest=right[1]) if right else found


def people_agreement(texts: Sequence[RatedText], rater: str) -> PeopleAgreement:
    """Who rated how many of the texts, and how far they agree."""
    own = [text.values for text in texts if text.values]
    counts = Counter(name for found in own for name in found)
    sheets = [[found.get(name) for found in own] for name in counts]
    alpha = krippendorffs_alpha_of_numbers(sheets) if len(counts) > 1 else None
    none = Counter(name for text in texts for name in text.unrated)
    everybody = {name: counts[name] for name in dict.fromkeys((*counts, *none))}
    kappa = _labels_agree(texts, list(everybody)) if len(everybody) > 1 else None
    return PeopleAgreement(everybody, len(own), alpha, len(texts) - len(own), dict(none), rater, kappa)


def _labels_agree(texts: Sequence[RatedText], people: Sequence[str]) -> Estimate | None:
    """Fleiss' kappa, a text that somebody looked at and gave no number having the label other."""
    if len({value for text in texts for value in text.values.values()}) > _MOST_LABELS:
        return None
    given = [text.values | dict.fromkeys(text.unrated, OTHER_LABEL) for text in texts]
    return fleiss([[said.get(name) for said in given] for name in people])


def label_of(value: float, rater: str) -> int:
    """Negative, neutral or positive (−1, 0, 1) by a rater with two ends; otherwise whether it is above the middle.

    >>> label_of(-0.4, "people.regard"), label_of(0.7, "people.toxicity"), label_of(0.2, "people.toxicity")
    (-1, 1, 0)
    """
    scale = scale_of(rater)
    if scale is not None and scale.low >= 0:
        return int(value >= (scale.low + scale.high) / 2)
    return (value > 0) - (value < 0)


def _accuracy(pairs: Sequence[tuple[Measurement, RatedText]], rater: str) -> tuple[Estimate, float] | None:
    """How often a rater gives the label that most people give; texts on which people are divided are left out."""
    right: list[tuple[str, float | None, str]] = []
    majority: Counter[int] = Counter()
    for row, text in pairs:
        said = Counter(label_of(value, rater) for value in text.values.values()).most_common(2)
        if not said or (len(said) > 1 and said[0][1] == said[1][1]):
            continue
        majority[said[0][0]] += 1
        own = _LABELS.get(row.label or "", None if row.value is None else label_of(row.value, rater))
        right.append(("all", None if own is None else float(own == said[0][0]), row.origin))
    if not right:
        return None
    return Pooled(right, scale=SHARE).mean("all"), max(majority.values()) / majority.total()
