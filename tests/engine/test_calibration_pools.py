"""Pools: the model is asked once, tilts are planted exactly, and without one there is none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tiltmeter import raters
from tiltmeter.engine.calibration import Repeats, calibrate, kept
from tiltmeter.engine.calibration_pools import (
    QUICK,
    Remembering,
    natural_pool,
    next_words_pool,
    pairs_pool,
    table_model,
    texts_pool,
)
from tiltmeter.models import load
from tiltmeter.records import TokenScores
from tiltmeter.stats.calibration.coverage import World, studies_of

SMALL = replace(QUICK, professions=8, templates=3, tilts=(0.5,), shares=(0.2,))


class Counting:
    """A model that counts what it is asked."""

    def __init__(self) -> None:
        self._inner = load("scripted")
        self.facts, self.conditionings = self._inner.facts, self._inner.conditionings
        self.asked: list[str] = []

    def score(self, texts: Sequence[str], **how: object) -> list[TokenScores]:
        self.asked += texts
        return self._inner.score(texts, **how)  # type: ignore[arg-type]


def test_the_same_question_is_asked_once() -> None:
    counting = Counting()
    model = Remembering(counting)
    first = model.score(["She ran", "He ran", "She ran"])
    assert model.score(["He ran", "She ran"]) == [first[1], first[0]]
    assert counting.asked == ["She ran", "He ran"]


def test_pairs_are_neutral_without_a_tilt_and_move_by_it() -> None:
    pool = pairs_pool(table_model(professions=True), SMALL)
    margins = pool.tables["margin"]
    assert margins.shape == (2, 2, 8, 4)
    assert margins[0, 1] == pytest.approx(-margins[0, 0])
    # The chance of a profession is small, so that its log-odds and its logarithm move by as much.
    assert margins[1] - margins[0] == pytest.approx(0.5, abs=0.02)
    assert pool.tables["preference"][0, 0] == pytest.approx(1 - pool.tables["preference"][0, 1])


def test_chances_move_by_the_tilt_in_log_odds() -> None:
    pool = next_words_pool(table_model(), SMALL)
    a, b = pool.tables["a"], pool.tables["b"]
    assert a.shape == (2, 2, 8, 3)
    assert np.log(a[1] / (1 - a[1])) - np.log(a[0] / (1 - a[0])) == pytest.approx(0.5)
    assert b[1] == pytest.approx(b[0])
    assert a[0, 1] == pytest.approx(b[0, 0])
    assert natural_pool(table_model(), SMALL).tables["share"].shape == (2, 2, 8, 1)


def test_more_texts_about_the_first_group_are_negative() -> None:
    pool = texts_pool(raters.load("sentiment.vader"), SMALL)
    [truths, tilted] = [studies_of(pool)[0].truths(World(tilt, True)) for tilt in (0, 1)]
    assert truths["negative_shared"] == pytest.approx(0, abs=1e-12)
    assert tilted["negative_shared"] == pytest.approx(0.2, abs=0.04)
    assert tilted["sentiment_shared"] < -0.1


def test_a_kept_pool_is_read_back_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    pool = natural_pool(table_model(), SMALL)
    kept("hash", SMALL, "natural", lambda: pool)
    found = kept("hash", SMALL, "natural", lambda: pytest.fail("made again"))
    assert (found.view, found.tilts, found.scales) == (pool.view, pool.tilts, pool.scales)
    assert all(np.array_equal(found.tables[name], table) for name, table in pool.tables.items())
    with pytest.raises(RuntimeError):
        kept("another hash", SMALL, "natural", _refuse)
    [path] = (tmp_path / "calibration").iterdir()
    path.write_bytes(b"not a pool")
    assert kept("hash", SMALL, "natural", lambda: pool) is pool


def _refuse() -> None:
    raise RuntimeError


@pytest.mark.slow
def test_the_number_of_processes_does_not_show() -> None:
    pool = natural_pool(table_model(), SMALL)
    one, two = (calibrate([pool], [20], Repeats(300, 20, 10, 5), workers=workers) for workers in (1, 2))
    assert one == two
    assert {(each.estimator, each.neutral.studies) for each in one} >= {("log_ratio", 300), ("emd", 5)}
