"""How much is enough: from a pilot run to the sizes of a study whose intervals are as narrow as is wanted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tiltmeter.errors import UserError
from tiltmeter.results.compare.names import split_pair
from tiltmeter.results.plan_size.pilots import Pilot, pilots_of
from tiltmeter.results.plan_size.records import Range, RunPlan, Target, TooSmall
from tiltmeter.results.plan_size.sources import PilotSource
from tiltmeter.results.views import results_of
from tiltmeter.stats.estimates import FEWEST_ORIGINS
from tiltmeter.stats.planning.components import ONE_PROMPT, ONE_SAMPLE, Components
from tiltmeter.stats.planning.pilot_uncertainty import likely_widths, pilot_uncertainty
from tiltmeter.stats.planning.precision import Design, Option, predicted_width, sizes_for
from tiltmeter.store import Run
from tiltmeter.views import FACTS, VIEWS, View

__all__ = ["RunPlan", "Target", "plan_run"]

_ROUNDING = 1e-9
_ENDLESS = 10**9
_UNLIKE = 1.25
"""How far the pilot's own width may be from Student's before that is said."""


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

    Pairs: the share of stereotyped choices of each bias. Other views: the difference of two groups' values, or the
    mean of values that compare two groups already.
    """
    if not 0 < width < math.inf:
        raise UserError(f"--width {width:g}: a width is a number above 0: that of the interval, from low to high")
    if max_origins is not None and max_origins < FEWEST_ORIGINS:
        raise UserError(f"--max-origins {max_origins}: an interval takes {FEWEST_ORIGINS} origins or more")
    every = [one for view in views or VIEWS for one in pilots_of(run, view, max_origins)]
    biases = dict.fromkeys(one.choices["bias"] for one in every)
    if bias is not None and biases and bias not in biases:
        raise UserError(f"{run.folder}: there is no bias {bias!r} to plan for; there are {', '.join(biases)}")
    asked = [
        one
        for one in every
        if (bias is None or one.choices["bias"] == bias) and (not models or one.choices["model"] in models)
    ]
    small = tuple(one for one in asked if isinstance(one, TooSmall))
    targets = tuple(_planned(one, width) for one in asked if isinstance(one, Pilot))
    if not targets:
        raise UserError(f"{run.folder}: {_nothing(small, views, models)}")
    lines, calls = _study(run, targets)
    return RunPlan(width, targets, lines, calls, small)


def _nothing(small: Sequence[TooSmall], views: Sequence[View], models: Sequence[str]) -> str:
    if small:
        more = f" (and {len(small) - 1} more figures likewise)" if len(small) > 1 else ""
        return f"nothing can be planned: {small[0].choices['bias']}: {small[0].reason}{more}"
    of = ", ".join([*views, *(f"the model {name}" for name in models)])
    return (
        f"there is nothing to plan from{f' of {of}' if of else ''}: a pilot has scored pairs, rated texts about two "
        f"groups or next words, from {FEWEST_ORIGINS} origins or more"
    )


def _planned(one: Pilot, width: float) -> Target:
    limits = one.knobs.limits
    plan = sizes_for(one.found, width, limits=limits, across_sets=one.across_sets)
    blocked = one.blocked
    if blocked is None and not _foretold(one):
        blocked = f"the pilot shows no spread between {one.source.origins_are}: nothing can be planned from it"
    if blocked is not None:
        plan = plan.withheld(blocked)
    settable = None if blocked is not None else _cheapest(one, one.found, width)
    own = results_of(one.view).options
    options = {} if settable is None or own is None else own(one, settable.design)
    aim = limits if settable is None else settable.design
    made = Target(
        one.view,
        one.choices,
        one.estimate,
        one.found,
        plan,
        settable,
        options,
        one.source.origins_are,
        one.sets_are,
        limits,
        predicted_width(one.found, limits, across_sets=one.across_sets),
        _floor(one),
        blocked=blocked,
        between=None if blocked is not None else _between(one, settable, width),
        likely=None if blocked is not None else likely_widths(one.found, aim, across_sets=one.across_sets),
        samples=None if settable is not None or blocked is not None else _samples(one, width),
    )
    # Where nothing is left to chance samples bring nothing, and where prompts are crossed each cell has one.
    plain = {*(() if FACTS[one.view].decoded else (ONE_SAMPLE,)), *((ONE_PROMPT,) if one.across_sets else ())}
    notes = [note for note in (*plan.notes, *one.notes) if note not in plain]
    return replace(made, notes=(*notes, *([made.bottleneck] if made.bottleneck else []), *_odd(one)))


def _between(one: Pilot, settable: Option | None, width: float) -> Range | None:
    """What it takes if origins matter less than it seems, and if more.

    None where the pilot tells well enough, and where it takes the same anyway.
    """
    doubt = pilot_uncertainty(one.found)
    design = one.knobs.limits if settable is None else settable.design
    if not doubt.is_large(one.found, design, across_sets=one.across_sets):
        return None
    less, more = (_cheapest(one, each, width) for each in (doubt.less, doubt.more))
    same = settable is not None and all(each is not None and each.design == design for each in (less, more))
    return None if same else Range(less, more)


def _foretold(one: Pilot) -> float:
    """The width that the components foretell of the pilot itself; 0 where nothing varies but by rounding."""
    pilot = {name: max(1, round(size)) for name, size in one.found.pilot.items()}
    width = predicted_width(one.found, Design(**pilot), across_sets=one.across_sets)
    return width if width > _ROUNDING else 0.0


def _odd(one: Pilot) -> list[str]:
    """Whether the interval of the pilot is one that values of another shape than the normal have."""
    origins = one.found.pilot.get("origins", 0.0)
    ratio = 1 + one.found.stretch / origins if origins else 1.0
    if 1 / _UNLIKE <= ratio <= _UNLIKE:
        return []
    return [
        f"the pilot's own interval is {ratio:.2g} times as wide as Student's for the same spread (skewed or rare "
        "values, shares near an end, unlike numbers of items): the plan counts with it, and that it fades as "
        f"{one.source.origins_are} are added"
    ]


def _floor(one: Pilot) -> float:
    """With all that the source has, and no end of samples where these can be had."""
    most = one.knobs.limits
    endless = replace(most, samples=_ENDLESS) if one.knobs.samples[1] > 1 else most
    return predicted_width(one.found, endless, across_sets=one.across_sets)


def _samples(one: Pilot, width: float) -> int | None:
    """How many samples it takes with all else that the source has, where more can be had but are not planned for."""

    def enough(samples: int) -> bool:
        design = replace(one.knobs.limits, samples=samples)
        return predicted_width(one.found, design, across_sets=one.across_sets) <= width

    low, high = one.knobs.samples[1], _ENDLESS
    if low == 1 or not enough(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle + 1, high)
    return low


def _cheapest(one: Pilot, found: Components, width: float) -> Option | None:
    """The cheapest design within what can be set."""
    if one.of_groups and not one.structured:
        return sizes_for(found, width, limits=one.knobs.limits, across_sets=one.across_sets).best
    return _cheapest_of_one(one, found, width)


def _cheapest_of_one(one: Pilot, found: Components, width: float) -> Option | None:
    """The same where one level besides sets is free, so that it can be halved."""
    knobs = one.knobs
    ranges = {"origins": knobs.origins, "prompts": knobs.prompts, "samples": knobs.samples}
    free = next((name for name, (low, high) in ranges.items() if low < high), "prompts")
    best: Option | None = None

    def made(sets: int, number: int) -> Design:
        fixed = Design(knobs.origins[0], knobs.prompts[0], knobs.samples[0], sets)
        return replace(fixed, **{free: number})

    def expected(design: Design) -> float:
        return predicted_width(found, design, across_sets=one.across_sets)

    for sets in range(knobs.sets[0], knobs.sets[1] + 1):
        low, high = ranges[free]
        if expected(made(sets, high)) > width * (1 + _ROUNDING):
            continue
        while low < high:
            middle = (low + high) // 2
            narrow = expected(made(sets, middle)) <= width * (1 + _ROUNDING)
            low, high = (low, middle) if narrow else (middle + 1, high)
        design = made(sets, low)
        option = Option(design, expected(design), float(design.texts * found.groups))
        # Of equal cost, more sets: what they do to all origins alike is worn down by nothing else.
        if best is None or option.cost <= best.cost:
            best = option
    return best


def _study(run: Run, targets: Sequence[Target]) -> tuple[dict[str, list[str]], dict[str, int]]:
    """What to write into the study file: of each source the most that a target needs, and how many calls that is."""
    lines: dict[str, list[str]] = {}
    calls: dict[str, int] = {}
    for view in VIEWS:
        own = [one for one in targets if one.view == view]
        if not any(one.settable for one in own):
            continue
        table = view.replace(" ", "_")
        by_source: dict[str, dict[str, int]] = {}
        for one in own:
            # A source of which everything is out of reach stays as it was.
            most = by_source.setdefault(one.choices["source"], {})
            for name, value in one.options.items():
                most[name] = max(value, most.get(name, 0))
        samples = max(most.pop("samples", 0) for most in by_source.values())
        sources = [PilotSource(run, view, label).line(most) for label, most in by_source.items()]
        lines[table] = [f"sources = [{', '.join(sources)}]", *([f"samples = {samples}"] if samples else [])]
        calls[table] = _calls(own, by_source, max(1, samples))
    return lines, calls


def _calls(targets: Sequence[Target], by_source: Mapping[str, Mapping[str, int]], samples: int) -> int:
    """How often one model is asked, under one decoding, by lines that serve all targets; no group counts twice."""
    each: dict[tuple[str, str], int] = {}
    groups: dict[tuple[str, str], set[str]] = {}
    for one in targets:
        place = one.choices["source"], one.choices["bias"]
        each[place] = max(each.get(place, 0), _items(one, by_source[place[0]]))
        if one.found.groups > 1:
            groups.setdefault(place, set()).update(split_pair(one.choices["groups"]))
    return sum(number * len(groups[place]) * samples if place in groups else number for place, number in each.items())


def _items(one: Target, options: Mapping[str, int]) -> int:
    """How many items, of one group where groups are compared, a source with these options has for a target's bias."""
    most = one.limits
    origins, prompts = min(most.origins, options.get("limit", most.origins)), options.get("per_attribute", most.prompts)
    sets = options.get("sets", 1) if FACTS[one.view].sets == "sets" else most.sets
    there = origins * min(most.prompts, prompts) * min(most.sets, options.get("structures", sets))
    return min(there, options.get("per_group", there))
