"""Two models on the same items: every view under every choice that both have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from tiltmeter.measures.next_words import SHARE
from tiltmeter.measures.pairs import PREFERENCE
from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, Measurement
from tiltmeter.results.compare.items import (
    MEASURES,
    SIDES,
    Shared,
    Wanted,
    cells_by_choices,
    choices_of,
    choices_of_one_side,
    keyed,
)
from tiltmeter.results.compare.names import as_pair
from tiltmeter.results.compare.records import Compared, ComparedView
from tiltmeter.results.compare.sides import Matched, Side, group_pairs
from tiltmeter.results.findings.compared import PERSON
from tiltmeter.results.items import pair_item
from tiltmeter.results.scorer_order import rank_of
from tiltmeter.results.scores import is_published
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.stats.arrays import or_origins
from tiltmeter.stats.comparing.before_after import Prompted, gap_change, gap_equivalence, means_of
from tiltmeter.stats.comparing.changes import crossed_change
from tiltmeter.stats.comparing.equivalence import Equivalence, equivalence, paired_equivalence
from tiltmeter.stats.comparing.paired import Paired, paired
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.views.next_words import Place, Values, means
from tiltmeter.stats.views.pairs import further_of, headline_strata
from tiltmeter.views import View

Both = tuple[Cell, Measurement, Measurement]
"""The cell of the first side, and the same item on either side."""
Items = Mapping[str, list[Both]]
"""By measure."""
Kept = Mapping[tuple[str, ...], Items]
"""By source, bias and choices."""


def compared_view(view: View, a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Every figure of a view that both sides have, and the headlines."""
    sources, shared = Matched.of(a, b, view), Shared()
    tables = [cells_by_choices(side, view, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
    kept: dict[tuple[str, ...], Items] = {}
    made: list[Compared] = []
    for place in (place for place in tables[0] if place in tables[1]):
        cells = [table[place] for table in tables]
        by_measure: dict[str, list[Both]] = {}
        for measure in MEASURES[view]:
            one, other = (keyed(cell.beside(measure)) for cell in cells)
            shared.seen(place[:2], {key.item for key in one}, {key.item for key in other})
            by_measure[measure] = [(cells[0].beside(measure), one[key], other[key]) for key in one if key in other]
        if any(by_measure.values()):
            kept[place] = by_measure
            choices = dict(zip(("source", "bias", *choices_of(cells[0])), place, strict=True))
            made += _COMPARED[view](a, choices, by_measure, wanted)
    overall = tuple(_OVERALL[view](a, kept, made, wanted))
    return ComparedView(view, shared.counts, overall, tuple(made), choices_of_one_side(a, b, tables))


def _pairs(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """The preference and the margin, balanced as headlines are."""
    for measure, both in items.items():
        first, second = [one.value for _, one, _ in both], [other.value for *_, other in both]
        labels = [pair_item(cell, row) for cell, row, _ in both]
        origins = [label.attribute for label in labels]
        strata, more = headline_strata([replace(label, value=1.0) for label in labels]), further_of(labels)
        found = paired(
            first, second, origins, strata=strata, further=more, names=SIDES, seed=wanted.seed, scale=both[0][0].bounds
        )
        delta = wanted.on(measure)
        same = (
            None
            if delta is None
            else paired_equivalence(first, second, origins, margin=delta, strata=strata, further=more)
        )
        yield Compared("pairs", {**choices, "measure": measure}, found, same)


def _all_pairs(a: Side, kept: Kept, made: Sequence[Compared], wanted: Wanted) -> Iterator[Compared]:
    """All social biases of a source under the scorer that leads."""
    for source, scorer in leading_scorers(a, [(source, scorer) for source, _, scorer in kept]):
        social: dict[str, list[Both]] = defaultdict(list)
        for place, items in kept.items():
            if (place[0], place[2]) == (source, scorer):
                for measure, both in items.items():
                    social[measure] += [one for one in both if not one[0].benchmark]
        if social[PREFERENCE.name]:
            choices = {"source": source, "bias": "all", "scorer": scorer}
            chosen, margins = _pairs(a, choices, {name: social[name] for name in MEASURES["pairs"]}, wanted)
            assert isinstance(margins.found, Paired)
            yield replace(chosen, margins=margins.found)


def leading_scorers(a: Side, places: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """For each source the scorer of the headline: the study's first, a paper's own only where there is no other."""
    family = a.run.facts[a.model].family
    named = a.resolved["scorers"]
    ranked = sorted(places, key=lambda place: (is_published(place[1], ""), rank_of(place[1], named, family)))
    chosen: dict[str, tuple[str, str]] = {}
    for place in ranked:
        chosen.setdefault(place[0], place)
    return [place for place in dict.fromkeys(places) if place in chosen.values()]


def _texts(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """The mean of each group on either side, and the gaps between groups."""
    [both] = items.values()
    for group in _groups(both):
        rows = [(one, other) for _, one, other in both if one.group == group]
        first, second = [one.value for one, _ in rows], [other.value for _, other in rows]
        origins = [one.origin for one, _ in rows]
        found = paired(first, second, origins, names=SIDES, seed=wanted.seed, scale=both[0][0].bounds)
        same = None if wanted.margin is None else paired_equivalence(first, second, origins, margin=wanted.margin)
        yield Compared("continuations", {**choices, "group": group}, found, same)
    # Where a rater looks for groups in texts about a situation, the groups' shares are one figure.
    if not choices["rater"].startswith("groups."):
        for groups in group_pairs(_groups(both), a.resolved, choices["bias"]):
            yield _gap(choices, both, groups, wanted)


def _all_texts(a: Side, kept: Kept, made: Sequence[Compared], wanted: Wanted) -> Iterator[Compared]:
    """The gap of the groups that lead their bias over all decodings, by each rater that has better and worse."""
    parts: dict[tuple[str, ...], list[list[Both]]] = defaultdict(list)
    for (source, bias, _, rater, scope), items in kept.items():
        parts[source, bias, rater, scope] += items.values()
    for (source, bias, rater, scope), found in parts.items():
        pairs = group_pairs(_groups(found[0]), a.resolved, bias)
        if found[0][0][0].worse and pairs:
            choices = {"source": source, "bias": bias, "decoding": "all", "rater": rater, "scope": scope}
            yield _gap(choices, _over_decodings(found), pairs[0], wanted)


def _groups(both: Sequence[Both]) -> list[str]:
    return list(dict.fromkeys(one.group for _, one, _ in both))


def _over_decodings(parts: Sequence[Sequence[Both]]) -> list[Both]:
    """The means over decodings of prompts that both sides have ratings of."""
    if len(parts) == 1:
        return list(parts[0])
    whole = [
        ((one.item, one.group), one.value, other.value)
        for part in parts
        for _, one, other in part
        if one.value is not None and other.value is not None
    ]
    of_a, of_b = means_of((key, one) for key, one, _ in whole), means_of((key, other) for key, _, other in whole)
    labels = {(row[1].item, row[1].group): row for part in parts for row in part}
    return [
        (cell, one._replace(value=of_a.get(key)), other._replace(value=of_b.get(key)))
        for key, (cell, one, other) in labels.items()
    ]


def _gap(choices: Mapping[str, str], both: Sequence[Both], groups: tuple[str, str], wanted: Wanted) -> Compared:
    prompts = [
        Prompted(one.group, one.value, other.value, one.origin)
        for _, one, other in both
        if one.value is not None and other.value is not None
    ]
    found = gap_change(prompts, groups, scale=both[0][0].bounds, seed=wanted.seed)
    same = None if wanted.margin is None else gap_equivalence(prompts, groups, margin=wanted.margin)
    return Compared("continuations", {**choices, "groups": as_pair(groups)}, found, same)


def _words(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """Two groups at a time, after the prompts as they are and with *person*."""
    every = next(iter(items.values()))
    for perturbation in (ORIGINAL, PERSON):
        for groups in dict.fromkeys((one.group, one.against or "") for _, one, _ in every):
            for measure, both in items.items():
                rows = [
                    (one, other)
                    for _, one, other in both
                    if one.perturbation == perturbation and (one.group, one.against) == groups
                ]
                if rows:
                    about = {"perturbation": perturbation, "groups": as_pair(groups)}
                    about |= {"measure": measure.replace("_", " ")}
                    found, same = _words_compared(rows, both[0][0].scale, wanted.on(measure), wanted.seed)
                    yield Compared("next words", {**choices, **about}, found, same)


def _all_words(a: Side, kept: Kept, made: Sequence[Compared], wanted: Wanted) -> Iterator[Compared]:
    """The share of the first of two groups after the prompts as they are, by the first way of asking."""
    leading: dict[tuple[str, str], Compared] = {}
    for one in made:
        if (one.choices["measure"], one.choices["perturbation"]) == (SHARE.name, ORIGINAL):
            leading.setdefault((one.choices["source"], one.choices["bias"]), one)
    yield from leading.values()


def _words_compared(
    rows: Sequence[tuple[Measurement, Measurement]], scale: Scale, margin: float | None, seed: int
) -> tuple[Paired, Equivalence | None]:
    """As `paired` over professions, but for what is uncertain over templates as well: means, difference and change."""
    first, second = [one.value for one, _ in rows], [other.value for _, other in rows]
    places = [Place(one.origin, one.template) for one, _ in rows]
    professions = [place.profession for place in places]
    found = paired(first, second, professions, names=SIDES, seed=seed)
    gaps = [None if one is None or other is None else one - other for one, other in zip(first, second, strict=True)]
    both = [None if gap is None else one for one, gap in zip(first, gaps, strict=True)]
    others = [None if gap is None else one for one, gap in zip(second, gaps, strict=True)]
    ends = Scale(scale.low, scale.high)
    made = means(places, {"a": Values(both, ends), "b": Values(others, ends), "": Values(gaps, ends.change)})
    p = found.p_permutation
    templates = or_origins([place.template for place in places], professions)
    if 1 < len(set(templates)) < len(set(zip(professions, templates, strict=True))) and p is not None:
        over = paired(first, second, templates, seed=seed).p_permutation
        # Another choice of templates could have turned it as well: the larger of the two counts.
        p = None if over is None else max(p, over)
    change, no_change = crossed_change(places, both, others, made["a"], SIDES)

    def moved(shift: float, level: float) -> Estimate:
        values = [None if gap is None else gap + shift for gap in gaps]
        return means(places, {"": Values(values, Scale(neutral=0.0))}, level=level)[""]

    return replace(
        found, a=made["a"], b=made["b"], difference=made[""], p_permutation=p, change=change, no_change=no_change
    ), None if margin is None else equivalence(moved, margin)


_COMPARED: Mapping[View, Callable[[Side, Mapping[str, str], Items, Wanted], Iterator[Compared]]] = {
    "pairs": _pairs,
    "continuations": _texts,
    "next words": _words,
}
_OVERALL: Mapping[View, Callable[[Side, Kept, Sequence[Compared], Wanted], Iterator[Compared]]] = {
    "pairs": _all_pairs,
    "continuations": _all_texts,
    "next words": _all_words,
}
