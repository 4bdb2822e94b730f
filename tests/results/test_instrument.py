"""The check of the instrument is applied, in every view that has one, whatever the spec is called."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.completions import make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.synthetic import Tilt, make_run
from tiltmeter.present.blocks import Document
from tiltmeter.present.kept import findings_of
from tiltmeter.present.reported import Reported
from tiltmeter.records import Estimate
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.findings import summarise_findings
from tiltmeter.results.findings.instrument import (
    NO_SPEC,
    NOT_IN_VIEW,
    InstrumentCheck,
    instrument_of,
)
from tiltmeter.results.views.continuations import UNFAVOURED
from tiltmeter.store import Run
from tiltmeter.views import FACTS


def made(lean: float, terms: int = 30, **more: Any) -> Run:
    tilts = (Tilt("social", 0.5), Tilt("rivers-deserts", lean, terms=terms, benchmark=True))
    return make_run(Path("r"), tilts=tilts, **{"models": ("m",), "scorers": ("causal.sum.v1",), **more})


@pytest.mark.parametrize(
    ("value", "low", "high", "result"),
    [
        (0.3, 0.2, 0.4, "passed"),
        (0.3, -0.01, 0.6, "weak"),
        (0.07, 0.006, 0.13, "weak"),
        (0.02, -0.05, 0.09, "failed"),
        (-0.3, -0.4, -0.2, "failed"),
        (0.3, None, None, "weak"),
        (None, None, None, "not made"),
    ],
)
def test_the_rule(value: float | None, low: float | None, high: float | None, result: str) -> None:
    assert InstrumentCheck("m", "pairs", "b", "s", Estimate(value, low, high)).result == result
    assert FACTS["pairs"].least == 0.1


@pytest.mark.parametrize(
    ("lean", "terms", "result"), [(3.0, 30, "passed"), (0.0, 60, "failed"), (-3.0, 30, "failed"), (3.0, 1, "weak")]
)
def test_a_planted_effect_is_judged(lean: float, terms: int, result: str) -> None:
    run = made(lean, terms)
    summary = summarise_run(run)
    assert summary.instrument.results == {("m", "pairs"): result}
    [check] = summary.instrument.checks
    assert (check.bias, check.by) == ("rivers-deserts", "causal.sum.v1")
    record = summary.as_json()["instrument"]
    assert record[result.replace(" ", "_")] == 1 and record["checks"][0]["result"] == result
    assert record["checks"][0]["value"] == check.found.value


def test_verdicts_carry_it() -> None:
    for lean, result in ((3.0, "passed"), (-3.0, "failed")):
        run = made(lean, scorers=("causal.sum.v1", "causal.rest.v1"))
        summary = summarise_run(run)
        answered = summarise_findings([(run, summary)])
        assert {one.instrument for one in answered.findings} == {result}
        assert {one.as_json()["instrument"] for one in answered.findings} == {result}
        social = next(one for one in answered.findings if not one.question.check)
        assert social.instrument == result
        found = findings_of(Reported.of([(run, summary)], answered), Document("", "", ()))
        assert found["instrument"][result] == 1
        assert {one["instrument"] for one in found["findings"]} == {result}


def test_the_scorer_that_leads_decides_and_the_worst_source_counts() -> None:
    run = made(3.0, scorers=("causal.sum.v1", "causal.as-published.v1"))
    assert [one.by for one in instrument_of(run).checks] == ["causal.sum.v1"]
    [scores] = [found for (_, scorer), found in run.scores.items() if scorer == "causal.sum.v1"]
    turned = [
        replace(
            one, pair=replace(one.pair, source="other", id=f"o{one.pair.id}"), scores=one.scores and one.scores[::-1]
        )
        for one in scores
        if one.pair.bias == "rivers-deserts"
    ]
    both = replace(run, scores={("m", "causal.sum.v1"): (*scores, *turned)})
    found = instrument_of(both)
    assert {one.source: one.result for one in found.checks} == {"templates": "passed", "other": "failed"}
    assert found.results == {("m", "pairs"): "failed"}


def test_a_run_without_a_check_says_so() -> None:
    run = make_run(Path("r"), tilts=(Tilt("social", 0.5),), models=("m",), scorers=("causal.sum.v1",))
    found = instrument_of(run)
    assert found.checks == () and found.results == {("m", "pairs"): "not made"}
    assert found.counted() == {"failed": 0, "weak": 0, "passed": 0, "not_made": 1}


def declared(
    bias: str, groups: list[Any], tied: tuple[list[str], list[str]], *, benchmark: bool = True
) -> dict[str, Any]:
    sets = [{"terms": terms, "stereotype_of": [group]} for terms, group in zip(tied, groups, strict=True)]
    spec = {"name": bias, "title": "", "citation": "", "compare": [groups], "groups": [], "attributes": sets}
    return {**spec, "benchmark": benchmark}


def with_spec(run: Run, spec: dict[str, Any]) -> Run:
    return replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "specs": [spec]}})


def test_texts_are_checked_too(tmp_path: Path) -> None:
    """Where the attributes tied to one group are the kinder ones, its texts are expected to be rated higher."""
    run = make_rated_run(tmp_path, raters=("sentiment.vader.v1",))
    assert run.continuations
    prompts = run.continuations.prompts
    groups = list(dict.fromkeys(prompt.group for prompt in prompts))[:2]
    tied = ["love", "happy"], ["murder", "hate"]
    one, other = (
        instrument_of(with_spec(run, declared(prompts[0].bias, groups, sides))) for sides in (tied, tied[::-1])
    )
    [first], [second] = one.checks, other.checks
    assert (first.view, first.by) == ("continuations", "sentiment.vader.v1")
    assert first.found.value == -(second.found.value or 0) != 0
    assert set(one.results.values()) <= {"passed", "weak", "failed"}
    social = declared(prompts[0].bias, groups, tied, benchmark=False)
    assert instrument_of(with_spec(run, social)).checks == ()


def test_next_words_are_checked_too(tmp_path: Path) -> None:
    run = make_asked_run(tmp_path)
    words = summarise_run(run).next_words
    assert words
    cell = next(cell for cell in words.cells if not cell.of_habit)
    groups = [group for group, _ in cell.sets][:2]
    professions = sorted({item.profession for item in cell.items})
    half = len(professions) // 2
    tied = professions[:half], professions[half:]
    one, other = (instrument_of(with_spec(run, declared(cell.bias, groups, sides))) for sides in (tied, tied[::-1]))
    values = [
        {check.model: check.found.value for check in each.checks if check.view == "next words"} for each in (one, other)
    ]
    assert values[0] and all(values[0][model] == pytest.approx(-(values[1][model] or 0)) for model in values[0])
    assert all(one.results[model, "next words"] != "not made" for model in values[0])


@pytest.mark.parametrize("more", [0, 3, 40])
def test_words_that_no_lexicon_knows_do_not_undo_a_check_of_texts(more: int, tmp_path: Path) -> None:
    run = make_rated_run(tmp_path, raters=("sentiment.vader.v1",))
    assert run.continuations
    prompts = run.continuations.prompts
    groups = list(dict.fromkeys(prompt.group for prompt in prompts))[:2]
    plain = [[f"table{side}{n}" for n in range(more)] for side in "ab"]
    few = instrument_of(with_spec(run, declared(prompts[0].bias, groups, (["love"], ["murder"]))))
    many = instrument_of(
        with_spec(run, declared(prompts[0].bias, groups, (["love", *plain[0]], ["murder", *plain[1]])))
    )
    assert many.results == few.results and "not made" not in many.results.values()
    assert [one.found.value for one in many.checks] == [one.found.value for one in few.checks]


@pytest.mark.parametrize(
    ("tied", "benchmark", "why"),
    [
        ((["table"], ["chair"]), True, UNFAVOURED),
        ((["table"], ["murder"]), True, UNFAVOURED),
        ((["love"], ["joy"]), True, UNFAVOURED),
        ((["love"], ["murder"]), False, NO_SPEC),
        ((["love"], ["murder"]), True, None),
    ],
)
def test_a_check_that_is_not_made_says_why(
    tied: tuple[list[str], list[str]], benchmark: bool, why: str | None, tmp_path: Path
) -> None:
    run = make_rated_run(tmp_path, raters=("sentiment.vader.v1",))
    assert run.continuations
    prompts = run.continuations.prompts
    groups = list(dict.fromkeys(prompt.group for prompt in prompts))[:2]
    found = instrument_of(with_spec(run, declared(prompts[0].bias, groups, tied, benchmark=benchmark)))
    assert {one["why"] for one in found.as_json()["results"]} == {why}
    elsewhere = instrument_of(with_spec(run, declared("another bias", groups, (["love"], ["murder"]))))
    assert set(elsewhere.why.values()) == {NOT_IN_VIEW}
