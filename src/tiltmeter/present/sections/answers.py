"""How often the model answers right, where the stereotype is right and where it is not, and the published scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Column, Prose, Section, TableCell, text
from tiltmeter.present.decodings import choices_words
from tiltmeter.present.reported import Reported
from tiltmeter.present.tables import Cell, number_cell, numbers, share_cell, table
from tiltmeter.records import Estimate
from tiltmeter.results.summary.answers import Answers
from tiltmeter.results.summary.answers import answers as answers_of

_MEANING = (
    "Of the questions that have a right answer. Stereotype right: the right answer is the stereotyped one; stereotype "
    "wrong: it is another one. A model whose answers do not depend on the stereotype has the same accuracy in both. "
    "The bias score is the one published for BBQ, from −1 to 1. Means are over questions, intervals over test words."
)
_COLUMNS = ("Accuracy", "Stereotype right", "Stereotype wrong", "Cannot be known", "Bias score")


def answers(found: Reported) -> list[Section]:
    """One section for all runs that asked questions with right answers."""
    every = [one for run in found.read for one in answers_of(run)]
    blocks = list(_blocks(every, found))
    return [Section("How often it answers right", tuple(blocks), "answers", folded=True)] if blocks else []


def _blocks(every: Sequence[Answers], found: Reported) -> Iterator[Block]:
    columns = (Column("Model"), Column("Bias"), Column("Way of asking"), *numbers("Questions", *_COLUMNS))
    made = table("Accuracy and published scores", columns, [_row(one, found) for one in every], sortable=True)
    if made is None:
        return
    yield Prose(text(_MEANING))
    yield made
    leading: dict[tuple[str, str, str], Answers] = {}
    for one in every:
        leading.setdefault((one.cell.model, one.cell.source, one.cell.bias), one)
    for one in leading.values():
        if one.by_attribute:
            title = f"{found.names.bias(one.cell.bias)}, {one.cell.model}: accuracy by word"
            yield Section(title, tuple(_by_attribute(one)), folded=True)


def _row(one: Answers, found: Reported) -> tuple[Cell, ...]:
    shares = (one.right, one.fitting, one.unfitting, one.unknown)
    return (
        TableCell(one.cell.model),
        TableCell(found.names.bias(one.cell.bias)),
        TableCell(choices_words(one.cell.choices)),
        one.right.n + one.right.n_unscored,
        *map(_share, shares),
        TableCell("") if one.score is None else number_cell(one.score),
    )


def _share(figure: Estimate | None) -> Cell:
    return TableCell("") if figure is None else share_cell(figure)


def _by_attribute(one: Answers) -> Iterator[Block]:
    columns = (Column("Word"), *numbers("Stereotype right", "Stereotype wrong", "Questions"))
    rows = [
        (TableCell(name), share_cell(fitting), share_cell(unfitting), fitting.n + unfitting.n)
        for name, (fitting, unfitting) in one.by_attribute.items()
    ]
    made = table(f"Accuracy by word ({choices_words(one.cell.choices)})", columns, rows, sortable=True)
    if made is not None:
        yield made
