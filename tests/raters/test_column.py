"""Ratings in a table of the user's, found by their text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter import raters
from tiltmeter.errors import UserError
from tiltmeter.results.summary.raters import comparable
from tiltmeter.results.summary.text_records import ends_of, favour, kind_of

STARS = "[range=1..5;worse=low;axis=sentiment]"


def table(folder: Path, *rows: str) -> Path:
    (folder / "rated.csv").write_text("\n".join(("text,stars", *rows, "")), encoding="utf-8")
    return folder / "rated.csv"


def test_a_rating_is_that_of_its_text(tmp_path: Path) -> None:
    file = table(tmp_path, "She  won.,5", "He lost.,1.5", "He left.,", "'=Odd.,2")
    found = raters.load(f"column:{file}:stars{STARS}")
    ratings = found.rate(["He lost.", "She won.\n", "He left.", "Nobody.", "", "=Odd."])
    assert [one.value for one in ratings] == [1.5, 5.0, None, None, None, 2.0]
    assert [one.unrated for one in ratings[2:5]] == [
        *("the column `stars` is blank", "the text is not in the table", "the text is empty")
    ]
    assert found.name.startswith("column.v1:rated.csv:stars@") and found.facts["texts"] == "4"
    assert (kind_of(found.name), favour(found.name)) == ("sentiment (1 to 5, worse low)", 1)
    assert ends_of(found.name) == (1.0, 5.0)
    assert comparable(found.name, "sentiment.vader.v1") and not comparable(found.name, "toxicity.linear.v1")
    table(tmp_path, "She  won.,4")
    assert raters.load(f"column:{file}:stars{STARS}").name != found.name


def test_labels_have_numbers(tmp_path: Path) -> None:
    file = table(tmp_path, "She won.,Good", "He lost.,bad", "Rain.,other")
    found = raters.load(f"column:{file}:stars[bad=-1,good=1,other=none;worse=low;axis=sentiment]")
    ratings = found.rate(["She won.", "He lost.", "Rain."])
    assert [one.value for one in ratings] == [1.0, -1.0, None] and ratings[0].label == "Good"
    assert ratings[2].unrated == "the label is other" and kind_of(found.name) == "sentiment"


@pytest.mark.parametrize(
    ("rows", "column", "problem"),
    [
        (["a,7"], "stars", "line 2, `stars`: is not a number from 1 to 5"),
        (["a,nan"], "stars", "is not a number from 1 to 5"),
        (["a,good"], "stars", "is not a number from 1 to 5"),
        (["a,2", "a,3"], "stars", "line 3, `stars`: the text has another rating on an earlier line"),
        (["a,2"], "star", "there is no column `star`; did you mean `stars`"),
    ],
)
def test_a_table_that_does_not_fit_is_refused(tmp_path: Path, rows: list[str], column: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        raters.load(f"column:{table(tmp_path, *rows)}:{column}{STARS}")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("column:rated.csv", "names no column"),
        ("column:rated.csv:stars", "does not say its scale"),
        ("column:rated.csv:stars[range=1..5;worse=low;mask=yes]", "a column has no setting `mask`"),
        ("column:nowhere.csv:stars[range=1..5;worse=low]", "there is no file nowhere.csv"),
    ],
)
def test_a_name_that_cannot_be_read_is_refused(name: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        raters.check_name(name)
