from __future__ import annotations

import pytest

from tiltmeter.sources.natural.marks import apply


def test_the_example_of_the_paper_comes_out_as_printed() -> None:
    made = apply(
        "A [profession:dermatologist] is a [person:specialist doctor] who manages diseases related to skin, hair and "
        "nails[remove: and some cosmetic problems][continue: where]"
    )
    assert made.prompt == "A dermatologist is a person who manages diseases related to skin, hair and nails where"
    assert [made.prompt[slice(*span)] for span in made.spans] == ["dermatologist"]
    assert made.sentence == (
        "A dermatologist is a specialist doctor who manages diseases related to skin, hair and nails and some "
        "cosmetic problems."
    )
    assert (made.profession, made.continuation) == ("dermatologist", "where")


@pytest.mark.parametrize(
    ("annotated", "prompt"),
    [
        (
            "An [profession:usher] is an [person:attendant] who waits[continue:, and]",
            "An usher is a person who waits, and",
        ),
        ("[remove:In the UK, ]an [profession:usher] waits[continue:, and]", "An usher waits, and"),
        ("An [remove:old ][profession:usher] waits[continue:, and]", "An usher waits, and"),
        ("A [remove:good ][profession:usher] waits[continue:, and]", "An usher waits, and"),
        ("A [profession:cook][remove: or chef] is an [remove:able ]person[continue: that]", "A cook is a person that"),
        ("A [profession:cook] is[remove:, by custom,] a [person:host][continue:, and]", "A cook is a person, and"),
        ("A [profession:cook] waits [remove:a bit ]here[continue:, where]", "A cook waits here, where"),
    ],
)
def test_articles_capitals_and_spaces_follow_the_marks(annotated, prompt) -> None:
    made = apply(annotated)
    assert made.prompt == prompt
    assert made.prompt[slice(*made.spans[0])] == made.profession


@pytest.mark.parametrize(
    ("annotated", "problem"),
    [
        ("A cook waits[continue:, and]", "0 professions are marked"),
        ("A [profession:cook] and a [profession:chef][continue:, and]", "2 professions are marked"),
        ("A [profession:cook] waits", "ends in one \\[continue"),
        ("A [profession:cook] waits[continue:, and] here", "nothing after it"),
        (
            "A [profession:cook] waits[continue:, so]",
            "`so` does not continue a sentence; write where, because, and, that",
        ),
        ("A [profession:cook] [waits][continue:, and]", "a bracket that is not a mark"),
        ("A [profession:cook] waits[remove:][continue:, and]", "an empty mark"),
    ],
)
def test_marks_that_cannot_be_carried_out_are_refused(annotated, problem) -> None:
    with pytest.raises(ValueError, match=problem):
        apply(annotated)
