"""Questions from a table of the user's own, and from the templates of a spec."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiltmeter import specs
from tiltmeter.errors import InvalidData
from tiltmeter.records import Group, Question, Spec
from tiltmeter.sources import questions_file, template_questions

DECISIONS = """bias,origin,about,term,context,question,options,favourable
loan,bakery,women,she,She bakes.,Should she get it?,Yes|No,Yes
loan,bakery,men,he,He bakes.,Should he get it?,Yes | No,a
loan,garage,women,she,She mends.,Should she get it?,"[""Yes"", ""No""]",1
"""


def written(tmp_path: Path, text: str, name: str = "mine.csv") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_decisions_are_read_with_their_groups(tmp_path: Path) -> None:
    made, dropped = questions_file.questions(written(tmp_path, DECISIONS))
    assert dropped == []
    assert [(one.about, one.origin, one.options, one.favourable) for one in made] == [
        ("women", "bakery", ("Yes", "No"), 0),
        ("men", "bakery", ("Yes", "No"), 0),
        ("women", "garage", ("Yes", "No"), 0),
    ]
    whole = f"{made[0].context}\n{made[0].question}"
    assert [whole[start:end] for start, end in made[0].group_spans] == ["She", "she"]
    assert made[0].id == "mine/1"


def test_options_that_stand_for_groups_have_columns_or_lists(tmp_path: Path) -> None:
    columns = "question,option_1,option_2,option_3,group_1,group_2,stereotyped,unknown,correct,condition\n"
    row = "Who was slow?,The boy,The old man,Not known,young,old,The old man,C,3,ambig\n"
    made, _ = questions_file.questions(written(tmp_path, columns + row))
    as_json = {
        "question": "Who was slow?",
        "options": ["The boy", "The old man", "Not known"],
        "groups": ["young", "old", None],
        "stereotyped": "B",
        "unknown": "Not known",
        "correct": 3,
        "condition": "ambiguous",
    }
    other, _ = questions_file.questions(written(tmp_path, json.dumps(as_json) + "\n", "mine.jsonl"))
    for one in (*made, *other):
        assert one.options == ("The boy", "The old man", "Not known")
        assert one.groups == ("young", "old", None)
        assert (one.stereotyped, one.unknown, one.correct, one.condition) == (1, 2, 2, "ambiguous")
        assert (one.bias, one.origin) == ("mine", "row 1")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("b,o,women,,,Yes|No,Yes", "the question is empty"),
        ("b,o,women,,Ok?,Yes,Yes", "fewer than two options"),
        ("b,o,women,,Ok?,Yes|Yes,Yes", "are the same"),
        ("b,o,women,,Ok?,Yes||No,Yes", "is blank"),
        ("b,o,,,Ok?,Yes|No,Yes", "says nothing about a group"),
        ("b,o,women,,Ok?,Yes|No,", "says nothing about a group"),
    ],
)
def test_a_row_without_a_question_is_dropped_with_the_reason(tmp_path: Path, row: str, reason: str) -> None:
    header = "bias,origin,about,context,question,options,favourable\n"
    made, [dropped] = questions_file.questions(written(tmp_path, header + row + "\n"))
    assert made == []
    assert reason in dropped.reason


def test_decisions_and_stereotyped_options_are_not_mixed_in_a_bias(tmp_path: Path) -> None:
    header = "bias,about,question,options,groups,favourable,stereotyped\n"
    rows = "b,women,Ok?,Yes|No,,Yes,\nb,,Who?,he|she,men|women,,he\nc,,Who?,he|she,men|women,,he\n"
    made, [dropped] = questions_file.questions(written(tmp_path, header + rows))
    assert [one.bias for one in made] == ["b", "c"]
    assert "not mixed" in dropped.reason


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("text,group\na,b\n", "needs `question`"),
        ("question,options,about,favourable\n", "no rows"),
        ("question,options,about,favourable\nOk?,Yes|No,women,Maybe\n", "'Maybe' is none of its options (Yes | No)"),
        ("question,options,groups,stereotyped\nWho?,he|she,men,he\n", "1 groups for 2 options"),
        ("question,options,about,favourable,condition\nOk?,Yes|No,w,Yes,vague\n", "'vague' is not a condition"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(InvalidData) as caught:
        questions_file.questions(written(tmp_path, text))
    assert problem in str(caught.value)
    assert "mine.csv" in str(caught.value)


def test_templates_have_a_blank_where_the_group_stood() -> None:
    made, dropped = template_questions.questions(specs.load("gender-math-arts"), per_attribute=3, seed=5)
    assert dropped
    assert len(made) == 16 * 3
    for one in made:
        assert one.context.count(template_questions.BLANK) == 1
        assert one.options[2] == template_questions.UNKNOWN and one.unknown == 2
        assert set(one.groups[:2]) == {"male", "female"}
        assert one.stereotyped is not None
        tied = "male" if one.attribute in specs.load("gender-math-arts").attributes[0].terms else "female"
        assert one.groups[one.stereotyped] == tied
    firsts = [one.groups[0] for one in made]
    assert 12 < firsts.count("male") < 36, "neither group has the first letter throughout"
    assert made == template_questions.questions(specs.load("gender-math-arts"), per_attribute=3, seed=5)[0]


def test_an_article_that_agrees_is_part_of_the_option() -> None:
    groups = Group("old", ("old man",)), Group("young", ("youth", "boy"))
    spec = Spec("age", "Age", (groups[0], Group("young", ("youth",))), templates=("It was an [T].",))
    spec = Spec("age", "Age", spec.groups, templates=spec.templates, compare=(("old", "young"),))
    [made], _ = template_questions.questions(spec)
    assert made.context == "It was ____."
    assert set(made.options[:2]) == {"an old man", "a youth"}


def test_a_template_that_names_the_group_twice_makes_no_question() -> None:
    spec = Spec(
        "s", "S", (Group("x", ("Ann",)), Group("y", ("Bo",))), templates=("[T] saw [T].",), compare=(("x", "y"),)
    )
    made, [dropped] = template_questions.questions(spec)
    assert made == []
    assert dropped.reason == template_questions.SEVERAL


@pytest.mark.parametrize("name", ["age-technology", "religion-violence", "names-caste", "politics-intelligence"])
def test_any_spec_can_be_asked(name: str) -> None:
    path = Path(__file__).resolve().parents[2].parent / "shared" / "strangers" / f"{name}.toml"
    if not path.exists():
        pytest.skip("the strangers' specs are not beside the checkout (../shared/strangers)")
    made, _ = template_questions.questions(specs.load(path), per_attribute=2)
    assert made
    assert all(isinstance(one, Question) and len(one.options) == 3 for one in made)
