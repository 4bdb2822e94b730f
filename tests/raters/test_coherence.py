"""I7, what reads badly: what each rule finds, what it must leave alone, how sure it is, and that it has no gender."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from benchmarks import issues as benchmark

from tests.shared import shared
from tiltmeter.errors import ModelError
from tiltmeter.parsing import parser
from tiltmeter.raters import issues
from tiltmeter.raters.issues import AuditItem, Finding
from tiltmeter.raters.issues.words import GENDER, PRONOUNS

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _parser_is_here() -> None:
    pytest.importorskip("spacy")
    try:
        parser()
    except ModelError as error:
        pytest.skip(str(error))


def incoherent(text: str, term: str, attribute: str) -> Finding:
    [findings] = issues.audit([AuditItem(text, term, attribute)])
    return next((finding for finding in findings if finding.issue == "I7"), Finding("I7", "", 0.0))


@pytest.mark.parametrize(
    ("because", "text", "term", "attribute"),
    [
        ("*a math*: it is not counted", "A woman takes a math to a passenger.", "woman", "math"),
        ("*Brother* lacks an article", "Brother read the novel.", "brother", "novel"),
        ("*plumber* lacks an article", "The uncle works as plumber.", "uncle", "plumber"),
        ("*Him wrote*: *him* is no form of a subject", "Him wrote poetry on the window.", "him", "poetry"),
        ("*by she*: the form of a subject after *by*", "The novel was written by she.", "she", "novel"),
        (
            "*homework hers*: hers does not follow a noun without *of*",
            "I saw the algebra homework hers.",
            "hers",
            "algebra",
        ),
        ("*literature of him*: whose it is goes before", "He reads the literature of him.", "him", "literature"),
        ("*degree in him*: nobody is a field of study", "They gave a literature degree in him.", "him", "literature"),
        ("*woman* is a person, not *math*", "A woman is math.", "woman", "math"),
        ("*son* is a person, not *a symphony orchestra*", "The son was a symphony orchestra.", "son", "symphony"),
        (
            "*son of a symphony orchestra*: a thing has no son",
            "The son of a symphony orchestra left.",
            "son",
            "symphony",
        ),
        ("*art* is no place", "His art is a beautiful place.", "his", "art"),
        ("*noble and noble* says the same twice", "In the novel the brother was noble and noble.", "brother", "novel"),
        ("*She like* does not agree", "She like poetry very much.", "she", "poetry"),
        ("*can plays* is not grammatical", "The boy can plays the symphony.", "boy", "symphony"),
        ("*stage is big* is joined by nothing", "The girl is a dancer the stage is big.", "girl", "dancer"),
        ("*night* is past, *reading* is not", "The man is reading poetry last night.", "man", "poetry"),
    ],
)
def test_what_reads_badly_is_flagged_with_a_reason(because: str, text: str, term: str, attribute: str) -> None:
    finding = incoherent(text, term, attribute)
    assert issues.flagged([finding])
    assert finding.because == because


@pytest.mark.parametrize(
    ("text", "term", "attribute"),
    [
        ("The woman's calculus homework was a nightmare.", "woman", "calculus"),
        ("He is an expert in calculus.", "he", "calculus"),
        ("That math book is hers.", "hers", "math"),
        ("Her poetry inspired me.", "her", "poetry"),
        ("She wants to become a numbers person.", "she", "numbers"),
        ("A sculpture of hers is made of wood.", "hers", "sculpture"),
        ("It was him in the sculpture.", "him", "sculpture"),
        ("Man has always looked for numbers.", "man", "numbers"),
        ("He loves dancing in the dance hall.", "he", "dance"),
        ("Mother says that physics is beautiful.", "mother", "physics"),
        ("She is a math enthusiast.", "she", "math"),
        ("The brother and sister wrote a novel.", "brother", "novel"),
        ("The judge allowed her to finish the novel.", "her", "novel"),
        ("We gave her a book of poetry.", "her", "poetry"),
        ("This is the novel she wrote.", "she", "novel"),
        ("The teacher suggested that he take calculus.", "he", "calculus"),
        ("A group of women are studying algebra.", "women", "algebra"),
        ("Physics is what my aunt likes best.", "aunt", "physics"),
        ("The dance was her favorite.", "her", "dance"),
    ],
)
def test_natural_english_is_left_alone(text: str, term: str, attribute: str) -> None:
    assert not issues.flagged([incoherent(text, term, attribute)])


def test_the_score_says_how_sure_it_is() -> None:
    definite = incoherent("A woman is math.", "woman", "math")
    likely = incoherent("Brother read the novel.", "brother", "novel")
    doubtful = incoherent("The sculpture of hers is made of marble.", "hers", "sculpture")
    fine = incoherent("A sculpture of hers is made of wood.", "hers", "sculpture")
    assert definite.score >= 0.8 > likely.score >= 0.5 > doubtful.score > fine.score == 0


def test_hardly_any_natural_sentence_is_called_unusable() -> None:
    lines = shared("winogender/all_sentences.tsv").read_text(encoding="utf-8").splitlines()[1:]
    items = []
    for name, text in (line.split("\t") for line in lines):
        occupation, participant = name.split(".")[:2]
        items.append(AuditItem(text, occupation, participant if participant in text else "someone"))
    found = issues.audit(items)
    assert len(items) == 720
    assert sum(bool(_unusable(findings)) for findings in found) / len(items) < 0.02


def test_women_and_men_are_read_alike() -> None:
    nouns = set(GENDER) - set(PRONOUNS)
    rows = [row.item for row in benchmark.labelled() if row.part == "tune" and row.item.term in nouns]
    rows = [item for item in rows if item.counterpart and not re.search(rf"\b{item.term}s\b", item.text, re.IGNORECASE)]
    swapped = [replace(item, text=_swap(item), term=item.counterpart) for item in rows]
    assert len(rows) > 80
    for item, one, other in zip(rows, issues.audit(rows), issues.audit(swapped), strict=True):
        assert _unusable(one) == _unusable(other), item.text


def _swap(item: AuditItem) -> str:
    small = re.sub(rf"\b{item.term}\b", item.counterpart, item.text)
    return re.sub(rf"\b{item.term.capitalize()}\b", item.counterpart.capitalize(), small)


def _unusable(findings: tuple[Finding, ...]) -> set[str]:
    return {finding.issue for finding in issues.flagged(findings)} & {"I7", "I8"}
