"""Next words of two sides: whom either expects after the same prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tiltmeter.analysis.asked_words import asked_words
from tiltmeter.analysis.comparable import Matched, Side
from tiltmeter.analysis.comparison_cells import SIDES, Shared, Wanted, only_one
from tiltmeter.analysis.comparison_records import Compared, ComparedView
from tiltmeter.analysis.next_words import ORIGINAL, Expected
from tiltmeter.analysis.paired_names import as_pair
from tiltmeter.analysis.question_cells import MEASURED, PERSON
from tiltmeter.errors import UserError
from tiltmeter.records import Estimate
from tiltmeter.stats.comparisons import Paired, paired
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.stats.crossed_changes import crossed_change
from tiltmeter.stats.equivalence import equivalence
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.next_words import Place, Values, means


def compared_words(a: Side, b: Side, wanted: Wanted) -> ComparedView:
    """Whom either side expects: log ratio, share and difference after the prompts as they are, and after *person*."""
    sources, shared = Matched.of(a, b, "next words"), Shared()
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
                about = {**choices, "perturbation": perturbation, "groups": as_pair(groups)}
                for measure in MEASURED:
                    cell = _words_compared({**about, "measure": measure}, rows, groups, wanted)
                    made.append(cell)
                    if measure == "share" and perturbation == ORIGINAL:
                        overall.setdefault((source, bias), cell)
    left_out = only_one(a, b, tables, ("source", "bias", "set of words", "way of counting, bounded:", "combination"))
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
    found = _both_ways(first, second, places, wanted.seed, Scale(measure.low, measure.high))
    delta, same = wanted.on(name), None
    if delta is not None:
        gaps = _gaps(first, second)

        def measured(shift: float, level: float) -> Estimate:
            moved = [None if gap is None else gap + shift for gap in gaps]
            return means(places, {"": Values(moved, Scale(neutral=0.0))}, level=level)[""]

        same = equivalence(measured, delta)
    return Compared("next words", choices, found, same)


def _both_ways(
    first: Sequence[float | None], second: Sequence[float | None], places: Sequence[Place], seed: int, scale: Scale
) -> Paired:
    """As `paired` over professions, but for what is uncertain over templates as well: means, difference and change."""
    professions = [place.profession for place in places]
    found = paired(first, second, professions, names=SIDES, seed=seed)
    gaps = _gaps(first, second)
    both = [None if gap is None else one for one, gap in zip(first, gaps, strict=True)]
    other = [None if gap is None else one for one, gap in zip(second, gaps, strict=True)]
    made = means(places, {"a": Values(both, scale), "b": Values(other, scale), "": Values(gaps, scale.change)})
    p = found.p_permutation
    templates = [place.template or f"\0{place.profession}" for place in places]
    if 1 < len(set(templates)) < len(set(zip(professions, templates, strict=True))) and p is not None:
        over = paired(first, second, templates, seed=seed).p_permutation
        # Another choice of templates could have turned it as well: the larger of the two counts.
        p = None if over is None else max(p, over)
    change, no_change = crossed_change(places, both, other, made["a"], SIDES)
    return replace(
        found,
        a=made["a"],
        b=made["b"],
        difference=made[""],
        p_permutation=p,
        change=change,
        no_change=no_change,
    )


def _gaps(first: Sequence[float | None], second: Sequence[float | None]) -> list[float | None]:
    return [None if one is None or other is None else one - other for one, other in zip(first, second, strict=True)]
