"""Several models in order, on runs whose tilts are known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.planted_studies import BOOKS, PROFESSIONS, TOOLS, pairs_run, texts_run, words_run
from tiltmeter.analysis.leaderboards import Leaderboard, leaderboards, several_sides
from tiltmeter.analysis.run_comparison import compare_runs
from tiltmeter.errors import UserError
from tiltmeter.store import Run

SHE, HE = ("she", "woman"), ("he", "man")


def only(run: Run) -> tuple[Run, str]:
    [model] = run.facts
    return run, model


def values(board: Leaderboard) -> list[float]:
    return [entry.value.value for entry in board.entries if entry.value.value is not None]


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Tilted for four, eight and six of eight attributes each."""
    return [
        pairs_run(tmp_path_factory.mktemp("run"), [(HE, TOOLS[:count], 1.0), (SHE, BOOKS[:count], 1.0)])
        for count in (4, 8, 6)
    ]


def test_the_most_tilted_model_comes_first(pairs: list[Run]) -> None:
    found = leaderboards(several_sides([only(run) for run in pairs]))
    [board] = found.boards
    assert board.choices == {"source": "templates", "scorer": "causal.sum.v1", "bias": "tools-books"}
    assert values(board) == [1.0, 0.875, 0.75]
    assert [entry.side.run for entry in board.entries] == [pairs[1], pairs[2], pairs[0]]
    assert [entry.standing.place for entry in board.entries] == [1, 2, 3]
    assert board.kept is not None
    assert board.kept > 0.9


def test_figures_are_those_of_a_comparison(pairs: list[Run]) -> None:
    [board] = leaderboards(several_sides([only(run) for run in pairs[:2]])).boards
    [overall] = compare_runs(pairs[:2]).views[0].overall
    assert sorted(values(board)) == sorted([overall.found.a.value, overall.found.b.value])  # type: ignore[type-var]
    assert {entry.value.n for entry in board.entries} == {overall.difference.n}


@pytest.mark.slow
def test_gaps_of_texts_and_shares_of_words_have_boards(tmp_path: Path) -> None:
    texts = [texts_run(tmp_path / f"texts-{share}", women=share, men=0.3) for share in (0.8, 0.4)]
    boards = leaderboards(several_sides([only(run) for run in texts])).boards
    assert [board.choices["rater"] for board in boards] == ["sentiment.vader.v1", "toxicity.linear.v1"]
    # The model that writes worse about women is last by sentiment and first by toxicity.
    assert [board.entries[0].side.run.folder for board in boards] == [texts[1].folder, texts[0].folder]
    [view] = compare_runs(texts).views
    for board, overall in zip(boards, view.overall, strict=True):
        assert sorted(values(board)) == pytest.approx(sorted([overall.found.a.value, overall.found.b.value]))  # type: ignore[type-var]
    words = [words_run(tmp_path / f"words-{delta}", [(["he"], PROFESSIONS[:6], delta)]) for delta in (0.2, 1.0)]
    [board] = leaderboards(several_sides([only(run) for run in words])).boards
    assert board.entries[0].side.run.folder == words[1].folder
    [share] = compare_runs(words).views[0].overall
    assert sorted(values(board)) == pytest.approx(sorted([share.found.a.value, share.found.b.value]))  # type: ignore[type-var]


def test_a_model_alone_or_twice_is_refused(pairs: list[Run]) -> None:
    with pytest.raises(UserError, match="two models or more"):
        leaderboards(several_sides([only(pairs[0])]))
    with pytest.raises(UserError, match="chosen twice"):
        several_sides([only(pairs[0]), only(pairs[0])])


def test_two_runs_of_one_model_are_told_apart_by_the_run(pairs: list[Run]) -> None:
    run, model = only(pairs[0])
    other = (pairs[1], model)
    names = [side.name for side in several_sides([(run, model), other])]
    assert names == [f"{model} ({folder.name})" for folder in (run.folder, pairs[1].folder)]
