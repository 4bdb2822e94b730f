"""Findings as files: the same records as the command prints, and a row for each method."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.present.reading import reported
from tests.present.test_finding import RATERS, rated
from tiltmeter.present.multiverse import write_multiverse
from tiltmeter.present.sections.finding import anchor_of
from tiltmeter.present.verdicts import finding_json

pytestmark = pytest.mark.usefixtures("tiny_drawings")


def test_answers_are_written_as_json_methods_and_figures(tmp_path: Path) -> None:
    found = reported(rated(openers=6))
    write_multiverse(found, tmp_path / "out")
    [one] = json.loads((tmp_path / "out" / "multiverse.json").read_text(encoding="utf-8"))["answers"]
    assert one == json.loads(json.dumps(finding_json(found.findings[0])))
    with (tmp_path / "out" / "cells.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == found.findings[0].verdict.of == 6
    assert {row["rater"] for row in rows} == set(RATERS[:2])
    assert [float(row["effect"]) for row in rows] == [cell["effect"]["value"] for cell in one["curve"]["cells"]]
    names = {path.name for path in (tmp_path / "out" / "figures").iterdir()}
    assert names == {f"{anchor_of(found.findings[0])}.svg"}
