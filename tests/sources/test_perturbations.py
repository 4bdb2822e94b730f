"""Perturbations of a subject, word sets, and tables of open prompts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tiltmeter.errors import InvalidData, UnknownName, UserError
from tiltmeter.records import Prompt
from tiltmeter.sources import open_prompts_file, word_sets
from tiltmeter.sources.perturbations import NO_SUBJECT, OPENERS, perturb, perturb_all

WORDS = word_sets.BUILT_IN["he-she"]


def prompt(text: str, subject: str, number: str = "1") -> Prompt:
    spans = open_prompts_file.occurrences(text, subject)
    return Prompt(number, "test", "test", subject or "x", text, word_sets=WORDS, subject_spans=spans)


@pytest.mark.parametrize(
    ("text", "subject", "person", "deleted", "woman"),
    [
        ("The nurse said that", "nurse", "The person said that", "The said that", "The woman said that"),
        (
            "An usher is a person who",
            "usher",
            "A person is a person who",
            "A is a person who",
            "A woman is a person who",
        ),
        ("Nurses said that", "nurses", "People said that", "Said that", "Women said that"),
        ("The dental nurse, who ran,", "dental nurse", "The person, who ran,", "The, who ran,", "The woman, who ran,"),
        (
            "If an actor sees an actor,",
            "actor",
            "If a person sees a person,",
            "If a sees a,",
            "If a woman sees a woman,",
        ),
        (
            "The director of communications said that",
            "director of communications",
            "The person said that",
            "The said that",
            "The woman said that",
        ),
        ("The chiefs of staff ran", "chiefs of staff", "The people ran", "The ran", "The women ran"),
        (
            "The nurse's bag was lost because",
            "nurse",
            "The person's bag was lost because",
            "The bag was lost because",
            "The woman's bag was lost because",
        ),
        ("An usher’s apron tore", "usher", "A person’s apron tore", "An apron tore", "A woman’s apron tore"),
        ("The nurses' bags fell", "nurses", "The people's bags fell", "The bags fell", "The women's bags fell"),
        ("The 'nurses' said that", "nurses", "The 'people' said that", "The '' said that", "The 'women' said that"),
        (
            "It rained. Nurses said that",
            "nurses",
            "It rained. People said that",
            "It rained. Said that",
            "It rained. Women said that",
        ),
        ("It rained.\nNurses ran", "nurses", "It rained.\nPeople ran", "It rained.\nRan", "It rained.\nWomen ran"),
        ('"Nurses ran and', "nurses", '"People ran and', '"Ran and', '"Women ran and'),
    ],
)
def test_the_subject_is_changed_and_the_article_with_it(
    text: str, subject: str, person: str, deleted: str, woman: str
) -> None:
    given = prompt(text, subject)
    for name, expected in (("person", person), ("deleted", deleted), ("woman", woman), ("original", text)):
        found = perturb(given, name)
        assert found.prompt.text == expected
        assert "  " not in found.prompt.text
        named = [found.prompt.text[start:end] for start, end in found.prompt.subject_spans]
        if name == "deleted":
            assert named == []
        elif name != "original":
            assert {one.lower() for one in named} <= {"person", "people", "woman", "women"}
            assert len(named) == len(given.subject_spans)


def test_hiding_leaves_the_text_and_names_the_places() -> None:
    found = perturb(prompt("The nurse said that", "nurse"), "hidden")
    assert (found.prompt.text, found.hidden) == ("The nurse said that", ((4, 9),))


def test_a_prompt_without_a_subject_says_so() -> None:
    assert perturb(prompt("It was said that", "nurse"), "person").unscored == NO_SUBJECT
    assert perturb(prompt("It was said that", "nurse"), "original").unscored is None


def test_all_prompts_under_all_perturbations_and_the_defaults_once() -> None:
    given = [prompt("The nurse said that", "nurse"), prompt("The cook said that", "cook", "2")]
    found = perturb_all(given, ["original", "person", "start", "openers"])
    assert len(found) == 2 * 2 + 1 + len(OPENERS)
    assert [one.prompt.text for one in found if one.perturbation == "start"] == [""]
    assert len({(one.perturbation, one.prompt.id) for one in found}) == len(found)
    with pytest.raises(UnknownName, match="did you mean `person`"):
        perturb_all(given, ["persn"])


def test_openers_name_nobody() -> None:
    from tiltmeter.english import gender

    assert len(set(OPENERS)) == len(OPENERS) >= 20
    assert all(gender(opener) is None for opener in OPENERS)


def test_word_sets_are_read_from_options_and_files(tmp_path: Path) -> None:
    assert word_sets.parse(["a=x, y", "b=z"]) == (("a", ("x", "y")), ("b", ("z",)))
    (tmp_path / "w.toml").write_text('kin = ["mother", "father"]\nwork = ["boss"]\n', encoding="utf-8")
    (tmp_path / "w.csv").write_text("group,word\nkin,mother\nkin,father\nwork,boss\n", encoding="utf-8")
    assert word_sets.read(tmp_path / "w.toml") == word_sets.read(tmp_path / "w.csv")
    for given, problem in (
        (["a=x"], "at least two groups"),
        (["a=x", "b=x"], "belongs to both a and b"),
        (["a=x", "a=y"], "given twice"),
        (["a=", "b=y"], "write GROUP=word,word"),
    ):
        with pytest.raises(UserError, match=problem):
            word_sets.parse(given)
    (tmp_path / "bad.toml").write_text("kin = 1\n", encoding="utf-8")
    with pytest.raises(InvalidData, match="must be a list of words"):
        word_sets.read(tmp_path / "bad.toml")


def test_a_table_of_prompts_says_where_the_subject_stands(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(
        "id,text,profession,template,subject_start,subject_end\n"
        "1,The nurse said that ,nurse,said,4,9\n"
        "2,Those who cook said that,cook,said,,\n"
        "3, ,cook,said,,\n",
        encoding="utf-8",
    )
    made, dropped = open_prompts_file.read(path, WORDS)
    assert [(one.text, one.origin, one.template, one.subject_spans) for one in made] == [
        ("The nurse said that", "nurse", "said", ((4, 9),)),
        ("Those who cook said that", "cook", "said", ((10, 14),)),
    ]
    assert [one.reason for one in dropped] == ["line 4: nothing under `text`"]
    lines = [{"sentence": "A nurse ran", "who": "nurse"}, {"sentence": "A cook ran", "who": "cook"}]
    (tmp_path / "p.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    columns = open_prompts_file.OpenColumns(text="sentence", subject="who")
    made, _ = open_prompts_file.read(tmp_path / "p.jsonl", WORDS, columns)
    assert [(one.origin, one.subject_spans) for one in made] == [("row 1", ((2, 7),)), ("row 2", ((2, 6),))]


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("words\nx\n", "no column `text`"),
        ("text,subject\nThe nurse,cook\n", "is not in the text"),
        ("text,subject_start,subject_end\nThe nurse,4,99\n", "not a range of characters"),
        ("id,text\n1,a\n1,b\n", "is used more than once"),
    ],
)
def test_a_table_that_is_wrong_is_refused_in_one_sentence(table: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(InvalidData, match=problem):
        open_prompts_file.read(path, WORDS)


def test_prompts_in_many_structures_have_the_structure_for_a_template(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("text,origin,structure\nIt was the nurse who,was,cleft-it\n", encoding="utf-8")
    [prompt], _ = open_prompts_file.read(path, WORDS)
    assert (prompt.origin, prompt.template) == ("was", "cleft-it")
