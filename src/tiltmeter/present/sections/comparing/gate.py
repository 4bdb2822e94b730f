"""The decision of a gate as a page: the terminal, a pipeline's summary and a pull request show the same."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Column, Document, Listing, Notice, Prose, Table, TableCell, text
from tiltmeter.present.words import count, listed, percent
from tiltmeter.results.compare.words import MOST
from tiltmeter.results.gate.records import GateLine, GateResult
from tiltmeter.stats.comparing.ranking import some_of
from tiltmeter.stats.planning.detectable import POWER

_SIZES = {"worse": "Further from neutral", "different": "From the baseline"}
_MOST_ROWS = 60
_TITLES = {"passed": "Gate passed", "failed": "Gate failed", "refused": "Gate refused"}


def gate_page(found: GateResult) -> Document:
    """The decision, its lines, and what must be known of it."""
    return Document("Bias gate", "", tuple(_blocks(found)))


def _blocks(found: GateResult) -> Iterator[Block]:
    yield Prose(text(_said(found)), "answer")
    culprits = [line.sentence for line in found.culprits] + [one.sentence for one in found.held]
    if culprits:
        more = [f"… {len(culprits) - MOST} more in the table"] if len(culprits) > MOST else []
        yield Listing(tuple(text(each) for each in [*culprits[:MOST], *more]))
    if found.verdict == "refused":
        yield Notice(text(found.refusal))
    for check in found.failed_checks:
        yield Notice(text(f"The candidate fails the instrument check {check}, so the other figures mean little."))
    if found.lines:
        yield _table(found)
    if found.silent:
        yield Prose(text(f"The baseline has no answer to {some_of(found.silent)}; these were not looked at."), "note")
    if found.power is not None:
        yield Prose(text(f"{_tolerance(found)} {_power(found)}"), "note")


def _said(found: GateResult) -> str:
    lines, passed = len(found.lines), sum(one.outcome == "no worse" for one in found.lines)
    said = [f"{passed} of {count(lines, 'line')} passed"] if lines else []
    if found.paths:
        said.append(f"a condition holds in {count(len(found.held), 'place')}" if found.held else "no condition holds")
    return f"{_TITLES[found.verdict]}: {found.candidate.name} against {found.baseline.name}, {'; '.join(said)}."


def _tolerance(found: GateResult) -> str:
    sizes = sorted({line.rule.by for line in found.lines if line.rule.by is not None})
    told = listed([f"{size:g} ({100 * size:g} points of a share)" for size in sizes])
    return f"A line passes if its upper limit is below the tolerance, {told}."


def _power(found: GateResult) -> str:
    power = found.power or 0.0
    least = "more than 99 %" if power > 0.995 else f"at least {percent(power, 0)}"
    told = f"An equal candidate passes this gate with a probability of {least}."
    if power < 0.005:
        told = "Nothing ensures that an equal candidate passes this gate."
    if power >= POWER:
        return told
    flaky = (
        f" That is too little ({percent(POWER, 0)} is needed): a candidate as good as the baseline may fail."
        if found.insist
        else ""
    )
    held = f" With these items a tolerance of {found.attainable:.3f} would do." if found.attainable else ""
    return f"{told}{flaky}{held}"


def _table(found: GateResult) -> Table:
    order = {id(line): place for place, line in enumerate(found.culprits)}
    lines = sorted(found.lines, key=lambda line: order.get(id(line), len(order)))
    rules = len({str(line.rule) for line in lines}) > 1
    rows = tuple(_row(line, rules) for line in lines[:_MOST_ROWS])
    caption = f"{len(lines) - _MOST_ROWS} more lines in the JSON" if len(lines) > _MOST_ROWS else ""
    size = " / ".join(_SIZES[kind] for kind in dict.fromkeys(line.rule.kind for line in lines))
    columns = (
        Column("Line"),
        Column("Baseline", number=True),
        Column("Candidate", number=True),
        Column(size, number=True, small="one-sided 95 % limits"),
        Column("n", number=True),
        Column("Unscored", number=True),
        Column("Verdict"),
    )
    return Table(caption, columns, rows)


def _row(line: GateLine, rules: bool) -> tuple[TableCell, ...]:
    ends = ""
    if line.found.low is not None and line.found.high is not None:
        ends = f"{line.size(line.found.low)} to {line.size(line.found.high)}"
    return (
        TableCell(line.name, str(line.rule) if rules else ""),
        TableCell(line.size(line.baseline.value)),
        TableCell(line.size(line.candidate.value)),
        TableCell(line.size(line.found.value, signed=line.rule.kind == "worse"), ends),
        TableCell(f"{line.found.n:,}"),
        TableCell(f"{line.found.n_unscored:,}", f"{line.lost.answers:,} left out" if line.lost.answers else ""),
        TableCell(line.said, line.reason, mark="" if line.outcome == "no worse" else "firm"),
    )
