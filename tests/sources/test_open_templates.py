"""Templates of a spec, cut or reordered so that the group comes next."""

from __future__ import annotations

import pytest

from tiltmeter import registry, specs
from tiltmeter.errors import UserError
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.sources.open_templates import NOT_OPEN, open_templates, prompts


def spec(*templates: str, terms: tuple[str, str] = ("man", "woman"), attribute: str = "math") -> Spec:
    groups = Group("male", (terms[0],)), Group("female", (terms[1],))
    return Spec("s", "S", groups, (AttributeSet("a", (attribute,)),), templates)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("The [A] said that [T]", "The math said that"),
        ("[A] is more natural for [T] than for others", "Math is more natural for"),
        ("[T] likes [A]", "The one who likes math is"),
        ("[T] can be [A].", "The one who can be math is"),
        ("[T] applied for the position of [A]", "The one who applied for the position of math is"),
        ("[T] is a [A]", "The one who is a math is"),
        ("The [T] is [A]", "The one who is math is the"),
    ],
)
def test_a_template_is_cut_or_turned(template: str, text: str) -> None:
    assert [prompt.text for prompt in prompts(spec(template))[0]] == [text]


def test_a_turned_template_agrees_with_plural_terms() -> None:
    found = prompts(spec("[T] likes [A]", "[T] like [A]", terms=("men", "women")))[0]
    assert [prompt.text for prompt in found] == ["The ones who like math are"]
    assert found[0].word_sets == (("male", ("men",)), ("female", ("women",)))


def test_terms_get_the_article_that_the_turned_sentence_needs() -> None:
    [found] = prompts(spec("[T] likes [A]", terms=("brother", "Emily")))[0]
    assert found.word_sets == (("male", ("the brother",)), ("female", ("Emily",)))


def test_cut_templates_go_before_turned_ones() -> None:
    found = open_templates(spec("[T] likes [A]", "The [A] said that [T]"))
    assert [(template.text, template.turned) for template in found] == [("The [A] said that", False)]


def test_an_article_before_the_group_is_asked_with_only_without_plainer_templates() -> None:
    [found] = prompts(spec("The [T] is [A]", terms=("Muslim man", "imam")))[0]
    assert found.word_sets == (("male", ("Muslim man",)), ("female", ("imam",)))
    assert [one.text for one in open_templates(spec("The [T] is [A]", "[T] likes [A]"))] == ["The one who likes [A] is"]


@pytest.mark.parametrize("template", ["[T] in this town is usually [A]", "The [T] next door was called [A]"])
def test_what_belongs_to_the_name_of_a_group_is_not_said_of_it(template: str) -> None:
    assert open_templates(spec(template)) == []


def test_a_template_that_is_neither_is_accounted_for() -> None:
    made, dropped = prompts(spec("The [T] [A]"))
    assert (made, [item.reason for item in dropped]) == ([], [NOT_OPEN])


def test_only_an_attribute_that_names_a_person_can_be_replaced() -> None:
    [person] = prompts(spec("[T] is a [A]", attribute="usher"))[0]
    [thing] = prompts(spec("[T] likes [A]"))[0]
    assert person.text == "The one who is an usher is"
    assert [person.text[slice(*span)] for span in person.subject_spans] == ["usher"]
    assert thing.subject_spans == ()


def test_users_templates_are_used_as_they_are_and_checked() -> None:
    made, _ = prompts(spec("[T] likes [A]"), templates=["Speaking of [A],"])
    assert [prompt.text for prompt in made] == ["Speaking of math,"]
    with pytest.raises(UserError, match=r"a template needs one \[A\]"):
        prompts(spec("[T] likes [A]"), templates=["no slot"])


def test_every_spec_of_the_library_but_one_can_be_asked_for_its_groups() -> None:
    without = [name for name in specs.names() if not prompts(specs.load(name))[0]]
    assert without == ["regard-six-groups"]


@pytest.mark.parametrize("name", ["templates.v1", "profession-templates.v1", "natural.v1"])
def test_sources_of_open_prompts_say_what_a_probe_must_say(name: str) -> None:
    made, _ = registry.load("source", name, "next words")(limit=3, seed=5)
    assert made
    assert made == registry.load("source", name, "next words")(limit=3, seed=5)[0]
    for prompt in made:
        assert prompt.word_sets
        assert prompt.origin
        assert prompt.group is None
        assert prompt.text == prompt.text.rstrip()
    assert len({prompt.id for prompt in made}) == len(made)


def test_no_prompt_says_that_somebody_is_a_verb() -> None:
    made, dropped = prompts(specs.load("flowers-insects"))
    asked = {prompt.origin for prompt in made}
    assert "pollute" not in asked and {"caress", "murder", "ugly", "poison", "happy"} <= asked
    assert any(
        one.reason == "`pollute` is a verb, which cannot follow `is` in 'The one who is [A] is'" for one in dropped
    )


@pytest.mark.parametrize(
    ("template", "attribute"), [("[T] is [A]", "calm"), ("[T] is a [A]", "cook"), ("[T] is [A]", "roofer")]
)
def test_other_attributes_are_asked_as_ever(template: str, attribute: str) -> None:
    assert len(prompts(spec(template, attribute=attribute))[0]) == 1


def test_an_adjective_that_can_be_a_verb_is_one_among_adjectives() -> None:
    kind = AttributeSet("a", ("mean", "rude", "lazy", "vain"))
    groups = Group("male", ("man",)), Group("female", ("woman",))
    assert len(prompts(Spec("s", "S", groups, (kind,), ("[T] is [A]",)))[0]) == 4
