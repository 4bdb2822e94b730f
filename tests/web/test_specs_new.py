"""Specs that come into the folder, get another name, or go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.web.specs_forms import Desk
from tiltmeter import specs


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def names(desk: Desk) -> list[str]:
    return sorted(path.name for path in desk.specs.iterdir()) if desk.specs.is_dir() else []


def test_from_nothing(desk: Desk) -> None:
    answer = desk.send("POST", "/specs/new/nothing", {"name": "gender-at-work"})
    assert answer.headers["HX-Redirect"] == "/specs/own/gender-at-work/edit"
    assert desk.read("gender-at-work") == specs.skeleton("gender-at-work")


@pytest.mark.parametrize(
    "name", ["", "My spec", "../escape", "a/b", "<script>", "x" * 81, "gender-professions", "taken"]
)
@pytest.mark.parametrize("way", ["nothing", "copy"])
def test_a_name_that_cannot_be_is_refused_and_nothing_is_written(desk: Desk, name: str, way: str) -> None:
    desk.write("taken", specs.skeleton("taken"))
    answer = desk.send("POST", f"/specs/new/{way}", {"name": name, "of": "library/gender-professions"})
    assert answer.status_code == 422
    assert answer.headers["HX-Retarget"] == "#messages"
    assert names(desk) == ["taken.toml"]


def test_from_a_copy_with_everything_but_the_name(desk: Desk) -> None:
    answer = desk.send("POST", "/specs/new/copy", {"name": "mine", "of": "library/gender-professions"})
    assert answer.headers["HX-Redirect"] == "/specs/own/mine/edit"
    original = specs.library_text("gender-professions")
    assert desk.read("mine") == original.replace('name = "gender-professions"', 'name = "mine"')
    assert desk.send("POST", "/specs/new/copy", {"name": "again", "of": "own/mine"}).status_code == 204
    assert desk.send("POST", "/specs/new/copy", {"name": "no", "of": "own/nothing"}).status_code == 422
    assert desk.send("POST", "/specs/new/copy", {"name": "no", "of": "elsewhere/x"}).status_code == 422
    assert names(desk) == ["again.toml", "mine.toml"]


def test_the_page_of_a_spec_leads_to_its_copy(desk: Desk) -> None:
    page = desk.get("/specs/new?copy=library/gender-math-arts").text
    assert '<option value="library/gender-math-arts" selected>' in page
    assert 'value="my-gender-math-arts"' in page


def test_one_specification_of_autobiastest(desk: Desk) -> None:
    text = specs.to_autobiastest([specs.load("gender-math-arts")]).replace("Math_Arts", "Sums")
    answer = desk.send("POST", "/specs/new/file", {"text": text.replace("gender-math-arts", "sums")})
    [name] = names(desk)
    assert answer.headers["HX-Redirect"] == f"/specs/own/{name.removesuffix('.toml')}/edit"
    assert specs.read(desk.specs / name).groups[0].terms == specs.load("gender-math-arts").groups[0].terms


def test_many_specifications_and_why_some_were_not_taken(desk: Desk) -> None:
    [good] = json.loads(specs.to_autobiastest([specs.load("gender-math-arts")]))
    entries = [{**good, "name": "First One"}, {**good, "name": "Second"}, {"name": "Third"}, {**good, "name": "Taken"}]
    desk.write("taken", specs.skeleton("taken"))
    answer = desk.send("POST", "/specs/new/file", {"text": json.dumps(entries)})
    assert answer.status_code == 200
    assert names(desk) == ["first-one.toml", "second.toml", "taken.toml"]
    assert "2 specs were imported" in answer.text
    assert "2 could not be" in answer.text
    assert desk.read("taken") == specs.skeleton("taken")


@pytest.mark.parametrize("text", ["", "  ", "[", "{}", "[]", '[{"name": "x"}]', '{"name": "<script>x</script>"'])
def test_a_file_that_cannot_be_used_is_refused_without_a_path_of_this_machine(desk: Desk, text: str) -> None:
    answer = desk.send("POST", "/specs/new/file", {"text": text})
    assert answer.status_code == 422
    assert "/tmp" not in answer.text
    assert "pasted" not in answer.text
    assert "--skip-invalid" not in answer.text
    assert "<script>" not in answer.text
    assert names(desk) == []


def test_a_toml_file_of_somebody_else(desk: Desk) -> None:
    text = specs.library_text("gender-math-arts").replace("gender-math-arts", "Their Spec")
    desk.send("POST", "/specs/new/file", {"text": text})
    assert names(desk) == ["their-spec.toml"]
    assert specs.read(desk.specs / "their-spec.toml").name == "their-spec"


def test_another_name_in_the_file_and_of_the_file(desk: Desk) -> None:
    desk.write("before", specs.skeleton("before"))
    answer = desk.send("POST", "/specs/own/before/rename", {"name": "after"})
    assert answer.headers["HX-Redirect"] == "/specs/own/after"
    assert names(desk) == ["after.toml"]
    assert desk.read("after") == specs.skeleton("after")
    assert desk.send("POST", "/specs/own/after/rename", {"name": "gender-professions"}).status_code == 422
    assert names(desk) == ["after.toml"]


def test_deleted_is_gone_and_only_that(desk: Desk) -> None:
    desk.write("one", specs.skeleton("one"))
    desk.write("two", specs.skeleton("two"))
    assert desk.send("DELETE", "/specs/own/one").headers["HX-Redirect"] == "/specs"
    assert names(desk) == ["two.toml"]
    assert desk.send("DELETE", "/specs/own/one").status_code == 422
    assert desk.send("DELETE", "/specs/library/gender-professions").status_code == 405
