"""The findings on pairs: headlines, every estimate, the structures of sentences, and how far scorers agree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.contents import Contents
from tiltmeter.report.pair_structures import structure_swarm, structures_in_words
from tiltmeter.report.series import Series, spec_of
from tiltmeter.results import Cell
from tiltmeter.results.items import structures_of_pairs


def pairs_found(contents: Contents) -> dict[str, Any]:
    """Everything on pairs; empty lists where the run has none."""
    sections = contents.sources()
    return {
        "headlines": [
            {"model": one.facts.name, "source": section.source, **asdict(headline)}
            for section in sections
            for one, headline in section.headlines
        ],
        "unfinished": contents.unfinished,
        "estimates": [row for one in contents.series for row in _estimates(contents, one)],
        "structures": [found for one in contents.series for found in _structures(contents, one)],
        "agreement": [
            {
                "model": model,
                "source": source,
                "first": found.first,
                "second": found.second,
                "share": found.share,
                "n": found.n,
            }
            for one in contents.series
            for (model, source), agreements in one.summary.agreements.items()
            if model == one.facts.name
            for found in agreements
        ],
    }


def _estimates(contents: Contents, one: Series) -> Iterator[dict[str, Any]]:
    for cell in one.cells:
        leading = one.leading(cell.source) is cell
        place = {
            **{name: getattr(cell, name) for name in ("model", "source", "scorer", "published")},
            "leading": leading,
        }
        social = [bias for bias in cell.summary.headline_by_bias if spec_of(bias) not in contents.benchmarks]
        if len(social) > 1:
            yield {**place, "bias": "", "label": "Mean over biases", "check": False, **_figures(cell.summary.headline)}
        for bias, found in cell.summary.headline_by_bias.items():
            sets = cell.generated.sets.get(bias) if cell.generated else None
            yield {
                **place,
                "bias": bias,
                "label": contents.label(bias),
                "check": spec_of(bias) in contents.benchmarks,
                **_figures(found),
                "sets": list(sets.values) if sets and len(sets.values) > 1 else [],
            }


def _structures(contents: Contents, one: Series) -> Iterator[dict[str, Any]]:
    for source in one.sources:
        cell = one.leading(source)
        if cell is not None and cell.structures:
            yield {
                "model": one.facts.name,
                "source": source,
                "scorer": cell.scorer,
                **_strips(contents, cell),
            }


def _strips(contents: Contents, cell: Cell) -> dict[str, Any]:
    known = structures_of_pairs(cell.measured)
    return {
        "words": structures_in_words(
            [structure_swarm(contents.label(bias), cell, bias, known) for bias in cell.structures]
        ),
        "rows": [
            {
                "bias": bias,
                "label": contents.label(bias),
                "whole": found.whole.as_json(),
                "kept": found.side_kept.value,
                "points": [
                    {"structure": name, "kind": known[name].kind, **estimate.as_json()}
                    for name, estimate in found.by_structure.items()
                ],
            }
            for bias, found in cell.structures.items()
        ],
    }


def _figures(found: Estimate) -> dict[str, Any]:
    return {**found.as_json(), "note": found.note}
