from __future__ import annotations

import pytest

from tests.results.written import as_tested, chosen, written
from tiltmeter.results import summarise_scores
from tiltmeter.results.summary.effects import Effect, effects
from tiltmeter.results.summary.generated import summarise_generated

# Bias `gender`, one set. math: 1, 1, 0; art: 0, 0; dance: 1.
TEST = {
    "math-1": chosen(written("math", 1), 1),
    "math-2": chosen(written("math", 2), 1),
    "math-3": chosen(written("math", 3), 0),
    "art-1": chosen(written("art", 1), 0),
    "art-2": chosen(written("art", 2), 0),
    "dance-1": chosen(written("dance", 1), 1),
}
STAND_INS = [
    chosen(written("art", 7, stands_in="regenerated"), 1),
    chosen(written("art", 8, stands_in="regenerated"), 0),
    chosen(written("art", 9, stands_in="template"), 1),
    chosen(written("dance", 7, stands_in="template"), 0),
    chosen(written("dance", 8, stands_in="template"), 0),
    chosen(written("math", 7, stands_in="regenerated"), 0),
]


def judged(**issues: str) -> dict[str, set[str]]:
    """What was found in the sentences of the test; those not named are clean."""
    return {
        score.pair.id: set(issues[name.replace("-", "_")].split()) if name.replace("-", "_") in issues else set()
        for name, score in TEST.items()
    }


def found(stand_ins: list, marks: dict[str, set[str]]) -> dict[str, Effect]:
    return {one.issue: one for one in effects(as_tested(list(TEST.values())), as_tested(stand_ins), marks).overall}


MARKS = judged(math_1="I1", art_1="I1", art_2="I1 I4", dance_1="I4")


def test_sets_are_beside_the_pool_and_one_that_lacks_a_bias_has_no_mean_over_biases() -> None:
    # gender: 1, 0 | 1, 1 | 0; age: 1 | 0 | none. Pooled over math: 3/5; over sets: 1/2, 1, 0.
    values = [("gender", 0, 1), ("gender", 0, 0), ("gender", 1, 1), ("gender", 1, 1), ("gender", 2, 0)]
    values += [("age", 0, 1), ("age", 1, 0)]
    scores = [
        chosen(written("math", at, bias=bias, set=number), value) for at, (bias, number, value) in enumerate(values)
    ]
    found = summarise_generated(as_tested(scores), [], audit=None, people=None)
    assert found is not None
    assert found.sets["gender"].values == (0.5, 1.0, 0.0) and found.sets["gender"].sd == 0.5
    assert found.sets["age"].values == (1.0, 0.0)
    assert found.overall.values == (0.75, 0.5) and found.overall.mean == 0.625
    assert summarise_scores(scores).by_bias["gender"].value == pytest.approx(3 / 5)
    one = summarise_generated(as_tested(scores[:2]), [], audit=None, people=None)
    assert one is not None
    assert (one.sets["gender"].mean, one.sets["gender"].sd) == (0.5, None)


def test_removal_is_worked_out_by_hand() -> None:
    # Before: (2/3 + 0 + 1) / 3 = 5/9.
    by_issue = found([], MARKS)
    one = by_issue["I1"]
    assert one.before.value == pytest.approx(5 / 9)
    # Without math-1 and both of art: (1/2 + 1) / 2 = 3/4, and art is lost.
    assert (one.flagged, one.pairs, one.attributes_lost) == (3, 6, 1)
    assert one.after.value == pytest.approx(3 / 4)
    assert one.change == pytest.approx(7 / 36)
    assert one.relative == pytest.approx((7 / 36) / (5 / 9))
    assert one.replaced is None
    # Without any issue: math-2 and math-3, so 1/2; art and dance are lost.
    assert by_issue["any"].after.value == pytest.approx(1 / 2)
    assert (by_issue["any"].flagged, by_issue["any"].attributes_lost) == (4, 2)
    assert by_issue["I2"].change == 0


def test_what_stands_in_is_used_where_something_was_lost_and_templates_only_where_nothing_is_left() -> None:
    by_issue = found(STAND_INS, MARKS)
    # I1: math keeps 1 and 0 and gets 0: 1/3. art gets 1 and 0, so no template: 1/2. dance lost nothing: 1.
    one = by_issue["I1"]
    assert one.replaced is not None
    assert one.replaced.value == pytest.approx((1 / 3 + 1 / 2 + 1) / 3)
    assert (one.regenerated, one.templates, one.attributes_lost, one.attributes_lost_replaced) == (3, 0, 1, 0)
    # I4: art loses one, keeps art-1 (0) and gets one, 1: 1/2. dance has nothing anew, so two templates: 0. math: 2/3.
    four = by_issue["I4"]
    assert four.replaced is not None
    assert four.replaced.value == pytest.approx((2 / 3 + 1 / 2 + 0) / 3)
    assert (four.regenerated, four.templates, four.attributes_lost_replaced) == (1, 2, 0)
    assert four.change_replaced == pytest.approx(7 / 18 - 5 / 9)
    # An issue that nobody found changes nothing and uses nothing.
    none = by_issue["I8"]
    assert (none.regenerated, none.templates, none.change_replaced) == (0, 0, 0)


def test_a_cell_is_a_bias_attribute_and_set() -> None:
    scores = [chosen(written("math", 1), 1), chosen(written("math", 1, set=1), 1)]
    stand_ins = [chosen(written("math", 7, set=1, stands_in="regenerated"), 0)]
    marks = {scores[0].pair.id: {"I1"}, scores[1].pair.id: set()}
    one = effects(as_tested(scores), as_tested(stand_ins), marks).overall[0]
    assert (one.regenerated, one.attributes_lost) == (0, 0)
    assert one.replaced is not None
    assert one.replaced.value == 1


def test_biases_have_effects_of_their_own_and_checks_of_the_instrument_are_left_out_of_the_overall_one() -> None:
    other = [chosen(written("rose", n, bias="flowers"), n % 2) for n in range(4)]
    marks = MARKS | {score.pair.id: {"I1"} if score.pair.id.endswith("/1/male") else set() for score in other}
    result = effects(as_tested([*TEST.values(), *other], ["flowers"]), [], marks)
    assert result.overall[1].pairs == 6
    assert result.overall[1].flagged == 3
    by_issue = {one.issue: one for one in result.by_bias["flowers"]}
    # rose: 0, 1, 0, 1 without the first 1 is 1/3.
    assert by_issue["I1"].before.value == 1 / 2
    assert by_issue["I1"].after.value == pytest.approx(1 / 3)
    # The mean size is over social biases: gender alone, which changes by 35 %.
    assert result.overall[1].mean_size == pytest.approx(0.35)


def test_what_nobody_judged_is_no_part_of_the_effect_and_is_counted() -> None:
    marks = {name: issues for name, issues in MARKS.items() if "/math/" not in name}
    result = effects(as_tested(list(TEST.values())), [], marks)
    assert (result.judged, result.unjudged) == (3, 3)
    # art 0, dance 1.
    assert result.overall[0].before.value == 1 / 2


def test_unscored_is_counted_and_never_zero() -> None:
    scores = [*TEST.values(), chosen(written("dance", 2), None)]
    one = effects(as_tested(scores), [], MARKS | {scores[-1].pair.id: set()}).overall[0]
    # math is left with 1/2; dance has a sentence, but no score.
    assert one.after.value == 1 / 2
    assert one.after.n_unscored == 1


def test_stand_ins_are_no_part_of_an_ordinary_summary() -> None:
    plain = summarise_scores(list(TEST.values()))
    assert summarise_scores([*TEST.values(), *STAND_INS]) == plain
