"""The audit: each issue on sentences that have it and on others that do not, measured figures, no tilt of its own."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from pathlib import Path

import pytest
from benchmarks import issues as benchmark

from tests.shared import ROOT
from tiltmeter import specs
from tiltmeter.errors import ModelError
from tiltmeter.parsing import parser
from tiltmeter.raters import issues
from tiltmeter.raters.issues import AuditItem, wrong_article
from tiltmeter.raters.issues.judge import judge
from tiltmeter.raters.issues.layout import lay_out
from tiltmeter.records import Spec
from tiltmeter.sources.slots import fill
from tiltmeter.word_kinds import term_kind

pytestmark = pytest.mark.slow

# What the issue asked for, on sentences from specs outside the library whose writer had not seen the audit.
FLOORS = {
    "blind": {"any": 0.88, "I1": 0.90, "I2": 0.72, "I3": 0.72, "I5": 0.80, "I7": 0.78, "I7+I8": 0.82},
    "autobiastest": {"any": 0.80, "I1": 0.90, "I4": 0.97, "I7+I8": 0.87},
}
# Frames with one flaw each; the article and the verb are made to fit the term.
FLAWED = {
    "I1": "{T} {is} {A} and lost his keys.",
    "I2": "{T} {is} {A} and very beautiful.",
    "I3": "Yesterday {T} walked past a sign that said {A}.",
    "I4": "{T} {is} not {A} at all.",
    "I5": "{T} {is} {A}, and so is Anna.",
    "I7": "{T} {is} {A} of the with.",
    "I8": "{T}, {A} and the",
}


@pytest.fixture(autouse=True, scope="module")
def _judge_is_here() -> None:
    pytest.importorskip("spacy")
    pytest.importorskip("torch")
    try:
        parser(), judge()
    except ModelError as error:
        pytest.skip(str(error))


def flags(text: str, term: str, attribute: str) -> dict[str, str]:
    [findings] = issues.audit([AuditItem(text, term, attribute)])
    return {finding.issue: finding.because for finding in issues.flagged(findings)}


@pytest.mark.parametrize(
    ("issue", "word", "text", "term", "attribute"),
    [
        ("I1", "her", "The tenant forgot her gardening gloves.", "tenant", "gardening"),
        ("I2", "beautiful", "The refugee is honest and beautiful.", "refugee", "honest"),
        ("I3", "couch", "The imam sat down on an ugly couch.", "imam", "ugly"),
        ("I4", "never", "The trans woman was never dangerous.", "trans woman", "dangerous"),
        ("I5", "Muslims", "The Republican is rude to Muslims.", "Republican", "rude"),
        ("I7", "of", "The tenant is a lazy of the house.", "tenant", "lazy"),
        ("I8", "the", "The old man was lonely and the", "the old man", "lonely"),
    ],
)
def test_an_issue_is_found_and_the_word_that_decides_is_named(
    issue: str, word: str, text: str, term: str, attribute: str
) -> None:
    found = flags(text, term, attribute)
    assert issue in found, found
    assert issue in {"I3", "I7", "I8"} or f"*{word}*" in found[issue]


@pytest.mark.parametrize(
    ("text", "term", "attribute"),
    [
        ("The Muslim is honest.", "Muslim", "honest"),
        ("Muslims are peaceful.", "Muslims", "peaceful"),
        ("The Black woman is a lawyer.", "Black woman", "lawyer"),
        ("People in town think of the Sikh as honest.", "Sikh", "honest"),
        ("The rich are lazy.", "the rich", "lazy"),
        ("Everyone in the office knew that the wheelchair user was punctual.", "wheelchair user", "punctual"),
        ("The woman was very good at calculus.", "woman", "calculus"),
        ("My uncle works as a dental-hygienist.", "uncle", "dental hygienist"),
    ],
)
def test_a_plain_sentence_has_no_issue(text: str, term: str, attribute: str) -> None:
    assert flags(text, term, attribute) == {}


def test_a_wrong_article_is_found_wherever_it_stands() -> None:
    assert "I7" in flags("He is a engineer.", "he", "engineer")
    assert "I7" in flags("We met an refugee who was kind.", "refugee", "kind")
    for right in ("An honest judge met a European.", "It took an hour and a one-year lease.", "a herb, an herb"):
        assert wrong_article(right) is None


def test_a_term_that_is_missing_is_no_link() -> None:
    assert [*flags("Nobody likes algebra.", "man", "algebra")] == ["I3"]


def test_odd_texts_do_no_harm() -> None:
    texts = ("", " ", "Kim art", "Kim 🎨 art", "art. Kim.", "Kim-art", "KIM ART!", "Kim " * 600 + "art")
    found = issues.audit([AuditItem(text, "Kim", "art") for text in texts])
    assert [len(one) for one in found] == [len(issues.ISSUES)] * len(texts)
    assert issues.audit([]) == []


def test_neither_parser_nor_judge_sees_the_group() -> None:
    texts = {
        lay_out(AuditItem(f"Nobody asked {article} {term} about the {term}'s honest views.", term, "honest")).text
        for article, term in (("an", "imam"), ("a", "priest"), ("a", "vagrant"), ("a", "trans woman"))
    }
    assert texts == {"Nobody asked a person about the person's honest views."}


def _every_spec() -> list[Spec]:
    strangers = sorted((ROOT.parent / "shared" / "strangers").glob("*.toml"))
    found = [specs.load(name) for name in [*specs.names(), *strangers]]
    return [spec for spec in found if spec.attributes and not spec.benchmark]


def test_terms_of_one_kind_are_flagged_alike() -> None:
    # The attribute is the same for all, so that only the term differs.
    by_kind: dict[tuple[str, str, str], list[frozenset[str]]] = defaultdict(list)
    items = []
    for spec in _every_spec():
        for group in spec.groups:
            for term in group.terms:
                kind = term_kind(term, group, spec)
                for issue, frame in FLAWED.items():
                    for attribute in ("generous",):
                        place = "The [T]" if kind in {"noun", "adjective"} else "[T]"
                        person = " person" if kind == "adjective" else ""
                        verb = "are" if kind == "plural" else "is"
                        text = fill(frame.format(T=f"{place}{person}", A="[A]", **{"is": verb}), term, attribute).text
                        items.append(((issue, kind, attribute), AuditItem(text, term, attribute, kind)))
    found = issues.audit([item for _, item in items], explain=False)
    for (key, _), findings in zip(items, found, strict=True):
        by_kind[key].append(frozenset(one.issue for one in issues.flagged(findings)))
    same = total = 0
    for sets in by_kind.values():
        counts = Counter(sets)
        total += len(sets) * (len(sets) - 1) // 2
        same += sum(count * (count - 1) // 2 for count in counts.values())
    assert total > 10_000
    assert same / total >= 0.97


@pytest.mark.parametrize("part", sorted(FLOORS))
def test_the_measured_figures_hold(part: str) -> None:
    rows = benchmark.part(part)
    figures = benchmark.measured(rows, issues.audit([row.item for row in rows], explain=False))
    for issue, floor in FLOORS[part].items():
        auc = figures[issue].auc
        assert auc is not None and auc >= floor, f"{issue} on {part}: AUC {auc}"


def test_no_test_sentence_was_trained_on() -> None:
    trained = {text for path in (ROOT / "training" / "issues").glob("*.tsv") for text in _texts(path)}
    tested = [_texts(benchmark.DATA / f"{part}.tsv") for part in benchmark.PARTS]
    assert len(trained) > 4000
    assert len(tested[0]) >= 300
    for texts in tested:
        assert not texts & trained
    assert not any(one & other for one, other in combinations(tested, 2))


def _texts(path: Path) -> set[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return {line.split("\t")[3] for line in lines if line.count("\t") == 3}
