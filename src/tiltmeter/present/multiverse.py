"""Findings as files: JSON, a table of all methods, and the specification curves as figures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tiltmeter.files import whole_file, write_csv
from tiltmeter.present.files import write_figures
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import curve_chart
from tiltmeter.present.verdicts import finding_json
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.findings import Finding
from tiltmeter.stats.multiverse.verdict import FEWEST_CELLS


def multiverse_json(found: Reported) -> dict[str, Any]:
    """The findings as records, and the raters whose ratings none of them counts."""
    left = [one.as_json() for one in Evidence(found.read).left_out()]
    return {"answers": [finding_json(one) for one in found.findings], "left_out": left}


def write_multiverse(found: Reported, folder: Path) -> None:
    """Write findings as JSON, their methods as one table, and their curves as figures."""
    with whole_file(folder / "multiverse.json") as file:
        json.dump(multiverse_json(found), file, ensure_ascii=False, indent=1, allow_nan=False)
        file.write("\n")
    rows = [row for one in found.findings for row in method_rows(one)]
    choices = list(dict.fromkeys(name for row in rows for name in row if name not in _COLUMNS))
    write_csv(folder / "cells.csv", [*_ASKED, *choices, *_FIGURES], rows)
    charts = [curve_chart(one, found) for one in found.findings if one.verdict.of >= FEWEST_CELLS]
    write_figures({chart.name: chart for chart in charts}, folder / "figures")


_ASKED = ("model", "view", "bias", "first", "second", "beyond_habit", "by_stereotype")
_FIGURES = (
    *("value", "low", "high", "effect", "effect_low", "effect_high", "sign"),
    *("p", "p_adjusted", "p_holm", "n", "n_unscored", "origins", "note"),
)
_COLUMNS = (*_ASKED, *_FIGURES)


def method_rows(one: Finding) -> Iterator[Mapping[str, object]]:
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
