"""What is written reads back as the same data, whatever it holds."""

from __future__ import annotations

import math
import tomllib
from datetime import date, datetime, time
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.toml_writing import quoted, to_toml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.one_of(TEXTS, st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.dates()),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_data_reads_back_the_same(data: dict[str, Any]) -> None:
    assert tomllib.loads(to_toml(data)) == data
    assert tomllib.loads(to_toml(data, one_per_line=set(data))) == data


def test_a_long_list_stands_on_several_lines_and_a_short_one_does_not() -> None:
    terms = [f"word number {number}" for number in range(12)]
    text = to_toml({"short": ["a", "b"], "terms": terms})
    assert text.startswith('short = ["a", "b"]\nterms = [\n  "word number 0", ')
    assert max(map(len, text.splitlines())) <= 112
    assert tomllib.loads(text)["terms"] == terms


def test_one_on_a_line_where_it_is_wanted() -> None:
    assert to_toml({"templates": ["x", "y"]}, {"templates"}) == 'templates = [\n  "x",\n  "y",\n]\n'
    assert to_toml({"templates": ["x"]}, {"templates"}) == 'templates = ["x"]\n'


def test_tables_in_tables_have_headings_and_odd_keys_have_quotes() -> None:
    text = to_toml({"groups": {"a b": {"terms": ["he"]}, "c": {}}, "name": "x"})
    assert text == 'name = "x"\n\n[groups."a b"]\nterms = ["he"]\n\n[groups.c]\n'


def test_every_kind_of_value() -> None:
    moments = {"c": datetime(2026, 1, 2, 3, 4), "d": date(2026, 1, 2), "e": time(3, 4)}
    data = {"a": True, "b": 1e300, "f": math.inf, **moments}
    assert tomllib.loads(to_toml(data)) == data
    assert quoted("a\x7f\n") == '"a\\u007F\\n"'
