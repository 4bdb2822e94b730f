from __future__ import annotations

import pytest

from tiltmeter.stats.agreement.annotator_intervals import fleiss
from tiltmeter.stats.agreement.annotators import agreement_by_label, cohens_kappa, fleiss_kappa, krippendorffs_alpha


def test_cohens_kappa_of_the_textbook() -> None:
    # 50 grants read by two reviewers: both yes 20, both no 15, yes/no 5, no/yes 10. po = .7, pe = .5, kappa = .4.
    first = ["y"] * 25 + ["n"] * 25
    second = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert cohens_kappa(first, second) == pytest.approx(0.4)


def test_cohens_kappa_leaves_out_what_only_one_judged() -> None:
    assert cohens_kappa(["y", "n", None, "y"], ["y", "n", "y", None]) == 1.0
    assert cohens_kappa([None], ["y"]) is None
    assert cohens_kappa(["y", "y"], ["y", "y"]) is None
    assert cohens_kappa(["y", "n"], ["n", "y"]) == -1.0


def test_krippendorffs_alpha_of_his_own_example() -> None:
    # Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", example C: four observers, twelve units, some
    # missing; nominal alpha = 0.743.
    rows = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
        [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
    ]
    assert krippendorffs_alpha(rows) == pytest.approx(0.743, abs=5e-4)


def test_krippendorffs_alpha_of_two_observers_worked_by_hand() -> None:
    # His example A: ten units, two observers, binary; n = 20, 14 zeros, 6 ones, four units disagree.
    # alpha = 1 - (20 - 1) * 8 / (2 * 14 * 6) = 0.095.
    first = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    second = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorffs_alpha([first, second]) == pytest.approx(1 - 19 * 8 / (2 * 14 * 6))


def test_krippendorffs_alpha_does_not_depend_on_order_and_may_be_undefined() -> None:
    rows = [["a", "b", None, "a"], ["a", "b", "b", "b"], ["b", "b", "b", None]]
    assert krippendorffs_alpha(rows) == pytest.approx(krippendorffs_alpha(rows[::-1]) or 0)
    assert krippendorffs_alpha([["a", "a"], ["a", "a"]]) is None
    assert krippendorffs_alpha([["a", None], [None, "b"]]) is None
    assert krippendorffs_alpha([["a", "b"], ["a", "b"]]) == 1.0


def test_agreement_is_per_label_and_over_any() -> None:
    sheets = {
        "ann": {"1": {"I1"}, "2": {"I4"}, "3": set(), "4": set()},
        "bob": {"1": {"I1"}, "2": {"I1"}, "3": set()},
    }
    first, fourth, any_issue = agreement_by_label(sheets, ["I1", "I4"])
    assert (first.items, first.judged, first.flagged) == (4, 7, 3)
    assert first.kappas == (("ann", "bob", pytest.approx(0.4)),)
    assert fourth.kappas == (("ann", "bob", 0.0),)
    assert any_issue.label == "any"
    assert any_issue.kappas == (("ann", "bob", 1.0),)
    assert any_issue.alpha == 1.0


FLEISS = (
    *("00 00 00 00 14", "00 02 06 04 02", "00 00 03 05 06", "00 03 09 02 00", "02 02 08 01 01"),
    *("07 07 00 00 00", "03 02 06 03 00", "02 05 03 02 02", "06 05 02 01 00", "00 02 02 03 07"),
)
"""Ten items, fourteen annotators, five labels: how many gave each; worked through in textbooks, kappa 0.210."""


def test_fleiss_kappa_is_that_of_the_textbooks() -> None:
    columns = [[label for label, times in enumerate(row.split()) for _ in range(int(times))] for row in FLEISS]
    judged = [list(one) for one in zip(*columns, strict=True)]
    assert fleiss_kappa(judged) == pytest.approx(0.2099, abs=5e-5)
    found = fleiss(judged)
    assert found.value == pytest.approx(0.2099, abs=5e-5)
    assert found.low < found.value < found.high and found.n == 10
    assert fleiss_kappa([["a", "a"], ["a", "a"]]) is None
    assert fleiss_kappa([["a", None], [None, "b"]]) is None
    assert fleiss(judged[:1]).value is None
