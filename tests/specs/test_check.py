"""Every way in which a spec file can be wrong, and the sentence that says so."""

import re

import pytest

from tiltmeter.errors import InvalidSpec
from tiltmeter.specs import examine, parse, skeleton

GOOD = """\
name = "hobbies"
title = "Hobbies"
reference = "male"
templates = ["[T] likes [A]", "[T] is a fan of [A]"]

[groups.male]
terms = ["he", "the man"]

[groups.female]
terms = ["she", "the woman"]

[attributes.machines]
terms = ["engines"]
stereotype_of = "male"

[attributes.crafts]
terms = ["pottery"]
stereotype_of = ["female"]
neutral = "things"

[attributes.food]
terms = ["bread"]
"""


def test_a_good_spec_is_read_in_order() -> None:
    spec = parse(GOOD)
    assert [group.name for group in spec.groups] == ["male", "female"]
    assert spec.compare == (("male", "female"),)
    assert [attributes.stereotype_of for attributes in spec.attributes] == [("male",), ("female",), ()]
    assert [attributes.neutral for attributes in spec.attributes] == ["something", "things", "something"]


def test_every_pair_of_groups_is_compared_unless_said_otherwise() -> None:
    text = "\n".join(['name = "x"', *(f'groups.{name}.terms = ["{name} term"]' for name in "abc")])
    assert parse(text).compare == (("a", "b"), ("a", "c"), ("b", "c"))
    assert parse('compare = [["c", "a"]]\n' + text).compare == (("c", "a"),)


def test_only_compared_groups_need_counterparts() -> None:
    text = 'name = "x"\ngroups.a.terms = ["1"]\ngroups.b.terms = ["2"]\ngroups.c.terms = ["3", "4"]\n'
    assert parse('compare = [["a", "b"]]\n' + text).group("c").terms == ("3", "4")
    with pytest.raises(InvalidSpec, match="2 terms here, 1 in `a`"):
        parse(text)


BAD = [
    # (what is replaced, by what, line, key, what the sentence says)
    (
        '["she", "the woman"]',
        '["she"]',
        10,
        "groups.female.terms",
        "1 term here, 2 in `male`: counterparts are matched by position, so both need the same number",
    ),
    ('"the woman"', '"The man"', 10, "groups.female.terms", "both sentences of a pair would be the same"),
    ('reference = "male"', 'refrence = "male"', 3, "refrence", "did you mean `reference`?"),
    (
        'neutral = "things"',
        'colour = "red"',
        19,
        "attributes.crafts.colour",
        "known keys: terms, kind, stereotype_of, neutral",
    ),
    ('reference = "male"', 'reference = "mael"', 3, "reference", "there is no group `mael`; did you mean `male`?"),
    ('reference = "male"', "reference = 3", 3, "reference", "must be text in quotes, not a number"),
    ('reference = "male"', 'benchmark = "yes"', 3, "benchmark", "must be true or false (without quotes), not text"),
    ('reference = "male"', 'compare = "male"', 3, "compare", "must be a list of pairs of groups, such as"),
    ('reference = "male"', "compare = []", 3, "compare", "leave the key out"),
    (
        'reference = "male"',
        'compare = [["male"]]',
        3,
        "compare",
        "pair 1 must be the names of two groups",
    ),
    ('reference = "male"', 'compare = [["male", "male"]]', 3, "compare", "compared with itself"),
    ('reference = "male"', 'compare = [["male", "women"]]', 3, "compare", "there is no group `women`"),
    (
        'reference = "male"',
        'compare = [["male", "female"],\n["female", "male"]]',
        4,
        "compare",
        "`female` and `male` are compared twice",
    ),
    (
        'name = "hobbies"',
        'name = "My Hobbies"',
        1,
        "name",
        "use only lower-case letters, digits and hyphens, such as `my-hobbies`",
    ),
    ('name = "hobbies"', "name = true", 1, "name", "must be text in quotes, not true or false"),
    ('name = "hobbies"', "", None, None, "a spec needs a name"),
    ('title = "Hobbies"', 'title = "a\\nb"', 2, "title", "has a line break"),
    ("[attributes.food]", "[attributes.Fast_Food]", 21, "attributes.Fast_Food", "such as `fast-food`"),
    ('["engines"]', "[]", 13, "attributes.machines.terms", "the list is empty"),
    ('["engines"]', '["engines",\n  ""]', 14, "attributes.machines.terms", "term 2 is blank"),
    ('["engines"]', '["engines", 7]', 13, "attributes.machines.terms", "term 2 must be text in quotes, not a number"),
    ('["engines"]', '["engines", "Engines"]', 13, "attributes.machines.terms", "is listed twice, as term 1 and 2"),
    ('["engines"]', '["engines "]', 13, "attributes.machines.terms", "has a space at its start or end"),
    (
        '["engines"]',
        '["eng\\nines"]',
        13,
        "attributes.machines.terms",
        "has a line break or an invisible character (U+000A)",
    ),
    ('["engines"]', '["eng\\u202Eines"]', 13, "attributes.machines.terms", "invisible character (U+202E)"),
    ('["engines"]', '["[T]"]', 13, "attributes.machines.terms", "has a placeholder"),
    ('["engines"]', '"engines"', 13, "attributes.machines.terms", "must be a list of terms in quotes, not text"),
    ('terms = ["engines"]', "", 12, "attributes.machines", "has no terms"),
    (
        'stereotype_of = "male"',
        'stereotype_of = "man"',
        14,
        "attributes.machines.stereotype_of",
        "the groups are `male`, `female`",
    ),
    ('stereotype_of = "male"', "stereotype_of = 1", 14, "attributes.machines.stereotype_of", "not a number"),
    ('["female"]', '["female", "female"]', 18, "attributes.crafts.stereotype_of", "is named twice"),
    ('neutral = "things"', 'neutral = ""', 19, "attributes.crafts.neutral", "is blank"),
    ("[T] likes [A]", "he likes [A]", 4, "templates", "has no `[T]`"),
    ("[T] likes [A]", "[T] likes it", 4, "templates", "has no `[A]`"),
    ("[T] likes [A]", "[T] likes [B]", 4, "templates", "unknown placeholder `[B]`"),
    ("[T] likes [A]", "[t] likes [A]", 4, "templates", "`[T]` stands for the group term"),
    ("[T] likes [A]", "[T] is a fan of [A]", 4, "templates", "is listed twice"),
    ('["bread"]', '["bread"]\nnote = "x"', 23, "attributes.food.note", "move it above the first `[…]` line"),
    ("[groups.male]", "[group.male]", 6, "group", "did you mean `groups`?"),
    ("[groups.female]", "[groups.female", 9, None, "not valid TOML"),
    ('name = "hobbies"', 'groups.male = "he"', 6, None, "not valid TOML"),
]


@pytest.mark.parametrize(("old", "new", "line", "key", "says"), BAD, ids=[f"{row[4][:40]}" for row in BAD])
def test_a_fault_is_named_with_its_line_and_key(
    old: str, new: str, line: int | None, key: str | None, says: str
) -> None:
    assert old in GOOD
    with pytest.raises(InvalidSpec) as caught:
        parse(GOOD.replace(old, new, 1), file="hobbies.toml")
    error = caught.value
    assert says in error.problem
    assert (error.line, error.key) == (line, key)
    assert str(error).startswith("hobbies.toml")
    assert "\n" not in str(error)


def test_the_sentence_reads_as_promised() -> None:
    with pytest.raises(InvalidSpec) as caught:
        parse(GOOD.replace('["she", "the woman"]', '["she"]'), file="f.toml")
    assert str(caught.value) == (
        "f.toml, line 10, `groups.female.terms`: 1 term here, 2 in `male`: "
        "counterparts are matched by position, so both need the same number; "
        "`he` and `she` are the last that match, and `the man` of `male` has no counterpart"
    )


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ('["he, my brother, the man"]', '["he", "my brother", "the man"]'),
        ('"he; my brother; the man"', '["he", "my brother", "the man"]'),
        ('["he, the man"]', '["he", "the man"]'),
        ('"""he\nthe man"""', '["he", "the man"]'),
    ],
)
def test_a_list_typed_into_one_text_is_offered_as_a_list(typed: str, offered: str) -> None:
    (problem,) = examine(GOOD.replace('["he", "the man"]', typed)).problems
    assert problem.key == "groups.male.terms" and offered in problem.problem


def test_a_comma_may_be_part_of_the_only_term_of_a_list() -> None:
    text = 'name = "x"\ngroups.a.terms = ["a man, tall"]\ngroups.b.terms = ["a woman, tall"]\n'
    assert len(examine(text).problems) == 2
    alone = 'name = "x"\ngroups.a.terms = ["a man, tall and thin as a pole"]\ngroups.b.terms = ["a woman"]\n'
    assert parse(alone).group("a").terms == ("a man, tall and thin as a pole",)


@pytest.mark.parametrize("key", ["title", "citation", "note"])
def test_the_words_of_the_example_are_not_published_as_the_users_own(key: str) -> None:
    mine = skeleton("mine")
    assert examine(mine).problems == ()
    (problem,) = examine(mine.replace(f"# {key} =", f"{key} =")).problems
    assert problem.key == key
    shouted = re.sub(f'# {key} = "(.*)"', lambda found: f'{key} = "  {found[1].upper()}!"', mine)
    assert key in {one.key for one in examine(shouted).problems}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "a spec needs a name"),
        ('name = "x"', "a spec needs two or more groups to compare; this one has none"),
        ('name = "x"\n[groups.a]\nterms = ["he"]', "this one has 1"),
        ('name = "x"\ngroups = ["he"]', "must be tables such as `[groups.NAME]`, not a list"),
        ('name = "x"\n[groups]\na = ["he"]\nb = ["she"]', "must be a table such as `[groups.a]`"),
        (
            'name = "x"\ntemplates = ["[T] likes [A]"]\ngroups.a.terms = ["he"]\ngroups.b.terms = ["she"]',
            "no attributes",
        ),
        ('name = "x"\nnote = 1979-05-27\n', "must be text in quotes, not a date or time"),
        ("x = " + "[" * 5000, "not valid TOML"),
        ("name = 'unclosed", "not valid TOML"),
    ],
)
def test_a_file_that_is_hardly_a_spec_is_refused(text: str, says: str) -> None:
    problems = examine(text).problems
    assert any(says in problem.problem for problem in problems)


def test_all_problems_can_be_listed_in_the_order_of_the_file() -> None:
    text = GOOD.replace('"male"', '"mael"').replace('["bread"]', "[]")
    assert [problem.line for problem in examine(text).problems] == [3, 14, 22]


def test_words_that_other_formats_take_for_truth_values_stay_words() -> None:
    text = 'name = "x"\ngroups.a.terms = ["no", "on"]\ngroups.b.terms = ["yes", "off"]'
    assert parse(text).group("a").terms == ("no", "on")
