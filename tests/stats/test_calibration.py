"""Simulated studies: the truth is the pool's, a mirrored pool is neutral, and rates are counted as they are."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from tiltmeter.records import Estimate
from tiltmeter.stats.calibration.coverage import (
    Pool,
    Rate,
    Tally,
    ViewCalibration,
    World,
    interpolated,
    simulate,
    smallest_tilt,
    studies_of,
    together,
    view_calibrations,
)
from tiltmeter.stats.estimate import Scale

TILTS = (0.0, 0.3)
NEUTRAL, AS_IT_IS, TILTED = World(0, True), World(0, False), World(1, True)


def mirrored(values: np.ndarray, tilts: Sequence[float] = TILTS) -> np.ndarray:
    """Values whose sign says whom they favour, with the groups exchanged in the second half, and each tilt added."""
    return np.array([np.stack([values, -values]) + tilt for tilt in tilts])


@pytest.fixture
def pairs() -> Pool:
    chance = np.random.default_rng(1)
    margins = mirrored(chance.normal(0.4, 1.0, (120, 1)) + chance.normal(0.0, 1.0, (120, 4)))
    return Pool("pairs", TILTS, {"margin": margins, "preference": np.where(margins > 0, 1.0, 0.0)})


@pytest.fixture
def next_words() -> Pool:
    chance = np.random.default_rng(2)
    log_odds = chance.normal(-2, 0.7, (2, 150, 20)) + chance.normal(0, 0.5, (2, 150, 1))
    tables = []
    for tilt in TILTS:
        halves = [log_odds, log_odds[::-1]]
        tables.append([[1 / (1 + np.exp(-(one + tilt))), 1 / (1 + np.exp(-other))] for one, other in halves])
    chances = np.array(tables)
    a, b = chances[:, :, 0], chances[:, :, 1]
    made = {"a": a, "b": b, "difference": a - b, "log_ratio": np.log(a / b), "share": a / (a + b), "ratio": a / b}
    scales = {
        "difference": Scale(neutral=0.0),
        "log_ratio": Scale(neutral=0.0),
        "share": Scale(0.0, 1.0, 0.5),
        "ratio": Scale(neutral=1.0),
    }
    return Pool("next_words", TILTS, made, scales)


@pytest.fixture
def texts() -> Pool:
    chance = np.random.default_rng(3)
    plain = chance.random((10, 12, 2, 2)) < 0.3
    more = plain | (chance.random(plain.shape) < 0.2)
    halves = [[np.stack([found[:, :, one], plain[:, :, 1 - one]], axis=2) for one in (0, 1)] for found in (plain, more)]
    negative = np.array(halves).astype(float)
    scales = {"sentiment": Scale(-1.0, 1.0, 0.0), "negative": Scale(0.0, 1.0, 0.0)}
    return Pool("continuations", TILTS, {"sentiment": 0.5 - negative, "negative": negative}, scales)


def test_a_mirrored_pool_without_a_tilt_is_exactly_neutral(pairs: Pool, next_words: Pool, texts: Pool) -> None:
    neutral = {"margin": 0, "comparison": 0, "difference": 0, "log_ratio": 0, "share": 0.5}
    neutral |= {"preference": 0.5, "preference_single": 0.5, "preference_balanced": 0.5}
    neutral |= {"negative_shared": 0, "negative_apart": 0, "sentiment_both_ways": 0, "negative_ratio_shared": 1}
    found: dict[str, float] = {}
    for pool in (pairs, next_words, texts):
        for studies in studies_of(pool):
            found |= studies.truths(NEUTRAL)
    assert {name: found[name] for name in neutral} == pytest.approx(neutral, abs=1e-12)


def test_a_tilt_moves_the_truth_by_as_much(pairs: Pool) -> None:
    truths = studies_of(pairs)[0].truths(TILTED)
    assert truths["margin"] == pytest.approx(0.3)
    assert truths["comparison"] == pytest.approx(0.3)


def test_as_it_is_the_truth_is_the_models_own(pairs: Pool) -> None:
    truths = studies_of(pairs)[0].truths(AS_IT_IS)
    assert truths["margin"] == pytest.approx(float(pairs.tables["margin"][0, 0].mean()))


@pytest.mark.parametrize("view", ["pairs", "next_words", "texts"])
def test_studies_say_of_every_estimator_what_the_real_analysis_says(view: str, request: pytest.FixtureRequest) -> None:
    for studies in studies_of(request.getfixturevalue(view)):
        found = studies.study(np.random.default_rng(0), 20, NEUTRAL)
        assert found.keys() == studies.truths(NEUTRAL).keys()
        assert all(one.value is not None for one in found.values())


@pytest.mark.slow
def test_intervals_hold_the_truth_and_alarms_are_rare_on_well_behaved_values(pairs: Pool) -> None:
    studies = studies_of(pairs)[0]
    neutral, tilted = (simulate(studies, 50, world, 300) for world in (NEUTRAL, TILTED))
    assert 0.91 <= (neutral["margin"].held.value or 0) <= 0.99
    assert (neutral["margin"].alarms.value or 1) <= 0.09
    assert (tilted["margin"].alarms.value or 0) > (neutral["margin"].alarms.value or 0)
    assert tilted["margin"].mean == pytest.approx(0.3, abs=0.05)


def test_parts_draw_other_studies_and_add_up(pairs: Pool) -> None:
    studies = studies_of(pairs)[0]
    one, other = (simulate(studies, 20, NEUTRAL, 10, part=part) for part in (0, 1))
    assert one["margin"].total != other["margin"].total
    assert one == simulate(studies, 20, NEUTRAL, 10, part=0)
    both = together([one, other])["margin"]
    assert both.studies == 20
    assert both.total == pytest.approx(one["margin"].total + other["margin"].total)
    assert both.held.hits == one["margin"].held.hits + other["margin"].held.hits


def tally(held: int, alarms: int, of: int = 5000) -> Tally:
    return Tally(0.0, of, Rate(held, of), 0, Rate(alarms, of), 0.0, of)


def reading(held: int, alarms: int, of: int = 5000, **more: object) -> ViewCalibration:
    given = {"as_it_is": None, "tilted": {}, "p_alone": False} | more
    return ViewCalibration("pairs", "margin", 20, neutral=tally(held, alarms, of), **given)  # type: ignore[arg-type]


def test_an_estimator_fails_outside_93_to_97_per_cent() -> None:
    assert reading(4650, 250).covers
    assert not reading(4649, 250).covers
    assert not reading(4851, 250).covers
    assert not reading(4750, 250, as_it_is=tally(4600, 0)).covers
    assert reading(4750, 250, as_it_is=tally(4600, 0)).coverage == Rate(4600, 5000)


def test_chance_alone_makes_no_estimator_fail() -> None:
    assert reading(92, 5, of=100).covers
    assert not reading(80, 5, of=100).covers


def test_false_alarms_may_be_five_per_cent_or_fewer() -> None:
    assert reading(4750, 10).keeps_alarms
    assert reading(4750, 280).keeps_alarms
    assert not reading(4750, 320).keeps_alarms
    assert reading(0, 0, p_alone=True).covers is None
    assert reading(4750, 0, as_it_is=None).as_json()["false_alarms"]["value"] == 0.0


def test_the_smallest_tilt_lies_between_those_that_were_tried() -> None:
    assert interpolated(0.05, {0.5: 1.0, 0.1: 0.4}) == pytest.approx(0.1 + 0.4 * 0.4 / 0.6)
    assert interpolated(0.05, {0.1: 1.0}) == pytest.approx(0.1 * 0.75 / 0.95)
    assert interpolated(None, {}) is None
    found = reading(4750, 250, tilted={0.1: tally(4750, 2000), 0.5: tally(4750, 5000)})
    assert found.smallest == pytest.approx(0.1 + 0.4 * 0.4 / 0.6)


def test_what_is_seen_is_seen_from_there_on() -> None:
    powers = {0.05: 0, 0.1: 5000, 0.2: 0, 0.5: 0, 1.0: 5000}
    found = reading(4750, 250, tilted={tilt: tally(4750, alarms) for tilt, alarms in powers.items()})
    assert found.smallest == pytest.approx(0.5 + 0.5 * 0.8)
    assert reading(4750, 250, tilted={0.1: tally(4750, 5000), 0.2: tally(4750, 100)}).smallest is None


def test_a_handful_of_studies_shows_nothing() -> None:
    few = reading(3, 0, of=3, tilted={0.1: tally(3, 1, of=3), 0.5: tally(3, 3, of=3)})
    assert (few.covers, few.keeps_alarms) == (True, True)
    assert not few.is_known
    assert few.smallest is None
    assert few.as_json()["enough_studies"] is few.as_json()["enough_tilted_studies"] is False
    tilted = {0.1: tally(20, 20, of=100), 0.5: tally(95, 100, of=100)}
    assert reading(4750, 250, tilted=tilted).smallest == pytest.approx(0.1 + 0.4 * 0.6 / 0.8)
    assert not reading(4750, 250, tilted={**tilted, 1.0: tally(99, 99, of=99)}).knows_power
    # 200 studies, as --quick draws for figures that have a p alone, are enough; a coverage counts as well.
    assert reading(190, 10, of=200, p_alone=True).is_known
    assert not reading(4750, 250, as_it_is=tally(29, 1, of=30)).is_known
    assert reading(4750, 250).as_json()["enough_tilted_studies"] is None


def test_what_cries_wolf_sees_nothing() -> None:
    assert reading(4750, 4500, tilted={0.1: tally(4750, 5000)}).smallest is None


def test_readings_put_the_worlds_together(pairs: Pool) -> None:
    studies = studies_of(pairs)[0]
    worlds = {world: simulate(studies, 20, world, 5) for world in (NEUTRAL, AS_IT_IS, TILTED)}
    found = {one.estimator: one for one in view_calibrations(studies, pairs.tilts, 20, worlds)}
    assert found["margin"].tilted == {0.3: worlds[TILTED]["margin"]}
    assert found["margin"].as_it_is == worlds[AS_IT_IS]["margin"]


def test_what_a_run_sees_follows_from_its_interval_alone() -> None:
    one, other = (Estimate(value, value - 0.4, value + 0.4, origins=30) for value in (0.0, 0.7))
    assert smallest_tilt(one) == pytest.approx(smallest_tilt(other))
    # 0.4 over Student's quantile is a standard error of 0.196, and 2.9 of these are seen with 80 % power.
    assert smallest_tilt(one) == pytest.approx(0.567, abs=0.002)


def test_a_pool_without_a_table_for_each_tilt_is_refused() -> None:
    with pytest.raises(ValueError, match="one table for each tilt"):
        Pool("pairs", (0.1,), {})
    with pytest.raises(ValueError, match="one table for each tilt"):
        Pool("pairs", (0.0, 0.1), {"margin": np.zeros((1, 2, 3, 4))})
