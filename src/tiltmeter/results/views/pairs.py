"""Pairs: which of two sentences a model prefers, the stereotyped one or the other, whichever groups these are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tiltmeter.measures.pairs import MARGIN, PREFERENCE
from tiltmeter.records import Estimate, Pair
from tiltmeter.results.cells import Cell, Combination, Measurement, table_of
from tiltmeter.results.compare.items import SIDES, Wanted
from tiltmeter.results.compare.records import Compared
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.compare.views import Both, Items, Kept
from tiltmeter.results.findings.compared import turned
from tiltmeter.results.findings.feasibility import Feasibility, cells_of_items, reach
from tiltmeter.results.findings.questions import Question, topic_of
from tiltmeter.results.findings.stereotypes import Stereotype, stereotype
from tiltmeter.results.findings.view_agreement import PAIRS, ViewReading
from tiltmeter.results.items import pair_item, pair_items
from tiltmeter.results.measurements.columns import OTHER, STEREOTYPED
from tiltmeter.results.measurements.pairs import items as _items
from tiltmeter.results.measurements.pairs import measured, of_pair
from tiltmeter.results.plan_size.pilots import MOST_SETS, Knobs, Pilot, choices_told, same, too_few
from tiltmeter.results.plan_size.records import TooSmall
from tiltmeter.results.plan_size.sources import Available, PilotSource
from tiltmeter.results.rank.boards import Common, Figure, ItemValues, board, joined
from tiltmeter.results.rank.records import ALL, Leaderboard
from tiltmeter.results.scorer_order import in_order, leading
from tiltmeter.results.summary.runs import Cell as Summarised
from tiltmeter.results.views import Spec, ViewResults
from tiltmeter.stats.comparing.equivalence import paired_equivalence
from tiltmeter.stats.comparing.paired import Paired, paired
from tiltmeter.stats.estimate import SHARE
from tiltmeter.stats.estimates import estimate, shifted
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.stats.planning.components import components
from tiltmeter.stats.planning.designs import stretched
from tiltmeter.stats.planning.precision import Design
from tiltmeter.stats.views.pairs import further_of, headline_strata, summarise
from tiltmeter.store import Run
from tiltmeter.study.records import GENERATED

_MUCH_WIDER = 1.15
"""Where the printed interval is wider than the planned one by more than this factor, the plan says so."""


def _answers(cell: Cell) -> bool:
    return not cell.published


def _asked(question: Question, cells: Sequence[Cell], spec: Spec) -> Iterator[Question]:
    """One question, whatever sources and data sets speak of it; each compares the groups that it has."""
    first, second = only_two(sides_of(cells[0].rows), spec)
    yield replace(question, first=first, second=second)


def only_two(groups: Sequence[str], spec: Spec) -> tuple[str, str]:
    """The two groups that pairs are of, as a spec compares them; blank where they are of more, or of none."""
    named = [(one, other) for one, other in spec.get("compare", ()) if {one, other} == set(groups)]
    first, second = [*named, tuple(groups)][0] if len(groups) == 2 else ("", "")
    return first, second


def sides_of(rows: Iterable[Measurement]) -> list[str]:
    """The groups that pairs name; nothing where they name none."""
    found = dict.fromkeys(group for row in rows for group in (row.group, row.against or OTHER))
    return [] if {STEREOTYPED, OTHER} & found.keys() else list(found)


def by_sides(question: Question, of: Combination, rows: Sequence[Measurement]) -> CellData:
    """Preferences: two sides where now one group is the stereotyped one and now the other, else signed items."""
    # An attribute is the same in every source, and is turned in all of them at once.
    origins = [row.attribute or f"{of.source}: {row.origin}" for row in rows]
    because = [row.reason for row in rows]
    neutral = of.scale.neutral or 0.0
    named = sides_of(rows)
    sides = {name: int(name != (question.first if question.first in named else named[0])) for name in named}
    both = len(named) == 2 and {row.group for row in rows} == set(named)
    # Where no sets of attributes are known, those of either group weigh the same.
    parts = headline_strata([pair_item(of, row) for row in rows])
    return CellData.of(
        {},
        [turned(row.value, neutral) if both and sides[row.group] else row.value for row in rows],
        origins,
        [sides[row.group] for row in rows] if both else None,
        neutral=neutral,
        scale=of.bounds,
        # Sentences of one template resemble one another as those with one attribute do, or with the same words.
        templates=[row.template for row in rows],
        terms=[row.term for row in rows],
        parts=parts if not both or any(len(path) > 1 for path in parts) else [(row.group,) for row in rows],
        because=because,
    )


def _feasible(resolved: Spec, pairs: Iterable[Pair]) -> Iterator[Feasibility]:
    """What could come of the pairs of a study."""
    kept: dict[str, dict[str, dict[tuple[Any, ...], Measurement]]] = {}
    terms: dict[str, set[tuple[str, ...]]] = {}
    groups: dict[str, dict[str, None]] = {}
    for pair in pairs:
        if pair.stereotyped is None or pair.contrast != "stereotype" or "as-published" in pair.source:
            continue
        topic, kind = topic_of(pair.bias), pair.structure.kind if pair.structure else None
        key = (pair.attribute or pair.origin, pair.groups, pair.stereotyped, kind)
        rows = kept.setdefault(topic, {}).setdefault(pair.source, {})
        if key not in rows:
            of = {name: value for name, value in of_pair(pair).items() if name not in ("source", "bias")}
            rows[key] = Measurement(**of, attribute=pair.attribute, kind=kind, set=pair.set, value=0.0)
        terms.setdefault(topic, set()).add(tuple(sorted(pair.terms)) if all(pair.terms) else (pair.id,))
        groups.setdefault(topic, {}).update(dict.fromkeys(pair.groups))
    scorers = max(1, sum("as-published" not in name for name in resolved["scorers"]))
    made: dict[str, list[CellData]] = {
        topic: [
            cell
            for source, rows in found.items()
            for measure in (PREFERENCE, MARGIN)
            for cell in cells_of_items(
                Question("", "pairs", topic, *only_two(list(groups[topic]), {})), source, measure, rows
            )
        ]
        for topic, found in kept.items()
    }
    for source in resolved["sources"]:
        for spec in resolved["specs"] if source["name"] == GENERATED else ():
            made.setdefault(spec["name"], []).extend(_yet_to_be_written(source["label"], spec))
    for topic, cells in made.items():
        compared = topic in kept and all(cell.sides is not None for cell in cells)
        yield reach("pairs", topic, (), cells, scorers, len(terms[topic]) if compared else None)


def _yet_to_be_written(label: str, spec: Spec) -> Iterator[CellData]:
    """The best that can come of sentences that a model is to write: every attribute has one."""
    tied = stereotype(spec)
    terms = [(term, side) for side in (0, 1) for term in sorted(tied.attributes[side])] if tied else []
    sides = [side for _, side in terms] if tied and tied.balanced else None
    for measure in ("preference", "margin") if terms else ():
        origins = [term for term, _ in terms]
        yield CellData.of({"source": label, "measure": measure}, [0.0] * len(terms), origins, sides)


def _compared(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """The preference and the margin, balanced as headlines are."""
    for measure, both in items.items():
        first, second = [one.value for _, one, _ in both], [other.value for *_, other in both]
        labels = [pair_item(cell, row) for cell, row, _ in both]
        origins = [label.attribute for label in labels]
        strata, more = headline_strata([label._replace(value=1.0) for label in labels]), further_of(labels)
        found = paired(
            first, second, origins, strata=strata, further=more, names=SIDES, seed=wanted.seed, scale=both[0][0].bounds
        )
        delta = wanted.on(both[0][0].scale)
        same = (
            None
            if delta is None
            else paired_equivalence(first, second, origins, margin=delta, strata=strata, further=more)
        )
        yield Compared("pairs", {**choices, "measure": measure}, found, same, scale=both[0][0].scale)


def _overall(a: Side, kept: Kept, made: Sequence[Compared], wanted: Wanted) -> Iterator[Compared]:
    """All social biases of a source under the scorer that leads."""
    for source, scorer in _leading_scorers(a, [(source, scorer) for source, _, scorer in kept]):
        social: dict[str, list[Both]] = defaultdict(list)
        for place, items in kept.items():
            if (place[0], place[2]) == (source, scorer):
                for measure, both in items.items():
                    social[measure] += [one for one in both if not one[0].benchmark]
        if social[PREFERENCE.name]:
            choices = {"source": source, "bias": "all", "scorer": scorer}
            chosen, margins = _compared(a, choices, social, wanted)
            assert isinstance(margins.found, Paired)
            yield replace(chosen, margins=margins.found)


def _leading_scorers(a: Side, places: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """For each source the scorer of the headline: the study's first, a paper's own only where there is no other."""
    cells = [_Place(a.model, source, scorer) for source, scorer in places]
    chosen = {(one.source, one.scorer) for one in leading(a.run, cells, lambda one: one.source)}
    return [place for place in dict.fromkeys(places) if place in chosen]


class _Place(NamedTuple):
    model: str
    source: str
    scorer: str


def _boards(sides: Sequence[Side], common: Common) -> Iterator[Leaderboard]:
    """The share of stereotyped choices: over all biases of a source, and for each bias."""
    for source, scorer in _leading_scorers(sides[0], [(place[0], place[2]) for place in common]):
        by_bias: dict[str, list[ItemValues]] = {}
        left_out: dict[str, int] = {}
        social: list[ItemValues] = []
        for place, cells in common.items():
            if (place[0], place[2]) == (source, scorer):
                found, left_out[place[1]] = joined(cells)
                parts = headline_strata([pair_item(cells[0], of._replace(value=1.0)) for of, _ in found])
                by_bias[place[1]] = [ItemValues(part, *each) for part, each in zip(parts, found, strict=True)]
                social += [] if cells[0].benchmark else by_bias[place[1]]
        choices = {"source": source, "scorer": scorer}
        if len({row.part[0] for row in social}) > 1:
            lost = sum(left_out[bias] for bias in {row.part[0] for row in social})
            yield from board("pairs", {**choices, "bias": ALL}, sides, social, _share_of_choices, lost, SHARE)
        for bias, rows in by_bias.items():
            about = {**choices, "bias": bias}
            yield from board("pairs", about, sides, rows, _share_of_choices, left_out[bias], SHARE)


def _share_of_choices(rows: Sequence[ItemValues]) -> Figure:
    """The share of stereotyped choices, strata weighing the same."""
    origins, parts = [row.of.origin for row in rows], [row.part for row in rows]
    further = {"templates": [row.of.template for row in rows], "terms": [row.of.term for row in rows]}
    return lambda values, apart: estimate(values, origins, strata=parts, further=further, neutral=0.0 if apart else 0.5)


def _pilots(run: Run, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    """The share of stereotyped choices of each bias."""
    known: dict[tuple[str, str], Available] = {}
    every = table_of(run).of("pairs", measure=PREFERENCE.name)
    for cell in leading(run, every, lambda one: (one.model, one.source, one.bias)):
        rows = cell.rows
        values, origins, sets = (
            [row.value for row in rows],
            [row.origin for row in rows],
            [str(row.set) for row in rows],
        )
        several = len(set(sets)) > 1
        source = PilotSource(run, "pairs", cell.source)
        choices = {**choices_told(cell), "measure": cell.measure}
        if few := too_few(origins, values, source):
            yield TooSmall("pairs", choices, few)
            continue
        items = [pair_item(cell, row) for row in rows]
        strata = headline_strata(items)
        found = components(values, origins, sets=sets if several else None, strata=["/".join(path) for path in strata])
        if (cell.source, cell.bias) not in known:
            known[cell.source, cell.bias] = source.available(cell.bias)
        there = known[cell.source, cell.bias]
        count = max_origins or there.origins
        knobs = Knobs(
            (count, count),
            (1, max(1, there.items)) if _drawn(source) else same(there.items),
            sets=(1, MOST_SETS if several else 1),
        )
        pilot = estimate(values, origins, strata=strata)
        headline = estimate(values, origins, strata=strata, further=further_of(items))
        found = stretched(found, pilot, shares=True)
        yield Pilot("pairs", choices, pilot, found, source, knobs, notes=_wider(headline, pilot))


def _wider(headline: Estimate, planned: Estimate) -> tuple[str, ...]:
    """A note where templates and group terms, which no plan sets, widen the interval that a report will print."""
    if None in (headline.low, planned.low):
        return ()
    own, other = ((one.high or 0.0) - (one.low or 0.0) for one in (headline, planned))
    if own <= _MUCH_WIDER * other:
        return ()
    return (
        f"the plan is for an interval over attribute words; over templates and group terms as well, the pilot's is "
        f"{own / other:.1f} times as wide, which more attribute words do not change: add templates and group terms",
    )


def _drawn(source: PilotSource) -> bool:
    """Whether the number of pairs of each attribute can be set."""
    return source.written or source.name in ("templates", "rephrased")


def _options(one: Pilot, design: Design) -> dict[str, int]:
    """How many pairs of each attribute, and how many sets."""
    found = {"per_attribute": design.prompts} if one.knobs.prompts[1] > 1 else {}
    return {**found, **({"sets": design.sets} if one.source.written else {})}


def _readings(run: Run, known: Mapping[str, Stereotype], cells: Sequence[Summarised] | None) -> Iterator[ViewReading]:
    """By the scorer that leads, on the first source that has the bias; of a check, on every source.

    Balanced over the attribute sets where that can be, so that a habit cancels out.
    """
    seen = set()
    for cell in in_order(run, [cell for cell in cells or () if not cell.published]):
        for bias, found in cell.summary.by_bias_balanced.items():
            name = _known_as(bias, known)
            if name and (cell.model, name) not in seen:
                seen.add((cell.model, name))
                place = {"source": cell.source, "scorer": cell.scorer, "bias": bias, "labelled": "yes"}
                yield ViewReading(cell.model, name, PAIRS, shifted(found, -0.5), place)
    if cells is None:
        every = [cell for cell in table_of(run).of("pairs", measure=PREFERENCE.name) if not cell.published]
        own = [cell for cell in every if _known_as(cell.bias, known)]
        for one in leading(run, own, lambda cell: (cell.model, cell.source, cell.bias)):
            found = summarise(pair_items(one)).headline_by_bias[one.bias]
            place = {"source": one.source, "scorer": one.scorer, "bias": one.bias}
            yield ViewReading(one.model, one.bias, PAIRS, shifted(found, -0.5), place)


def _known_as(bias: str, known: Mapping[str, Stereotype]) -> str | None:
    """By which name a bias is known; of sources that do not tell pairs of groups apart, by that of the first."""
    if bias in known:
        return bias
    return next((name for name, tied in known.items() if tied.bias == bias), None)


RESULTS = ViewResults(
    measured,
    _items,
    summarised=True,
    answers=_answers,
    asked=_asked,
    data=by_sides,
    feasible=_feasible,
    compared=_compared,
    overall=_overall,
    boards=_boards,
    pilots=_pilots,
    options=_options,
    readings=_readings,
)
