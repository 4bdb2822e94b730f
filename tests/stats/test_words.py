"""Words of two groups: counts, log odds and shares, worked out by hand."""

from __future__ import annotations

import math

import pytest

from tiltmeter.stats.views.words import PRIOR, WordText, contrast, log_odds, words_of


def texts(group: str, kind: int, of: int = 20) -> list[WordText]:
    """Texts of which the first so many have the word kind; each has the word person."""
    return [WordText(group, f"o{at % 5}", words_of("a person" + " kind kind" * (at < kind))) for at in range(of)]


def test_words_of_the_prompts_are_not_counted() -> None:
    assert words_of("The woman's work: the WORK, 2 works", {"the"}) == {"woman's": 1, "work": 2, "works": 1}


def test_log_odds_are_those_of_the_formula() -> None:
    first, second = {"x": 6, "y": 14}, {"x": 2, "y": 18}
    prior = PRIOR * 8 / 40
    a, b = 6 + prior, 2 + prior
    ratio = math.log(a / (20 + PRIOR - a)) - math.log(b / (20 + PRIOR - b))
    found = log_odds(first, second)
    assert found["x"] == pytest.approx((ratio, ratio / math.sqrt(1 / a + 1 / b)))
    turned = log_odds(second, first)
    assert [turned[word][0] for word in found] == pytest.approx([-odds for odds, _ in found.values()])


def test_a_word_of_one_group_has_its_counts_shares_and_difference() -> None:
    found, looked_at = contrast([*texts("a", 16), *texts("b", 4)], "a", "b")
    assert looked_at == 3, "a, person, kind"
    kind = next(one for one in found if one.word == "kind")
    assert (kind.counts, kind.shares) == ((32, 8), (0.8, 0.2))
    assert kind.difference.value == pytest.approx(0.6)
    assert kind.log_odds > 0 and kind.difference.low > 0
    turned, _ = contrast([*texts("a", 16), *texts("b", 4)], "b", "a")
    [other] = [one for one in turned if one.word == "kind"]
    assert (other.log_odds, other.difference.value) == (pytest.approx(-kind.log_odds), pytest.approx(-0.6))


def test_words_of_the_same_texts_do_not_differ_and_rare_words_are_not_looked_at() -> None:
    same, looked_at = contrast([*texts("a", 8), *texts("b", 8)], "a", "b")
    assert not same and looked_at == 3
    _, looked_at = contrast([*texts("a", 2), *texts("b", 2)], "a", "b")
    assert looked_at == 2, "kind is in four texts"


def test_p_is_corrected_for_all_words_that_were_looked_at() -> None:
    many = [
        WordText(group, f"o{at % 7}", words_of(f"{'kind ' * (at % 7 < 5) * (group == 'a')}{' '.join('bcdefgh')}"))
        for group in "ab"
        for at in range(28)
    ]
    found, looked_at = contrast(many, "a", "b", most=1)
    assert looked_at == 8
    [kind] = [one for one in found if one.word == "kind"]
    assert kind.difference.p_adjusted == pytest.approx(min(1.0, kind.difference.p * looked_at))
