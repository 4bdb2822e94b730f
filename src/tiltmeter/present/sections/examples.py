"""Example texts of a finding: what its figures are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tiltmeter.present.blocks import Example, Examples, text
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.next_words.examples import example_prompts
from tiltmeter.present.sections.pairs.examples import example_pairs
from tiltmeter.present.sections.texts.examples import example_texts
from tiltmeter.present.words import capitalised, signed
from tiltmeter.results.cells import Cell, Measurement, table_of
from tiltmeter.results.findings.findings import Finding
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.views import FACTS, View

_SHOWN = 4
"""Items in each list."""


def examples_of(one: Finding, found: Reported) -> Iterator[Examples]:
    """Example texts of a finding, chosen by number alone."""
    return _EXAMPLES.get(one.question.view, _example_items)(one, found)


def _example_items(one: Finding, found: Reported) -> Iterator[Examples]:
    """The items with the highest and lowest values by the first way of asking, of views that say nothing else."""
    question, facts = one.question, FACTS[one.question.view]
    cells = [
        cell
        for run in found.read
        # The last measure tells the most: of choices, shares say nothing of how clear they are.
        for measure in reversed(facts.measures)
        for cell in table_of(run).of(question.view, measure=measure, model=question.model)
        if topic_of(cell.bias) == question.bias and cell.compares == question.by_stereotype
    ]
    if not cells:
        return
    cell, neutral = cells[0], cells[0].scale.neutral
    rows = sorted((row for row in cell.rows if row.value is not None), key=lambda row: (-(row.value or 0.0), row.item))
    if question.first and not cell.compares:
        rows = [row for row in rows if row.group in (question.first, question.second)]
    above = [row for row in rows if neutral is None or (row.value or 0.0) > neutral][:_SHOWN]
    below = [row for row in reversed(rows) if neutral is None or (row.value or 0.0) < neutral][:_SHOWN]
    said = (question.claim(), question.claim(turned=True)) if cell.compares else ("highest values", "lowest values")
    texts = cell.table.texts_of(cell.view)
    entries = tuple(
        (capitalised(title), tuple(_example(cell, row, texts[row.item]) for row in own))
        for title, own in zip(said, (above, below), strict=True)
        if own
    )
    if entries:
        yield Examples(f"Single {facts.asked}s by {cell.measure.replace('_', ' ')}", entries)


def _example(cell: Cell, row: Measurement, texts: tuple[str | None, ...]) -> Example:
    whole = " — ".join(part for part in texts[:2] if part)
    answered = f"{row.label}, " if row.label else ""
    return Example(row.origin, text(whole), f"{answered}{cell.measure.replace('_', ' ')} {signed(row.value)}")


_EXAMPLES: Mapping[View, Callable[[Finding, Reported], Iterator[Examples]]] = {
    "pairs": example_pairs,
    "continuations": example_texts,
    "next words": example_prompts,
}
