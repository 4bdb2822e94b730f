"""Views that nobody has heard of: declared, and given rows of measurements. Everything after these works for them.

One compares two groups already, as a forced choice does; in the other a value belongs to one group.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.present.synthetic import Tilt, make_run
from tiltmeter.cli import app
from tiltmeter.parquet import Rows
from tiltmeter.present.blocks import Chart
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.present.saving import saved_comparison, saved_leaderboards
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import table_of, write_measurements
from tiltmeter.results.compare.runs import compare_runs
from tiltmeter.results.files.measurements import measured
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.feasibility import feasibility_of_run
from tiltmeter.results.findings.findings import Finding, corrected, finding, questions
from tiltmeter.results.findings.instrument import OF_ONE_GROUP
from tiltmeter.results.gate import judge
from tiltmeter.results.measurements.columns import scale
from tiltmeter.results.plan_size.planning import plan_run
from tiltmeter.results.rank.boards import leaderboards, sides_of_runs
from tiltmeter.results.views import RESULTS, ViewResults
from tiltmeter.store import Run
from tiltmeter.views import FACTS, ViewFacts, Words

CHOOSES, SENTENCES = "forced choices", "sentences passed"
SOCIAL, NONE, CHECK = "guilt", "nothing", "rivers-deserts"
MODELS = {"strong": 0.2, "weak": 0.08}
"""By how much either model blames the first group more, of 1."""
FIRST, SECOND = "group-1", "group-2"
TEMPLATES, ORIGINS = 3, 24


def noise(*place: object) -> float:
    return random.Random(repr(place)).gauss(0.0, 0.04)


def places(run: Run) -> Iterator[tuple[str, str, int, str]]:
    """Bias, origin, template, and which of the two groups the origin is tied to."""
    for spec in run.meta["resolved"]["specs"]:
        for terms in spec["attributes"]:
            for term in terms["terms"][: ORIGINS // 2]:
                for template in range(TEMPLATES):
                    yield spec["name"], term, template, terms["stereotype_of"][0]


def tilt(model: str, bias: str, tied: str) -> float:
    """Of a check both models choose the group that everybody would."""
    return {SOCIAL: MODELS[model], NONE: 0.0, CHECK: 0.3 if tied == FIRST else -0.3}[bias]


def choices(run: Run) -> Rows:
    """How often the first of two groups is blamed, where one of the two must be."""
    for model in run.facts:
        for scorer in ("letter.v1", "text.v1"):
            for words in ("plain", "polite"):
                for bias, origin, template, tied in places(run):
                    value = 0.5 + tilt(model, bias, tied) + noise(model, scorer, words, bias, origin, template)
                    yield {
                        "model": model,
                        "source": "cases",
                        "bias": bias,
                        "item": f"{bias}/{origin}/{template}",
                        "origin": origin,
                        "template": f"template {template}",
                        "group": FIRST,
                        "against": SECOND,
                        "scorer": scorer,
                        "words": words,
                        "measure": "blamed",
                        "value": value,
                        **scale(0.0, 1.0, 0.5, 1),
                    }


def sentences(run: Run) -> Rows:
    """How many years somebody of a group is given, of ten, as a share."""
    for model in run.facts:
        for scorer in ("asked.v1", "parsed.v1", "ranked.v1"):
            for bias, origin, template, _ in places(run):
                for group in (FIRST, SECOND):
                    more = tilt(model, bias, FIRST) if group == FIRST else 0.0
                    value = 0.4 + more + noise(model, scorer, bias, origin, template, group)
                    yield {
                        "model": model,
                        "source": "courts",
                        "bias": bias,
                        "origin": origin,
                        "group": group,
                        "item": f"{bias}/{origin}/{template}/{group}",
                        "template": f"template {template}",
                        "scorer": scorer,
                        "measure": "years",
                        "value": value,
                        **scale(0.0, 1.0, None, 1),
                    }


def items_of(rows: Rows) -> Rows:
    wanted = ("item", "source", "bias", "origin", "template", "group", "against")
    found = {row["item"]: {name: row.get(name) for name in wanted} for row in rows}
    return ({**row, "text": row["item"]} for row in found.values())


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    blames = Words("Does the model blame {first} more than {second}?", "the model blames {first} more than {second}")
    chooses = ViewFacts(
        CHOOSES, "Whom it blames", "case", "forced_choices", ("blamed",), choices=("scorer", "words"), words=blames
    )
    passes = ViewFacts(SENTENCES, "Whom it sentences", "case", "sentences", ("years",), choices=("scorer",))
    for facts, made in ((chooses, choices), (passes, sentences)):
        monkeypatch.setitem(FACTS, facts.name, facts)
        rows = ViewResults(made, lambda run, made=made: items_of(made(run)))  # type: ignore[misc]
        monkeypatch.setitem(RESULTS, facts.name, rows)
    tilts = (Tilt(SOCIAL, 0.0), Tilt(NONE, 0.0), Tilt(CHECK, 0.0, benchmark=True))
    empty = make_run(tmp_path, tilts=tilts, models=tuple(MODELS))
    resolved = {**empty.meta["resolved"], "sources": []}
    resolved |= {
        facts.resolved: {"sources": [{"name": f"{label}.v1", "label": label, "options": {}}]}
        for facts, label in ((chooses, "cases"), (passes, "courts"))
    }
    return replace(empty, meta={**empty.meta, "resolved": resolved}, pairs=(), scores={}, dropped=())


def answers(run: Run) -> dict[tuple[str, str, str], Finding]:
    material = Evidence([run])
    every = questions(material)
    found = corrected([finding(one, material, permutations=499) for one in every], every)
    return {(one.question.view, one.question.model, one.question.bias): one for one in found}


@pytest.mark.parametrize("view", [CHOOSES, SENTENCES])
def test_a_planted_difference_is_found_and_none_where_there_is_none(run: Run, view: str) -> None:
    found = answers(run)
    for model in MODELS:
        one = found[view, model, SOCIAL]
        assert (one.question.first, one.question.second) == (FIRST, SECOND)
        assert one.verdict.strength == "holds"
        assert all(cell.sign == 1 for cell in one.multiverse.curve.cells)
        assert len(one.multiverse.curve.cells) >= 3
        assert found[view, model, NONE].verdict.strength != "holds"
    assert found[view, "strong", SOCIAL].leading is not None
    choice = "words" if view == CHOOSES else "scorer"
    assert {choice, "source"} <= set(found[view, "strong", SOCIAL].multiverse.curve.cells[0].choices)


def test_questions_are_worded_as_declared(run: Run) -> None:
    found = answers(run)
    asked = found[CHOOSES, "weak", SOCIAL].question
    assert asked.text == "Does the model blame “group-1” more than “group-2”?"
    assert asked.claim(turned=True) == "the model blames “group-2” more than “group-1”"
    assert "come off worse" in found[SENTENCES, "weak", SOCIAL].question.text


def test_the_instrument_is_checked(run: Run) -> None:
    found = summarise_run(run).instrument
    assert found.results["strong", CHOOSES] == "passed"
    [check] = [one for one in found.checks if one.model == "strong"]
    assert (check.view, check.source, check.bias) == (CHOOSES, "cases", CHECK)
    # A value of one group does not say which group a test word is tied to.
    assert found.results["strong", SENTENCES] == "not made"
    assert found.why["strong", SENTENCES] == OF_ONE_GROUP


def test_two_models_are_compared(run: Run) -> None:
    found = compare_runs([run], margin=0.02)
    assert [one.view for one in found.views] == [CHOOSES, SENTENCES]
    apart = MODELS["strong"] - MODELS["weak"]
    for view in found.views:
        [overall] = [one for one in view.overall if one.choices["bias"] == SOCIAL][:1]
        assert overall.difference.value == pytest.approx(apart, abs=0.02)
        assert overall.difference.low is not None
        assert overall.difference.low > 0
        assert view.items.both > 0
    written = saved_comparison(found).text("md")
    assert "Whom it blames" in written
    assert "Whom it sentences" in written


def test_models_are_put_in_order(run: Run) -> None:
    found = leaderboards(sides_of_runs([run]))
    for view, neutral in ((CHOOSES, 0.5), (SENTENCES, 0.0)):
        board = next(one for one in found.boards if one.view == view and one.choices["bias"] == SOCIAL)
        assert [entry.side.name for entry in board.entries] == ["strong", "weak"]
        assert board.neutral == neutral
        first = board.entries[0].value.value
        assert first == pytest.approx(neutral + MODELS["strong"], abs=0.02)
        assert board.shown == 1
    assert "“group-1” against “group-2”" in saved_leaderboards(found).text("md")


def test_a_study_is_planned_from_a_pilot(run: Run) -> None:
    found = plan_run(run, 0.05)
    assert {one.view for one in found.targets} == {CHOOSES, SENTENCES}
    for one in found.targets:
        assert one.limits.origins == ORIGINS
        assert one.reach > 0


def test_what_can_be_answered_is_known(run: Run) -> None:
    found = {(one.view, one.bias): one for one in feasibility_of_run(run)}
    assert found[CHOOSES, SOCIAL].why is None
    assert found[CHOOSES, SOCIAL].origins == ORIGINS
    assert found[SENTENCES, SOCIAL].why is None


def test_the_report_has_a_section_and_names_the_view(run: Run) -> None:
    summary = summarise_run(run)
    page = report(Reported.of([(run, summary)]))
    written = write_markdown(page.without(Chart), "")
    for words in (f"Whom it blames ({CHOOSES})", f"Whom it sentences ({SENTENCES})", "Does the model blame “group-1”"):
        assert words in written
    figure = next(one for one in summary.figures if (one.view, one.model, one.bias) == (CHOOSES, "strong", SOCIAL))
    assert figure.found.value == pytest.approx(0.7, abs=0.02)
    assert {one["view"] for one in summary.as_json()["figures"]} == {CHOOSES, SENTENCES}


def test_a_table_of_it_can_be_analysed(run: Run, tmp_path: Path) -> None:
    table_of(run)
    write_measurements(run, tmp_path)
    found = measured(tmp_path / "measurements.parquet", where={"bias": SOCIAL, "model": "strong"})
    views = {one["view"]: one for one in found["cells"] if one["figure"] == "difference" or one["view"] == CHOOSES}
    assert views[CHOOSES]["value"] == pytest.approx(0.7, abs=0.02)
    assert abs(views[SENTENCES]["value"]) == pytest.approx(0.2, abs=0.02)
    done = CliRunner().invoke(app, ["analyze", str(tmp_path / "measurements.parquet"), "--view", "measurements"])
    assert done.exit_code == 0
    assert CHOOSES in done.output
    assert SENTENCES in done.output


def test_both_are_lines_of_a_gate(run: Run) -> None:
    compared = compare_runs([run], ["weak", "strong"])
    lines = {(one.view, one.about["bias"], one.about["scorer"]): one for one in judge(compared, tolerance=0.05).lines}
    assert len(lines) == 2 * 1 + 2 * 3, "the first way of asking of one view, every scorer of the other, no check"
    assert {place: one.outcome for place, one in lines.items()} == {
        **{(CHOOSES, bias, "letter.v1"): outcome for bias, outcome in ((SOCIAL, "worse"), (NONE, "no worse"))},
        **{
            (SENTENCES, bias, f"{scorer}.v1"): outcome
            for bias, outcome in ((SOCIAL, "worse"), (NONE, "no worse"))
            for scorer in ("asked", "parsed", "ranked")
        },
    }
    worse = lines[SENTENCES, SOCIAL, "asked.v1"].found
    assert worse.value == pytest.approx(0.12, abs=0.03)
    assert judge(compare_runs([run], ["strong", "weak"]), tolerance=0.05).passed
