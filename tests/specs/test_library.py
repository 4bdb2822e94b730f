from dataclasses import replace

import pytest

from tiltmeter import specs
from tiltmeter.records import Spec

PUBLISHED = [name for name in specs.names() if name not in ("regard-six-groups", "professions-pronouns")]


@pytest.fixture(params=specs.names())
def spec(request: pytest.FixtureRequest) -> Spec:
    return specs.load(request.param)


def test_file_and_name_agree_and_the_file_reads_back(spec: Spec) -> None:
    assert spec.name in specs.names()
    assert replace(specs.parse(specs.to_toml(spec))) == spec


def test_every_spec_says_what_it_is_and_where_it_comes_from(spec: Spec) -> None:
    assert spec.title and spec.note and spec.templates
    assert any(year in spec.citation for year in ("2017", "2019", "2020", "2021", "2022"))


def test_the_fifteen_published_biases_are_here_and_two_are_benchmarks() -> None:
    assert len(PUBLISHED) == 15
    assert all("AutoBiasTest" in specs.load(name).citation and specs.load(name).published_as for name in PUBLISHED)
    assert [name for name in specs.names() if specs.load(name).benchmark] == ["flowers-insects", "instruments-weapons"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_biases_tie_one_set_to_each_group(name: str) -> None:
    spec = specs.load(name)
    owners = [attributes.stereotype_of for attributes in spec.attributes]
    assert owners[:2] == [(spec.groups[0].name,), (spec.groups[1].name,)]
    assert all(owner == () for owner in owners[2:])


@pytest.mark.parametrize(
    ("name", "terms", "sets", "templates"),
    [
        ("gender-professions", 9, [20, 20, 20], 5),
        ("gender-science-arts", 8, [8, 8], 3),
        ("gender-career-family", 8, [8, 8], 3),
        ("gender-math-arts", 8, [8, 8], 3),
        ("race-names-pleasant-1", 50, [25, 25], 2),
        ("race-names-pleasant-2", 18, [25, 25], 2),
        ("race-names-pleasant-3", 18, [8, 8], 2),
        ("african-female-european-male", 12, [13, 13], 1),
        ("african-female-european-male-emergent", 12, [8, 8], 1),
        ("mexican-female-european-male", 12, [12, 12], 1),
        ("mexican-female-european-male-emergent", 12, [6, 6], 1),
        ("age-names-pleasant", 8, [8, 8], 3),
        ("disease-permanence", 6, [7, 7], 2),
        ("flowers-insects", 25, [25, 25], 2),
        ("instruments-weapons", 25, [25, 25], 2),
    ],
)
def test_word_lists_have_the_published_sizes(name: str, terms: int, sets: list[int], templates: int) -> None:
    spec = specs.load(name)
    assert [len(group.terms) for group in spec.groups] == [terms, terms]
    assert [len(attributes.terms) for attributes in spec.attributes] == sets
    assert len(spec.templates) == templates


def test_the_prompts_of_six_groups_compare_three_pairs() -> None:
    spec = specs.load("regard-six-groups")
    assert spec.compare == (("man", "woman"), ("white-person", "black-person"), ("straight-person", "gay-person"))
    assert [len(attributes.terms) for attributes in spec.attributes] == [5, 5]


def test_pronouns_are_expected_after_many_professions() -> None:
    spec = specs.load("professions-pronouns")
    assert len(spec.templates) == 17
    assert len(spec.attributes[0].terms) >= 80
    assert all(template.startswith("The [A] ") and template.endswith(" [T]") for template in spec.templates)
