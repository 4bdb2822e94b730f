"""The multiverse in words and cells of tables, never stronger than the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.report.cells import Column, Table, TableCell, sort_key
from tiltmeter.report.words import NONE, count, p_value, percent
from tiltmeter.results.findings.findings import Finding
from tiltmeter.stats.decomposition import Part
from tiltmeter.stats.flips import Flips
from tiltmeter.stats.verdict import DIRECTED

_TOGETHER = 3
"""Interactions that are shown; those of less weight are put together."""
_WITHOUT = 6
"""Cells without a value that are named for each reason."""
_FLIPS = 3
"""Choices that are said to turn the sign."""


@dataclass(frozen=True, slots=True)
class SpreadRow:
    """What a choice adds to the spread of the cells; the share as words and as a number from 0 to 100."""

    name: str
    share: str
    width: float
    beside_noise: str = ""


def verdict_table(answers: Sequence[tuple[str, Finding]]) -> Table:
    """One row for each question: what is asked, what the verdict is, and what it rests on."""
    rows = []
    for label, one in answers:
        found = one.verdict
        holds = f"{found.holds} of {found.of}" if found.of else NONE
        clear = one.multiverse.curve.significant
        share = found.holds / found.of if found.of else None
        p = found.p_adjusted
        rows.append(
            (
                TableCell(
                    label,
                    "" if one.question.view == "pairs" else one.question.text,
                    mark="check" if one.question.check else "",
                ),
                TableCell(found.words, _direction(one)),
                TableCell(holds, sort=sort_key(share)),
                TableCell(f"{clear.positive + clear.negative}", sort=str(clear.positive + clear.negative)),
                TableCell(p_value(p), sort=sort_key(p)),
            )
        )
    return Table(
        "Every question, answered in every cell of the choices that were varied. A cell agrees if its effect has the "
        f"sign that most have. {_correction(answers)}",
        (
            Column("Question"),
            Column("Verdict"),
            Column("Cells that agree", number=True),
            Column("Significant", number=True),
            Column("Adjusted p", number=True),
        ),
        tuple(rows),
    )


def _correction(answers: Sequence[tuple[str, Finding]]) -> str:
    asked = max((one.verdict.questions for _, one in answers), default=1)
    checks = " (not that of checks of the instrument)" if any(one.question.check for _, one in answers) else ""
    return f"p is of the whole curve{f', after Holm for {asked} questions{checks}' if asked > 1 else ''}."


def _direction(one: Finding) -> str:
    """What most cells say, where the verdict is one on a direction."""
    found = one.verdict
    if found.strength not in DIRECTED or found.direction is None:
        return ""
    return one.question.claim(turned=found.direction == "second")


def spread_rows(one: Finding) -> list[SpreadRow]:
    """How much of the spread each choice is to blame for; interactions of little weight in one row."""
    found = one.multiverse.decomposition
    rows = [_row(part) for part in found.main]
    together = [part for part in found.interactions if part.share > 0]
    rows += [_row(part) for part in together[:_TOGETHER]]
    others = together[_TOGETHER:]
    if others:
        share = sum(part.share for part in others)
        rows.append(SpreadRow(f"{len(others)} more pairs of choices", percent(share, 0), 100 * share))
    if found.rest and found.rest.share > 0:
        rows.append(SpreadRow("three and more choices together", percent(found.rest.share, 0), 100 * found.rest.share))
    if rows and found.sampling is not None:
        rows.append(SpreadRow("sampling of origins", percent(found.sampling, 0), 100 * found.sampling))
    return rows


def _row(part: Part) -> SpreadRow:
    beside = "" if part.noise <= 0 else f"{part.squares / part.noise:.1f} times its noise"
    return SpreadRow(" × ".join(part.choices), percent(part.share, 0), 100 * part.share, beside)


def flip_sentences(flips: Sequence[Flips]) -> list[str]:
    """Which single choice turns the sign or the conclusion, and how often."""
    whole = [one for one in flips if one.setting is None]
    if not whole:
        return ["No two cells differ in one choice alone, so that it cannot be said what one choice does."]
    turning = [one for one in whole if one.sign or one.conclusion]
    if not turning:
        return ["No change of a single choice turns the sign or the conclusion."]
    return [_flip(one) for one in turning[:_FLIPS]]


def _flip(one: Flips) -> str:
    reverse = f", {one.reversed} of these to the opposite one" if one.reversed else ""
    return (
        f"Changing {one.choice} and nothing else turns the sign in {one.sign} of {count(one.of, 'comparison')} of two "
        f"cells, and the conclusion after correction in {one.conclusion}{reverse}."
    )


def sentence_on_test(one: Finding) -> str:
    """What was tested, and what came of it."""
    test = one.multiverse.test
    if test.p is None:
        why = (test.note or "there is too little data").removeprefix("no test of the whole curve: ")
        return f"There is no test of the whole curve: {why}."
    origins = test.turned + test.exchanged
    return (
        f"With the groups exchanged at random in all cells at once, {test.permutations:,} times over "
        f"{count(origins, 'origin')}, a curve as one-sided as this has p {_p(test.p)}."
    )


def _p(p: float) -> str:
    return p_value(p) if p < 0.001 else f"= {p_value(p)}"


def without_sentences(one: Finding) -> list[str]:
    """Which cells have no place on the curve, and why."""
    found = []
    for why, cells in one.without.items():
        named = [", ".join(f"{name} {setting}" for name, setting in cell.choices.items()) for cell in cells]
        more = f"; and {len(cells) - _WITHOUT} more" if len(cells) > _WITHOUT else ""
        found.append(f"{count(len(cells), 'cell')} without a value ({'; '.join(named[:_WITHOUT])}{more}): {why}.")
    return found


def curve_words(one: Finding, drawn: int) -> str:
    """The figure for those who cannot see it."""
    cells = [
        (cell.sign, cell.conclusion != "not significant", cell.effect.value) for cell in one.multiverse.curve.cells
    ]
    return curve_in_words((one.question.claim(), one.question.claim(turned=True)), cells, drawn)


def curve_in_words(claims: Sequence[str], cells: Sequence[tuple[int | None, bool, float | None]], drawn: int) -> str:
    """How many cells say the one thing and how many the other, each with its sign, whether it is firm, and its effect.

    >>> curve_in_words(("a", "b"), [(1, True, 0.5), (-1, False, -0.25), (1, False, None)], 3)
    'Specification curve of 3 cells in the order of effect: a in 2 (1 significant after correction), b in 1 (0 \
significant). Effects reach from -0.25 to 0.50 standard deviations.'
    """
    said = [
        (sum(sign == side for sign, _, _ in cells), sum(sign == side and firm for sign, firm, _ in cells))
        for side in (1, -1)
    ]
    (first, firm), (second, others) = said
    ends = [effect for _, _, effect in cells if effect is not None]
    reach = f" Effects reach from {min(ends):.2f} to {max(ends):.2f} standard deviations." if ends else ""
    return (
        f"Specification curve of {count(drawn, 'cell')} in the order of effect: {claims[0]} in {first} ({firm} "
        f"significant after correction), {claims[1]} in {second} ({others} significant).{reach}"
    )
