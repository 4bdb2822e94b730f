"""The first part of the report: which conclusions hold under other choices."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tiltmeter.files import whole_file, write_csv
from tiltmeter.report.cells import Table
from tiltmeter.report.drawn import Drawn, by_file, draw, write_figures
from tiltmeter.report.figures.specification import SpecificationCell, SpecificationKey, specification
from tiltmeter.report.multiverse_words import (
    SpreadRow,
    curve_words,
    flip_sentences,
    sentence_on_test,
    spread_rows,
    verdict_table,
    without_sentences,
)
from tiltmeter.report.words import SPACE
from tiltmeter.results.findings.findings import Finding, Findings
from tiltmeter.results.findings.questions import Question
from tiltmeter.stats.cells import CellResult
from tiltmeter.stats.verdict import FEWEST_CELLS
from tiltmeter.views import FACTS

_DRAWN = 240
"""Cells in a figure; of more, so many from the lowest to the highest."""
_OPEN = 3
"""Questions that are shown at once; the others open when they are asked for."""


@dataclass(frozen=True, slots=True)
class AnswerView:
    """What the page says to one question."""

    title: str
    question: str
    strength: str
    sentence: str
    caution: str
    test: str
    figure: Drawn
    spread: tuple[SpreadRow, ...]
    flips: tuple[str, ...]
    notes: tuple[str, ...]
    opened: bool


@dataclass(frozen=True, slots=True)
class MultiverseView:
    """The verdicts of all questions, and what is behind them; nothing where there was nothing to ask."""

    verdicts: Table | None
    shown: tuple[AnswerView, ...]
    short: tuple[tuple[str, str], ...]
    """Questions with too few cells for a curve, and the sentence on each."""
    left_out: int

    @property
    def figures(self) -> list[Drawn]:
        """Every figure, in the order of the page."""
        return [one.figure for one in self.shown]


def multiverse_view(found: Findings, label: Callable[[str], str]) -> MultiverseView:
    """The part of the page; `label` is what a bias is called there."""
    titled = with_titles(found.findings, label)
    curved = [(title, one) for title, one in titled if one.verdict.of >= FEWEST_CELLS]
    return MultiverseView(
        verdict_table(titled) if len(titled) > 1 else None,
        tuple(_view(title, one, opened=number < _OPEN) for number, (title, one) in enumerate(curved)),
        tuple(
            (title, " ".join((one.verdict.sentence, *without_sentences(one))))
            for title, one in titled
            if one.verdict.of < FEWEST_CELLS
        ),
        found.left_out,
    )


def with_titles(answers: Sequence[Finding], label: Callable[[str], str]) -> list[tuple[str, Finding]]:
    """Answers, each with what it is called among the others."""
    several = len({one.question.model for one in answers}) > 1
    titles = [_title(one, label, several) for one in answers]
    # Of more than two groups every pair is a question.
    return [
        (
            f"{title}: {one.question.first}, {one.question.second}"
            if one.question.first and titles.count(title) > 1
            else title,
            one,
        )
        for title, one in zip(titles, answers, strict=True)
    ]


def write_multiverse(answers: Sequence[Finding], folder: Path) -> None:
    """Write answers as JSON, their cells as one table, and the curves as figures."""
    with whole_file(folder / "multiverse.json") as file:
        json.dump({"answers": [one.as_json() for one in answers]}, file, ensure_ascii=False, indent=1, allow_nan=False)
        file.write("\n")
    rows = [row for one in answers for row in _rows(one)]
    choices = list(dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS))
    write_csv(folder / "cells.csv", [*_ASKED, *choices, *_FIGURES], rows)
    drawn = [_figure(one) for one in answers if one.verdict.of >= FEWEST_CELLS]
    write_figures(by_file(drawn), folder / "figures")


_ASKED = ("model", "view", "bias", "first", "second", "beyond_habit", "by_stereotype")
_FIGURES = (
    *("value", "low", "high", "effect", "effect_low", "effect_high", "sign"),
    *("p", "p_adjusted", "p_holm", "n", "n_unscored", "origins", "note"),
)
_COLUMNS = (*_ASKED, *_FIGURES)


def _rows(one: Finding) -> Iterator[Mapping[str, object]]:
    """The cells of an answer, from the lowest effect to the highest."""
    question = one.question
    for cell in one.multiverse.curve.cells:
        raw, effect = cell.raw, cell.effect
        yield {
            # A choice may not take the place of a column.
            **{name: setting for name, setting in cell.choices.items() if name not in _COLUMNS},
            "model": question.model,
            "view": question.view,
            "bias": question.bias,
            "first": question.first,
            "second": question.second,
            "beyond_habit": int(question.beyond_habit),
            "by_stereotype": int(question.by_stereotype),
            "value": raw.value,
            "low": raw.low,
            "high": raw.high,
            "effect": effect.value,
            "effect_low": effect.low,
            "effect_high": effect.high,
            "sign": cell.sign,
            "p": raw.p,
            "p_adjusted": raw.p_adjusted,
            "p_holm": cell.p_holm,
            "n": raw.n,
            "n_unscored": raw.n_unscored,
            "origins": raw.origins,
            "note": cell.without or effect.note or raw.note,
        }


def _title(one: Finding, label: Callable[[str], str], several: bool) -> str:
    title = FACTS[one.question.view].title
    name = label(one.question.bias)
    by_stereotype = " by stereotype" if one.question.by_stereotype else ""
    title = f"{name[:1].upper()}{name[1:]}, {title[:1].lower()}{title[1:]}{by_stereotype}"
    return f"{one.question.model}: {title}" if several else title


def _view(title: str, one: Finding, *, opened: bool) -> AnswerView:
    notes = [f"{note[0].upper()}{note[1:]}." for note in one.multiverse.decomposition.notes]
    return AnswerView(
        title=title,
        question=one.question.text,
        strength=one.verdict.words,
        sentence=one.verdict.sentence,
        caution=one.caution,
        test=sentence_on_test(one),
        figure=_figure(one),
        spread=tuple(spread_rows(one)),
        flips=tuple(flip_sentences(one.multiverse.flips)),
        notes=(*without_sentences(one), *notes),
        opened=opened,
    )


def _figure(one: Finding) -> Drawn:
    valued = [cell for cell in one.multiverse.curve.cells if cell.sign is not None]
    shown = _thinned(valued)
    cells = [
        SpecificationCell(
            cell.sign or 0,
            cell.conclusion != "not significant",
            cell.choices,
            cell.effect.value,
            cell.effect.low,
            cell.effect.high,
        )
        for cell in shown
    ]
    question = one.question
    key = SpecificationKey(
        above=question.claim(),
        below=question.claim(turned=True),
        firm="significant after correction",
        open="not significant",
    )
    caption = curve_caption(question, valued, len(shown))
    kind = "stereotype" if question.by_stereotype else "habit" if question.beyond_habit else ""
    name = " ".join(("curve", kind, question.model, question.view, question.bias, question.first, question.second))
    return draw(name, partial(specification, cells, settings_of(valued), key), curve_words(one, len(valued)), caption)


def curve_caption(question: Question, cells: Sequence[CellResult], drawn: int) -> str:
    """How a specification curve is read."""
    fewer = f" Of {len(cells):,} cells {drawn} are drawn, evenly spaced." if drawn < len(cells) else ""
    return (
        "Each cell is one combination of the choices marked below it, in the order of effect. Effects are in standard "
        f"deviations of the items{_over(question, cells)}.{fewer}"
    )


def _over(question: Question, cells: Sequence[CellResult]) -> str:
    """What intervals are uncertain over, where there are some."""
    ways = {cell.both_ways for cell in cells if cell.effect.low is not None}
    if not ways:
        return ", without intervals"
    over = "origins"
    if question.view == "next words":
        over = "attributes" if question.of_stereotypes else "professions"
    over += "" if True not in ways else " and templates" if ways == {True} else ", in some cells and templates"
    return f", with 95{SPACE}% intervals over {over}"


def _thinned(cells: Sequence[CellResult]) -> list[CellResult]:
    """At most so many cells as fit, the first and the last among them."""
    if len(cells) <= _DRAWN:
        return list(cells)
    last = len(cells) - 1
    return [cells[round(place * last / (_DRAWN - 1))] for place in range(_DRAWN)]


def settings_of(cells: Sequence[CellResult]) -> list[tuple[str, list[str]]]:
    """The choices that vary, with their settings: numbers by their size, others by name."""
    names = dict.fromkeys(name for cell in cells for name in cell.choices)
    found = []
    for name in names:
        settings = {cell.choices[name] for cell in cells if name in cell.choices}
        if len(settings) > 1 or any(name not in cell.choices for cell in cells):
            found.append((name, sorted(settings, key=_by_size)))
    return found


def _by_size(setting: str) -> tuple[float, str]:
    try:
        return float(setting), setting
    except ValueError:
        return float("inf"), setting
