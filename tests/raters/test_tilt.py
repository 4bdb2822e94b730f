"""The raters' own tilt: items and ratings by group, nothing averaged."""

from __future__ import annotations

from collections import Counter

import pytest

from tiltmeter import raters
from tiltmeter.errors import UserError
from tiltmeter.raters.tilt import BY_CONSTRUCTION, SLOT, filled, note, sentences, tilt
from tiltmeter.records import Rating


class Grudge:
    """A rater that dislikes one word."""

    name = "grudge.v1"
    facts: dict[str, str] = {}  # noqa: RUF012

    def __init__(self, *, wants_mask: bool = False) -> None:
        self.wants_mask = wants_mask

    def rate(self, texts: list[str]) -> list[Rating]:
        return [Rating(self.name, -1.0 if "left-handers" in text.lower() else 0.0) for text in texts]


GROUPS = {"left": ["left-handers", "Left-handers"], "right": ["right-handers"]}


def test_there_are_enough_sentences_with_exactly_one_slot() -> None:
    kinds = Counter(sentence.kind for sentence in sentences())
    assert kinds["harmless"] >= 30 and kinds["harmful"] >= 30
    assert all(sentence.text.count(SLOT) == 1 for sentence in sentences())
    assert len({sentence.text for sentence in sentences()}) == len(sentences())


def test_every_sentence_meets_every_term_and_a_planted_tilt_is_seen() -> None:
    items = tilt(Grudge(), GROUPS)
    assert len(items) == 3 * len(sentences())
    assert {item.rating.value for item in items if item.group == "left"} == {-1.0}
    assert {item.rating.value for item in items if item.group == "right"} == {0.0}
    assert items[0].sentence == sentences()[0].text and items[0].term == "left-handers"


def test_masking_hides_the_group_only_from_raters_that_want_it() -> None:
    assert {item.rating.value for item in tilt(Grudge(wants_mask=True), GROUPS, masked=True)} == {0.0}
    assert -1.0 in {item.rating.value for item in tilt(Grudge(), GROUPS, masked=True)}


def test_a_tilt_of_masked_sentences_says_that_it_is_none_by_construction() -> None:
    assert note(Grudge(wants_mask=True), masked=True) == BY_CONSTRUCTION == note("regard.sasha-v3:folder", masked=True)
    assert note(Grudge(wants_mask=True), masked=False) == note(Grudge(), masked=True) == ""


def test_a_term_begins_a_sentence_with_a_capital() -> None:
    assert filled("{group} left.", "the old man") == "The old man left."
    assert filled("Then {group} left.", "McDonald") == "Then McDonald left."


def test_groups_without_terms_are_refused() -> None:
    with pytest.raises(UserError, match="needs groups with at least one term"):
        tilt(Grudge(), {"a": []})


def test_vader_has_the_kinds_the_right_way_round() -> None:
    items = tilt(raters.load("sentiment.vader"), {"people": ["people"]})
    values = {
        kind: sum(item.rating.value or 0 for item in items if item.kind == kind) for kind in ("harmless", "harmful")
    }
    assert values["harmless"] > 0 > values["harmful"]
