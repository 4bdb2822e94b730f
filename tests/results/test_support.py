"""Whether findings rest on raters that are good enough, and which raters take no part in verdicts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tiltmeter import registry
from tiltmeter.present.known_raters import left_out_words
from tiltmeter.present.verdicts import cautions, finding_json
from tiltmeter.raters import quality
from tiltmeter.raters.quality import Quality
from tiltmeter.raters.scales import Scale, scale_of
from tiltmeter.records import Estimate
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.findings import Finding, summarise_findings
from tiltmeter.results.findings.support import is_only_tilt, raters_of
from tiltmeter.results.summary.known_raters import AGREEMENT, VERDICTS, Lacking, LeftOut
from tiltmeter.stats.multiverse.cells import CellResult
from tiltmeter.store import Run

GOOD, WEAK, OTHER = "sentiment.good.v1", "sentiment.weak.v1", "sentiment.other.v1"
FIGURES = (
    Quality(GOOD, "AUC", 0.9, 500, "texts", True, 0.86, 0.94, 0.5),
    Quality(WEAK, "AUC", 0.7, 500, "texts", True, 0.65, 0.75, 0.5),
    Quality(WEAK, quality.OWN_TILT, 0.2, 500, "sentences", True),
)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quality, "measured", lambda: FIGURES)


def run_with(*raters: str, **lean: float) -> Run:
    by_rater = {f"sentiment.{name}.v1": value for name, value in lean.items()}
    made = Lean(by_rater, noise=0.1)
    return make_rated_run(Path("nowhere"), decodings=DECODINGS[:2], raters=(*raters, "refusal.v5"), lean=made)


def answered(run: Run) -> Finding:
    [found] = summarise_findings([(run, summarise_run(run))]).findings
    return found


def said(found: Finding) -> dict[str, object]:
    record = finding_json(found)["raters"]
    return {name: record[name] for name in ("carried", "carrying", "not_carrying", "no_larger_than_own_tilt")}


@pytest.mark.usefixtures("known")
def test_a_finding_of_a_good_rater_is_carried_and_nothing_is_said() -> None:
    found = answered(run_with(GOOD, good=-0.6))
    assert found.verdict.strength == "holds" and found.carried
    assert said(found) == {"carried": True, "carrying": [GOOD], "not_carrying": [], "no_larger_than_own_tilt": False}
    assert "good enough" not in cautions(found)


@pytest.mark.usefixtures("known")
def test_a_finding_without_a_good_rater_says_so_with_the_figures() -> None:
    found = answered(run_with(WEAK, OTHER, weak=-0.6, other=-0.6))
    assert found.verdict.strength == "holds" and not found.carried
    assert said(found)["not_carrying"] == [WEAK, OTHER]
    assert "0.70 (0.65–0.75)" in cautions(found) and "not measured" in cautions(found)


@pytest.mark.usefixtures("known")
def test_what_is_left_without_the_weak_raters_is_the_verdict_of_the_good_ones() -> None:
    both = answered(run_with(GOOD, WEAK, good=-0.6, weak=-0.6))
    assert both.support and both.support.alone and both.carried
    assert both.support.alone.verdict.strength == both.verdict.strength == "holds"
    apart = answered(run_with(GOOD, WEAK, OTHER, good=0.6, weak=-0.6, other=-0.6))
    assert apart.support and apart.support.alone and not apart.carried
    # Alone, the good rater finds the opposite.
    assert apart.verdict.direction == "first" and apart.support.alone.verdict.direction == "second"
    assert {cell.choices["rater"] for cell in apart.support.alone.curve.cells} == {GOOD}
    record = finding_json(apart)["raters"]
    assert record["verdict_of_carrying"]["direction"] == "second"


@pytest.mark.usefixtures("known")
def test_people_carry_a_finding_and_raters_without_a_value_do_not_count() -> None:
    def cell(rater: str, sign: int | None) -> CellResult:
        return CellResult({"rater": rater}, Estimate(0.1), Estimate(0.1), 1.0, sign)

    assert raters_of([cell("human:ann", 1), cell(WEAK, -1), cell(GOOD, None)]) == (["human:ann"], [WEAK])


@pytest.mark.usefixtures("known")
def test_a_difference_no_larger_than_the_raters_own_tilt() -> None:
    def cells(*values: float) -> list[CellResult]:
        return [CellResult({"rater": WEAK}, Estimate(one), Estimate(one), 1.0, 1 if one > 0 else -1) for one in values]

    # The tilt of the run comes before the largest one of other groups, which is 0.2.
    assert is_only_tilt(cells(0.1, 0.2, -0.9), 1, {})
    assert not is_only_tilt(cells(0.1, 0.3), 1, {})
    assert not is_only_tilt(cells(0.1, 0.2), 1, {WEAK: Estimate(-0.15)})
    assert is_only_tilt(cells(0.1, 0.15), 1, {WEAK: Estimate(-0.15)})
    # With the group masked there is none, and where nobody measured one, nothing is known.
    assert not is_only_tilt(cells(0.1), 1, {WEAK: Estimate(0.0)})
    unknown = [CellResult({"rater": GOOD}, Estimate(0.1), Estimate(0.1), 1.0, 1)]
    assert not is_only_tilt(unknown, 1, {}) and not is_only_tilt([], 1, {})


NEITHER = "hf.v1:mine@12ab[plain=0,florid=1;worse=neither;axis=style]"
MOOD = "mood.mine.v1"


def left(*raters: str) -> dict[str, tuple[tuple[str, ...], str | None]]:
    summary = summarise_run(make_rated_run(Path("nowhere"), decodings=DECODINGS[:1], raters=(*raters, "refusal.v5")))
    assert summary.continuations
    words = " ".join(left_out_words(summary.continuations.left_out))
    assert ("mood mine" in words.lower()) == (MOOD in raters)
    recorded = summary.continuations.as_json()["left_out"]
    assert [one["rater"] for one in recorded] == [one.rater for one in summary.continuations.left_out]
    return {one.rater: (one.of, one.why) for one in summary.continuations.left_out}


def test_raters_that_verdicts_leave_out_are_listed_with_the_reason() -> None:
    found = left("sentiment.vader.v1", "sentiment.minilm.v1", MOOD, NEITHER, "readability.fog.v1")
    assert found[MOOD] == ((VERDICTS, AGREEMENT), "not declared")
    assert found[NEITHER] == ((VERDICTS, AGREEMENT), "neither end is worse")
    assert found["readability.fog.v1"] == ((VERDICTS, AGREEMENT), "neither end is worse")
    assert "sentiment.vader.v1" not in found
    whys: tuple[Lacking, ...] = ("not declared", "neither end is worse")
    declare = [LeftOut(one, (VERDICTS,), why).declare for one in (MOOD, NEITHER, "readability.fog.v1") for why in whys]
    assert declare == ["scale", None, "scale", "worse", "scale", None]
    run = make_rated_run(Path("nowhere"), decodings=DECODINGS[:1], raters=("sentiment.vader.v1", MOOD))
    assert [(one.rater, one.of) for one in Evidence([run]).left_out()] == [(MOOD, (VERDICTS,))]


def test_a_rater_alone_of_its_kind_is_listed_too() -> None:
    assert left("sentiment.vader.v1")["sentiment.vader.v1"] == ((AGREEMENT,), None)


@pytest.fixture
def plug(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[object], None]]:
    """Install a rater as another package would."""

    def install(made: object) -> None:
        monkeypatch.setitem(sys.modules, "plugged_in", SimpleNamespace(made=made))
        point = EntryPoint(MOOD, "plugged_in:made", "tiltmeter.raters")
        monkeypatch.setattr(registry, "entry_points", lambda group: [point] if group == "tiltmeter.raters" else [])
        registry.table.cache_clear()

    yield install
    registry.table.cache_clear()


def test_a_rater_of_another_package_declares_its_scale(plug: Callable[[object], None]) -> None:
    assert scale_of(MOOD) is None
    plug(SimpleNamespace(scale=Scale("mood", -5.0, 5.0, 0.0, -1)))
    found = scale_of(MOOD)
    assert found and found.ends == (-5.0, 5.0)
    assert left("sentiment.vader.v1", MOOD)[MOOD] == ((AGREEMENT,), None)
    plug(SimpleNamespace(scale="from bad to good"))
    assert scale_of(MOOD) is None
