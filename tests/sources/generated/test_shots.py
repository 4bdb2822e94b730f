from __future__ import annotations

import json
import random
import re

import numpy
import pytest

from tests.shared import shared
from tests.sources.datasets import samples
from tests.sources.generated.fakes import SPEC
from tiltmeter import specs
from tiltmeter.english import GENDER_OF_PRONOUN
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.records import Group, Spec
from tiltmeter.sources.generated.matching import contains, terms_of
from tiltmeter.sources.generated.prompts import few_shot
from tiltmeter.sources.generated.shots import (
    COUNT,
    FIXED,
    Shot,
    chooser,
    nearest_shots,
    own_shots,
    read_shots,
    usable_shots,
)
from tiltmeter.sources.generated.vectors import Vectors
from tiltmeter.word_kinds import attribute_kind, term_kind


@pytest.mark.slow
def test_our_shots_serve_every_spec_of_the_library_and_every_kind_of_word() -> None:
    for name in specs.names():
        spec = specs.load(name)
        left = usable_shots(own_shots(), spec, whole=True)
        assert usable_shots(FIXED, spec) == list(FIXED), name
        for shot in left:
            assert not [term for term in terms_of(spec) if contains(shot.sentence, term)], (name, shot)
        for kind in {_shown_as(term_kind(term, group, spec)) for group in spec.groups for term in group.terms}:
            assert sum(kind == shot.kinds[0] for shot in left) >= COUNT, (name, kind)
        for kind in {attribute_kind(term, one, spec) for one in spec.attributes for term in one.terms}:
            assert sum(kind == shot.kinds[1] for shot in left) >= COUNT, (name, kind)


def test_our_shots_hold_their_two_keywords_in_one_whole_sentence_that_names_no_gender() -> None:
    gendered = {word for word in GENDER_OF_PRONOUN if not word.startswith("the")}
    assert {"he", "hers"} <= gendered
    assert len({shot.sentence for shot in own_shots()}) == len(own_shots()) >= 60
    for shot in own_shots():
        assert len(shot.keywords) == 2
        assert all(contains(shot.sentence, keyword) for keyword in shot.keywords), shot
        assert re.fullmatch(r"[A-Z].*\.", shot.sentence)
        assert not {*re.findall(r"\w+", shot.sentence.lower())} & gendered, shot


def _shown_as(kind: str) -> str:
    """A noun is asked for with an article."""
    return "phrase" if kind == "noun" else kind


def test_own_shots_are_of_the_kinds_of_the_words_that_are_wanted() -> None:
    choose = chooser("own", specs.load("gender-math-arts"))
    for term, kind in (("Lisa", "name"), ("the sister", "phrase"), ("sisters", "plural"), ("elderly", "adjective")):
        chosen = choose([term, "algebra"], random.Random(1))
        assert [shot.kinds for shot in chosen] == [(kind, "thing")] * COUNT, term
    for term, cases in (("hers", {"mine", "yours", "ours", "theirs"}), ("him", {"me", "you", "us", "them"})):
        assert all(shot.keywords[0] in cases for shot in choose([term, "algebra"], random.Random(1))), term
    few = [Shot(("hers", "rope"), "x"), Shot(("dog", "rope"), "y"), Shot(("cat", "rope"), "z")]
    shown = chooser("own", specs.load("race-names-pleasant-3"), repository=few, count=2)(
        ["theirs", "x"], random.Random(0)
    )
    assert len(shown) == 2
    assert shown[-1].sentence == few[0].sentence, "the one of the kind stands last, where it has the most weight"


def test_a_shot_with_a_term_of_the_spec_is_never_shown() -> None:
    shots = [Shot(("aunt", "rope"), "x"), Shot(("dog", "hammers"), "x"), Shot(("dog", "rope"), "y")]
    assert usable_shots(shots, SPEC) == shots[2:]
    choose = chooser("own", SPEC, repository=shots)
    assert [shot.sentence for shot in choose(["man", "hammer"], random.Random(0))] == ["y"]
    with pytest.raises(UserError, match="every example sentence has a term of `gender-tools`"):
        chooser("own", SPEC, repository=shots[:2])


def test_similar_shots_are_the_nearest_with_the_nearest_last() -> None:
    space = Vectors(
        ["nurse", "doctor", "hammer", "saw", "sea"],
        numpy.array([[1, 0.1], [1, 0], [0, 1], [0.3, 1], [-1, -1]], dtype=numpy.float32),
    )
    shots = [Shot(("doctor",), "d"), Shot(("saw",), "s"), Shot(("sea",), "w"), Shot(("unknown",), "u")]
    assert [shot.sentence for shot in nearest_shots(shots, ["nurse"], 2, space)] == ["s", "d"]
    spec = Spec("x", "X", (Group("a", ("doctor",)), Group("b", ("x",))))
    choose = chooser("similar", spec, repository=shots, vectors=space, count=1)
    assert [shot.sentence for shot in choose(["nurse"], random.Random(0))] == ["s"]
    with pytest.raises(UserError, match="word vectors"):
        chooser("similar", spec)


def test_shots_are_read_from_json_lines_and_commongen(tmp_path) -> None:
    path = tmp_path / "shots.jsonl"
    lines = [
        {"keywords": ["a", "b"], "sentence": "A b."},
        {"concept_set": "dog#run", "scene": ["A dog  runs.", "Dogs run."], "reason": ["n/a"]},
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    assert read_shots(path) == [
        Shot(("a", "b"), "A b."),
        Shot(("dog", "run"), "A dog runs."),
        Shot(("dog", "run"), "Dogs run."),
    ]
    path.write_text('{"keywords": "a", "sentence": "A b."}')
    with pytest.raises(InvalidData, match="line 1: neither `keywords`"):
        read_shots(path)
    path.write_text("")
    with pytest.raises(InvalidData, match="no example sentences"):
        read_shots(path)


def test_shots_are_read_from_stereoset(tmp_path) -> None:
    path = samples.write(tmp_path / "dev.json", samples.stereoset())
    for shot in read_shots(path):
        assert contains(shot.sentence, shot.keywords[0].lower())
        assert shot.keywords[1] in shot.sentence


def test_real_repositories_are_read() -> None:
    found = read_shots(shared("commongen/commongen.dev.jsonl"))
    assert found[0].keywords == ("field", "look", "stand")
    assert len(found) > 993


def test_the_prompt_ends_where_the_sentence_begins() -> None:
    prompt = few_shot(FIXED, ["man", "math"])
    assert prompt.count("Keywords:") == 5
    assert prompt.endswith("Keywords: man, math\nSentence:")
