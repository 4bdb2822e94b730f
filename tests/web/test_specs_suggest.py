"""Suggested terms: where they come from is said, and they fit the place they are for."""

from __future__ import annotations

from typing import Any

import pytest

from tiltmeter.errors import UserError
from tiltmeter.models import embedded
from tiltmeter.web.loaded_model import LoadedModel
from tiltmeter.web.specs.ask import Asking, terms_from_model
from tiltmeter.web.specs.entries import library
from tiltmeter.web.specs.lists import lists_of
from tiltmeter.web.specs.suggest import Suggestion, knowledge, offers


def data(first: list[str], second: list[str], **attributes: list[str]) -> dict[str, Any]:
    return {
        "groups": {"men": {"terms": first}, "women": {"terms": second}},
        "attributes": {name: {"terms": terms} for name, terms in attributes.items()},
    }


def suggested(spec: dict[str, Any]) -> list[Suggestion]:
    return [one for offer in offers(lists_of(spec), knowledge(library())) for one in offer.suggestions]


def terms(found: list[Suggestion]) -> list[tuple[str, ...]]:
    return [tuple(addition.term for addition in one.additions) for one in found]


@pytest.mark.parametrize(
    ("term", "counterpart", "reason"),
    [
        ("brother", "sister", "stands beside `brother` in gender-professions"),
        ("my grandfather", "my grandmother", "the word for the other gender"),
        ("policeman", "policewoman", "the word for the other gender"),
        ("himself", "herself", "the pronoun that stands where `himself` does"),
    ],
)
def test_a_place_without_a_counterpart_gets_one(term: str, counterpart: str, reason: str) -> None:
    found = suggested(data(["he", term], ["she"]))
    assert (counterpart,) in terms(found)
    one = found[terms(found).index((counterpart,))]
    assert reason in one.why or "gender" in one.why
    assert [(addition.name, addition.position) for addition in one.additions] == [("women", 1)]


def test_it_works_the_other_way_round() -> None:
    assert ("my grandfather",) in terms(suggested(data(["he"], ["she", "my grandmother"])))


def test_a_blank_place_gets_a_counterpart_where_it_is() -> None:
    [one] = [one for one in suggested(data(["he", "the man", "uncle"], ["she", "", "aunt"])) if one.additions]
    assert (one.additions[0].position, one.additions[0].term) == (1, "the woman")


def test_groups_that_are_aligned_get_whole_rows() -> None:
    found = suggested(data(["he"], ["she"]))
    assert ("brother", "sister") in terms(found)
    assert all(len(one.additions) == 2 and "side by side in" in one.why for one in found)


def test_nothing_is_suggested_twice_or_is_there_already() -> None:
    spec = data(["he", "brother"], ["she", "sister"], science=["physics", "chemistry"])
    found = terms(suggested(spec))
    flat = [term for row in found for term in row]
    assert len(flat) == len(set(flat))
    assert not {"he", "brother", "physics", "chemistry"} & set(flat)
    assert ("technology",) in found


def test_a_list_that_resembles_nothing_gets_nothing() -> None:
    assert suggested({"groups": {"x": {"terms": ["quux"]}, "y": {"terms": ["frob"]}}}) == []


@pytest.mark.slow
def test_the_model_goes_on_with_a_list_and_does_not_hold_the_page_meanwhile() -> None:
    if not embedded.is_cached():
        pytest.skip("the embedded model is not in the cache")
    spec = lists_of(data(["he"], ["she"], crafts=["knitting", "embroidery", "pottery"]))
    asking = Asking(LoadedModel(), limit=0.01)
    with pytest.raises(UserError, match="has not answered within 0.01 seconds; it goes on, so ask again"):
        terms_from_model(asking, spec, "attributes/crafts")
    asking.limit = 300
    answer = terms_from_model(asking, spec, "attributes/crafts")
    assert answer.prompt == "knitting, embroidery, pottery and"
    assert ("weaving",) in terms(list(answer.suggestions))
    assert not {("knitting",), ("other",), ("the",)} & {*terms(list(answer.suggestions))}
    assert all("probability" in one.why for one in answer.suggestions)


@pytest.mark.parametrize(
    ("named", "problem"), [("groups/men", "two terms or more"), ("groups/none", "choose the list")]
)
def test_the_model_is_not_asked_what_it_cannot_answer(named: str, problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        terms_from_model(Asking(LoadedModel()), lists_of(data(["he"], ["she"])), named)
