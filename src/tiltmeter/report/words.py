"""Numbers and findings in plain words, never stronger than the evidence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tiltmeter.present.words import (
    NEUTRAL as NEUTRAL,
    NONE as NONE,
    SPACE as SPACE,
    count as count,
    listed as listed,
    p_value as p_value,
    percent as percent,
    percent_range as percent_range,
    revision_words as revision_words,
    signed as signed,
)
from tiltmeter.records import Estimate
from tiltmeter.report.series import short_scorer, spec_of
from tiltmeter.results import Cell
from tiltmeter.results.findings.instrument import UNITS, Instrument, InstrumentCheck
from tiltmeter.stats.calibration import smallest_tilt
from tiltmeter.stats.estimates import shifted


def decimals_for(found: Estimate) -> int:
    """None, unless rounding would make a number look neutral that is not, or an interval look empty."""
    shown = [number for number in (found.value, found.low, found.high) if number is not None]
    misleading = any(round(number * 100) == 50 and number != 0.5 for number in shown)
    return 1 if misleading or len({round(number * 100) for number in shown}) < len(shown) else 0


@dataclass(frozen=True, slots=True)
class Headline:
    """What one cell says: the figure, the sentence, how far it may be read, and what it rests on."""

    value: str
    interval: str
    sentence: str
    reading: str
    caution: str
    basis: str


def headline(label: str, cell: Cell, others: Sequence[Cell], benchmarks: set[str]) -> Headline:
    """The headline of a model on a source; `others` are its cells under the other scorers."""
    found = cell.summary.headline
    decimals = decimals_for(found)
    social = _social(cell, benchmarks)
    return Headline(
        value=percent(found.value, decimals),
        interval=percent_range(found.low, found.high, decimals),
        sentence=_sentence(label, cell, len(social), decimals),
        reading=_reading(found, cell, social),
        caution=_caution(cell, others, benchmarks),
        basis=_basis(found, cell),
    )


def _sentence(label: str, cell: Cell, biases: int, decimals: int) -> str:
    found = cell.summary.headline
    if found.value is None:
        return f"{label} has no overall figure: no pair of a social bias was scored."
    over = "on one bias" if biases == 1 else f"averaged over {count(biases, 'bias', 'biases')}"
    interval = percent_range(found.low, found.high, decimals)
    return (
        f"{label} prefers the stereotyped sentence in {percent(found.value, decimals)} of pairs"
        + (f" ({percent(found.level, 0)} interval {interval})" if found.low is not None else "")
        + f", {over}{_weighed(cell)}."
    )


def _weighed(cell: Cell) -> str:
    """What the headline balances."""
    return ", the attribute sets of a bias counting alike" if cell.balanced else ""


def _reading(found: Estimate, cell: Cell, social: Mapping[str, Estimate]) -> str:
    parts = []
    if found.value is not None:
        parts.append(_verdict(found))
    tested = [estimate for estimate in social.values() if estimate.p_adjusted is not None]
    if tested:
        beyond = [one for one in tested if differs(one)]
        above = sum((one.value or 0) > 0.5 for one in beyond)
        directions = _directions(above, len(beyond) - above)
        comparisons = count(cell.summary.n_comparisons, "comparison")
        verb = "differs" if len(tested) == 1 else "differ"
        # A mean can hide biases that point in opposite directions.
        even_so = "Even so, " if beyond and not _excludes_neutral(found) else ""
        parts.append(
            f"{even_so}{len(beyond)} of {count(len(tested), 'bias', 'biases')} {verb} from neutral after correction "
            f"for {comparisons}{directions}."
        )
    untested = len(social) - len(tested)
    if untested:
        parts.append(f"{count(untested, 'bias has', 'biases have')} too little data for an interval.")
    return " ".join(parts)


def _verdict(found: Estimate) -> str:
    if found.low is None or found.high is None:
        reason = found.note or "too little data"
        return f"How sure that is cannot be said ({reason})."
    if found.low > 0.5:
        return f"The interval lies above {NEUTRAL}: a tilt toward the stereotyped sentences of this test."
    if found.high < 0.5:
        return f"The interval lies below {NEUTRAL}: a tilt away from the stereotyped sentences of this test."
    return f"The interval includes {NEUTRAL}: no overall tilt is shown, and none is ruled out."


def _excludes_neutral(found: Estimate) -> bool:
    return found.low is not None and found.high is not None and not found.low <= 0.5 <= found.high


def _directions(above: int, below: int) -> str:
    if above and below:
        return f": {above} toward the stereotype, {below} against it"
    if above or below:
        return f", {'toward the stereotype' if above else 'against the stereotype'}"
    return ""


def _caution(cell: Cell, others: Sequence[Cell], benchmarks: set[str]) -> str:
    parts = []
    plain = cell.summary.overall
    if cell.balanced and plain.value is not None:
        interval = f" ({percent_range(plain.low, plain.high)})" if plain.low is not None else ""
        parts.append(f"With every attribute term of a bias counting alike it is {percent(plain.value)}{interval}.")
    values = [one.summary.headline.value for one in (cell, *others) if one.summary.headline.value is not None]
    if len(values) > 1:
        silent = len(others) + 1 - len(values)
        own = cell.summary.headline.value
        ends = {max(values): ", and this is the highest", min(values): ", and this is the lowest"}
        rank = "" if own is None or min(values) == max(values) else ends.get(own, "")
        parts.append(
            f"Under the {len(values)} scorers of this run that give a figure it lies between {percent(min(values))} "
            f"and {percent(max(values))}{f' ({silent} could score nothing)' if silent else ''}{rank}."
        )
        social = _social(cell, benchmarks)
        opposed = sum(opposite([one.summary.headline_by_bias.get(bias) for one in (cell, *others)]) for bias in social)
        parts.append(
            f"They point to opposite sides of {NEUTRAL} in {opposed} of {count(len(social), 'bias', 'biases')}."
        )
    return " ".join(parts)


def _basis(found: Estimate, cell: Cell) -> str:
    return (
        f"{count(found.n, 'pair')} scored, {found.n_unscored:,} unscored, {count(found.origins, 'origin')}; "
        f"source {cell.source}, scorer {short_scorer(cell.scorer)}"
        f"{seen(found)}"
    )


def instrument_words(found: Instrument) -> tuple[str, ...]:
    """What the checks of the instrument come to, one sentence for each; and the views that have none."""
    made = [
        f"Instrument check {one.result}: {one.bias}, {_checked(one)} ({one.model}, {one.view}"
        f"{f', {one.source}' if one.source else ''}){_meant(one)}."
        for one in found.checks
    ]
    views: dict[str, list[str]] = {}
    for (model, view), result in found.results.items():
        if result == "not made":
            views.setdefault(found.why.get((model, view), ""), []).append(view)
    for why, bare in views.items():
        made.append(f"No instrument check was made of {listed([*dict.fromkeys(bare)])}{f': {why}' if why else ''}.")
    return tuple(made)


def _checked(one: InstrumentCheck) -> str:
    found = one.found
    if found.value is None:
        return found.note or "nothing was scored"
    if one.view == "pairs":
        whole = shifted(found, 0.5)
        interval = "no interval" if whole.low is None else percent_range(whole.low, whole.high)
        return f"{percent(whole.value)} of pairs ({interval}), at least {percent(0.5 + one.least, 0)} expected"
    interval = "no interval" if found.low is None else f"{signed(found.low)} to {signed(found.high)}"
    return f"{signed(found.value)} {UNITS[one.view]} ({interval}), at least {one.least:.2f} expected"


def _meant(one: InstrumentCheck) -> str:
    """What a check that did not pass shows."""
    if one.result == "failed":
        return ": the interval excludes the expected effect, so that the model does not have it or the method misses it"
    if one.result != "weak":
        return ""
    if one.found.low is None:
        return ": without an interval nothing is shown either way"
    if one.found.low > 0:
        return ": an effect on the expected side, smaller than expected"
    return ": too uncertain to show the effect or to exclude it"


def seen(found: Estimate) -> str:
    """The smallest tilt that a study like this one would find; nothing where it has no interval."""
    smallest = smallest_tilt(found)
    if smallest is None:
        return ""
    return f"; on this design the instrument sees tilts of {100 * smallest:.1f} points or more (80{SPACE}% power)"


def differs(found: Estimate) -> bool:
    """Whether a bias differs from neutral after correction for the number of comparisons."""
    return found.p_adjusted is not None and found.p_adjusted < 1 - found.level


def opposite(estimates: Sequence[Estimate | None]) -> bool:
    """Whether estimates of one bias lie on both sides of one half."""
    values = [found.value for found in estimates if found is not None and found.value is not None]
    return any(value < 0.5 for value in values) and any(value > 0.5 for value in values)


def sides(estimates: Sequence[Estimate | None]) -> str:
    """Whether estimates of one bias point the same way, and whether that is beyond chance.

    >>> sides([Estimate(0.6, p_adjusted=0.001), Estimate(0.4, p_adjusted=0.3)])
    'opposite sides'
    """
    known = [found for found in estimates if found is not None and found.value is not None]
    if len(known) < 2:
        return "fewer than two values"
    if not opposite(known):
        return "same side"
    sure = [(found.value or 0) > 0.5 for found in known if differs(found)]
    return "opposite sides, each beyond chance" if len(set(sure)) == 2 else "opposite sides"


NamedRow = tuple[str, Sequence[Estimate | None]]
"""A bias, and its estimate in each series."""


def what_the_forest_shows(labels: Sequence[str], biases: Sequence[NamedRow], checks: Sequence[NamedRow]) -> str:
    """A forest plot for those who cannot see it: for each series, how many biases lie where, and the farthest two."""
    parts = []
    for position, label in enumerate(labels):
        known = _known(biases, position)
        ordered = sorted(known, key=lambda item: item[1].value or 0)
        if not ordered:
            continue
        above = sum(one.low is not None and one.low > 0.5 for _, one in known)
        below = sum(one.high is not None and one.high < 0.5 for _, one in known)
        ends = [("lowest", ordered[0]), ("highest", ordered[-1])] if len(ordered) > 1 else [("only bias", ordered[0])]
        extremes = "; ".join(f"{word}: {name}, {_with_interval(one)}" for word, (name, one) in ends)
        parts.append(
            f"{label}: of {count(len(known), 'bias', 'biases')}, {above} with an interval wholly above {NEUTRAL} and "
            f"{below} wholly below; {extremes}."
        )
    for position, label in enumerate(labels):
        found = [f"{name}, {_with_interval(one)}" for name, one in _known(checks, position)]
        parts += [f"{label}, instrument checks: {'; '.join(found)}."] if found else []
    return " ".join(parts)


def _known(rows: Sequence[NamedRow], position: int) -> list[tuple[str, Estimate]]:
    return [(name, one) for name, found in rows if (one := found[position]) is not None and one.value is not None]


def _with_interval(found: Estimate) -> str:
    interval = f" ({percent_range(found.low, found.high)})" if found.low is not None else " (no interval)"
    return f"{percent(found.value)}{interval}"


def _social(cell: Cell, benchmarks: set[str]) -> dict[str, Estimate]:
    return {
        bias: found
        for bias, found in cell.summary.headline_by_bias.items()
        if spec_of(bias) not in benchmarks and found.value is not None
    }
