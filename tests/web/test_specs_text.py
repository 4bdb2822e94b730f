"""The text of a spec, changed in one place: the rest stays as somebody wrote it."""

from __future__ import annotations

import tomllib

import pytest

from tiltmeter import specs
from tiltmeter.web.specs_text import Addition, renamed, with_terms, written

LISTS = [
    '[groups.a]\nterms = ["x"] # why',
    '[groups.a]\nterms = [\n  "x", # first\n  # more to come\n]\n# end',
    '[groups.a]\nterms = [\n  "x",\n]',
    "[groups.a]\nterms = []",
    '[groups."a"]\n"terms" = [\'x\']',
    'groups.a.terms = ["x, ] y"]',
    'groups = { a = { terms = ["x"] }, b = { terms = ["y"] } }',
    '[groups]\n[groups.b]\nterms = ["]"]\n[groups.a]\npublished_as = "terms = ["\nterms = ["x"]',
    '[groups.a]\npublished_as = "no terms yet"',
]


@pytest.mark.parametrize("text", LISTS)
def test_a_term_is_added_wherever_the_list_stands(text: str) -> None:
    before = tomllib.loads(text)["groups"]["a"].get("terms", [])
    after = with_terms(text, [Addition("groups", "a", len(before), 'new "one"')])
    wanted = tomllib.loads(text)
    wanted["groups"]["a"]["terms"] = [*before, 'new "one"']
    assert tomllib.loads(after) == wanted


@pytest.mark.parametrize("text", LISTS[:4])
def test_comments_stay_when_a_term_is_added(text: str) -> None:
    after = with_terms(text, [Addition("groups", "a", 1 if '"x"' in text else 0, "new")])
    assert [line.partition("#")[2] for line in after.split("\n")] == [
        line.partition("#")[2] for line in text.split("\n")
    ]


def test_a_blank_place_is_filled_and_a_taken_one_is_not() -> None:
    text = '[groups.a]\nterms = ["x", " "]'
    assert tomllib.loads(with_terms(text, [Addition("groups", "a", 1, "y")]))["groups"]["a"]["terms"] == ["x", "y"]
    assert with_terms(text, [Addition("groups", "a", 0, "y")]) == text


@pytest.mark.parametrize(
    "text",
    [
        'name = "old"',
        "  name='old'  # so",
        '# name = "x"\nname = "old"',
        'title = "t"',
        'a = """\nname = "x"\n"""\nname = "old"',
    ],
)
def test_a_name_is_changed_and_nothing_else(text: str) -> None:
    assert tomllib.loads(renamed(text, "new")) == {**tomllib.loads(text), "name": "new"}


@pytest.mark.parametrize("name", specs.names())
def test_data_are_written_as_toml_that_reads_back(name: str) -> None:
    data = tomllib.loads(specs.library_text(name))
    assert tomllib.loads(written(data)) == data


def test_unusual_data_are_written_as_toml_that_reads_back() -> None:
    text = 'a.b.c = 1\nd = [[1, 2], [{ e = "f\\u007f" }]]\ng = {}\nh = -inf\ni = 07:32:00\n"j k" = 1e3\n'
    text += '[l]\n[m."n.o"]\np = ""'
    assert tomllib.loads(written(tomllib.loads(text))) == tomllib.loads(text)
