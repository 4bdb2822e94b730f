"""Verdicts in words: figures, directions and doubts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import make_rated_run
from tests.present.reading import reported
from tests.stats.test_multiverse_verdict import drawn, judged
from tiltmeter.present.known_raters import doubt, doubts
from tiltmeter.present.verdicts import (
    agreement,
    answer,
    cautions,
    decided_by,
    finding_json,
    leads_otherwise,
    rules,
    sentence,
)
from tiltmeter.results.findings.findings import Finding
from tiltmeter.stats.multiverse.specification_curve import Curve
from tiltmeter.stats.multiverse.whole_curve import CurveTest, Statistic

CLAIMS = ("women worse", "men worse")


def said(of: Curve, p: float | None = 0.001) -> str:
    return sentence(judged(of, p), of, CLAIMS)


@pytest.fixture
def rated(tmp_path: Path) -> Finding:
    return next(iter(reported(make_rated_run(tmp_path)).findings))


@pytest.mark.parametrize(
    ("values", "facts"),
    [
        ([0.3] * 4, ("Holds: women worse", "all 4", "4 of these")),
        ([-0.3] * 4, ("men worse", "all 4")),
        ([0.3, 0.3, -0.1, 0.0], ("women worse", "2 of 4", "1 method with", "1 method shows")),
        ([0.0] * 3, ("3 neither",)),
        ([None, 0.3, 0.3], ("1 of 3 methods have no value",)),
    ],
)
def test_every_count_is_said(values: list[float | None], facts: tuple[str, ...]) -> None:
    found = said(drawn(values))
    assert all(fact in found for fact in facts), found


def test_chance_is_ruled_out_or_not() -> None:
    of = drawn([0.3] * 4)
    for p, adjusted, fact in ((0.0005, 0.001, "p < 0.001"), (0.01, 0.2, "0.200 after"), (0.3, 0.6, "p = 0.300")):
        found = replace(judged(of, p), p_adjusted=adjusted, questions=3)
        assert fact in sentence(found, of, CLAIMS)


def test_the_statistic_with_the_smallest_p_is_named() -> None:
    median, signs, firm = (Statistic(0.0, p) for p in (0.04, 0.2, 0.01))
    test = CurveTest(median, signs, firm, 0.02, 1999, 4, 8, 0)
    assert decided_by(test) == "the share of methods that are significant on their own"
    assert decided_by(replace(test, median=firm)).startswith("the median effect and ")
    assert decided_by(None) == decided_by(CurveTest(None, None, None, None, 0, 4, 8, 0)) == ""
    of = drawn([0.3] * 4)
    assert decided_by(test) in sentence(judged(of, 0.02), of, CLAIMS, test)


def test_rules_have_their_numbers_and_an_order(rated: Finding) -> None:
    told = rules([rated]).replace("\xa0", " ")
    assert told.count("90 %") >= 2 and told.index("Depends") < told.index("Inconclusive:") < told.index("Holds:")
    assert rules([]) == ""


def test_a_first_method_that_points_the_other_way_is_named(rated: Finding) -> None:
    assert rated.leading is not None and rated.leading.sign
    most = {1: "first", -1: "second"}[rated.leading.sign]
    other = {1: "second", -1: "first"}[rated.leading.sign]
    same, turned = (
        replace(rated, multiverse=replace(rated.multiverse, verdict=replace(rated.verdict, direction=way)))
        for way in (most, other)
    )
    assert (leads_otherwise(same), leads_otherwise(turned)) == (False, True)
    assert len(answer(turned)) > len(sentence(turned.verdict, turned.multiverse.curve, ("", "")))
    assert str(rated.verdict.of) in agreement(rated)


def test_doubtful_raters_are_named_with_their_figure(rated: Finding) -> None:
    assert "0.63" in doubt("toxicity.linear.v1") and doubt("of-a-plug-in.v1")
    assert not doubt("refusal.v5") and not doubt("human:ann")
    # Half of the texts are neutral, so 59 % right is not half of the way from saying that always.
    assert "50" in doubt("regard.minilm.v2")
    [linear] = doubts(["toxicity.linear.v1", "refusal.v5"])
    assert "260" in linear and "0.56" in linear
    used = {cell.choices["rater"] for cell in rated.multiverse.curve.cells if cell.sign is not None}
    assert rated.support and {*rated.support.carrying, *rated.support.others} == used
    assert all((doubt(name) in cautions(rated)) == (name in rated.support.others) for name in used if doubt(name))


def test_a_record_has_the_sentence(rated: Finding) -> None:
    record = finding_json(rated)["verdict"]
    assert record["sentence"] in answer(rated) and record["holds"] == rated.verdict.holds
