"""Several models in order, on runs whose tilts are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import pytest

from tests.results.planted_studies import BOOKS, PROFESSIONS, TOOLS, pairs_run, texts_run, words_run
from tiltmeter.errors import UserError
from tiltmeter.results.cells import Measurement
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.rank.boards import (
    ItemValues,
    figure_of_differences,
    items_of,
    leaderboards,
    several_sides,
    share_of_words,
    sides_of_runs,
)
from tiltmeter.results.rank.records import Leaderboard
from tiltmeter.stats.comparing.ranking import rank_models
from tiltmeter.stats.estimates import estimate
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
    # They differ by half a choice on 4, 8 and 4 of 16 words: only the first and the last differ on six or more.
    assert {(one.value, one.origins) for one in board.differences} == {(-0.25, 8), (-0.125, 4), (0.125, 4)}
    assert [entry.standing.above for entry in board.entries] == [(board.entries[2].side.name,), (), ()]
    assert [(entry.standing.low, entry.standing.high) for entry in board.entries] == [(1, 2), (1, 3), (2, 3)]
    assert (board.shown, board.pairs) == (1, 3)
    assert board.note is not None


def test_two_models_differ_as_a_comparison_says(pairs: list[Run]) -> None:
    [board] = leaderboards(several_sides([only(run) for run in pairs[:2]])).boards
    [overall] = compare_runs(pairs[:2]).views[0].overall
    [apart] = board.differences
    assert (apart.value, apart.p, apart.p_holm) == (overall.difference.value, overall.difference.p, apart.p)


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


def test_places_by_next_words_are_uncertain_over_templates_too() -> None:
    # All professions agree, and yet it is one template of eight that tells the models apart.
    prompts = [
        Measurement(f"{at} {template}", f"profession {at}", "he", template=f"template {template}")
        for at in range(12)
        for template in range(8)
    ]

    def above(values: Sequence[tuple[float, float]]) -> list[tuple[str, ...]]:
        rows = [ItemValues((), of, both) for of, both in zip(prompts, values, strict=True)]
        means = {name: fmean(both[at] for both in values) for at, name in enumerate("ab")}
        return [
            one.above
            for one in rank_models(means, items_of(rows), figure_of_differences(share_of_words(rows))).standings
        ]

    one = [(0.8 if of.template == "template 1" else 0.5, 0.5 - 0.001 * (at % 3)) for at, of in enumerate(prompts)]
    assert above(one) == [(), ()]
    assert above([(0.7 + 0.001 * (at % 5), 0.5) for at in range(len(prompts))]) == [("b",), ()]


def test_a_model_alone_or_twice_is_refused(pairs: list[Run]) -> None:
    with pytest.raises(UserError, match="two models or more"):
        leaderboards(several_sides([only(pairs[0])]))
    with pytest.raises(UserError, match="chosen twice"):
        several_sides([only(pairs[0]), only(pairs[0])])


def test_two_runs_of_one_model_are_told_apart_by_the_run(pairs: list[Run]) -> None:
    run, model = only(pairs[0])
    other, same = (replace(run, folder=folder) for folder in (Path("b/after"), Path("c/after")))
    names = [side.name for side in several_sides([(run, model), (other, model)])]
    assert names == [f"{model} (run)", f"{model} (after)"]
    names = [side.name for side in several_sides([(run, model), (other, model), (same, model)])]
    assert names == [f"{model} (run)", f"{model} (b/after)", f"{model} (c/after)"]


def test_figures_are_those_worked_out_by_hand(pairs: list[Run]) -> None:
    """A tilted attribute is chosen always, one without a tilt is a tie: eight and eight, so 12 of 16 for the first."""
    [board] = leaderboards(several_sides([only(run) for run in pairs])).boards
    for run, count in zip(pairs, (4, 8, 6), strict=True):
        tilted = {*TOOLS[:count], *BOOKS[:count]}
        by_hand = estimate(
            [1.0 if pair.attribute in tilted else 0.5 for pair in run.pairs],
            [pair.attribute or "" for pair in run.pairs],
            strata=[(pair.bias, pair.attribute_set or "") for pair in run.pairs],
            further={
                "templates": [pair.template for pair in run.pairs],
                "terms": ["/".join(pair.terms) for pair in run.pairs],
            },
        )
        [entry] = [entry for entry in board.entries if entry.side.run is run]
        assert entry.value == by_hand
        assert (entry.value.n, entry.value.n_unscored, entry.value.origins) == (96, 0, 16)


def unscored(run: Run, first: int) -> Run:
    """The same run, in which the first pairs could not be scored."""
    scores = {
        key: [replace(one, scores=None, unscored="too long") if at < first else one for at, one in enumerate(every)]
        for key, every in run.scores.items()
    }
    return replace(run, scores=scores)


def test_what_one_model_could_not_score_is_unscored_for_all(pairs: list[Run]) -> None:
    [board] = leaderboards(several_sides([only(pairs[0]), only(unscored(pairs[1], 5)), only(pairs[2])])).boards
    assert [(entry.value.n, entry.value.n_unscored) for entry in board.entries] == [(91, 5)] * 3
    assert board.left_out == 0


def test_what_not_all_were_asked_is_counted_and_left_out(pairs: list[Run]) -> None:
    asked_less = replace(pairs[1], scores={key: every[:36] for key, every in pairs[1].scores.items()})
    found = leaderboards(several_sides([only(pairs[0]), only(asked_less)]))
    [board] = found.boards
    assert {entry.value.n for entry in board.entries} == {36}
    assert board.left_out == 60
    assert board.as_json()["left_out"] == 60


def test_a_bias_or_a_view_that_one_model_lacks_is_named(pairs: list[Run]) -> None:
    other = replace(pairs[0], folder=Path("other"))
    renamed = {
        key: [*every, *(replace(one, pair=replace(one.pair, bias="more")) for one in every)]
        for key, every in other.scores.items()
    }
    with_more = replace(other, scores=renamed)
    [model] = other.facts
    found = leaderboards(several_sides([only(pairs[0]), (with_more, model)]))
    assert [board.choices["bias"] for board in found.boards] == ["tools-books"]
    assert f"pairs: more (templates) left out, missing in {model} (run)" in found.notes
    assert found.as_json()["notes"] == list(found.notes)


def test_models_that_share_no_scorer_are_told_so(pairs: list[Run]) -> None:
    masked = {(model, scorer.replace("causal.", "masked.")): own for (model, scorer), own in pairs[1].scores.items()}
    with pytest.raises(UserError) as refused:
        leaderboards(several_sides([only(pairs[0]), only(replace(pairs[1], scores=masked))]))
    assert "(pairs: tools-books (templates) left out, since not all models share a scorer): run" in str(refused.value)


def test_places_and_the_order_can_be_named_in_conditions(pairs: list[Run]) -> None:
    found = leaderboards(several_sides([only(run) for run in pairs]))
    [board] = found.boards
    order, *models = found.for_conditions()
    assert order == {"pairs": {"tools-books": {"order_shown": 1, "order_pairs": 3, "left_out": 0}}}
    first = board.entries[0]
    assert models[0]["pairs"]["tools-books"][first.side.name]["value"]["low"] == first.value.low
    assert models[0]["pairs"]["tools-books"][first.side.name]["standing"]["place"] == 1


def test_every_model_of_the_runs_is_meant_unless_some_are_named(pairs: list[Run]) -> None:
    run, model = only(pairs[0])
    facts, scorers = run.facts[model], [scorer for _, scorer in run.scores]
    several = replace(
        run,
        facts={name: replace(facts, name=name) for name in ("m", "n")},
        scores={(name, scorer): run.scores[model, scorer] for name in ("m", "n") for scorer in scorers},
    )
    assert [side.name for side in sides_of_runs([several, pairs[1]])] == ["m", "n", only(pairs[1])[1]]
    assert [side.name for side in sides_of_runs([several], ["n"])] == ["n"]
    with pytest.raises(UserError, match="there is no model `o`"):
        sides_of_runs([several], ["n", "o"])
    with pytest.raises(UserError, match=r"run: has nothing to put in order: it has planted"):
        sides_of_runs([several, pairs[1]], ["n", "m"])
    with pytest.raises(UserError, match="no model has answered yet"):
        sides_of_runs([replace(run, facts={})])
    with pytest.raises(UserError, match="is given twice"):
        sides_of_runs([run, replace(run, folder=run.folder / ".." / "run")])


def rescored(run: Run, version: str) -> Run:
    scores = {
        (model, scorer.replace("sum.v1", f"sum.{version}")): every for (model, scorer), every in run.scores.items()
    }
    return replace(run, scores=scores)


def test_every_two_models_must_have_been_measured_alike(pairs: list[Run]) -> None:
    """The first has no scorer of sums, and could be compared with either."""
    without = {key: every for key, every in pairs[0].scores.items() if key[1] != "causal.sum.v1"}
    runs = [replace(pairs[0], scores=without), pairs[1], rescored(pairs[2], "v2")]
    with pytest.raises(UserError, match=r"causal\.sum is v1 in the one and v2 in the other"):
        leaderboards(several_sides([only(run) for run in runs]))


def test_a_view_that_was_asked_for_and_that_a_model_lacks_is_refused(pairs: list[Run]) -> None:
    with pytest.raises(UserError, match="has no next words of"):
        leaderboards(several_sides([only(run) for run in pairs]), ["next words"])
