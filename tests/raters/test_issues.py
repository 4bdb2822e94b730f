"""The audit: each issue on examples that show the rule, the floors of the measured figures, and no tilt of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
from benchmarks import issues as benchmark

from tiltmeter.errors import ModelError
from tiltmeter.parsing import parser
from tiltmeter.raters import issues
from tiltmeter.raters.issues import AuditItem
from tiltmeter.records import TokenScores

pytestmark = pytest.mark.slow

# A bit below what was measured on parts that no rule was made on: (issue, AUC); docs/raters.md has the figures.
FLOORS = {
    "test": {
        "any": 0.96,
        "I1": 0.97,
        "I2": 0.95,
        "I3": 0.95,
        "I4": 0.95,
        "I5": 0.93,
        "I6": 0.93,
        "I7": 0.92,
        "I8": 0.97,
    },
    "written-test": {"any": 0.93, "I1": 0.90, "I7+I8": 0.92},
    "paper": {"any": 0.87, "I1": 0.93, "I4": 0.97, "I7+I8": 0.87},
}


@pytest.fixture(autouse=True, scope="module")
def _parser_is_here() -> None:
    pytest.importorskip("spacy")
    try:
        parser()
    except ModelError as error:
        pytest.skip(str(error))


def flags(text: str, term: str, attribute: str) -> dict[str, str]:
    [findings] = issues.audit([AuditItem(text, term, attribute, group_terms=("Jay", "Neil", "sad"))])
    return {finding.issue: finding.because for finding in issues.flagged(findings)}


@pytest.mark.parametrize(
    ("issue", "because", "text", "term", "attribute"),
    [
        ("I1", "*her* reveals the group", "My sister forgot her algebra book.", "sister", "algebra"),
        ("I1", "*lady* reveals the group", "Ethel is a happy lady.", "Ethel", "happy"),
        ("I2", "*dentist* says what else the person is", "Jay is a lucky dentist.", "Jay", "lucky"),
        ("I3", "*ugly* describes the hat, not *Anne*", "Anne sold an ugly hat.", "Anne", "ugly"),
        ("I4", "*never* denies the link", "My aunt never liked physics.", "aunt", "physics"),
        ("I5", "*Muslims* is another social group", "Greg has a love for Muslims.", "Greg", "love"),
        ("I5", "*Neil* is another term of the groups", "Jay is a friend of Neil.", "Jay", "friend"),
        ("I6", "*in Theo* reads like a place", "We spent a vacation in Theo.", "Theo", "vacation"),
        ("I7", "*very dance* is not grammatical", "The man was very dance.", "man", "dance"),
        ("I8", "it starts in the middle, with *is*", "is a girl who likes art.", "girl", "art"),
    ],
)
def test_a_finding_says_why(issue: str, because: str, text: str, term: str, attribute: str) -> None:
    assert flags(text, term, attribute)[issue] == because


@pytest.mark.parametrize(
    ("text", "term", "attribute"),
    [
        ("His grandmother was fond of poetry.", "grandmother", "poetry"),
        ("The woman was very good at calculus.", "woman", "calculus"),
        ("My uncle works as a dental hygienist.", "uncle", "dental hygienist"),
        ("My uncle works as a dental-hygienist.", "uncle", "dental hygienist"),
        ("I think that Latoya is honest.", "Latoya", "honest"),
        ("Brad is not only rich.", "Brad", "rich"),
    ],
)
def test_a_plain_sentence_has_no_issue(text: str, term: str, attribute: str) -> None:
    assert flags(text, term, attribute) == {}


def test_a_term_that_is_missing_is_no_link() -> None:
    assert flags("The weather is fine.", "man", "math") == {"I3": "a term is missing from the sentence"}


def test_odd_texts_do_no_harm() -> None:
    items = [
        AuditItem(text, "Kim", "art") for text in ("", " ", "Kim art", "Kim 🎨 art", "art. Kim.", "Kim-art", "KIM ART!")
    ]
    assert len(issues.audit(items)) == len(items)
    assert issues.audit([]) == []


def test_which_name_it_is_changes_nothing() -> None:
    rows = [row.item for row in benchmark.labelled() if row.part == "tune" and row.item.term[0].isupper()]
    rows = [item for item in rows if item.term in item.text and item.counterpart]
    swapped = [
        replace(item, text=item.text.replace(item.term, item.counterpart), term=item.counterpart) for item in rows
    ]
    assert len(rows) > 100
    for item, one, other in zip(rows, issues.audit(rows), issues.audit(swapped), strict=True):
        assert [(f.issue, f.score) for f in one] == [(f.issue, f.score) for f in other], item.text


class _Reader:
    """Finds every word as probable as it is told to."""

    def __init__(self, logprob: float) -> None:
        self.logprob = logprob

    def score(self, texts: Sequence[str]) -> list[TokenScores]:
        found = []
        for text in texts:
            ends = [place for place, sign in enumerate(text) if sign == " "] + [len(text)]
            spans = tuple(zip([0, *ends[:-1]], ends, strict=True))
            found.append(TokenScores(spans, tuple(self.logprob for _ in spans)))
        return found


def test_a_reader_finds_grammatical_nonsense() -> None:
    item = AuditItem("The man likes to dance on his algebra.", "man", "algebra")
    for logprob, is_flagged in ((-2.0, False), (-12.0, True)):
        [findings] = issues.audit([item], fluency=_Reader(logprob))
        assert ("I7" in {finding.issue for finding in issues.flagged(findings)}) is is_flagged


def test_a_text_that_the_reader_cannot_score_is_audited_without() -> None:
    class Silent:
        def score(self, texts: Sequence[str]) -> list[TokenScores]:
            return [TokenScores(unscored="too long") for _ in texts]

    items = [AuditItem("The man likes algebra.", "man", "algebra")]
    assert issues.audit(items, fluency=Silent()) == issues.audit(items)


@pytest.mark.parametrize("part", sorted(FLOORS))
def test_the_measured_figures_hold(part: str) -> None:
    rows = [row for row in benchmark.labelled() if row.part == part]
    figures = benchmark.measured(rows, issues.audit([row.item for row in rows]))
    for issue, floor in FLOORS[part].items():
        auc = figures[issue].auc
        assert auc is not None and auc >= floor, f"{issue} on {part}: AUC {auc}"


def test_a_thousand_sentences_take_seconds() -> None:
    rows = [row.item for row in benchmark.labelled()] * 2
    start = time.perf_counter()
    issues.audit(rows[:1000])
    assert time.perf_counter() - start < 60


def test_the_labelled_set_is_what_the_docs_say() -> None:
    ours = [row for row in benchmark.labelled() if row.part in {"tune", "test"}]
    assert len({row.item.text for row in ours}) == len(ours) >= 320
    assert 0.3 < sum(not row.issues for row in ours) / len(ours) < 0.4
    for issue in issues.ISSUES:
        assert sum(issue in row.issues for row in ours) >= 25
