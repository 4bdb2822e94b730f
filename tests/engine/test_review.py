"""The second look at written sentences: both texts of a pair count, and the attribute decides nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from tiltmeter.engine.executor import Executor
from tiltmeter.engine.review import Auditor, differences_of_context, least_expected
from tiltmeter.models import ModelSettings
from tiltmeter.raters.issues import ISSUES, Finding
from tiltmeter.records import AttributeSet, Group, ModelFacts, Spec, TokenScores, Written
from tiltmeter.sources.generated import pairs

SPEC = Spec(
    "bodies",
    "Bodies",
    (Group("a", ("amputee", "blind man")), Group("b", ("athlete", "sighted man"))),
    (AttributeSet("strong", ("strong", "weak"), ("b",)),),
    templates=("The [T] is [A]",),
    compare=(("a", "b"),),
)


class Reader:
    """Expects every word alike, but for those that it is told of: by a word of the text, and the word itself."""

    facts = ModelFacts("reader", "causal")

    def __init__(self, odd: dict[tuple[str, str], float]) -> None:
        self.odd = odd

    def score(self, texts: Sequence[str], **_: object) -> list[TokenScores]:
        found = []
        for text in texts:
            words = [(match.span(), match[0]) for match in re.finditer(r"\w+", text)]
            values = tuple(
                next((value for (about, odd), value in self.odd.items() if about in text and odd == word), -1.0)
                for _, word in words
            )
            found.append(TokenScores(tuple(span for span, _ in words), values))
        return found


def written(text: str, attribute: str = "strong") -> Written:
    return Written("bodies/0/strong/strong/0.0", "bodies", text, "a", "amputee", attribute, "strong")


@pytest.fixture
def issues(monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, float]]:
    """What the audit finds, by a word of the text."""
    found: dict[str, dict[str, float]] = {}

    def audit(items, *, explain=True):
        scores = [
            {key: one for word, more in found.items() if word in item.text for key, one in more.items()}
            for item in items
        ]
        return [tuple(Finding(issue, "", one.get(issue, 0.0)) for issue in ISSUES) for one in scores]

    monkeypatch.setattr("tiltmeter.raters.issues.audit", audit)
    return found


def review(reader: Reader | None):
    return Auditor({"bodies": SPEC}, None, Executor(ModelSettings())).review(judge=True, otherwise=reader)


def test_the_words_around_are_compared_and_the_attribute_is_not() -> None:
    made = pairs([written("The amputee is strong with prosthetics.")], SPEC)[0]
    assert differences_of_context(Reader({("athlete", "strong"): -30.0}), made) == [0.0]
    assert differences_of_context(Reader({("athlete", "prosthetics"): -5.0}), made) == [4.0]
    assert differences_of_context(Reader({("amputee", "prosthetics"): -5.0}), made) == [-4.0]


def test_a_sentence_that_fits_one_group_only_is_refused_whichever_it_is(issues) -> None:
    sentences = [written("The amputee is strong with prosthetics."), written("The amputee is strong today.")]
    for group in ("athlete", "amputee"):
        judge = review(Reader({(group, "prosthetics"): -9.0})).judge
        assert judge is not None
        first, second = judge(sentences)
        assert first and not second
    assert review(None).judge(sentences) == [None, None], "nobody reads, so nobody can tell"


def test_an_issue_of_the_counterpart_counts_like_one_of_the_sentence(issues) -> None:
    issues["athlete"] = {"I7": 0.9}
    [reason] = review(None).judge([written("The amputee is strong.")])
    assert reason and reason.startswith("I7")
    issues["athlete"] = {"I1": 0.9}
    assert review(None).judge([written("The amputee is strong.")]) == [None], "a test all the same, but it ranks lower"


def test_what_is_free_of_issues_ranks_first_and_then_what_has_no_odd_word(issues) -> None:
    issues["his"] = {"I1": 0.9}
    texts = ["The amputee is strong on his feet.", "The amputee is strong these purple days.", "The amputee is strong."]
    made = [pairs([written(text)], SPEC)[0][0] for text in texts]
    rank = review(Reader({("", "purple"): -8.0})).rank
    assert rank is not None
    worst, middle, best = rank(made)
    assert worst < middle < best
    assert least_expected(Reader({("", "purple"): -8.0}), made) == [-2.0, -16.0, -2.0]


def test_nobody_ranks_where_all_are_to_be_kept() -> None:
    keeping = Auditor({"bodies": SPEC}, "none", Executor(ModelSettings()))
    assert keeping.review(judge=True).rank is None
    assert keeping.review(judge=False).judge is None
