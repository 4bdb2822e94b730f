"""A spec as a form and back: nothing is lost on the way, whether the form shows it or not."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.web.bench import fields_of
from tests.web.specs_forms import Desk
from tiltmeter import specs

UNUSUAL = """\
# A comment that goes when something is changed.
name = "unusual"
note = '''
Two lines,
and quotes: "x" '''
published_as = "Un_usual"
reference = "a"
compare = [["b", "a"], ["a", "c"]]
colour = "no such key"

[groups.a]
terms = ["he", "the man"]
published_as = "A's"
[groups.b]
terms = ["she", "the woman"]
[groups.c]
terms = ["", "they"]

[attributes.one]
terms = ["x", "y"]
stereotype_of = ["a", "b"]
neutral = "thing"
published_as = "One"
weight = 3.5
since = 1979-05-27

[elsewhere]
deep = { list = [1, true, { a = "b" }] }
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def saved(desk: Desk, name: str, fields: dict[str, list[str]]) -> str:
    answer = desk.send("PUT", f"/specs/own/{name}", fields)
    assert answer.status_code == 200, answer.text
    return desk.read(name)


@pytest.mark.parametrize("name", specs.names())
def test_a_form_that_nobody_touched_changes_nothing(desk: Desk, name: str) -> None:
    desk.write("copy", specs.library_text(name))
    assert saved(desk, "copy", desk.editor("copy")) == specs.library_text(name)


@pytest.mark.parametrize("name", specs.names())
def test_a_change_in_the_form_changes_only_that(desk: Desk, name: str) -> None:
    desk.write("copy", specs.library_text(name))
    fields = desk.editor("copy")
    fields["title"] = ["Another title"]
    after = tomllib.loads(saved(desk, "copy", fields))
    assert after == {**tomllib.loads(specs.library_text(name)), "title": "Another title"}


def test_what_the_form_does_not_show_stays(desk: Desk) -> None:
    desk.write("unusual", UNUSUAL)
    fields = desk.editor("unusual")
    fields["citation"] = ["Me"]
    after = saved(desk, "unusual", fields)
    assert tomllib.loads(after) == {**tomllib.loads(UNUSUAL), "citation": "Me"}
    assert "#" not in after


def test_the_form_says_that_comments_go(desk: Desk) -> None:
    desk.write("unusual", UNUSUAL)
    desk.write("plain", 'name = "#plain"\n')
    assert "They stay until you change something here" in desk.get("/specs/own/unusual/edit").text
    assert "They stay until you change something here" not in desk.get("/specs/own/plain/edit").text


def test_a_group_that_gets_another_name_keeps_what_refers_to_it(desk: Desk) -> None:
    desk.write("unusual", UNUSUAL)
    fields = desk.editor("unusual")
    fields["g0.name"] = ["men"]
    after = tomllib.loads(saved(desk, "unusual", fields))
    assert after["groups"]["men"] == {"terms": ["he", "the man"], "published_as": "A's"}
    assert after["reference"] == "men"
    assert after["compare"] == [["b", "men"], ["men", "c"]]
    assert after["attributes"]["one"]["stereotype_of"] == ["men", "b"]


def test_a_blank_line_keeps_its_place_in_a_group(desk: Desk) -> None:
    desk.write("mine", specs.skeleton("mine"))
    fields = desk.editor("mine")
    fields["g1.terms"] = ["she\r\n\r\nthe woman\r\n\r\n"]
    after = tomllib.loads(saved(desk, "mine", fields))
    assert after["groups"]["female"]["terms"] == ["she", "", "the woman"]
    assert fields_of(desk.get("/specs/own/mine/edit").text)["g1.terms"] == ["she\n\nthe woman"]


def test_a_blank_first_line_survives_the_page(desk: Desk) -> None:
    desk.write("mine", specs.skeleton("mine").replace('["she", "my sister"', '["", "my sister"'))
    assert desk.editor("mine")["g1.terms"][0].startswith("\nmy sister")


def test_groups_and_sets_come_and_go(desk: Desk) -> None:
    desk.write("unusual", UNUSUAL)
    more = fields_of(desk.send("POST", "/specs/form", {**desk.editor("unusual"), "add": "group"}).text)
    assert more["group"] == ["g0", "g1", "g2", "g3"]
    more["g3.name"], more["g3.terms"] = ["d"], ["it\nthis"]
    less = fields_of(desk.send("POST", "/specs/form", {**more, "drop": "g0"}).text)
    less |= {"file": ["unusual"], "opened": desk.editor("unusual")["opened"]}
    after = tomllib.loads(saved(desk, "unusual", less))
    assert list(after["groups"]) == ["b", "c", "d"]
    assert after["groups"]["d"]["terms"] == ["it", "this"]
    assert "reference" not in after
    assert "compare" not in after
    assert after["attributes"]["one"]["stereotype_of"] == "b"
    assert after["elsewhere"] == tomllib.loads(UNUSUAL)["elsewhere"]


def test_renamed_and_then_extended_nothing_is_lost(desk: Desk) -> None:
    desk.write("unusual", UNUSUAL)
    fields = desk.editor("unusual")
    fields["g0.name"] = ["men"]
    more = fields_of(desk.send("POST", "/specs/form", {**fields, "add": "set"}).text)
    more["s1.name"], more["s1.terms"], more["s1.of"] = ["two"], ["z"], ["g0"]
    after = tomllib.loads(saved(desk, "unusual", {**more, "opened": fields["opened"]}))
    assert after["groups"]["men"]["published_as"] == "A's"
    assert after["attributes"]["two"] == {"terms": ["z"], "stereotype_of": "men"}


def test_two_groups_of_one_name_are_not_saved_over_one_another(desk: Desk) -> None:
    desk.write("mine", specs.skeleton("mine"))
    fields = desk.editor("mine")
    fields["g1.name"] = ["male"]
    answer = desk.send("PUT", "/specs/own/mine", fields)
    assert answer.status_code == 422
    assert "two groups are called <code>male</code>" in answer.text
    assert desk.read("mine") == specs.skeleton("mine")
    assert "two groups are called" in desk.send("POST", "/specs/check", fields).text


@pytest.mark.parametrize(
    "wrong",
    [
        "groups = 3",
        '[groups.a]\nterms = "he"',
        "[groups.a]\nterms = [1]",
        "[groups]\na = 1",
        'reference = "z"',
        'compare = [["a", "z"]]',
        'compare = "a"',
        '[attributes.x]\nstereotype_of = "z"',
        "[attributes.x]\nstereotype_of = 1",
        'templates = ["a\\nb"]',
        "benchmark = 1",
        "title = 1",
        'title = "a\\nb"',
        "not toml",
    ],
)
def test_what_the_form_cannot_show_is_written_as_toml(desk: Desk, wrong: str) -> None:
    desk.write("odd", wrong)
    page = desk.get("/specs/own/odd/edit").text
    assert "The form cannot show this yet" in page
    assert fields_of(page)["text"] == [wrong]
    assert saved(desk, "odd", fields_of(page)) == wrong


def test_from_toml_to_the_form_and_back_with_a_change(desk: Desk) -> None:
    desk.write("mine", specs.skeleton("mine"))
    fields = desk.editor("mine", "toml")
    form = fields_of(desk.send("POST", "/specs/form", fields).text)
    assert form["as"] == ["form"]
    back = fields_of(desk.send("POST", "/specs/text", form).text)
    assert back["text"] == fields["text"]
    form["note"] = ["Changed\r\nin two lines"]
    changed = fields_of(desk.send("POST", "/specs/text", form).text)["text"][0]
    assert specs.parse(changed).note == "Changed\nin two lines"
