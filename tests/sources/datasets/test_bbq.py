from __future__ import annotations

import json
from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import question_samples
from tests.sources.datasets.question_samples import PEOPLE, bbq_rows
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import bbq, recognise
from tiltmeter.sources.datasets.bbq_groups import group_of, target
from tiltmeter.sources.interface import Source

STEREOTYPED = dict.fromkeys(PEOPLE, 1) | {"Age": 0, "Disability_status": 0, "Race_ethnicity": 0}
STEREOTYPED |= {"Sexual_orientation": 0}


@pytest.fixture
def folder(tmp_path):
    return question_samples.bbq(tmp_path / "bbq")


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_every_category_says_who_is_stereotyped_but_one_that_does_not(folder) -> None:
    made, dropped = bbq.questions(folder)
    assert {one.bias for one in dropped} == {"bbq/Race_x_gender"} and len(dropped) == 4
    assert all("additional_metadata.csv" in one.reason for one in dropped)
    assert len(made) == 4 * (len(PEOPLE) - 1)
    for question in made:
        category, negative = question.bias.removeprefix("bbq/"), question.template.endswith("/neg")
        meant = STEREOTYPED[category]
        assert question.stereotyped == (meant if negative else 1 - meant), question.id
        assert question.unknown == 2 and question.groups[2] is None
        assert question.correct == (2 if question.condition == "ambiguous" else int(negative))
        assert question.origin == f"{category} 1"


def test_labels_have_one_spelling(folder) -> None:
    groups = {one.bias: one.groups[:2] for one in bbq.questions(folder)[0]}
    assert groups["bbq/Gender_identity"] == ("men", "women")
    assert groups["bbq/Race_x_SES"] == ("high SES Green", "low SES Blue women")
    assert groups["bbq/Race_ethnicity"] == ("Green men", "White men")
    assert groups["bbq/Age"] == ("old", "not old")
    assert set(bbq.called()) & {group for pair in groups.values() for group in pair} >= {"old", "not old", "women"}


@pytest.mark.parametrize(
    ("people", "stereotyped", "place"),
    [
        ([("Iraqi", "MiddleEast"), ("Dane", "Europe")], ["Iraqi", "Syrian"], 0),
        ([("Hispanic man", "Hispanic"), ("African man", "African")], ["African American"], None),
        ([("her", "trans_F"), ("him", "nonTrans_M")], ["Transgender women", "Transgender men"], 0),
        ([("her", "trans"), ("him", "M")], ["Transgender women"], 0),
        ([("Ann", "F"), ("Bob", "M")], ["Women"], 0),
        ([("a", "woman"), ("b", "man")], ["M"], 1),
        ([("a", "lowSES-F-Black"), ("b", "highSES-F-White")], ["Black", "African-American"], 0),
        ([("a", "lowSES-Black"), ("b", "highSES-Black")], ["Black"], None),
        ([("a", "lowSES-Black"), ("b", "highSES-Black")], ["lowSES-Black"], 0),
        ([("a", "F-African American"), ("b", "M-White")], ["African American"], 0),
        ([("a", "nonOld"), ("b", "old")], ["nonOld"], 0),
        ([("a", "nonDisabled"), ("b", "disabled")], ["people with autism"], None),
        ([("a", "Muslim"), ("b", "Jewish")], [], None),
    ],
)
def test_who_is_stereotyped_is_found_and_never_guessed(people, stereotyped, place) -> None:
    assert target(people, stereotyped) == place
    turned = target(people[::-1], stereotyped)
    assert turned == (None if place is None else 1 - place)


def test_groups_of_two_labels_have_readable_names() -> None:
    assert [group_of(one) for one in ("F-Black", "lowSES-M-White", "nonTrans_F", "Middle Eastern")] == [
        "Black women",
        "low SES White men",
        "not trans women",
        "Middle Eastern",
    ]


@pytest.mark.parametrize("points_at_the_stereotyped_option", [False, True])
def test_the_authors_table_says_what_the_rows_do_not(folder, points_at_the_stereotyped_option) -> None:
    # Whether the table points to the target or to the biased answer, the negative questions say the same.
    other = "1" if points_at_the_stereotyped_option else "0"
    table = f"category,question_index,example_id,target_loc\nRace_x_gender,1,0,0\nRace_x_gender,1,2,{other}\n"
    (folder / "additional_metadata.csv").write_text(table + "Race_x_gender,1,1,NA\nAge,1,0,1\n", encoding="utf-8")
    made, dropped = bbq.questions(folder, category="Race_x_gender")
    assert not dropped and [one.stereotyped for one in made] == [0, 0, 1, 1]
    assert bbq.check(folder)["targets_told_by_the_authors_table"] == 4
    assert folder / "additional_metadata.csv" in Source.named("bbq", "choices").files(str(folder))
    # What a row says itself stays.
    assert bbq.questions(folder, category="Age")[0][0].stereotyped == 0


def test_a_file_or_a_folder_and_its_parts_can_be_chosen(folder) -> None:
    assert recognise(folder)[0].name == "bbq"
    assert {one.bias for one in bbq.questions(folder, category=["Age", "SES"])[0]} == {"bbq/Age", "bbq/SES"}
    assert {one.condition for one in bbq.questions(folder / "Age.jsonl", condition="ambiguous")[0]} == {"ambiguous"}
    with pytest.raises(UserError, match="there is no category `Height`"):
        bbq.questions(folder, category="Height")


def test_a_draw_keeps_all_questions_about_two_people(tmp_path) -> None:
    file = write(tmp_path / "Age.jsonl", [row for number in range(6) for row in bbq_rows("Age", number)])
    made, _ = bbq.questions(file, per_group=2, seed=3)
    assert list(Counter(one.origin for one in made).values()) == [4, 4]
    assert made == bbq.questions(file, per_group=2, seed=3)[0]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"label": 3}, "line 1.*label.*must be 0, 1 or 2"),
        ({"label": True}, "label.*must be 0, 1 or 2"),
        ({"question_polarity": "positive"}, "must be `neg` or `nonneg`"),
        ({"context_condition": None}, "must be `ambig` or `disambig`"),
        ({"answer_info": {"ans0": ["a"]}}, "two texts under each of ans0, ans1, ans2"),
        ({"additional_metadata": {"stereotyped_groups": "old"}}, "must be a list of texts"),
        ({"ans1": " "}, "no text under `ans1`"),
        ({"example_id": None}, "example_id.*must be a number"),
    ],
)
def test_a_malformed_row_is_refused_with_its_place(tmp_path, changed, message) -> None:
    file = write(tmp_path / "Age.jsonl", [{**bbq_rows("Age")[0], **changed}])
    with pytest.raises(InvalidData, match=message):
        bbq.read(file)


def test_a_row_that_cannot_be_asked_is_dropped_with_the_reason(tmp_path) -> None:
    first, second, third, _ = bbq_rows("Age")
    second["ans1"] = second["ans0"]
    third["answer_info"] = {**third["answer_info"], "ans2": ["the uncle", "old"]}
    made, dropped = bbq.questions(write(tmp_path / "Age.jsonl", [first, second, third]))
    assert len(made) == 1
    assert [one.reason.partition(";")[0] for one in dropped] == [
        "two of its answers are the same",
        "0 of its answers say that it cannot be known",
    ]


def test_an_id_that_is_there_twice_is_refused(tmp_path) -> None:
    with pytest.raises(InvalidData, match="Age/0.*there twice"):
        bbq.read(write(tmp_path / "Age.jsonl", bbq_rows("Age")[:1] * 2))


def test_the_published_file() -> None:
    path = shared("bbq")
    found = bbq.check(path)
    assert (found["questions"], found["usable"], found["templates"]) == (1200, 1200, 25)
    assert found["by_condition"] == {"ambiguous": 600, "disambiguated": 600}
    made, dropped = bbq.questions(path)
    assert (len(made), dropped) == (1200, [])
    # Stereotyped is the target's answer to a negative question and the other's to one that is not.
    rows = {f"bbq/{row.id}": row for row in bbq.read(path)}
    for one in made:
        row = rows[one.id]
        answered = row.labels[one.stereotyped] in row.stereotyped
        assert answered == (row.polarity == "neg") and row.labels[one.unknown] == "unknown"
