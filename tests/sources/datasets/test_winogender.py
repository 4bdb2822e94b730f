from __future__ import annotations

from collections import Counter

import pytest

from tests.shared import shared
from tests.sources.datasets import question_samples
from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.datasets import recognise, winogender
from tiltmeter.sources.interface import Source


@pytest.fixture
def folder(tmp_path):
    return question_samples.winogender(tmp_path / "winogender")


def test_the_gender_that_is_usual_in_the_occupation_is_the_stereotyped_one(folder) -> None:
    made, dropped = winogender.pairs(folder)
    assert not dropped
    found = {one.id: one for one in made}
    wizard, juggler = found["winogender/wizard/guest/0"], found["winogender/juggler/guest/0"]
    assert (wizard.groups, wizard.stereotyped, wizard.attribute_set) == (("male", "female"), 0, "occupations of men")
    assert (juggler.groups, juggler.terms) == (("female", "male"), ("she", "he"))
    assert juggler.texts[0] == "The juggler told the guest that she had a hat."
    # Where the pronoun stands for the guest, nothing is said about wizards.
    assert found["winogender/wizard/guest/1"].stereotyped is None


def test_a_question_is_asked_in_three_genders(folder) -> None:
    asked = {one.id.removeprefix("winogender/"): one for one in winogender.questions(folder)[0]}
    assert len(asked) == 24
    he, she, they = (asked[f"wizard/guest/1/{gender}"] for gender in ("male", "female", "neutral"))
    assert he.options == ("the wizard", "the guest") and he.correct == 1
    assert (he.stereotyped, she.stereotyped, they.stereotyped) == (0, 1, None)
    assert they.question == 'Who does "they" refer to?' and they.about == "neutral"
    assert asked["juggler/someone/0/male"].options == ("the juggler", "someone")
    only = winogender.questions(folder, other="participant")[0]
    assert len(only) == 12 and all("someone" not in one.options for one in only)


def test_a_beginning_is_asked_once(folder) -> None:
    made, dropped = winogender.prompts(folder)
    assert [one.text for one in made] == [
        "The wizard told the guest that",
        "The wizard told someone that",
        "The juggler told the guest that",
        "The juggler told someone that",
    ]
    assert made[0].word_sets == (("male", ("he",)), ("female", ("she",)), ("neutral", ("they",)))
    assert [one.stereotyped for one in made] == ["male", "male", "female", "female"]
    assert Counter(one.reason for one in dropped) == {"another sentence begins in the same way": 4}


def test_a_beginning_without_the_occupation_is_dropped(folder) -> None:
    file = folder / "all_sentences.tsv"
    text = file.read_text(encoding="utf-8").replace(
        "The wizard told someone that he", "Someone said he met a wizard, he"
    )
    text = text.replace("The wizard told someone that she", "Someone said she met a wizard, she")
    file.write_text(text.replace("The wizard told someone that they", "Someone said they met a wizard, they"))
    assert "the occupation is not named before the pronoun" in {one.reason for one in winogender.prompts(folder)[1]}


def test_statistics_may_be_missing_or_the_users_own(folder, tmp_path) -> None:
    own = tmp_path / "own.csv"
    own.write_text("occupation,women\nWizards,90%\nJugglers,50%\n", encoding="utf-8")
    made, _ = winogender.questions(folder, statistics=str(own))
    found = {one.id.removeprefix("winogender/"): one.stereotyped for one in made}
    assert found["wizard/guest/0/female"] == 0 and found["juggler/guest/0/female"] is None
    assert len(Source.named("winogender", "choices").files(str(folder))) == 2
    for wrong in (5, " "):
        with pytest.raises(UserError, match="`statistics`: must be the path of a table of occupations"):
            winogender.pairs(folder, statistics=wrong)
    (folder / "occupations-stats.tsv").unlink()
    assert all(one.stereotyped is None for one in winogender.pairs(folder)[0])
    assert winogender.check(folder)["with_a_labour_statistic"] == 0


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("sentid", "id", "has 0 files of Winogender's sentences"),
        ("wizard.guest.0.male.txt", "wizard-guest-0", "line 2.*is no id such as"),
        ("that he could", "that we could", "line 2.*has none of the pronouns he, him, his, himself"),
        ("The wizard told the guest that he", "The witch told the guest that he", "does not name the wizard"),
        ("wizard.guest.0.female", "wizard.guest.0.male", "has none of the pronouns"),
    ],
)
def test_a_malformed_file_is_refused_with_its_place(folder, old, new, message) -> None:
    file = folder / "all_sentences.tsv"
    file.write_text(question_samples.WINOGENDER.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InvalidData, match=message):
        winogender.read(folder)


def test_the_published_files() -> None:
    path = shared("winogender")
    assert recognise(path)[0].name == "winogender"
    found = winogender.check(path)
    assert (found["sentences"], found["templates"], found["occupations"]) == (720, 120, 60)
    assert (found["pairs"], found["with_a_labour_statistic"]) == (240, 60)
    assert len(winogender.questions(path)[0]) == 720
    made, dropped = winogender.prompts(path)
    assert len(made) + len(dropped) == 240 and all(one.subject_spans for one in made)
