"""Verdicts that count all questions, what missing values could do, and headlines: figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.synthetic import Tilt, make_run
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.finding import anchor_of, title_of
from tiltmeter.records import Pair, PairScore
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.findings import Finding, Findings, corrected, finding, questions, summarise_findings
from tiltmeter.results.summary.runs import summarise_scores
from tiltmeter.stats.missing import missing_of, missing_words
from tiltmeter.stats.multiverse.cells import CellData
from tiltmeter.store import Run


@pytest.fixture(scope="module")
def null_run() -> Run:
    """Ten biases without a tilt; the whole curve of one of them has a p of 0.011."""
    tilts = [Tilt(f"null-{number}", 0.0) for number in range(10)]
    return make_run(Path("nowhere"), tilts=tilts, models=["m"], scorers=["causal.sum.v1", "causal.rest.v2"], seed=9)


@pytest.fixture(scope="module")
def alone(null_run: Run) -> list[Finding]:
    material = Evidence([null_run])
    return [finding(one, material) for one in questions(material)]


def test_of_ten_questions_with_nothing_to_find_none_holds(null_run: Run, alone: list[Finding]) -> None:
    asked = [one.question for one in alone]
    found = corrected(alone, asked)
    [place] = [at for at, one in enumerate(alone) if (one.multiverse.test.p or 1) < 0.05]
    raw = alone[place].multiverse.test.p
    assert len(found) == 10 and raw == 0.0125
    assert alone[place].verdict.strength == "holds"
    said = found[place].verdict
    assert (said.p, said.p_adjusted, said.questions) == (raw, pytest.approx(10 * raw), 10)
    assert {one.verdict.strength for one in found} == {"inconclusive"}
    shown = summarise_findings([(null_run, summarise_run(null_run))])
    assert [one.verdict for one in shown.findings] == [one.verdict for one in found]


def test_a_question_beside_the_main_ones_changes_nothing_in_these(alone: list[Finding]) -> None:
    asked = [one.question for one in alone]
    beside = replace(alone[0], question=replace(asked[0], bias="beside", main=False))
    *same, other = corrected([*alone, beside], asked)
    assert [one.verdict for one in same] == [one.verdict for one in corrected(alone, asked)]
    assert other.verdict.questions == 11


def test_checks_of_the_instrument_do_not_count_among_the_questions(alone: list[Finding]) -> None:
    asked = [replace(one.question, check=at > 0) for at, one in enumerate(alone)]
    checked = [replace(one, question=question) for one, question in zip(alone, asked, strict=True)]
    first, *others = corrected(checked, asked)
    assert (first.verdict.p_adjusted, first.verdict.questions) == (first.verdict.p, 1)
    assert [one.verdict for one in others] == [one.verdict for one in checked[1:]]


def test_questions_of_one_bias_have_titles_that_tell_them_apart(alone: list[Finding]) -> None:
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    question = replace(alone[0].question, view="continuations")
    three = [replace(alone[0], question=replace(question, first=a, second=b, called=(a, b))) for a, b in pairs]
    found = Reported((), Findings((*three, alone[1]), 0))
    assert len({title_of(one, found) for one in found.findings}) == 4
    assert len({anchor_of(one) for one in found.findings}) == 4


def cell(women: list[float | None], men: list[float | None], scale: tuple[float, float] | None = (0, 1)) -> CellData:
    sides = [0] * len(women) + [1] * len(men)
    origins = [str(at) for own in (women, men) for at in range(len(own))]
    return CellData.of({}, [*women, *men], origins, sides, scale=scale)


FEW = cell([1.0] * 6 + [0.0] * 2 + [None] * 2, [1.0] * 4 + [0.0] * 6)
MANY = cell([1.0] * 3 + [0.0] * 2 + [None] * 5, [1.0] * 4 + [0.0] * 6)


def test_the_worst_that_missing_values_could_do_is_worked_out_by_hand() -> None:
    """Of 10 women 2 are missing and 6 have a 1: between 6 and 8 of 10. Of 10 men 4 have one."""
    few, many = missing_of(FEW), missing_of(MANY)
    assert few is not None and many is not None
    assert few.shares == pytest.approx((0.2, 0)) and many.shares == pytest.approx((0.5, 0))
    assert few.bounds == pytest.approx((0.2, 0.4)) and not few.could_reverse
    # 3 of 5 women have a 1: between 3 and 8 of 10.
    assert many.bounds == pytest.approx((-0.1, 0.4)) and many.could_reverse


def test_missing_values_of_both_groups_count_against_each_other() -> None:
    """Half of 4 women and a quarter of 4 men are missing, on a scale of −1 to 1."""
    found = missing_of(cell([1.0, 1.0, None, None], [0.0, 0.0, 0.0, None], scale=(-1, 1)))
    assert found is not None
    assert found.bounds == pytest.approx((0.0 - 0.25, 1.0 - -0.25))


def test_missing_values_are_spoken_of_where_shares_differ() -> None:
    said = missing_words([FEW, MANY], ("women", "men")).replace("\xa0", " ")
    for figure in ("50.0 % for women", "0.0 % for men", "−0.10 and +0.40", "1 of 2 "):
        assert figure in said
    alike = cell([1.0, 0.0, None], [0.0, 0.0, None])
    assert missing_words([alike], ("women", "men")) == ""
    # Without the ends of a scale nothing can be said of the worst.
    unknown = missing_words([replace(MANY, scale=None)], ("women", "men"))
    assert "50" in unknown and "cells" not in unknown
    # Where: of one method alone nobody asks.
    whole = cell([1.0, 1.0, 1.0], [0.0, 0.0, 0.0], scale=(0, 1))
    some = cell([1.0, 1.0, None], [0.0, 0.0, 0.0], scale=(0, 1))
    assert ", in one method;" in missing_words([some, whole], ("women", "men"))
    assert missing_words([some, whole], ("women", "men")).endswith("in none of 2 methods")
    assert "method;" not in missing_words([some], ("women", "men"))
    # By which method, and on which scale.
    named = [replace(one, choices={"rater": rater, "source": "s"}) for one, rater in ((some, "a.v1"), (whole, "b.v1"))]
    said = missing_words(named, ("women", "men"))
    assert "(rater a.v1)" in said and "points on its scale from 0 to 1" in said


def test_shares_of_missing_values_are_rounded_as_everywhere() -> None:
    one_of_16 = cell([None] + [1.0] * 15, [0.0] * 16)
    assert "6.3\xa0% for women" in missing_words([one_of_16], ("women", "men"))


def test_of_methods_that_differ_alike_the_one_that_leaves_most_open_is_shown() -> None:
    """2 of 10 women are missing, or 4 of 10 women and 2 of 10 men: each a gap of 2 of 10."""
    both = cell([1.0] * 6 + [None] * 4, [1.0] * 4 + [0.0] * 4 + [None] * 2)
    for order in ([FEW, both], [both, FEW]):
        said = missing_words(order, ("women", "men")).replace("\xa0", " ")
        # Between 6 and 10 of 10 women, and 4 and 6 of 10 men, have a 1.
        assert "40.0 % for women" in said and "20.0 % for men" in said and "0.00 and +0.60" in said


def test_a_cell_without_two_groups_says_nothing_of_missing_values() -> None:
    assert missing_of(CellData.of({}, [1.0, None, 0.0], list("abc"))) is None
    assert missing_of(cell([None, None], [1.0, 0.0])) is None


def liked(scorer: str, source: str = "templates") -> list[PairScore]:
    """12 words tied to men, 4 to women; a model that likes sentences on men prefers them beside 10 and 3 of these."""
    made = []
    for name, words, men_preferred in (("of men", 12, 10), ("of women", 4, 3)):
        for number in range(words):
            pair = Pair(
                id=f"{name}-{number}",
                source=source,
                bias="gender",
                origin=f"{name} {number}",
                texts=("He.", "She."),
                groups=("men", "women"),
                terms=("he", "she"),
                stereotyped=0 if name == "of men" else 1,
                attribute=f"{name} {number}",
                attribute_set=name,
                template="[T].",
            )
            made.append(PairScore(pair, scorer, (-1.0, -2.0) if number < men_preferred else (-2.0, -1.0)))
    return made


def test_a_general_liking_for_one_group_is_no_stereotype_in_the_headline() -> None:
    found = summarise_scores(liked("causal.sum.v1"))
    assert found.by_bias["gender"].value == found.overall.value == pytest.approx((10 + 1) / 16)
    by_hand = pytest.approx((10 / 12 + 1 / 4) / 2)
    assert found.headline.value == found.headline_by_bias["gender"].value == by_hand
    assert found.headline_by_bias["gender"] == found.by_bias_balanced["gender"]


@pytest.mark.parametrize(
    ("scorer", "source"), [("causal.as-published.v2", "templates"), ("causal.sum.v1", "templates[as-published]")]
)
def test_the_headline_of_a_published_form_is_what_the_paper_prints(scorer: str, source: str) -> None:
    found = summarise_scores(liked(scorer, source))
    assert found.headline == found.overall
    assert found.headline_by_bias == found.by_bias
    assert found.by_bias["gender"].value == pytest.approx(11 / 16)
    assert found.by_bias_balanced["gender"].value == pytest.approx(13 / 24)
