"""Tables of occupations: units, columns in any order, blanks, and which lines speak of a profession."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.shared import shared
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.results.summary.labour import Labour
from tiltmeter.results.summary.next_words import ORIGINAL, Expected
from tiltmeter.results.summary.prompts import Prompts, by_perturbation
from tiltmeter.sources.labour_files import Occupation, match, read_labour, singular


def table(folder: Path, text: str) -> list[Occupation]:
    path = folder / "l.csv"
    path.write_text(text, encoding="utf-8")
    return read_labour(path)


@pytest.mark.parametrize(
    ("text", "shares"),
    [
        ("occupation,women\nNurse,0.9%\nSmith,0.4%\n", [0.009, 0.004]),
        ("occupation,women\nNurse,0.9 %\nSmith,0.4\n", [0.009, 0.004]),
        ("occupation,women\nNurse,88.1%\nSmith,3%\n", [0.881, 0.03]),
        ("occupation,women\nNurse,0.9\nSmith,0.4\n", [0.9, 0.4]),
        ("occupation,women\nNurse,1\nSmith,100\n", [0.01, 1.0]),
        ("women,occupation\n0.88,Nurse\n0.03,Smith\n", [0.88, 0.03]),
        ("occupation,women\nNurse,0.9\nCook,\nUsher\n", [0.9, None, None]),
        ("occupation,employed,women\nNurse,3,0.9\nCook,,\n", [0.9, None]),
    ],
)
def test_shares_are_read_whatever_their_unit_and_place(tmp_path: Path, text: str, shares: list[float | None]) -> None:
    assert [each.share for each in table(tmp_path, text)] == shares


def test_a_blank_figure_is_missing_and_not_unmatched(tmp_path: Path) -> None:
    found = match(["cook", "usher"], table(tmp_path, "occupation,women\nNurse,0.9\nCook,\n"))
    assert [each.how for each in found] == ["missing", "unmatched"]


@pytest.mark.parametrize(("bad", "named"), [("-0.4", "-0.4"), ("101", "101"), ("inf", "inf")])
def test_a_figure_that_is_no_share_is_named_with_its_line(tmp_path: Path, bad: str, named: str) -> None:
    with pytest.raises(InvalidData, match=f"l.csv, line 3: {named} is neither a share, from 0 to 1, nor a per cent"):
        table(tmp_path, f"occupation,women\nNurse,0.9\nSmith,{bad}\n")


def test_headings_of_a_printed_table_are_no_occupations(tmp_path: Path) -> None:
    text = "Annual averages,,\nOccupation,2020,\n,Total,Women\nHealth,,\nNurses,10,90\nNOTE: thousands,,\n"
    assert table(tmp_path, text) == [Occupation("Nurses", 0.9, 10.0)]


@pytest.mark.parametrize(
    ("several", "one"),
    [
        ("Midwives", "midwife"),
        ("Directors of communications", "director of communications"),
        ("Waitresses", "waitress"),
        ("Geniuses", "genius"),
        ("Salespersons", "salesperson"),
        ("Businesspeople", "businessperson"),
        ("Sales representatives", "sales representative"),
        ("Gas plant operators", "gas plant operator"),
        ("Clergy", "clergy"),
        ("boss", "boss"),
    ],
)
def test_titles_are_put_into_the_singular(several: str, one: str) -> None:
    assert singular(several) == one


SOCIAL = [
    Occupation("Child, family, and school social workers", 0.9, 100),
    Occupation("Healthcare social workers", 0.8, 200),
    Occupation("Mental health and substance abuse social workers", None, 50),
    Occupation("Social workers, all other", 0.5, 100),
]


def test_what_is_left_over_counts_only_together_with_the_lines_it_is_left_over_from() -> None:
    [found] = match(["social worker"], SOCIAL)
    assert found.share == pytest.approx((0.9 * 100 + 0.8 * 200 + 0.5 * 100) / 400)
    assert found.how == "union"
    assert found.titles == tuple(each.title for each in SOCIAL if each.share is not None)
    [alone] = match(["social worker"], SOCIAL[2:])
    assert (alone.how, alone.share) == ("residual", 0.5)
    [named] = match(["social worker"], [*SOCIAL, Occupation("Social workers", 0.83, 400)])
    assert (named.how, named.share) == ("name", 0.83)


def test_other_in_front_makes_a_residual_of_the_whole_line() -> None:
    table = [Occupation("School teachers", 0.8, 10), Occupation("Other teachers and instructors", 0.6, 10)]
    teacher, instructor = match(["teacher", "instructor"], table)
    assert (teacher.how, teacher.share) == ("union", pytest.approx(0.7))
    assert (instructor.how, instructor.share) == ("residual", 0.6)


def test_the_bureau_s_social_workers_are_more_than_those_left_over() -> None:
    [found] = match(["social worker"], read_labour(shared("professions/bls_2020_cpsaat11.csv")))
    assert found.how == "union"
    assert "Child, family, and school social workers" in found.titles


def expected(groups: tuple[str, str] = ("male", "female")) -> Prompts:
    shares = [0.2, 0.3, 0.25, 0.5, 0.6, 0.8, 0.7, 0.9, 0.85, 0.6, 0.95, 0.7]
    items = [
        Expected(f"{at}", f"job{at}", None, {groups[0]: 0.1 * (1 - share), groups[1]: 0.1 * share})
        for at, share in enumerate(shares)
    ]
    return by_perturbation(items)[ORIGINAL]


def test_the_p_values_are_adjusted_together() -> None:
    labour = Labour(tuple(Occupation(f"job{at}", at / 12) for at in range(12)))
    found = labour.compared(expected(), level=0.95)
    # The rank correlation has an interval and no p-value.
    figures = sorted((found[name]["p"], found[name]["p_adjusted"]) for name in ("pearson", "slope", "above"))
    assert found["n_comparisons"] == 3
    assert figures[0][1] == pytest.approx(3 * figures[0][0])
    assert figures[1][1] == pytest.approx(1.5 * figures[1][0])
    assert figures[2][1] == pytest.approx(figures[2][0])
    few = Labour((Occupation("job1", 0.2), Occupation("job2", 0.4))).compared(expected(), level=0.95)
    assert few["n_comparisons"] == sum(few[name]["p"] is not None for name in ("spearman", "pearson", "slope", "above"))


def test_the_groups_can_be_told_and_the_error_says_how() -> None:
    occupations = tuple(Occupation(f"job{at}", at / 12) for at in range(12))
    items = expected(("Brad", "Emily"))
    with pytest.raises(UserError, match="none of them called .*: say which they are with --labour-groups WOMEN,MEN"):
        Labour(occupations).compared(items, level=0.95)
    found = Labour(occupations, of="Emily", against="Brad").compared(items, level=0.95)
    assert (found["group"], found["against"]) == ("Emily", "Brad")
