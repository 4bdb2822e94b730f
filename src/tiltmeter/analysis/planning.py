"""How much is enough: from a pilot run to the sizes of a study whose intervals are as narrow as is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tiltmeter.analysis.asked_words import asked_words
from tiltmeter.analysis.comparable import decoding_words, group_pairs
from tiltmeter.analysis.continuation_records import ends_of, favour
from tiltmeter.analysis.items import apart, pair_items
from tiltmeter.analysis.leading import rank_of
from tiltmeter.analysis.next_words import ORIGINAL
from tiltmeter.analysis.pilot_sources import Available, PilotSource
from tiltmeter.analysis.questions import VIEWS, View
from tiltmeter.analysis.rated_items import rated_cells, rated_items
from tiltmeter.errors import UserError
from tiltmeter.measures.next_words import SHARE
from tiltmeter.records import Estimate, PairScore
from tiltmeter.stats.components import Components, components, difference_components
from tiltmeter.stats.continuations import RatedItem
from tiltmeter.stats.crossed import Scale
from tiltmeter.stats.estimates import FEWEST_ORIGINS, estimate
from tiltmeter.stats.next_words import Values, means, resampled_over
from tiltmeter.stats.pooled import Pooled
from tiltmeter.stats.precision import Design, Option, Plan, predicted_width, sizes_for
from tiltmeter.store import Run

MOST_SAMPLES = 100
MOST_SETS = 30
"""As many sets as the paper on generated sentences has."""
_ROUNDING = 1e-9
_ENDLESS = 10**9
_UNLIKE = 1.25
"""How far the pilot's own width may be from what its components foretell before that is said."""
_CERTAIN = "one sample of each prompt"
"""How the note begins on what more samples would bring; where nothing is left to chance they bring nothing."""


@dataclass(frozen=True, slots=True)
class Target:
    """A figure whose interval is to be narrower, what the pilot says of it, and the sizes that get it there."""

    view: View
    choices: Mapping[str, str]
    """Model, source, bias, and what it was measured by."""
    pilot: Estimate
    found: Components
    plan: Plan
    settable: Option | None
    """The cheapest design that a study file can ask of this source; None where there is none that is narrow enough."""
    options: Mapping[str, int]
    """What to write into the study file for it."""
    origins_are: str
    limits: Design
    floor: float
    """The width that the source does not get under with all that it has, however many samples are asked for."""
    notes: tuple[str, ...] = ()
    blocked: str | None = None
    """Why nothing can be planned from the pilot."""

    @property
    def width(self) -> float | None:
        """How wide the interval of the pilot is, from low to high."""
        return None if self.pilot.low is None or self.pilot.high is None else self.pilot.high - self.pilot.low

    @property
    def advice(self) -> str:
        """What to do, in a sentence."""
        if self.blocked is not None:
            return self.blocked
        if self.settable is None:
            there = f"{self.limits.origins:,} {self.origins_are}{self._each(self.limits)}"
            more = "no number of samples gets" if self.limits.samples > 1 else "all that there is does not get"
            return f"{more} under {self.floor:.3g} with {there}: add {self.origins_are}{self._needed}"
        if not self.options:
            return f"the source gives what it has, which is enough: {self.settable.width:.3g} is expected"
        design = self.settable.design
        samples = f" × {design.samples} samples" if design.samples > 1 else ""
        return (
            f"{design.origins:,} {self.origins_are}{self._each(design)}{samples}: "
            f"{self.settable.width:.3g} wide is expected"
        )

    def _each(self, design: Design) -> str:
        """How much there is of each origin."""
        sets = f" × {design.sets} {'templates' if self.view == 'next words' else 'sets'}" if design.sets > 1 else ""
        noun = "pairs" if self.view == "pairs" else "prompts"
        return sets + (f" × {design.prompts} {noun}" if design.prompts > 1 else "")

    @property
    def _needed(self) -> str:
        least = self.plan.advice.partition("; from ")[2].partition(" origins")[0]
        return f" (from {least} on it is within reach)" if least else ""

    def as_json(self) -> dict[str, Any]:
        """Everything that is said."""
        return {
            "view": self.view,
            **self.choices,
            "pilot": {**self.pilot.as_json(), "width": self.width},
            "components": self.found.as_json(),
            "origins_are": self.origins_are,
            "limits": {
                "origins": self.limits.origins,
                "prompts": self.limits.prompts,
                "samples": self.limits.samples,
                "sets": self.limits.sets,
            },
            "floor": self.floor,
            "advice": self.advice,
            "study": None if self.settable is None else {**self.settable.as_json(), "options": dict(self.options)},
            "plan": {**self.plan.as_json(), "notes": list(self.notes)},
        }


@dataclass(frozen=True, slots=True)
class RunPlan:
    """The targets of a pilot run, and what to write into the study file so that all of them that can are reached."""

    width: float
    targets: tuple[Target, ...]
    lines: Mapping[str, Sequence[str]]
    """By table of the study file."""
    calls: Mapping[str, int]
    """By table: how often a model is asked, for one model and one decoding."""

    def as_json(self) -> dict[str, Any]:
        """Everything that is said."""
        return {
            "width": self.width,
            "level": 0.95,
            "targets": [target.as_json() for target in self.targets],
            "study": {table: list(lines) for table, lines in self.lines.items()},
            "calls": dict(self.calls),
        }


@dataclass(frozen=True, slots=True)
class _Knobs:
    """Between which numbers each level can be set; both the same where it cannot."""

    origins: tuple[int, int]
    prompts: tuple[int, int] = (1, 1)
    samples: tuple[int, int] = (1, 1)
    sets: tuple[int, int] = (1, 1)

    @property
    def limits(self) -> Design:
        """The most of each."""
        return Design(self.origins[1], self.prompts[1], self.samples[1], self.sets[1])


class _Pilot(NamedTuple):
    """What is known of a figure before it is planned for."""

    view: View
    choices: Mapping[str, str]
    estimate: Estimate
    found: Components
    source: PilotSource
    knobs: _Knobs
    across_sets: bool = False
    notes: tuple[str, ...] = ()
    blocked: str | None = None


def plan_run(
    run: Run,
    width: float,
    *,
    views: Sequence[View] = (),
    models: Sequence[str] = (),
    bias: str | None = None,
    max_origins: int | None = None,
) -> RunPlan:
    """The sizes at which the 95 % intervals of a pilot run's figures would be so wide, from low to high.

    Pairs: the share of stereotyped choices of each bias. Continuations: the difference of two groups' ratings. Next
    words: the share of the first of two groups.
    """
    if not width > 0:
        raise UserError(f"--width {width:g}: a width is more than 0: that of the interval, from low to high")
    if max_origins is not None and max_origins < FEWEST_ORIGINS:
        raise UserError(f"--max-origins {max_origins}: there is no interval with fewer than {FEWEST_ORIGINS} origins")
    pilots = [
        one
        for view in views or VIEWS
        for one in _BUILDERS[view](run, max_origins)
        if (bias is None or one.choices["bias"] == bias) and (not models or one.choices["model"] in models)
    ]
    if not pilots:
        raise UserError(f"{run.folder}: {_nothing(run, views, models, bias)}")
    targets = tuple(_planned(one, width) for one in pilots)
    lines, calls = _study(run, targets)
    return RunPlan(width, targets, lines, calls)


def _nothing(run: Run, views: Sequence[View], models: Sequence[str], bias: str | None) -> str:
    known = dict.fromkeys(one.choices["bias"] for view in views or VIEWS for one in _BUILDERS[view](run, None))
    if bias is not None and known and bias not in known:
        return f"there is no bias {bias!r} to plan for; there are {', '.join(known)}"
    if known and models:
        return f"there is nothing of the model {', '.join(models)} to plan for; there are {', '.join(run.facts)}"
    return (
        f"there is nothing to plan from{' of ' + ', '.join(views) if views else ''}: a pilot has scored pairs, rated "
        f"texts about two groups or next words, from {FEWEST_ORIGINS} origins or more"
    )


def _planned(one: _Pilot, width: float) -> Target:
    limits = one.knobs.limits
    plan = sizes_for(one.found, width, limits=limits, across_sets=one.across_sets)
    blocked = one.blocked
    if blocked is None and not _foretold(one):
        blocked = f"the pilot shows no spread between {one.source.origins_are}: nothing can be planned from it"
    settable = None
    if blocked is None:
        settable = plan.best if one.view == "continuations" else _cheapest(one, width)
    options = {} if settable is None else _options(one, settable.design)
    if settable is not None and one.view == "continuations" and not options:
        settable = None
    notes = [note for note in (*plan.notes, *one.notes) if one.view == "continuations" or not note.startswith(_CERTAIN)]
    notes += _odd(one)
    floor = _floor(one)
    return Target(
        one.view,
        one.choices,
        one.estimate,
        one.found,
        plan,
        settable,
        options,
        one.source.origins_are,
        limits,
        floor,
        tuple(notes),
        blocked,
    )


def _foretold(one: _Pilot) -> float:
    """The width that the components foretell of the pilot itself; 0 where nothing varies but by rounding."""
    pilot = {name: max(1, round(size)) for name, size in one.found.pilot.items()}
    width = predicted_width(one.found, Design(**pilot), across_sets=one.across_sets)
    return width if width > _ROUNDING else 0.0


def _odd(one: _Pilot) -> list[str]:
    """Whether the interval of the pilot itself is one that the components would have foretold."""
    if one.estimate.low is None or one.estimate.high is None:
        return []
    foretold = _foretold(one)
    width = one.estimate.high - one.estimate.low
    if not foretold or 1 / _UNLIKE <= width / foretold <= _UNLIKE:
        return []
    return [
        f"the pilot's own interval is {width:.3g} wide, where its components foretell {foretold:.3g} (skewed or rare "
        "values, unlike numbers of items): the plan may be as far off"
    ]


def _floor(one: _Pilot) -> float:
    """With all that the source has, and no end of samples where these can be had."""
    most = one.knobs.limits
    endless = replace(most, samples=_ENDLESS) if one.knobs.samples[1] > 1 else most
    return predicted_width(one.found, endless, across_sets=one.across_sets)


def _cheapest(one: _Pilot, width: float) -> Option | None:
    """The cheapest design within what can be set; one level besides sets is free, so that it can be halved."""
    knobs = one.knobs
    free = "origins" if knobs.origins[0] < knobs.origins[1] else "prompts"
    best: Option | None = None

    def made(sets: int, number: int) -> Design:
        fixed = Design(knobs.origins[0], knobs.prompts[0], knobs.samples[0], sets)
        return replace(fixed, **{free: number})

    def expected(design: Design) -> float:
        return predicted_width(one.found, design, across_sets=one.across_sets)

    for sets in range(knobs.sets[0], knobs.sets[1] + 1):
        low, high = getattr(knobs, free)
        if expected(made(sets, high)) > width * (1 + _ROUNDING):
            continue
        while low < high:
            middle = (low + high) // 2
            narrow = expected(made(sets, middle)) <= width * (1 + _ROUNDING)
            low, high = (low, middle) if narrow else (middle + 1, high)
        design = made(sets, low)
        option = Option(design, expected(design), float(design.texts * one.found.groups))
        if best is None or option.cost < best.cost:
            best = option
    return best


def _options(one: _Pilot, design: Design) -> dict[str, int]:
    """The options of the source, and of the view, that ask for a design."""
    if one.view == "pairs":
        found = {}
        if one.knobs.prompts[1] > 1:
            found["per_attribute"] = design.prompts
        if one.source.written:
            found["sets"] = design.sets
        return found
    if one.view == "continuations":
        samples = {"samples": design.samples} if one.knobs.samples[1] > 1 else {}
        return {"per_group": design.origins * design.prompts, **samples}
    return {"limit": design.origins} if one.source.name in ("profession-templates", "natural", "templates") else {}


def _study(run: Run, targets: Sequence[Target]) -> tuple[dict[str, list[str]], dict[str, int]]:
    """What to write into the study file: of each source the most that a target needs."""
    lines: dict[str, list[str]] = {}
    calls: dict[str, int] = {}
    for view in VIEWS:
        own = [one for one in targets if one.view == view and one.settable is not None]
        if not own:
            continue
        table = view.replace(" ", "_")
        by_source: dict[str, dict[str, int]] = {}
        cost: dict[tuple[str, ...], float] = {}
        for one in own:
            most = by_source.setdefault(one.choices["source"], {})
            for name, value in one.options.items():
                most[name] = max(value, most.get(name, 0))
            place = (one.choices["source"], one.choices["bias"], *([one.choices["groups"]] if view != "pairs" else []))
            cost[place] = max(one.settable.cost if one.settable else 0.0, cost.get(place, 0.0))
        samples = max((most.pop("samples", 0) for most in by_source.values()), default=0)
        sources = [PilotSource(run, view, label).line(most) for label, most in by_source.items()]
        lines[table] = [f"sources = [{', '.join(sources)}]", *([f"samples = {samples}"] if samples else [])]
        calls[table] = round(sum(cost.values()))
    return lines, calls


def _of_pairs(run: Run, max_origins: int | None) -> Iterator[_Pilot]:
    scored: dict[tuple[str, str, str], dict[str, list[PairScore]]] = {}
    for (model, scorer), every in run.scores.items():
        for score in apart(every)[0]:
            if score.pair.contrast == "stereotype" and score.pair.stereotyped is not None:
                by_scorer = scored.setdefault((model, score.pair.source, score.pair.bias), {})
                by_scorer.setdefault(scorer, []).append(score)
    named, seed = run.meta["resolved"]["scorers"], run.meta["resolved"]["seed"]
    known: dict[tuple[str, str], Available] = {}
    for (model, label, bias), by_scorer in scored.items():
        family = run.facts[model].family
        scorer = min(by_scorer, key=lambda name: (".as-published." in name, rank_of(name, named, family)))
        scores = by_scorer[scorer]
        items = pair_items(scores)
        values, origins = [item.value for item in items], [item.attribute or "" for item in items]
        sets = [str(score.pair.set) for score in scores]
        several = len(set(sets)) > 1
        found = _components(values, origins, sets if several else None)
        if found is None:
            continue
        source = PilotSource(run, "pairs", label)
        if (label, bias) not in known:
            known[label, bias] = source.available(bias)
        there = known[label, bias]
        count = max_origins or there.origins
        knobs = _Knobs(
            (count, count),
            (1, max(1, there.items)) if _drawn(source) else _same(there.items),
            sets=(1, MOST_SETS if several else 1),
        )
        choices = {"model": model, "source": label, "bias": bias, "scorer": scorer, "measure": "preference"}
        yield _Pilot("pairs", choices, estimate(values, origins, seed=seed), found, source, knobs)


def _drawn(source: PilotSource) -> bool:
    """Whether the number of pairs of each attribute can be set."""
    return source.written or source.name in ("templates", "rephrased")


def _same(number: int) -> tuple[int, int]:
    return max(1, number), max(1, number)


def _components(
    values: Sequence[float | None], origins: Sequence[str], sets: Sequence[str] | None = None
) -> Components | None:
    """The components; None where there are too few origins to plan from."""
    scored = {origin for origin, value in zip(origins, values, strict=True) if value is not None}
    return components(values, origins, sets=sets) if len(scored) >= FEWEST_ORIGINS else None


def _of_texts(run: Run, max_origins: int | None) -> Iterator[_Pilot]:
    if run.continuations is None or not run.continuations.decodings:
        return
    # One decoding is planned for, the study's first that leaves something to chance.
    decodings = run.continuations.decodings
    chosen = next((one for one in decodings if one.temperature > 0), decodings[0])
    seed = run.meta["resolved"]["seed"]
    known: dict[tuple[str, str, tuple[str, str]], Available] = {}
    for cell in rated_cells(run):
        if cell.decoding != chosen or not favour(cell.rater):
            continue
        items = rated_items(run, cell.model, cell.source, cell.bias, cell.decoding, cell.rater, cell.scope)
        groups = list(dict.fromkeys(item.group for item in items))
        source = PilotSource(run, "continuations", cell.source)
        pooled = Pooled(((item.group, item.value, item.origin) for item in items), seed=seed, scale=ends_of(cell.rater))
        for pair in group_pairs(groups, run.meta["resolved"], cell.bias):
            own = [item for item in items if item.group in pair]
            if (
                min(len({item.origin for item in own if item.group == name and item.rated}) for name in pair)
                < FEWEST_ORIGINS
            ):
                continue
            found = _difference(own, pair)
            place = (cell.source, cell.bias, pair)
            if place not in known:
                known[place] = source.available(cell.bias, pair)
            there = known[place]
            count = max(FEWEST_ORIGINS, max_origins or there.origins)
            knobs = _Knobs(
                (FEWEST_ORIGINS, count),
                (1, max(1, there.items)),
                (1, MOST_SAMPLES if chosen.temperature > 0 else 1),
            )
            choices = {
                "model": cell.model,
                "source": cell.source,
                "bias": cell.bias,
                "rater": cell.rater,
                "groups": "/".join(pair),
                "decoding": decoding_words(chosen),
            }
            notes = () if len({item.structure for item in own}) < 2 else (_STRUCTURES,)
            yield _Pilot("continuations", choices, pooled.difference(*pair), found, source, knobs, notes=notes)


_STRUCTURES = (
    "texts have several sentence structures, over which intervals are uncertain too: the plan does not know that"
)


def _difference(items: Sequence[RatedItem], pair: tuple[str, str]) -> Components:
    return difference_components(
        [item.value for item in items],
        [item.group for item in items],
        [item.origin for item in items],
        [item.prompt for item in items],
        between=pair,
    )


def _of_words(run: Run, max_origins: int | None) -> Iterator[_Pilot]:
    if run.next_words is None:
        return
    seed = run.meta["resolved"]["seed"]
    for model in run.next_words.models:
        seen: set[tuple[str, str]] = set()
        for (label, bias, words, _, _), (sets, asked) in asked_words(run, model).items():
            items = [one.item for one in asked if one.item.perturbation == ORIGINAL]
            if (label, bias) in seen or len(sets) < 2 or not items:
                continue
            # The first set of words and way of counting stand for the others.
            seen.add((label, bias))
            pair = sets[0][0], sets[1][0]
            values = SHARE.values([(item.chances.get(pair[0]), item.chances.get(pair[1])) for item in items])
            places = [item.place for item in items]
            crossed = {"profession", "template"} <= set(resampled_over(places))
            templates = [place.template or "" for place in places]
            found = _components(values, [place.profession for place in places], templates if crossed else None)
            if found is None:
                continue
            source = PilotSource(run, "next words", label)
            there = source.available(bias)
            count = max(FEWEST_ORIGINS, max_origins or there.origins)
            across = crossed and found.sets is not None
            few = crossed and len(set(templates)) < FEWEST_ORIGINS
            blocked = f"there is no interval with fewer than {FEWEST_ORIGINS} templates: add templates" if few else None
            each = _same(len(set(templates)) if crossed else round(found.pilot["prompts"]))
            knobs = _Knobs((FEWEST_ORIGINS, count), sets=each) if crossed else _Knobs((FEWEST_ORIGINS, count), each)
            [mean] = means(places, {"": Values(values, Scale(0.5, 0.0, 1.0))}, seed=seed).values()
            choices = {
                "model": model,
                "source": label,
                "bias": bias,
                "words": words,
                "groups": "/".join(pair),
                "measure": "share",
            }
            yield _Pilot("next words", choices, mean, found, source, knobs, across_sets=across, blocked=blocked)


_BUILDERS = {"pairs": _of_pairs, "continuations": _of_texts, "next words": _of_words}
