"""The groups under the best and the worst structures, beside the plain prompt and all structures together."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Chart, Column, Table, TableCell, text
from tiltmeter.present.charts import Axis, Dot, DotRow, dots
from tiltmeter.present.decodings import rater_words
from tiltmeter.present.sections.texts.structure_cell import Pair, ShownStructures
from tiltmeter.present.tables import Cell, interval_words, mean_cell, numbers, table, value_cell
from tiltmeter.present.words import SPACE, signed
from tiltmeter.records import Estimate
from tiltmeter.results.summary.text_records import favour
from tiltmeter.stats.structures.ends import Chosen
from tiltmeter.stats.views.continuations import ContinuationSummary

_PLAIN, _ALL = "the plain prompt", "all structures"


def mean_ends_chart(one: ShownStructures) -> Chart | None:
    """The mean of each group: of the plain prompt, over all structures, and under the best and worst."""
    found = one.found.ends
    if found is None:
        return None
    n = len(found.best.structures)
    columns = {**_usual(one), f"best {n}": found.best.summary, f"worst {n}": found.worst.summary}
    rows = [
        DotRow(
            one.texts.group(group, one.cell.bias),
            tuple(
                _dot(one, summary.groups[group].mean, series, group)
                for series, summary in columns.items()
                if group in summary.groups
            ),
        )
        for group in one.found.paraphrases.groups
    ]
    side = favour(one.cell.rater)
    axis = Axis("mean rating", left="worse" if side > 0 else "", right="worse" if side < 0 else "")
    title = "Best and worst structures"
    if found.apart is not None:
        apart = signed(found.apart).lstrip("+")
        title = f"On other test words, the best {n} structures and the worst {n} are {apart} apart"
    said = "; ".join(f"{row.label}: {', '.join(f'{dot.series} {dot.text}' for dot in row.dots)}" for row in rows)
    return Chart(
        one.name("best and worst structures"),
        title,
        dots(rows, axis),
        f"Mean rating of each group under the best and worst structures. {said}.",
        text(
            f"Mean ratings ({rater_words(one.cell.rater)}) with 95{SPACE}% intervals. Best and worst by the mean over "
            "all groups, as they were chosen; the table has them on other test words too."
        ),
    )


def difference_ends_chart(one: ShownStructures) -> Chart | None:
    """Each difference: of the plain prompt, over all structures, and where it is highest and lowest."""
    found = one.found.ends
    if found is None or not one.pairs:
        return None
    rows = []
    for pair in one.pairs:
        high, low = found.gaps[pair]
        n = len(high.structures)
        columns = {**_usual(one), f"highest {n}": high.summary, f"lowest {n}": low.summary}
        rows.append(
            DotRow(
                one.texts.groups(pair, one.cell.bias),
                tuple(_dot(one, one.difference(summary, pair), series, *pair) for series, summary in columns.items()),
            )
        )
    opposed = sum(_turns(one, pair) for pair in one.pairs)
    side = favour(one.cell.rater)
    left, right = ("the first group is rated worse", "the second group is rated worse")[::side] if side else ("", "")
    said = "; ".join(f"{row.label}: {', '.join(f'{dot.series} {dot.text}' for dot in row.dots)}" for row in rows)
    return Chart(
        one.name("best and worst differences"),
        f"{opposed} of {len(rows)} differences have opposite directions under the structures at both ends",
        dots(rows, Axis("difference of the mean ratings", "number", 0.0, "no difference", left, right)),
        f"Differences between groups under the structures where they are highest and lowest. {said}.",
        text(
            f"Differences ({rater_words(one.cell.rater)}) with 95{SPACE}% intervals, under structures chosen for them."
        ),
    )


def ends_table(one: ShownStructures) -> Table | None:
    """The structures at both ends, their figures as chosen, and on test words that chose nothing."""
    found = one.found.ends
    if found is None:
        return None
    rows: list[tuple[Cell, ...]] = []
    for words, chosen in (("best", found.best), ("worst", found.worst)):
        for group in one.found.paraphrases.groups:
            name = TableCell(one.texts.group(group, one.cell.bias), f"{words} {len(chosen.structures)}")
            rows.append((name, *map(mean_cell, _means(chosen, group)), _names(chosen)))
    for pair in one.pairs:
        for words, chosen in zip(("highest", "lowest"), found.gaps[pair], strict=True):
            both = (one.difference(summary, pair) if summary else Estimate(None) for summary in _both(chosen))
            name = TableCell(one.texts.groups(pair, one.cell.bias), f"{words} {len(chosen.structures)}")
            rows.append((name, *map(value_cell, both), _names(chosen)))
    columns = (Column("Group, or difference"), *numbers("As chosen", "On other test words"), Column("Structures"))
    return table("Structures chosen for their ratings, and what remains on other test words", columns, rows)


def _usual(one: ShownStructures) -> dict[str, ContinuationSummary]:
    fixed = one.found.fixed
    return {**({_PLAIN: fixed} if fixed else {}), _ALL: one.found.paraphrases}


def _dot(one: ShownStructures, found: Estimate, series: str, *groups: str) -> Dot:
    return Dot(
        *(found.value, found.low, found.high, series, signed(found.value, 3)),
        interval=interval_words(found) if found.low is not None else "",
        tip=f"{series}\n{signed(found.value, 3)} ({interval_words(found)})",
        place=one.place(*groups),
    )


def _both(chosen: Chosen) -> Iterator[ContinuationSummary | None]:
    yield from (chosen.summary, chosen.held_out)


def _means(chosen: Chosen, group: str) -> Iterator[Estimate]:
    for summary in _both(chosen):
        known = summary is not None and group in summary.groups
        yield summary.groups[group].mean if summary is not None and known else Estimate(None)


def _names(chosen: Chosen) -> TableCell:
    return TableCell(", ".join(chosen.structures))


def _turns(one: ShownStructures, pair: Pair) -> bool:
    """Whether the highest difference is above zero and the lowest below it."""
    if one.found.ends is None:
        return False
    high, low = (one.difference(chosen.summary, pair).value or 0.0 for chosen in one.found.ends.gaps[pair])
    return high > 0 > low
