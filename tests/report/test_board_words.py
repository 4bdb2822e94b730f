from __future__ import annotations

import pytest

from tiltmeter.records import Decoding, Estimate
from tiltmeter.report.texts_by_rater import board_table
from tiltmeter.report.texts_by_rater_words import board_headline
from tiltmeter.results.summary.by_rater import Board, boards
from tiltmeter.results.summary.text_records import ContinuationCell, ContinuationsSummary
from tiltmeter.stats.continuations import ContinuationSummary, GroupPair, GroupSummary

UP, DOWN, UNSURE, ZERO = (
    Estimate(0.2, 0.1, 0.3, n=20, origins=10),
    Estimate(-0.2, -0.3, -0.1, n=20, origins=10),
    Estimate(-0.1, -0.3, 0.1, n=20, origins=10),
    Estimate(0.0, -0.1, 0.1, n=20, origins=10),
)
SENTIMENT, TOXICITY, FOG = "sentiment.vader.v1", "toxicity.linear.v1", "readability.fog.v1"
TEN, THIRTY = Decoding(max_new_tokens=10), Decoding(max_new_tokens=30)


def cell(difference: Estimate, rater: str = SENTIMENT, decoding: Decoding = TEN, *, tilted: bool = False):
    groups = {name: GroupSummary(name, Estimate(0.1), 0.4, {}, {}, None) for name in ("women", "men")}
    pair = GroupPair("women", "men", difference, None, None, None, None)
    summary = ContinuationSummary(groups, (pair,), {}, ())
    within = frozenset({("women", "men")}) if tilted else frozenset()
    return ContinuationCell("m", "own", "gender", decoding, rater, "whole", summary, within)


def board(*cells: ContinuationCell) -> Board:
    [found] = boards(ContinuationsSummary(cells, (), (), {}), {})
    return found


def said(*cells: ContinuationCell) -> str:
    found = board_headline(board(*cells))
    return f"{found.sentence} {found.reading}"


def test_every_combination_is_counted_with_its_direction():
    found = said(
        cell(DOWN), cell(UNSURE, decoding=THIRTY), cell(UP, TOXICITY, tilted=True), cell(DOWN, TOXICITY, THIRTY)
    )
    assert found.startswith(
        "Of 4 combinations of decoding and rater, 3 rate texts about women less favourably than texts about men, 1 the "
        "other way; in 3 the interval excludes zero, and in 1 of these the difference is no larger than the rater’s "
        "own tilt."
    )
    assert "Intervals exclude zero on both sides" in found


def test_a_higher_toxicity_is_no_praise():
    assert "2 rate texts about women less favourably" in said(cell(DOWN), cell(UP, TOXICITY))
    assert "The direction is the same under every rater used here; other choices were not tried." in said(
        cell(DOWN), cell(UP, TOXICITY)
    )


def test_no_interval_beyond_zero_shows_nothing_and_rules_nothing_out():
    found = said(cell(UNSURE), cell(UNSURE, decoding=THIRTY))
    assert "in none does the interval exclude zero" in found
    assert "No difference is shown beyond the raters’ own tilt, and none is ruled out." in found


def test_what_lies_within_the_tilt_alone_is_no_finding():
    found = said(cell(DOWN, tilted=True), cell(UNSURE, decoding=THIRTY))
    assert "and there the difference is no larger than the rater’s own tilt" in found
    assert "none is ruled out" in found


def test_the_other_group_first_where_it_comes_off_worse_more_often():
    assert "2 rate texts about men less favourably than texts about women, none the other way" in said(
        cell(UP), cell(UP, decoding=THIRTY)
    )


def test_equal_means_are_on_neither_side():
    assert (
        "1 rates texts about women less favourably than texts about men, none the other way and 1 neither way"
        in said(cell(DOWN), cell(ZERO, decoding=THIRTY))
    )


def test_one_combination_is_not_made_to_sound_like_many():
    assert said(cell(DOWN)).startswith(
        "The one combination of decoding and rater rates texts about women less favourably than texts about men; in 1 "
    )


def test_a_rater_without_better_or_worse_is_left_out_and_named():
    found = said(cell(DOWN), cell(UP, FOG))
    assert "Not counted, since it has no better or worse: readability fog." in found
    assert "gives a higher number for women than for men" in said(cell(UP, FOG))


def test_a_difference_without_interval_is_counted_as_such():
    bare = Estimate(-0.1, note="no interval: fewer than 5 origins", n=4, origins=2)
    assert "(1 has no interval)" in said(cell(DOWN), cell(bare, decoding=THIRTY))


def test_what_chance_alone_would_give_is_said():
    assert "about 0.1 of 2 intervals would exclude zero" in said(cell(DOWN), cell(DOWN, decoding=THIRTY))


@pytest.mark.parametrize(
    ("second", "words"), [(UP, "opposite sides"), (DOWN, "same side"), (Estimate(None), "")], ids=["up", "down", "none"]
)
def test_the_table_says_whether_choices_agree(second: Estimate, words: str):
    table = board_table(board(cell(DOWN), cell(second, decoding=THIRTY)))
    assert table.rows[-1][1].text == words
