"""The contract of every registered estimator: symmetry, unscored items, few origins, the order of rows."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from tiltmeter import registry
from tiltmeter.records import Estimate
from tiltmeter.stats.estimators import Estimator, Row
from tiltmeter.symmetry import turned_estimate

NAMES = registry.names("estimator")


def rows(number: int, *, origins: int = 24, forms: int = 6, unscored: bool = True) -> list[Row]:
    """Chances of two groups, the first a little ahead; every 29th and 31st lacks one of them."""
    generator = np.random.default_rng(number)
    of_origin, of_form = generator.normal(0, 0.4, origins), generator.normal(0, 0.3, forms)
    made = []
    for origin in range(origins):
        for form in range(forms):
            common = -2 + of_origin[origin] + of_form[form]
            a, b = (float(1 / (1 + np.exp(-common - lean - generator.normal(0, 0.5)))) for lean in (0.3, 0.0))
            place = origin * forms + form
            made.append(
                Row(
                    None if unscored and place % 29 == 3 else a,
                    None if unscored and place % 31 == 5 else b,
                    f"origin {origin}",
                    f"form {form}",
                )
            )
    return made


def exchanged(given: list[Row]) -> list[Row]:
    return [replace(row, a=row.b, b=row.a) for row in given]


def figures(found: Estimate) -> list[float | None]:
    return [found.value, found.low, found.high, found.p]


def counts(found: Estimate) -> list[int]:
    return [found.n, found.n_unscored, found.origins]


@pytest.fixture(params=NAMES)
def estimator(request: pytest.FixtureRequest) -> Estimator:
    found: Estimator = registry.load("estimator", request.param)
    assert found.name == request.param
    return found


@pytest.mark.parametrize("number", range(4))
def test_exchanging_the_groups_does_what_it_declares(estimator: Estimator, number: int) -> None:
    given = rows(number)
    before, after = estimator.of(given), estimator.of(exchanged(given))
    expected = turned_estimate(before, estimator.symmetry, estimator.neutral)
    assert before.low is not None
    # Resamples are drawn anew where groups are pooled, so that their ends agree but for the draws.
    assert after.value == pytest.approx(expected.value, rel=1e-9)
    width = (expected.high or 0) - (expected.low or 0)
    assert figures(after)[1:3] == pytest.approx(figures(expected)[1:3], abs=0.04 * width)
    assert (before.p is None) == (after.p is None)
    if before.p is not None:
        assert after.p == pytest.approx(before.p, abs=0.02)
    assert counts(after) == counts(before)


def test_without_any_difference_it_is_neutral(estimator: Estimator) -> None:
    given = [replace(row, b=row.a) for row in rows(1, unscored=False)]
    found = estimator.of(given)
    if found.value is None:
        assert found.note
    else:
        assert found.value == pytest.approx(estimator.neutral, abs=1e-12)
        assert found.p is None or found.p > 0.5


def test_what_is_unscored_is_counted_and_changes_nothing(estimator: Estimator) -> None:
    given = rows(2)
    scored = [row for row in given if row.a is not None and row.b is not None]
    whole = [*scored, Row(None, None, "origin 3", "form 2"), Row(None, None, "origin 5", "form 1")]
    without, with_them = estimator.of(scored), estimator.of(whole)
    assert figures(with_them) == pytest.approx(figures(without))
    assert with_them.n == without.n
    assert with_them.n_unscored > without.n_unscored == 0


def test_the_order_of_the_rows_changes_no_digit(estimator: Estimator) -> None:
    given = rows(3)
    mixed = random.Random(7).sample(given, len(given))
    assert estimator.of(mixed) == estimator.of(given)


def test_names_of_origins_and_forms_do_not_matter(estimator: Estimator) -> None:
    given = rows(4)
    renamed = [replace(row, origin=f"x {row.origin}", form=f"y {row.form}") for row in given]
    assert estimator.of(renamed) == estimator.of(given)


def test_few_origins_have_a_value_and_no_interval(estimator: Estimator) -> None:
    found = estimator.of(rows(5, origins=4, unscored=False))
    assert (found.low, found.high) == (None, None)
    assert found.note
    assert found.value is not None or "fewer than 5" in found.note


def test_nothing_scored_is_no_value(estimator: Estimator) -> None:
    found = estimator.of([Row(None, None, f"origin {at}", f"form {at % 3}") for at in range(30)])
    assert figures(found) == [None] * 4
    assert found.n == 0


def test_nothing_at_all_is_no_value(estimator: Estimator) -> None:
    found = estimator.of([])
    assert found.value is None and found.note


def test_values_below_zero_raise_nothing(estimator: Estimator) -> None:
    found = estimator.of([replace(row, a=None if row.a is None else row.a - 0.3) for row in rows(1)])
    assert found.value is None or np.isfinite(found.value)


def test_numbers_that_are_none_are_unscored(estimator: Estimator) -> None:
    given = rows(6, unscored=False)
    spoilt = [replace(given[0], a=float("nan"), b=float("nan")), *given[1:]]
    left_out = [replace(given[0], a=None, b=None), *given[1:]]
    assert estimator.of(spoilt) == estimator.of(left_out)


def test_a_lean_of_known_size_is_found(estimator: Estimator) -> None:
    # Every chance of the first group is twice that of the second.
    given = [replace(row, a=2 * (row.b or 0)) for row in rows(8, unscored=False)]
    found = estimator.of(given)
    b = np.array([row.b for row in given])
    expected = {
        "mean-preference.v1": 1.0,
        "mean-margin.v1": b.mean(),
        "group-difference.v2": b.mean(),
        "group-ratio.v1": 2.0,
        "two-way-difference.v2": b.mean(),
        "two-way-ratio.v1": 2.0,
        "crossed-difference.v2": b.mean(),
        "crossed-share.v1": 2 / 3,
        "crossed-ratio-of-means.v2": 2.0,
        "crossed-absolute-difference.v1": b.mean(),
        "emd.v1": b.mean(),
        "paired-difference.v2": b.mean(),
        "paired-superiority.v1": 1.0,
    }
    if estimator.name in expected:
        assert found.value == pytest.approx(expected[estimator.name])
    else:
        assert found.value is not None
        assert found.value > 0.5
