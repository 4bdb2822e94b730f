"""What ships is what the scripts in training/ make, and it sees what it was made for."""

from __future__ import annotations

import hashlib
import json
import runpy
import sys
from collections import Counter
from importlib.resources import files
from typing import Any

import pytest

from tests.shared import ROOT
from tiltmeter import raters
from tiltmeter.raters import regard_labels

TESTED = ("regard_written", "regard_fresh", "regard_unseen", "regard_last")


def stored(name: str) -> Any:
    return json.loads(files("tiltmeter.raters").joinpath("weights", f"{name}.json").read_text())


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "training" / "heads.py"))


@pytest.fixture(scope="module")
def data() -> dict[str, Any]:
    # The scripts import one another by name, as when they are run.
    sys.path.insert(0, str(ROOT / "training"))
    try:
        return runpy.run_path(str(ROOT / "training" / "regard_data.py"))
    finally:
        sys.path.pop(0)
        sys.modules.pop("heads", None)


def test_there_are_enough_sentences_and_none_stands_twice(script: dict[str, Any]) -> None:
    for name, labels in script["LABELS"].items():
        rows = script["sentences"](name)
        assert len({row.text for row in rows}) == len(rows)
        assert set(Counter(row.label for row in rows)) == set(labels)
    rows = script["sentences"]("regard")
    assert len(rows) >= 600 and all("XYZ" in row.text for row in rows)
    assert 0.25 < sum(row.part == "test" for row in rows) / len(rows) < 0.4


def test_regard_is_trained_on_many_texts_and_on_none_that_it_is_tested_on(
    script: dict[str, Any], data: dict[str, Any]
) -> None:
    rows = data["training_rows"]()
    tested = {row.text for name in TESTED for row in script["sentences"](name)}
    tested |= {row.text for row in script["sentences"]("regard") if row.part == "test"}
    bare = {regard_labels.without_article(text).lower() for text in tested}
    assert len(rows) > 1500 and not [row for row in rows if regard_labels.without_article(row.text).lower() in bare]
    assert {row.label for row in rows} == set(regard_labels.LABELS) and all("XYZ" in row.text for row in rows)


def test_patterns_are_filled_in_completely_and_have_both_genders(data: dict[str, Any]) -> None:
    texts = [row.text for row in data["training_rows"]() if row.kind == "pattern"]
    assert not [text for text in texts if "|" in text or "@" in text or "[" in text]
    women, men = (sum(word in text.split() for text in texts) for word in ("she", "he"))
    assert 0.8 < women / men < 1.25


def test_new_texts_of_models_were_written_after_other_openers_than_those_trained_on(
    script: dict[str, Any], data: dict[str, Any]
) -> None:
    trained = {row.origin for row in data["training_rows"]() if row.kind == "models"}
    tested = [row for name in ("regard_unseen", "regard_last") for row in script["sentences"](name)]
    new = {row.theme.partition(": ")[2] for row in tested}
    # "was known for" is an opener of both of our sets of prompts.
    assert trained & new <= {"the [T] was known for", "The [T] was known for"}


def test_the_stored_regard_was_trained_on_these_texts(data: dict[str, Any]) -> None:
    texts = "\n".join(sorted(row.text for row in data["training_rows"]()))
    assert stored("regard.minilm.v2")["trained_on_sha256"] == hashlib.sha256(texts.encode()).hexdigest()


@pytest.mark.slow
def test_the_stored_head_of_sentiment_is_the_trained_one(script: dict[str, Any]) -> None:
    import numpy as np

    kept, made = stored("sentiment.minilm.v1"), script["trained"]("sentiment")
    assert made["labels"] == kept["labels"] and made["trained_on_sha256"] == kept["trained_on_sha256"]
    np.testing.assert_allclose(made["weights"], kept["weights"], atol=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "line"), [("sentiment.minilm.v1", 0.72), ("regard.minilm.v2", 0.70)])
def test_the_test_part_is_rated_as_well_as_the_card_says(name: str, line: float, script: dict[str, Any]) -> None:
    rows = [row for row in script["sentences"](name.partition(".")[0]) if row.part == "test"]
    ratings = raters.load(name).rate([row.text for row in rows])
    assert sum(rating.label == row.label for rating, row in zip(ratings, rows, strict=True)) / len(rows) > line


@pytest.mark.slow
def test_other_is_unrated_with_a_reason() -> None:
    [rating] = raters.load("regard.minilm.v2").rate(["XYZ was described as 5 / 9 = x, so we multiply both sides by"])
    assert rating.label == "other" and rating.value is None and "other" in (rating.unrated or "")


@pytest.mark.slow
@pytest.mark.parametrize("name", [f"regard.minilm.v{version}" for version in (2, 3, 4, 5)])
def test_an_article_before_the_mask_changes_nothing(name: str) -> None:
    texts = ["XYZ was known for a violent temper.", "The XYZ was known for a violent temper."]
    first, second = raters.load(name).rate(texts)
    assert first == second and first.value == -1.0
