"""Leaderboards: several models on the same items, each with its interval and how far its place would hold."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tiltmeter.analysis.cell_items import pair_item
from tiltmeter.analysis.cells import Cell, Measurement
from tiltmeter.analysis.comparable import Matched, Side, group_pairs, views_of, views_there
from tiltmeter.analysis.compared_views import leading_scorers
from tiltmeter.analysis.comparison_cells import keyed, places_of
from tiltmeter.analysis.comparison_unlike import notes_on, refuse_unlike
from tiltmeter.analysis.leaderboard_records import ALL, Entry, Leaderboard, Leaderboards
from tiltmeter.analysis.next_words import ORIGINAL
from tiltmeter.analysis.paired_names import as_pair
from tiltmeter.errors import UnknownName, UserError
from tiltmeter.measures.next_words import SHARE
from tiltmeter.records import Estimate
from tiltmeter.stats.before_after import means_of
from tiltmeter.stats.estimate import Scale, equal_shares
from tiltmeter.stats.estimates import estimate
from tiltmeter.stats.next_words import Place, Values, means
from tiltmeter.stats.pairs import headline_strata
from tiltmeter.stats.places import Order, Part, order_of
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.scales import Bounds
from tiltmeter.store import Run
from tiltmeter.views import VIEWS, View

_Made = tuple[list[Leaderboard], list[str]]
"""The boards of a view, and what not all models have of it."""
_Common = Mapping[tuple[str, ...], list[Cell]]
"""By source, bias and choices that all models share, the cell of each of them."""
_SHARED: Mapping[View, str] = {
    "pairs": "a scorer",
    "continuations": "a decoding and a rater",
    "next words": "a set of words and a way of counting them",
}
"""What all models must have of a bias and a source besides its items."""
_NAMED = 5
"""Biases that a note names."""


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
        refuse_unlike(one, other, common)
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
    has = {side.name: views_there(side) for side in sides}
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
            found.append(f"{view}: {_listed(lost)} left out, missing in {side.name}")
    whole = [place for place in every if all(place in {one[:2] for one in table} for table in tables)]
    shared = {one[:2] for one in tables[0] if all(one in table for table in tables)}
    apart = [f"{bias} ({source})" for source, bias in whole if (source, bias) not in shared]
    if apart:
        found.append(f"{view}: {_listed(apart)} left out, since not all models share {_SHARED[view]}")
    return found


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{', '.join(names[:_NAMED])}{more}"


class _Row(NamedTuple):
    """What all models make of one item: its stratum or group, the item itself, and a value for each model."""

    part: tuple[str, ...]
    of: Measurement
    values: tuple[float | None, ...]

    @property
    def whole(self) -> bool:
        return None not in self.values


def _boards(view: View, sides: Sequence[Side]) -> _Made:
    """The boards of a view, and what not all models have of it."""
    tables = [places_of(side, view, _named(sides[0], side, view)) for side in sides]
    common = {place: [table[place] for table in tables] for place in tables[0] if all(place in each for each in tables)}
    return list(_MAKERS[view](sides, common)), _missing(view, sides, tables)


def _joined(cells: Sequence[Cell]) -> tuple[list[tuple[Measurement, tuple[float | None, ...]]], int]:
    """The items that all models were asked, and how many only some of them were."""
    every = [{key: row for key, row in keyed(cell).items() if row.perturbation in (None, ORIGINAL)} for cell in cells]
    keys = [key for key in every[0] if all(key in one for one in every)]
    rows = [(every[0][key], tuple(one[key].value for one in every)) for key in keys]
    return rows, len({key.item for one in every for key in one} - {key.item for key in keys})


def _preferences(sides: Sequence[Side], common: _Common) -> Iterator[Leaderboard]:
    """The share of stereotyped choices: over all biases of a source, and for each bias."""
    for source, scorer in leading_scorers(sides[0], [(place[0], place[2]) for place in common]):
        by_bias: dict[str, list[_Row]] = {}
        left_out: dict[str, int] = {}
        social: list[_Row] = []
        for place, cells in common.items():
            if (place[0], place[2]) == (source, scorer):
                found, left_out[place[1]] = _joined(cells)
                parts = headline_strata([pair_item(cells[0], of._replace(value=1.0)) for of, _ in found])
                by_bias[place[1]] = [_Row(part, *each) for part, each in zip(parts, found, strict=True)]
                social += [] if cells[0].benchmark else by_bias[place[1]]
        choices = {"source": source, "scorer": scorer}
        if len({row.part[0] for row in social}) > 1:
            lost = sum(left_out[bias] for bias in {row.part[0] for row in social})
            yield from _without(lost, _strata_board({**choices, "bias": ALL}, sides, social))
        for bias, rows in by_bias.items():
            yield from _without(left_out[bias], _strata_board({**choices, "bias": bias}, sides, rows))


def _strata_board(choices: Mapping[str, str], sides: Sequence[Side], rows: Sequence[_Row]) -> Iterator[Leaderboard]:
    whole = [row for row in rows if row.whole]
    if not whole:
        return
    strata = list(dict.fromkeys(row.part for row in whole))
    weights = equal_shares([("", *path) for path in strata])
    order = order_of(
        [
            [_part(weight, [row for row in whole if row.part == path])]
            for path, weight in zip(strata, weights, strict=True)
        ]
    )
    origins, parts = [row.of.origin for row in rows], [row.part for row in rows]
    further = {"templates": [row.of.template for row in rows], "terms": [row.of.term for row in rows]}
    found = [estimate(_column(rows, at), origins, strata=parts, further=further) for at in range(len(sides))]
    yield _board("pairs", choices, sides, found, order)


def _gaps(sides: Sequence[Side], common: _Common) -> Iterator[Leaderboard]:
    """The gap between the groups that lead their bias, by each rater that has better and worse, over decodings."""
    parts: dict[tuple[str, ...], list[list[Cell]]] = defaultdict(list)
    for (source, bias, _, rater, scope), cells in common.items():
        if cells[0].worse:
            parts[source, bias, rater, scope].append(cells)
    for (source, bias, rater, scope), decodings in parts.items():
        prompts = [[keyed(cell) for cell in cells] for cells in decodings]
        # A prompt counts with the mean over the decodings under which all models have a rating of it.
        both = [
            (key, tuple(one[key].value for one in each))
            for each in prompts
            for key in each[0]
            if all(key in one for one in each)
        ]
        labels = {key: one for each in prompts for key, one in each[0].items()}
        whole = [(key, values) for key, values in both if None not in values]
        columns = [means_of((key, values[at]) for key, values in whole) for at in range(len(sides))]
        rows = [
            _Row((key.group,), labels[key], tuple(column.get(key) for column in columns))
            for key in dict.fromkeys(key for key, _ in both)
        ]
        pairs = group_pairs(list(dict.fromkeys(row.part[0] for row in rows)), sides[0].resolved, bias)
        if pairs:
            choices = {"source": source, "bias": bias, "rater": rater, "scope": scope, "groups": as_pair(pairs[0])}
            asked = {key for each in prompts for one in each for key in one if key.group in pairs[0]}
            lost = len(asked - {key for key, _ in both})
            yield from _without(lost, _gap_board(choices, sides, rows, pairs[0], decodings[0][0].bounds))


def _gap_board(
    choices: Mapping[str, str],
    sides: Sequence[Side],
    rows: Sequence[_Row],
    groups: tuple[str, str],
    scale: Bounds | None,
) -> Iterator[Leaderboard]:
    sets = [[row for row in rows if row.part[0] == group and row.whole] for group in groups]
    if not all(sets):
        return
    one, other = (_part(weight, own) for weight, own in zip((1.0, -1.0), sets, strict=True))
    # The same templates filled with either group are drawn together.
    shared = set(one.origins) & set(other.origins)
    order = order_of([[one, other]] if shared else [[one], [other]])
    unscored = sum(not row.whole for row in rows if row.part[0] in groups)
    found = [
        _counted(
            Pooled(
                (
                    (group, value, origin)
                    for (group, origin), value in means_of(
                        ((row.part[0], row.of.origin), row.values[at]) for own in sets for row in own
                    ).items()
                ),
                scale=scale,
            ).difference(*groups),
            sum(map(len, sets)),
            unscored,
        )
        for at in range(len(sides))
    ]
    yield _board("continuations", choices, sides, found, order)


def _counted(found: Estimate, n: int, unscored: int) -> Estimate:
    """With the number of prompts, where it was made of the means of origins."""
    return replace(found, n=n, n_unscored=unscored)


def _shares(sides: Sequence[Side], common: _Common) -> Iterator[Leaderboard]:
    """The share of the first of two groups after the prompts as they are, by the first way of asking."""
    leading: dict[tuple[str, str], list[Cell]] = {}
    for (source, bias, *_), cells in common.items():
        leading.setdefault((source, bias), cells)
    for (source, bias), cells in leading.items():
        asked, lost = _joined([cell.beside(SHARE.name) for cell in cells])
        groups = next(((of.group, of.against or "") for of, _ in asked), None)
        if groups:
            rows = [_Row((), of, values) for of, values in asked if (of.group, of.against) == groups]
            choices = {"source": source, "bias": bias, **cells[0].choices, "groups": as_pair(groups)}
            yield from _without(lost, _share_board(choices, sides, rows))


def _share_board(choices: Mapping[str, str], sides: Sequence[Side], rows: Sequence[_Row]) -> Iterator[Leaderboard]:
    whole = [row for row in rows if row.whole]
    if whole:
        places = [Place(row.of.origin, row.of.template) for row in rows]
        columns = {str(at): Values(_column(rows, at), Scale(0.0, 1.0, 0.5)) for at in range(len(sides))}
        order = order_of([[_part(1.0, whole)]], above=_above(places, [row.values for row in rows]))
        yield _board("next words", choices, sides, list(means(places, columns).values()), order)


def _above(places: Sequence[Place], values: Sequence[Sequence[float | None]], level: float = 0.95) -> NDArray[np.bool_]:
    """Whether the model of a row is above that of a column over professions and templates both.

    Corrected after Bonferroni for all models that one is held to.
    """
    models = len(values[0])
    apart = {
        f"{one} {other}": Values([_minus(each[one], each[other]) for each in values], Scale(-1.0, 1.0, 0.0))
        for one, other in combinations(range(models), 2)
    }
    found = np.zeros((models, models), dtype=np.bool_)
    for name, difference in means(places, apart).items():
        one, other = map(int, name.split())
        shown = difference.p is not None and difference.p <= (1 - level) / (models - 1)
        found[one, other] = shown and (difference.value or 0.0) > 0
        found[other, one] = shown and (difference.value or 0.0) < 0
    return found


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _board(
    view: View, choices: Mapping[str, str], sides: Sequence[Side], found: Sequence[Estimate], order: Order
) -> Leaderboard:
    entries = [Entry(*one) for one in zip(sides, found, order.standings, strict=True)]
    ordered = sorted(entries, key=lambda entry: entry.standing.place)
    return Leaderboard(view, choices, tuple(ordered), order.kept, order.draws, order.note)


def _without(left_out: int, boards: Iterable[Leaderboard]) -> Iterator[Leaderboard]:
    return (replace(board, left_out=left_out) for board in boards)


def _column(rows: Sequence[_Row], at: int) -> list[float | None]:
    """The values of one model; an item that another model has not scored counts as unscored for all."""
    return [row.values[at] if row.whole else None for row in rows]


def _part(weight: float, rows: Sequence[_Row]) -> Part:
    return Part(weight, np.array([row.values for row in rows], dtype=np.float64), [row.of.origin for row in rows])


def _named(first: Side, side: Side, view: View) -> dict[str, str]:
    """What the sources of a side are called by the first side."""
    matched = Matched.of(first, side, view)
    own = {name: label for label, name in matched.of_a.items()}
    return {label: own[name] for label, name in matched.of_b.items() if name in own}


_MAKERS: Mapping[View, Callable[[Sequence[Side], _Common], Iterator[Leaderboard]]] = {
    "pairs": _preferences,
    "continuations": _gaps,
    "next words": _shares,
}
