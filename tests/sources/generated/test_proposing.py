"""Templates and terms that are proposed, for a person to accept."""

from __future__ import annotations

import tomllib

import numpy
import pytest

from tests.sources.generated.fakes import SPEC, FakeGenerator
from tiltmeter.records import Completion, Decoding, Written
from tiltmeter.sources.generated import expansion, proposals
from tiltmeter.sources.generated.vectors import GLOVE, Vectors, load


def sentence(text: str) -> Written:
    return Written(text, SPEC.name, text, "male", "man", "hammer", "tools")


@pytest.mark.parametrize(
    ("text", "template", "refused"),
    [
        ("The man has a hammer.", "The [T] has a [A].", None),
        ("The man lost his hammer.", "The [T] lost his [A].", "`his` reveals a group"),
        ("The man and his hammer, a hammer.", "The [T] and his [A], a [A].", "does not have [T] and [A] once each"),
        ("The man took bread and a hammer.", "The [T] took bread and a [A].", "`bread` is a term of the spec"),
        ("Man likes the hammer.", "[T] likes the [A].", "already exists"),
        ("Man, hammer.", "[T], [A].", "says nothing"),
    ],
)
def test_a_sentence_becomes_a_template_where_it_can(text: str, template: str, refused: str | None) -> None:
    [proposal] = proposals.from_sentences([sentence(text)], SPEC)
    assert (proposal.template, proposal.refused) == (template, refused)


def test_a_template_is_proposed_once() -> None:
    found = proposals.from_sentences([sentence("The man has a hammer."), sentence("The man has a hammer.")], SPEC)
    assert [proposal.refused for proposal in found] == [None, "already exists"]
    written = tomllib.loads(proposals.as_toml(found, "fake"))
    assert written == {"templates": ["The [T] has a [A]."]}


def test_templates_can_be_asked_for() -> None:
    class Asked(FakeGenerator):
        def complete(self, prompts, decoding, *, samples=1, seed=0):
            assert prompts[0].endswith("\n-")
            lines = [" [T] sold a [A]. And more", " 3. Nothing here.", ""]
            return [[Completion(line, 3, "stop") for line in lines]]

    found = proposals.by_request(SPEC, Asked(), Decoding())
    assert [one.template for one in found if one.refused is None] == ["[T] sold a [A]."]


SPACE = Vectors(
    [
        "man",
        "woman",
        "brother",
        "sister",
        "uncle",
        "aunt",
        "hammer",
        "hammers",
        "needle",
        "bread",
        "king",
        "queen",
        "drill",
    ],
    numpy.array(
        [[1, 0, 0], [1, 1, 0]] * 3
        + [[0, 0, 1], [0, 0, 1], [0, 0.5, 1], [0, 0, -1], [1, 0, 0.1], [1, 1, 0.1], [0.1, 0, 1]],
        dtype=numpy.float32,
    ),
)


def test_neighbours_are_proposed_without_those_already_there() -> None:
    found = expansion.propose_terms(SPEC, SPACE, count=1)
    tools = next(one for one in found if one.holder == "tools")
    assert tools.term == "drill"
    assert not {one.term for one in found} & {"hammer", "hammers", "man", "woman", "needle", "bread"}
    king = next(one for one in found if one.holder == "male")
    assert (king.term, king.counterpart_of, king.counterpart) == ("king", "female", "queen")


def test_proposed_terms_are_comments_until_a_person_takes_them() -> None:
    text = expansion.as_toml(SPEC, expansion.propose_terms(SPEC, SPACE, count=1))
    assert tomllib.loads(text) == {}
    assert '#   "king" – "queen",' in text


def test_words_without_a_vector_have_none() -> None:
    assert not SPACE(["xyzzy"]).any()
    assert SPACE.nearest(["xyzzy"], 3) == []


@pytest.mark.slow
@pytest.mark.skipif(not GLOVE.home.is_dir(), reason="the word vectors are not in the cache")
def test_glove_knows_its_neighbours() -> None:
    vectors = load()
    assert "sculptor" in [word for word, _ in vectors.nearest(["painter", "sculptors"], 5, exclude=["painter"])]
