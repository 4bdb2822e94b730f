"""The raters over adapted networks: trained on what they say, right where it is clear, and even-handed."""

from __future__ import annotations

import csv
import hashlib
import json
import runpy
import sys
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tests.shared import ROOT, shared
from tiltmeter import raters
from tiltmeter.raters.heads import adapted
from tiltmeter.raters.quality import quality_of
from tiltmeter.raters.scales import threshold_of

WEIGHTS = {"toxicity": "toxicity.minilm.v1", "sentiment": "sentiment.minilm.v2", "regard": "regard.minilm.v5"}


def stored(name: str) -> Any:
    return json.loads(files("tiltmeter.raters").joinpath("weights", f"{name}.json").read_text())


def table(name: str) -> list[dict[str, str]]:
    with (Path(__file__).parent / "data" / f"{name}.tsv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


def ran(path: str) -> Iterator[dict[str, Any]]:
    """What a script defines; the scripts of `training/` import one another by name, as when they are run."""
    before = set(sys.modules)
    sys.path.insert(0, str(ROOT / "training"))
    try:
        yield runpy.run_path(str(ROOT / path))
    finally:
        sys.path.remove(str(ROOT / "training"))
        for name in {"heads", "regard_data", "adapt_data", "low_rank", "draws"} - before:
            sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def script() -> Iterator[dict[str, Any]]:
    """The training data, as `training/adapt_data.py` reads it."""
    yield from ran("training/adapt_data.py")


@pytest.fixture(scope="module")
def quality() -> Iterator[dict[str, Any]]:
    """The script that measures the raters, whose groups and figures these tests hold to."""
    yield from ran("benchmarks/rater_quality.py")


def trained_on(rows: Any) -> str:
    kept = [row for row in rows if not (row.held_out and row.source != "toxigen")]
    return hashlib.sha256("\n".join(sorted(row.pattern for row in kept)).encode()).hexdigest()


def test_regard_was_trained_on_the_texts_of_this_folder(script: Any) -> None:
    rows = script["regard_rows"](ROOT)
    for name, later in (
        ("regard.minilm.v5", []),
        ("regard.minilm.v4", ["regard_readers"]),
        ("regard.minilm.v3", ["regard_readers", "regard_wide"]),
    ):
        before = [row for row in rows if row.source not in later]
        assert stored(name)["trained_on_sha256"] == trained_on(before)


def test_toxicity_was_trained_on_these_lines_and_on_public_messages(script: Any) -> None:
    rows = script["toxicity_rows"](shared("davidson").parent)
    assert stored("toxicity.minilm.v1")["trained_on_sha256"] == trained_on(
        [row for row in rows if row.source not in script["SINCE"]]
    )


@pytest.mark.parametrize(
    "name", ["toxicity", "toxicity_fresh", "sentiment", "regard", "regard_three_models", "regard_openers"]
)
def test_no_text_that_is_tested_on_is_among_those_that_were_written_for_training(name: str) -> None:
    written = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "training").rglob("*.tsv")).lower()
    rows = table(name)
    assert len(rows) >= 238 and not [row["text"] for row in rows if row["text"].lower() in written]


def test_hatecheck_is_not_among_the_training_lines() -> None:
    with shared("hatecheck/test_suite_cases.csv").open(encoding="utf-8", newline="") as stream:
        cases = {row["test_case"].strip().lower() for row in csv.DictReader(stream)}
    lines = [
        line.split("\t")[-1].strip().lower()
        for file in (ROOT / "training" / "toxicity").glob("*.tsv")
        for line in file.read_text(encoding="utf-8").splitlines()
    ]
    assert not cases.intersection(lines)


def test_thresholds_are_those_that_were_read_from_the_reliability_curve() -> None:
    for kind, value in stored("toxicity.minilm.v1")["thresholds"].items():
        assert threshold_of(f"{kind}.minilm.v1") == value


@pytest.mark.parametrize("name", ["regard", "regard_three_models", "regard_openers"])
def test_the_labels_of_two_readings_agree(name: str) -> None:
    rows = table(name)
    assert len(rows) >= 300
    assert sum(row["first"] == row["second"] for row in rows) / len(rows) > 0.8
    assert all(row["label"] == row["first"] for row in rows if row["first"] == row["second"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "figure", "least"),
    [
        ("toxicity.minilm", "AUC of toxic texts", 0.90),
        ("hate.minilm", "AUC of hateful texts", 0.92),
        ("sentiment.minilm", "right of three labels", 0.82),
        ("regard.minilm", "right of three labels", 0.75),
    ],
)
def test_texts_that_were_not_trained_on_are_rated_as_the_table_says(
    name: str, figure: str, least: float, quality: Any
) -> None:
    tool = raters.load(name)
    found = {(one.figure, one.on): one.value for one in quality["measured"](tool, Path("nowhere"), None)}
    value = next(value for (named, _), value in found.items() if named == figure)
    said = [one for one in quality_of(tool.name) if one.figure == figure]
    assert value >= least and min(abs(value - one.value) for one in said) < 0.01


@pytest.mark.parametrize("name", ["regard_three_models", "regard_openers"])
def test_no_opener_of_the_last_texts_of_regard_was_trained_on(name: str, script: Any) -> None:
    def opener(prompt: str) -> str:
        return prompt.partition(": ")[2].lower()

    training = [row for name in script["REGARD"] for row in script["sentences"](name)]
    openers = {opener(row["written"]) for row in table(name)}
    assert len(openers) > 150 and not openers.intersection(opener(row.theme) for row in training)


@pytest.mark.slow
def test_hate_is_told_from_what_looks_like_it_in_every_functionality_of_hatecheck(quality: Any) -> None:
    head, *rows = quality["by_functionality"]([raters.load("hate.minilm")], shared("hatecheck").parent)
    assert len(rows) == 29 and head[3].startswith("hate.minilm.v1")
    assert not [row for row in rows if float(row[3]) < 0.5]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["toxicity.minilm", "hate.minilm"])
def test_another_group_in_a_harmless_sentence_changes_nothing_that_matters(name: str, quality: Any) -> None:
    import numpy as np

    sentences, groups = [row["text"] for row in table("harmless_slots")], quality["groups"](ROOT / "nowhere")
    assert len(sentences) == 500 and len({group["groups"] for group in groups}) == 40
    texts = [quality["filled"](sentence, group) for sentence in sentences[::5] for group in groups]
    values = np.array([rating.value for rating in raters.load(name).rate(texts)]).reshape(100, 40)
    moves = values - values.mean(axis=1, keepdims=True)
    assert np.abs(moves).mean() <= 0.02 and np.abs(moves.mean(axis=0)).max() <= 0.05


@pytest.mark.slow
def test_toxicity_and_hate_take_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    network, passes = adapted("toxicity.minilm.v1"), []
    rows = network.rows
    monkeypatch.setattr(network, "rows", lambda texts: passes.append(len(texts)) or rows(texts))
    texts = ["The queue moved slowly today.", "Nobody had told the driver about the new stop."]
    for name in ("toxicity.minilm", "hate.minilm", "toxicity.minilm"):
        raters.load(name).rate(texts)
    assert passes == [2]


@pytest.mark.slow
def test_a_text_beyond_the_network_is_rated_by_its_beginning_and_says_so() -> None:
    [rating] = raters.load("toxicity.minilm").rate(["The parish council met. " * 300])
    assert rating.value is not None and rating.value < 0.45 and "only the first" in (rating.caveat or "")
