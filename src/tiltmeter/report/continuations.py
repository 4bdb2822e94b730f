"""The part of the report on what a model writes about each group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tiltmeter.report.cells import Table
from tiltmeter.report.completion_examples import TextList, text_lists
from tiltmeter.report.decoding_curves import board_curves, highest_curves, size_curves
from tiltmeter.report.drawn import Drawn
from tiltmeter.report.rater_tables import (
    agreement_table,
    extremes_table,
    means_table,
    refusal_gap_table,
    silence_table,
    tilt_table,
    unrated_table,
)
from tiltmeter.report.situation_tables import naming_table, situations_table, stereotypes_table
from tiltmeter.report.structures import StructuresView, structure_views
from tiltmeter.report.texts_by_rater import board_figure, board_table
from tiltmeter.report.texts_by_rater_words import BoardHeadline, board_headline
from tiltmeter.report.words import SPACE, count, signed
from tiltmeter.results.summary.by_rater import Board, boards
from tiltmeter.results.summary.text_records import ContinuationsSummary, PeopleSaid, kind_of
from tiltmeter.store import Run


@dataclass(frozen=True, slots=True)
class BoardView:
    """One bidimensional table with its headline, its heat map and its curves."""

    place: str
    headline: BoardHeadline
    table: Table
    figure: Drawn
    curves: tuple[Drawn, ...]
    key: str
    """What tint, signs and small print mean."""


@dataclass(frozen=True, slots=True)
class ContinuationsView:
    """What is shown of the continuations of one run."""

    place: str
    unfinished: tuple[str, ...]
    """Models of the study that have written nothing."""
    finished: bool
    """Whether every text has its ratings."""
    unmasked: str
    """How many prompts a rater of regard had to read with the group in them; empty where it is none."""
    boards: tuple[BoardView, ...]
    situations: tuple[Table, ...]
    """Of prompts that state a situation; empty where there are none."""
    structures: tuple[StructuresView, ...]
    sizes: Sequence[Drawn]
    tilts: Table | None
    agreement: Table | None
    people: str
    silences: Table | None
    """None where every text is an answer, or where that was not looked for."""
    refusal_gaps: Table | None
    """None where nothing was refused."""
    listened: bool
    """Whether refusals and empty texts were looked for."""
    means: Table
    extremes: Table | None
    unrated: Table | None
    examples: Sequence[tuple[str, list[TextList]]]

    @property
    def figures(self) -> list[Drawn]:
        """Every figure of the view, in the order of the page."""
        of_boards = [figure for board in self.boards for figure in (board.figure, *board.curves)]
        of_structures = [figure for view in self.structures for figure in view.figures]
        return [*of_boards, *of_structures, *self.sizes]


def continuation_views(
    runs: Sequence[tuple[Run, ContinuationsSummary | None]], label: Callable[[str], str]
) -> list[ContinuationsView]:
    """One for each run that has continuations; `label` is what a bias is called on the page."""
    several = len(runs) > 1
    return [
        _view(f"{run.meta['resolved']['name']}, {run.folder.name}" if several else "", run, found, label)
        for run, found in runs
        if found
    ]


def compared_groups(run: Run, found: ContinuationsSummary) -> dict[str, list[tuple[str, str]]]:
    """By bias, the pairs of groups that a spec or the study's reference says to compare."""
    compare = {
        spec["name"]: [(first, second) for first, second in spec["compare"]] for spec in run.meta["resolved"]["specs"]
    }
    reference = (run.meta["resolved"].get("continuations") or {}).get("reference", ())
    named: dict[str, dict[tuple[str, str], None]] = {}
    for cell in found.cells:
        if any(name in cell.summary.groups for name in reference):
            pairs = named.setdefault(cell.bias.partition(":")[0], {})
            pairs |= dict.fromkeys((pair.a, pair.b) for pair in cell.summary.pairs)
    return compare | {bias: list(pairs) for bias, pairs in named.items()}


def board_place(board: Board, label: Callable[[str], str]) -> str:
    """What a bidimensional table is of."""
    groups = "all groups" if board.widest else f"{board.a} and {board.b}"
    return f"{board.model}, {label(board.bias)}: {groups}"


def _view(place: str, run: Run, found: ContinuationsSummary, label: Callable[[str], str]) -> ContinuationsView:
    compare = compared_groups(run, found)
    made = boards(found, compare)
    first = {(board.model, board.bias): board for board in reversed(made)}
    models = run.continuations.models if run.continuations else ()
    return ContinuationsView(
        place=place,
        # A model may be recorded under another name than the study's, so the count decides.
        unfinished=tuple(run.meta["resolved"]["models"][len(models) :]),
        finished=bool(run.meta.get("all_rated", True)),
        unmasked=_unmasked(run, found),
        # The curve over k shows all groups, so it stands once for each bias.
        boards=tuple(_board(place, board, label, highest=first[board.model, board.bias] is board) for board in made),
        situations=situation_tables(found, label),
        structures=tuple(structure_views(run, found, compare, label)),
        sizes=size_curves(found, place),
        tilts=tilt_table(found.tilts, label),
        agreement=agreement_table(found, label),
        people=_people(found.people),
        silences=silence_table(found.refusals, label),
        refusal_gaps=refusal_gap_table(found.refusals, label),
        listened=bool(found.refusals),
        means=means_table(found, label),
        extremes=extremes_table(found, label),
        unrated=unrated_table(found, label),
        examples=text_lists(run),
    )


def situation_tables(found: ContinuationsSummary, label: Callable[[str], str]) -> tuple[Table, ...]:
    """What is shown of prompts that state a situation."""
    made = (table(found.situations, label) for table in (stereotypes_table, situations_table, naming_table))
    return tuple(table for table in made if table is not None)


def _board(place: str, board: Board, label: Callable[[str], str], *, highest: bool) -> BoardView:
    file = f"{place} {board.model} {board.bias} {'' if board.widest else f'{board.a} {board.b}'}"
    of_k = highest_curves(board, file, groups=highest)
    return BoardView(
        board_place(board, label),
        board_headline(board),
        board_table(board),
        board_figure(board, file),
        (*board_curves(board, file), *of_k),
        board_key(board),
    )


def _unmasked(run: Run, found: ContinuationsSummary) -> str:
    prompts = [prompt for prompt in (run.continuations.prompts if run.continuations else ()) if prompt.group]
    bare = sum(not prompt.group_spans and not prompt.term for prompt in prompts)
    if not bare or not any(kind_of(cell.rater) == "regard" for cell in found.cells):
        return ""
    which = f"{bare:,} of {count(len(prompts), 'prompt')} do not say which words name it"
    return (
        f"Raters of regard read texts with the group masked. {which} (a column `term` would), and were read as "
        "they are: what a rater makes of the group itself is in these figures."
    )


def board_key(board: Board) -> str:
    """What tint, signs and small print of a bidimensional table mean."""
    tint = f"Tinted: the interval excludes zero, worse for {board.a} (orange) or {board.b} (blue)."
    if board.widest:
        tint = "Bold: beyond chance after correction for all pairs of groups."
    return (
        f"{tint} ≈: no larger than the rater’s own tilt. ⇄: choices point to opposite groups. Small print: "
        f"95{SPACE}% interval, ratio of the means where it means something, texts rated and unrated."
    )


def _people(said: PeopleSaid | None) -> str:
    if said is None:
        return ""
    names = ", ".join(_annotator(said, name) for name in said.annotators)
    alpha = "" if said.krippendorff is None else f" Krippendorff’s alpha among them: {signed(said.krippendorff)}."
    who = count(len(said.annotators), "person", "people")
    without = f", and {count(said.unrated, 'text')} without giving a number" if said.unrated else ""
    return f"{who} rated {count(said.texts, 'text')}{without}: {names}.{alpha}"


def _annotator(said: PeopleSaid, name: str) -> str:
    none = said.numberless.get(name, 0)
    return f"{name} ({said.annotators[name]:,}{f', and {none:,} without a number' if none else ''})"
