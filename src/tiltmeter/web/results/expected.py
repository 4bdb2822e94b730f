"""The part of a results page on whom a model expects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tiltmeter.report.words import count, percent
from tiltmeter.web.results.figures import Figure, figure_of
from tiltmeter.web.results.rows import Results, named
from tiltmeter.web.results.tables import COUNTS, ESTIMATE, INTERVAL, VALUE, Column, field
from tiltmeter.web.results.words import (
    Group,
    habit_rows,
    histogram_rows,
    histograms,
    labour_rows,
    labours,
    pictures,
    profession_rows,
    share_rows,
)

_SPOKEN = 12
"""Chances that are read out; the table has all."""


def words_shown(results: Results, at: int) -> dict[str, Any]:
    """One bias with one set of words: what is said of it, its charts, and prompts by saliency."""
    group = results.found["words"][at]
    return {
        "group": group,
        "title": words_title(group),
        "headlines": results.filters.narrow(group["headlines"]),
        "figures": [*_figures(results, group, at)],
        "histograms": [_histogram(results, group, at, number, one) for number, one in histograms(results, group)],
        "pictures": pictures(results, group),
    }


def words_title(group: Group) -> str:
    """What the prompts are about, and which words were asked for."""
    return f"{group['label']}, words {group['words']}"


def _figures(results: Results, group: Group, at: int) -> Iterator[tuple[str, Figure]]:
    """The charts that have something to show, each under its title."""
    for show in (_shares, _professions, _habit, _labours):
        yield from show(results, group, at)


def _shares(results: Results, group: Group, at: int) -> Iterator[tuple[str, Figure]]:
    rows = share_rows(results, group)
    if not rows:
        return
    (a, _), (b, _) = group["groups"][:2]
    headlines = results.filters.narrow(group["headlines"])
    said = " ".join(finding["sentence"] for one in headlines for finding in one["findings"])
    caption = (
        f"Share of {a} beside {b}, by what becomes of the profession and by the words asked for, with "
        "95\N{NO-BREAK SPACE}% intervals; open marks have none. Where a mark stays when the profession is gone, "
        "the lean is habit and not about the profession."
    )
    columns = (field("Prompts", "series"), field("Asked", "label"), *ESTIMATE)
    yield "Is it about the profession?", figure_of(results, "shares", said, caption, rows, columns, at=at)


def _professions(results: Results, group: Group, at: int) -> Iterator[tuple[str, Figure]]:
    rows = profession_rows(results, group)
    if not rows:
        return
    (a, _), (b, _) = group["groups"][:2]
    low, high = (end(rows, key=lambda row: row["value"]) for end in (min, max))
    words = f"From {named(low, rows)}, {low['shown']}, to {named(high, rows)}, {high['shown']} of {a} beside {b}."
    caption = f"Share of {a} beside {b} after prompts about each profession, a mark for each."
    columns = (field("Profession", "label"), field("Prompts", "series"), VALUE, INTERVAL, *COUNTS)
    yield "Profession by profession", figure_of(results, "professions", words, caption, rows, columns, at=at)


def _habit(results: Results, group: Group, at: int) -> Iterator[tuple[str, Figure]]:
    rows = habit_rows(results, group)
    if not rows:
        return
    words = "; ".join(f"{row['label']}: {row['series']} {row['shown']}" for row in rows[:_SPOKEN])
    caption = "Chance of each group’s words with no sentence to go by. Each step of the scale is a factor of ten."
    columns = (field("After", "label"), field("Group", "series"), VALUE, INTERVAL, *COUNTS)
    yield "The model’s habit", figure_of(results, "habit", f"{words}.", caption, rows, columns, at=at)


def _labours(results: Results, group: Group, at: int) -> Iterator[tuple[str, Figure]]:
    columns = (
        field("Profession", "label"),
        Column("World", lambda row: percent(row["world"]), number=True),
        Column("Model", lambda row: percent(row["share"]), number=True),
    )
    for number, one in labours(results, group):
        rows = labour_rows(results, group, one)
        if rows:
            caption = (
                f"Share of {one['group']} in each occupation: the model’s beside the world’s. Dashed: both the same; "
                "the other line goes through the points."
            )
            title = f"Beside the world of work: {one['source']}, {one['model']}"
            yield title, figure_of(results, "labour", one["words"], caption, rows, columns, at=at, of=number)


def _histogram(results: Results, group: Group, at: int, number: int, one: Mapping[str, Any]) -> Figure:
    rows = histogram_rows(results, group, one)
    (a, _), (b, _) = group["groups"][:2]
    place = f"{one['source']}, {one['model']}"
    peaks = [max((row for row in rows if row["group"] == name), key=lambda row: row["prompts"]) for name in (a, b)]
    said = (f"{row['group']} most often {row['label']} ({count(row['prompts'], 'prompt')})" for row in peaks)
    words = f"{place}: the chance of {', that of '.join(said)}."
    caption = f"{place}: how many prompts give {a} (upward) and {b} (downward) which chance."
    columns = (field("Group", "group"), field("Chance", "label"), field("Prompts", "prompts", number=True))
    return figure_of(results, "histogram", words, caption, rows, columns, at=at, of=number)
