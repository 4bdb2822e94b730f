import random
from typing import Any

import pytest

from tiltmeter import specs
from tiltmeter.errors import UserError
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.sources.templates import pairs


def spec(
    templates: tuple[str, ...] = ("[T] likes [A]",),
    groups: tuple[Group, ...] = (Group("male", ("he", "man")), Group("female", ("she", "woman"))),
    attributes: tuple[AttributeSet, ...] = (AttributeSet("math", ("algebra",), ("male",)),),
    compare: tuple[tuple[str, str], ...] = (("male", "female"),),
) -> Spec:
    return Spec("test", "Test", groups, attributes, templates, compare=compare)


def test_a_pair_carries_everything_needed_to_read_it_later() -> None:
    made, dropped = pairs(spec(templates=("[T] is a fan of [A].",)))
    assert not dropped
    pair = made[0]
    assert pair.texts == ("He is a fan of algebra.", "She is a fan of algebra.")
    assert (pair.source, pair.bias, pair.origin) == ("templates.v1", "test", "algebra")
    assert (pair.groups, pair.terms, pair.stereotyped) == (("male", "female"), ("he", "she"), 0)
    assert (pair.attribute, pair.attribute_set, pair.template) == ("algebra", "math", "[T] is a fan of [A].")
    assert pair.group_spans == (((0, 2),), ((0, 3),))
    assert [pair.texts[i][slice(*pair.attribute_spans[i][0])] for i in (0, 1)] == ["algebra", "algebra"]


def test_the_stereotyped_text_follows_the_attribute_set() -> None:
    sets = (
        AttributeSet("first", ("a1",), ("male",)),
        AttributeSet("second", ("a2",), ("female",)),
        AttributeSet("control", ("a3",)),
        AttributeSet("both", ("a4",), ("male", "female")),
        AttributeSet("third", ("a5",), ("other",)),
    )
    groups = (Group("male", ("he",)), Group("female", ("she",)), Group("other", ("they",)))
    made, _ = pairs(spec(attributes=sets, groups=groups))
    assert [(pair.origin, pair.stereotyped) for pair in made] == [("a1", 0), ("a2", 1), ("a3", None)]


def test_each_comparison_is_a_bias_of_its_own() -> None:
    made, _ = pairs(specs.load("regard-six-groups"))
    assert sorted({pair.bias for pair in made}) == [
        "regard-six-groups:man-woman",
        "regard-six-groups:straight-person-gay-person",
        "regard-six-groups:white-person-black-person",
    ]
    assert made[0].texts == ("The man worked as", "The woman worked as")


def test_a_spec_without_attributes_has_its_templates_as_origins() -> None:
    made, _ = pairs(spec(templates=("[T] ran", "[T] sat"), attributes=()))
    assert [(pair.origin, pair.stereotyped, pair.attribute) for pair in made[::2]] == [
        ("[T] ran", None, None),
        ("[T] sat", None, None),
    ]


def test_the_article_that_differs_belongs_to_the_group() -> None:
    groups = (Group("male", ("uncle", "man")), Group("female", ("widow", "woman")))
    made, _ = pairs(spec(templates=("An [T] likes [A]",), groups=groups))
    spans = [[made[0].texts[i][slice(*span)] for span in made[0].group_spans[i]] for i in (0, 1)]
    assert spans == [["An", "uncle"], ["A", "widow"]]
    assert made[1].group_spans == (((2, 5),), ((2, 7),))


@pytest.mark.parametrize(
    ("template", "terms", "reason"),
    [
        ("[T] likes [A]", ("him", "her"), "`him` cannot be the subject of '[T] likes [A]'"),
        ("[T] likes [A]", ("his", "hers"), "`his` cannot be the subject of '[T] likes [A]'"),
        ("[T], the [A], ate", ("him", "her"), "`him` cannot be the subject of '[T], the [A], ate'"),
        ("The [A] said that [T]", ("him", "her"), "`him` cannot be the subject of 'The [A] said that [T]'"),
        ("Does [T] like [A]?", ("him", "her"), "`him` cannot be the subject of 'Does [T] like [A]?'"),
        ("I think [T] is [A]", ("him", "her"), "`him` cannot be the subject of 'I think [T] is [A]'"),
        ("[A] is for [T]", ("he", "she"), "`he` cannot be the object in '[A] is for [T]'"),
        ("[A] helps [T] a lot", ("he", "she"), "`he` cannot be the object in '[A] helps [T] a lot'"),
        ("[T] book is about [A]", ("he", "she"), "`he` cannot precede the noun in '[T] book is about [A]'"),
        ("[T] [A] skills are good", ("him", "her"), "`him` cannot precede the noun in '[T] [A] skills are good'"),
        ("The [T] likes [A]", ("he", "she"), "`he` cannot replace a noun in 'The [T] likes [A]'"),
        ("My [T] likes [A]", ("he", "she"), "`he` cannot replace a noun in 'My [T] likes [A]'"),
        ("[T]'s [A]", ("he", "she"), "`he` cannot replace a noun in '[T]'s [A]'"),
        ("[T] is [A]", ("he", "they"), "`is` cannot follow both `he` and `they` in '[T] is [A]'"),
        ("[T] is [A]", ("him", "Amy"), "`him` cannot be the subject of '[T] is [A]'"),
    ],
)
def test_a_pronoun_that_does_not_fit_is_dropped(template: str, terms: tuple[str, str], reason: str) -> None:
    groups = (Group("male", terms[:1]), Group("female", terms[1:]))
    made, dropped = pairs(spec(templates=(template,), groups=groups))
    assert not made
    assert [drop.reason for drop in dropped] == [reason]
    assert (dropped[0].bias, dropped[0].origin) == ("test", "algebra")


@pytest.mark.parametrize(
    ("template", "terms"),
    [
        ("[T] like [A]", ("he", "she")),
        ("[T] like [A]", ("man", "woman")),
        ("[A] is for [T]", ("him", "her")),
        ("I gave [T] [A]", ("him", "her")),
        ("[T] [A] skills are good", ("his", "her")),
        ("The [A] is [T]", ("his", "hers")),
        ("The [A] said that [T]", ("he", "she")),
        ("Yes, [T] also liked [A]", ("he", "they")),
        ("The [T] likes [A]", ("man", "woman")),
    ],
)
def test_what_fits_or_is_a_fault_of_both_texts_is_kept(template: str, terms: tuple[str, str]) -> None:
    groups = (Group("male", terms[:1]), Group("female", terms[1:]))
    made, dropped = pairs(spec(templates=(template,), groups=groups))
    assert (len(made), dropped) == (1, [])


def test_as_published_fills_in_verbatim_and_drops_nothing() -> None:
    groups = (Group("male", ("him", "man")), Group("female", ("her", "woman")))
    made, dropped = pairs(spec(templates=("[T] is a [A]",), groups=groups), agreement="as-published")
    assert [pair.texts[0] for pair in made] == ["him is a algebra", "man is a algebra"]
    assert not dropped


def test_the_same_two_texts_are_made_once() -> None:
    sets = (AttributeSet("one", ("math",), ("male",)), AttributeSet("two", ("math",), ("female",)))
    made, dropped = pairs(spec(attributes=sets))
    assert len(made) == 2
    assert dropped[0].reason == "the same two texts already exist as test/one/math/0/0"


@pytest.mark.parametrize("name", specs.names())
def test_ids_and_texts_of_the_library_are_unique_and_spans_are_right(name: str) -> None:
    made, _ = pairs(specs.load(name))
    assert made
    assert len({pair.id for pair in made}) == len({(pair.bias, pair.texts) for pair in made}) == len(made)
    for pair in made:
        for i in (0, 1):
            assert [pair.texts[i][a:b].casefold() for a, b in pair.group_spans[i]] == [pair.terms[i].casefold()]
            assert [pair.texts[i][a:b] for a, b in pair.attribute_spans[i]] == [pair.attribute]


def test_a_sample_is_seeded_keeps_the_order_and_looks_at_nothing_else() -> None:
    whole = specs.load("gender-math-arts")
    every = [pair.id for pair in pairs(whole)[0]]
    random.seed(1)
    first = [pair.id for pair in pairs(whole, per_attribute=3, seed=7)[0]]
    random.seed(2)
    assert first == [pair.id for pair in pairs(whole, per_attribute=3, seed=7)[0]]
    assert first != [pair.id for pair in pairs(whole, per_attribute=3, seed=8)[0]]
    assert first == sorted(first, key=every.index)
    assert len(first) == 3 * 16
    only_arts = Spec(whole.name, "", whole.groups, whole.attributes[1:], whole.templates, compare=whole.compare)
    assert [pair.id for pair in pairs(only_arts, per_attribute=3, seed=7)[0]] == first[24:]


def test_a_sample_larger_than_the_plan_is_the_plan() -> None:
    assert pairs(spec(), per_attribute=99) == pairs(spec())


@pytest.mark.parametrize("settings", [{"per_attribute": 0}, {"per_attribute": "3"}, {"agreement": "published"}])
def test_settings_that_mean_nothing_are_refused_by_name(settings: dict[str, Any]) -> None:
    with pytest.raises(UserError) as caught:
        pairs(spec(), **settings)
    assert caught.value.key == next(iter(settings))
