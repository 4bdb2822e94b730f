"""Pairs in tables: scorers side by side, control sets, StereoSet's own scores, and pairs that have no score."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from tiltmeter.measures.scorers import meaning_of
from tiltmeter.present.blocks import Block, Facts, Prose, Table, TableCell, text
from tiltmeter.present.decodings import short_scorer
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.pairs.headline import control_parts, opposite
from tiltmeter.present.series import Series, bias_cell, bias_label, pair_place, titled
from tiltmeter.present.tables import differs, numbers, share_cell, side_mark, table
from tiltmeter.present.words import NEUTRAL, NONE, percent
from tiltmeter.records import Estimate
from tiltmeter.results import Cell
from tiltmeter.stats.agreement.scorers import Agreement


def scorers(found: Reported, series: list[Series]) -> Iterator[Block]:
    """For each model and source with several scorers: values side by side, and how often they agree."""
    compared = [(one, source, cells) for one in series for source in one.sources if len(cells := one.on(source)) > 1]
    if not compared:
        return
    yield Prose(
        text(
            "A scorer is a way to put a number on a sentence. A conclusion that holds under only one of them is a "
            f"conclusion about the scorer. Marked: biases for which they are on opposite sides of {NEUTRAL}."
        )
    )
    for one, source, cells in compared:
        title = titled(one, source, series)
        yield from filter(None, (_side_by_side(found, cells, title), _agreement(one, source, cells, title)))
    names = sorted({cell.scorer for one in series for cell in one.cells})
    yield Facts(tuple((name, text(meaning_of(name))) for name in names))


def _side_by_side(found: Reported, cells: Sequence[Cell], title: str) -> Table | None:
    rows: list[tuple[TableCell, ...]] = []
    for bias in dict.fromkeys(bias for cell in cells for bias in cell.summary.headline_by_bias):
        shares = [cell.summary.headline_by_bias.get(bias) for cell in cells]
        values = [
            TableCell(NONE) if one is None else share_cell(one, mark=side_mark(one), place=pair_place(cell, bias))
            for cell, one in zip(cells, shares, strict=True)
        ]
        rows.append((bias_cell(found, bias), *values, _sides_cell(shares)))
    overall = [cell.summary.headline for cell in cells]
    rows.append((TableCell("Mean over biases", mark="mean"), *map(share_cell, overall), _sides_cell(overall)))
    columns = ("Bias", *numbers(*(short_scorer(cell.scorer) for cell in cells)), f"Side of {NEUTRAL}")
    return table(f"{title}: share of stereotyped choices by scorer", columns, rows)


def _sides_cell(shares: Sequence[Estimate | None]) -> TableCell:
    said = sides(shares)
    return TableCell(said, mark="opposed" if said.startswith("opposite") else "")


def sides(shares: Sequence[Estimate | None]) -> str:
    """Whether estimates of one bias point the same way, and whether that is significant.

    >>> sides([Estimate(0.6, p_adjusted=0.001), Estimate(0.4, p_adjusted=0.3)])
    'opposite sides'
    """
    known = [one for one in shares if one is not None and one.value is not None]
    if len(known) < 2:
        return "fewer than two values"
    if not opposite(known):
        return "same side"
    sure = {(one.value or 0) > 0.5 for one in known if differs(one)}
    return "opposite sides, both significant" if len(sure) == 2 else "opposite sides"


def _agreement(one: Series, source: str, cells: Sequence[Cell], title: str) -> Table | None:
    names = [cell.scorer for cell in cells]
    place = {"view": "pairs", "model": one.facts.name, "source": source}
    rows: list[tuple[TableCell, ...]] = []
    for first in names:
        shared = [_shared(one, source, first, second) for second in names]
        rows.append(
            (
                TableCell(short_scorer(first)),
                *(
                    TableCell(
                        NONE if agreed is None else percent(agreed.share),
                        f"of {agreed.n:,}" if agreed else "",
                        place=place,
                    )
                    for agreed in shared
                ),
            )
        )
    caption = f"{title}: share of all pairs in which two scorers prefer the same sentence"
    return table(caption, ("Scorer", *numbers(*map(short_scorer, names))), rows)


def _shared(one: Series, source: str, first: str, second: str) -> Agreement | None:
    every = one.summary.agreements.get((one.facts.name, source), ())
    return next((agreed for agreed in every if {agreed.first, agreed.second} == {first, second}), None)


def published_agreement(series: list[Series]) -> list[str]:
    """How often a paper's own scorer and the leading one prefer the same sentence."""
    said = []
    for one, source in [(each, source) for each in series for source in each.sources]:
        leading = one.leading(source)
        for cell in one.on(source, published=True) if leading else ():
            agreed = _shared(one, source, cell.scorer, leading.scorer) if leading else None
            if agreed and agreed.share is not None and leading:
                said.append(
                    f"{titled(one, source, series)}: {short_scorer(cell.scorer)} and {short_scorer(leading.scorer)} "
                    f"prefer the same sentence in {percent(agreed.share)} of {agreed.n:,} pairs."
                )
    return said


def controls(found: Reported, series: list[Series]) -> Iterator[Block]:
    """How often the first group's sentence is preferred where neither is stereotyped."""
    made = [made for one in series for source in one.sources if (made := _controls(found, one, source, series))]
    if made:
        yield Prose(
            text(
                "In a control set neither sentence is stereotyped; the value is the share of pairs in which the "
                f"sentence of the group named first is preferred. A value far from {NEUTRAL} shows a habit: the model "
                "prefers that group’s words whatever is said of them. Such a habit also moves unbalanced values where "
                "attribute sets differ in size, and cancels out of balanced ones."
            )
        )
        yield from made


def _controls(found: Reported, one: Series, source: str, series: list[Series]) -> Table | None:
    cells = one.on(source)
    rows = []
    for name in dict.fromkeys(name for cell in cells for name in cell.controls):
        bias, attributes, first, second = control_parts(name)
        label = f"{attributes}: {found.names.group(first, bias)} over {found.names.group(second, bias)}"
        shares = [
            share_cell(cell.controls[name], place={**pair_place(cell), "bias": bias}) if name in cell.controls else None
            for cell in cells
        ]
        rows.append((TableCell(label, bias_label(found, bias)), *shares))
    columns = ("Control set", *numbers(*(short_scorer(cell.scorer) for cell in cells)))
    return table(f"{titled(one, source, series)}: control sets", columns, rows)


def stereoset(series: list[Series]) -> Iterator[Block]:
    """StereoSet's own three scores, for each model and source that has them."""
    made = []
    for one in series:
        for source in one.sources:
            rows = [row for cell in one.on(source) for row in _stereoset_rows(cell)]
            columns = ("Domain", "Scorer", *numbers("LM", "SS", "ICAT", "Examples", "Missing"))
            made.append(table(f"{titled(one, source, series)}: StereoSet’s scores", columns, rows))
    if any(made):
        yield Prose(
            text(
                "As its authors define them, from 0 to 100. LM: how often a meaningful sentence is preferred to a "
                "meaningless one (100 is best). SS: how often the stereotyped sentence is preferred to the other (50 "
                "is neutral). ICAT: both in one number (100 is best)."
            )
        )
        yield from filter(None, made)


def _stereoset_rows(cell: Cell) -> Iterator[tuple[TableCell | str | int, ...]]:
    parts = {"All": cell.stereoset.overall, **cell.stereoset.by_domain} if cell.stereoset else {}
    for name, found in parts.items():
        scores = [_points(score) for score in (found.lm, found.ss, found.icat)]
        label = TableCell(name, mark="mean" if name == "All" else "")
        yield (label, short_scorer(cell.scorer), *scores, found.n, found.n_unscored)


def _points(found: Estimate) -> TableCell:
    if found.value is None:
        return TableCell(NONE)
    interval = "" if found.low is None or found.high is None else f"{found.low:.1f}–{found.high:.1f}"
    return TableCell(f"{found.value:.1f}", interval)


def missing(series: list[Series], *, published: bool) -> Iterator[Block]:
    """How many pairs have no score, by reason and scorer."""
    made = []
    for one in series:
        for source in one.sources:
            cells = one.on(source, published=published)
            totals = sum((Counter(cell.unscored) for cell in cells), Counter[str]())
            rows: list[tuple[TableCell | str | int, ...]] = [
                (reason, *(_missing_cell(cell, reason) for cell in cells)) for reason, _ in totals.most_common()
            ]
            every = sum(pair.source == source and pair.stands_in is None for pair in one.run.pairs)
            rows += [(TableCell("All pairs", mark="mean"), *[every] * len(cells))] if rows else []
            columns = ("Reason", *numbers(*(short_scorer(cell.scorer) for cell in cells)))
            made.append(table(f"{titled(one, source, series)}: pairs without a score", columns, rows))
    shown = list(filter(None, made))
    if shown:
        yield Prose(text("A pair without a score counts neither as 0 nor as a tie: it is left out and counted here."))
        yield from shown
    elif not published and any(one.on(source) for one in series for source in one.sources):
        yield Prose(text("Every pair was scored."))


def _missing_cell(cell: Cell, reason: str) -> TableCell:
    number = cell.unscored.get(reason, 0)
    place = {**pair_place(cell), "reason": reason}
    return TableCell(f"{number:,}", sort=str(number), place=place if number else None)
