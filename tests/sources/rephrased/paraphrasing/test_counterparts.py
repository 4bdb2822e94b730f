"""Rephrasings that every group has in the same words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.sources.rephrased.paraphrasing.fakes import prompts
from tiltmeter.sources.rephrased.paraphrasing import Attempt, Rephrased, account, checks, matched, targets
from tiltmeter.sources.rephrased.paraphrasing.counterparts import NO_COUNTERPART

GROUPS = (("female", "woman"), ("male", "man"))


def rephrased(asked, texts) -> list[Rephrased]:
    return [Rephrased(prompt.id, (Attempt("cleft", 0, text),)) for prompt, text in zip(asked, texts, strict=True)]


def reasons(found) -> list[str | None]:
    return [attempt.dropped for one in found for attempt in one.attempts]


@pytest.mark.parametrize(
    ("terms", "texts", "alike"),
    [
        (("woman", "man"), ("It was the woman who", "It was the man who"), True),
        (("older woman", "Asian man"), ("It was an older woman who", "It was an Asian man who"), True),
        (("teacher", "engineer"), ("It was a teacher who", "It was an engineer who"), True),
        (("woman", "man"), ("It was woman who", "It was the man who"), False),
        (("woman", "man"), ("It was women who", "It was a man who"), False),
        (("woman", "man"), ("It was women who", "It was men who"), True),
        (("woman", "man"), ("It was the woman who knew her", "It was the man who knew his"), False),
    ],
)
def test_counterparts_are_alike_but_for_the_term(terms, texts, alike) -> None:
    asked = prompts(("female", terms[0]), ("male", terms[1]))[::3]
    assert reasons(matched(asked, rephrased(asked, texts))) == [None if alike else NO_COUNTERPART] * 2


def test_only_what_every_group_of_the_bias_has_stays() -> None:
    asked = prompts(*GROUPS, ("neither", "person"))[::3]
    found = rephrased(asked, ("It was the woman who", "It was the man who", "It was the person who"))
    assert reasons(matched(asked, found)) == [None] * 3
    lost = replace(found[2], attempts=(replace(found[2].attempts[0], dropped=checks.LOST_GROUP),))
    assert reasons(matched(asked, [*found[:2], lost])) == [NO_COUNTERPART, NO_COUNTERPART, checks.LOST_GROUP]
    assert reasons(matched(asked[:2], found[:2])) == [None, None]


def test_counterparts_are_of_one_origin_and_one_structure() -> None:
    asked = prompts(*GROUPS)[::3]
    texts = ("It was the woman who", "It was the man who")
    elsewhere = [asked[0], replace(asked[1], origin="another")]
    assert reasons(matched(elsewhere, rephrased(elsewhere, texts))) == [NO_COUNTERPART] * 2
    found = rephrased(asked, texts)
    other = replace(found[1], attempts=(replace(found[1].attempts[0], target="relative"),))
    assert reasons(matched(asked, [found[0], other])) == [NO_COUNTERPART] * 2


def test_several_terms_of_a_group_have_places_of_their_own() -> None:
    asked = prompts(("female", "woman"), ("female", "girl"), ("male", "man"))[::3]
    asked[1] = replace(asked[1], id="female/girl")
    texts = ("It was the woman who", "It was the girl who", "It was the man who")
    assert reasons(matched(asked, rephrased(asked, texts))) == [None, NO_COUNTERPART, None]


def test_of_several_rephrasings_those_that_are_alike_stay() -> None:
    asked = prompts(*GROUPS)[::3]
    found = [
        Rephrased(
            asked[0].id, (Attempt("cleft", 0, "It was the woman who"), Attempt("cleft", 1, "It is the woman who"))
        ),
        Rephrased(asked[1].id, (Attempt("cleft", 0, "It is the man who"), Attempt("cleft", 1, "It be the man who"))),
    ]
    assert reasons(matched(asked, found)) == [NO_COUNTERPART, None, None, NO_COUNTERPART]


def test_the_account_counts_what_was_left_out_and_still_shows_what_the_paraphraser_did() -> None:
    """Of three prompts of each group it loses all women: no man is left, and the tilt must show all the same."""
    asked = prompts(*GROUPS)
    lost = Attempt("cleft", 0, "It was someone who", dropped=checks.LOST_GROUP)
    found = [
        Rephrased(prompt.id, (lost if prompt.group == "female" else Attempt("cleft", 0, "It was the man who"),))
        for prompt in asked
    ]
    counted = account(asked, matched(asked, found), targets(["cleft"]))
    [target] = counted.targets
    assert dict(target.rejected) == {checks.LOST_GROUP: 3, NO_COUNTERPART: 3}
    assert target.attempts == target.kept + sum(count for _, count in target.rejected) == 6
    assert [(one.group, one.asked.kept, one.passed.kept) for one in counted.groups] == [
        ("female", 0, 0),
        ("male", 0, 3),
    ]
