"""Tables on next words beyond the choices that lead: other words and ways of counting, other groups, and no answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, Table, TableCell, numbers, share_cell, sort_key, tint
from tiltmeter.report.next_word_cells import (
    chance_cell,
    first_column,
    heading,
    number_cell,
    p_words,
    ratio_cell,
    share_range,
    signed_cell,
)
from tiltmeter.report.next_word_readings import SHARE, Reading, ReadingGroup
from tiltmeter.report.words import differs, opposite
from tiltmeter.results.summary.next_word_cells import NextWordCell


def pairs_table(group: ReadingGroup) -> Table:
    """Every two groups, with every measure that is not in a table of its own."""
    columns = (
        Column("Groups, a and b"),
        *numbers("Share of a", "P(a) − P(b)", "ln P(a) − ln P(b)", "P(a) / P(b)", "Ratio of means", "KL", "EMD"),
    )
    rows = []
    for one in group.every:
        for pair, found in one.main.overall.pairs.items():
            share = found[SHARE]
            rows.append(
                (
                    TableCell(pair.replace("/", " and ", 1), f"{one.cell.source}, {one.label}"),
                    replace(share_cell(share, mark=tint(share), interval=True), small=_range_and_p(share)),
                    signed_cell(found["difference"], 3),
                    signed_cell(found["log_ratio"]),
                    ratio_cell(found["ratio"]),
                    ratio_cell(found.get("ratio_of_means", Estimate(None))),
                    chance_cell(found["kl"]),
                    chance_cell(found.get("emd", Estimate(None)), p_words(found.get("emd", Estimate(None)))),
                )
            )
    return Table("Every two groups, over all prompts", columns, tuple(rows))


def choices_table(group: ReadingGroup) -> Table | None:
    """The share under every choice of words and counting, marked where choices point to opposite sides."""
    varied = [one for one in group.every if one.others]
    if not varied:
        return None
    names = list(dict.fromkeys(choice_words(cell, varied) for one in varied for cell in (one.cell, *one.others)))
    columns = (first_column(group), Column("Across choices"), *numbers(*names))
    rows = []
    for one in varied:
        by_name = {choice_words(cell, varied): cell for cell in (one.cell, *one.others)}
        cells, alike = [], []
        for name in names:
            cell = by_name.get(name)
            found = replace(one, cell=cell).figure(SHARE) if cell else Estimate(None)
            same = cell is not None and cell.pair == one.cell.pair
            alike += [found] if same else []
            about = "" if same or cell is None else f"share of {cell.pair.partition('/')[0]}"
            small = "\n".join(filter(None, (about, share_range(found))))
            cells.append(TableCell(share_cell(found).text, small, sort_key(found.value), tint(found)))
        rows.append((heading(group, one), _across(alike), *cells))
    a, b = group.pair
    return Table(f"Share of {a} beside {b}, by the words asked for and how they are counted", columns, tuple(rows))


def unscored_table(group: ReadingGroup) -> Table | None:
    """Prompts without a chance of a group, by reason; under every choice, and all perturbations together."""
    found: dict[tuple[str, str, str, str, int, int], list[str]] = {}
    for one in group.every:
        for cell in (one.cell, *one.others):
            for (whom, reason), number in _unscored(cell).items():
                key = (reason, one.label, one.cell.source, whom, number, len(cell.items))
                found.setdefault(key, []).append(choice_words(cell, group.every))
    columns = (
        Column("Reason"),
        Column("Model, prompts"),
        Column("Group"),
        Column("Words"),
        *numbers("Prompts without", "Of"),
    )
    rows = [
        (
            TableCell(reason),
            TableCell(label, source),
            TableCell(whom),
            TableCell("; ".join(choices)),
            number_cell(number),
            number_cell(of),
        )
        for (reason, label, source, whom, number, of), choices in found.items()
    ]
    caption = "Prompts, as they are and perturbed, after which a group has no chance, by reason"
    return Table(caption, columns, tuple(rows)) if rows else None


def _unscored(cell: NextWordCell) -> Counter[tuple[str, str]]:
    """How many prompts have no chance of a group, by group and reason."""
    made: Counter[tuple[str, str]] = Counter()
    for found in cell.summary.perturbations.values():
        for whom, reasons in found.unscored.items():
            for reason, number in reasons.items():
                made[whom, reason] += number
    return made


def choice_words(cell: NextWordCell, readings: Sequence[Reading]) -> str:
    """The choices of a cell in words: those that vary over the readings, or the words where none does."""
    cells = [each for one in readings for each in (one.cell, *one.others)]
    parts = [cell.words]
    if len({each.bounded for each in cells}) > 1:
        parts.append("bounded" if cell.bounded else "not bounded")
    if len({each.combine for each in cells}) > 1:
        parts.append("all words" if cell.combine == "sum" else "first word")
    return ", ".join(parts)


def _across(alike: Sequence[Estimate]) -> TableCell:
    known = [found for found in alike if found.value is not None]
    if len(known) < 2:
        return TableCell("")
    if not opposite(known):
        return TableCell("same side" if all(found.value != 0.5 for found in known) else "")
    sure = {(found.value or 0) > 0.5 for found in known if differs(found)}
    return TableCell("opposite sides", "each beyond chance" if len(sure) == 2 else "", mark="opposed")


def _range_and_p(found: Estimate) -> str:
    return "\n".join(filter(None, (share_range(found), p_words(found))))
