"""Leaderboards: several models on the same items, each with its interval and the places that it may have."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.raters.scales import is_without_worse_end
from tiltmeter.records import Estimate
from tiltmeter.results.cells import Cell, Combination, Measurement, compared_groups, is_of
from tiltmeter.results.compare.comparability import check_comparable, notes_on
from tiltmeter.results.compare.items import cells_by_choices, choices_of, keyed, over_decodings
from tiltmeter.results.compare.names import as_pair
from tiltmeter.results.compare.sides import Matched, Side, views_measured, views_of
from tiltmeter.results.findings.compared import towards_stereotype
from tiltmeter.results.findings.stereotypes import group_pairs, spec_in, tied_pairs
from tiltmeter.results.rank.records import GAP, Entry, Leaderboard, Leaderboards
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.results.views import results_of
from tiltmeter.stats.comparing.before_after import means_of
from tiltmeter.stats.comparing.ranking import Item, rank_models, some_of
from tiltmeter.stats.estimate import SHARE, Scale
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import Bounds
from tiltmeter.stats.views.next_words import Place, Values, means
from tiltmeter.store import Run
from tiltmeter.views import FACTS, VIEWS, View

Common = Mapping[tuple[str, ...], list[Cell]]
"""By source, bias and choices that all models share, the cell of each of them."""

Figure = Callable[[Sequence[float | None], bool], Estimate]
"""The figure of a board from a value for each item; or, from their differences, that of two models (then against 0)."""


def sides_of_runs(runs: Sequence[Run], models: Sequence[str] = ()) -> list[Side]:
    """Every model of some runs, or in each of them those that are named, under names that tell them apart."""
    known = list(dict.fromkeys(model for run in runs for model in run.facts))
    for name in models:
        if name not in known:
            raise UnknownName("model", name, known)
    places = Counter(run.folder.resolve() for run in runs)
    chosen = []
    for run in runs:
        if places[run.folder.resolve()] > 1:
            raise UserError("is given twice; give each run once", file=run.folder)
        own = [model for model in run.facts if not models or model in models]
        if not own:
            there = f"it has {', '.join(run.facts)}" if run.facts else "no model has answered yet; go on with the run"
            raise UserError(f"has nothing to put in order: {there}", file=run.folder)
        chosen += [(run, model) for model in own]
    return several_sides(chosen)


def several_sides(chosen: Sequence[tuple[Run, str]]) -> list[Side]:
    """Models of runs, under names that tell them apart."""
    if len({(run.folder, model) for run, model in chosen}) < len(chosen):
        raise UserError("the same model of the same run was chosen twice; choose another")
    models = Counter(model for _, model in chosen)
    folders = Counter((run.folder.name, model) for run, model in chosen)

    def name(run: Run, model: str) -> str:
        if models[model] == 1:
            return model
        return f"{model} ({run.folder.name if folders[run.folder.name, model] == 1 else run.folder})"

    return [Side(run, model, name(run, model)) for run, model in chosen]


def leaderboards(sides: Sequence[Side], views: Sequence[View] = ()) -> Leaderboards:
    """The boards of two models or more; refuses, as a comparison does, what was not measured alike."""
    if len(sides) < 2:
        only = f"; there is only {sides[0].name}" if sides else ""
        raise UserError(f"a leaderboard needs two models or more{only}")
    first, *others = sides
    shared = [views_of(first, other, views) for other in others]
    common = [view for view in shared[0] if all(view in own for own in shared)]
    for one, other in combinations(sides, 2):
        check_comparable(one, other, common)
    boards, partial = [], []
    for view in common:
        made, missing = _boards(view, sides)
        boards += made
        partial += missing
    if not boards:
        why = f" ({'; '.join(dict.fromkeys(partial))})" if partial else ""
        raise UserError(
            f"{', '.join(side.name for side in sides)} have no item in common{why}: run the same study with all of them"
        )
    notes = [*_unlike(sides, common), *([] if views else _lone(sides, common)), *partial]
    return Leaderboards(tuple(sides), tuple(boards), tuple(dict.fromkeys(notes)))


def _unlike(sides: Sequence[Side], views: Sequence[View]) -> Iterator[str]:
    """What differs between the first model and the others besides the model."""
    first, *others = sides
    for other in others:
        which = f"{first.name} and {other.name}: " if len(others) > 1 else ""
        yield from (f"{which}{note}" for note in notes_on(first, other, views))


def _lone(sides: Sequence[Side], common: Sequence[View]) -> Iterator[str]:
    """The views that some models have and others lack."""
    has = {side.name: views_measured(side) for side in sides}
    for view in VIEWS:
        lacking = [name for name, own in has.items() if view not in own]
        if view not in common and len(lacking) < len(sides):
            yield f"{view}: left out, missing in {', '.join(lacking)}"


def _missing(view: View, sides: Sequence[Side], tables: Sequence[Collection[tuple[str, ...]]]) -> list[str]:
    """Which biases of which sources have no board: a model lacks what another has, or has it by other means."""
    every = dict.fromkeys(place[:2] for table in tables for place in table)
    found = []
    for side, table in zip(sides, tables, strict=True):
        own = {place[:2] for place in table}
        lost = [f"{bias} ({source})" for source, bias in every if (source, bias) not in own]
        if lost:
            found.append(f"{view}: {some_of(lost)} left out, missing in {side.name}")
    whole = [place for place in every if all(place in {one[:2] for one in table} for table in tables)]
    shared = {one[:2] for one in tables[0] if all(one in table for table in tables)}
    apart = [f"{bias} ({source})" for source, bias in whole if (source, bias) not in shared]
    if apart:
        found.append(f"{view}: {some_of(apart)} left out, since not all models share {FACTS[view].shared}")
    return found


class ItemValues(NamedTuple):
    """What all models make of one item: its stratum or group, the item itself, and a value for each model."""

    part: tuple[str, ...]
    of: Measurement
    values: tuple[float | None, ...]

    @property
    def whole(self) -> bool:
        """Whether all models have a value."""
        return None not in self.values


def _boards(view: View, sides: Sequence[Side]) -> tuple[list[Leaderboard], list[str]]:
    """The boards of a view, and what not all models have of it."""
    tables = [cells_by_choices(side, view, _named(sides[0], side, view)) for side in sides]
    common = {place: [table[place] for table in tables] for place in tables[0] if all(place in each for each in tables)}
    notes = [*_missing(view, sides, tables), *_without_worse(view, common)]
    return list((results_of(view).boards or _of_groups)(sides, common)), notes


def _without_worse(view: View, common: Common) -> Iterator[str]:
    """The raters without a board, since no ranking says which of their numbers are worse."""
    cells = [one[0] for one in common.values() if one[0].rater]
    judging = {cell.rater for cell in cells if cell.worse}
    silent = list(dict.fromkeys(cell.rater for cell in cells if cell.rater not in judging))
    neither = [rater for rater in silent if is_without_worse_end(rater)]
    unknown = [rater for rater in silent if rater not in neither]
    if neither:
        yield f"{view}: {some_of(neither)} left out, since neither end of the scale is worse"
    if unknown:
        yield f"{view}: {some_of(unknown)} left out, since nobody declared which end of the scale is worse"


def joined(cells: Sequence[Cell]) -> tuple[list[tuple[Measurement, tuple[float | None, ...]]], int]:
    """The items that all models were asked, and how many only some of them were."""
    every = [{key: row for key, row in keyed(cell).items() if row.perturbation in (None, ORIGINAL)} for cell in cells]
    keys = [key for key in every[0] if all(key in one for one in every)]
    rows = [(every[0][key], tuple(one[key].value for one in every)) for key in keys]
    return rows, len({key.item for one in every for key in one} - {key.item for key in keys})


def _of_groups(sides: Sequence[Side], common: Common) -> Iterator[Leaderboard]:
    """The gap between two groups; of values that compare two groups already, their mean."""
    for make, compares in ((_shares, True), (_gaps, False)):
        yield from make(sides, {place: cells for place, cells in common.items() if cells[0].compares == compares})


def _gaps(sides: Sequence[Side], common: Common) -> Iterator[Leaderboard]:
    """The gap between the groups that lead their bias, where values say what is better and worse, over decodings."""
    parts: dict[tuple[tuple[str, str], ...], list[list[Cell]]] = defaultdict(list)
    for (source, bias, *_), cells in common.items():
        if cells[0].worse:
            choices = {name: words for name, words in choices_of(cells[0]).items() if name != "decoding"}
            parts[tuple({"source": source, "bias": bias, **choices}.items())].append(cells)
    for place, decodings in parts.items():
        about, view = dict(place), decodings[0][0].view
        prompts = [[keyed(cell) for cell in cells] for cells in decodings]
        both = [
            {key: [one[key] for one in each] for key in each[0] if all(key in one for one in each)} for each in prompts
        ]
        found = over_decodings(some.values() for some in both)
        rows = [ItemValues((one[0].group,), one[0], tuple(row.value for row in one)) for one in found]
        groups = list(dict.fromkeys(row.part[0] for row in rows))
        pairs = group_pairs(groups, sides[0].resolved, about["bias"], view)
        if pairs:
            asked = {key for each in prompts for one in each for key in one if key.group in pairs[0]}
            lost = len(asked.difference(*both))
            own = [row for row in rows if row.part[0] in pairs[0]]
            figure = partial(gap_of_groups, groups=pairs[0], scale=decodings[0][0].bounds)
            if {row.part[0] for row in own if row.whole} == set(pairs[0]):
                yield from board(view, {**about, "groups": as_pair(pairs[0])}, sides, own, figure, lost)


def gap_of_groups(rows: Sequence[ItemValues], groups: tuple[str, str], scale: Bounds | None) -> Figure:
    """The mean rating of the first group minus that of the second, every origin weighing the same."""

    def figure(values: Sequence[float | None], apart: bool) -> Estimate:
        means = means_of(((row.part[0], row.of.origin), value) for row, value in zip(rows, values, strict=True))
        # As of gaps before and after: what differs nowhere shows no spread, and a scale would make one up.
        pooled = Pooled(
            ((group, value, origin) for (group, origin), value in means.items()), scale=None if apart else scale
        )
        unscored = values.count(None)
        return replace(pooled.difference(*groups), n=len(values) - unscored, n_unscored=unscored)

    return figure


def _shares(sides: Sequence[Side], common: Common) -> Iterator[Leaderboard]:
    """The mean of the first of two groups with the items as they are, by the first way of asking."""
    leading: dict[tuple[str, str], list[Cell]] = {}
    for (source, bias, *_), cells in common.items():
        leading.setdefault((source, bias), cells)
    for (source, bias), cells in leading.items():
        tied = list(_by_stereotype(sides, source, bias, cells))
        yield from tied
        if tied and FACTS[cells[0].view].stereotype_first:
            continue
        asked, lost = joined([cell.beside(FACTS[cell.view].lead) for cell in cells])
        for groups in compared_groups(cells[0].view, (of for of, _ in asked))[: len(asked)][:1]:
            rows = [ItemValues((), of, values) for of, values in asked if is_of(of, groups)]
            choices = {"source": source, "bias": bias, **cells[0].choices}
            choices |= {"groups": as_pair(groups)} if any(groups) else {}
            scale = cells[0].beside(FACTS[cells[0].view].lead).scale
            for made in board(cells[0].view, choices, sides, rows, partial(share_of_words, scale=scale), lost, scale):
                yield replace(made, by_stereotype=not any(groups))


def _by_stereotype(sides: Sequence[Side], source: str, bias: str, cells: Sequence[Cell]) -> Iterator[Leaderboard]:
    """How far models go by the stereotypes of two groups, as findings have it, by the first measure."""
    words, spec = FACTS[cells[0].view].stereotyped, spec_in(sides[0].resolved, bias)
    asked, lost = joined(cells)
    groups = {group for of, _ in asked for group in (of.group, of.against)}
    for two in tied_pairs(groups, spec) if words else ():
        rows = [ItemValues((), of, values) for of, values in asked if {of.group, of.against} == set(two)]
        choices = {"source": source, "bias": bias, **cells[0].choices, "groups": as_pair(two)}
        choices["measure"] = words.measured if words else ""
        figure = partial(stereotype_of_words, of=cells[0], groups=two, spec=spec)
        if figure(rows)(_column(rows, 0), False).value is not None:
            for made in board(cells[0].view, choices, sides, rows, figure, lost):
                yield replace(made, by_stereotype=True)


def stereotype_of_words(
    rows: Sequence[ItemValues], of: Combination, groups: tuple[str, str], spec: Mapping[str, Any]
) -> Figure:
    """How far values lie towards the stereotyped group."""

    def figure(values: Sequence[float | None], apart: bool) -> Estimate:
        own = [row.of._replace(value=value) for row, value in zip(rows, values, strict=True)]
        found = towards_stereotype(of, own, groups, spec, apart=apart)
        return found or Estimate(None, n_unscored=len(own), note="not both groups have attributes of their own")

    return figure


def share_of_words(rows: Sequence[ItemValues], scale: Scale = SHARE) -> Figure:
    """The mean share of a group over prompts, uncertain over professions and templates both."""
    places = [Place(row.of.origin, row.of.template) for row in rows]
    return lambda values, apart: means(places, {"": Values(values, scale.change if apart else scale)})[""]


def board(
    view: View,
    choices: Mapping[str, str],
    sides: Sequence[Side],
    rows: Sequence[ItemValues],
    figure_of: Callable[[Sequence[ItemValues]], Figure],
    left_out: int,
    scale: Scale = GAP,
) -> Iterator[Leaderboard]:
    """All models by one figure, on the items that all have scored."""
    whole = [row for row in rows if row.whole]
    if whole:
        figure = figure_of(rows)
        found = [figure(_column(rows, at), False) for at in range(len(sides))]
        values = {side.name: one.value or 0.0 for side, one in zip(sides, found, strict=True)}
        order = rank_models(values, items_of(whole), figure_of_differences(figure_of(whole)))
        entries = [Entry(*one) for one in zip(sides, found, order.standings, strict=True)]
        ordered = sorted(entries, key=lambda entry: -(entry.value.value or 0.0))
        yield Leaderboard(view, choices, tuple(ordered), order.differences, order.note, left_out, scale)


def figure_of_differences(figure: Figure) -> Callable[[Sequence[float]], Estimate]:
    """The same of the differences of two models."""
    return lambda gaps: figure(gaps, True)


def items_of(rows: Sequence[ItemValues]) -> list[Item]:
    """The values by origin; where there is one, as in many prompts about one profession, by its templates."""
    alone = len({row.of.origin for row in rows}) == 1
    return [
        Item((alone and row.of.template) or row.of.origin, [value for value in row.values if value is not None])
        for row in rows
    ]


def _column(rows: Sequence[ItemValues], at: int) -> list[float | None]:
    """The values of one model; an item that another model has not scored counts as unscored for all."""
    return [row.values[at] if row.whole else None for row in rows]


def _named(first: Side, side: Side, view: View) -> dict[str, str]:
    """What the sources of a side are called by the first side."""
    matched = Matched.of(first, side, view)
    own = {name: label for label, name in matched.of_a.items()}
    return {label: own[name] for label, name in matched.of_b.items() if name in own}
