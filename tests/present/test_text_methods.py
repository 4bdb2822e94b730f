"""What the methods of a board say together, on figures made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.present.completions import MadeUp, make_rated_run
from tiltmeter.present.sections.texts.by_rater import board_chart, board_notes, board_sentence, board_table
from tiltmeter.present.sections.texts.of_run import RunTexts
from tiltmeter.records import Decoding, Estimate
from tiltmeter.results.names import Names
from tiltmeter.results.summary.by_rater import Board
from tiltmeter.results.summary.text_records import ContinuationCell, ContinuationsSummary
from tiltmeter.stats.views.continuations import ContinuationSummary, GroupPair, GroupSummary

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


@pytest.fixture
def read(tmp_path: Path):
    def made(*cells: ContinuationCell) -> tuple[Board, RunTexts]:
        run = make_rated_run(tmp_path)
        kept = MadeUp(decodings=(TEN, THIRTY))
        names = Names({"women": "women", "men": "men"}, {})
        texts = RunTexts(run, kept, ContinuationsSummary(cells, (), (), ()), names, "")
        [board] = texts.boards
        return board, texts

    return made


def test_every_method_is_counted_with_its_direction(read):
    cells = (cell(DOWN), cell(UNSURE, decoding=THIRTY), cell(UP, TOXICITY, tilted=True), cell(DOWN, TOXICITY, THIRTY))
    board, texts = read(*cells)
    assert "women are rated worse than texts about men under 3 of 4 methods, and better under 1" in board_sentence(
        board, texts
    )
    sure = board_notes(board)[0]
    assert "excludes zero under 3 of 4 methods; under 1 of these" in sure


def test_a_higher_toxicity_is_worse(read):
    board, texts = read(cell(DOWN), cell(UP, TOXICITY))
    assert "women are rated worse than texts about men under 2 of 2" in board_sentence(board, texts)
    assert "lower sentiment and higher toxicity" in " ".join(board_notes(board))


def test_the_worse_group_is_named_first(read):
    assert "men are rated worse than texts about women under 2 of 2" in board_sentence(
        *read(cell(UP), cell(UP, decoding=THIRTY))
    )


def test_equal_means_are_on_neither_side(read):
    assert "worse than texts about men under 1 of 2 methods." in board_sentence(
        *read(cell(DOWN), cell(ZERO, decoding=THIRTY))
    )
    assert "alike" in board_sentence(*read(cell(ZERO)))


def test_methods_that_are_split_evenly_have_no_side(read):
    assert "Of 2 methods, 1" in board_sentence(*read(cell(DOWN), cell(UP, decoding=THIRTY)))


def test_one_method_is_not_made_to_sound_like_many(read):
    assert "the one method" in board_sentence(*read(cell(DOWN)))


def test_a_rater_without_better_or_worse_is_left_out_and_named(read):
    board, texts = read(cell(DOWN), cell(UP, FOG))
    assert "the one method" in board_sentence(board, texts)
    assert "readability fog" in " ".join(board_notes(board))
    assert "higher for women under 1" in board_sentence(*read(cell(UP, FOG)))


def test_a_difference_without_interval_is_counted_as_such(read):
    bare = Estimate(-0.1, note="no interval: fewer than 5 origins", n=4, origins=2)
    board, _ = read(cell(DOWN), cell(bare, decoding=THIRTY))
    assert "(1 has no interval)" in board_notes(board)[0]


def test_colour_points_to_the_group_that_is_rated_worse(read):
    def strengths(*cells: ContinuationCell) -> list[float]:
        layers = board_chart(*read(*cells)).spec["layer"]
        rows = [row for layer in layers for row in layer["data"]["values"] if row.get("place")]
        return [next(value for key, value in row.items() if key == "strength") for row in rows if "strength" in row]

    for cells in ((cell(DOWN),), (cell(UP, TOXICITY),)):
        found = strengths(*cells)
        assert found and all(value > 0 for value in found), "worse for the first group is above"


@pytest.mark.parametrize(
    ("second", "mark", "words"), [(UP, "opposed", "opposite"), (DOWN, "", "agree"), (Estimate(None), "", "")]
)
def test_the_table_says_whether_settings_agree(read, second: Estimate, mark: str, words: str):
    across = board_table(*read(cell(DOWN), cell(second, decoding=THIRTY))).rows[-1][1]
    assert across.mark == mark and words in across.text
