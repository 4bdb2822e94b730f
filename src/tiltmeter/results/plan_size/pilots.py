"""What a pilot run says of each figure that can be planned for: its estimate, its components, and what can be set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from tiltmeter.measures.next_words import SHARE
from tiltmeter.measures.pairs import PREFERENCE
from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, table_of
from tiltmeter.results.compare.names import as_pair
from tiltmeter.results.compare.sides import decoding_words, group_pairs
from tiltmeter.results.items import pair_item, rated_items
from tiltmeter.results.plan_size.records import TooSmall
from tiltmeter.results.plan_size.sources import Available, PilotSource
from tiltmeter.results.scorer_order import rank_of
from tiltmeter.results.scores import is_published
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.summary.structures import rephrased
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.estimates import FEWEST_ORIGINS, estimate, is_number
from tiltmeter.stats.planning.components import Components, components, difference_components
from tiltmeter.stats.planning.designs import stretched
from tiltmeter.stats.planning.precision import Design
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.views.continuations import RatedItem
from tiltmeter.stats.views.next_words import Place, Values, means, resampled_over
from tiltmeter.stats.views.pairs import further_of, headline_strata
from tiltmeter.store import Run
from tiltmeter.study.planning import DEFAULT_SOURCE
from tiltmeter.views import View

MOST_SAMPLES = 100
MOST_SETS = 30
"""As many sets as the paper on generated sentences has."""
_MUCH_WIDER = 1.15
"""Where the printed interval is wider than the planned one by more than this factor, the plan says so."""


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

    @property
    def structured(self) -> bool:
        """Whether sentence structures are crossed with origins."""
        return self.view == "continuations" and self.across_sets

    @property
    def sets_are(self) -> str:
        """What is crossed with origins, or what independent sets are called."""
        return "structures" if self.structured else "templates" if self.view == "next words" else "sets"


def _of_pairs(run: Run, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    named = run.meta["resolved"]["scorers"]
    known: dict[tuple[str, str], Available] = {}
    leading: dict[tuple[str, str, str], Cell] = {}
    every = table_of(run).of("pairs", measure=PREFERENCE.name)
    for cell in sorted(
        every,
        key=lambda one: (is_published(one.scorer, ""), rank_of(one.scorer, named, run.facts[one.model].family)),
    ):
        leading.setdefault((cell.model, cell.source, cell.bias), cell)
    for cell in [one for one in every if one is leading[one.model, one.source, one.bias]]:
        rows = cell.rows
        values, origins, sets = (
            [row.value for row in rows],
            [row.origin for row in rows],
            [str(row.set) for row in rows],
        )
        several = len(set(sets)) > 1
        source = PilotSource(run, "pairs", cell.source)
        choices = {"model": cell.model, "source": cell.source, "bias": cell.bias, "scorer": cell.scorer}
        choices |= {"measure": cell.measure}
        if few := _too_few(origins, values, source):
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
            (1, max(1, there.items)) if _drawn(source) else _same(there.items),
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


def _same(number: int) -> tuple[int, int]:
    return max(1, number), max(1, number)


def _too_few(origins: Sequence[str], values: Sequence[float | None], source: PilotSource, whose: str = "") -> str:
    """Why nothing can be planned, where the pilot has too few origins with a value for an interval; else nothing."""
    scored = len({origin for origin, value in zip(origins, values, strict=True) if is_number(value)})
    if scored >= FEWEST_ORIGINS:
        return ""
    return f"the pilot has {scored} {source.origins_are}{whose} with a value; it takes {FEWEST_ORIGINS} or more to plan"


def _of_texts(run: Run, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    if run.continuations is None or not run.continuations.decodings:
        return
    # One decoding is planned for, the study's first that leaves something to chance.
    decodings = run.continuations.decodings
    chosen = next((one for one in decodings if one.temperature > 0), decodings[0])
    known: dict[tuple[str, str, tuple[str, str]], Available] = {}
    for cell in table_of(run).of("continuations"):
        if cell.decoding != chosen or not cell.worse:
            continue
        items = rephrased(rated_items(cell))
        groups = list(dict.fromkeys(item.group for item in items))
        source = PilotSource(run, "continuations", cell.source)
        for pair in group_pairs(groups, run.meta["resolved"], cell.bias):
            own = [item for item in items if item.group in pair]
            if few := _few_texts(own, pair, source):
                yield TooSmall("continuations", _text_choices(cell, pair), few)
                continue
            place = (cell.source, cell.bias, pair)
            if place not in known:
                known[place] = source.available(cell.bias, pair)
            yield _text_pilot(cell, own, pair, source, known[place], max_origins)


def _few_texts(items: Sequence[RatedItem], pair: tuple[str, str], source: PilotSource) -> str:
    """The same of the first group that has too few."""
    for name in pair:
        own = [item for item in items if item.group == name]
        if few := _too_few([item.origin for item in own], [item.value for item in own], source, f" of {name}"):
            return few
    return ""


def _text_choices(cell: Cell, pair: tuple[str, str]) -> dict[str, str]:
    return {
        "model": cell.model,
        "source": cell.source,
        "bias": cell.bias,
        "rater": cell.rater,
        "groups": as_pair(pair),
        "decoding": decoding_words(cell.decoding),
    }


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
    samples = (1, MOST_SAMPLES if cell.decoding.temperature > 0 else 1)
    if across:
        origins = max_origins or there.origins
        knobs = Knobs(
            _same(max(FEWEST_ORIGINS, origins)),
            _same(there.items // max(1, there.structures)),
            samples,
            sets=(FEWEST_ORIGINS, max(there.structures, len(structures))),
        )
    else:
        count = max(FEWEST_ORIGINS, max_origins or there.origins)
        knobs = Knobs((FEWEST_ORIGINS, count), (1, max(1, there.items)), samples)
    found = stretched(found, both, across_sets=across)
    notes = () if across or not several else (_STRUCTURES,)
    return Pilot("continuations", _text_choices(cell, pair), both, found, source, knobs, across, notes)


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


def _of_words(run: Run, max_origins: int | None) -> Iterator[Pilot | TooSmall]:
    seen: set[tuple[str, str, str]] = set()
    for cell in table_of(run).of("next words", measure=SHARE.name):
        items = [row for row in cell.rows if row.perturbation in (None, ORIGINAL)]
        if (cell.model, cell.source, cell.bias) in seen or cell.source == DEFAULT_SOURCE or not items:
            continue
        # The first set of words and way of counting stand for the others, and the first two groups for the rest.
        seen.add((cell.model, cell.source, cell.bias))
        pair = items[0].group, items[0].against or ""
        rows = [row for row in items if (row.group, row.against) == pair]
        values, places = [row.value for row in rows], [Place(row.origin, row.template) for row in rows]
        professions, templates = [row.origin for row in rows], [row.template or "" for row in rows]
        source = PilotSource(run, "next words", cell.source)
        choices = {
            "model": cell.model,
            "source": cell.source,
            "bias": cell.bias,
            "words": cell.words,
            "groups": as_pair(pair),
            "measure": "share",
        }
        if reason := _too_few(professions, values, source):
            yield TooSmall("next words", choices, reason)
            continue
        crossed = {"profession", "template"} <= set(resampled_over(places))
        found = components(values, professions, sets=templates if crossed else None)
        there = source.available(cell.bias)
        count = max(FEWEST_ORIGINS, max_origins or there.origins)
        across = crossed and found.sets is not None
        few = crossed and len(set(templates)) < FEWEST_ORIGINS
        blocked = f"there is no interval with fewer than {FEWEST_ORIGINS} templates: add templates" if few else None
        each = _same(len(set(templates)) if crossed else round(found.pilot["prompts"]))
        knobs = Knobs((FEWEST_ORIGINS, count), sets=each) if crossed else Knobs((FEWEST_ORIGINS, count), each)
        [mean] = means(places, {"": Values(values, Scale(0.0, 1.0, 0.5))}).values()
        found = stretched(found, mean, across_sets=across, shares=True)
        yield Pilot("next words", choices, mean, found, source, knobs, across_sets=across, blocked=blocked)


BUILDERS: Mapping[View, Callable[[Run, int | None], Iterator[Pilot | TooSmall]]] = {
    "pairs": _of_pairs,
    "continuations": _of_texts,
    "next words": _of_words,
}
"""For each view what finds its figures in a run."""
