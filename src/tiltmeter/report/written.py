"""The part of the report on sentences that a model wrote: templates beside them, spread over sets, their issues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.analysis.generated import Effect
from tiltmeter.records import Estimate
from tiltmeter.report.contents import Column, Contents, Table, TableCell
from tiltmeter.report.series import Series
from tiltmeter.report.words import NONE, percent, percent_range

_ISSUES = {
    "any": "any issue",
    "I1": "I1 related group reference",
    "I2": "I2 additional attribute",
    "I3": "I3 no link between group and attribute",
    "I4": "I4 negative framing",
    "I5": "I5 unrelated group",
    "I6": "I6 different meaning of a term",
    "I7": "I7 incoherent or ungrammatical",
    "I8": "I8 incomplete sentence",
}


@dataclass(frozen=True, slots=True)
class WrittenSection:
    """The tables on one model and one source of written sentences, under the leading scorer."""

    place: str
    beside_templates: Table | None
    correlation: str
    sets: Table
    effects: Table | None


def written_sections(contents: Contents) -> list[WrittenSection]:
    """One for each model and source of written sentences."""
    found = []
    for one in contents.series:
        for source in one.sources:
            cell = one.leading(source)
            if cell and cell.generated:
                beside, correlation = _beside_templates(contents, one, source, cell.scorer)
                effects = _effects(cell.generated.effects) if cell.generated.effects else None
                found.append(
                    WrittenSection(f"{one.label}, {source}", beside, correlation, _sets(contents, one, source), effects)
                )
    return found


def _beside_templates(contents: Contents, one: Series, source: str, scorer: str) -> tuple[Table | None, str]:
    comparison = next(
        (
            found
            for found in one.summary.comparisons
            if (found.model, found.second, found.scorer) == (one.facts.name, source, scorer)
        ),
        None,
    )
    if comparison is None:
        return None, ""
    columns = (Column("Bias"), *(Column(name, number=True) for name in ("Templates", "Written", "Difference")))
    rows = tuple(
        (
            TableCell(contents.label(bias)),
            _share(template),
            _share(written),
            TableCell(NONE if template is None or written is None else _points(written - template)),
        )
        for bias, (template, written) in comparison.biases.items()
    )
    caption = "Stereotyped choices: templates beside written sentences"
    if comparison.correlation is None:
        return Table(caption, columns, rows), ""
    text = f"Spearman’s rank correlation over {comparison.n} biases: {comparison.correlation:.2f}."
    return Table(caption, columns, rows), text


def _sets(contents: Contents, one: Series, source: str) -> Table:
    cell = one.leading(source)
    assert cell is not None
    assert cell.generated is not None
    columns = (
        Column("Bias"),
        *(Column(name, number=True) for name in ("Sets", "Mean", "Spread over sets (SD)", "By the group written for")),
    )
    rows = []
    for bias, found in cell.generated.sets.items():
        halves = cell.generated.halves.get(bias, {})
        texts = [f"{group} {percent(half.value)}" for group, half in halves.items()]
        rows.append(
            (
                TableCell(contents.label(bias)),
                TableCell(str(len(found.values))),
                _share(found.mean),
                TableCell(NONE if found.sd is None else f"{100 * found.sd:.1f}"),
                TableCell("; ".join(texts)),
            )
        )
    return Table("Spread over independent sets, and either half of the sentences", columns, tuple(rows))


def _effects(effects: Sequence[Effect]) -> Table:
    columns = (
        Column("Without sentences flagged for"),
        *(Column(name, number=True) for name in ("Flagged", "Overall", "Change", "Relative", "Attributes lost")),
    )
    rows = tuple(
        (
            TableCell(_ISSUES[one.issue], mark="mean" if one.issue == "any" else ""),
            TableCell(f"{one.flagged:,} of {one.pairs:,}"),
            _estimate(one.after),
            TableCell(NONE if one.change is None else _points(one.change)),
            TableCell(NONE if one.relative is None else f"{_points(one.relative)} %"),
            TableCell(str(one.attributes_lost)),
        )
        for one in effects
    )
    return Table("What the issues of the sentences do to the overall value", columns, rows)


def _share(value: float | None) -> TableCell:
    return TableCell(NONE if value is None else percent(value), sort="" if value is None else repr(value))


def _estimate(found: Estimate) -> TableCell:
    interval = "" if found.low is None or found.high is None else percent_range(found.low, found.high)
    return TableCell(percent(found.value) if found.value is not None else NONE, interval)


def _points(difference: float) -> str:
    """A difference of shares in points of per cent, with its sign.

    >>> _points(-0.016)
    '−1.6'
    """
    return f"{100 * difference:+.1f}".replace("-", "−")
