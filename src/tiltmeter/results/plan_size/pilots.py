"""What a pilot run says of each figure that can be planned for: its estimate, its components, and what can be set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, Measurement, compared_groups, is_of, table_of
from tiltmeter.results.compare.names import as_pair
from tiltmeter.results.compare.sides import decoding_words
from tiltmeter.results.findings.stereotypes import group_pairs
from tiltmeter.results.items import rated_items
from tiltmeter.results.plan_size.records import TooSmall
from tiltmeter.results.plan_size.sources import Available, PilotSource
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.summary.structures import rephrased
from tiltmeter.results.views import results_of
from tiltmeter.stats.estimate import SHARE
from tiltmeter.stats.estimates import FEWEST_ORIGINS, is_number
from tiltmeter.stats.planning.components import Components, components, difference_components
from tiltmeter.stats.planning.designs import stretched
from tiltmeter.stats.planning.precision import Design
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.views.continuations import RatedItem
from tiltmeter.stats.views.next_words import Place, Values, means, resampled_over
from tiltmeter.store import Run
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import FACTS, View

MOST_SAMPLES = 100
MOST_SETS = 30
"""As many sets as the paper on generated sentences has."""


@dataclass(frozen=True, slots=True)
class Knobs:
    """Between which numbers each level can be set; both the same where it cannot."""

    origins: tuple[int, int]
    prompts: tuple[int, int] = (1, 1)
    samples: tuple[int, int] = (1, 1)
    sets: tuple[int, int] = (1, 1)

    @property
    def limits(self) -> Design:
        """The most of each."""
        return Design(self.origins[1], self.prompts[1], self.samples[1], self.sets[1])


class Pilot(NamedTuple):
    """What is known of a figure before it is planned for."""

    view: View
    choices: Mapping[str, str]
    estimate: Estimate
    found: Components
    source: PilotSource
    knobs: Knobs
    across_sets: bool = False
    notes: tuple[str, ...] = ()
    blocked: str | None = None
    of_groups: bool = False
    """Whether it is the difference of two groups."""

    @property
    def structured(self) -> bool:
        """Whether sentence structures are crossed with origins."""
        return self.of_groups and self.across_sets

    @property
    def sets_are(self) -> str:
        """What is crossed with origins, or what independent sets are called."""
        return "structures" if self.structured else FACTS[self.view].sets


def pilots_of(run: Run, view: View, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    """What a run says of the figures of a view."""
    own = results_of(view).pilots
    if own:
        return own(run, max_origins)
    return chain(_of_two(run, view, max_origins), _of_one(run, view, max_origins))


def choices_told(cell: Cell) -> dict[str, str]:
    """What a figure is of, and the choices that it is named by."""
    own = {name: cell.choices[name] for name in FACTS[cell.view].named_by}
    return {"model": cell.model, "source": cell.source, "bias": cell.bias, **own}


def same(number: int) -> tuple[int, int]:
    """The ends of what cannot be set."""
    return max(1, number), max(1, number)


def too_few(origins: Sequence[str], values: Sequence[float | None], source: PilotSource, whose: str = "") -> str:
    """Why nothing can be planned, where the pilot has too few origins with a value for an interval; else nothing."""
    scored = len({origin for origin, value in zip(origins, values, strict=True) if is_number(value)})
    if scored >= FEWEST_ORIGINS:
        return ""
    return f"the pilot has {scored} {source.origins_are}{whose} with a value; it takes {FEWEST_ORIGINS} or more to plan"


def _of_one(run: Run, view: View, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    """The difference of every two groups that are compared."""
    cells = list(_answering(run, view))
    # One decoding is planned for, the study's first that leaves something to chance.
    chosen = sorted({cell.decoding: None for cell in cells}, key=lambda one: one.temperature <= 0)[:1]
    known: dict[tuple[str, str, tuple[str, str]], Available] = {}
    for cell in cells:
        if cell.decoding not in chosen or not cell.worse:
            continue
        items = rephrased(rated_items(cell))
        groups = list(dict.fromkeys(item.group for item in items))
        source = PilotSource(run, view, cell.source)
        for pair in group_pairs(groups, run.meta["resolved"], cell.bias, view):
            own = [item for item in items if item.group in pair]
            if few := _few_texts(own, pair, source):
                yield TooSmall(view, _text_choices(cell, pair), few)
                continue
            place = (cell.source, cell.bias, pair)
            if place not in known:
                known[place] = source.available(cell.bias, pair)
            yield _text_pilot(cell, own, pair, source, known[place], max_origins)


def _answering(run: Run, view: View) -> Iterator[Cell]:
    """The cells of one group's values, by the first of the measures of each way of asking that answers questions."""
    answers, seen = results_of(view).answers, set()
    cells = [cell for cell in table_of(run).of(view) if not cell.compares and (answers is None or answers(cell))]
    for cell in sorted(cells, key=lambda one: [*FACTS[view].counted].index(one.measure)):
        way = replace(cell, measure="").place
        if cell.measure in FACTS[view].measures and way not in seen:
            seen.add(way)
            yield cell


def _few_texts(items: Sequence[RatedItem], pair: tuple[str, str], source: PilotSource) -> str:
    """The same of the first group that has too few."""
    for name in pair:
        own = [item for item in items if item.group == name]
        if few := too_few([item.origin for item in own], [item.value for item in own], source, f" of {name}"):
            return few
    return ""


def _text_choices(cell: Cell, pair: tuple[str, str]) -> dict[str, str]:
    decoding = {"decoding": decoding_words(cell.decoding)} if FACTS[cell.view].decoded else {}
    measure = {"measure": cell.measure} if len(FACTS[cell.view].measures) > 1 else {}
    return {**choices_told(cell), "groups": as_pair(pair), **decoding, **measure}


def _text_pilot(
    cell: Cell,
    items: Sequence[RatedItem],
    pair: tuple[str, str],
    source: PilotSource,
    there: Available,
    max_origins: int | None,
) -> Pilot:
    ends = cell.bounds
    texts = [(item.group, item.value, item.origin) for item in items]
    both = Pooled(texts, structures=[item.structure for item in items], scale=ends).difference(*pair)
    structures = {item.structure for item in items if item.structure is not None}
    several = len(structures) > 1
    found = _difference(items, pair, structured=len(structures) >= FEWEST_ORIGINS)
    across = found.sets is not None and found.sides == 1.0
    samples = (1, MOST_SAMPLES if FACTS[cell.view].decoded and cell.decoding.temperature > 0 else 1)
    if across:
        origins = max_origins or there.origins
        knobs = Knobs(
            same(max(FEWEST_ORIGINS, origins)),
            same(there.items // max(1, there.structures)),
            samples,
            sets=(FEWEST_ORIGINS, max(there.structures, len(structures))),
        )
    else:
        count = max(FEWEST_ORIGINS, max_origins or there.origins)
        knobs = Knobs((FEWEST_ORIGINS, count), (1, max(1, there.items)), samples)
    found = stretched(found, both, across_sets=across)
    notes = () if across or not several else (_STRUCTURES,)
    choices = _text_choices(cell, pair)
    return Pilot(cell.view, choices, both, found, source, knobs, across, notes, of_groups=True)


_STRUCTURES = (
    "texts have several sentence structures, but too few of them, or none that every origin has: the plan is for an "
    "interval over origins alone"
)


def _difference(items: Sequence[RatedItem], pair: tuple[str, str], *, structured: bool) -> Components:
    return difference_components(
        [item.value for item in items],
        [item.group for item in items],
        [item.origin for item in items],
        [item.prompt for item in items],
        between=pair,
        sets=[item.structure or f"\0{item.origin}" for item in items] if structured else None,
    )


def _of_two(run: Run, view: View, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    """The mean of values that compare two groups already, of every two."""
    seen: set[tuple[str, str, str]] = set()
    for cell in table_of(run).of(view, measure=FACTS[view].lead):
        items = [row for row in cell.rows if row.perturbation in (None, ORIGINAL)]
        known = (cell.model, cell.source, cell.bias) in seen
        if known or not cell.compares or cell.source == DEFAULT_SOURCE or not items:
            continue
        # The first combination of choices stands for the others.
        seen.add((cell.model, cell.source, cell.bias))
        for pair in compared_groups(view, items):
            own = [row for row in items if is_of(row, pair)]
            yield _pilot_of_two(run, cell, own, pair, max_origins)


def _pilot_of_two(
    run: Run, cell: Cell, rows: Sequence[Measurement], pair: tuple[str, str], max_origins: int | None
) -> Pilot | TooSmall:
    values, places = [row.value for row in rows], [Place(row.origin, row.template) for row in rows]
    origins, templates = [row.origin for row in rows], [row.template or "" for row in rows]
    source = PilotSource(run, cell.view, cell.source)
    choices = {**choices_told(cell), **({"groups": as_pair(pair)} if any(pair) else {}), "measure": cell.measure}
    if reason := too_few(origins, values, source):
        return TooSmall(cell.view, choices, reason)
    crossed = {"profession", "template"} <= set(resampled_over(places))
    found = components(values, origins, sets=templates if crossed else None)
    there = source.available(cell.bias)
    count = max(FEWEST_ORIGINS, max_origins or there.origins)
    across = crossed and found.sets is not None
    few = crossed and len(set(templates)) < FEWEST_ORIGINS
    blocked = f"there is no interval with fewer than {FEWEST_ORIGINS} templates: add templates" if few else None
    each = same(len(set(templates)) if crossed else round(found.pilot["prompts"]))
    knobs = Knobs((FEWEST_ORIGINS, count), sets=each) if crossed else Knobs((FEWEST_ORIGINS, count), each)
    [mean] = means(places, {"": Values(values, cell.scale)}).values()
    found = stretched(found, mean, across_sets=across, shares=cell.scale == SHARE)
    return Pilot(cell.view, choices, mean, found, source, knobs, across_sets=across, blocked=blocked)
