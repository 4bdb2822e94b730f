"""What kind of word a term is, told without a list of groups."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.shared import ROOT
from tiltmeter import specs
from tiltmeter.errors import InvalidSpec
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.word_kinds import attribute_kind, term_kind

# Not imported to see whether it is there: with torch behind it, that takes seconds.
pytestmark = pytest.mark.skipif(find_spec("spacy") is None, reason="spaCy is not installed")
STRANGERS = ROOT.parent / "shared" / "strangers"


def in_templates(*templates: str) -> Spec:
    return Spec("x", "X", (), templates=templates)


@pytest.mark.parametrize(
    ("term", "kind"),
    [
        ("she", "pronoun"),
        ("theirs", "pronoun"),
        ("the old man", "phrase"),
        ("my grandmother", "phrase"),
        ("our landlord's daughter", "phrase"),
        ("refugees", "plural"),
        ("people born abroad", "plural"),
        ("native-born tenants", "plural"),
        ("the elderly", "plural"),
        ("Mr. Paswan", "name"),
        ("Priya Mukherjee", "name"),
        ("tenant", "noun"),
        ("trans woman", "noun"),
        ("convert to Islam", "noun"),
    ],
)
def test_the_kind_of_a_term(term: str, kind: str) -> None:
    assert term_kind(term) == kind


def test_a_capital_is_no_name_and_a_template_says_what_it_needs() -> None:
    spec = in_templates("The [T] is [A]", "We met a [T] who is [A]")
    for term in ("Republican", "Romanian", "Sikh", "Black woman", "Tea Party activist"):
        assert term_kind(term, spec=spec) == "noun", term
    assert term_kind("gay", spec=in_templates("The [T] neighbour is [A]")) == "adjective"


def test_what_most_names_of_a_list_are_the_others_are_too() -> None:
    names = Group("a", ("Malika", "Latoya", "Aisha", "Keisha", "Tamika"))
    assert {term_kind(term, names) for term in names.terms} == {"name"}


def test_an_adjective_used_as_a_noun_is_one_or_several_as_the_templates_say() -> None:
    assert term_kind("the deaf", spec=in_templates("[T] are [A]")) == "plural"
    assert term_kind("the deaf", spec=in_templates("[T] is [A]")) == "phrase"


@pytest.mark.parametrize(
    ("term", "templates", "kind"),
    [
        ("honest", ("[T] are [A]",), "adjective"),
        ("law-abiding", ("[T] are [A]",), "adjective"),
        ("judge", ("[T] is a [A]",), "role"),
        ("violin", ("[T] owns a [A]",), "thing"),
        ("gardening", ("[T] is good at [A]",), "thing"),
        ("plays the cello", ("[T] [A]", "I was told that [T] [A]"), "deed"),
        ("spells badly", ("[T] probably [A]",), "deed"),
    ],
)
def test_the_kind_of_an_attribute(term: str, templates: tuple[str, ...], kind: str) -> None:
    assert attribute_kind(term, spec=in_templates(*templates)) == kind


def test_what_the_spec_states_counts() -> None:
    text = """
        name = "x"
        templates = ["[T] is [A]"]
        [groups.a]
        terms = ["Ash", "Rain"]
        kind = "name"
        [groups.b]
        terms = ["Sky", "River"]
        [attributes.one]
        terms = ["fast"]
        kind = "thing"
    """
    spec = specs.parse(text)
    assert term_kind("Ash", spec.groups[0], spec) == "name"
    assert attribute_kind("fast", spec.attributes[0], spec) == "thing"
    assert specs.parse(specs.to_toml(spec)) == spec
    with pytest.raises(InvalidSpec, match=r'"name".*not .surname.'):
        specs.parse(text.replace('"name"\n        [groups.b]', '"surname"\n        [groups.b]'))


def test_both_groups_of_a_strangers_spec_are_of_the_same_kinds() -> None:
    if not STRANGERS.is_dir():
        pytest.skip(f"{STRANGERS} is not there")
    for path in sorted(STRANGERS.glob("*.toml")):
        spec = specs.load(path)
        kinds = [[term_kind(term, group, spec) for term in group.terms] for group in spec.groups]
        assert all(one == kinds[0] for one in kinds), path.name
        for attributes in spec.attributes:
            assert len({attribute_kind(term, attributes, spec) for term in attributes.terms}) == 1, attributes.name


def test_a_stated_kind_of_attributes_counts_without_templates() -> None:
    assert attribute_kind("reads", AttributeSet("a", ("reads",), kind="deed")) == "deed"
