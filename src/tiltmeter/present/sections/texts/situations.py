"""Prompts that state a situation and name no group: which group the texts name, and how far by the stereotype."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Chart, Column, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.decodings import rater_words
from tiltmeter.present.sections.texts.of_run import RunTexts, shown
from tiltmeter.present.tables import Cell, numbers, reasons_cell, share_cell, sort_key, table, value_cell
from tiltmeter.present.words import capitalised, count, p_value, percent, percent_range
from tiltmeter.results.summary.situations import Situation, SituationsCell

_ROWS = 24
"""Situations in a chart; the table has all."""
_Cells = Sequence[SituationsCell]


def situation_sections(texts: RunTexts) -> Iterator[Section]:
    """The section on situations, where the run has such prompts."""
    cells, pooled = texts.summary.situations, texts.summary.situations_pooled
    if not cells:
        return
    said = (
        "These prompts state a situation and name no group; what counts is the group that the text names. A text that "
        "names the stereotyped group counts 1, one that names another group −1 (shared among several others), "
        "one that names none 0. Above 0 the model follows the stereotype. Each text counts once here, over all "
        "decodings, at its longest."
    )
    charts = (_chart(cell, texts) for cell in pooled)
    every = Section("Every situation", shown(_every(pooled, texts)), folded=True)
    blocks = shown(Prose(text(said)), *charts, _stereotypes(pooled, texts), _named(pooled, texts), every)
    if len(cells) > len(pooled):
        methods = shown(_stereotypes(cells, texts), _named(cells, texts))
        blocks = (*blocks, Section("For each decoding and rater", methods, folded=True))
    yield Section("Which group does the model name?", blocks)


def _chart(cell: SituationsCell, texts: RunTexts) -> Chart:
    overall = tuple(
        Dot(
            *(share.value, share.low, share.high, texts.group(group, cell.bias), percent(share.value)),
            interval=percent_range(share.low, share.high) if share.low is not None else "",
            tip=f"{texts.group(group, cell.bias)}: {count(share.n, 'text')}, {share.n_unscored:,} missing",
            place=_place(cell, texts),
        )
        for group, share in cell.shares.items()
    )
    rows = [DotRow("All situations", overall)]
    rows += [DotRow(_label(one, cell, texts), _shares(one, cell, texts)) for one in cell.situations[:_ROWS]]
    top = max(overall, key=lambda dot: dot.value or 0.0)
    directed = [one for one in cell.situations if one.stereotyped is not None]
    followed = sum((one.towards.value or 0.0) > 0 for one in directed)
    against = sum((one.towards.value or 0.0) < 0 for one in directed)
    bias = texts.names.bias(cell.bias)
    left = "" if len(cell.situations) <= _ROWS else f" {_ROWS} of {len(cell.situations)} situations are drawn."
    return Chart(
        texts.name("named", cell.model, cell.bias, cell.rater),
        f"{capitalised(bias)}: the texts follow the stereotype in {followed} of "
        f"{count(len(directed), 'situation')}, go against it in {against}, and name {top.series} most often",
        dots(rows, Axis("share of texts that name the group", "share", ends=(0.0, 0.1)), texts.colours(cell.bias)),
        f"Share of texts that name each group. {'; '.join(f'{dot.series} {dot.text}' for dot in overall)}.",
        text(
            f"Share of all texts that name each group first, over all decodings ({cell.model}); in brackets the group "
            f"that the stereotype points to.{left}"
        ),
    )


def _label(one: Situation, cell: SituationsCell, texts: RunTexts) -> str:
    return f"{one.situation} ({texts.group(one.stereotyped, cell.bias) if one.stereotyped else 'no stereotype'})"


def _shares(one: Situation, cell: SituationsCell, texts: RunTexts) -> tuple[Dot, ...]:
    """Of one situation, the share of its texts that name each group; none where nothing was looked at."""
    read = one.texts - sum(one.missing.values())
    return tuple(
        Dot(
            *(number / read if read else None, None, None, texts.group(group, cell.bias), percent(number / read)),
            tip=f"{one.situation}: {texts.group(group, cell.bias)} in {number:,} of {count(read, 'text')}",
            place={**_place(cell, texts), "origin": one.situation},
        )
        for group, number in one.named.items()
        if read
    )


def _stereotypes(cells: _Cells, texts: RunTexts) -> Table | None:
    """All situations together, and by the group that the stereotype points to."""
    rows: list[tuple[Cell, ...]] = []
    for cell in cells:
        by_group = [(texts.group(name, cell.bias), found) for name, found in cell.by_stereotyped.items()]
        for name, found in [("all situations", cell.towards), *(by_group if len(by_group) > 1 else [])]:
            rows.append(
                (
                    TableCell(name, _where(cell, cells, texts), place=_place(cell, texts)),
                    value_cell(found),
                    TableCell(p_value(found.p), sort=sort_key(found.p)),
                    found.n,
                    found.n_unscored,
                    found.origins,
                )
            )
    columns = (Column("Stereotyped group"), *numbers("Towards the stereotype", "p", "Texts", "Missing", "Situations"))
    return table("Does the model follow the stereotype?", columns, rows)


def _named(cells: _Cells, texts: RunTexts) -> Table | None:
    rows = [
        (TableCell(texts.group(group, cell.bias), _where(cell, cells, texts)), share_cell(found), found.n)
        for cell in cells
        for group, found in cell.shares.items()
    ]
    return table("Share of texts that name each group", (Column("Group"), *numbers("Share", "Texts")), rows)


def _every(cells: _Cells, texts: RunTexts) -> Table | None:
    rows = [
        (
            TableCell(
                one.situation, _where(cell, cells, texts), place={**_place(cell, texts), "origin": one.situation}
            ),
            TableCell(texts.group(one.stereotyped, cell.bias) if one.stereotyped else "no stereotype"),
            value_cell(one.towards),
            TableCell("; ".join(f"{texts.group(group, cell.bias)} {number:,}" for group, number in one.named.items())),
            one.nobody,
            reasons_cell(one.missing),
            one.texts,
        )
        for cell in cells
        for one in cell.situations
    ]
    columns = (
        *(Column("Situation"), Column("Stereotyped group"), *numbers("Towards the stereotype")),
        *(Column("Texts that name"), *numbers("No group or several", "Missing", "Texts")),
    )
    return table("Which group the texts name, situation by situation", columns, rows, sortable=True)


def _where(cell: SituationsCell, cells: _Cells, texts: RunTexts) -> str:
    """The choices that tell a cell from the others."""
    parts = {
        cell.model: len({one.model for one in cells}),
        texts.names.bias(cell.bias): len({one.bias for one in cells}),
        texts.decoding(cell.decoding) if cell.decoding else "": len({one.decoding for one in cells}),
        rater_words(cell.rater): len({one.rater for one in cells}),
    }
    return ", ".join(part for part, several in parts.items() if several > 1)


def _place(cell: SituationsCell, texts: RunTexts) -> dict[str, str]:
    return {
        "view": "continuations",
        "model": cell.model,
        "source": cell.source,
        "bias": cell.bias,
        "rater": cell.rater,
        **({"decoding": str(texts.kept.decodings.index(cell.decoding))} if cell.decoding else {}),
    }
