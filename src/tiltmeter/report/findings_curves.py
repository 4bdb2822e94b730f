"""The findings on which conclusions hold: each question with its verdict and the cells of its curve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tiltmeter.report.multiverse import curve_caption, settings_of, with_titles
from tiltmeter.report.multiverse_words import (
    curve_words,
    flip_sentences,
    sentence_on_test,
    spread_rows,
    without_sentences,
)
from tiltmeter.results import RunSummary
from tiltmeter.results.cells import decoding_choices
from tiltmeter.results.findings.findings import Finding, Findings
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.stats.cells import CellResult
from tiltmeter.stats.verdict import DIRECTED
from tiltmeter.store import Run

_KEPT = 1_000
"""Cells of one question; of more, so many from the lowest to the highest."""


def curves_found(run: Run, summary: RunSummary, found: Findings, label: Callable[[str], str]) -> dict[str, Any]:
    """Every question that was answered."""
    places = _Places(run, summary)
    return {
        "questions": [_question(one, title, places) for title, one in with_titles(found.findings, label)],
        "left_out": found.left_out,
    }


def _question(one: Finding, title: str, places: _Places) -> dict[str, Any]:
    question, verdict = one.question, one.verdict
    valued = [cell for cell in one.multiverse.curve.cells if cell.sign is not None]
    kept = _thinned(valued)
    clear = one.multiverse.curve.significant
    sides = {"first": question.claim(), "second": question.claim(turned=True)}
    return {
        "title": title,
        "text": question.text,
        "model": question.model,
        "view": question.view,
        "bias": question.bias,
        "groups": [question.first, question.second] if question.first else [],
        "check": question.check,
        "strength": verdict.strength,
        "verdict": verdict.words,
        "sentence": verdict.sentence,
        "said": sides.get(verdict.direction or "", "") if verdict.strength in DIRECTED else "",
        "caution": one.caution,
        "instrument": one.instrument,
        "test": sentence_on_test(one),
        "p": verdict.p_adjusted,
        "holds": verdict.holds,
        "of": verdict.of,
        "significant": clear.positive + clear.negative,
        "claims": [sides["first"], sides["second"]],
        "spread": [asdict(row) for row in spread_rows(one)],
        "flips": flip_sentences(one.multiverse.flips),
        "notes": [
            *without_sentences(one),
            *(f"{note[0].upper()}{note[1:]}." for note in one.multiverse.decomposition.notes),
        ],
        "words": curve_words(one, len(valued)),
        "caption": curve_caption(question, valued, len(kept)),
        "settings": settings_of(valued),
        "cells": [_cell(cell, places.of(one, cell)) for cell in kept],
    }


def _cell(cell: CellResult, place: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **place,
        "choices": dict(cell.choices),
        "effect": cell.effect.value,
        "effect_low": cell.effect.low,
        "effect_high": cell.effect.high,
        "sign": cell.sign,
        "firm": cell.conclusion != "not significant",
        **cell.raw.as_json(),
        "note": cell.effect.note or cell.raw.note,
    }


class _Places:
    """Where the texts behind a cell are: choices that do not vary are not named by it."""

    def __init__(self, run: Run, summary: RunSummary) -> None:
        decodings = run.continuations.decodings if run.continuations else ()
        self._decodings = [decoding_choices(one) for one in decodings]
        texts = summary.continuations.cells if summary.continuations else ()
        words = summary.next_words.cells if summary.next_words else ()
        found = [(cell.source, bias) for cell in summary.cells for bias in cell.summary.headline_by_bias]
        found += [(cell.source, cell.bias) for cell in texts]
        found += [(cell.source, cell.bias) for cell in words]
        self._biases: dict[tuple[str, str], set[str]] = {}
        for source, bias in found:
            self._biases.setdefault((source, topic_of(bias)), set()).add(bias)

    def of(self, one: Finding, cell: CellResult) -> dict[str, Any]:
        """The source, bias, rater or scorer, and decoding of a cell."""
        choices = cell.choices
        place: dict[str, Any] = {name: choices[name] for name in ("source", "rater", "scorer") if name in choices}
        biases = self._biases.get((choices.get("source", ""), one.question.bias), set())
        place["bias"] = next(iter(biases)) if len(biases) == 1 else one.question.bias
        if one.question.view == "continuations":
            fitting = [
                number
                for number, settings in enumerate(self._decodings)
                if all(choices.get(name, value) == value for name, value in settings.items())
            ]
            place |= {"decoding": fitting[0]} if len(fitting) == 1 else {}
        return place


def _thinned(cells: Sequence[CellResult]) -> list[CellResult]:
    if len(cells) <= _KEPT:
        return list(cells)
    last = len(cells) - 1
    return [cells[round(place * last / (_KEPT - 1))] for place in range(_KEPT)]
