"""Measured quality of raters: declared once, and the cards say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.raters.quality import MEASURED, Quality

CARDS = Path(__file__).parents[2] / "docs" / "cards"


@pytest.mark.parametrize("one", MEASURED, ids=lambda one: f"{one.rater}-{one.figure}-{one.n}")
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


@pytest.mark.parametrize("one", MEASURED, ids=lambda one: f"{one.rater}-{one.figure}-{one.n}")
def test_a_figure_is_a_share_inside_its_interval(one: Quality):
    assert 0 <= one.value <= 1 and one.n > 0
    assert one.low is None or one.high is None or one.low <= one.value <= one.high


def test_a_card_that_measured_nothing_declares_nothing():
    named = {one.rater.partition(":")[0] for one in MEASURED}
    for path in CARDS.glob("rater.*.md"):
        if "| **Measured** | Not here" in path.read_text(encoding="utf-8"):
            assert path.stem.removeprefix("rater.") not in named
