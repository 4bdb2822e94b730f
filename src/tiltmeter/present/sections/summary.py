"""The first screen: which model, when, which conclusions hold, and whether the instrument can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Chart, Listing, Notice, Prose, Span, Text, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.decodings import rater_words, short_scorer
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.checks import other_scorers, results_words
from tiltmeter.present.sections.finding import (
    Places,
    anchor_of,
    as_found,
    effect_as_found,
    mark_of,
    proviso,
    title_of,
)
from tiltmeter.present.sections.forest import CHECKS
from tiltmeter.present.verdicts import answer, leads_otherwise, rules
from tiltmeter.present.words import (
    SPACE,
    capitalised,
    count,
    date_words,
    listed,
    number_words,
    p_equals,
    percent,
    signed,
)
from tiltmeter.records import Estimate
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.instrument import RESULTS, Instrument, InstrumentCheck
from tiltmeter.stats.estimates import shifted
from tiltmeter.stats.multiverse.verdict import (
    DEPENDS,
    FEWEST_CELLS,
    HOLDS,
    INCONCLUSIVE,
    NEGLIGIBLE,
    NONE_LARGER,
    TOO_LITTLE,
    Strength,
)
from tiltmeter.views import FACTS, View

ORDER: tuple[Strength, ...] = (HOLDS, DEPENDS, NONE_LARGER, INCONCLUSIVE, TOO_LITTLE)
"""Verdicts, those that say most first."""
_NEGLIGIBLE = f"no difference larger than {NEGLIGIBLE:g} SD"
_OTHERWISE: dict[Strength, tuple[str, str]] = {
    DEPENDS: ("depends on the method", "depend on the method"),
    NONE_LARGER: (f"shows {_NEGLIGIBLE}", f"show {_NEGLIGIBLE}"),
    INCONCLUSIVE: ("is inconclusive", "are inconclusive"),
    TOO_LITTLE: ("has too little data", "have too little data"),
}
_LISTED = 5
"""Conclusions that are named on the first screen; the others are in the chart."""


_MEANING = {
    "failed": " Do not rely on the answers to these questions.",
    "weak": " An effect that does not show there may still exist.",
    "passed": "",
}
"""What the result of a check means for the questions that it covers."""
_CHECKS = 2
"""Checks that are named."""
_REACH = 3
"""How far ticks are drawn: this many times as far as the interval of the first method; beyond, at its end."""
_AXIS = f"Dot and bar: the study's first method, 95{SPACE}% interval. Ticks: the others. In standard deviations."


def summary(found: Reported) -> list[Block]:
    """The answer, in the order in which a reader asks for it."""
    social = [one for one in found.findings if not one.question.check]
    blocks: list[Block] = [Prose(text(Span(f"{who(found)}. ", "strong"), verdict_counts(social)), "lead")]
    holding = [one for one in social if one.verdict.strength == HOLDS]
    if holding:
        blocks.append(Listing(tuple(_claim(found, one) for one in holding[:_LISTED])))
    left = len(holding) - _LISTED
    if left > 0:
        blocks.append(Prose(text(f"{capitalised(number_words(left))} more are in the chart."), "note"))
    blocks += [Notice(words) for words in unfinished(found)]
    checked = instrument_block(found)
    blocks += [checked] if checked else []
    if found.answered.left_out:
        rest = f"{count(found.answered.left_out, 'more question')} can be answered with `tiltmeter multiverse`."
        blocks.append(Prose(text(rest), "note"))
    chart = overview(found)
    return [*blocks, chart] if chart else blocks


def who(found: Reported) -> str:
    """The models and the day."""
    days = dict.fromkeys(date_words(run.meta.get("finished")) for run, _ in found.runs)
    models = found.models if len(found.models) <= 3 else (*found.models[:2], f"{len(found.models) - 2} more models")
    return f"{listed(models)}, {' and '.join(days)}"


def verdict_counts(findings: Sequence[Finding]) -> str:
    """How many conclusions hold, how many depend on the method, and how many are open."""
    if not findings:
        return "No question about a social bias could be asked of this study."
    strengths = [one.verdict.strength for one in findings]
    holds, every = strengths.count(HOLDS), len(findings)
    if every == 1:
        return "The one conclusion holds whatever the method." if holds else f"The one conclusion {_rest(strengths)}."
    verb = "holds" if holds <= 1 else "hold"
    others = [
        f"{number_words(number)} {words[number > 1]}"
        for strength, words in _OTHERWISE.items()
        if (number := strengths.count(strength))
    ]
    said = f"{capitalised(number_words(holds))} of {number_words(every)} conclusions {verb} whatever the method."
    said += f" {capitalised(listed(others))}." if others else ""
    return f"{said} Inconclusive does not mean unbiased." if INCONCLUSIVE in strengths else said


def _rest(strengths: Sequence[Strength]) -> str:
    return _OTHERWISE[strengths[0]][0]


def _claim(found: Reported, one: Finding) -> Text:
    verdict, test = one.verdict, one.verdict.p_adjusted
    claim = one.question.claim(turned=verdict.direction == "second")
    tested = f", {p_equals(test)}" if test is not None else ""
    return text(
        Span(title_of(one, found), "strong", link=anchor_of(one)),
        f": {claim} ({verdict.holds} of {count(verdict.of, 'method')}{tested}{proviso(one)}).",
    )


def unfinished(found: Reported) -> Iterator[Text]:
    """Models of a study that have no results yet."""
    missing = list(dict.fromkeys(name for _, summary in found.runs for name in summary.missing))
    if missing:
        yield text(f"The run is not finished: results of {listed(missing)} are missing, and figures may change.")


def instrument_block(found: Reported) -> Block | None:
    """What the checks come to, as one paragraph; a warning where they cast doubt on the rest."""
    lines = instrument_lines(found)
    first, *others = [words for words, _ in lines] or [""]
    said = text(Span("Instrument check: ", "strong"), " ".join([first, *map(capitalised, others)]))
    return None if not lines else Notice(said) if any(bad for _, bad in lines) else Prose(said)


def instrument_lines(found: Reported) -> list[tuple[str, bool]]:
    """What the checks come to, the worst first, which questions they cover, and whether that casts doubt on these."""
    lines = [line for _, summary in found.runs for line in _of_run(summary.instrument, found)]
    return list(dict.fromkeys(lines))


def _of_run(instrument: Instrument, found: Reported) -> Iterator[tuple[str, bool]]:
    by_result: dict[tuple[str, View], list[InstrumentCheck]] = {}
    for one in instrument.checks:
        if one.result != "not made":
            by_result.setdefault((one.result, one.view), []).append(one)
    for (result, view), checks in sorted(by_result.items(), key=lambda each: RESULTS.index(each[1][0].result)):
        said = "; ".join(_checked(one, found) for one in checks[:_CHECKS])
        more = f"; and {len(checks) - _CHECKS} more" if len(checks) > _CHECKS else ""
        covered = _covered(found, view, {one.model for one in checks})
        yield f"{result} for {covered}: {said}{more}.{_MEANING[result]}", result != "passed"
    if not instrument.checks:
        yield "not made; no specification of the study checks what everybody expects.", False
        return
    bare: dict[View, set[str]] = {}
    for (model, view), result in instrument.results.items():
        if result == "not made":
            bare.setdefault(view, set()).add(model)
    if bare:
        yield f"Not checked: {listed([_covered(found, view, models) for view, models in bare.items()])}.", False


def _covered(found: Reported, view: View, models: set[str]) -> str:
    """Which questions the checks of a view cover."""
    asked = [one.question for one in found.findings if not one.question.check]
    number = sum(one.view == view and one.model in models for one in asked)
    of = f" of {listed(sorted(models))}" if len(found.models) > 1 else ""
    title = FACTS[view].title.lower().replace(" it ", " the model ")
    return f"{title} ({count(number, 'question')}{of})"


def _checked(one: InstrumentCheck, found: Reported) -> str:
    by = (short_scorer if one.is_scored else rater_words)(one.by) if one.by else ""
    own = [summary for _, summary in found.runs if one in summary.instrument.checks]
    others = [other for summary in own[:1] for other in other_scorers(one, summary)]
    beside = f"; {results_words(others)} of {count(len(others), 'other scorer')}" if others else ""
    by = f"by {by}, " if by else ""
    return f"{capitalised(found.names.bias(one.bias))} ({by}{check_figure(one)}{beside})"


def check_figure(one: InstrumentCheck) -> str:
    """The figure of a check beside the least that is expected."""
    if one.found.value is None:
        return one.found.note or "nothing was scored"
    if one.is_share:
        whole = shifted(one.found, 0.5)
        return f"{percent(whole.value, 0)} of choices as everybody expects, {percent(0.5 + one.least, 0)} needed"
    unit = FACTS[one.view].short_unit
    side = "as everybody expects" if one.found.value > 0 else "against what everybody expects"
    return f"{signed(one.found.value)} {unit}, {side if one.found.value else 'no effect'}; {signed(one.least)} needed"


def sorted_findings(findings: Sequence[Finding]) -> list[Finding]:
    """By verdict, those that say most first; checks of the instrument last."""
    return sorted(findings, key=lambda one: (one.question.check, ORDER.index(one.verdict.strength)))


def overview(found: Reported) -> Chart | None:
    """Every finding: the figure of the method that leads with its interval, and every other method as a tick."""
    shown = [one for one in sorted_findings(found.findings) if one.verdict.of]
    views = list(dict.fromkeys(one.question.view for one in shown if not one.question.check))
    # Effects of different views are not comparable, so each has a block of its own.
    shown.sort(key=lambda one: (one.question.check, one.question.view in views and views.index(one.question.view)))
    rows = [_overview_row(one, found, len(views) > 1) for one in shown]
    if not rows:
        return None
    axis = Axis(_AXIS, neutral=0.0, left="the opposite", right="as labelled")
    said = "; ".join(f"{row.label}: {dot.text} ({dot.interval})" for row in rows for dot in row.dots)
    notes = ["Rows are sorted by verdict. Standard deviations (SD) are those of the single texts, pairs or prompts."]
    if len(views) > 1:
        notes.append("Compare effects within a block only: what is standardised differs between blocks.")
    notes += ["Ticks farther out are drawn at the edge."] if any(_far(one) for one in shown) else []
    caption = text(" ".join(["Verdicts go by all methods together.", rules(shown), *notes]))
    return Chart("overview", _title(found), dots(rows, axis, head=True), f"Effects of all findings. {said}.", caption)


def _title(found: Reported) -> str:
    social = [one for one in found.findings if not one.question.check and one.verdict.of > 1]
    signs = [{cell.sign for cell in one.multiverse.curve.cells} for one in social]
    divided = sum({-1, 1} <= found for found in signs)
    if not divided:
        agree = bool(signs) and all(found & {-1, 1} for found in signs)
        return "All methods agree on the direction of every effect" if agree else "The effect of each finding"
    return f"The methods disagree on the direction of {divided} of {count(len(social), 'effect')}"


def _far(one: Finding) -> bool:
    return any(abs(cell.effect.value or 0.0) > _reach(one) for cell in one.multiverse.curve.cells)


def _reach(one: Finding) -> float:
    """How far ticks are drawn."""
    effect = one.leading.effect if one.leading else Estimate(None)
    return _REACH * max(abs(end) for end in (effect.value or 0.0, effect.low or 0.0, effect.high or 0.0, 0.5))


def _overview_row(one: Finding, found: Reported, several: bool) -> DotRow:
    _, sign = as_found(one)
    effect = effect_as_found(one)
    # Items that do not vary have no standard deviation, however clear what they say.
    alike = one.leading is not None and bool(one.leading.sign)
    shown = "all items agree" if effect.value is None and alike else signed(effect.value)
    reach = _reach(one)
    values = (sign * cell.effect.value for cell in one.multiverse.curve.cells if cell.effect.value is not None)
    others = tuple(max(-reach, min(reach, value)) for value in values)
    dot = Dot(
        effect.value,
        effect.low,
        effect.high,
        text=shown,
        interval=f"{mark_of(one).removesuffix(proviso(one))}{_agreeing(one)}",
        tip=answer(one),
        place=Places(one, found).of(one.leading) if one.leading else {},
        repeats=others,
    )
    view = FACTS[one.question.view].title if several else ""
    model = f"{one.question.model}, " if len(found.models) > 1 else ""
    # Its dot is on the other side of zero than what the row says of most methods.
    apart = " (first method: the other way)" if leads_otherwise(one) else ""
    return DotRow(
        f"{model}{claim_label(one, found)}{apart}{proviso(one)}", (dot,), CHECKS if one.question.check else view
    )


def _agreeing(one: Finding) -> str:
    """How many methods say what the label says, or the opposite."""
    verdict = one.verdict
    if one.question.check or verdict.of < FEWEST_CELLS:
        return ""
    if verdict.direction is None:
        signs = {cell.sign for cell in one.multiverse.curve.cells}
        return f": {verdict.of} methods find no difference" if signs == {0} else f": {verdict.of} methods divided"
    so = "so" if (verdict.direction == "first") == (as_found(one)[1] > 0) else "the opposite"
    p = f", {p_equals(verdict.p_adjusted)}" if verdict.p_adjusted is not None and not verdict.contradicted else ""
    return f": {verdict.holds} of {verdict.of} say {so}{p}"


def claim_label(one: Finding, found: Reported) -> str:
    """What most methods say of a bias, or whether they see its stereotype."""
    return f"{capitalised(found.names.bias(one.question.bias))}: {as_found(one)[0].short}"
