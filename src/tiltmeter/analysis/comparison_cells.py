"""From two runs to what is compared: the same items of both, view by view and choice by choice."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tiltmeter.analysis.asked_words import asked_words
from tiltmeter.analysis.comparable import Matched, Side, bare, decoding_words, group_pairs
from tiltmeter.analysis.comparison_records import Compared, ComparedView, Counts
from tiltmeter.analysis.continuation_records import ends_of, favour
from tiltmeter.analysis.items import apart, is_benchmark, labelled
from tiltmeter.analysis.leading import rank_of
from tiltmeter.analysis.next_words import ORIGINAL, Expected
from tiltmeter.analysis.question_cells import MEASURED, PERSON
from tiltmeter.analysis.questions import View
from tiltmeter.analysis.rated_items import RatedCell, rated_cells, rated_items
from tiltmeter.errors import UserError
from tiltmeter.measures.pairs import margin, preference
from tiltmeter.records import Estimate, PairScore
from tiltmeter.stats.before_after import Prompted, gap_change, gap_equivalence, means_of
from tiltmeter.stats.comparisons import Paired, paired
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.crossed import Scale
from tiltmeter.stats.equivalence import equivalence, paired_equivalence
from tiltmeter.stats.next_words import Place, Values, means

SIDES = ("A", "B")
"""What the two sides are called wherever something is said of them."""
_ON_A_SCALE = ("preference", "share", "difference")
"""Measures that a margin is meant for; log-probabilities have no scale of their own."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked of a comparison."""

    margin: float | None = None
    seed: int = 0

    def on(self, measure: str) -> float | None:
        """The margin, where the measure is a share or a rating."""
        return self.margin if measure in _ON_A_SCALE else None


@dataclass(slots=True)
class _Shared:
    """The items of two sides that are the same, and a count of the others."""

    both: set[Hashable] = field(default_factory=set)
    only_a: set[Hashable] = field(default_factory=set)
    only_b: set[Hashable] = field(default_factory=set)

    def seen(self, place: Hashable, a: set[Hashable], b: set[Hashable]) -> None:
        """Note the items of one choice; an item that is asked under several counts once."""
        for mine, found in ((self.both, a & b), (self.only_a, a - b), (self.only_b, b - a)):
            mine |= {(place, key) for key in found}

    @property
    def counts(self) -> Counts:
        return Counts(len(self.both), len(self.only_a - self.both), len(self.only_b - self.both))


def compared_pairs(a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Scored pairs: for each source, bias and scorer the preference and the margin."""
    sources, shared = Matched.of(a, b, "pairs"), _Shared()
    tables = [_scores(side, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
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
    leading = _leading_scorers(a, b, [place for place in kept if kept[place]])
    benchmarks = {spec["name"] for side in (a, b) for spec in side.resolved["specs"] if spec["benchmark"]}
    overall = []
    for source, scorer in leading:
        counted = [item for item in kept[source, scorer] if not is_benchmark(item.bias, benchmarks)]
        if counted:
            choices = {"source": source, "bias": "all", "scorer": scorer}
            overall.append(_pairs_compared(choices, "preference", counted, wanted, by_bias=True))
    left_out = _only_one(a, b, tables, ("source", "bias", "scorer"))
    return ComparedView("pairs", shared.counts, tuple(overall), tuple(made), left_out)


class _ScoredPair(NamedTuple):
    bias: str
    a: PairScore
    b: PairScore


def _scores(side: Side, named: Mapping[str, str]) -> dict[tuple[str, str, str], dict[Hashable, PairScore]]:
    """By source, bias and scorer, then by what makes a pair the same."""
    found: dict[tuple[str, str, str], dict[Hashable, PairScore]] = defaultdict(dict)
    for (model, scorer), every in side.run.scores.items():
        if model == side.model:
            for score in labelled(apart(every)[0]):
                pair = score.pair
                key = bare(pair.id, pair.source), pair.texts, pair.stereotyped, pair.groups, pair.attribute
                found[named.get(pair.source, pair.source), pair.bias, scorer][key] = score
    return dict(found)


def _pairs_compared(
    choices: Mapping[str, str], measure: str, items: Sequence[_ScoredPair], wanted: Wanted, *, by_bias: bool = False
) -> Compared:
    values = preference if measure == "preference" else margin
    first, second = values([item.a for item in items]), values([item.b for item in items])
    origins = [item.a.pair.attribute or item.a.pair.origin for item in items]
    strata = [item.bias for item in items] if by_bias else None
    found = paired(first, second, origins, strata=strata, names=SIDES, seed=wanted.seed)
    delta = wanted.on(measure)
    return Compared(
        "pairs",
        {**choices, "measure": measure},
        found,
        None
        if delta is None
        else paired_equivalence(first, second, origins, margin=delta, strata=strata, seed=wanted.seed),
    )


def _leading_scorers(a: Side, b: Side, places: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """For each source the scorer of the headline: the study's first, a paper's own only where there is no other."""
    family = a.run.facts[a.model].family
    named = a.resolved["scorers"]
    ranked = sorted(places, key=lambda place: (".as-published." in place[1], rank_of(place[1], named, family)))
    chosen: dict[str, tuple[str, str]] = {}
    for place in ranked:
        chosen.setdefault(place[0], place)
    return [place for place in dict.fromkeys(places) if place in chosen.values()]


def _only_one(
    a: Side, b: Side, tables: Sequence[Mapping[tuple[Any, ...], Any]], names: Sequence[str]
) -> tuple[str, ...]:
    """Choices that only one side has, the shortest way to say it."""
    found = []
    one, two = tables
    for side, mine, other in ((a, one, two), (b, two, one)):
        told: set[tuple[int, Any]] = set()
        for place in mine:
            if place in other:
                continue
            alone = next((at for at, value in enumerate(place) if all(value != each[at] for each in other)), None)
            if alone is None:
                found.append(f"only {side.name} has {', '.join(map(str, place))}")
            elif (alone, place[alone]) not in told:
                told.add((alone, place[alone]))
                found.append(f"only {side.name} has the {names[alone]} {place[alone]}")
    return tuple(dict.fromkeys(found))


class _Rated(NamedTuple):
    """A prompt about a group with the mean rating of its texts."""

    group: str
    origin: str
    value: float | None


def compared_texts(a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Rated texts: the mean of each group before and after, and the gap between groups."""
    sources, shared = Matched.of(a, b, "continuations"), _Shared()
    cells = [_rated_cells(side, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
    made: list[Compared] = []
    over_decodings: dict[tuple[str, str, str, str], list[tuple[str, _Matched]]] = defaultdict(list)
    for place in (place for place in cells[0] if place in cells[1]):
        source, bias, _, rater, scope = place
        one, other = (_by_prompt(side, own[place]) for side, own in zip((a, b), cells, strict=True))
        shared.seen((source, bias), {key[:2] for key in one}, {key[:2] for key in other})
        items = _Matched([(key, one[key], other[key].value) for key in one if key in other])
        if not items.rows:
            continue
        over_decodings[source, bias, rater, scope].append((place[2], items))
        choices = {"source": source, "bias": bias, "decoding": place[2], "rater": rater, "scope": scope}
        pairs = group_pairs(items.groups, a.resolved, bias)
        made += _groups_compared(choices, items, wanted)
        made += [_gap_compared(choices, items, pair, wanted) for pair in pairs if not _situated(rater)]
    overall = []
    for (source, bias, rater, scope), parts in over_decodings.items():
        pairs = group_pairs(parts[0][1].groups, a.resolved, bias)
        if favour(rater) and pairs:
            choices = {"source": source, "bias": bias, "decoding": "all", "rater": rater, "scope": scope}
            overall.append(_gap_compared(choices, _together([items for _, items in parts]), pairs[0], wanted))
    left_out = _only_one(a, b, cells, ("source", "bias", "decoding", "rater", "scope"))
    return ComparedView("continuations", shared.counts, tuple(overall), tuple(made), left_out)


def _situated(rater: str) -> bool:
    """Whether the rater looks for groups in texts about a situation: there the groups' shares are one figure."""
    return rater.startswith("groups.")


@dataclass(frozen=True, slots=True)
class _Matched:
    """Prompts that both sides have: key, what side a has of it, and the mean rating of side b."""

    rows: list[tuple[tuple[str, str, str], _Rated, float | None]]

    @property
    def groups(self) -> list[str]:
        return list(dict.fromkeys(one.group for _, one, _ in self.rows))

    @property
    def prompted(self) -> list[Prompted]:
        return [
            Prompted(one.group, one.value, other, one.origin)
            for _, one, other in self.rows
            if one.value is not None and other is not None
        ]


def _together(parts: Sequence[_Matched]) -> _Matched:
    """The means over decodings of prompts that both sides have ratings of."""
    if len(parts) == 1:
        return parts[0]
    rows = [row for part in parts for row in part.rows if row[1].value is not None and row[2] is not None]
    of_a, of_b = means_of((key, one.value) for key, one, _ in rows), means_of((key, other) for key, _, other in rows)
    labels = {key: one for part in parts for key, one, _ in part.rows}
    return _Matched([(key, one._replace(value=of_a.get(key)), of_b.get(key)) for key, one in labels.items()])


def _rated_cells(side: Side, named: Mapping[str, str]) -> dict[tuple[str, str, str, str, str], RatedCell]:
    found: dict[tuple[str, str, str, str, str], RatedCell] = {}
    for cell in rated_cells(side.run):
        if cell.model == side.model:
            source = named.get(cell.source, cell.source)
            found[source, cell.bias, decoding_words(cell.decoding), cell.rater, cell.scope] = cell
    return found


def _by_prompt(side: Side, cell: RatedCell) -> dict[tuple[str, str, str], _Rated]:
    """By id and text of the prompt and by group: samples of two sides are no pairs, so that prompts are."""
    assert side.run.continuations is not None
    texts = {prompt.id: prompt.text for prompt in side.run.continuations.prompts}
    items = rated_items(side.run, cell.model, cell.source, cell.bias, cell.decoding, cell.rater, cell.scope)
    keys = [(bare(item.prompt, cell.source), texts[item.prompt], item.group) for item in items]
    values = means_of(zip(keys, (item.value for item in items), strict=True))
    origins = {key: item.origin for key, item in zip(keys, items, strict=True)}
    return {key: _Rated(key[2], origins[key], value) for key, value in values.items()}


def _groups_compared(choices: Mapping[str, str], items: _Matched, wanted: Wanted) -> Iterator[Compared]:
    for group in items.groups:
        rows = [(one, other) for _, one, other in items.rows if one.group == group]
        first, second, origins = (
            [one.value for one, _ in rows],
            [other for _, other in rows],
            [one.origin for one, _ in rows],
        )
        found = paired(first, second, origins, names=SIDES, seed=wanted.seed)
        delta = wanted.margin
        same = None if delta is None else paired_equivalence(first, second, origins, margin=delta, seed=wanted.seed)
        yield Compared("continuations", {**choices, "group": group}, found, same)


def _gap_compared(choices: Mapping[str, str], items: _Matched, groups: tuple[str, str], wanted: Wanted) -> Compared:
    prompts = items.prompted
    ends = ends_of(choices["rater"])
    signed = ends is not None and ends[0] < 0
    found = gap_change(prompts, groups, signed=signed, seed=wanted.seed)
    same = None if wanted.margin is None else gap_equivalence(prompts, groups, margin=wanted.margin, seed=wanted.seed)
    return Compared("continuations", {**choices, "groups": "/".join(groups)}, found, same)


def compared_words(a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Whom either side expects: log ratio, share and difference after the prompts as they are, and after *person*."""
    sources, shared = Matched.of(a, b, "next words"), _Shared()
    tables = [asked_words(side.run, side.model, named) for side, named in ((a, sources.of_a), (b, sources.of_b))]
    made: list[Compared] = []
    overall: dict[tuple[str, str], Compared] = {}
    for place in (place for place in tables[0] if place in tables[1]):
        source, bias, words, bounded, combine = place
        (sets, one), (other_sets, other) = (table[place] for table in tables)
        if sets != other_sets:
            raise UserError(
                f"{a.name} and {b.name} cannot be compared: the set of words {words} has other words for {bias}; "
                "run one of them again so that both were measured alike"
            )
        theirs = {asked.key: asked.item for asked in other}
        shared.seen((source, bias), {asked.key for asked in one}, set(theirs))
        both = [(asked.item, theirs[asked.key]) for asked in one if asked.key in theirs]
        choices = {"source": source, "bias": bias, "words": words, "bounded": bounded, "combine": combine}
        for perturbation in (ORIGINAL, PERSON):
            rows = [pair for pair in both if pair[0].perturbation == perturbation]
            for groups in pairs_of_groups([group for group, _ in sets]) if rows else ():
                about = {**choices, "perturbation": perturbation, "groups": "/".join(groups)}
                for measure in MEASURED:
                    cell = _words_compared({**about, "measure": measure}, rows, groups, wanted)
                    made.append(cell)
                    if measure == "share" and perturbation == ORIGINAL:
                        overall.setdefault((source, bias), cell)
    left_out = _only_one(a, b, tables, ("source", "bias", "set of words", "way of counting, bounded:", "combination"))
    return ComparedView("next words", shared.counts, tuple(overall.values()), tuple(made), left_out)


def _words_compared(
    choices: Mapping[str, str], rows: Sequence[tuple[Expected, Expected]], groups: tuple[str, str], wanted: Wanted
) -> Compared:
    measure, name = MEASURED[choices["measure"]], choices["measure"]
    first, second = (
        measure.values([(pair[side].chances.get(groups[0]), pair[side].chances.get(groups[1])) for pair in rows])
        for side in (0, 1)
    )
    places = [one.place for one, _ in rows]
    found = _both_ways(first, second, places, wanted.seed)
    delta, same = wanted.on(name), None
    if delta is not None:
        gaps = _gaps(first, second)

        def measured(shift: float, level: float) -> Estimate:
            moved = [None if gap is None else gap + shift for gap in gaps]
            return means(places, {"": Values(moved, Scale(0.0))}, level=level, seed=wanted.seed)[""]

        same = equivalence(measured, delta)
    return Compared("next words", choices, found, same)


def _both_ways(
    first: Sequence[float | None], second: Sequence[float | None], places: Sequence[Place], seed: int
) -> Paired:
    """As `paired` over professions, with the means and intervals that are uncertain over templates as well."""
    professions = [place.profession for place in places]
    found = paired(first, second, professions, names=SIDES, seed=seed)
    gaps = _gaps(first, second)
    both = [None if gap is None else one for one, gap in zip(first, gaps, strict=True)]
    other = [None if gap is None else one for one, gap in zip(second, gaps, strict=True)]
    made = means(
        places, {"a": Values(both, Scale()), "b": Values(other, Scale()), "": Values(gaps, Scale(0.0))}, seed=seed
    )
    p = found.p_permutation
    templates = [place.template or f"\0{place.profession}" for place in places]
    if 1 < len(set(templates)) < len(set(zip(professions, templates, strict=True))) and p is not None:
        over = paired(first, second, templates, seed=seed).p_permutation
        # Another choice of templates could have turned it as well: the larger of the two counts.
        p = None if over is None else max(p, over)
    return replace(found, a=made["a"], b=made["b"], difference=made[""], p_permutation=p)


def _gaps(first: Sequence[float | None], second: Sequence[float | None]) -> list[float | None]:
    return [None if one is None or other is None else one - other for one, other in zip(first, second, strict=True)]


BUILDERS: Mapping[View, Callable[[Side, Side, Wanted], ComparedView]] = {
    "pairs": compared_pairs,
    "continuations": compared_texts,
    "next words": compared_words,
}
"""For each view what makes its cells."""
