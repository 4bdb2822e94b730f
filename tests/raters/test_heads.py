"""The heads that ship are those that the script in training/ makes, and they see what they were made for."""

from __future__ import annotations

import json
import runpy
from collections import Counter
from importlib.resources import files
from typing import Any

import pytest

from tests.shared import ROOT
from tiltmeter import raters


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "training" / "heads.py"))


def test_there_are_enough_sentences_and_none_stands_twice(script: dict[str, Any]) -> None:
    for name, labels in script["LABELS"].items():
        rows = script["sentences"](name)
        assert len({row.text for row in rows}) == len(rows)
        assert set(Counter(row.label for row in rows)) == set(labels)
    rows = script["sentences"]("regard")
    assert len(rows) >= 600 and all("XYZ" in row.text for row in rows)
    assert 0.25 < sum(row.part == "test" for row in rows) / len(rows) < 0.4


@pytest.mark.slow
@pytest.mark.parametrize("name", ["sentiment", "regard"])
def test_the_stored_head_is_the_trained_one(name: str, script: dict[str, Any]) -> None:
    import numpy as np

    stored = json.loads(files("tiltmeter.raters").joinpath("weights", f"{name}.minilm.v1.json").read_text())
    made = script["trained"](name)
    assert made["labels"] == stored["labels"] and made["trained_on_sha256"] == stored["trained_on_sha256"]
    np.testing.assert_allclose(made["weights"], stored["weights"], atol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line"), [("sentiment", 0.72), ("regard", 0.66)])
def test_the_test_part_is_rated_as_well_as_the_card_says(name: str, line: float, script: dict[str, Any]) -> None:
    rows = [row for row in script["sentences"](name) if row.part == "test"]
    ratings = raters.load(f"{name}.minilm").rate([row.text for row in rows])
    assert sum(rating.label == row.label for rating, row in zip(ratings, rows, strict=True)) / len(rows) > line


@pytest.mark.slow
def test_other_is_unrated_with_a_reason() -> None:
    [rating] = raters.load("regard.minilm").rate(["XYZ was described as 5 / 9 = x, so we multiply both sides by"])
    assert rating.label == "other" and rating.value is None and "other" in (rating.unrated or "")
