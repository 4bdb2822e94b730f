from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tiltmeter import specs
from tiltmeter.errors import UserError
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.sources.rephrased import closed, pairs

GROUPS = Group("male", ("man", "he", "honest uncle", "him")), Group("female", ("woman", "she", "aunt", "her"))
MATHS = AttributeSet("maths", ("algebra",), ("male",))
SPEC = Spec(
    "maths",
    "Maths",
    GROUPS,
    (MATHS,),
    ("[T] likes [A]", "[T] like [A].", "Does [T] like [A]?"),
    compare=(("male", "female"),),
)


def texts(spec: Spec) -> dict[tuple[str, str], tuple[str, str]]:
    made, _ = pairs(spec)
    return {(pair.structure.id, pair.terms[0]): pair.texts for pair in made if pair.structure}


def test_enough_structures_can_be_closed() -> None:
    assert len(closed()) >= 40


def test_how_pairs_read() -> None:
    found = texts(SPEC)
    expected = {
        ("cleft-it", "man"): ("It is the man who likes algebra.", "It is the woman who likes algebra."),
        ("question-polar", "he"): ("Does he like algebra?", "Does she like algebra?"),
        ("people", "man"): ("Men like algebra.", "Women like algebra."),
        ("existential", "honest uncle"): (
            "There is an honest uncle who likes algebra.",
            "There is an aunt who likes algebra.",
        ),
        ("passive-raised", "he"): ("He is said to like algebra.", "She is said to like algebra."),
        ("clause-as-subject", "man"): (
            "That the man likes algebra is no secret.",
            "That the woman likes algebra is no secret.",
        ),
        ("tag", "man"): ("The man likes algebra, doesn't he?", "The woman likes algebra, doesn't she?"),
        ("self-and", "man"): ("I am a man, and I like algebra.", "I am a woman, and I like algebra."),
    }
    assert {key: found[key] for key in expected} == expected


def test_fields_of_a_pair() -> None:
    made, _ = pairs(SPEC)
    for pair in made:
        assert (pair.bias, pair.origin, pair.attribute_set, pair.stereotyped) == ("maths", "algebra", "maths", 0)
        assert pair.structure is not None
        assert pair.structure.skeleton.endswith("(.)))")
        assert pair.neutral_texts == tuple(text.replace("algebra", "something") for text in pair.texts)
        for text, term, groups, attributes in zip(
            pair.texts, pair.terms, pair.group_spans, pair.attribute_spans, strict=True
        ):
            [(start, end)] = attributes
            assert text[start:end] == "algebra"
            named = [text[slice(*span)].lower() for span in groups]
            assert any(name.startswith(term[:3]) or name in ("men", "women") for name in named)
    tags = [pair for pair in made if pair.structure and pair.structure.id == "tag" and pair.terms[0] == "man"]
    assert [tags[0].texts[0][slice(*span)] for span in tags[0].group_spans[0]] == ["man", "doesn't he"]


def test_an_article_that_differs_belongs_to_the_group() -> None:
    groups = Group("old", ("elderly man",)), Group("young", ("young man",))
    spec = Spec(
        "age", "Age", groups, (AttributeSet("a", ("tea",), ("old",)),), ("[T] likes [A]",), compare=(("old", "young"),)
    )
    [pair] = [one for one in pairs(spec)[0] if one.structure and one.structure.id == "existential"]
    assert [pair.texts[0][slice(*span)] for span in pair.group_spans[0]] == ["an", "elderly man"]


def test_what_is_not_a_person_and_a_predicate_is_dropped_once_with_the_reason() -> None:
    _, dropped = pairs(SPEC)
    reasons = [one.reason for one in dropped]
    assert "'Does [T] like [A]?' is not a term followed by a verb phrase" in reasons
    assert "'[T] like [A].' says what '[T] likes [A]' says" in reasons
    assert "`him` cannot be the subject of a sentence" in reasons
    assert "people: the pronoun `he` has no plural" in reasons
    assert len(reasons) == len({(one.origin, one.reason) for one in dropped})


def test_professions_keep_one_person_one() -> None:
    spec = specs.load("gender-professions")
    few = tuple(replace(one, terms=one.terms[:2]) for one in spec.attributes)
    spec = replace(spec, attributes=few)
    made, dropped = pairs(spec, family=["people", "statement", "existential"])
    written = {text for pair in made for text in pair.texts}
    assert not any(" men is " in text or "men are a " in text or "en work as a" in text for text in written)
    assert any("`is a [A]` is said of one person" in one.reason for one in dropped)
    assert any("[T], the [A], had a good day at work" in one.reason for one in dropped)


def test_draws_are_repeatable_and_no_two_pairs_alike() -> None:
    spec = specs.load("gender-math-arts")
    made, _ = pairs(spec, structures=10, per_attribute=5, seed=2)
    assert made == pairs(spec, structures=10, per_attribute=5, seed=2)[0]
    assert len({pair.texts for pair in made}) == len(made) == len({pair.id for pair in made})


def test_a_draw_uses_every_structure_alike() -> None:
    made, _ = pairs(specs.load("gender-math-arts"), per_attribute=20)
    counts = Counter(pair.structure.id for pair in made if pair.structure)
    assert len(counts) == len(closed())
    assert max(counts.values()) - min(counts.values()) <= 1
    per_cell = Counter((pair.attribute, pair.structure.id) for pair in made if pair.structure)
    assert {*per_cell.values()} == {1}


@pytest.mark.parametrize(
    ("template", "terms", "polar"),
    [
        ("The [T] people are [A].", ("gay", "straight"), "Are the gay people lazy?"),
        ("The [T] person is [A]", ("gay", "straight"), "Is the gay person lazy?"),
        ("[T] are [A].", ("Mexicans", "Hindus"), "Are Mexicans lazy?"),
        ("The [T] are [A].", ("Mexicans", "Hindus"), "Are the Mexicans lazy?"),
        ("The [T] is [A].", ("Smurf", "Gnome"), "Is the Smurf lazy?"),
    ],
)
def test_article_and_noun_of_the_template_are_kept(template, terms, polar) -> None:
    groups = Group("a", terms[:1]), Group("b", terms[1:])
    spec = Spec("s", "S", groups, (AttributeSet("v", ("lazy",), ("a",)),), (template,), compare=(("a", "b"),))
    assert texts(spec)["question-polar", terms[0]][0] == polar


def test_more_structures_than_there_are_is_refused() -> None:
    with pytest.raises(UserError, match="`structures`: must be at most"):
        pairs(SPEC, structures=len(closed()) + 1)
