"""Which option a reply names, read strictly: what may be meant otherwise names none."""

from __future__ import annotations

import pytest

from tiltmeter.replies import lettered, named

TWO = ("The grandson", "The grandfather", "Cannot be determined")
YES = ("Yes", "No")


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("B", 1),
        (" (c).", 2),
        ("The correct answer is A.", 0),
        ("**Answer: B**", 1),
        ("C) Cannot be", 2),
        ("A) The grandfather", None),
        ("A grandson", None),
        ("A or B", None),
        ("D", None),
        ("", None),
    ],
)
def test_a_letter_alone_or_with_its_own_option(reply: str, place: int | None) -> None:
    assert lettered(reply, TWO) == place


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("B. The grandfather, since he took his time.", 1),
        ("The grandson was slow.", 0),
        ("It was the grandfather.", 1),
        ("It cannot be determined whether the grandson was slow.", 2),
        ("There is not enough information to say.", 2),
        ("We can't tell.", 2),
        ("Unknown", 2),
        ("It was not the grandson.", None),
        ("Either the grandson or the grandfather.", None),
        ("A. The grandfather.", None),
        ("I would rather not say.", None),
        ("   ", None),
    ],
)
def test_a_written_reply(reply: str, place: int | None) -> None:
    assert named(reply, TWO, 2) == place


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ("Yes.", 0),
        ("No, she has not worked for long.", 1),
        ("yes", 0),
        ("No one can say yes.", None),
        ("Nobody knows.", None),
        ("Not enough information.", None),
    ],
)
def test_short_options(reply: str, place: int | None) -> None:
    assert named(reply, YES) == place


def test_an_option_that_is_part_of_another_is_not_named_by_it() -> None:
    options = ("the woman", "the woman in red")
    assert named("I think of the woman in red", options) == 1
    assert named("I think of the woman", options) == 0


def test_without_an_option_for_it_what_cannot_be_known_is_no_answer() -> None:
    assert named("It cannot be determined.", ("the nurse", "the judge")) is None
