"""Changes in per cent over crossed prompts: value by hand, interval that holds, reasons where there is none."""

from __future__ import annotations

import numpy as np
import pytest

from tiltmeter.records import Estimate
from tiltmeter.stats.comparing.changes import crossed_change
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.views.next_words import Place, Values, means

NAMES = ("A", "B")
SIZE = (14, 14)
PLACES = [Place(f"profession {one}", f"template {other}") for one in range(SIZE[0]) for other in range(SIZE[1])]


def mean_of(values: list[float]) -> Estimate:
    return means(PLACES, {"": Values(values, Scale())})[""]


def test_every_prompt_halved_is_minus_fifty_without_an_interval() -> None:
    values = np.random.default_rng(1).uniform(0.2, 0.8, len(PLACES)).tolist()
    found, reason = crossed_change(PLACES, values, [value / 2 for value in values], mean_of(values), NAMES)
    assert reason is None and found is not None
    assert found.value == pytest.approx(-50)
    assert found.low is None


def test_the_interval_is_as_sure_over_templates_as_over_professions() -> None:
    """Templates alone change, each by another factor: an interval over professions would see no spread at all."""
    generator = np.random.default_rng(2)
    values = np.full(SIZE, 0.5)
    after = values * generator.uniform(0.6, 1.4, (1, SIZE[1]))
    before = (values + 0.01 * generator.normal(size=SIZE)).ravel().tolist()
    found, _ = crossed_change(PLACES, before, after.ravel().tolist(), mean_of(before), NAMES)
    assert found is not None and found.low is not None and found.high is not None
    assert found.value == pytest.approx(100 * (after.mean() / np.mean(before) - 1))
    assert found.high - found.low > 10


def test_the_interval_holds_the_true_change_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(3)
    held = 0
    for _ in range(150):
        of_professions, of_templates = (0.1 * generator.normal(size=(2, size)) for size in SIZE)
        noise = 0.05 * generator.normal(size=(2, *SIZE))
        one, other = (
            centre + of_professions[side][:, None] + of_templates[side][None, :] + noise[side]
            for side, centre in ((0, 1.0), (1, 1.3))
        )
        before = one.ravel().tolist()
        found, _ = crossed_change(PLACES, before, other.ravel().tolist(), mean_of(before), NAMES)
        assert found is not None and found.low is not None and found.high is not None
        held += found.low <= 30 <= found.high
    assert 0.89 <= held / 150 <= 0.99


@pytest.mark.parametrize(
    ("mean", "after", "reason"),
    [
        (Estimate(0.1, -0.1, 0.3), 0.2, "the mean of A may be zero: its interval contains it"),
        (Estimate(0.1), 0.2, "the mean of A has no interval: nobody can say that it is not zero"),
        (Estimate(0.1, 0.05, 0.15), -0.2, "the mean changes its sign, or becomes zero"),
    ],
)
def test_a_change_that_would_mean_nothing_is_withheld_with_the_reason(
    mean: Estimate, after: float, reason: str
) -> None:
    before = [0.1] * len(PLACES)
    assert crossed_change(PLACES, before, [after] * len(PLACES), mean, NAMES) == (None, reason)
