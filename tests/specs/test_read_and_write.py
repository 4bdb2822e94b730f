from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter import specs
from tiltmeter.errors import InvalidData, InvalidSpec, UnknownName
from tiltmeter.records import AttributeSet, Group, Spec


def test_a_name_means_the_library_and_a_path_means_the_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(specs.skeleton("mine"), encoding="utf-8")
    assert specs.load("gender-math-arts").name == "gender-math-arts"
    assert specs.load(file) == specs.load(str(file)) == specs.read(file)


def test_a_file_saved_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(specs.skeleton("mine"), encoding="utf-8-sig")
    assert specs.read(file).name == "mine"


@pytest.mark.parametrize("name", ["gender-proffessions", "", ".", "x" * 5000, "\0"])
def test_an_unknown_name_is_refused(name: str) -> None:
    with pytest.raises(UnknownName, match="there is no spec"):
        specs.load(name)
    with pytest.raises(UnknownName):
        specs.library_text(name)


def test_a_name_from_outside_never_becomes_a_path() -> None:
    with pytest.raises(UnknownName):
        specs.library_text("../library/gender-math-arts")


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidData, match=r"nope\.toml: there is no such spec file"):
        specs.load(tmp_path / "nope.toml")
    with pytest.raises(InvalidData, match="cannot be read"):
        specs.load(tmp_path)


def test_a_skeleton_passes_the_check_and_needs_a_usable_name() -> None:
    spec = specs.parse(specs.skeleton("gender-hobbies"))
    assert (spec.name, len(spec.groups), len(spec.attributes)) == ("gender-hobbies", 2, 2)
    with pytest.raises(InvalidSpec, match="such as `gender-hobbies`"):
        specs.skeleton("Gender Hobbies")


names = st.from_regex(r"[a-z0-9]{1,6}(-[a-z0-9]{1,4})?", fullmatch=True)
# A single term with commas is taken for a list that was typed into one text.
words = st.text(st.characters(categories=["L", "N", "P", "S"], exclude_characters="[],;"), min_size=1, max_size=12)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def any_spec(draw: st.DrawFn) -> Spec:
    size = draw(st.integers(1, 4))
    group_names = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    pool = draw(st.lists(words, min_size=size * 4, max_size=size * 4, unique_by=str.casefold))
    groups = tuple(Group(name, tuple(pool[i * size : (i + 1) * size])) for i, name in enumerate(group_names))
    sets = tuple(
        AttributeSet(name, tuple(draw(st.lists(words, min_size=1, max_size=9, unique_by=str.casefold))), owners, "it")
        for name, owners in zip(["one", "two"], [(group_names[0],), (group_names[1], group_names[0])], strict=True)
    )
    return Spec(
        name=draw(names),
        title=draw(words),
        groups=groups,
        attributes=sets,
        templates=("[T] is [A]", '"[T]" \\ [A]'),
        citation=draw(texts),
        note=draw(texts),
        reference=draw(st.sampled_from([None, group_names[0]])),
        compare=((group_names[1], group_names[0]),),
        benchmark=draw(st.booleans()),
        published_as=draw(st.none() | words),
    )


@given(any_spec())
def test_a_spec_that_is_written_reads_back_the_same(spec: Spec) -> None:
    assert specs.parse(specs.to_toml(spec)) == spec


def test_a_spec_without_attributes_or_templates_is_written_too() -> None:
    spec = replace(specs.load("disease-permanence"), attributes=(), templates=())
    assert specs.parse(specs.to_toml(spec)) == spec
