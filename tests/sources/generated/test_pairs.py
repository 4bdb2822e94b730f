from __future__ import annotations

from dataclasses import replace

import pytest

from tests.sources.generated.fakes import SPEC, FakeGenerator
from tiltmeter.records import Written
from tiltmeter.sources.generated import GenerationSettings, pairs, write
from tiltmeter.sources.generated.pairs import replaced
from tiltmeter.specs import load


def sentence(text: str, group: str, term: str, attribute: str = "hammer", kind: str = "tools", **more) -> Written:
    return Written("gender-tools/0/x/y/0.0", "gender-tools", text, group, term, attribute, kind, **more)


def test_a_sentence_becomes_a_pair_in_the_order_of_the_spec() -> None:
    made, dropped = pairs([sentence("An aunt lost her hammer.", "female", "aunt")], SPEC)
    assert not dropped
    [pair] = made
    assert pair.texts == ("An uncle lost his hammer.", "An aunt lost her hammer.")
    assert pair.groups == ("male", "female")
    assert pair.terms == ("uncle", "aunt")
    assert pair.stereotyped == 0
    assert pair.origin == pair.attribute == "hammer"
    assert pair.template == "An [T] lost her hammer."
    assert pair.source == "generated.v1"
    assert pair.id.endswith("/female")
    for text, spans in zip(pair.texts, pair.group_spans, strict=True):
        assert [text[start:end] for start, end in spans][-1] in ("his", "her")
    for text, spans in zip(pair.texts, pair.attribute_spans, strict=True):
        assert [text[start:end] for start, end in spans] == ["hammer"]
    assert pair.neutral_texts == ("An uncle lost his something.", "An aunt lost her something.")


def test_as_published_leaves_the_pronouns() -> None:
    [pair], _ = pairs([sentence("The aunt lost her hammer.", "female", "aunt")], SPEC, pronouns="leave")
    assert pair.texts == ("The uncle lost her hammer.", "The aunt lost her hammer.")


def test_a_control_has_no_stereotyped_text_and_the_other_set_the_other_one() -> None:
    [bread, needle], _ = pairs(
        [
            sentence("The man ate bread.", "male", "man", "bread", "food"),
            sentence("The man found a needle.", "male", "man", "needle", "crafts"),
        ],
        SPEC,
    )
    assert (bread.stereotyped, needle.stereotyped) == (None, 1)


def test_names_take_their_gender_from_the_group() -> None:
    spec = load("gender-career-family")
    written = Written("1", spec.name, "Lisa asked her boss about the salary.", "female", "Lisa", "salary", "career")
    [pair], _ = pairs([written], spec)
    assert pair.texts[0] == "Paul asked his boss about the salary." or "his boss" in pair.texts[0]
    spec = load("race-names-pleasant-1")
    written = Written("1", spec.name, "Adam got his diploma.", "european-american", "Adam", "diploma", "pleasant")
    [pair], _ = pairs([written], spec)
    assert pair.texts == ("Adam got his diploma.", "Alonzo got his diploma.")


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        (sentence("The man met a woman with a hammer.", "male", "man"), "is in the sentence already"),
        (sentence("The boy has a hammer.", "male", "boy"), "`boy` is not a term of the group `male`"),
        (sentence("The man has a saw.", "male", "man"), "`hammer` does not stand apart"),
        (sentence("The man has a hammer.", "male", "man", kind="toys"), "`toys` is not an attribute set"),
    ],
)
def test_what_cannot_be_a_pair_has_a_reason(written: Written, reason: str) -> None:
    made, [dropped] = pairs([written], SPEC)
    assert not made
    assert reason in dropped.reason


def test_dropped_sentences_and_those_of_other_specs_make_no_pairs() -> None:
    written = sentence("The man has a hammer.", "male", "man")
    assert pairs([replace(written, dropped="flagged"), replace(written, bias="other")], SPEC) == ([], [])


def test_the_same_pair_is_made_once_in_a_set_but_may_stand_in_another() -> None:
    first = sentence("The man has a hammer.", "male", "man")
    second = replace(first, id="2", text="The woman has a hammer.", group="female", term="woman")
    made, [dropped] = pairs([first, second, replace(first, id="3", set=1)], SPEC)
    assert [pair.id for pair in made] == ["gender-tools/0/x/y/0.0/male", "3/male"]
    assert "already exist as gender-tools/0/x/y/0.0/male" in dropped.reason


def test_every_kept_sentence_makes_a_pair() -> None:
    made = write(SPEC, FakeGenerator(), GenerationSettings(sets=2))
    found, dropped = pairs(made.kept, SPEC)
    assert not dropped
    assert len(found) == len(made.kept)
    assert len({pair.id for pair in found}) == len(found)


def test_a_neutral_word_agrees_with_what_stands_before_it() -> None:
    assert replaced("She is an electrician.", [(10, 21)], "person") == "She is a person."
    assert replaced("Math is hard.", [(0, 4)], "something") == "Something is hard."
