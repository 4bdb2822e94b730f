"""Prompts that ask for the next word in many structures: texts worked out by hand, and what becomes of a structure."""

from __future__ import annotations

import pytest

from tiltmeter import specs
from tiltmeter.errors import UserError
from tiltmeter.results.cells import Combination, Measurement
from tiltmeter.results.findings.compared import cells_from
from tiltmeter.results.findings.questions import Question
from tiltmeter.sources.rephrased import open_prompts
from tiltmeter.sources.rephrased.asking import open_forms, rephrased_template

FORMS = {form.structure.id: form for form in open_forms()}


@pytest.mark.parametrize(
    ("template", "structure", "right"),
    [
        ("The [A] said that", "cleft", "It was the [A] who said that"),
        ("The [A] said that", "existential", "There was a [A] who said that"),
        ("The [A] said that", "yes-no-question", "Did the [A] say that"),
        ("The [A] was fired because", "yes-no-question", "Was the [A] fired because"),
        ("The [A] likes", "cleft", "It is the [A] who likes"),
        ("The [A] likes", "yes-no-question", "Does the [A] like"),
        ("The one who likes [A] is", "asked-of-the-reader", "Did you know that the one who likes [A] is"),
        ("The one who likes [A] is", "cleft", None),
        ("The [A] was fired because", "conditional-3", None),
        ("Emily met the [A] and", "reported", None),
    ],
)
def test_a_template_in_a_structure_still_ends_where_the_group_is_expected(template, structure, right) -> None:
    assert rephrased_template(template, FORMS[structure]) == right


def test_every_prompt_of_a_spec_is_asked_in_both_kinds_of_structure() -> None:
    made, _ = open_prompts(specs.load("gender-math-arts"), structures=4, fixed=True)
    plain = [one for one in made if one.structure.id == "fixed"]
    assert {one.structure.kind for one in made} == {"declarative", "interrogative"}
    assert {one.origin for one in made} == {one.origin for one in plain}
    assert len({one.id for one in made}) == len(made)
    last = {(one.origin, one.text.split()[-1]) for one in plain}
    assert {(one.origin, one.text.split()[-1]) for one in made} == last, "all end where the group is expected"
    assert all(one.word_sets == plain[0].word_sets and one.source == "rephrased.v1" for one in made)


def test_what_is_asked_wrongly_is_refused() -> None:
    for wrong in ({"structures": 0}, {"structures": 99}, {"kind": "x"}, {"fixed": 1}):
        with pytest.raises(UserError):
            open_prompts(**wrong)


def test_the_kind_of_a_structure_is_a_choice_of_next_words() -> None:
    """The groups are equally likely in statements; in questions the second is the likelier one."""
    rows = [
        Measurement(
            f"{kind}/{at}", f"o{at}", "men", "women", template=f"t{at % 2}", structure=name, kind=of, value=value
        )
        for kind, (name, of, value) in {
            "plain": ("fixed", "declarative", 0.5),
            "said": ("reported", "declarative", 0.5),
            "asked": ("asked", "interrogative", 0.2),
        }.items()
        for at in range(6)
    ]
    of = Combination("next words", "rephrased.v1", "share", words="own", compares=True)
    found = {
        cell.choices["structure"]: cell
        for cell in cells_from(Question("", "next words", "", "men", "women"), of, rows, {})
    }
    assert {*found} == {"baseline", "declarative", "interrogative"}
    assert [list(found[name].values) for name in found] == [[0.5] * 6, [0.5] * 6, [0.2] * 6]
