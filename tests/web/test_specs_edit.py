"""Writing a spec: what is wrong is said at once and where, and nothing is saved over what somebody else wrote."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

from tests.web.bench import fields_of, opened
from tests.web.specs_forms import Desk
from tiltmeter import specs
from tiltmeter.errors import UserError
from tiltmeter.study import read as read_study
from tiltmeter.web.guard import TOKEN_HEADER


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    desk = Desk(tmp_path)
    desk.write("mine", specs.skeleton("mine"))
    return desk


def findings(page: str) -> list[tuple[str, str]]:
    """The attributes of each button that leads to a problem, and its words."""
    found = re.findall(r'<button type="button" class="finding" ([^>]*)>(.*?)</button>', page)
    return [(unescape(attributes), unescape(re.sub(r"<[^>]*>", "", words))) for attributes, words in found]


def test_a_spec_without_problems_is_said_to_have_none(desk: Desk) -> None:
    page = desk.send("POST", "/specs/check", desk.editor("mine")).text
    assert "Nothing is wrong" in page
    assert findings(page) == []
    assert "my brother</td><td>my sister" in page


def test_every_problem_of_the_toml_has_its_line(desk: Desk) -> None:
    fields = desk.editor("mine", "toml")
    text = fields["text"][0].replace("# title =", "titel =").replace('"female"', '"femal"')
    lines = text.split("\n")
    found = findings(desk.send("POST", "/specs/check", {**fields, "text": text}).text)
    places = [next(n for n, line in enumerate(lines, 1) if sign in line) for sign in ("titel", 'femal"')]
    assert [words.partition(":")[0] for _, words in found] == [
        f"Line {places[0]}, titel",
        f"Line {places[1]}, attributes.crafts.stereotype_of",
    ]
    assert [attributes for attributes, _ in found] == [f'data-line="{place}"' for place in places]
    assert "did you mean title" in found[0][1]


def test_what_is_no_toml_has_its_line(desk: Desk) -> None:
    fields = desk.editor("mine", "toml")
    [(attributes, words)] = findings(desk.send("POST", "/specs/check", {**fields, "text": 'a = "b\n'}).text)
    assert attributes == 'data-line="1"'
    assert "not valid TOML" in words


@pytest.mark.parametrize(
    ("change", "field", "row", "label"),
    [
        ({"name": "My spec"}, "name", "", "Name"),
        ({"g0.name": "Men"}, "g0.name", "", "Group Men"),
        ({"g1.terms": "she\nmy brother\nthe woman"}, "g1.terms", "1", "Group female, line 2"),
        ({"g1.terms": "she"}, "g1.terms", "", "Group female"),
        ({"s0.terms": "engines\n\n[T]"}, "s0.terms", "2", "Set machines, line 3"),
        ({"templates": "\n\n[T] likes [B]"}, "templates", "2", "Templates, line 3"),
        ({"templates": "[T] likes"}, "templates", "0", "Templates, line 1"),
    ],
)
def test_every_problem_of_the_form_leads_to_its_field(
    desk: Desk, change: dict[str, str], field: str, row: str, label: str
) -> None:
    page = desk.send("POST", "/specs/check", {**desk.editor("mine"), **change}).text
    attributes, words = findings(page)[0]
    assert f'data-field="{field}" data-row="{row}"' in attributes
    assert words.startswith(label)
    assert f'id="f:{field}"' in desk.get("/specs/own/mine/edit").text


def test_counterparts_that_are_missing_or_the_same_are_marked(desk: Desk) -> None:
    change = {"g0.terms": "he\nmy brother\nthe man\nuncle", "g1.terms": "she\nMy brother\nthe woman"}
    page = desk.send("POST", "/specs/check", {**desk.editor("mine"), **change}).text
    assert "1 place has no counterpart. 1 row has the same word twice." in page
    assert '<td>uncle</td><td class="missing">' in page


def test_every_problem_in_the_form_names_its_place_once(desk: Desk) -> None:
    fields = desk.editor("mine")
    fields["g1.terms"], fields["s0.neutral"] = ["she"], ["a\u200bb"]
    words = [words for _, words in findings(desk.send("POST", "/specs/check", fields).text)]
    assert words[0].startswith("Group female: 1 term here, 3 in male: counterparts are matched by position")
    assert words[1].startswith(f"Set {fields['s0.name'][0]}, neutral word: has a line break or an invisible character")


def test_a_draft_can_be_saved_and_a_study_says_why_it_cannot_use_it(desk: Desk, tmp_path: Path) -> None:
    fields = desk.editor("mine")
    fields["g1.terms"] = ["she"]
    answer = desk.send("PUT", "/specs/own/mine", fields)
    assert "Saved as a draft: 1 problem keeps" in answer.text
    (tmp_path / "studies").mkdir()
    study = tmp_path / "studies" / "one.toml"
    study.write_text('name = "x"\nspecs = ["../specs/mine.toml"]\nmodels = ["scripted"]\n[pairs]\n', encoding="utf-8")
    with pytest.raises(UserError, match="`groups.female.terms`: 1 term here, 3 in `male`"):
        read_study(study)
    page = desk.get("/specs/own/mine").text
    assert 'href="/studies/one"' in page


def test_saving_twice_from_one_page_works(desk: Desk) -> None:
    fields = desk.editor("mine")
    for title in ("one", "two"):
        answer = desk.send("PUT", "/specs/own/mine", {**fields, "title": title})
        assert "Saved. Studies can use it." in answer.text
        fields["opened"] = fields_of(answer.text)["opened"]
    assert specs.parse(desk.read("mine")).title == "two"


def test_what_was_changed_elsewhere_is_not_saved_over(desk: Desk) -> None:
    fields = desk.editor("mine")
    desk.write("mine", specs.skeleton("mine") + "# by hand\n")
    answer = desk.send("PUT", "/specs/own/mine", {**fields, "title": "lost"})
    assert answer.status_code == 422
    assert "was changed elsewhere" in answer.text
    assert desk.read("mine").endswith("# by hand\n")


def test_a_change_needs_the_token(desk: Desk) -> None:
    fields, nothing = desk.editor("mine"), {TOKEN_HEADER: ""}
    assert desk.client.put("/specs/own/mine", data=fields, headers=nothing).status_code == 403
    assert desk.client.delete("/specs/own/mine", headers=nothing).status_code == 403
    assert desk.read("mine") == specs.skeleton("mine")


def accept_values(page: str) -> list[list[list[object]]]:
    return [json.loads(unescape(value)) for value in re.findall(r'name="accept" value="([^"]*)"', page)]


@pytest.mark.parametrize("mode", ["form", "toml"])
def test_a_suggested_row_is_accepted_in_both_groups(desk: Desk, mode: str) -> None:
    fields = desk.editor("mine", mode)
    values = accept_values(desk.send("POST", "/specs/check", fields).text)
    assert [["groups", "male", 3, "brother"], ["groups", "female", 3, "sister"]] in values
    wanted = json.dumps([["groups", "male", 3, "brother"], ["groups", "female", 3, "sister"]])
    after = fields_of(desk.send("POST", "/specs/accept", {**fields, "accept": wanted}).text)
    assert after["as"] == [mode]
    assert "Nothing is wrong" in desk.send("POST", "/specs/check", after).text
    if mode == "toml":
        assert "# Two or more groups." in after["text"][0]
        assert '"the man", "brother"]' in after["text"][0]
    else:
        assert after["g1.terms"][0].endswith("the woman\nsister")


@pytest.mark.parametrize(
    "value", ["", "[]", "nonsense", "[1]", '[["x","y",0,"z"]]', '[["groups","male",99,"z"]]', '[["groups","no",0,"z"]]']
)
def test_what_no_button_sends_changes_nothing(desk: Desk, value: str) -> None:
    fields = desk.editor("mine", "toml")
    after = fields_of(desk.send("POST", "/specs/accept", {**fields, "accept": value}).text)
    assert after["text"] == fields["text"]


def test_what_is_larger_than_any_form_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltmeter.web.fields._LONGEST", 1_000)
    answer = opened(tmp_path).post("/specs/check", data={"text": "x" * 1_000})
    assert (answer.status_code, "this is more than 1.0 kB" in answer.text) == (422, True)
