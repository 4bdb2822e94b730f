from __future__ import annotations

import pytest

from tiltmeter.sources.rephrased.people import Person, person, plural


@pytest.mark.parametrize(
    ("term", "sort", "several"),
    [
        ("woman", "noun", False),
        ("elderly woman", "noun", False),
        ("Muslim man", "noun", False),
        ("Muslim", "noun", False),
        ("boss", "noun", False),
        ("women", "noun", True),
        ("Mexicans", "noun", True),
        ("African Americans", "noun", True),
        ("gay people", "noun", True),
        ("people of color", "noun", True),
        ("person with disabilities", "noun", False),
        ("Englishwoman", "noun", False),
        ("Frenchmen", "noun", True),
        ("Marxist", "noun", False),
        ("Ivorians", "noun", True),
        ("Aisha", "name", False),
        ("James", "name", False),
        ("Norman", "name", False),
        ("Emily Smith", "name", False),
        ("Mr. Jones", "name", False),
        ("he", "pronoun", False),
        ("they", "pronoun", True),
        ("Hindus", "noun", True),
        ("Pakistanis", "noun", True),
        ("Iraqis", "noun", True),
        ("Zulus", "noun", True),
        ("African-American", "noun", False),
        ("African-Americans", "noun", True),
        ("New Yorker", "noun", False),
        ("CEO", "noun", False),
        ("MPs", "noun", True),
        ("Inuit", "noun", True),
        ("Roma", "noun", True),
        ("Conservatives", "noun", True),
        ("Jehovah's Witness", "noun", False),
        ("Jehovah's Witnesses", "noun", True),
        ("farmer's wife", "noun", False),
        ("staff", "noun", True),
        ("management", "noun", False),
        ("men and women", "noun", True),
        ("deaf and blind person", "noun", False),
        ("person with a wife and children", "noun", False),
        ("AJ", "name", False),
        ("Marcus", "name", False),
        ("Chris", "name", False),
        ("Emily and Anne", "name", True),
        ("Emily's mother", "determined", False),
        ("the elderly", "determined", True),
        ("the Irish", "determined", True),
        ("the homeless man", "determined", False),
        ("my aunt", "determined", False),
        ("those women", "determined", True),
    ],
)
def test_what_a_term_is(term, sort, several) -> None:
    who = person(term)
    assert isinstance(who, Person)
    assert (who.sort, who.several) == (sort, several)


@pytest.mark.parametrize("term", ["gay", "Black", "Chinese", "elderly", "deaf", "transgender", "openly gay"])
def test_an_adjective_alone_is_refused_and_the_remedy_named(term) -> None:
    assert person(term) == f"`{term}` is an adjective and cannot name a person alone; `{term} person` can"
    assert isinstance(person(term, "person"), Person)


@pytest.mark.parametrize("term", ["man and woman", "husband and wife", "doctor and nurse"])
def test_one_person_and_another_is_not_a_term(term) -> None:
    assert person(term) == f"`{term}` are two people; a term names one person, or several of a kind"


def test_an_article_in_the_template_makes_a_noun_and_none_leaves_a_plural_bare() -> None:
    after_the, without = person("Smurf", article=True), person("Mexicans", article=False)
    assert isinstance(after_the, Person)
    assert isinstance(without, Person)
    assert (after_the.sort, without.bare) == ("noun", True)
    assert person("Aisha", article=False) == person("Aisha")


@pytest.mark.parametrize("term", ["him", "her", "theirs", "himself"])
def test_other_cases_of_a_pronoun_are_refused(term) -> None:
    assert person(term) == f"`{term}` cannot be the subject of a sentence"


@pytest.mark.parametrize(
    ("one", "several"),
    [
        ("white person", "white people"),
        ("policewoman", "policewomen"),
        ("German", "Germans"),
        ("human", "humans"),
        ("lady", "ladies"),
        ("boy", "boys"),
        ("boss", "bosses"),
        ("housewife", "housewives"),
        ("person of color", "people of color"),
        ("man from Mexico", "men from Mexico"),
        ("mother-in-law", "mothers-in-law"),
        ("Latino", "Latinos"),
        ("Hindu", "Hindus"),
        ("CEO", "CEOs"),
        ("passer-by", "passers-by"),
        ("runner-up", "runners-up"),
        ("stay-at-home mom", "stay-at-home moms"),
        ("farmer's wife", None),
        ("asylum seeker's daughter", None),
        ("men's doctor", "men's doctors"),
        ("Jehovah's Witness", "Jehovah's Witnesses"),
        ("person who is blind", None),
        ("family", None),
        ("Chinese", None),
    ],
)
def test_plurals(one, several) -> None:
    assert plural(one) == several


@pytest.mark.parametrize(
    ("term", "gender", "pronoun"),
    [
        ("nurse", None, "they"),
        ("nurse", "female", "they"),
        ("aunt", None, "she"),
        ("Kim", None, None),
        ("Kim", "female", "she"),
        ("men", None, "they"),
        ("He", None, "He"),
    ],
)
def test_the_pronoun_of_a_term(term, gender, pronoun) -> None:
    who = person(term, gender=gender)
    assert isinstance(who, Person)
    assert who.pronoun == pronoun


@pytest.mark.parametrize(
    ("term", "kind", "sort", "several"),
    [
        ("Shudra", "noun", "noun", False),
        ("Shudras", "plural", "noun", True),
        ("Quaker", "name", "name", False),
        ("folk from the valley", "plural", "noun", True),
        ("the newcomers", "plural", "determined", True),
        ("the native", "plural", "determined", True),
        ("grandma", "phrase", "determined", False),
        ("she", "noun", "pronoun", False),
    ],
)
def test_the_kind_that_a_spec_states_settles_what_a_term_is(term, kind, sort, several) -> None:
    found = person(term, kind=kind)
    assert (found.sort, found.several) == (sort, several)


def test_adjectives_that_name_people_stand_behind_the() -> None:
    for word in ("elderly", "deaf", "hearing", "jobless", "Irish", "dispossessed", "mentally ill"):
        for found in (person(f"the {word}"), person(word, article=True)):
            assert (found.term, found.sort, found.several) == (f"the {word}", "determined", True)
    assert isinstance(person("gay", article=True), str)


def test_one_owner_is_not_left_without_an_article() -> None:
    found = person("asylum seeker's daughters", article=False)
    assert (found.several, found.bare) == (True, False)
