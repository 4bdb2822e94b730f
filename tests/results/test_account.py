"""What was done is read off the record, and from one place."""

from __future__ import annotations

import json
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.synthetic import TILTS, Tilt, make_run
from tiltmeter import registry
from tiltmeter.engine import carry_out
from tiltmeter.engine.plan_size import size_of
from tiltmeter.records import Estimate
from tiltmeter.results import summarise_run
from tiltmeter.results.account import NOT_STATED, Account, account, estimates_in, varied_choices
from tiltmeter.results.findings.findings import Finding, summarise_findings
from tiltmeter.sources.interface import Source
from tiltmeter.store import Run
from tiltmeter.study import parse, plan
from tiltmeter.views import VIEWS, View

ONE_SCORER = ("causal.sum.v1",)


def account_of(run: Run) -> Account:
    runs = [(run, summarise_run(run))]
    return account(runs, summarise_findings(runs))


def answers_of(run: Run) -> tuple[Finding, ...]:
    return summarise_findings([(run, summarise_run(run))]).findings


@pytest.mark.parametrize("view", VIEWS)
def test_every_source_declares_where_its_text_comes_from(view: View) -> None:
    brought = {"pairs-file.v1", "prompts-file.v1", "questions-file.v1"}
    for name in registry.names("source", view):
        nature = Source.named(name, view).declared("NATURE")
        assert (nature is None) == (name in brought), name


@pytest.mark.parametrize(
    ("name", "nature"),
    [("bold.v1", "natural"), ("own-prompts.v1", "template"), ("prompts-file.v1", NOT_STATED), ("gone.v1", NOT_STATED)],
)
def test_the_nature_of_a_source_is_that_which_it_declares(tmp_path: Path, name: str, nature: str) -> None:
    run = make_rated_run(tmp_path, openers=4)
    assert run.continuations
    label = run.continuations.prompts[0].source
    chosen = {"samples": 1, "sources": [{"name": name, "label": label}]}
    resolved = {**run.meta["resolved"], "continuations": chosen}
    done = account_of(replace(run, meta={**run.meta, "resolved": resolved}))
    assert [(one.name, set(one.natures)) for one in done.of("continuations")] == [(name, {nature})]


def test_what_an_item_says_of_itself_goes_before_what_its_source_declares(tmp_path: Path) -> None:
    run = make_asked_run(tmp_path, professions=("nurse", "smith"))
    assert run.next_words
    said = {one.asked.prompt.status for one in run.next_words.asked} - {""}
    assert {nature for source in account_of(run).of("next words") for nature in source.natures} >= said != set()


@pytest.mark.parametrize(("terms", "method"), [(2, None), (6, "cluster-score.v2"), (30, "cluster-score.v2")])
def test_every_interval_says_how_it_was_made(terms: int, method: str | None) -> None:
    run = make_run(Path("r"), tilts=(Tilt("gender", 0.5, terms=terms),), models=("m",), scorers=ONE_SCORER)
    found = summarise_run(run).cells[0].summary.by_bias["gender"]
    assert (found.method if found.low is not None else None) == method == found.as_json()["method"]


@pytest.mark.slow
def test_no_interval_of_any_view_is_without_a_method(tmp_path: Path) -> None:
    for run in (make_run(Path("r")), make_rated_run(tmp_path / "t"), make_asked_run(tmp_path / "w")):
        summary = summarise_run(run)
        parts = (summary.cells, summary.continuations, summary.next_words, summary.views, summary.comparisons)
        every = [one for part in parts for one in estimates_in(part)]
        assert any(one.low is not None for one in every)
        assert all(one.method for one in every if one.low is not None)
        assert all(one.as_json()["method"] is None for one in every if one.low is None)
        done = account([(run, summary)], summarise_findings([(run, summary)]))
        assert all(NOT_STATED not in found.methods for found in done.intervals.values())
        json.dumps(done.as_json(), allow_nan=False)


def test_choices_count_as_varied_within_a_question_only() -> None:
    """Two questions with one source each do not vary the source; two raters with a scope each do not vary the scope."""
    [one] = answers_of(make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=ONE_SCORER))
    cell = one.multiverse.curve.cells[0]

    def of(*choices: dict[str, str]) -> Finding:
        curve = replace(one.multiverse.curve, cells=tuple(replace(cell, choices=each) for each in choices))
        return replace(one, multiverse=replace(one.multiverse, curve=curve))

    two = [of({"source": "a", "rater": "x"}), of({"source": "b", "rater": "x"})]
    assert varied_choices(two) == ()
    scopes = of(*({"source": "a", "rater": rater, "scope": scope} for rater, scope in ("xw", "yc", "zc")))
    [only] = varied_choices([scopes])
    assert (only.choice, only.settings, only.alongside) == ("rater", 3, ())
    [both] = varied_choices([of({"rater": "x", "scope": "w"}, {"rater": "y", "scope": "c"})])
    assert (both.choice, both.settings, both.alongside) == ("rater", 2, ("scope",))
    crossed = of(*({"rater": rater, "scope": scope} for rater in "xy" for scope in "wc"))
    assert {(each.choice, each.settings) for each in varied_choices([crossed, *two])} == {("rater", 2), ("scope", 2)}
    apart = of(
        {"source": "a", "rater": "x", "k": "1"},
        {"source": "a", "rater": "y", "k": "2"},
        {"source": "b", "rater": "x", "k": "2"},
    )
    assert {each.choice for each in varied_choices([apart])} == set(), "no two cells differ in one thing alone"


def test_a_cell_without_a_value_varies_nothing() -> None:
    [one] = answers_of(make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1", "causal.rest.v1")))
    assert "scorer" in {each.choice for each in varied_choices([one])}
    cells = one.multiverse.curve.cells
    silent = tuple(replace(each, sign=None) if "sum" in each.choices["scorer"] else each for each in cells)
    curve = replace(one.multiverse.curve, cells=silent)
    without = replace(one, multiverse=replace(one.multiverse, curve=curve))
    assert "scorer" not in {each.choice for each in varied_choices([without])}


def test_pairs_that_differ_elsewhere_are_not_called_alike() -> None:
    run = make_run(Path("r"), tilts=TILTS[:1], models=("m",), scorers=ONE_SCORER)
    done = account_of(run)
    assert 0 < done.alike == done.pairs
    other = replace(run.pairs[0], texts=(run.pairs[0].texts[0], run.pairs[0].texts[1] + " Indeed."))
    assert account_of(replace(run, pairs=(other, *run.pairs[1:]))).alike == done.pairs - 1


def test_an_estimate_without_an_interval_keeps_no_method() -> None:
    assert Estimate(0.5, method="student").as_json()["method"] is None


SITUATIONS = """\
name = "situations"
models = ["scripted"]
[continuations]
sources = [{ own-prompts = { kind = "situations" } }, { own-prompts = { domain = "disability", per_group = 2 } }]
samples = 2
decoding = { max_new_tokens = 4 }
raters = ["sentiment.vader"]
"""


def test_situations_are_part_of_what_was_done(tmp_path: Path) -> None:
    """How few they are was not said: thirteen with a direction about gender, four about age, one about religion."""
    made = plan(parse(SITUATIONS))
    size = size_of(made).as_json()
    assert (size["prompts"] - size["situations"], size["situations"]) == (2 * size["groups"], 22)
    done = account_of(carry_out(made, tmp_path / "r"))
    few = {bias.partition("/")[2]: one.origins for (view, bias), one in done.origins.items() if view == "continuations"}
    assert few == {"gender": 13, "age": 4, "religion": 1, "disability": 2}


def apart(run: Run) -> Run:
    """The same run as if every prompt had an origin of its own, as articles have."""
    assert run.continuations
    own = [replace(prompt, origin=f"{prompt.group} {prompt.origin}") for prompt in run.continuations.prompts]
    texts = copy(run.continuations)
    texts.prompts = own  # type: ignore[misc]
    return replace(run, continuations=texts)


def test_prompts_that_share_no_origin_are_not_taken_for_alike(tmp_path: Path) -> None:
    run = make_rated_run(tmp_path, openers=4)
    assert run.continuations
    runs = [(run, summarise_run(run))]
    answered = summarise_findings(runs)
    assert account(runs, answered).unlike == ()
    assert account([(apart(run), runs[0][1])], answered).unlike == (run.continuations.prompts[0].source,)


@pytest.mark.slow
def test_every_two_groups_of_a_bias_are_asked_and_counted(tmp_path: Path) -> None:
    """Of k groups k (k − 1)/2 comparisons, of each bias and model."""
    run = make_rated_run(tmp_path, openers=6, biases=("gender", "religion"))
    assert run.continuations
    groups: dict[str, set[str]] = {}
    for prompt in run.continuations.prompts:
        groups.setdefault(prompt.bias, set()).add(prompt.group or "")
    assert max(map(len, groups.values())) > 2
    pairs = sum(len(found) * (len(found) - 1) // 2 for found in groups.values())
    runs = [(run, summarise_run(run))]
    answered = summarise_findings(runs)
    models = len({one.question.model for one in answered.findings})
    assert len({one.question.key for one in answered.findings}) * models == len(answered.findings)
    assert len(answered.findings) + answered.left_out == models * pairs
    assert {one.verdict.questions for one in answered.findings} == {models * pairs}
    assert account(runs, answered).questions == models * pairs


def test_a_question_without_any_value_is_asked_and_not_answered() -> None:
    run = make_run(Path("r"), tilts=(Tilt("a", 1.0), Tilt("b", 1.0)), models=("m",), scorers=ONE_SCORER)
    scores = {
        place: [replace(one, scores=None, unscored="no") if one.pair.bias == "b" else one for one in found]
        for place, found in run.scores.items()
    }
    done = account_of(replace(run, scores=scores))
    assert (done.questions, done.answered) == (2, 1)
    assert done.as_json()["answered"] == 1


def test_figures_that_lead_and_have_no_interval_are_counted_with_the_reason(tmp_path: Path) -> None:
    """Thirteen situations about gender have an interval, four about age have none, nor has one about religion."""
    found = account_of(carry_out(plan(parse(SITUATIONS)), tmp_path / "r"))
    made, without = found.leading["continuations"].methods, found.leading["continuations"].without
    biases = [one for (view, _), one in found.origins.items() if view == "continuations"]
    assert 0 < sum(made.values()) < sum(made.values()) + sum(without.values())
    assert sum(without.values()) > sum(one.low is None for one in biases) > 0
    assert found.as_json()["leading"]["continuations"]["without"] == without
