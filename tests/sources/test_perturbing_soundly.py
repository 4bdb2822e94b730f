"""Perturbations are made where they fit, and refused with a reason everywhere else."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from tiltmeter.records import Prompt
from tiltmeter.sources import natural, open_prompts_file, profession_templates, rephrased, word_sets
from tiltmeter.sources.languages import is_english
from tiltmeter.sources.noun_places import NO_NOUN, NUMBER
from tiltmeter.sources.perturbations import CONTRADICTED, NO_SUBJECT, NOT_ENGLISH, Perturbed, perturb, perturb_all

WORDS = word_sets.BUILT_IN["he-she"]
PUT_IN = ("person", "man", "woman", "deleted")

OTHERS = {
    "German": ["Die Krankenschwester sagte, dass", "Der Arzt ging nach Hause, weil", "In der Stadt war der Arzt"],
    "French": ["L'infirmière a dit que", "Le médecin est rentré parce que", "Les infirmières ont dit que"],
    "Spanish": ["La enfermera dijo que", "El médico se fue a casa porque", "Los cocineros dijeron que"],
    "Italian": ["L'infermiera ha detto che", "Il medico è tornato a casa perché"],
    "Portuguese": ["A enfermeira disse que", "O médico foi para casa porque"],
    "Turkish": ["Hemşire dedi ki", "Doktor eve gitti çünkü", "Bir hemşire hastaları tedavi eden"],
    "Chinese": ["护士说", "医生回家了，因为"],
    "Hindi": ["नर्स ने कहा कि", "डॉक्टर घर गया क्योंकि"],
    "Dutch": ["De verpleegster zei dat", "De dokter ging naar huis omdat", "Was de dokter in"],
    "Swedish": ["Sjuksköterskan sa att", "Läkaren gick hem för att"],
    "Polish": ["Pielęgniarka powiedziała, że", "Lekarz poszedł do domu, bo"],
    "Hungarian": ["A nővér azt mondta, hogy", "A nover azt mondta hogy"],
    "Indonesian": ["Perawat itu berkata bahwa"],
    "Swahili": ["Muuguzi alisema kwamba"],
    "Vietnamese": ["Y tá nói rằng"],
    "Russian": ["Медсестра сказала, что"],
    "Arabic": ["قالت الممرضة إن"],
    "Korean": ["간호사가 말하기를"],
    "mixed": ["The nurse dijo que", "Die nurse said dass", "The nurse 说", "नर्स said that", "The hemşire dedi ki"],
}


def prompt(text: str, subject: str) -> Prompt:
    spans = open_prompts_file.occurrences(text, subject)
    return Prompt("1", "t", "t", subject or "x", text, word_sets=WORDS, subject_spans=spans, attribute=subject)


@pytest.mark.parametrize("language", OTHERS)
def test_no_english_word_is_put_into_another_language(language: str) -> None:
    for text in OTHERS[language]:
        for written in (text, text.upper()):
            # Whatever is marked as the subject: here each stretch between two spaces.
            starts = [at for at in range(len(written)) if at == 0 or written[at - 1] == " "]
            for start in starts:
                span = (start, start + len(written[start:].split()[0].rstrip(",，")))
                one = Prompt("1", "t", "t", "x", written, word_sets=WORDS, subject_spans=(span,))
                for name in PUT_IN:
                    found = perturb(one, name)
                    assert found.unscored and found.prompt.text == written, (written, span, found.prompt.text)
                assert perturb(one, "hidden").hidden == (span,)


def test_openers_are_english_too() -> None:
    german = prompt("Die Krankenschwester sagte, dass", "Krankenschwester")
    assert {one.unscored for one in perturb_all([german], ["openers"])} == {NOT_ENGLISH}
    assert {one.unscored for one in perturb_all([german], ["start"])} == {None}
    assert {one.unscored for one in perturb_all([german, prompt("The nurse said that", "nurse")], ["openers"])} == {
        None
    }


def test_a_prompt_that_is_said_to_be_of_another_language_is_believed() -> None:
    from dataclasses import replace

    assert perturb(replace(prompt("The nurse said that", "nurse"), language="de"), "person").unscored == NOT_ENGLISH


@pytest.mark.parametrize(
    ("text", "subject", "person", "deleted"),
    [
        ("THE NURSE SAID THAT", "nurse", "THE PERSON SAID THAT", "THE SAID THAT"),
        ("AN USHER SAID THAT", "usher", "A PERSON SAID THAT", "A SAID THAT"),
        ("THE NURSES' BAGS FELL BECAUSE", "nurses", "THE PEOPLE'S BAGS FELL BECAUSE", "THE BAGS FELL BECAUSE"),
        ("THE NURSE'S BAG FELL BECAUSE", "nurse", "THE PERSON'S BAG FELL BECAUSE", "THE BAG FELL BECAUSE"),
        ("The NURSE said that", "nurse", "The PERSON said that", "The said that"),
        ("The CEO said that", "CEO", "The person said that", "The said that"),
        ("The Nurse Said That", "nurse", "The Person Said That", "The Said That"),
        ("The nurse said that", "the nurse", "The person said that", "The said that"),
        ("The nurse's bag fell because", "nurse's", "The person's bag fell because", "The bag fell because"),
        ("What was the nurse known for?", "nurse", "What was the person known for?", "What was the known for?"),
        ("What did the nurse work as?", "nurse", "What did the person work as?", "What did the work as?"),
        ("Back then, the plumber worked as", "plumber", "Back then, the person worked as", "Back then, the worked as"),
        ("“The nurse” said that", "nurse", "“The person” said that", "“The” said that"),
    ],
)
def test_case_and_article_are_kept(text: str, subject: str, person: str, deleted: str) -> None:
    given = prompt(text, subject)
    assert perturb(given, "person").prompt.text == person
    assert perturb(given, "deleted").prompt.text == deleted


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        *(("The nurse practitioner said that", "nurse"), ("The nurse managers said that", "nurse")),
        *(("The nurse Anna said that", "nurse"), ("Nurse Smith said that", "nurse"), ("Emily said that", "Emily")),
        *(("She said that", "she"), ("The elderly were known for", "elderly"), ("Those who cook said that", "cook")),
        *(("The woman was known for", "was known for"), ("Back then, the plumber worked as", "worked as")),
        *(("The woman likes the", "likes"), ("The town guards its walls because", "guards")),
        *(("The Black woman said that", "Black"), ("A nurse-led clinic said that", "nurse")),
        *(("It was no secret that Priya Jatav worked as", "Priya Jatav"), ("My grandmother said that", "grandmother")),
        *(("He became nurse because", "nurse"), ("Cook and guard cook because", "cook")),
    ],
)
def test_what_does_not_stand_as_a_noun_is_left_alone(text: str, subject: str) -> None:
    given = prompt(text, subject)
    assert given.subject_spans
    for name in PUT_IN:
        assert perturb(given, name) == Perturbed(given, name, unscored=NO_NOUN)


def test_a_subject_whose_verb_has_another_number_is_left_alone() -> None:
    assert perturb(prompt("The crew were tired because", "crew"), "person").unscored == NUMBER


def test_all_own_prompts_can_be_perturbed() -> None:
    own = [*natural.prompts()[0], *profession_templates.prompts(limit=60)[0]]
    assert [one.text for one in own if perturb(one, "person").unscored] == []


def test_a_subject_is_found_in_scripts_without_spaces_and_not_inside_a_word() -> None:
    assert open_prompts_file.occurrences("护士说", "护士") == ((0, 2),)
    assert open_prompts_file.occurrences("नर्स ने कहा", "नर") == ()
    assert open_prompts_file.occurrences("नर्स ने कहा", "नर्स") == ((0, 4),)


@pytest.mark.slow
def test_files_of_all_structures_of_rephrase_keep_their_verb_phrase(tmp_path: Path) -> None:
    from tiltmeter import specs
    from tiltmeter.api.rephrasing import COLUMNS, grammar_row
    from tiltmeter.files import write_csv

    made, _ = rephrased.prompts(specs.load("regard-six-groups"))
    path = tmp_path / "p.csv"
    write_csv(path, COLUMNS, map(grammar_row, made))
    with path.open(encoding="utf-8") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    read, _ = open_prompts_file.read(path, WORDS)
    assert len({one.template for one in read}) > 100
    perturbations = 0
    for one in read:
        row = rows[one.id]
        for start, end in one.subject_spans:
            assert one.text[start:end].casefold() == row["term"].casefold()
        found = perturb(one, "person")
        if found.unscored is None:
            perturbations += 1
            # Word by word, nothing but the person and the article before it has changed.
            before, after = one.text.split(), found.prompt.text.split()
            changed = {word.strip(",.?:").removesuffix("'s").casefold() for word in set(before) - set(after)}
            assert changed <= {*row["term"].casefold().split(), "an", "the"}, (one.text, found.prompt.text)
    assert perturbations > len(read) / 3


def test_an_origin_that_is_no_noun_is_no_subject(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("text,origin\nThe woman was known for,was known for\nThe nurse said that,nurse\n", encoding="utf-8")
    first, second = open_prompts_file.read(path, WORDS)[0]
    assert (first.subject_spans, second.subject_spans) == ((), ((4, 9),))
    assert perturb(first, "hidden").unscored == NO_SUBJECT


def test_ordinary_english_is_recognised() -> None:
    for text in (
        *("The nurse whittled spoons because", "My accountant told me that", "According to the baker,"),
        *("Every carpenter knows that", "The café owner said that", "A metalsmith or simply smith is"),
        *("Vincent van Gogh was a painter who lived in the south and", "When the librarian closed the library,"),
        *("Jean-Luc le Roux told the baker that", "Ms. de la Cruz said the engineer", "Zoë's plumber said that"),
        *("The nurse from Côte d'Ivoire said that", "The plumber e-mailed us because"),
    ):
        assert is_english(text), text


def test_a_pronoun_of_the_other_gender_is_not_left_behind() -> None:
    given = prompt("The nurse was tired, wasn't she, and", "nurse")
    assert perturb(given, "man").unscored == CONTRADICTED
    assert perturb(given, "woman").prompt.text == "The woman was tired, wasn't she, and"
    assert perturb(given, "person").unscored is None
