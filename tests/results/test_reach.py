"""A plan says which questions can only end in "too little data", by the rules that the verdict goes by."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.completions import DECODINGS, make_rated_run
from tests.present.next_words import make_asked_run
from tests.present.synthetic import Tilt, make_run
from tiltmeter.measures.pairs import MARGIN, PREFERENCE
from tiltmeter.records import Pair, PairScore, Prompt
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.feasibility import (
    Feasibility,
    at_risk_or_unanswerable,
    feasibility_of,
    feasibility_of_run,
    unanswerable,
)
from tiltmeter.results.findings.findings import summarise_findings
from tiltmeter.results.findings.questions import Question
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.multiverse.conclusion import multiverse
from tiltmeter.stats.multiverse.whole_curve import FEWEST_ARRANGEMENTS, needed_origins
from tiltmeter.store import Run


def strengths(run: Run) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for one in summarise_findings([(run, summarise_run(run))]).findings:
        found.setdefault((one.question.view, one.question.bias), set()).add(one.verdict.strength)
    return found


@pytest.mark.parametrize("terms", [1, 2, 3, 4, 6, 12])
def test_pairs_are_out_of_reach_exactly_where_the_verdict_is_too_little_data(terms: int) -> None:
    tilts = (Tilt("few", 5.0, terms=terms), Tilt("many", 5.0, terms=20))
    run = make_run(Path("r"), tilts=tilts, models=("m",), scorers=("causal.sum.v1",))
    out = {one.bias for one in unanswerable(feasibility_of_run(run))}
    found = strengths(run)
    assert {bias for (_, bias), said in found.items() if said == {"too little data"}} == out
    assert ("few" in out) == (terms < 6)
    assert "many" not in out


@pytest.mark.parametrize(("openers", "raters", "decodings"), [(2, 2, 2), (5, 2, 2), (6, 2, 2), (8, 1, 1), (8, 1, 2)])
def test_texts_are_out_of_reach_exactly_where_the_verdict_is_too_little_data(
    tmp_path: Path, openers: int, raters: int, decodings: int
) -> None:
    names = ("sentiment.vader.v1", "toxicity.linear.v1")[:raters]
    run = make_rated_run(tmp_path, raters=(*names, "refusal.v2"), decodings=DECODINGS[:decodings], openers=openers)
    settings = [{"name": name} for name in (*names, "refusal.v2")]
    chosen = {"samples": 1, "sources": [], "raters": settings, "decodings": [{}] * decodings, "reference": []}
    run = replace(run, meta={**run.meta, "resolved": {**run.meta["resolved"], "continuations": chosen}})
    out = {(one.view, one.bias) for one in unanswerable(feasibility_of_run(run))}
    assert {place for place, said in strengths(run).items() if said == {"too little data"}} == out
    assert bool(out) == (openers < needed_origins() or raters * decodings < 2)


@pytest.mark.parametrize(
    "professions", [("nurse",), ("nurse", "smith"), ("nurse", "smith", "baker", "judge", "cook", "pilot")]
)
def test_next_words_are_out_of_reach_exactly_where_the_verdict_is_too_little_data(
    tmp_path: Path, professions: tuple[str, ...]
) -> None:
    run = make_asked_run(tmp_path, professions=professions)
    out = {(one.view, one.bias) for one in unanswerable(feasibility_of_run(run))}
    said = {place for place, found in strengths(run).items() if found == {"too little data"}}
    assert said == out


def prompt(group: str, origin: str, number: int = 0) -> Prompt:
    return Prompt(f"{group}-{origin}-{number}", "s", "faith", origin, f"{group} {origin}", group)


def resolved(raters: tuple[str, ...] = ("sentiment.vader.v1", "toxicity.linear.v1")) -> dict[str, Any]:
    texts = {"raters": [{"name": name} for name in raters], "decodings": [{}], "reference": []}
    return {"specs": [], "sources": [], "scorers": [], "continuations": texts}


def texts(*prompts: Prompt, raters: tuple[str, ...] = ("sentiment.vader.v1", "toxicity.linear.v1")) -> Feasibility:
    [found] = feasibility_of(resolved(raters), {"continuations": prompts})
    return found


def test_what_would_be_enough_is_said_and_is_enough() -> None:
    shared = texts(*(prompt(group, f"{n}") for group in "xy" for n in range(5)))
    assert (shared.origins, shared.nested) == (5, False) and shared.why
    enough = shared.needed["origins"]
    assert texts(*(prompt(group, f"{n}") for group in "xy" for n in range(enough))).why is None
    assert texts(*(prompt(group, f"{n}") for group in "xy" for n in range(enough - 1))).why
    apart = texts(*(prompt(group, f"{group}{n}") for group in "xy" for n in range(3)))
    assert apart.nested and apart.why
    assert (
        texts(*(prompt(group, f"{group}{n}") for group in "xy" for n in range(apart.needed["origins"] // 2))).why
        is None
    )
    assert 2 ** (needed_origins() - 1) < FEWEST_ARRANGEMENTS <= 2 ** needed_origins()


def test_one_cell_is_none_unless_origins_weigh_unlike() -> None:
    even = [prompt(group, f"{n}") for group in "xy" for n in range(8)]
    assert texts(*even, raters=("sentiment.vader.v1",)).cells == 1
    uneven = [*even, *(prompt("x", "0", number) for number in range(1, 9))]
    assert texts(*uneven, raters=("sentiment.vader.v1",)).cells == 2


@pytest.mark.parametrize("raters", [("refusal.v2",), ("readability.fog.v1", "refusal.v2")])
def test_a_study_without_anything_to_compare_is_out_of_reach(raters: tuple[str, ...]) -> None:
    found = texts(*(prompt(group, f"{n}") for group in "xy" for n in range(20)), raters=raters)
    assert found.cells == 0 and found.why
    alone = texts(*(prompt("any", f"{n}") for n in range(20)))
    assert alone.cells == 0 and alone.why


def test_sentences_that_a_model_is_to_write_count_as_if_all_came() -> None:
    def spec(terms: int) -> dict[str, Any]:
        sets = [{"terms": [f"{group}{n}" for n in range(terms)], "stereotype_of": [group]} for group in "xy"]
        return {"name": "b", "compare": [("x", "y")], "attributes": sets}

    source = {"name": "generated.v1", "label": "generated"}
    for terms, within in ((2, False), (3, False), (4, True), (9, True)):
        study = {"specs": [spec(terms)], "sources": [source], "scorers": []}
        [found] = feasibility_of(study, {})
        assert (found.why is None) == within


def habits(term_pairs: int, attributes: int = 6) -> list[Pair]:
    """Every pair of terms with every attribute; half of the attributes are tied to either group."""
    return [
        Pair(
            f"{term}-{n}",
            "s",
            "b",
            f"a{n}",
            (f"x{term} a{n}", f"y{term} a{n}"),
            ("x", "y"),
            (f"x{term}", f"y{term}"),
            stereotyped=int(n >= attributes // 2),
            attribute=f"a{n}",
        )
        for term in range(term_pairs)
        for n in range(attributes)
    ]


def said(pairs: list[Pair], habit: Callable[[Pair], float]) -> str:
    """What comes of a model that prefers stereotyped texts a little, and one term of each pair much more."""
    lean = [habit(pair) + (0.1 + 0.01 * len(pair.id)) * (1 if pair.stereotyped == 0 else -1) for pair in pairs]
    noise = random.Random(1)
    scores = [PairScore(one, "m", (by + noise.gauss(0, 0.01), 0.0)) for one, by in zip(pairs, lean, strict=True)]
    cells = []
    for measure in (PREFERENCE, MARGIN):
        rows = [
            Measurement(
                one.id,
                one.attribute or "",
                one.groups[one.stereotyped or 0],
                one.groups[1 - (one.stereotyped or 0)],
                attribute=one.attribute,
                value=value,
            )
            for one, value in zip(pairs, measure.values(scores), strict=True)
        ]
        for scorer in ("sum", "mean"):
            scale = Scale(measure.low, measure.high, measure.neutral)
            of = Combination("pairs", "s", measure.name, scorer=scorer, scale=scale)
            cells += cells_from(Question("m", "pairs", "b", *pairs[0].groups), of, rows, {})
    return multiverse(cells).verdict.strength


@pytest.mark.parametrize("term_pairs", [1, 2, 4, 5, 6, 12])
def test_with_few_pairs_of_terms_a_plan_says_that_a_verdict_may_be_missed(term_pairs: int) -> None:
    pairs = habits(term_pairs, 12)
    [found] = feasibility_of({"specs": [], "sources": [], "scorers": ["sum", "mean"]}, {"pairs": pairs})
    assert found.why is None and found.term_pairs == term_pairs
    assert found.same_throughout == 2.0 ** (1 - term_pairs)
    assert found.at_risk == (term_pairs < 6) == (at_risk_or_unanswerable([found]) == [found])
    assert unanswerable([found]) == []
    assert said(pairs, lambda _: 3.0) == "too little data", "the same group is preferred throughout"
    if term_pairs > 1:
        assert said(pairs, lambda one: 3.0 if one.terms[0] == "x0" else -0.1) != "too little data"


def test_how_many_origins_belong_to_either_side_is_said() -> None:
    uneven = [pair for pair in habits(8, 12) if pair.attribute not in ("a7", "a8", "a9", "a10", "a11")]
    [found] = feasibility_of({"specs": [], "sources": [], "scorers": ["sum"]}, {"pairs": uneven})
    assert (found.origins, found.sides, found.nested) == (7, (6, 1), True) and found.why
    assert found.as_json()["sides"] == (6, 1)
