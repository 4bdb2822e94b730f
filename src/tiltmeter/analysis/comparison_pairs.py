"""Scored pairs of two sides: the same pairs under the same scorer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from tiltmeter.analysis.comparable import Matched, Side, bare
from tiltmeter.analysis.comparison_cells import SIDES, Shared, Wanted, only_one
from tiltmeter.analysis.comparison_records import Compared, ComparedView
from tiltmeter.analysis.items import apart, is_benchmark, is_published, labelled, pair_items
from tiltmeter.analysis.leading import rank_of
from tiltmeter.measures.pairs import margin, preference
from tiltmeter.records import PairScore
from tiltmeter.stats.comparisons import Paired, paired
from tiltmeter.stats.equivalence import paired_equivalence
from tiltmeter.stats.pairs import further_of, headline_strata
from tiltmeter.stats.scales import SHARE


def compared_pairs(a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Scored pairs: for each source, bias and scorer the preference and the margin."""
    sources, shared = Matched.of(a, b, "pairs"), Shared()
    tables = [scored_pairs(side, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
    common = [place for place in tables[0] if place in tables[1]]
    made: list[Compared] = []
    kept: dict[tuple[str, str], list[_ScoredPair]] = defaultdict(list)
    for source, bias, scorer in common:
        one, other = (table[source, bias, scorer] for table in tables)
        shared.seen((source, bias), set(one), set(other))
        items = [_ScoredPair(bias, one[key], other[key]) for key in one if key in other]
        if not items:
            continue
        kept[source, scorer] += items
        choices = {"source": source, "bias": bias, "scorer": scorer}
        made += [_pairs_compared(choices, measure, items, wanted) for measure in ("preference", "margin")]
    leading = leading_scorers(a, b, [place for place in kept if kept[place]])
    benchmarks = {spec["name"] for side in (a, b) for spec in side.resolved["specs"] if spec["benchmark"]}
    overall = []
    for source, scorer in leading:
        counted = [item for item in kept[source, scorer] if not is_benchmark(item.bias, benchmarks)]
        if counted:
            choices = {"source": source, "bias": "all", "scorer": scorer}
            chosen, margins = (
                _pairs_compared(choices, measure, counted, wanted) for measure in ("preference", "margin")
            )
            assert isinstance(margins.found, Paired)
            overall.append(replace(chosen, margins=margins.found))
    left_out = only_one(a, b, tables, ("source", "bias", "scorer"))
    return ComparedView("pairs", shared.counts, tuple(overall), tuple(made), left_out)


class _ScoredPair(NamedTuple):
    bias: str
    a: PairScore
    b: PairScore


def scored_pairs(side: Side, named: Mapping[str, str]) -> dict[tuple[str, str, str], dict[Hashable, PairScore]]:
    """By source, bias and scorer, then by what makes a pair the same."""
    found: dict[tuple[str, str, str], dict[Hashable, PairScore]] = defaultdict(dict)
    for (model, scorer), every in side.run.scores.items():
        if model == side.model:
            for score in labelled(apart(every)[0]):
                pair = score.pair
                key = bare(pair.id, pair.source), pair.texts, pair.stereotyped, pair.groups, pair.attribute
                found[named.get(pair.source, pair.source), pair.bias, scorer][key] = score
    return dict(found)


def _pairs_compared(choices: Mapping[str, str], measure: str, items: Sequence[_ScoredPair], wanted: Wanted) -> Compared:
    values = preference if measure == "preference" else margin
    first, second = values([item.a for item in items]), values([item.b for item in items])
    # Every pair here is labelled, and so there is an item for each.
    labels = pair_items([item.a for item in items])
    origins = [label.attribute for label in labels]
    strata = headline_strata([replace(label, value=1.0) for label in labels])
    more = further_of(labels)
    ends = SHARE if measure == "preference" else None
    found = paired(first, second, origins, strata=strata, further=more, names=SIDES, seed=wanted.seed, scale=ends)
    delta = wanted.on(measure)
    return Compared(
        "pairs",
        {**choices, "measure": measure},
        found,
        None
        if delta is None
        else paired_equivalence(first, second, origins, margin=delta, strata=strata, further=more),
    )


def leading_scorers(a: Side, b: Side, places: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """For each source the scorer of the headline: the study's first, a paper's own only where there is no other."""
    family = a.run.facts[a.model].family
    named = a.resolved["scorers"]
    ranked = sorted(places, key=lambda place: (is_published(place[1], ""), rank_of(place[1], named, family)))
    chosen: dict[str, tuple[str, str]] = {}
    for place in ranked:
        chosen.setdefault(place[0], place)
    return [place for place in dict.fromkeys(places) if place in chosen.values()]
