"""Whether the instrument sees what everybody expects: every check, and the views without one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tiltmeter.present.blocks import Block, Listing, Prose, Section, TableCell, Text, text
from tiltmeter.present.decodings import rater_words, short_scorer, source_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.checks import other_scorers
from tiltmeter.present.sections.finding import finding_section
from tiltmeter.present.tables import Label, numbers, sort_key, table
from tiltmeter.present.words import NONE, capitalised, listed, percent, percent_range, signed
from tiltmeter.results.findings.instrument import NOT_IN_VIEW, InstrumentCheck
from tiltmeter.stats.estimates import shifted
from tiltmeter.views import FACTS

_ABOUT = (
    "A specification can declare itself a check: an effect that everybody expects, such as flowers being called more "
    "pleasant than insects. A check passes if its interval is entirely on the expected side and the figure reaches the "
    "least effect expected, fails if the interval excludes that effect, and is weak otherwise. The scorer that the "
    "study names first decides; the others show whether the result depends on it, and their methods count in findings "
    "whatever they come to here."
)
_BESIDE = "; for comparison: the first scorer decides"
_MEANS = {
    "passed": "the expected effect shows",
    "failed": "the interval excludes the expected effect: the model lacks it, or the method misses it",
    "not made": "nothing was measured",
}


def instrument(found: Reported) -> list[Section]:
    """Every check with its figure, what was expected and what the result means."""
    several = len(found.runs) > 1
    rows = [
        _row(check, found, summary.study if several else "", counts=check is one)
        for _, summary in found.runs
        for one in summary.instrument.checks
        for check in (one, *other_scorers(one, summary))
    ]
    columns: tuple[Label, ...] = ("Check", "View", *numbers("Figure", "Expected at least"), "Result", *numbers("Items"))
    made = table("Checks of the instrument", columns, rows)
    without = Listing(tuple(_without(found)))
    blocks: list[Block] = [Prose(text(_ABOUT)), *([made] if made else []), *([without] if without.items else [])]
    blocks += [replace(finding_section(one, found), new_page=False) for one in found.findings if one.question.check]
    return [Section("Instrument checks", tuple(blocks), "instrument", folded=True)] if len(blocks) > 1 else []


def _row(one: InstrumentCheck, found: Reported, study: str, *, counts: bool) -> tuple[TableCell | str | int, ...]:
    by = (short_scorer if one.is_scored else rater_words)(one.by) if one.by else ""
    place = {"view": FACTS[one.view].flag, "model": one.model, "bias": one.bias}
    place |= {"source": one.source} if one.source else {}
    place |= {"scorer" if one.is_scored else "rater": one.by} if one.by else {}
    figure, interval, least = _figure(one)
    return (
        TableCell(capitalised(found.names.bias(one.bias)), ", ".join(filter(None, (one.model, study))), place=place),
        TableCell(FACTS[one.view].title, ", ".join(filter(None, (source_words(one.source), by)))),
        TableCell(figure, interval, sort_key(one.found.value), place=place),
        least,
        TableCell(one.result, _meaning(one) + ("" if counts else _BESIDE), mark=one.result if counts else ""),
        TableCell(f"{one.found.n:,}", f"{one.found.n_unscored:,} missing", str(one.found.n)),
    )


def _figure(one: InstrumentCheck) -> tuple[str, str, str]:
    """The figure, its interval and the least that is expected, with their unit."""
    unit, shares = FACTS[one.view].short_unit, one.is_share
    least = f"{percent(0.5 + one.least, 0)} {unit}" if shares else f"{signed(one.least)} {unit}"
    if one.found.value is None:
        return NONE, one.found.note or "", least
    if shares:
        whole = shifted(one.found, 0.5)
        return percent(whole.value), percent_range(whole.low, whole.high) if whole.low is not None else "", least
    interval = "" if one.found.low is None else f"{signed(one.found.low)} to {signed(one.found.high)}"
    return signed(one.found.value), interval, least


def _meaning(one: InstrumentCheck) -> str:
    if one.result in _MEANS:
        return _MEANS[one.result]
    if one.found.low is None:
        return "no interval, so nothing is shown either way"
    side = "an effect on the expected side, but smaller than expected"
    return side if one.found.low > 0 else "too uncertain to show the effect or to rule it out"


def _without(found: Reported) -> Iterator[Text]:
    """The views without a check, and why."""
    bare: dict[str, dict[str, None]] = {}
    for _, summary in found.runs:
        for (model, view), result in summary.instrument.results.items():
            if result == "not made":
                what = f"{FACTS[view].item}s ({FACTS[view].title.lower()})"
                where = f"{what} of {model}" if len(found.models) > 1 else what
                bare.setdefault(summary.instrument.why.get((model, view), ""), {})[where] = None
    for why, views in bare.items():
        because = "the specification of the check has no items of this kind" if why == NOT_IN_VIEW else why
        yield text(f"No check of {listed(list(views))}{f': {because}' if because else ''}.")
