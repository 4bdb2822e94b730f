import tomllib

from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.toml import dotted, line_of, lines

TRICKY = '''# a comment with [brackets] and "quotes"
name = "x"  # terms = [1]
"quoted key" = 'single [not a table]'
groups.male.terms = ["he", "him"]
text = """
[not.a.header]
key = "no \\""" still text"""
raw = \'\'\'
it's = "raw"
\'\'\'

[ groups . "fe male" ]   # spaces are allowed
terms = [   # a comment, with a comma
  "she", "her",
  # another ] comment
  "hers",
]

[attributes]
inline = { terms = ["a # b", 'c, d'], stereotype_of = { deep = 1 } }
date = 1979-05-27T07:32:00Z
[[list.of.tables]]
a = 1
[[list.of.tables]]
a = [[1, 2], [
  3]]
'''


def every_path(value: object, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [found for key, child in children for found in every_path(child, (*path, key))]
    return ([path] if path else []) + below


def test_every_key_and_item_is_found_and_nothing_else() -> None:
    assert sorted(map(str, lines(TRICKY))) == sorted(map(str, every_path(tomllib.loads(TRICKY))))


def test_lines_are_those_a_person_would_point_at() -> None:
    found = lines(TRICKY)
    places = {
        ("name",): 2,
        ("quoted key",): 3,
        ("groups", "male", "terms", 1): 4,
        ("text",): 5,
        ("raw",): 8,
        ("groups", "fe male"): 12,
        ("groups", "fe male", "terms"): 13,
        ("groups", "fe male", "terms", 1): 14,
        ("groups", "fe male", "terms", 2): 16,
        ("attributes", "inline", "terms", 1): 20,
        ("attributes", "inline", "stereotype_of", "deep"): 20,
        ("list", "of", "tables", 1, "a", 1, 0): 26,
    }
    assert {path: found[path] for path in places} == places


def test_windows_line_ends_count_once() -> None:
    assert lines('a = 1\r\nb = 2\r\nc = [\r\n  "x"]')[("c", 0)] == 4


def test_a_missing_key_points_at_the_table_it_is_missing_from() -> None:
    assert line_of(lines("[groups.male]\n[groups.female]\n"), ("groups", "female", "terms")) == 2
    assert line_of({}, ("name",)) is None


def test_keys_are_shown_as_they_are_written() -> None:
    assert dotted(("compare", 0, 1)) == "compare"


keys = st.text(st.sampled_from('ab-_.é "#[]'), max_size=4)
leaves = st.sampled_from(['"x"', "'#]'", "3", "true", '"""a\nb"""', "1.5e3", "[ ]", "{ }"])


@st.composite
def documents(draw: st.DrawFn) -> str:
    rows = []
    names = draw(st.lists(keys, unique=True, max_size=5))
    for name in names:
        quoted = '"' + name.replace('"', '\\"') + '"'
        values = draw(st.lists(leaves, max_size=4))
        gap = draw(st.sampled_from([", ", ",\n", ", # note, ]\n"]))
        array = "[" + gap.join(values) + "]"
        kind = draw(st.sampled_from(["array", "inline", "header"]))
        if kind == "array":
            rows.insert(0, f"{quoted} = {array}")
        elif kind == "inline":
            rows.insert(0, f"{quoted} = {{ first = {array}, {quoted}.more = 2 }}")
        else:
            rows.append(f"[ {quoted} . sub ]\nx = {array}")
    return "\n".join(rows)


@given(documents())
def test_any_document_is_walked_as_the_toml_reader_reads_it(text: str) -> None:
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:  # such as a key called "first" in an inline table
        return
    assert {*lines(text)} == {*every_path(data)}
