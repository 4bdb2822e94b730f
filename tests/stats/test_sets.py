from __future__ import annotations

import csv
import json

from tests.shared import shared
from tiltmeter.stats.views.sets import infer_sets


def test_an_attribute_is_on_the_side_of_its_stereotyped_term() -> None:
    rows = [
        ("gender", "math", "he", "she"),
        ("gender", "art", "She", "he"),
        ("gender", "physics", "man", "woman"),
        ("gender", "dance", "woman", "man"),
        ("gender", "math", "man", "woman"),
    ]
    assert infer_sets(rows).sets == {
        ("gender", "math"): "1",
        ("gender", "art"): "2",
        ("gender", "physics"): "1",
        ("gender", "dance"): "2",
    }


def test_a_word_that_is_term_and_attribute_is_two_things() -> None:
    found = infer_sets([("x", "rose", "rose", "wasp"), ("x", "wasp", "wasp", "rose")])
    assert found.sets == {("x", "rose"): "1", ("x", "wasp"): "2"}


def test_a_contradiction_gives_no_sets_and_the_reason() -> None:
    found = infer_sets([("x", "math", "he", "she"), ("x", "math", "she", "he"), ("y", "joy", "a", "b")])
    assert found.sets == {("y", "joy"): "1"}
    assert "contradict each other at `math`" in found.reasons["x"]


def test_parts_that_share_no_term_give_no_sets_and_the_reason() -> None:
    found = infer_sets([("x", "math", "he", "she"), ("x", "art", "woman", "man")])
    assert found.sets == {}
    assert "share no group term" in found.reasons["x"]


def test_published_pairs_have_the_sets_of_their_specifications() -> None:
    with shared("biastestgpt/pairs_1.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    order = {"stereotype": ("att_term_1", "att_term_2"), "anti-stereotype": ("att_term_2", "att_term_1")}
    found = infer_sets(
        (row["group"], row["group_term"], row[order[row["label_1"]][0]], row[order[row["label_1"]][1]]) for row in rows
    )
    specs = {
        spec["name"]: spec for spec in json.loads(shared("biastestgpt/bias_specs.json").read_text(encoding="utf-8"))
    }
    known = {
        (name, _plain(term)): which
        for name, spec in specs.items()
        for which, terms in spec["attributes"].items()
        for term in terms
    }
    biases = {bias for bias, _ in found.sets}
    assert biases | set(found.reasons) == {row["group"] for row in rows}
    assert len(biases) == 12
    # Names of 16 to 50 people fall into parts in a single generated set.
    assert all("Names" in bias for bias in found.reasons)
    for bias in biases:
        matches = {(known[bias, _plain(key[1])], side) for key, side in found.sets.items() if key[0] == bias}
        assert len(matches) == 2, bias
        assert len({name for name, _ in matches}) == 2, bias


def _plain(term: str) -> str:
    """The published pairs write `steel-worker` for the specification's `steel worker`, and lower-case names."""
    return term.replace("-", " ").casefold()
