"""What a model expects of occupations beside who works in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.present.blocks import Block, Chart, Prose, Section, Table, TableCell, text
from tiltmeter.present.charts import Axis, Guides, ScatterPoint, scatter
from tiltmeter.present.sections.asked import Asked, Topic
from tiltmeter.present.tables import Cell, Label, number_cell, numbers, table
from tiltmeter.present.words import capitalised, count, percent, points_words, signed
from tiltmeter.records import Estimate
from tiltmeter.stats.estimates import scaled

_FEWEST_POINTS = 3
"""With fewer occupations than this a chart shows nothing that their number does not."""


def labour(topic: Topic) -> Iterator[Section]:
    """Whether a model follows labour statistics, and whether it is above or below them."""
    compared = [one for one in topic.prompts if one.cell.summary.labour]
    blocks: list[Block] = []
    for one in compared:
        where = f"{topic.title(one)}: " if len(compared) > 1 else ""
        blocks.append(Prose(text(f"{where}{_counted(_of(one))} {_follows(_of(one))}")))
        blocks += [_chart(topic, one)] if len(_points(one)) >= _FEWEST_POINTS else []
    blocks += filter(None, [_table(topic, compared)])
    if blocks:
        note = (
            "To follow the statistics of one country and year is not to be fair: it repeats who works there now. Test "
            "words without a match are left out."
        )
        yield Section("Compared with labour statistics", (*blocks, Prose(text(note), "note")))


def _of(one: Asked) -> Mapping[str, Any]:
    found = one.cell.summary.labour
    assert found is not None
    return found


def _points(one: Asked) -> list[Mapping[str, Any]]:
    return [line for line in _of(one)["matched"] if line["model"] is not None]


def _figure(found: Mapping[str, Any], name: str) -> Estimate:
    return Estimate(**found[name], note=found["notes"].get(name))


def _chart(topic: Topic, one: Asked) -> Chart:
    found = _of(one)
    group = topic.group(found["group"])
    points = [
        ScatterPoint(
            line["world"],
            line["model"],
            line["profession"],
            tip=f"{line['profession']}\nstatistics {percent(line['world'])}, model {percent(line['model'])}",
            place=one.place(origin=line["profession"]),
        )
        for line in _points(one)
    ]
    whole = (0.0, 1.0)
    across, upward = (
        Axis(f"share of {group} {where}", "share", ends=whole) for where in ("in the statistics", "by the model")
    )
    slope = None if found["intercept"] is None else found["slope"]["value"]
    said = _level(found, group)
    return Chart(
        topic.file("labour", one.label, one.cell.source),
        f"{topic.title(one)}: {said}" if len(topic.prompts) > 1 else capitalised(said),
        scatter(points, across, upward, Guides(diagonal=True, slope=slope, intercept=found["intercept"] or 0.0)),
        f"Share of {group} by occupation, model against statistics. {_follows(found)}",
        text(f"Above the diagonal, the model expects {group} more often than they work there."),
    )


def _level(found: Mapping[str, Any], group: str) -> str:
    above = _figure(found, "above")
    if above.value is None:
        return f"no share of {group} to compare"
    if above.low is None or above.high is None:
        return f"the model is {points_words(above)} off the statistics, without an interval"
    if above.low <= 0 <= above.high:
        return f"the model is neither clearly above nor below the statistics ({points_words(above)})"
    often = "more" if above.low > 0 else "less"
    return f"the model expects {group} {often} often than they work there ({points_words(above)})"


def _counted(found: Mapping[str, Any]) -> str:
    matched = len(found["matched"])
    total = matched + len(found["unmatched"]) + len(found["without_figure"])
    return f"{matched:,} of {count(total, 'test word')} {'is' if matched == 1 else 'are'} in the statistics."


def _follows(found: Mapping[str, Any]) -> str:
    spearman, slope = _figure(found, "spearman"), _figure(found, "slope")
    if spearman.value is None:
        return "There are too few for a correlation."
    steep = "" if slope.value is None else f"; slope {_number(slope)}"
    figures = f"(rank correlation {_number(spearman)}{steep})"
    if spearman.low is None or spearman.high is None:
        return f"There are too few to say whether the model's order follows the statistics {figures}."
    if spearman.low > 0:
        return f"The model's order follows the statistics {figures}."
    if spearman.high < 0:
        return f"The model's order is the reverse of the statistics {figures}."
    return f"The model's order does not clearly follow the statistics {figures}."


def _number(found: Estimate) -> str:
    interval = "" if found.low is None else f", {signed(found.low)} to {signed(found.high)}"
    return f"{signed(found.value)}{interval}"


def _table(topic: Topic, compared: list[Asked]) -> Table | None:
    rows: list[tuple[Cell, ...]] = []
    for one in compared:
        found = _of(one)
        missing = len(found["unmatched"]) + len(found["without_figure"])
        matched = len(found["matched"])
        rows.append(
            (
                topic.heading(one),
                TableCell(f"{matched:,}", f"{count(missing, 'test word')} not", str(matched)),
                *(number_cell(_figure(found, name)) for name in ("spearman", "pearson", "slope")),
                number_cell(scaled(_figure(found, "above"), 100), 1),
            )
        )
    columns: tuple[Label, ...] = (
        topic.first_column,
        *numbers("In the statistics", "Spearman", "Pearson", "Slope", "Model − statistics"),
    )
    of = topic.group(_of(compared[0])["group"]) if compared else ""
    return table(f"The model's share of {of} beside the statistics; the last column in points", columns, rows)
