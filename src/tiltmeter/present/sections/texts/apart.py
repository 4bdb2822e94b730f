"""How far apart the texts of prompts are that differ in the group alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Column, Prose, Section, TableCell, text
from tiltmeter.present.sections.texts.of_run import RunTexts
from tiltmeter.present.tables import Cell, mean_cell, numbers, table, value_cell
from tiltmeter.present.words import p_value
from tiltmeter.records import Estimate
from tiltmeter.results.cells import Measurement, table_of
from tiltmeter.results.measurements.columns import APART, BETWEEN, WITHIN
from tiltmeter.stats.estimates import estimate


def apart_sections(texts: RunTexts) -> Iterator[Section]:
    """A section where a source exchanged the group in one prompt."""
    rows = list(_rows(texts))
    if not rows:
        return
    figures = ("About two groups", "About one group", "Difference", "p")
    columns = (Column("Model"), Column("Bias"), Column("Groups"), Column("Decoding"), *numbers(*figures))
    made = table("How alike texts are whose prompts differ in the group alone", columns, rows)
    if made is not None:
        yield Section("How far apart the texts about two groups are", (Prose(text(_MEANING)), made), folded=True)


_MEANING = (
    "Similarity is the cosine of the vectors of two texts, from −1 to 1, without their prompts and with the groups and "
    "pronouns masked. Texts about one group are several texts of the same prompt. Where the group makes no difference, "
    "the difference of the two is 0; above it, texts about the two groups are less alike than texts about one. It does "
    "not say which are better: ratings do. Intervals are over prompts."
)


def _rows(texts: RunTexts) -> Iterator[tuple[Cell, ...]]:
    for cell in table_of(texts.run).of("continuations", measure=APART):
        every = {measure: cell.rows if measure == APART else cell.beside(measure).rows for measure in _NEUTRAL}
        pairs: dict[tuple[str, str], list[int]] = {}
        for at, row in enumerate(cell.rows):
            pairs.setdefault((row.group, row.against or ""), []).append(at)
        for pair, places in pairs.items():
            found = {measure: _estimate([rows[at] for at in places], measure) for measure, rows in every.items()}
            yield (
                TableCell(cell.model),
                TableCell(texts.names.bias(cell.bias)),
                TableCell(" and ".join(texts.group(one, cell.bias) for one in pair)),
                TableCell(texts.decoding(cell.decoding)),
                *(mean_cell(found[measure]) for measure in (BETWEEN, WITHIN)),
                value_cell(found[APART]),
                TableCell(p_value(found[APART].p)),
            )


def _estimate(rows: Sequence[Measurement], measure: str) -> Estimate:
    return estimate([row.value for row in rows], [row.origin for row in rows], neutral=_NEUTRAL[measure])


_NEUTRAL = {APART: 0.0, BETWEEN: None, WITHIN: None}
