"""What a model prefers on one source of pairs, in sentences that are never stronger than the evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tiltmeter.present.blocks import Block, Prose, Span, text
from tiltmeter.present.decodings import short_scorer, source_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.series import Series, is_check, pair_kinds
from tiltmeter.present.tables import differs, no_interval
from tiltmeter.present.words import NEUTRAL, SPACE, count, listed, percent, percent_range
from tiltmeter.records import Estimate
from tiltmeter.results import Cell, of_the_test
from tiltmeter.stats.calibration.coverage import smallest_tilt


def headline(found: Reported, one: Series, cell: Cell, others: Sequence[Cell]) -> Iterator[Block]:
    """The balanced figure of the leading scorer, how far it may be read, and what it rests on."""
    yield Prose(text(Span(_figure(found, one, cell), "strong"), f" {_reading(found, cell, others)}"), "answer")
    beside = [*_unbalanced(cell), *_other_scorers(found, cell, others), *leaning_controls(found, (cell, *others))]
    if beside:
        yield Prose(text(" ".join(beside)))
    yield Prose(text(_basis(found, one, cell)), "note")


def decimals_for(found: Estimate) -> int:
    """None, unless rounding would make a number look neutral that is not, or an interval look empty."""
    shown = [number for number in (found.value, found.low, found.high) if number is not None]
    misleading = any(round(number * 100) == 50 and number != 0.5 for number in shown)
    return 1 if misleading or len({round(number * 100) for number in shown}) < len(shown) else 0


def social_biases(found: Reported, cell: Cell) -> dict[str, Estimate]:
    """The values of biases that are no checks of the instrument, as far as they have one."""
    return {
        bias: one
        for bias, one in cell.summary.headline_by_bias.items()
        if one.value is not None and not is_check(found, bias)
    }


def directions(biases: Mapping[str, Estimate]) -> tuple[int, int]:
    """How many biases differ from one half after correction: towards the stereotype, and against it."""
    beyond = [one.value or 0.0 for one in biases.values() if differs(one)]
    above = sum(value > 0.5 for value in beyond)
    return above, len(beyond) - above


def opposite(estimates: Sequence[Estimate | None]) -> bool:
    """Whether estimates of one bias are on both sides of one half."""
    values = [one.value for one in estimates if one is not None and one.value is not None]
    return any(value < 0.5 for value in values) and any(value > 0.5 for value in values)


def _figure(found: Reported, one: Series, cell: Cell) -> str:
    whole = cell.summary.headline
    if whole.value is None:
        return f"{one.label} has no overall figure: no pair of a social bias was scored."
    decimals, biases = decimals_for(whole), len(social_biases(found, cell))
    over = "for one bias" if biases == 1 else f"averaged over {biases} biases"
    interval = ""
    if whole.low is not None:
        interval = f" ({percent(whole.level, 0)} interval {percent_range(whole.low, whole.high, decimals)})"
    return (
        f"{one.label} prefers the stereotyped sentence in {percent(whole.value, decimals)} of pairs{interval}, {over}."
    )


def _reading(found: Reported, cell: Cell, others: Sequence[Cell]) -> str:
    whole, social = cell.summary.headline, social_biases(found, cell)
    parts = [_overall(cell, others)] if whole.value is not None else []
    tested = {bias: one for bias, one in social.items() if one.p_adjusted is not None}
    if tested:
        above, below = directions(tested)
        sides = [f"{above} towards the stereotype"] * bool(above) + [f"{below} against it"] * bool(below)
        # A mean can hide biases that point in opposite directions.
        even_so = "Even so, " if sides and not _excludes_neutral(whole) else ""
        verb = "differs" if len(tested) == 1 else "differ"
        more = ", instrument checks included" if cell.summary.n_comparisons > len(tested) else ""
        after = f"from {NEUTRAL} after correction for the {cell.summary.n_comparisons} biases of this scorer{more}"
        after = after if cell.summary.n_comparisons > 1 else f"from {NEUTRAL}"
        which = f": {listed(sides)}" if sides else ""
        parts.append(f"{even_so}{above + below} of {count(len(tested), 'bias', 'biases')} {verb} {after}{which}.")
    untested = len(social) - len(tested)
    if untested:
        parts.append(f"{count(untested, 'bias has', 'biases have')} too little data for an interval.")
    return " ".join(parts)


def _overall(cell: Cell, others: Sequence[Cell]) -> str:
    whole = cell.summary.headline
    if whole.low is None or whole.high is None or whole.value is None:
        return f"There is no interval ({no_interval(whole)})."
    if _excludes_neutral(whole):
        above = whole.low > 0.5
        same = [one for one in others if _excludes_neutral(one.summary.headline)]
        same = [one for one in same if ((one.summary.headline.low or 0.0) > 0.5) == above]
        beside = f", and by {len(same)} of {count(len(others), 'other scorer')}" if others else ""
        said = f"The interval is {'above' if above else 'below'} {NEUTRAL} by this scorer{beside}"
        plain = cell.summary.overall
        if cell.balanced and plain.low is not None and not _excludes_neutral(plain):
            said += f"; with equal weight for each attribute word it includes {NEUTRAL}"
        smallest = smallest_tilt(whole)
        small = smallest is not None and abs(whole.value - 0.5) < smallest
        less = " The tilt is smaller than this study can detect reliably." if small else ""
        return f"{said}. A figure by one scorer is no finding: findings count every method.{less}"
    return f"The interval includes {NEUTRAL}: it shows no overall tilt and does not rule one out."


def _excludes_neutral(whole: Estimate) -> bool:
    return whole.low is not None and whole.high is not None and not whole.low <= 0.5 <= whole.high


def _unbalanced(cell: Cell) -> Iterator[str]:
    plain = cell.summary.overall
    if cell.balanced and plain.value is not None:
        interval = f" ({percent_range(plain.low, plain.high)})" if plain.low is not None else ""
        yield (
            "The attribute sets of a bias have the same weight here; with the same weight for each attribute word "
            f"it would be {percent(plain.value)}{interval}."
        )


def _other_scorers(found: Reported, cell: Cell, others: Sequence[Cell]) -> Iterator[str]:
    every = (cell, *others)
    values = [one.summary.headline.value for one in every if one.summary.headline.value is not None]
    if len(values) < 2:
        return
    own = cell.summary.headline.value
    ends = {max(values): "; this is the highest", min(values): "; this is the lowest"}
    rank = "" if own is None or min(values) == max(values) else ends.get(own, "")
    silent = len(every) - len(values)
    without = f" ({silent} gave no figure)" if silent else ""
    social = social_biases(found, cell)
    opposed = sum(opposite([one.summary.headline_by_bias.get(bias) for one in every]) for bias in social)
    yield (
        f"The {len(values)} scorers of this study{without} put the figure between {percent(min(values))} and "
        f"{percent(max(values))}{rank}. They are on opposite sides of {NEUTRAL} for {opposed or 'none'} of "
        f"{count(len(social), 'bias', 'biases')}."
    )


def leaning_controls(found: Reported, cells: Sequence[Cell]) -> Iterator[str]:
    """Control sets that lean under some scorer: the model then prefers a group whatever is said of it."""
    for name in dict.fromkeys(name for cell in cells for name in cell.controls):
        shares = {cell.scorer: cell.controls[name] for cell in cells if name in cell.controls}
        clear = [one for one in shares.values() if _excludes_neutral(one)]
        if not clear:
            continue
        bias, attributes, *groups = control_parts(name)
        first, second = (found.names.group(group, bias) for group in groups)
        figures = [
            f"{percent(one.value)} of pairs ({no_interval(one) or percent_range(one.low, one.high)}) by "
            f"{short_scorer(scorer)}"
            for scorer, one in shares.items()
        ]
        sides = {(one.value or 0.0) > 0.5 for one in clear}
        agreed = len(sides) == 1 and len(clear) == len(shares)
        habit = "a habit, not a stereotype" if agreed else "whether the model has such a habit depends on the scorer"
        yield (
            f"With the control words “{attributes}” ({found.names.bias(bias)}), where neither sentence is stereotyped, "
            f"the sentence about {first} is preferred to the one about {second} in {listed(figures)}: {habit}."
        )


def control_parts(name: str) -> tuple[str, str, str, str]:
    """The bias, the attribute set and the two groups that the name of a control set is made of.

    >>> control_parts("religion:a-b, neutral: men over women")
    ('religion:a-b', 'neutral', 'men', 'women')
    """
    place, _, groups = name.rpartition(": ")
    bias, _, attributes = place.partition(", ")
    first, _, second = groups.partition(" over ")
    return bias, attributes, first, second


def _basis(found: Reported, one: Series, cell: Cell) -> str:
    """Which pairs the figure rests on, and which others the source has."""
    whole = cell.summary.headline
    smallest = smallest_tilt(whole)
    seen = (
        ""
        if smallest is None
        else f" This study can detect overall tilts of {100 * smallest:.1f} points or more (80{SPACE}% power)."
    )
    by_bias = sum(each.origins for each in social_biases(found, cell).values())
    shared = f" ({by_bias:,} counted by bias, since biases share words)" if by_bias > whole.origins else ""
    every = [pair for pair in of_the_test(one.run.pairs) if pair.source == cell.source]
    rest = "" if len(every) == whole.n + whole.n_unscored else f" The source made {pair_kinds(found, every)}."
    return (
        f"The figure rests on {count(whole.n, 'scored pair')} ({whole.n_unscored:,} missing) with "
        f"{count(whole.origins, 'different test word')}{shared}; source {source_words(cell.source)}, scorer "
        f"{short_scorer(cell.scorer)}.{rest}{seen}"
    )
