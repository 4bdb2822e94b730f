"""What a run of continuations says: one summary for every model, source, bias, decoding and rater."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypedDict

from tiltmeter.raters.scales import threshold_of
from tiltmeter.records import Decoding, Estimate, Scope
from tiltmeter.results.cells import Cell, Measurement, table_of
from tiltmeter.results.items import rated_items
from tiltmeter.results.measurements.columns import TILT
from tiltmeter.results.measurements.continuations import GROUP_RATERS
from tiltmeter.results.measurements.people import rating_rows
from tiltmeter.results.summary.known_raters import KnownRater, left_out
from tiltmeter.results.summary.people import (
    compare_with_people,
    people_agreement,
    people_cells,
    people_name,
    pooled_people,
    rated_by_people,
)
from tiltmeter.results.summary.people_ratings import PeopleRatings
from tiltmeter.results.summary.raters import compare_raters
from tiltmeter.results.summary.refusals import longest, refusal_rater, refusals
from tiltmeter.results.summary.repeats import repeats
from tiltmeter.results.summary.situations import UNDIRECTED, SituationsCell, situations_cell
from tiltmeter.results.summary.structures import rephrased, with_structures
from tiltmeter.results.summary.text_records import (
    PEOPLE,
    ContinuationCell,
    ContinuationsSummary,
    PeopleAgreement,
    RatersCompared,
    RaterTilt,
    SizeCurve,
    ends_of,
    favour,
    kind_of,
)
from tiltmeter.results.summary.words import word_cells
from tiltmeter.stats.agreement.raters import tilt_summary, within_tilt
from tiltmeter.stats.views.continuations import GroupPair, RatedItem, summarise
from tiltmeter.stats.views.rating_curves import first_samples, sample_sizes
from tiltmeter.store import Continuations, Run

__all__ = [
    "PEOPLE",
    "ContinuationCell",
    "ContinuationsSummary",
    "PeopleAgreement",
    "PeopleRatings",
    "RaterTilt",
    "RatersCompared",
    "Scope",
    "favour",
    "kind_of",
    "summarise_continuations",
]

_REFUSAL = "refusal"
_MOST_CURVES = 6
"""Pairs of groups with a curve over sample size; of more, the first has one."""
_MOST_SETS = 6
"""Sets of prompts that are summarised apart."""


class Far(TypedDict, total=False):
    """What is asked of the far end of the ratings."""

    most_k: Sequence[int]
    threshold: float


def summarise_continuations(run: Run, people: PeopleRatings | None = None) -> ContinuationsSummary | None:
    """Everything that a run says about what its models write; None where it has no continuations.

    `people` are ratings of a sub-sample of the texts: one more column of the bidimensional table.
    """
    found = run.continuations
    if found is None:
        return None
    seed = int(run.meta["resolved"]["seed"])
    table = table_of(run)
    if people or table.by_people("continuations"):
        table.add("continuations", rating_rows(run, people) if people else ())
    rated = table.of("continuations")
    tilts = tuple(map(_tilt, table.of("continuations", measure=TILT)))
    stated = [cell for cell in rated if cell.rater.startswith(GROUP_RATERS) and _states(found, cell)]
    judged = [cell for cell in rated if kind_of(cell.rater) != _REFUSAL and cell not in stated]
    cells = [_cell(run, cell, tilts, seed) for cell in judged]
    texts, name = rated_by_people(table), people_name(table)
    order = partial(_in_order, run)
    compared = tuple(compare_raters(judged, seed))
    agreement = (*compared, *compare_with_people(texts, name, judged, seed))
    raters = tuple(_known(run, used.name, tilts) for used in found.raters)
    judging = {cell.rater for cell in rated if cell.worse}
    return ContinuationsSummary(
        cells=(*cells, *people_cells(texts, name, _scope(judged), order)),
        tilts=tilts,
        agreement=agreement,
        refusals=tuple(refusals(rated, refusal_rater(found), order)),
        sizes=tuple(_sizes(run, list(zip(cells, judged, strict=True)))),
        people=people_agreement(texts, name) if texts else None,
        people_pooled=tuple(pooled_people(texts, name, judged, order)),
        repeats=tuple(repeats(run)),
        situations=tuple(_situations(run, [cell], cell.decoding) for cell in stated),
        situations_pooled=tuple(_situations(run, cells, None) for cells in _each_text_once(stated)),
        words=tuple(word_cells(run, order)),
        raters=raters,
        left_out=tuple(left_out(raters, judging, [(one.first, one.second) for one in compared])),
    )


def _known(run: Run, rater: str, tilts: Sequence[RaterTilt]) -> KnownRater:
    return KnownRater(rater, _threshold(run, rater), tuple(one for one in tilts if one.rater == rater))


def _states(found: Continuations, cell: Cell) -> bool:
    """Whether the prompts of a cell state a situation and name no group."""
    own = [prompt.group for prompt in found.prompts if (prompt.source, prompt.bias) == (cell.source, cell.bias)]
    return None in own


def _each_text_once(cells: Sequence[Cell]) -> Iterator[list[Cell]]:
    """By model, source and bias the cells of one rater with every text once: shorter texts begin the longest."""
    by_place: dict[tuple[str, str, str], list[Cell]] = {}
    for cell in cells:
        by_place.setdefault((cell.model, cell.source, cell.bias), []).append(cell)
    for own in by_place.values():
        kept = longest([cell.decoding for cell in own])
        yield [cell for cell in own if cell.decoding in kept and cell.rater == own[0].rater]


def _situations(run: Run, cells: Sequence[Cell], decoding: Decoding | None) -> SituationsCell:
    cell = cells[0]
    prompts = {prompt.id: prompt for prompt in run.continuations.prompts} if run.continuations else {}
    texts = [
        (prompts[row.item], row.label, None if row.reason == UNDIRECTED else row.reason)
        for each in cells
        for row in each.rows
        if prompts[row.item].group is None
    ]
    groups = {group for prompt, *_ in texts for group, _ in prompt.word_sets}
    place = (cell.model, cell.source, cell.bias, decoding, cell.rater)
    return situations_cell(place, texts, reference_among(run, groups))


def _scope(cells: Sequence[Cell]) -> Scope:
    """What most raters of a run read: some read the completion alone whatever the study says."""
    return "whole" if not cells or any(cell.scope == "whole" for cell in cells) else "completion"


def _cell(run: Run, cell: Cell, tilts: Sequence[RaterTilt], seed: int) -> ContinuationCell:
    items = _items(run, cell)
    counted = rephrased(items)
    reference = _reference(run, items)
    far: Far = {}
    threshold = _threshold(run, cell.rater)
    if threshold is not None:
        far = {"most_k": sample_sizes(counted), "threshold": threshold}
    summary = summarise(counted, reference=reference, scale=ends_of(cell.rater), **far)
    own = [tilt for tilt in tilts if (tilt.rater, tilt.bias) == (cell.rater, cell.bias)]
    within = frozenset(
        (pair.a, pair.b)
        for pair in summary.pairs
        for tilt in own
        if within_tilt(pair.difference, Estimate(tilt.of(pair.a, pair.b)))
    )
    place = (cell.model, cell.source, cell.bias, cell.decoding, cell.rater)
    scope: Scope = "whole" if cell.scope == "whole" else "completion"
    made = ContinuationCell(*place, scope, summary, within, tilt_measured=bool(own))
    whole = with_structures(run, made, items, reference=reference, seed=seed)
    return replace(whole, parts=dict(_parts(run, whole, items, sets_of_prompts(cell.rows), seed)))


def sets_of_prompts(rows: Sequence[Measurement]) -> dict[str, str]:
    """By item the set that its prompt belongs to, where the prompts come in sets of several test words each.

    Of a set that is one test word nothing can be said that the test word does not say.
    """
    origins: dict[str, set[str]] = {}
    for row in rows:
        origins.setdefault(row.attribute or "", set()).add(row.origin)
    several = all(len(own) > 1 for own in origins.values())
    apart = sum(map(len, origins.values())) == len(set().union(*origins.values())) if origins else False
    if not several or not apart or "" in origins or not 1 < len(origins) <= _MOST_SETS:
        return {}
    return {row.item: row.attribute for row in rows if row.attribute}


def _parts(
    run: Run, whole: ContinuationCell, items: Sequence[RatedItem], sets: Mapping[str, str], seed: int
) -> Iterator[tuple[str, ContinuationCell]]:
    """The same of each set of prompts, in the order of the study."""
    for name in dict.fromkeys(sets.values()):
        own = [item for item in items if sets.get(item.prompt) == name]
        reference = _reference(run, own)
        summary = summarise(rephrased(own), reference=reference, scale=ends_of(whole.rater))
        alone = replace(whole, summary=summary, structures=None, families={})
        yield name, with_structures(run, alone, own, reference=reference, seed=seed)


def _choices(run: Run) -> Mapping[str, Any]:
    found: Mapping[str, Any] = run.meta["resolved"].get("continuations") or {}
    return found


def _threshold(run: Run, rater: str) -> float | None:
    """Above which a text counts as toxic: as the study says, or the rater's own; None for raters that have none."""
    own, said = threshold_of(rater), _choices(run).get("threshold")
    if isinstance(said, Mapping):
        said = said.get(rater.partition(":")[0], own)
        return None if said is None else float(said)
    return own if said is None or own is None else float(said)


def reference_among(run: Run, groups: Collection[str]) -> str | None:
    """The group that the study compares the others with, where it is one of these."""
    return next((name for name in _choices(run).get("reference", ()) if name in groups), None)


def _reference(run: Run, items: Sequence[RatedItem]) -> str | None:
    """The group that the others are compared with, where the study names one of these."""
    return reference_among(run, {item.group for item in items})


def _items(run: Run, cell: Cell) -> list[RatedItem]:
    """The ratings of a cell, the groups in the order in which a spec compares them: the first is that of a − b."""
    order = _places(run, cell.bias)
    return sorted(rated_items(cell), key=lambda item: order.get(item.group, len(order)))


def _places(run: Run, bias: str) -> dict[str, int]:
    """The place of each group in the comparisons of a spec."""
    specs = {spec["name"]: spec for spec in run.meta["resolved"]["specs"]}
    compare = specs.get(bias.partition(":")[0], {}).get("compare", ())
    return {name: place for place, name in enumerate(dict.fromkeys(name for pair in compare for name in pair))}


def _in_order(run: Run, bias: str, groups: Sequence[str]) -> tuple[list[str], str | None]:
    """The groups as a spec compares them, and the one of the bias that the others are compared with."""
    order = _places(run, bias)
    every = {prompt.group for prompt in run.continuations.prompts if prompt.bias == bias} if run.continuations else ()
    known = [group for group in every if group] or groups
    return sorted(groups, key=lambda group: order.get(group, len(order))), reference_among(run, known)


def _tilt(cell: Cell) -> RaterTilt:
    summary = tilt_summary([(row.group, row.value, row.origin) for row in cell.rows], scale=ends_of(cell.rater))
    return RaterTilt(cell.rater, summary.by_group, summary.difference, cell.bias)


def _sizes(run: Run, cells: Sequence[tuple[ContinuationCell, Cell]]) -> Iterator[SizeCurve]:
    """For each model and bias the first cell with several samples of each prompt, under every rater."""
    seen: set[tuple[str, str]] = set()
    for first, measured in cells:
        owner = (first.model, first.bias)
        if owner in seen or not first.summary.pairs:
            continue
        own = _items(run, measured)
        if len(sample_sizes(own)) > 1:
            seen.add(owner)
            place = (first.model, first.source, first.bias, first.decoding)
            beside = [
                both for both in cells if (both[0].model, both[0].source, both[0].bias, both[0].decoding) == place
            ]
            items = ((cell, own if cell is first else _items(run, of)) for cell, of in beside)
            points = [size for cell, read in items for size in _by_size(run, cell, read)]
            compared = [(pair.a, pair.b) for pair in first.summary.pairs]
            for a, b in compared if len(compared) <= _MOST_CURVES else compared[:1]:
                yield SizeCurve(first, a, b, [point for point in points if (point[2].a, point[2].b) == (a, b)])


def _by_size(run: Run, cell: ContinuationCell, every: Sequence[RatedItem]) -> Iterator[tuple[str, int, GroupPair]]:
    items = rephrased(every)
    for size in sample_sizes(items):
        part = first_samples(items, size)
        pairs = summarise(part, reference=_reference(run, items), scale=ends_of(cell.rater)).pairs
        yield from ((cell.rater, size, pair) for pair in pairs)
