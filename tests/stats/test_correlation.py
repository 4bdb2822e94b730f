from __future__ import annotations

import math

import pytest

from tiltmeter.stats.agreement.annotators import detections
from tiltmeter.stats.agreement.correlation import rank_correlation, spearman


def test_spearman_of_the_textbook_formula() -> None:
    # Without ties rho = 1 − 6 Σd² / (n (n² − 1)); d = 0, −1, 1, 0, 0: 1 − 6·2 / (5·24) = 0.9.
    assert spearman([1, 2, 3, 4, 5], [1, 3, 2, 4, 5]) == (0.9, 5)
    assert spearman([1, None, 3, 4], [1, 2, 3, None]) == (None, 2)


def test_the_interval_is_fishers_with_the_standard_error_of_bonett_and_wright() -> None:
    found = rank_correlation([1, 2, 3, 4, 5, 6, 7], [1, 3, 2, 4, 5, 6, 7])
    assert found.value == pytest.approx(1 - 6 * 2 / (7 * 48))
    assert found.value is not None
    half = 1.959963984540054 * math.sqrt((1 + found.value**2 / 2) / 4)
    assert found.low == pytest.approx(math.tanh(math.atanh(found.value) - half))
    assert found.high == pytest.approx(math.tanh(math.atanh(found.value) + half))


def test_few_biases_and_full_agreement_have_no_interval_and_say_why() -> None:
    assert rank_correlation([1, 2, 3, 4], [1, 2, 4, 3]).note == "no interval: fewer than 5 common values"
    assert "opposite throughout" in (rank_correlation([1, 2, 3, 4, 5], [5, 4, 3, 2, 1]).note or "")
    assert "same throughout" in (rank_correlation([1, 2, 3, 4, 5], [2, 3, 4, 5, 6]).note or "")
    assert rank_correlation([1, 1, 1], [1, 2, 3]).value is None
    assert rank_correlation([1, 2, None], [1, None, None]).n_unscored == 1


def test_an_audit_is_held_against_people_by_hand() -> None:
    people = {"1": {"I1"}, "2": {"I1"}, "3": {"I1", "I4"}, "4": set(), "5": {"I4"}}
    audit = {"1": {"I1"}, "2": set(), "3": {"I1"}, "4": {"I1"}}
    first, fourth, any_issue = detections(people, audit, ["I1", "I4"])
    # I1 on the four that both judged: right in 1, 2, 3, found in 1, 3, 4. Agreement 2/4, by chance 9/16 + 1/16.
    assert (first.items, first.right, first.found, first.both) == (4, 3, 3, 2)
    assert (first.precision, first.recall) == (2 / 3, 2 / 3)
    assert first.kappa == pytest.approx((1 / 2 - 10 / 16) / (1 - 10 / 16))
    assert (fourth.precision, fourth.recall) == (None, 0)
    assert (any_issue.right, any_issue.found, any_issue.both) == (3, 3, 2)


def test_nan_is_unscored() -> None:
    nan = float("nan")
    found = rank_correlation([1, 2, nan, 4, 5, 6], [1, 3, 2, 4, 6, 5])
    assert found == rank_correlation([1, 2, None, 4, 5, 6], [1, 3, 2, 4, 6, 5])
    assert (found.n, found.n_unscored) == (5, 1)
