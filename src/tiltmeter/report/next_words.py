"""The part of the report on whom a model expects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiltmeter.report.cells import Table
from tiltmeter.report.drawn import Drawn
from tiltmeter.report.next_word_choices import choice_words, choices_table, pairs_table, unscored_table
from tiltmeter.report.next_word_figures import (
    habit_figure,
    histogram_figure,
    labour_figure,
    labour_words,
    perturbation_figure,
)
from tiltmeter.report.next_word_readings import ReadingGroup, reading_groups, words_of_group
from tiltmeter.report.next_word_tables import (
    absolute_table,
    certainty_table,
    distance_table,
    habit_table,
    labour_table,
    profession_reasons,
    profession_table,
    prompts_table,
    saliency_table,
    share_table,
    template_table,
)
from tiltmeter.report.next_word_words import NextWordHeadline, next_word_headline
from tiltmeter.report.saliency_pictures import SaliencyPicture, saliency_pictures
from tiltmeter.report.series import Series


@dataclass(frozen=True, slots=True)
class PromptTables:
    """What there is to say of prompts about somebody; a study may ask for the model's habit alone."""

    prompts: Table
    authored: bool
    """Whether some prompts were written for the test."""
    perturbations: Drawn
    distance: Table
    histograms: Drawn
    absolute: Table
    share: Table
    saliency: Table | None
    certainty: Table | None
    templates: Table | None
    professions: tuple[tuple[Table, str], ...]
    """With the reasons why there are no intervals."""


@dataclass(frozen=True, slots=True)
class NextWordsView:
    """What is shown of one bias with one set of words."""

    title: str
    groups: str
    """The groups with their words."""
    unfinished: tuple[str, ...]
    headlines: tuple[NextWordHeadline, ...]
    asked: PromptTables | None
    pictures: tuple[tuple[str, list[SaliencyPicture]], ...]
    habit: Table | None
    habit_figure: Drawn | None
    labour: Table | None
    labour_figure: Drawn | None
    labour_sentences: tuple[str, ...]
    choices: Table | None
    pairs: Table
    unscored: Table | None
    notes: tuple[tuple[str, str], ...]
    """Where, and what is to be known of the estimates there."""

    @property
    def figures(self) -> list[Drawn]:
        """Every figure, in the order of the page."""
        asked = (self.asked.perturbations, self.asked.histograms) if self.asked else ()
        return [figure for figure in (*asked, self.habit_figure, self.labour_figure) if figure]


def next_word_views(series: Sequence[Series], label: Callable[[str], str]) -> list[NextWordsView]:
    """One for each bias and set of words that leads; `label` is what a bias is called on the page."""
    groups = reading_groups(series)
    return [_view(group, label, alone=len(groups) == 1) for group in groups]


def _view(group: ReadingGroup, label: Callable[[str], str], *, alone: bool) -> NextWordsView:
    place = "" if alone else f"{group.bias} {group.words}"
    first = group.every[0].cell
    several = len(group.labels) > 1
    return NextWordsView(
        title="" if alone else f"{label(group.bias)}, words {group.words}",
        groups="; ".join(f"{name}: {words_of_group(first, name)}" for name, _ in group.sets),
        unfinished=tuple(dict.fromkeys(one.label for one in group.every if one.unfinished)),
        headlines=tuple(next_word_headline(group, name) for name in group.labels),
        asked=_asked(group, place) if group.of_prompts else None,
        pictures=tuple(
            (f"{one.cell.source}, {one.label}" if several else one.cell.source, pictures)
            for one in group.of_prompts
            if (pictures := saliency_pictures(one))
        ),
        habit=habit_table(group),
        habit_figure=habit_figure(group, place) if group.of_habit else None,
        labour=labour_table(group),
        labour_figure=labour_figure(group, place),
        labour_sentences=tuple(
            f"{one.cell.source}{f', {one.label}' if several else ''}: {labour_words(one.cell.summary.labour)}"
            for one in group.of_prompts
            if one.cell.summary.labour
        ),
        choices=choices_table(group),
        pairs=pairs_table(group),
        unscored=unscored_table(group),
        notes=tuple(_notes(group)),
    )


def _asked(group: ReadingGroup, place: str) -> PromptTables:
    found = [(profession_table(group, one), profession_reasons(one)) for one in group.of_prompts]
    return PromptTables(
        prompts_table(group),
        any(one.statuses.get("authored") for one in group.of_prompts),
        perturbation_figure(group, place),
        distance_table(group),
        histogram_figure(group, place),
        absolute_table(group),
        share_table(group),
        saliency_table(group),
        certainty_table(group),
        template_table(group),
        tuple((table, reasons) for table, reasons in found if table),
    )


def _notes(group: ReadingGroup) -> list[tuple[str, str]]:
    """The notes of every summary, those that several choices share once."""
    made: dict[tuple[str, str], list[str]] = {}
    for one in group.every:
        for cell in (one.cell, *one.others):
            # What is unscored stands in a table of its own.
            for note in (each for each in cell.summary.notes if " prompts unscored: " not in each):
                made.setdefault((f"{one.label}, {one.cell.source}", note), []).append(choice_words(cell, group.every))
    return [(f"{place}, {'; '.join(dict.fromkeys(choices))}", note) for (place, note), choices in made.items()]
