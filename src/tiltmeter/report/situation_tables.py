"""Tables on prompts that state a situation: whom the model names, and how far it goes by the stereotype."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, share_cell, sort_key
from tiltmeter.report.decodings import decoding_words, rater_words
from tiltmeter.report.texts_by_rater import difference_words
from tiltmeter.report.words import NONE, p_value, signed
from tiltmeter.results.summary.situations import SituationsCell

_NO_DIRECTION = "none"


def situations_table(cells: Sequence[SituationsCell], label: Callable[[str], str]) -> Table | None:
    """One line for each situation of each cell; None where there are none."""
    rows = [
        (
            TableCell(one.situation, _place(cell, cells, label)),
            TableCell(one.stereotyped or _NO_DIRECTION),
            _towards(one.towards),
            TableCell("; ".join(f"{group} {number:,}" for group, number in one.named.items())),
            _number(one.nobody),
            TableCell(
                f"{sum(one.missing.values()):,}",
                "\n".join(f"{number:,}: {why}" for why, number in one.missing.items()),
                str(sum(one.missing.values())),
            ),
            _number(one.texts),
        )
        for cell in cells
        for one in cell.situations
    ]
    columns = (
        Column("Situation"),
        Column("Stereotype points to"),
        *numbers("Towards the stereotype"),
        Column("Texts that name"),
        *numbers("Nobody or several", "Missing", "Texts"),
    )
    return Table("Whom the model names, situation by situation", columns, tuple(rows)) if rows else None


def stereotypes_table(cells: Sequence[SituationsCell], label: Callable[[str], str]) -> Table | None:
    """All situations of a cell together, and by the group that the stereotype points to."""
    rows = []
    for cell in cells:
        every = [("all situations", cell.towards), *cell.by_stereotyped.items()]
        for name, found in every if len(cell.by_stereotyped) > 1 else every[:1]:
            rows.append(
                (
                    TableCell(name, _place(cell, cells, label)),
                    _towards(found),
                    TableCell(p_value(found.p), sort=sort_key(found.p)),
                    _number(found.n),
                    _number(found.n_unscored),
                    _number(found.origins),
                )
            )
    columns = (
        Column("Stereotype points to"),
        *numbers("Towards the stereotype", "p", "Texts", "Missing", "Situations"),
    )
    return Table("Does the model go by the stereotype?", columns, tuple(rows)) if rows else None


def naming_table(cells: Sequence[SituationsCell], label: Callable[[str], str]) -> Table | None:
    """Of all texts, the share that names each group."""
    rows = [
        (TableCell(group, _place(cell, cells, label)), share_cell(found, interval=True), _number(found.n))
        for cell in cells
        for group, found in cell.shares.items()
    ]
    columns = (Column("Group"), *numbers("Share of texts that name it", "Texts"))
    return Table("Which groups the texts name", columns, tuple(rows)) if rows else None


def _towards(found: Estimate) -> TableCell:
    if found.value is None:
        return TableCell(NONE, found.note or "")
    return TableCell(signed(found.value, 3), difference_words(found), sort_key(found.value))


def _place(cell: SituationsCell, cells: Sequence[SituationsCell], label: Callable[[str], str]) -> str:
    parts = {
        cell.model: len({one.model for one in cells}),
        label(cell.bias): len({one.bias for one in cells}),
        decoding_words(cell.decoding, [one.decoding for one in cells]): len({one.decoding for one in cells}),
        rater_words(cell.rater): len({one.rater for one in cells}),
    }
    return ", ".join(part for part, several in parts.items() if several > 1)


def _number(number: int) -> TableCell:
    return TableCell(f"{number:,}", sort=str(number))
