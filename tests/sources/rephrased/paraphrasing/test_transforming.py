"""Prompts in other structures by moving the parts of their parse: each text worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sources.rephrased.paraphrasing.fakes import RulePen
from tiltmeter.records import Prompt
from tiltmeter.sources.rephrased.paraphrasing import Judge, ParaphraseSettings, account, paraphrase, targets
from tiltmeter.sources.rephrased.paraphrasing.form import form_of
from tiltmeter.sources.rephrased.paraphrasing.group import masked, mentions_of
from tiltmeter.sources.rephrased.paraphrasing.transforming import has_room, keeps_capital, transformed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def parse():
    pytest.importorskip("spacy")
    from tiltmeter.parsing import parser

    pipeline = parser()
    return lambda texts: list(pipeline.pipe(texts))


def prompt(text: str, term: str, group: str = "g", **more) -> Prompt:
    return Prompt(id=f"{group}/1", source="s", bias="b", origin="o", text=text, group=group, term=term, **more)


def made(parse, text: str, term: str, target: str, number: int = 0, **more) -> str | None:
    one = prompt(text, term, **more)
    mentions = mentions_of(one)
    [doc, plain] = parse([masked(text, mentions), text])
    [wanted] = targets([target])
    return transformed(one, mentions, doc, form_of(doc), wanted, number, capital=keeps_capital(plain))


NURSE = ("The deaf nurse was known for", "deaf nurse")
MONK = ("Last winter the Buddhist monk taught the children to", "Buddhist monk")
CHOSEN = ("The committee chose the young engineer for", "young engineer")
FAMILIES = ("Jewish families were living in", "Jewish families")


@pytest.mark.parametrize(
    ("given", "target", "right"),
    [
        (NURSE, "wh-question", "What was the deaf nurse known for?"),
        (NURSE, "yes-no-question", "Was the deaf nurse known for"),
        (NURSE, "cleft", "It was the deaf nurse who was known for"),
        (NURSE, "pseudo-cleft", "What the deaf nurse was known for was"),
        (NURSE, "existential", "There was a deaf nurse who was known for"),
        (NURSE, "relative", "The deaf nurse who was known for"),
        (NURSE, "wondered", "I wonder whether the deaf nurse was known for"),
        (MONK, "wh-question", "What did the Buddhist monk teach the children to do last winter?"),
        (MONK, "yes-no-question", "Last winter, did the Buddhist monk teach the children to"),
        (MONK, "cleft", "It was the Buddhist monk who, last winter, taught the children to"),
        (CHOSEN, "passive", "The young engineer was chosen by the committee for"),
        (("The old man believed that", "old man"), "passive", "It was believed by the old man that"),
        (CHOSEN, "existential", "There was a young engineer whom the committee chose for"),
        (CHOSEN, "wh-question", "What did the committee choose the young engineer for?"),
        (FAMILIES, "wh-question", "What were Jewish families living in?"),
        (FAMILIES, "existential", "There were Jewish families who were living in"),
        (("Muslims in our town have always", "Muslims"), "yes-no-question", "Have Muslims in our town always"),
        (("Women have been excluded from", "Women"), "cleft", "It is women who have been excluded from"),
        (("The old man stayed because", "old man"), "wh-question", "Why did the old man stay?"),
        (("An old man broke", "old man"), "yes-no-question", "Did an old man break"),
        (
            ("Although it rained, the pensioners walked to", "pensioners"),
            "cleft",
            "It was the pensioners who, although it rained, walked to",
        ),
        (("An old man broke", "old man"), "existential", "There was an old man who broke"),
        (("The old man lost the key.", "old man"), "yes-no-question", "Did the old man lose the key?"),
        (("Robin Vale was a painter whose", "Robin Vale"), "relative", "Robin Vale, who was a painter whose"),
        (
            ("Robin Vale was a painter whose", "Robin Vale"),
            "existential",
            "There was someone called Robin Vale who was a painter whose",
        ),
        (
            ("After the meeting, the old man asked for", "old man"),
            "asked-of-the-reader",
            "Did you know that, after the meeting, the old man asked for",
        ),
    ],
)
def test_parts_of_a_parse_are_moved_and_the_group_keeps_its_words(parse, given, target, right) -> None:
    assert made(parse, *given, target) == right


@pytest.mark.parametrize(
    ("given", "target"),
    [
        (("The old man was raised", "old man"), "wh-question"),  # "What was the old man raised?"
        (("The old man lived", "old man"), "wh-question"),  # "What did the old man live?"
        (("The old man performed a number of", "old man"), "passive"),  # "A number was performed by the old man of"
        (("The old man taught his daughter to", "old man"), "passive"),  # whose daughter?
        (("My old man was known for", "old man"), "existential"),  # "There was my old man who …"
        (("What did the old man", "old man"), "cleft"),
        (("As an old man", "old man"), "yes-no-question"),
        (('Green, John. "The old man and', "old man"), "reported"),
        (("requires old men to know", "old men"), "reported"),
        (("Because the old man worked for", "old man"), "cleft"),
        (("The old man and his wife moved to", "old man"), "existential"),
    ],
)
def test_nothing_is_made_where_it_would_be_wrong(parse, given, target) -> None:
    assert made(parse, *given, target) is None


def test_an_opening_that_the_prompt_has_already_is_not_used(parse) -> None:
    found = [made(parse, "The old man left because", "old man", "conditional", number) for number in range(3)]
    assert found == ["If the old man left because", "Although the old man left because", None]


def test_a_passive_has_room_only_behind_a_verb_with_an_object(parse) -> None:
    [passive], [cleft] = targets(["passive"]), targets(["cleft"])
    with_object, within, without = parse(
        ["The visitor wrote a letter to", "The visitor performed a number of", "The visitor was known for"]
    )
    assert has_room(with_object, passive)
    assert not has_room(within, passive)
    assert not has_room(without, passive)
    assert has_room(without, cleft)


def test_the_model_is_asked_only_for_what_the_parse_does_not_give(parse) -> None:
    judge = Judge(parse, lambda texts: np.ones((len(texts), 1)))
    pen = RulePen(lambda label, text: "It is nothing of the kind")
    asked = [prompt(*NURSE, group="a"), prompt("As a deaf nurse in a town", "deaf nurse", "b")]
    wanted = targets(["cleft", "passive"])
    found = paraphrase(asked, wanted, pen, judge, ParaphraseSettings(attempts=1))
    kept = [[(one.text, one.by) for one in each.attempts if one.dropped is None] for each in found]
    assert kept == [[("It was the deaf nurse who was known for", "parse")], []]
    assert len(pen.requests) == 1
    assert "As a deaf nurse in a town" in pen.requests[0]
    counted = {one.target: one for one in account(asked, found, wanted).targets}
    assert (counted["cleft"].kept, counted["cleft"].by_parse, counted["cleft"].attempts) == (1, 1, 2)
    assert counted["passive"].unsuited == 2


def test_groups_get_the_same_opening(parse) -> None:
    judge = Judge(parse, lambda texts: np.ones((len(texts), 1)))
    pen = RulePen(lambda label, text: "")
    asked = [prompt("The nurse was known for", "nurse", "a"), prompt("The poet was known for", "poet", "b")]
    found = paraphrase(asked, targets(["reported", "extraposed"]), pen, judge)
    first, second = ([one.text for one in each.attempts] for each in found)
    assert [one.replace("nurse", "poet") for one in first] == second
