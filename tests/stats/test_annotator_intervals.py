from __future__ import annotations

import numpy as np
import pytest

from tiltmeter.stats.agreement import annotator_intervals
from tiltmeter.stats.agreement.annotator_intervals import alpha, kappa
from tiltmeter.stats.agreement.annotators import cohens_kappa, krippendorffs_alpha, krippendorffs_alpha_of_numbers

FIRST = [0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0]
SECOND = [0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, None]
THIRD = [0.0, None, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, None, 0.0, 1.0, 1.0]


def test_alpha_of_marks_that_are_there_or_not_is_that_of_labels():
    found = alpha([FIRST, SECOND, THIRD])
    assert found.value == pytest.approx(krippendorffs_alpha([FIRST, SECOND, THIRD]))
    assert found.low is not None and found.value is not None and found.high is not None
    assert found.low < found.value < found.high <= 1


def test_each_resample_has_the_alpha_of_its_items():
    judged = [FIRST, SECOND, THIRD]
    items = [[value for value in column if value is not None] for column in zip(*judged, strict=True)]
    found = annotator_intervals._alphas(items, 5)
    weights = np.random.default_rng(5).multinomial(12, np.full(12, 1 / 12), size=annotator_intervals.RESAMPLES)
    for drawn, value in zip(weights[:40], found[:40], strict=True):
        columns = [
            [column[at] for at, times in enumerate(drawn) for _ in range(times)] for column in (FIRST, SECOND, THIRD)
        ]
        assert value == pytest.approx(krippendorffs_alpha_of_numbers(columns))


def test_each_resample_has_the_kappa_of_its_items():
    both = [("a", "a")] * 5 + [("a", "b")] * 2 + [("b", "b")] * 4 + [("c", "a")]
    found = annotator_intervals._kappas(both, 3)
    table = np.zeros((3, 3))
    for one, two in both:
        table["abc".index(one), "abc".index(two)] += 1
    drawn = np.random.default_rng(3).multinomial(12, table.ravel() / 12, size=annotator_intervals.RESAMPLES)
    for counts, value in zip(drawn[:40], found[:40], strict=True):
        pairs = [("abc"[at // 3], "abc"[at % 3]) for at, times in enumerate(counts) for _ in range(times)]
        assert value == pytest.approx(cohens_kappa(*zip(*pairs, strict=True)))


def test_full_agreement_is_one_without_doubt():
    found = alpha([FIRST, FIRST])
    assert (found.value, found.low, found.high) == (1.0, 1.0, 1.0)
    assert kappa(FIRST, FIRST).value == 1.0


def test_more_items_make_the_interval_narrower():
    few, many = alpha([FIRST, SECOND]), alpha([FIRST * 8, SECOND * 8])
    assert many.high - many.low < (few.high - few.low) / 2  # type: ignore[operator]


def test_of_few_items_nothing_is_said_about_the_doubt():
    found = kappa(FIRST[:8], SECOND[:8])
    assert found.value is not None and found.low is None
    assert found.note == "fewer than 10 shared items"


def test_where_all_say_the_same_there_is_no_agreement_beyond_chance():
    found = alpha([[1.0] * 12, [1.0] * 12])
    assert found.value is None and found.low is None and found.n == 12
    assert found.note


def test_items_that_one_alone_judged_are_counted_apart():
    found = alpha([[1.0, 0.0, None], [1.0, None, None]])
    assert (found.n, found.n_unscored) == (1, 1)
