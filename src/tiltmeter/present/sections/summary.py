"""The first screen: which model, when, which conclusions hold, and whether the instrument can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Chart, Listing, Notice, Prose, Span, Text, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import Places, anchor_of, mark_of, title_of
from tiltmeter.present.words import SPACE, capitalised, count, date_words, listed, number_words, p_equals, signed
from tiltmeter.records import Estimate
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.instrument import Instrument, InstrumentCheck
from tiltmeter.stats.estimates import shifted
from tiltmeter.stats.verdict import DEPENDS, HOLDS, INCONCLUSIVE, NEGLIGIBLE, NONE_LARGER, TOO_LITTLE, Strength
from tiltmeter.views import FACTS

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


_REACH = 3
"""How far ticks of other methods are drawn: so many times as far as the interval of the first; beyond, at its end."""


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
    blocks += [_check(words, bad=bad) for words, bad in instrument_lines(found)]
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
        f": {claim} ({verdict.holds} of {count(verdict.of, 'method')}{tested}).",
    )


def unfinished(found: Reported) -> Iterator[Text]:
    """Models of a study that have no results yet."""
    missing = list(dict.fromkeys(name for _, summary in found.runs for name in summary.missing))
    if missing:
        yield text(f"The run is not finished: results of {listed(missing)} are missing, and figures may change.")


def _check(words: str, *, bad: bool) -> Block:
    said = text(Span("Instrument check: ", "strong"), words)
    return Notice(said) if bad else Prose(said)


def instrument_lines(found: Reported) -> list[tuple[str, bool]]:
    """What the checks come to, the worst first, and whether that casts doubt on the rest."""
    lines = [line for _, summary in found.runs for line in _of_run(summary.instrument, found)]
    return list(dict.fromkeys(lines))


def _of_run(instrument: Instrument, found: Reported) -> Iterator[tuple[str, bool]]:
    by_result: dict[str, list[InstrumentCheck]] = {}
    for one in instrument.checks:
        by_result.setdefault(one.result, []).append(one)
    for result in ("failed", "weak", "passed"):
        checks = by_result.get(result, [])
        if checks:
            said = "; ".join(f"{found.names.bias(one.bias)}: {check_figure(one)}" for one in checks[:2])
            more = f"; and {len(checks) - 2} more" if len(checks) > 2 else ""
            yield f"{result}. {said}{more}.", result != "passed"
    if not instrument.checks:
        yield "not made; no specification of the study checks what everybody expects.", False
    bare = list(dict.fromkeys(view for (_, view), one in instrument.results.items() if one == "not made"))
    if bare and instrument.checks:
        titles = [FACTS[view].title for view in bare]
        yield f"not made for “{listed(titles)}”.", False


def check_figure(one: InstrumentCheck) -> str:
    """The figure of a check beside the least that is expected."""
    if one.found.value is None:
        return one.found.note or "nothing was scored"
    if one.view == "pairs":
        whole = shifted(one.found, 0.5)
        share, least = 100 * (whole.value or 0), 100 * (0.5 + one.least)
        return f"{share:.0f}{SPACE}% of choices as everybody expects, at least {least:.0f}{SPACE}% needed"
    return f"{one.found.value:+.2f} as everybody expects, at least +{one.least:.2f} needed".replace("-", "−")


def sorted_findings(findings: Sequence[Finding]) -> list[Finding]:
    """By verdict, those that say most first; checks of the instrument last."""
    return sorted(findings, key=lambda one: (one.question.check, ORDER.index(one.verdict.strength)))


def overview(found: Reported) -> Chart | None:
    """Every finding: the figure of the method that leads with its interval, and every other method as a tick."""
    rows = [row for one in sorted_findings(found.findings) if (row := _overview_row(one, found))]
    if not rows:
        return None
    axis = Axis(
        "effect in standard deviations under the study's first method; ticks: all other methods",
        neutral=0.0,
        neutral_name="no effect",
        left="the opposite of the label",
        right="as the label says",
    )
    said = "; ".join(f"{row.label}: {dot.text}" for row in rows for dot in row.dots)
    return Chart("overview", _title(found), dots(rows, axis), f"Effects of all findings. {said}.")


def _title(found: Reported) -> str:
    social = [one for one in found.findings if not one.question.check and one.verdict.of > 1]
    divided = sum({-1, 1} <= {cell.sign for cell in one.multiverse.curve.cells} for one in social)
    if not divided:
        return "All methods agree on the direction of every effect" if social else "The effect of each finding"
    return f"The methods disagree on the direction of {divided} of {count(len(social), 'effect')}"


def _overview_row(one: Finding, found: Reported) -> DotRow | None:
    if not one.verdict.of:
        return None
    effect = one.leading.effect if one.leading else Estimate(None)
    # Items that do not vary have no standard deviation, however clear what they say.
    alike = one.leading is not None and bool(one.leading.sign)
    shown = "all items agree" if effect.value is None and alike else signed(effect.value)
    reach = _REACH * max(abs(end) for end in (effect.value or 0.0, effect.low or 0.0, effect.high or 0.0, 0.5))
    values = (cell.effect.value for cell in one.multiverse.curve.cells if cell.effect.value is not None)
    others = tuple(max(-reach, min(reach, value)) for value in values)
    dot = Dot(
        effect.value,
        effect.low,
        effect.high,
        text=shown,
        interval=mark_of(one),
        tip=one.verdict.sentence,
        place=Places(one, found).of(one.leading) if one.leading else {},
        repeats=others,
    )
    heading = "Instrument checks, not social biases" if one.question.check else ""
    name = capitalised(found.names.bias(one.question.bias))
    model = f"{one.question.model}, " if len(found.models) > 1 else ""
    return DotRow(f"{model}{name}: {one.question.short}", (dot,), heading)
