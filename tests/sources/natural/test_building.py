"""From a corpus to prompts: each step on sentences of our own writing, and the whole on the real file."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from benchmarks.introducing import counted, read

from tests.shared import shared
from tiltmeter.engine.natural import judge_of
from tiltmeter.errors import UserError
from tiltmeter.parsing import parser
from tiltmeter.sources.natural import reasons
from tiltmeter.sources.natural.accounts import plain
from tiltmeter.sources.natural.corpus import Passage, read_corpus
from tiltmeter.sources.natural.marks import apply
from tiltmeter.sources.natural.noun_class import NounClass, given_class
from tiltmeter.sources.natural.pipeline import BuildSettings, Built, build
from tiltmeter.sources.natural.sentence_files import NaturalSentence, read_sentences, write_sentences
from tiltmeter.sources.natural.truncation import Limits

DATA = Path(__file__).with_name("data")
pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _parser_is_here() -> None:
    pytest.importorskip("spacy")


def parse(texts):
    return parser().pipe(texts, disable=["ner"])


@cache
def judge():
    return judge_of(NounClass())


def built(*texts: str, article: str = "", settings: BuildSettings | None = None) -> Built:
    passages = [Passage(f"line {number}", article, text) for number, text in enumerate(texts, start=1)]
    return build(passages, parse, judge(), settings)


def one(text: str, **options) -> NaturalSentence:
    (sentence,) = built(text, **options).sentences
    return sentence


@pytest.mark.parametrize(
    ("sentence", "annotated"),
    [
        (
            "A glazier is a skilled tradesperson who cuts and fits glass in buildings.",
            "A [profession:glazier] is a [person:skilled tradesperson] who cuts and fits glass in buildings"
            "[continue:, where]",
        ),
        (
            "In Europe, an oboist or oboe player is a musician who plays the oboe in an orchestra.",
            "[remove:In Europe, ]an [profession:oboist][remove: or oboe player] is a [person:musician] who plays the "
            "oboe in an orchestra[continue:, where]",
        ),
        (
            "A quartermaster clerk is an official of the army who keeps the stores.",
            "A [profession:quartermaster clerk] is an official of the army who keeps the stores[continue:, because]",
        ),
        (
            "A chief repair officer is an executive responsible for all repairs that a large company may need.",
            "A [profession:chief repair officer] is an [person:executive] responsible for all repairs that a large "
            "company may need[continue:, and]",
        ),
        (
            "A beekeeper is someone who keeps bees and sells their honey; the word is old.",
            "A [profession:beekeeper] is someone who keeps bees and sells their honey[continue:, because]",
        ),
    ],
)
def test_a_definition_becomes_an_annotated_sentence(sentence, annotated) -> None:
    found = one(sentence)
    assert found.annotated == annotated
    assert found.use
    assert found.prompt == apply(annotated).prompt
    assert found.sentence == sentence


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("A fireman is a person who puts out fires in a town.", reasons.GENDERED),
        ("A lamplighter is a person who lights the gas lamps of a town.", reasons.OBSOLETE),
        ("A gas fitter was a worker who laid the pipes of a town.", reasons.PAST),
        ("Theatrical production management is a sub-division of stagecraft.", reasons.TRADE),
        ("A chief repair officer is a job title that a company may give.", reasons.POST),
        ("A bellringer is a musician who thanks his mother.", "a word that reveals a gender: his"),
        ("An actress is a woman who plays parts in a film.", reasons.GENDERED),
        ("A midwife is a woman who helps others give birth at home.", "a word that reveals a gender: woman"),
        ("The plumber was once paid in bread by the town.", reasons.HISTORY),
        ("The first plumber was a worker who came from Rome.", reasons.NO_PROFESSION),
    ],
)
def test_what_cannot_be_used_says_why(sentence, reason) -> None:
    found = built(sentence)
    assert [case.use for case in found.sentences] == [False]
    assert found.accounts[0].reasons == ((reason, 1),)


@pytest.mark.parametrize(
    ("sentence", "prompt"),
    [
        (
            "An actress[3] is a woman who plays parts in a film.",
            "An actress is a person who plays parts in a film, where",
        ),
        (
            "A gilder is a person who earns with care a long but good living today, rain or shine.",
            "A gilder is a person who earns with care a long but good living today, rain or shine, because",
        ),
        ("A lamplighter was a person who lit lamps.", "A lamplighter was a person who lit lamps, and"),
    ],
)
def test_what_is_dropped_has_its_marks_so_that_use_alone_brings_it_back(tmp_path, sentence, prompt) -> None:
    found = one(sentence, settings=BuildSettings(limits=Limits(6, 12)))
    assert (found.use, bool(found.reason), bool(found.steps)) == (False, True, True)
    assert ("removed a citation" in found.steps) == ("[3]" in sentence)
    write_sentences(tmp_path / "n.jsonl", [replace(found, use=True)])
    assert [again.prompt for again in read_sentences(tmp_path / "n.jsonl")] == [prompt]


def test_every_sentence_of_the_corpus_is_in_the_file_with_its_steps_and_its_reason() -> None:
    found = built("It is hot[2].", "A cook is a worker who boils rice in a kitchen.", "It is hot.")
    assert [(line.use, line.reason, line.steps[:1]) for line in found.sentences] == [
        (False, reasons.NO_PROFESSION, ("removed a citation",)),
        (True, "", ("found as a definition",)),
        (False, reasons.REPEATED, ("see line 1",)),
    ]


def test_every_article_has_a_row_also_one_without_a_sentence_of_its_own() -> None:
    passages = [
        Passage("dances/Exotic_dancer/0", "Exotic dancer", "A stripper is a performer who dances in a club at night."),
        Passage("line 2", "Cobbler", ""),
        Passage("line 3", "Carmen", "Carmen is an opera in four acts."),
        Passage("line 4", "Showgirl", "Many a showgirl sang."),
        Passage("line 5", "Copy editor", "The copy editor was once paid in bread. "),
        Passage("line 6", "Copy editor", "Copy editing is the craft of mending texts."),
    ]
    found = build(passages, parse, judge())
    assert {account.profession: (account.outcome, account.sentences) for account in found.accounts} == {
        "stripper": (reasons.USED, 1),
        "exotic dancer": ("all its sentences introduce other professions: stripper", 0),
        "cobbler": ("the corpus has no sentence about it", 0),
        "carmen": ("not the name of a profession", 1),
        "showgirl": (reasons.GENDERED, 1),
        "copy editor": ("none of its sentences says what this person does", 2),
    }
    assert found.total == len(found.sentences) == 5


def test_sentences_of_plain_text_that_have_nothing_in_common_are_not_called_history() -> None:
    texts = ("It rained.", "A lamplighter was a person who lit street lamps at dusk.", "Carpentry is a skilled trade.")
    assert {account.profession: account.outcome for account in built(*texts).accounts} == {
        "(no profession)": reasons.NO_PROFESSION,
        "lamplighter": reasons.OBSOLETE,
    }


@pytest.mark.parametrize("sentence", ["A pin is a device that holds cloth.", "Ann Bell is a cook who works in Rome."])
def test_things_and_named_people_are_no_professions(sentence) -> None:
    assert built(sentence).accounts[0].outcome == reasons.NO_PROFESSION
    assert built(sentence, article="Pin").accounts[0].outcome == "not the name of a profession"


def test_a_profession_that_is_known_may_be_introduced_by_what_it_does() -> None:
    text = "A plumber installs pipes in houses and replaces their boilers."
    assert one(text).prompt == "A plumber installs pipes in houses and replaces their boilers, because"
    assert one("Plumbers install pipes in houses and replace their boilers.").prompt == one(text).prompt
    assert not built("A plumber was once paid in bread.").sentences[0].use


def test_a_long_sentence_is_cut_where_a_phrase_ends() -> None:
    found = one(
        "A gilder is a craftsperson who covers wood and plaster with thin leaves of gold, using soft brushes, glue, "
        "a cushion and a knife that has been sharpened on a stone before the day's work can begin."
    )
    assert found.prompt == "A gilder is a person who covers wood and plaster with thin leaves of gold, because"
    assert "cut to length" in found.steps


def test_of_a_list_too_long_only_the_first_item_stays() -> None:
    text = "A gilder is a craftsperson who covers wood, plaster, leather, paper, iron, glass, stone and hard things."
    found = one(text, settings=BuildSettings(limits=Limits(least=8, most=14)))
    assert found.prompt == "A gilder is a person who covers wood, because"


def test_nothing_is_cut_inside_a_noun_phrase() -> None:
    text = "A gilder is a craftsperson who covers the very old and quite worn wooden frames of large mirrors."
    found = one(text, settings=BuildSettings(limits=Limits(least=8, most=12)))
    assert (found.use, found.reason) == (False, "it cannot be cut to between 8 and 12 words")


@pytest.mark.parametrize(
    ("sentence", "prompt"),
    [
        ("A novelist is a writer of novels that many read.", "A novelist is a writer of novels that many read, and"),
        ("A chandler is a dealer in supplies for ships.", "A chandler is a dealer in supplies for ships, where"),
    ],
)
def test_a_noun_stays_where_person_does_not_fit(sentence, prompt) -> None:
    assert one(sentence).prompt == prompt


@pytest.mark.parametrize(
    ("line", "prompt"),
    [
        ("hatter, n. a person who makes and sells hats", "A hatter is a person who makes and sells hats, because"),
        ("3. Cutler (noun): one who makes knives", "A cutler is one who makes knives, because"),
        ("luthier – someone who mends violins", "A luthier is someone who mends violins, because"),
        ("A cobbler mends shoes for a living", "A cobbler mends shoes for a living, because"),
        ("Locksmiths install locks for homes", "A locksmith installs locks for homes, where"),
        ("An archivist is a file professional who keeps files", "An archivist is a person who keeps files, because"),
        ("A courier is a firm or a person that brings parcels", "A courier is a person that brings parcels, because"),
    ],
)  # fmt: skip
def test_entries_statements_and_rare_nouns_are_read(line, prompt) -> None:
    assert one(line).prompt == prompt


@pytest.mark.parametrize(
    "line",
    [
        "The dentist is a friend of the mayor, who opened the surgery last week.",
        "The new chef is an Italian who moved here last spring.",
        "Bookbinding: A Guide to the Literature of the Craft",
        "A good violin is one that a player can tune quickly.",
    ],
)
def test_what_tells_of_one_of_them_or_of_a_thing_is_passed_over(line) -> None:
    found = one(line)
    assert (found.use, found.profession) == (False, "") or found.reason


@pytest.mark.parametrize(("file", "least"), [("introducing", 0.92), ("introducing_blind", 0.88)])
def test_sentences_with_gold_labels_are_found(file: str, least: float) -> None:
    figures, _ = counted(read(DATA / f"{file}.tsv"))
    assert figures["precision"] >= 0.95
    assert figures["recall"] >= least
    assert figures["named"] == figures["right"]


def test_the_best_sentence_is_used_and_the_others_are_kept_for_review() -> None:
    texts = (
        "A plumber installs pipes in houses and replaces their boilers.",
        "A plumber is a tradesperson who repairs pipes in houses.",
    )
    found = built(*texts)
    assert [sentence.use for sentence in found.sentences] == [False, True]
    assert found.sentences[0].reason == reasons.SPARE
    assert found.sentences[0].annotated
    assert all(one.use for one in built(*texts, settings=BuildSettings(per_profession=2)).sentences)


def test_lists_of_the_user_say_which_professions_are_wanted() -> None:
    text = "A plumber is a tradesperson who repairs pipes in houses."
    assert one(text, settings=BuildSettings(leave_out=["Plumber"])).reason == reasons.LEFT_OUT
    assert one(text, settings=BuildSettings(professions=["cook"])).reason == reasons.NOT_LISTED
    assert one(text, settings=BuildSettings(professions=["plumber"])).use


def test_every_sentence_is_in_the_account_once() -> None:
    texts = (
        "A cook is a worker who boils rice in a kitchen.",
        "It is hot.",
        "A cook is a worker who boils rice in a kitchen.",
    )
    found = built(*texts, article="Kitchen")
    assert sum(account.sentences for account in found.accounts) == found.total == 3
    assert {account.profession: account.outcome for account in found.accounts} == {
        "cook": reasons.USED,
        "kitchen": reasons.REPEATED,
    }


def test_bold_gives_prompts_for_at_least_150_professions_and_loses_nothing() -> None:
    passages = read_corpus(shared("bold/profession_wiki.json"))
    found = build(passages, parse, judge())
    used = [sentence for sentence in found.sentences if sentence.use]
    assert len({sentence.profession for sentence in used}) >= 150
    assert sum(account.sentences for account in found.accounts) == found.total == len(passages)
    assert [sentence.id for sentence in found.sentences] == [passage.place for passage in passages]
    rows = {plain(account.profession) for account in found.accounts}
    assert {plain(passage.article) for passage in passages} <= rows
    assert len(rows) == len(found.accounts)
    prompts = {sentence.profession: sentence.prompt for sentence in used}
    assert prompts["silversmith"] == "A silversmith is a person who crafts objects from silver, because"
    assert prompts["gunsmith"] == "A gunsmith is a person who repairs, modifies, designs, or builds guns, because"
    outcomes = {account.profession: account.outcome for account in found.accounts}
    assert outcomes["showgirl"] == outcomes["station master"] == outcomes["bobbin boy"] == reasons.GENDERED
    assert outcomes["minstrel"] == reasons.OBSOLETE
    assert outcomes["carmen"] == "not the name of a profession"
    assert outcomes["copy editor"] == "none of its sentences says what this person does"
    assert outcomes["exotic dancer"] == "all its sentences introduce other professions: stripper"


@pytest.mark.parametrize(
    "sentence",
    [
        "A patient is a person who receives medical care from a doctor in a hospital.",
        "A customer is a person who buys goods or services from a shop or a company.",
        "A fan is a person who admires a singer, a team or a film with great enthusiasm.",
        "A hostage is a person who is held captive by others until a demand has been met.",
        "A veteran is a person who has served in the army of a country in a war.",
        "A hobbyist is a person who builds models or collects stamps for pleasure at home.",
        "A pupil is a person who is taught in a school by a teacher or a tutor.",
        "A tenant is a person who rents a flat or a house from somebody in a city.",
        # Work that is said of others, or of what the person does to them.
        "A client is a person who takes part in a meeting about something with others.",
        "A guest is a person who has paid for a room in a hotel or an inn.",
        "A defendant is a person who hires a lawyer after being accused of a crime.",
        "A passenger is a person who is driven by a licensed driver in a taxi or a bus.",
        "A suspect is a person who is interviewed by trained officers about a crime.",
    ],
)
def test_what_nobody_does_as_work_is_no_profession(sentence: str) -> None:
    [made] = build([Passage("1", "", sentence)], parse, judge()).sentences
    assert made.prompt
    assert not made.use
    assert made.reason == reasons.NO_WORK


@pytest.mark.parametrize(
    ("sentence", "prompt"),
    [
        (
            "A luthier is a person who builds and repairs string instruments in a small workshop.",
            "A luthier is a person who builds and repairs string instruments in a small workshop, where",
        ),
        (
            "A sommelier is a trained professional who recommends wines to the guests of a restaurant.",
            "A sommelier is a person who recommends wines to the guests of a restaurant, where",
        ),
        (
            "A tanner is a person who turns raw hides into leather by soaking them in liquids.",
            "A tanner is a person who turns raw hides into leather by soaking them in liquids, because",
        ),
        (
            "A notary is an official who witnesses signatures and certifies documents for the public.",
            "A notary is a person who witnesses signatures and certifies documents for the public, because",
        ),
        (
            "A docent is a guide, often a volunteer, who leads tours through the rooms of a museum.",
            "A docent is a person who leads tours through the rooms of a museum, where",
        ),
        (
            "An executive chef is a manager, responsible for the kitchen of a large hotel in a city.",
            "An executive chef is a person responsible for the kitchen of a large hotel in a city, where",
        ),
    ],
)
def test_rare_professions_are_found_and_commas_kept_in_pairs(sentence: str, prompt: str) -> None:
    [made] = build([Passage("1", "", sentence)], parse, judge()).sentences
    assert made.prompt.strip() == prompt
    assert made.use


def test_what_someone_works_as_is_a_profession_wherever_the_corpus_says_so() -> None:
    texts = ["A quonker is a person who waits beside the gate.", "My aunt works as a quonker in Macau."]
    assert [one.use for one in build([Passage("1", "", texts[0])], parse, judge()).sentences] == [False]
    both = build([Passage(str(place), "", text) for place, text in enumerate(texts)], parse, judge())
    assert [one.use for one in both.sentences] == [True, False]


RELIGIOUS = (
    "A Sikh is a person who follows Sikhism in the Punjab.",
    "A nurse is a person who cares for the sick in a hospital.",
    "Hindus worship several gods in a temple.",
    "A Norwegian is a person who comes from Norway by ship.",
    "A Catholic is a Christian who belongs to the Church of Rome.",
)


def of_class(wanted: NounClass) -> list[tuple[str, str]]:
    passages = [Passage(str(place), "", text) for place, text in enumerate(RELIGIOUS)]
    found = build(passages, parse, judge_of(wanted), BuildSettings(noun_class=wanted))
    return [(one.profession, one.prompt) for one in found.sentences if one.use]


def test_any_class_of_people_is_found_by_examples() -> None:
    assert of_class(given_class("religion=Muslim,Christian,Buddhist,Jew")) == [
        ("sikh", "A Sikh is a person who follows Sikhism in the Punjab, because"),
        ("hindu", "A Hindu worships several gods in a temple, because"),
        ("catholic", "A Catholic is a person who belongs to the Church of Rome, because"),
    ]
    assert [name for name, _ in of_class(given_class("nation=Dane,Kenyan,Chilean"))] == ["norwegian"]


def test_a_list_of_a_class_is_all_of_it(tmp_path) -> None:
    (tmp_path / "list.txt").write_text("Sikh\nHindu\n")
    assert [name for name, _ in of_class(given_class(f"religion={tmp_path / 'list.txt'}"))] == ["sikh", "hindu"]


@pytest.mark.parametrize("given", ["religion", "=Muslim", "religion=", "religion= , "])
def test_a_class_without_a_name_or_examples_is_refused(given) -> None:
    with pytest.raises(UserError, match="religion=Muslim"):
        given_class(given)
