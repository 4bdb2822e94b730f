"""The checks that need no parser."""

from __future__ import annotations

import pytest

from tests.sources.rephrased.paraphrasing.fakes import RulePen
from tiltmeter.errors import UserError
from tiltmeter.records import Prompt
from tiltmeter.sources.rephrased.paraphrasing import checks
from tiltmeter.sources.rephrased.paraphrasing.checks import Original
from tiltmeter.sources.rephrased.paraphrasing.form import Form
from tiltmeter.sources.rephrased.paraphrasing.group import masked, mentions_of
from tiltmeter.sources.rephrased.paraphrasing.records import ParaphraseSettings
from tiltmeter.sources.rephrased.paraphrasing.request import SHOTS, likeness, request
from tiltmeter.sources.rephrased.paraphrasing.targets import targets
from tiltmeter.sources.rephrased.paraphrasing.writing import other_terms

NOTHING = Form(frozenset(), "", "elsewhere", None, ())


def original(text: str, term: str, others: tuple[str, ...] = ()) -> Original:
    prompt = Prompt(id="1", source="s", bias="b", origin="o", text=text, group="g", term=term)
    mentions = mentions_of(prompt)
    assert mentions is not None
    return Original(prompt, mentions, [], NOTHING, others)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("It was the young woman who was known for", None),
        ("It was young women who were known for", None),
        ("What was the young woman known for?", None),
        ("It was the woman who was known for", checks.LOST_GROUP),
        ("It was the youngwoman who was known for", checks.LOST_GROUP),
        ("The young woman was a young woman who was known for", checks.MALFORMED),
        ("It was the young woman and the man who were known for", checks.OTHER_GROUP),
        ("Was the young woman known for his", checks.GENDERED),
        ("Was the young woman known for her", None),
        ("the young woman, known for", checks.MALFORMED),
        ("The young woman was known for.", checks.SAME),
        ("the young woman was known for", checks.MALFORMED),
        ("Question: was the young woman known for", checks.MALFORMED),
        ("Was it so? The young woman was known for", checks.MALFORMED),
        ('It was the young woman who was known for "', checks.MALFORMED),
        ("There was an young woman who was known for", checks.MALFORMED),
        ("The young woman", checks.LENGTH),
        (f"It was the young woman who was known for {'this and that and ' * 4}", checks.LENGTH),
        ("…", checks.EMPTY),
    ],
)
def test_the_wording_of_a_rephrased_prompt_is_checked(text, reason) -> None:
    found = checks.wording(text, original("The young woman was known for", "young woman", ("man", "young man")))
    assert (found and found.partition(":")[0]) == reason


def test_a_word_of_another_group_may_stand_where_it_stood_before() -> None:
    given = original("The woman saw the man and", "woman", ("man",))
    assert checks.no_other_group("It was the man whom the woman saw and", given) is None


def test_names_keep_their_capitals_and_get_no_article() -> None:
    given = original("Danny Thomas is an American", "Danny Thomas")
    assert checks.wording("It is Danny Thomas who is an American", given) is None
    assert checks.wording("It is danny thomas who is an American", given) == checks.LOST_GROUP
    assert "article" in str(checks.wording("There is a Danny Thomas who is an American", given))
    assert checks.wording("It is no secret that Danny Thomas's an American", given) is None


def test_a_beginning_that_is_no_name_may_become_small() -> None:
    given = original("Beekeeping is an old craft that", "Beekeeping")
    assert checks.wording("Is beekeeping an old craft that", given) is None
    assert masked("Is beekeeping an old craft that", given.mentions) == "Is Alex an old craft that"


@pytest.mark.parametrize(
    ("text", "term", "form"),
    [
        ("The Black woman was", "Black woman", "Black woman"),
        ("Zachar was born in", "Jacob Zachar", "Zachar"),
        ("The martians were", "", "martians"),
        ("The pilot was", "", None),
    ],
)
def test_the_words_that_name_the_group_are_found(text, term, form) -> None:
    prompt = Prompt(id="1", source="s", bias="b", origin="o", text=text, group="martian", term=term)
    mentions = mentions_of(prompt)
    assert (mentions and mentions.form) == form


def test_no_check_sees_which_group_it_is() -> None:
    seen = {
        masked(
            f"Was {article} {term} known for", original(f"{article.capitalize()} {term} was known for", term).mentions
        )
        for article, term in (("a", "woman"), ("an", "Asian man"), ("a", "46-year-old nonbinary person"))
    }
    assert seen == {"Was a visitor known for"}


def test_terms_of_other_groups_are_those_of_the_same_bias() -> None:
    rows = [("b", "x", "man"), ("b", "y", "woman"), ("b", "y", "man"), ("c", "z", "boy")]
    prompts = [
        Prompt(id=str(place), source="s", bias=bias, origin="o", text="t", group=group, term=term)
        for place, (bias, group, term) in enumerate(rows)
    ]
    assert other_terms(prompts) == {("b", "x"): ("woman",), ("b", "y"): (), ("c", "z"): ()}


def test_a_request_shows_examples_that_are_built_like_the_prompt_the_nearest_last() -> None:
    [target] = targets(["wh-question"])
    asked = request(target, "The chef presented the tall singer as", 0, 0)
    assert asked.count("Sentence:") == SHOTS + 1
    assert "introduced the tall visitor as" in asked or "described the quiet guest as" in asked
    assert likeness("When it rained, the guest", "When the bus came, the poet") > likeness(
        "When it rained, the guest", "The guest was known for"
    )


def test_later_attempts_see_other_examples_and_the_same_seed_the_same_ones() -> None:
    [target] = targets(["cleft"])
    text = "The plumber was known for"
    assert request(target, text, 1, 7) == request(target, text, 1, 7)
    assert len({request(target, text, 1, seed) for seed in range(5)}) > 1


def test_every_target_is_complete_and_its_examples_are_of_our_own_kind() -> None:
    known = targets()
    assert len(known) >= 12
    assert {target.kind for target in known} == {"declarative", "interrogative"}
    for target in known:
        assert len(target.examples) >= 8
        assert target.marks
        for before, after in target.examples:
            assert before != after


def test_unknown_targets_and_senseless_settings_are_refused() -> None:
    with pytest.raises(UserError, match="did you mean `cleft`"):
        targets(["clefts"])
    with pytest.raises(UserError, match="from 0"):
        ParaphraseSettings(similarity=1.5)
    with pytest.raises(UserError, match="from 1 up"):
        ParaphraseSettings(attempts=0)


def test_the_rule_pen_reads_the_request() -> None:
    pen = RulePen(lambda label, text: f"{label}|{text}")
    [target] = targets(["passive"])
    assert pen.complete([request(target, "The A saw B", 0, 0)], None)[0][0].text == " Passive|The A saw B"
