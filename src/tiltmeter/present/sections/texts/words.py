"""The words that a model uses more about one group than about another, and under one structure than under others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tiltmeter.present.blocks import Block, Column, Prose, Section, Table, TableCell, text
from tiltmeter.present.sections.texts.of_run import RunTexts, shown
from tiltmeter.present.tables import Cell, numbers, table
from tiltmeter.present.words import SPACE, capitalised, count, p_value, percent, signed
from tiltmeter.results.summary.word_records import GroupWords, WordCell
from tiltmeter.stats.views.words import LEAST_TEXTS, WordContrast

_PAIRS = 3
"""Pairs of groups that are shown where a spec names none; summary.json has all."""
_FIRM = 0.05


def word_sections(texts: RunTexts) -> Iterator[Section]:
    """A section for each model, source and bias whose texts have words to compare."""
    for cell in texts.summary.words:
        blocks = tuple(_blocks(cell, texts))
        if blocks:
            several = len(texts.summary.words) > 1
            where = f" ({cell.model}, {texts.names.bias(cell.bias)}, {cell.source})" if several else ""
            about = {"model": cell.model, "view": "continuations", "bias": cell.bias}
            yield Section(f"Which words it uses about each group{where}", blocks, folded=True, about=about)


def _blocks(cell: WordCell, texts: RunTexts) -> Iterator[Block]:
    chosen = [pair for pair in cell.pairs if _is_shown(pair, cell, texts)]
    whole = [pair for pair in chosen if not pair.part]
    made = shown(*(_pair_table(pair, cell, texts) for pair in whole))
    if not made:
        return
    yield Prose(
        text(
            f"Words of the texts without their prompts ({texts.decoding(cell.decoding)}); words that occur in any "
            f"prompt, and words in fewer than {LEAST_TEXTS} texts, are left out. The log odds order the words. "
            "Interval and p are of the share of texts that have the word; p is corrected for all words of the two "
            "groups. "
            f"{_firm_words(whole, cell, texts)}"
        )
    )
    yield from made
    for part in dict.fromkeys(pair.part for pair in chosen if pair.part):
        own = shown(*(_pair_table(pair, cell, texts) for pair in chosen if pair.part == part))
        if own:
            yield Section(f"Only the prompts on {part}", own, folded=True)
    structures = _structure_table(cell)
    if structures:
        yield Section("Words of each sentence structure", (structures,), folded=True)


def _is_shown(pair: GroupWords, cell: WordCell, texts: RunTexts) -> bool:
    named = texts.compared.get(cell.bias.partition(":")[0], ())
    if any({pair.a, pair.b} == {*both} for both in named):
        return True
    pairs = list(dict.fromkeys((one.a, one.b) for one in cell.pairs))
    return not named and (pair.a, pair.b) in pairs[:_PAIRS]


def _firm_words(pairs: Sequence[GroupWords], cell: WordCell, texts: RunTexts) -> str:
    """Which words set two groups apart beyond chance."""
    said = []
    for pair in pairs:
        found = [one.word for one in pair.words if (one.difference.p_adjusted or 1.0) < _FIRM]
        names = " and ".join(texts.group(group, cell.bias) for group in (pair.a, pair.b))
        said.append(f"{names}: {count(len(found), 'word')} of {pair.looked_at:,}")
    return f"Beyond chance (corrected p below {_FIRM:g}): {'; '.join(said)}."


def _pair_table(pair: GroupWords, cell: WordCell, texts: RunTexts) -> Table | None:
    names = [texts.group(group, cell.bias) for group in (pair.a, pair.b)]
    rows: list[tuple[Cell, ...]] = [_row(one, names) for one in pair.words]
    figures = (f"Texts about {names[0]}", f"Texts about {names[1]}", "Difference", "Log odds", "p (corrected)")
    columns = (Column("Word"), Column("More about"), *numbers(*figures))
    return table(f"Words about {names[0]} and about {names[1]}", columns, rows, sortable=True)


def _row(one: WordContrast, names: Sequence[str]) -> tuple[Cell, ...]:
    found = one.difference
    interval = "" if found.low is None or found.high is None else f"{_points(found.low)} to {_points(found.high)}"
    firm = (found.p_adjusted or 1.0) < _FIRM
    return (
        TableCell(one.word),
        TableCell(names[one.log_odds < 0]),
        *(
            TableCell(percent(share), f"{times:,}×", f"{share:.6f}")
            for share, times in zip(one.shares, one.counts, strict=True)
        ),
        TableCell(
            f"{_points(found.value or 0.0)}{SPACE}points", interval, f"{found.value or 0.0:.6f}", "firm" if firm else ""
        ),
        TableCell(signed(one.log_odds), f"z {signed(one.z, 1)}", f"{one.log_odds:.6f}"),
        TableCell(
            p_value(found.p_adjusted) if found.p_adjusted is not None else "", sort=f"{found.p_adjusted or 1.0:.6f}"
        ),
    )


def _points(share: float) -> str:
    return signed(100 * share, 1)


def _structure_table(cell: WordCell) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for name in dict.fromkeys(one.structure for one in cell.structures):
        own = [one for one in cell.structures if one.structure == name]
        said = ", ".join(f"{one.word} ({signed(one.log_odds, 1)}, {one.texts} of {one.of})" for one in own)
        rows.append((TableCell(name), TableCell(capitalised(said))))
    columns = (Column("Structure"), Column("Words that set it apart (log odds against all others, texts that have it)"))
    return table("Words that each structure brings out, whatever the group", columns, rows)
