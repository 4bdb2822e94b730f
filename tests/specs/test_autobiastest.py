import json
from pathlib import Path
from typing import Any

import pytest

from tests.shared import shared
from tiltmeter import specs
from tiltmeter.errors import InvalidSpec

ENTRY: dict[str, Any] = {
    "name": "Cats_Dogs_vs_Nice_Bad",
    "source": "Somebody '20",
    "url": "https://example.org/paper.pdf",
    "social_groups": {"Cat.-Terms": ["cat", "kitten"], "Dog Terms": ["dog", "puppy"], "Short": ["fox"]},
    "attributes": {"Nice_terms": ["soft"], "Bad": ["loud"], "Other": ["big"]},
    "templates": ["[T] is [A]"],
}


def write(folder: Path, *entries: Any) -> Path:
    file = folder / "specs.json"
    file.write_text(json.dumps(list(entries), indent=1), encoding="utf-8")
    return file


def test_order_gives_the_stereotype_and_only_two_groups_are_compared(tmp_path: Path) -> None:
    (spec,) = specs.from_autobiastest(write(tmp_path, ENTRY))
    assert (spec.name, spec.published_as) == ("cats-dogs-vs-nice-bad", "Cats_Dogs_vs_Nice_Bad")
    assert [group.name for group in spec.groups] == ["cat-terms", "dog-terms", "short"]
    assert spec.compare == (("cat-terms", "dog-terms"),)
    assert [attributes.stereotype_of for attributes in spec.attributes] == [("cat-terms",), ("dog-terms",), ()]
    assert "https://example.org/paper.pdf" in spec.citation


def test_what_is_imported_is_exported_unchanged_even_through_a_file(tmp_path: Path) -> None:
    imported = specs.from_autobiastest(write(tmp_path, ENTRY))
    again = [specs.parse(specs.to_toml(spec)) for spec in imported]
    assert json.dumps(json.loads(specs.to_autobiastest(again))) == json.dumps([ENTRY])


def test_the_published_file_survives_the_round_trip() -> None:
    file = shared("biastestgpt/bias_specs.json")
    imported = specs.from_autobiastest(file)
    assert len(imported) == 15
    original = json.loads(file.read_text(encoding="utf-8"))
    assert json.dumps(json.loads(specs.to_autobiastest(imported))) == json.dumps(original)


def test_the_library_has_the_published_words() -> None:
    published = {spec.published_as: spec for spec in specs.from_autobiastest(shared("biastestgpt/bias_specs.json"))}
    for name in specs.names():
        spec = specs.load(name)
        if spec.published_as:
            other = published[spec.published_as]
            assert [group.terms for group in spec.groups] == [group.terms for group in other.groups[:2]]
            assert [item.terms for item in spec.attributes] == [item.terms for item in other.attributes]


def test_a_file_with_unequal_groups_is_refused_and_the_rest_can_be_had() -> None:
    file = shared("biastestgpt/custom_specs.json")
    with pytest.raises(InvalidSpec) as caught:
        specs.from_autobiastest(file)
    sentence = str(caught.value)
    assert "`Health_Hispanic_vs_European_Treatment_Adherence`" in sentence
    assert "4 terms here, 5 in `Hispnic_terms`" in sentence
    assert "Eurpean_terms" in sentence
    assert "`--skip-invalid` imports the others" in sentence
    imported = specs.import_autobiastest(file, skip_invalid=True)
    assert (len(imported.specs), len(imported.refused)) == (3, 1)


@pytest.mark.parametrize(
    ("change", "key", "says"),
    [
        ({"name": ""}, "name", "needs a name"),
        ({"name": 3}, "name", "needs a name"),
        ({"social_groups": ["cat"]}, "social_groups", "must be an object"),
        ({"social_groups": {"a": "cat", "b": ["dog"]}}, "social_groups.a", "must be a list of terms"),
        ({"social_groups": {"a": ["cat"]}}, "social_groups", "two or more groups"),
        ({"attributes": {"Nice": []}}, "attributes.Nice", "the list is empty"),
        ({"templates": ["[A] alone"]}, "templates", "has no `[T]`"),
        ({"templates": "[T] is [A]"}, "templates", "must be a list of templates"),
        ({"url": 1}, "url", "must be text"),
    ],
)
def test_a_bad_specification_is_named(tmp_path: Path, change: dict[str, Any], key: str, says: str) -> None:
    with pytest.raises(InvalidSpec) as caught:
        specs.from_autobiastest(write(tmp_path, ENTRY | change))
    assert caught.value.key == key
    assert says in caught.value.problem


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not valid JSON"),
        ("[", "not valid JSON"),
        ("[]", "the list of specifications is empty"),
        ("[3]", "specification 1: a specification is an object"),
        ('{"name": "a", "name": "b"}', "the key `name` is listed twice"),
        ("[" * 100_000, "not valid JSON"),
    ],
)
def test_a_file_that_is_no_list_of_specifications_is_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "bad.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSpec, match=r"bad\.json") as caught:
        specs.from_autobiastest(file)
    assert says in caught.value.problem


def test_two_names_that_become_one_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidSpec, match="already taken by `Cats_Dogs_vs_Nice_Bad`"):
        specs.from_autobiastest(write(tmp_path, ENTRY, ENTRY | {"name": "cats dogs vs nice bad"}))


@pytest.mark.parametrize(
    ("name", "says"), [("regard-six-groups", "compares 3 pairs of groups"), ("professions-pronouns", "`male` has 0")]
)
def test_what_the_format_cannot_say_is_not_exported(name: str, says: str) -> None:
    with pytest.raises(InvalidSpec, match=says):
        specs.to_autobiastest([specs.load(name)])


def test_attribute_sets_are_put_into_the_order_that_carries_the_meaning() -> None:
    spec = specs.parse(
        'name = "x"\n[groups.a]\nterms = ["he"]\n[groups.b]\nterms = ["she"]\n'
        '[attributes.control]\nterms = ["1"]\n[attributes.of-b]\nterms = ["2"]\nstereotype_of = "b"\n'
        '[attributes.of-a]\nterms = ["3"]\nstereotype_of = "a"\n'
    )
    (entry,) = json.loads(specs.to_autobiastest([spec]))
    assert list(entry["attributes"]) == ["of-a", "of-b", "control"]


VARIANTS = {
    "social_groups_near": {"Cat.-Terms": ["tomcat", "kitty", "feline"], "Dog Terms": ["hound", "whelp", "canine"]},
    "attributes_near": {"Nice_terms": ["tender", "mild"], "Bad": []},
    "social_groups_near_removed": {"Cat.-Terms": ["lion"]},
    "attributes_dictionary": {"Nice_terms": ["gentle"], "Bad": ["noisy"]},
    "social_groups_dictionary": {"Cat.-Terms": ["puss"], "Dog Terms": []},
    "colour": "red",
}


def test_variants_of_the_word_lists_are_named_and_taken_when_asked_for(tmp_path: Path) -> None:
    file = write(tmp_path, ENTRY | VARIANTS)
    plain = specs.import_autobiastest(file)
    assert plain.specs == specs.import_autobiastest(write(tmp_path, ENTRY)).specs
    file = write(tmp_path, ENTRY | VARIANTS)
    assert plain.variants == ("near", "dictionary")
    assert plain.ignored == ("social_groups_near_removed", "colour")
    (near,) = specs.import_autobiastest(file, variant="near").specs
    assert near.name == "cats-dogs-vs-nice-bad-near" and near.published_as == ENTRY["name"]
    assert [group.terms for group in near.groups] == [
        ("tomcat", "kitty", "feline"),
        ("hound", "whelp", "canine"),
        ("fox",),
    ]
    assert [one.terms for one in near.attributes] == [("tender", "mild"), ("loud",), ("big",)]
    (other,) = specs.import_autobiastest(file, variant="dictionary").specs
    # Counterparts are matched by position: one list of neighbours alone would match nothing.
    assert [group.terms for group in other.groups][:2] == [("cat", "kitten"), ("dog", "puppy")]
    assert [one.terms for one in other.attributes] == [("gentle",), ("noisy",), ("big",)]
    with pytest.raises(InvalidSpec, match="there is no variant `glove`"):
        specs.import_autobiastest(file, variant="glove")


def test_one_file_or_name_may_hold_several_specs(tmp_path: Path) -> None:
    broken = ENTRY | {"name": "Broken", "social_groups": {}}
    assert [spec.name for spec in specs.load_all(write(tmp_path, ENTRY, broken))] == ["cats-dogs-vs-nice-bad"]
    assert [spec.name for spec in specs.load_all("gender-math-arts")] == ["gender-math-arts"]
