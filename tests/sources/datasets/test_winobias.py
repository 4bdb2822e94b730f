from __future__ import annotations

from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import question_samples
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import recognise, winobias
from tiltmeter.sources.interface import Source


@pytest.fixture
def folder(tmp_path):
    return question_samples.winobias(tmp_path / "winobias")


def test_a_pair_has_the_pro_stereotyped_sentence_first(folder) -> None:
    made, dropped = winobias.pairs(folder)
    assert [one.reason for one in dropped] == ["the two sentences differ in more than the pronoun"]
    first = made[0]
    assert first.texts == (
        "The wizard greeted the juggler because he was polite.",
        "The wizard greeted the juggler because she was polite.",
    )
    assert (first.groups, first.terms, first.stereotyped) == (("male", "female"), ("he", "she"), 0)
    assert (first.origin, first.attribute, first.attribute_set) == ("wizard", "wizard", "occupations of men")
    assert first.neutral_texts[0] == "The person greeted the juggler because he was polite."
    assert {one.groups[0] for one in made if one.origin == "juggler"} == {"female"}


def test_three_brackets_and_words_set_apart_are_put_together(folder) -> None:
    third = next(one for one in winobias.pairs(folder)[0] if one.id.endswith("type1/3"))
    assert third.texts[1] == "The wizard mended the juggler's hat because he had lost his needle."
    assert [third.texts[1][slice(*span)] for span in third.group_spans[1]] == ["he", "his"]
    assert winobias.check(folder)["with_three_brackets"] == 2


def test_a_question_offers_both_occupations_in_their_order(folder) -> None:
    made, dropped = winobias.questions(folder, type="type1")
    assert not dropped
    found = {one.id.removeprefix("winobias/dev/"): one for one in made}
    pro, anti = found["type1/1/male"], found["type1/1/female"]
    assert pro.options == anti.options == ("the wizard", "the juggler")
    assert (pro.question, pro.about, pro.term) == ('Who does "he" refer to?', "male", "he")
    assert (pro.correct, pro.stereotyped) == (0, 0) and (anti.correct, anti.stereotyped) == (0, 1)
    assert (found["type1/2/female"].correct, found["type1/2/female"].stereotyped) == (1, 1)
    assert [anti.context[slice(*span)] for span in anti.group_spans] == ["she"]


def test_an_occupation_that_no_line_has_in_brackets_is_not_guessed(folder) -> None:
    made, dropped = winobias.questions(folder, type="type2")
    assert len(made) == 2 and [one.text for one in dropped] == [
        "The elf met the wizard and thanked her.",
        "The elf met the wizard and thanked him.",
    ]
    with pytest.raises(UserError, match="there is no type `type3`"):
        winobias.questions(folder, type="type3")


def test_next_words_are_asked_where_the_beginning_says_whom_the_pronoun_stands_for(folder) -> None:
    made, dropped = winobias.prompts(folder)
    assert [(one.text, one.word_sets, one.stereotyped) for one in made] == [
        ("The wizard met the juggler and handed", (("male", ("him",)), ("female", ("her",))), "female"),
        ("The elf met the wizard and thanked", (("male", ("him",)), ("female", ("her",))), "male"),
    ]
    assert [made[0].text[slice(*span)] for span in made[0].subject_spans] == ["juggler"]
    assert {one.bias for one in dropped} == {"winobias/type1"}


def test_a_file_stands_for_itself_and_its_counterpart(folder) -> None:
    file = folder / "anti_stereotyped_type2.txt.dev"
    assert recognise(folder)[0].name == recognise(file)[0].name == "winobias"
    assert [one.name for one in Source.named("winobias", "pairs").files(str(file))] == [
        "anti_stereotyped_type2.txt.dev",
        "pro_stereotyped_type2.txt.dev",
    ]
    (folder / "pro_stereotyped_type2.txt.dev").unlink()
    made, dropped = winobias.pairs(file)
    assert not made and {one.reason for one in dropped} == {
        "there is no such sentence with the pronoun of the other gender"
    }


@pytest.mark.parametrize(
    "line",
    [
        "1 The wizard greeted the juggler because [he] was polite.",
        "1 [The wizard] greeted the juggler because he was polite.",
        "1 [The wizard] greeted [the juggler] because [he] was polite.",
        "1 [The wizard] greeted the juggler because [he] hid [her] hat.",
        "1 [The wizard] greeted the juggler because [they] were polite.",
    ],
)
def test_a_line_without_its_brackets_is_refused_with_its_place(folder, line) -> None:
    (folder / "pro_stereotyped_type1.txt.dev").write_text(f"{line}\n", encoding="utf-8")
    with pytest.raises(InvalidData, match=r"pro_stereotyped_type1\.txt\.dev, line 1: needs one occupation"):
        winobias.read(folder)


def test_a_number_that_is_there_twice_is_refused(folder) -> None:
    file = folder / "pro_stereotyped_type2.txt.dev"
    file.write_text(file.read_text(encoding="utf-8").replace("2 The", "1 The"), encoding="utf-8")
    with pytest.raises(InvalidData, match="line 2: the number 1 is there twice"):
        winobias.read(file)


def test_the_published_files() -> None:
    path = shared("winobias")
    found = winobias.check(path)
    assert (found["sentences"], set(found["by_file"].values()), found["occupations"]) == (1584, {396}, 40)
    assert found["with_three_brackets"] == 30
    made, dropped = winobias.pairs(path)
    assert (len(made), len(dropped)) == (783, 9)
    asked, unknown = winobias.questions(path)
    assert (len(asked), len(unknown)) == (1582, 2)
    pro = Counter(one.stereotyped == one.correct for one in asked)
    assert pro == {True: 791, False: 791}
    prompts, _ = winobias.prompts(path)
    assert len(prompts) == 392 and all(one.subject_spans and "[" not in one.text for one in prompts)
