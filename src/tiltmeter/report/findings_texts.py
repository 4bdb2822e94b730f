"""The findings on what models write: boards, groups, structures of prompts, and how far raters agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tiltmeter.records import Decoding, Structure
from tiltmeter.report.cells import Table
from tiltmeter.report.continuations import compared_groups, situation_tables
from tiltmeter.report.decodings import row_words
from tiltmeter.report.rater_tables import agreement_table, refusal_gap_table, silence_table, tilt_table, unrated_table
from tiltmeter.report.structures import kept_sentence, shown_pairs, structure_basis
from tiltmeter.report.texts_by_rater import FULL, board_caption
from tiltmeter.report.texts_by_rater_words import board_headline
from tiltmeter.results.summary.by_rater import Board, boards
from tiltmeter.results.summary.structures import structures_of
from tiltmeter.results.summary.text_records import ContinuationCell, ContinuationsSummary, favour
from tiltmeter.stats.structures import StructureSummary
from tiltmeter.store import Run

Label = Callable[[str], str]


def texts_found(run: Run, found: ContinuationsSummary | None, label: Label) -> dict[str, Any] | None:
    """Everything on what models write; None where the run has no such view."""
    if found is None or run.continuations is None:
        return None
    decodings = run.continuations.decodings
    compare = compared_groups(run, found)
    return {
        "boards": [_board(board, label, decodings) for board in boards(found, compare)],
        "full": FULL,
        "groups": [row for cell in found.cells for row in _groups(cell, decodings)],
        "structures": _structures(run, found, compare, decodings),
        "agreement": [
            {**one.as_json(), "first": one.first, "second": one.second, "note": one.rank_correlation.note}
            for one in found.agreement
        ],
        "situations": [cell.as_json() for cell in found.situations],
        "refusals": [one.as_json() for one in found.refusals],
        "tables": [
            asdict(table)
            for table in (
                *situation_tables(found, label),
                agreement_table(found, label),
                tilt_table(found.tilts, label),
                silence_table(found.refusals, label),
                refusal_gap_table(found.refusals, label),
                unrated_table(found, label),
            )
            if isinstance(table, Table)
        ],
    }


def _board(board: Board, label: Label, decodings: Sequence[Decoding]) -> dict[str, Any]:
    headline = board_headline(board)
    return {
        "model": board.model,
        "bias": board.bias,
        "label": label(board.bias),
        "a": board.a,
        "b": board.b,
        "sentence": headline.sentence,
        "reading": headline.reading,
        "basis": headline.basis,
        "caption": board_caption(board),
        "cells": [
            {
                "source": row[0],
                "decoding": decodings.index(row[1]),
                "row": row_words(row, board.rows)[1],
                "rater": rater,
                "a": one.pair.a,
                "b": one.pair.b,
                **one.pair.difference.as_json(),
                "note": one.pair.difference.note,
                "deviations": one.deviations,
                "favour": favour(rater),
                "firm": one.firm,
                "within_tilt": one.within_tilt,
            }
            for (row, rater), one in board.readings.items()
        ],
    }


def _groups(cell: ContinuationCell, decodings: Sequence[Decoding]) -> list[dict[str, Any]]:
    return [
        {
            **_place(cell, decodings),
            "group": group,
            **one.mean.as_json(),
            "note": one.mean.note,
            "sd": one.sd,
            "unrated": dict(one.unrated),
        }
        for group, one in cell.summary.groups.items()
    ]


def _place(cell: ContinuationCell, decodings: Sequence[Decoding]) -> dict[str, Any]:
    place = {name: getattr(cell, name) for name in ("model", "source", "bias", "rater", "scope")}
    return {**place, "decoding": decodings.index(cell.decoding)}


def _structures(
    run: Run,
    found: ContinuationsSummary,
    compare: Mapping[str, Sequence[tuple[str, str]]],
    decodings: Sequence[Decoding],
) -> list[dict[str, Any]]:
    known = structures_of(run)
    return [
        {
            **_place(cell, decodings),
            **_strips(
                cell.structures, shown_pairs(cell, compare.get(cell.bias.partition(":")[0], ())), known, cell.rater
            ),
        }
        for cell in found.cells
        if cell.structures
    ]


def _strips(
    found: StructureSummary, pairs: Sequence[tuple[str, str]], known: Mapping[str, Structure], rater: str
) -> dict[str, Any]:
    return {
        "sentences": [kept_sentence(found, pair) for pair in pairs],
        "basis": structure_basis(found, known),
        "favour": favour(rater),
        "rows": [
            {
                "a": a,
                "b": b,
                "whole": found.robustness.two_way[a, b].as_json(),
                "kept": found.robustness.sign_kept[a, b].share.value,
                "points": [
                    {
                        "structure": name,
                        "kind": "the plain prompt" if name == found.settings.fixed else known[name].kind,
                        **pair.difference.as_json(),
                    }
                    for name, summary in found.structures.items()
                    for pair in summary.pairs
                    if (pair.a, pair.b) == (a, b)
                ],
            }
            for a, b in pairs
        ],
    }
