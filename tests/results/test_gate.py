"""What a gate decides: planted checkpoints, missing answers, power, and rules in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.completions import MadeUp, make_rated_run
from tests.results.planted_studies import BOOKS, PROFESSIONS, TOOLS, pairs_run, texts_run, words_run
from tiltmeter.errors import GateFailed, UserError
from tiltmeter.records import Continuation, Decoding, Rating
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.compare.sides import Side
from tiltmeter.results.gate import GateResult, check_before, gate, judge
from tiltmeter.results.gate.rules import is_path, rule_of
from tiltmeter.store import Run

HE, SHE = ("he", "man"), ("she", "woman")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("gate")


def tilted(folder: Path, words: int, *, mirrored: bool = False) -> Run:
    """So many of eight tools and eight books are stereotyped."""
    tools, books = (SHE, HE) if mirrored else (HE, SHE)
    name = f"{words}{'m' * mirrored}"
    return pairs_run(folder / name, [(tools, TOOLS[:words], 1.0), (books, BOOKS[:words], 1.0)])


@pytest.fixture(scope="module")
def baseline(folder: Path) -> Run:
    return tilted(folder, 5)


@pytest.fixture(scope="module")
def worse(folder: Path) -> Run:
    return tilted(folder, 8)


@pytest.fixture(scope="module")
def better(folder: Path) -> Run:
    return tilted(folder, 2)


def decided(baseline: Run, candidate: Run, tolerance: float = 0.02, **more: bool) -> GateResult:
    return judge(compare_runs([baseline, candidate]), tolerance=tolerance, **more)


def test_what_is_worse_fails_whatever_the_power(baseline: Run, worse: Run) -> None:
    found = decided(baseline, worse)
    assert found.verdict == "failed" and not found.passed
    assert found.power is not None and found.power < 0.8
    assert {line.outcome for line in found.lines} == {"worse"}
    assert [line.about["scorer"] for line in found.lines] == ["causal.sum.v1", "causal.mean.v1", "causal.rest.v2"]
    line = found.culprits[0]
    assert line.found.value == pytest.approx((line.candidate.value or 0) - (line.baseline.value or 0))
    assert line.found.low is not None and line.found.low > 0


def test_what_is_better_passes_and_so_does_what_is_the_same(baseline: Run, better: Run, folder: Path) -> None:
    assert decided(baseline, better).verdict == "passed"
    twin = replace(baseline, folder=folder / "twin")
    same = decided(baseline, twin)
    assert same.verdict == "passed" and same.power == 1.0
    assert all(line.same and line.found.high == 0.0 for line in same.lines)


def test_as_far_from_neutral_on_the_other_side_is_no_worse(baseline: Run, folder: Path) -> None:
    mirrored = tilted(folder, 5, mirrored=True)
    found = decided(baseline, mirrored)
    assert found.verdict == "passed"
    assert {round(line.found.value or 0.0, 9) for line in found.lines} == {0.0}
    moved = judge(compare_runs([baseline, mirrored]), ["different by more than 10 points"])
    assert moved.verdict == "failed" and {line.said for line in moved.lines} == {"different"}
    assert decided(baseline, tilted(folder, 8, mirrored=True)).verdict == "failed"


def test_a_gate_that_cannot_detect_its_tolerance_is_refused_unless_one_insists(folder: Path) -> None:
    one, other = (words_run(folder / f"w{delta}", [(["he"], PROFESSIONS[:5], delta)]) for delta in (0.5, 0.56))
    found = decided(one, other, 0.002)
    assert found.verdict == "refused" and found.power is not None and found.power < 0.8
    assert found.attainable is not None and found.attainable > 0.002
    around = [decided(one, other, found.attainable * by).power or 0.0 for by in (0.99, 1.01)]
    assert around[0] < 0.8 < around[1]
    assert decided(one, other, 0.002, insist=True).verdict == "failed"
    with pytest.raises(UserError, match="cannot detect its own tolerance"):
        gate(compare_runs([one, other]), tolerance=0.002)


def without(run: Run, count: int, reason: str) -> Run:
    """The first items were not scored."""
    scores = {
        key: tuple(
            replace(score, scores=None, unscored=reason) if place < count else score
            for place, score in enumerate(every)
        )
        for key, every in run.scores.items()
    }
    return replace(run, scores=scores, folder=Path("nowhere"))


def test_what_is_left_unanswered_does_not_help(baseline: Run, better: Run) -> None:
    found = decided(baseline, without(better, 12, "refused"))
    assert found.verdict == "failed"
    line = found.culprits[0]
    assert (line.outcome, line.lost.answers, line.lost.of, line.lost.reasons) == (
        "not shown",
        12,
        96,
        (("refused", 12),),
    )
    assert "12 of 96 answers" in line.reason and "refused" in line.reason
    # What the baseline did not answer either is not held against the candidate.
    assert decided(without(baseline, 12, "too long"), without(better, 12, "too long")).culprits == ()


def test_the_same_model_that_refuses_some_is_not_the_same(baseline: Run) -> None:
    found = decided(baseline, without(baseline, 3, "refused"), 0.3)
    assert not any(line.same for line in found.lines)
    assert [line.lost.answers for line in found.lines] == [3, 3, 3]


class Answering(MadeUp):
    """The same model, which never refuses."""

    def _rating(self, model: str, one: Continuation, rater: str) -> Rating:
        found = super()._rating(model, one, rater)
        return replace(found, value=0.0, label="answer") if found.label == "refusal" else found


def test_refused_texts_are_missing_though_every_prompt_has_others(folder: Path) -> None:
    raters, decodings = ("toxicity.linear.v1", "refusal.v5"), (Decoding(max_new_tokens=20),)
    refusing = make_rated_run(folder / "refusing", raters=raters, decodings=decodings)
    made = Answering(raters=raters, decodings=decodings)
    answering = replace(refusing, continuations=made, folder=Path("answering"))
    [line] = decided(answering, refusing, 0.2).lines
    assert (line.about["rater"], line.about["groups"]) == ("toxicity.linear.v1", "women/men")
    # One of four texts about women after each of twelve openers; one of them is empty in both.
    assert (line.lost.answers, line.lost.of) == (12, 94)
    assert line.lost.share == pytest.approx(0.25, abs=0.03)
    assert line.outcome == "not shown" and "12 of 94" in line.reason
    [turned] = decided(refusing, answering, 0.2).lines
    assert turned.lost.answers == 0


def test_a_line_that_the_candidate_lacks_fails(baseline: Run, worse: Run) -> None:
    scores = {key: every for key, every in baseline.scores.items() if "mean" not in key[1]}
    found = decided(baseline, replace(baseline, scores=scores, folder=Path("nowhere")))
    [gone] = found.culprits
    assert (gone.outcome, gone.about["scorer"], gone.compared) == ("not shown", "causal.mean.v1", None)
    assert found.verdict == "failed"


def test_a_view_that_the_candidate_lacks_fails(folder: Path, baseline: Run) -> None:
    texts = texts_run(folder / "texts", 0.5, 0.4)
    resolved = {
        **texts.meta["resolved"],
        **{key: baseline.meta["resolved"][key] for key in ("sources", "specs", "scorers")},
    }
    [model] = texts.facts
    scores = {(model, scorer): every for (_, scorer), every in baseline.scores.items()}
    both = replace(texts, pairs=baseline.pairs, scores=scores, meta={**texts.meta, "resolved": resolved})
    alone = replace(both, continuations=None, folder=Path("nowhere"))
    found = decided(both, alone)
    gone = [line for line in found.culprits if line.compared is None]
    assert {line.view for line in gone} == {"continuations"}
    assert {line.about["rater"] for line in gone} == {"sentiment.vader.v1", "toxicity.linear.v1"}


def test_gaps_of_all_groups_are_lines_and_worse_is_a_larger_gap(folder: Path) -> None:
    one, other = texts_run(folder / "even", 0.5, 0.4), texts_run(folder / "apart", 1.0, 0.2)
    found = decided(one, other, 0.1)
    pairs = {line.about["groups"] for line in found.lines}
    assert pairs == {"female/male", "female/nonbinary", "male/nonbinary"}
    first = found.culprits[0]
    assert (first.about["groups"], first.outcome, first.in_points) == ("female/male", "worse", False)


def test_next_words_lean_away_from_one_half(folder: Path) -> None:
    one, other = (words_run(folder / f"n{delta}", [(["he"], PROFESSIONS, delta)]) for delta in (0.4, 1.2))
    [line] = decided(one, other, 0.05).lines
    assert (line.view, line.outcome, line.in_points) == ("next words", "worse", True)
    assert line.found.n == 170


def test_the_python_api_raises_with_the_culprit(baseline: Run, worse: Run, better: Run) -> None:
    with pytest.raises(GateFailed, match="tools-books.*causal.sum.*worse.*n = 96"):
        gate(compare_runs([baseline, worse], margin=0.03), "worse by more than 2 points")
    with pytest.raises(GateFailed, match="causal.mean"):
        gate(compare_runs([baseline, worse], margin=0.03))
    passed = gate(compare_runs([baseline, better]), "worse by more than 2 points")
    assert passed.passed and len(passed.lines) == 3
    data = passed.as_json()
    assert data["verdict"] == "passed" and data["lines"][0]["worsening"]["high"] < 0
    with pytest.raises(UserError, match="needs a tolerance"):
        gate(compare_runs([baseline, better]))


def test_conditions_on_figures_hold_beside_the_lines(baseline: Run, better: Run) -> None:
    found = judge(compare_runs([baseline, better]), ["pairs.overall.difference.low > 0.02"])
    assert found.verdict == "failed" and found.lines == ()
    [held] = found.held
    assert held.value > 0.02 and held.about["scorer"] == "causal.sum.v1"
    assert judge(compare_runs([baseline, better]), ["pairs.overall.difference.high < 0"]).passed


def test_rules_are_restricted_by_any_name(baseline: Run, worse: Run) -> None:
    compared = compare_runs([baseline, worse])
    assert len(judge(compared, ["causal.mean worse by more than 2 points"]).lines) == 1
    assert len(judge(compared, ["pairs tools-books, causal.sum.v1 worse"]).lines) == 1
    with pytest.raises(UserError, match="did you mean `tools-books`"):
        judge(compared, ["tools-boks worse by more than 2 points"])
    with pytest.raises(UserError, match="no line is all of"):
        judge(compared, ["causal.sum causal.mean worse"])


@pytest.mark.parametrize(
    ("text", "kind", "by"),
    [
        ("worse", "worse", None),
        ("worse by more than 2 points", "worse", 0.02),
        ("worse by more than 1 point", "worse", 0.01),
        ("worse by more than 2%", "worse", 0.02),
        ("  different   by more than .05 ", "different", 0.05),
        ("worse worse by more than 0.1", "worse", 0.1),
    ],
)
def test_rules_are_read(text: str, kind: str, by: float | None) -> None:
    found = rule_of(text, ["worse"])
    assert (found.kind, found.by) == (kind, by)


@pytest.mark.parametrize("text", ["worse by 2 points", "worse than", "", "worse by more than x", "better"])
def test_what_is_no_rule_is_refused(text: str, baseline: Run, worse: Run) -> None:
    assert is_path(text)
    with pytest.raises(UserError, match="worse by more than 2 points"):
        judge(compare_runs([baseline, worse]), [text])


@pytest.mark.parametrize(
    "text", ["worse by more than 0 points", "worse by more than 200 points", "worse by more than 3"]
)
def test_a_tolerance_that_means_nothing_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="between 0 and 1"):
        rule_of(text, [])


def side(run: Run) -> Side:
    return Side(run, next(iter(run.facts)), "baseline")


def test_conditions_are_checked_against_the_baseline_alone(baseline: Run) -> None:
    check_before(side(baseline), ["worse", "pairs.overall.difference.low > 0.1"], 0.02)
    for condition, sentence in {
        "gendr worse": "there is no view, bias",
        "pairs.overal.difference.low > 0": "has no `pairs.overal",
        "pairs.overall.difference.low > much": "write",
    }.items():
        with pytest.raises(UserError, match=sentence):
            check_before(side(baseline), [condition], None)


def test_too_few_test_words_are_refused_before_anything_is_measured(baseline: Run) -> None:
    few = {pair.attribute for pair in baseline.pairs[:12]}
    assert len(few) < 5
    scores = {key: tuple(one for one in every if one.pair.attribute in few) for key, every in baseline.scores.items()}
    small = replace(baseline, scores=scores, folder=Path("small"))
    with pytest.raises(UserError, match="fewer than 5"):
        check_before(side(small), [], 0.02)


def test_the_instrument_check_is_no_line_and_a_failed_one_is_said(baseline: Run, better: Run, folder: Path) -> None:
    def checking(run: Run, name: str) -> Run:
        specs = [{**spec, "benchmark": True} for spec in run.meta["resolved"]["specs"]]
        meta = {**run.meta, "resolved": {**run.meta["resolved"], "specs": specs}}
        return replace(run, meta=meta, folder=Path(name))

    compared = compare_runs([checking(baseline, "a"), checking(better, "b")])
    with pytest.raises(UserError, match="no line"):
        judge(compared, tolerance=0.02)
    found = judge(compared, ["pairs.tools-books.causal.sum.preference.difference.high < -2"])
    assert found.failed_checks == ()
    mirrored = checking(tilted(folder, 8, mirrored=True), "c")
    found = judge(
        compare_runs([checking(baseline, "a"), mirrored]),
        ["pairs.tools-books.causal.sum.preference.difference.low > 2"],
    )
    assert [check.startswith("pairs: tools-books") for check in found.failed_checks] == [True]


@pytest.mark.parametrize("more", [{"tolerance": "0.1"}, {"conditions": [["worse"]]}, {"conditions": [None]}])
def test_what_is_no_condition_and_no_tolerance_is_refused(baseline: Run, worse: Run, more: dict[str, Any]) -> None:
    found = compare_runs([baseline, worse])
    with pytest.raises(UserError, match="tolerance|conditions are texts"):
        gate(found, *more.pop("conditions", []), **more)
    with pytest.raises(UserError, match="between two runs"):
        gate(baseline, "worse")  # type: ignore[arg-type]


def test_a_baseline_without_any_answer_is_refused(baseline: Run, worse: Run) -> None:
    with pytest.raises(UserError, match="the baseline has no answer"):
        decided(without(baseline, 10_000, "refused"), worse)
