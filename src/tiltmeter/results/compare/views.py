"""Two models on the same items: every view under every choice that both have."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, Measurement, compared_groups, is_of
from tiltmeter.results.compare.items import (
    SIDES,
    Shared,
    Wanted,
    cells_by_choices,
    choices_of,
    choices_of_one_side,
    in_some_decodings,
    keyed,
    over_all_decodings,
    over_decodings,
)
from tiltmeter.results.compare.names import as_pair
from tiltmeter.results.compare.records import Compared, ComparedView
from tiltmeter.results.compare.sides import Matched, Side
from tiltmeter.results.findings.compared import PERSON, towards_stereotype, turned
from tiltmeter.results.findings.stereotypes import Stereotype, group_pairs, spec_in, stereotype, tied_pairs
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.views import results_of
from tiltmeter.stats.arrays import or_origins
from tiltmeter.stats.comparing.before_after import Prompted, gap_change, gap_equivalence
from tiltmeter.stats.comparing.changes import crossed_change
from tiltmeter.stats.comparing.equivalence import Equivalence, equivalence, paired_equivalence
from tiltmeter.stats.comparing.paired import Paired, paired
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.views.next_words import Place, Values, means
from tiltmeter.views import FACTS, View

FIRST, OTHERS = slice(1), slice(1, None)
"""Of the pairs of groups of a bias: the one that leads, and the rest."""
Both = tuple[Cell, Measurement, Measurement]
"""The cell of the first side, and the same item on either side."""
Items = Mapping[str, list[Both]]
"""By measure."""
Kept = Mapping[tuple[str, ...], Items]
"""By source, bias and choices."""


def compared_view(view: View, a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Every figure of a view that both sides have, and the headlines."""
    sources, shared, own = Matched.of(a, b, view), Shared(), results_of(view)
    tables = [cells_by_choices(side, view, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
    kept: dict[tuple[str, ...], Items] = {}
    made: list[Compared] = []
    for place in (place for place in tables[0] if place in tables[1]):
        cells = [table[place] for table in tables]
        by_measure: dict[str, list[Both]] = {}
        for measure in FACTS[view].measures:
            both = [cell.with_measure(measure) for cell in cells]
            if not all(both):
                # Not every way of asking gives every measure.
                continue
            one, other = (keyed(cell) for cell in both if cell)
            shared.seen(place[:2], {key.item for key in one}, {key.item for key in other})
            if rows := [(cells[0].beside(measure), one[key], other[key]) for key in one if key in other]:
                by_measure[measure] = rows
        if by_measure:
            kept[place] = by_measure
            made += (own.compared or _compared)(a, _named(place, cells[0]), by_measure, wanted)
    overall = tuple((own.overall or _overall)(a, kept, made, wanted))
    left_out = (*choices_of_one_side(a, b, tables), *(_partly(one) for one in overall if one.partial))
    further = () if own.overall else tuple(_all_of_one(a, _of_groups(kept), wanted, OTHERS))
    return ComparedView(view, shared.counts, overall, tuple(made), left_out, further=further)


def _partly(one: Compared) -> str:
    facts = FACTS[one.view]
    about = ", ".join([one.choices["bias"], *(one.choices[name] for name in facts.named_by)])
    return (
        f"{about}: for {one.partial:,} of {one.difference.n:,} {facts.asked}s a decoding under which one side has no "
        "value is left out on both sides"
    )


def _named(place: tuple[str, ...], cell: Cell) -> dict[str, str]:
    return dict(zip(("source", "bias", *choices_of(cell)), place, strict=True))


def _cell(items: Items) -> Cell:
    return next(iter(items.values()))[0][0]


def _compared(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """Values of either group and the gap between groups; of values that compare two groups already, these."""
    return (_of_two if _cell(items).compares else _of_one)(a, choices, items, wanted)


def _overall(a: Side, kept: Kept, made: Sequence[Compared], wanted: Wanted) -> Iterator[Compared]:
    """What leads of either."""
    yield from _all_of_two([one for one in made if one.compares])
    yield from _all_of_one(a, _of_groups(kept), wanted)


def _of_groups(kept: Kept) -> Kept:
    """Those whose values each belong to one group."""
    return {place: items for place, items in kept.items() if not _cell(items).compares}


def _of_one(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """The mean of each group on either side, and the gaps between groups."""
    for measure, both in items.items():
        cell = both[0][0]
        about = {**choices, **({"measure": measure.replace("_", " ")} if len(FACTS[cell.view].measures) > 1 else {})}
        for group in _groups(both):
            rows = [(one, other) for _, one, other in both if one.group == group]
            first, second = [one.value for one, _ in rows], [other.value for _, other in rows]
            origins = [one.origin for one, _ in rows]
            found = paired(first, second, origins, names=SIDES, seed=wanted.seed, scale=cell.bounds)
            same = None if wanted.margin is None else paired_equivalence(first, second, origins, margin=wanted.margin)
            yield Compared(cell.view, {**about, "group": group}, found, same)
        # Where a rater looks for groups in texts about a situation, the groups' shares are one figure.
        if not choices.get("rater", "").startswith("groups."):
            for groups in group_pairs(_groups(both), a.resolved, choices["bias"], cell.view):
                yield _gap(about, both, groups, wanted)


def _all_of_one(a: Side, kept: Kept, wanted: Wanted, chosen: slice = FIRST) -> Iterator[Compared]:
    """The gap of the groups that lead their bias over all decodings, where values say what is better and worse.

    `chosen` are others of the pairs of groups of each bias.
    """
    parts: dict[tuple[tuple[str, str], ...], list[list[Both]]] = defaultdict(list)
    for place, items in kept.items():
        cell = _cell(items)
        choices = {**_named(place, cell), **over_all_decodings(cell)}
        parts[tuple(choices.items())].append(items.get(FACTS[cell.view].lead, []))
    for about, found in ((about, list(filter(None, some))) for about, some in parts.items() if any(some)):
        cell = found[0][0][0]
        pairs = group_pairs(_groups(found[0]), a.resolved, cell.bias, cell.view)
        for groups in pairs[chosen] if cell.worse else ():
            every = [[rows for _, *rows in both if rows[0].group in groups] for both in found]
            made = _gap(dict(about), [(cell, one, other) for one, other in over_decodings(every)], groups, wanted)
            yield replace(made, partial=in_some_decodings(every))


def _groups(both: Sequence[Both]) -> list[str]:
    return list(dict.fromkeys(one.group for _, one, _ in both))


def _gap(choices: Mapping[str, str], both: Sequence[Both], groups: tuple[str, str], wanted: Wanted) -> Compared:
    prompts = [
        Prompted(one.group, one.value, other.value, one.origin)
        for _, one, other in both
        if one.value is not None and other.value is not None
    ]
    missing = sum(one.group in groups for _, one, _ in both) - sum(one.group in groups for one in prompts)
    found = gap_change(prompts, groups, scale=both[0][0].bounds, seed=wanted.seed)
    a, b, difference = (replace(one, n_unscored=missing) for one in (found.a, found.b, found.difference))
    found = replace(found, a=a, b=b, difference=difference)
    same = None if wanted.margin is None else gap_equivalence(prompts, groups, margin=wanted.margin)
    about = {**choices, "groups": as_pair(groups)}
    return Compared(both[0][0].view, about, found, same, scale=both[0][0].scale.change)


def _of_two(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """Two groups at a time: as stereotyped, with the items as they are, and with *person*."""
    yield from _by_stereotype(a, choices, items, wanted)
    every = next(iter(items.values()))
    for perturbation in (None, ORIGINAL, PERSON):
        for groups in compared_groups(every[0][0].view, (one for _, one, _ in every)):
            for measure, both in items.items():
                rows = [
                    (one, other) for _, one, other in both if one.perturbation == perturbation and is_of(one, groups)
                ]
                if rows:
                    cell, about = both[0][0], {"perturbation": perturbation} if perturbation else {}
                    about |= {"groups": as_pair(groups)} if any(groups) else {}
                    about |= {"measure": measure.replace("_", " ")}
                    found, same = _crossed(rows, cell.scale, wanted.on(cell.scale), wanted.seed)
                    yield Compared(
                        cell.view,
                        {**choices, **about},
                        found,
                        same,
                        scale=cell.scale,
                        by_stereotype=not any(groups),
                        compares=True,
                    )


def _by_stereotype(a: Side, choices: Mapping[str, str], items: Items, wanted: Wanted) -> Iterator[Compared]:
    """How far both sides expect what stereotypes say of two groups, as findings have it, by the first measure.

    A lean to one of the groups, whatever an item speaks of, cancels out of it; a stereotype cancels out of the mean.
    """
    cell, both = next((cell, both) for both in items.values() for cell, *_ in both[:1])
    words, spec = FACTS[cell.view].stereotyped, spec_in(a.resolved, choices["bias"])
    groups = {group for _, one, _ in both for group in (one.group, one.against)}
    for two in tied_pairs(groups, spec) if words else ():
        rows = [
            (one, other)
            for _, one, other in both
            if {one.group, one.against} == set(two) and one.perturbation in (None, ORIGINAL)
        ]
        tied = stereotype(spec, two)
        found = _tied(cell, rows, tied, spec, wanted.seed) if words and tied else None
        if found and words:
            asked = {"perturbation": ORIGINAL} if rows[0][0].perturbation else {}
            about = {**choices, **asked, "groups": as_pair(two), "measure": words.measured}
            yield Compared(cell.view, about, found, scale=Scale(neutral=0.0), by_stereotype=True, compares=True)


def _tied(
    cell: Cell,
    rows: Sequence[tuple[Measurement, Measurement]],
    tied: Stereotype,
    spec: Mapping[str, Any],
    seed: int,
) -> Paired | None:
    whole = [(one, other) for one, other in rows if one.value is not None and other.value is not None]
    neutral = cell.scale.neutral or 0.0
    gaps = [one._replace(value=_minus(one.value, other.value)) for one, other in rows]
    # As deviations from neutral: what one side has is taken from the other turned round.
    totals = [one._replace(value=_minus(one.value, turned(other.value, neutral))) for one, other in rows]
    sides = [[both[at] for both in whole] for at in (0, 1)]
    first, second = (towards_stereotype(cell, side, tied.groups, spec) for side in sides)
    difference = towards_stereotype(cell, gaps, tied.groups, spec, apart=True)
    total = towards_stereotype(cell, totals, tied.groups, spec, apart=True)
    if first is None or second is None or difference is None or total is None:
        return None
    # Towards the stereotyped group, so that swapping A and B is the same in the attributes of either.
    placed = [(one, other, side) for one, other in rows if (side := tied.side(one.origin)) is not None]
    sign = [(side == 1) == (one.group == tied.groups[0]) for one, _, side in placed]
    ours = [turned(one.value, neutral) if turn else one.value for (one, *_), turn in zip(placed, sign, strict=True)]
    theirs = [
        turned(other.value, neutral) if turn else other.value for (_, other, _), turn in zip(placed, sign, strict=True)
    ]
    strata = [(tied.groups[side],) for *_, side in placed]
    origins = [one.origin for one, *_ in placed]
    templates = or_origins([one.template for one, *_ in placed], origins)
    found = paired(ours, theirs, origins, strata=strata, names=SIDES, seed=seed)
    p = _over_both(found, paired(ours, theirs, templates, strata=strata, seed=seed), origins, templates)
    why = "a figure by stereotype may have either sign"
    found = replace(found, a=first, b=second, difference=difference, total=total)
    return replace(found, p_permutation=p, change=None, no_change=why)


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _over_both(over: Paired, by_template: Paired, origins: Sequence[str], templates: Sequence[str]) -> float | None:
    """The p by permutation; where another choice of templates could have turned it as well, the larger of the two."""
    p, other = over.p_permutation, by_template.p_permutation
    if p is None or not 1 < len(set(templates)) < len(set(zip(origins, templates, strict=True))):
        return p
    return None if other is None else max(p, other)


def _all_of_two(made: Sequence[Compared]) -> Iterator[Compared]:
    """What leads by the first way of asking: stereotypes, then the first two groups with the items as they are."""
    leading: dict[tuple[str, ...], Compared] = {}
    for one in made:
        if one.by_stereotype:
            # Where the stereotyped group is the first in any case, one line says it all.
            of = () if FACTS[one.view].stereotype_first else (one.choices["groups"],)
            leading.setdefault((one.choices["source"], one.choices["bias"], *of), one)
    for one in made:
        measured = one.choices["measure"], one.choices.get("perturbation", ORIGINAL)
        if measured == (FACTS[one.view].lead.replace("_", " "), ORIGINAL):
            leading.setdefault((one.choices["source"], one.choices["bias"]), one)
    yield from leading.values()


def _crossed(
    rows: Sequence[tuple[Measurement, Measurement]], scale: Scale, margin: float | None, seed: int
) -> tuple[Paired, Equivalence | None]:
    """As `paired` over origins, but for what is uncertain over templates as well: means, difference and change."""
    first, second = [one.value for one, _ in rows], [other.value for _, other in rows]
    places = [Place(one.origin, one.template) for one, _ in rows]
    professions = [place.profession for place in places]
    found = paired(first, second, professions, names=SIDES, seed=seed)
    gaps = [None if one is None or other is None else one - other for one, other in zip(first, second, strict=True)]
    both = [None if gap is None else one for one, gap in zip(first, gaps, strict=True)]
    others = [None if gap is None else one for one, gap in zip(second, gaps, strict=True)]
    ends = Scale(scale.low, scale.high)
    totals = [None if one is None or other is None else one + other for one, other in zip(both, others, strict=True)]
    made = means(
        places,
        {
            "a": Values(both, ends),
            "b": Values(others, ends),
            "": Values(gaps, ends.change),
            "total": Values(totals, Scale(neutral=0.0)),
        },
    )
    templates = or_origins([place.template for place in places], professions)
    p = _over_both(found, paired(first, second, templates, seed=seed), professions, templates)
    change, no_change = crossed_change(places, both, others, made["a"], SIDES)

    def moved(shift: float, level: float) -> Estimate:
        values = [None if gap is None else gap + shift for gap in gaps]
        return means(places, {"": Values(values, Scale(neutral=0.0))}, level=level)[""]

    found = replace(found, a=made["a"], b=made["b"], difference=made[""], total=made["total"])
    found = replace(found, p_permutation=p, change=change, no_change=no_change)
    return found, None if margin is None else equivalence(moved, margin)
