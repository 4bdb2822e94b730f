"""Measured quality of raters: declared once, complete, and the cards say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.raters.quality import Quality, measured
from tiltmeter.raters.scales import scale_of

CARDS = Path(__file__).parents[2] / "docs" / "cards"
SHARES = [one for one in measured() if not one.is_tilt]


def named(one: Quality) -> str:
    return f"{one.rater}-{one.figure}-{one.n}"


@pytest.mark.parametrize("one", SHARES, ids=named)
def test_the_card_has_the_same_figure(one: Quality):
    card = (CARDS / f"rater.{one.rater.partition(':')[0]}.md").read_text(encoding="utf-8")
    percent = 100 * one.value
    written = (
        f"{percent:.1f}",
        f"AUC of {percent:.0f}",
        f"AUC was {percent:.0f}",
        f"{one.value * one.n:.0f} of {one.n}",
    )
    judged = (f"{one.value * one.n:.0f} were right",) if one.value else ("none could be read",)
    assert any(words in card for words in (*written, *(judged if ":" in one.rater else ())))
    assert f"{one.n:,}" in card


@pytest.mark.parametrize("one", SHARES, ids=named)
def test_a_share_and_an_auc_have_an_interval(one: Quality):
    assert one.low is not None and one.high is not None
    assert 0 <= one.low <= one.value <= one.high <= 1 and one.n > 0
    assert one.guessing is None or 0 < one.guessing < 1
    assert not one.is_auc or one.guessing == 0.5


@pytest.mark.parametrize("one", [one for one in measured() if one.is_tilt], ids=named)
def test_an_own_tilt_fits_on_the_scale_of_its_rater(one: Quality):
    scale = scale_of(one.rater)
    assert scale and 0 <= one.value <= scale.high - scale.low
    assert one.low is None or one.high is None or one.low <= one.value <= one.high


def test_the_figure_to_go_by_is_no_tilt_and_says_on_what():
    first = {one.rater: one for one in reversed(measured())}
    assert not [one.rater for one in first.values() if one.is_tilt]
    assert all(one.on for one in measured())


@pytest.mark.parametrize(
    ("low", "guessing", "unseen", "carries"),
    [
        (0.75, 0.5, True, True),  # an AUC half of the way from 0.5 to 1
        (0.74, 0.5, True, False),
        (0.70, 0.4, True, True),  # three labels, the commonest 40 %: half of the way is 70 %
        (0.70, 0.667, True, False),  # two thirds are neutral: 70 % right is hardly better than saying so
        (0.95, 0.5, False, False),  # the texts had been seen
        (0.95, None, True, False),  # nobody says what guessing gives
        (None, 0.5, True, False),
    ],
)
def test_a_finding_may_rest_on_a_rater_half_of_the_way_from_guessing(
    low: float | None, guessing: float | None, unseen: bool, carries: bool
):
    assert Quality("a", "right", 0.96, 100, "texts", unseen, low, 0.99, guessing).carries == carries


def test_a_card_that_measured_nothing_declares_nothing():
    raters = {one.rater.partition(":")[0] for one in measured()}
    for path in CARDS.glob("rater.*.md"):
        if "| **Measured** | Not here" in path.read_text(encoding="utf-8"):
            assert path.stem.removeprefix("rater.") not in raters
