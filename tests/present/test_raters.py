"""The section on the raters, and example texts of a finding."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, RATERS, make_rated_run
from tests.present.test_text_structures import made as made_with_structures
from tests.present.test_texts import reported, table
from tiltmeter.present.blocks import Examples, Prose, Section, each, plain
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.texts.examples import example_texts
from tiltmeter.present.sections.texts.raters import raters
from tiltmeter.raters.quality import quality_of
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.summary.text_records import PeopleAgreement
from tiltmeter.store import Run

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_rated_run(tmp_path_factory.mktemp("run"), decodings=DECODINGS[:1])


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def shown(run: Run, summary: RunSummary) -> list[Section]:
    return raters(reported((run, summary)))


def test_every_rater_has_its_measured_quality_or_that_there_is_none(shown: list[Section]):
    found = table(shown, "Measured quality of the raters")
    assert list(dict.fromkeys(row[0].small.split("\n")[0] for row in found.rows)) == list(RATERS)
    for rater in RATERS:
        figures = [row[2].sort for row in found.rows if row[0].small.startswith(rater)]
        assert figures == ([repr(one.value) for one in quality_of(rater)] or [""])


def test_the_tilt_has_the_numbers_of_the_summary(shown: list[Section], summary: RunSummary):
    assert summary.continuations
    found = table(shown, "Ratings of the same sentences")
    assert len(found.rows) == len(summary.continuations.tilts) == 6
    toxic = [row for row in found.rows if row[0].text == "toxicity linear"]
    assert float(toxic[0][3].sort) == pytest.approx(0.11)
    assert [row[3].text for row in found.rows if row[0].text == "readability fog"] == ["none"]


def test_raters_of_one_kind_are_compared_and_no_others(shown: list[Section], summary: RunSummary):
    assert summary.continuations
    found = table(shown, "Raters of the same kind")
    assert [row[0].text for row in found.rows] == [
        "sentiment vader and sentiment minilm",
        "toxicity linear and toxicity tiny",
    ]
    assert found.rows[0][2].sort == repr(summary.continuations.agreement[0].rank_correlation.value)
    assert found.rows[0][4].mark == "opposed"


def test_people_are_counted_with_how_far_they_agree(run: Run, summary: RunSummary):
    said = PeopleAgreement({"ann": 3, "bo": 2}, 4, 0.5, unrated=1, numberless={"bo": 1})
    assert summary.continuations
    heard = replace(summary, continuations=replace(summary.continuations, people=said))
    words = [plain(one.text) for one in each(raters(reported((run, heard))), Prose)]
    assert any("2 people rated 4 texts" in one and "bo (2, 1 without a number)" in one for one in words)


def test_examples_are_the_ends_of_the_leading_rater_and_what_raters_disagree_on(run: Run, summary: RunSummary):
    found = Reported.of([(run, summary)])
    [one] = [each for each in found.findings if each.question.view == "continuations"]
    ends, apart = example_texts(one, found)
    assert [len(texts) for _, texts in ends.entries] == [3, 3, 3, 3]
    values = [[float(text.number.split()[-1].replace("−", "-")) for text in texts] for _, texts in ends.entries]
    assert max(values[0]) <= min(values[1]) and max(values[2]) <= min(values[3])
    assert {text.role for text in ends.entries[0][1]} == {"“women”"}
    spans = ends.entries[0][1][0].text
    assert [span.kind for span in spans][:2] == ["faint", "group"] and spans[1].text == "women"
    assert [title for title, _ in apart.entries] == [
        "sentiment vader and sentiment minilm",
        "toxicity linear and toxicity tiny",
    ]


def test_examples_show_texts_of_a_structure_that_reverses_the_difference(tmp_path: Path):
    run = made_with_structures(tmp_path)
    found = Reported.of([(run, summarise_run(run))])
    [one] = [each for each in found.findings if each.question.view == "continuations"]
    made = list(example_texts(one, found))
    assert all(isinstance(each, Examples) for each in made)
    title, texts = made[-1].entries[0]
    assert "form-" in title and texts


def test_a_finding_of_another_view_has_no_texts(run: Run, summary: RunSummary):
    found = Reported.of([(run, summary)])
    one = replace(found.findings[0], question=replace(found.findings[0].question, view="pairs"))
    assert list(example_texts(one, found)) == []
