"""What the models write about each group: settings by raters, curves, groups, refusals, situations."""

from __future__ import annotations

from collections.abc import Iterator

from tiltmeter.present.blocks import Block, Chart, Notice, Prose, Section, text
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.texts.apart import apart_sections
from tiltmeter.present.sections.texts.by_rater import board_blocks, board_title
from tiltmeter.present.sections.texts.curves import decoding_curves, highest_curves, reference_curves, sample_curves
from tiltmeter.present.sections.texts.groups import group_sections
from tiltmeter.present.sections.texts.of_run import RunTexts, texts_of, titled
from tiltmeter.present.sections.texts.situations import situation_sections
from tiltmeter.present.sections.texts.words import word_sections
from tiltmeter.present.words import count, listed
from tiltmeter.results.summary.by_rater import Board
from tiltmeter.results.summary.text_records import SizeCurve, kind_of

_OPEN = 3
"""Boards that are open from the beginning; of more, the first is."""


def texts(found: Reported) -> list[Section]:
    """One section for each run whose models wrote texts."""
    return [
        Section(
            titled("What the model writes about each group", one),
            tuple(_blocks(one)),
            anchor=f"texts-{number}" if number else "texts",
            about={"view": "continuations"},
        )
        for number, one in enumerate(texts_of(found))
    ]


def _blocks(texts: RunTexts) -> Iterator[Block]:
    yield Prose(
        text(
            f"{'The model' if len(texts.kept.models) == 1 else 'Each model'} continued prompts about each group, and "
            "raters rated the texts. A method is a combination of prompts, decoding and rater. A difference that "
            "appears in one method only says something about that method."
        )
    )
    yield from map(Notice, map(text, notices(texts)))
    boards = texts.boards
    if not boards and not texts.summary.situations:
        yield Prose(text("No text has a rating yet."))
    for number, board in enumerate(boards):
        first = all((one.model, one.bias) != (board.model, board.bias) for one in boards[:number])
        folded = None if len(boards) <= _OPEN else bool(number)
        about = {"model": board.model, "view": "continuations", "bias": board.bias}
        beside = _against_one(board, boards)
        blocks = tuple(_board(board, texts, first=first, curves=first or not beside))
        yield Section(board_title(board, texts), blocks, folded=folded, about=about)
        if beside and board == beside[-1]:
            charts = tuple(reference_curves(beside, texts))
            title = f"Every group against {texts.group(board.b, board.bias)}"
            several = len({one.model for one in boards}) > 1
            named = f"{board.model}, {texts.names.bias(board.bias)}: {title}" if several else title
            if charts:
                yield Section(named, charts, folded=True, about=about)
    yield from situation_sections(texts)
    by_bias: dict[tuple[str, str], list[SizeCurve]] = {}
    for curve in texts.summary.sizes:
        by_bias.setdefault((curve.cell.model, curve.cell.bias), []).append(curve)
    samples = tuple(chart for curves in by_bias.values() for chart in sample_curves(curves, texts))
    if samples:
        yield Section("Would fewer samples have shown the same?", samples, folded=True)
    yield from group_sections(texts)
    yield from apart_sections(texts)
    yield from word_sections(texts)


def _against_one(board: Board, boards: list[Board]) -> list[Board]:
    """The boards of several groups that are all compared with the same one; none where there is one such board."""
    own = [one for one in boards if (one.model, one.bias, one.b) == (board.model, board.bias, board.b) and one.b]
    whole = own == [one for one in boards if (one.model, one.bias) == (board.model, board.bias)]
    return own if whole and len(own) > 1 else []


def _board(board: Board, texts: RunTexts, *, first: bool, curves: bool) -> Iterator[Block]:
    """A board with its curves; of several groups against one, the first has its own, and all are in one chart."""
    yield from board_blocks(board, texts)
    if curves:
        # The curves over k show all groups, so they appear once for each bias.
        drawn: list[Chart] = [*decoding_curves(board, texts), *highest_curves(board, texts, groups=first)]
        if drawn:
            yield Section("How it changes with the decoding, and with the texts that count", tuple(drawn), folded=True)


def notices(texts: RunTexts) -> Iterator[str]:
    """What is not finished, and what raters could not be kept from seeing."""
    # A model may be recorded under another name than the study's, so the count decides.
    missing = texts.run.meta["resolved"]["models"][len(texts.kept.models) :]
    if missing:
        yield f"{listed(missing)} wrote nothing: the run is not finished, or the model cannot write."
    if not texts.run.meta.get("all_rated", True):
        yield "Not all texts are rated yet: the run is not finished, and figures may change."
    prompts = [prompt for prompt in texts.kept.prompts if prompt.group]
    bare = sum(not prompt.group_spans and not prompt.term for prompt in prompts)
    if bare and any(kind_of(cell.rater) == "regard" for cell in texts.summary.cells):
        yield (
            f"Raters of regard read texts with the group masked, but {bare:,} of {count(len(prompts), 'prompt')} do "
            "not say which words name the group (a column `term` would). These were read unmasked, so the figures hold "
            "the rater’s own view of the group."
        )
