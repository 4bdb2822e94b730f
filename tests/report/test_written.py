"""The parts of the report on sentences that a model wrote."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.report.synthetic import make_written_run
from tests.report.test_page import Page, page_of
from tiltmeter.present.files import write_run
from tiltmeter.results import RunSummary, of_the_test, summarise_run
from tiltmeter.results.summary.labels import Labels, sentence_of, written_text
from tiltmeter.sources.generated.annotations import Annotations
from tiltmeter.store import Run

pytest.importorskip("vl_convert")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def run() -> Run:
    return make_written_run(Path("nowhere"), models=("alpha", "beta"))


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def page(run: Run, summary: RunSummary, tmp_path_factory: pytest.TempPathFactory) -> Page:
    return page_of([(run, summary)], tmp_path_factory.mktemp("page"))


def labels_of(run: Run) -> Labels:
    """Two annotators who judged the first 200 written sentences of each source and found what the audit found."""
    pairs = [pair for pair in of_the_test(run.pairs) if pair.written_for]
    chosen = [pair for source in dict.fromkeys(one.source for one in pairs) for pair in pairs if pair.source == source]
    marks = {
        f"{pair.source}:{sentence_of(pair)}": frozenset(issue for issue, _ in run.findings.get(pair.id, ()))
        for pair in chosen[:200]
    }
    texts = {f"{pair.source}:{sentence_of(pair)}": written_text(pair) for pair in chosen}
    sheets = Annotations({"ann": marks, "bob": marks})
    return Labels(sheets, texts)


def test_what_stands_in_is_in_no_table_count_or_example(run: Run, summary: RunSummary, tmp_path: Path) -> None:
    without = replace(
        run,
        pairs=tuple(of_the_test(run.pairs)),
        scores={
            key: tuple(score for score in found if score.pair.stands_in is None) for key, found in run.scores.items()
        },
    )
    plain = summarise_run(without)
    assert [cell.summary for cell in summary.cells] == [cell.summary for cell in plain.cells]
    assert [cell.pairs for cell in summary.cells] == [cell.pairs for cell in plain.cells]
    assert summary.sentences == plain.sentences
    assert summary.correlations == plain.correlations
    write_run(replace(run, folder=tmp_path), summary)
    with (tmp_path / "tables" / "pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * len(without.pairs)
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert f"<dt>Pairs</dt><dd>{len(without.pairs):,}</dd>" in html
    assert "Then Once" not in html


def test_effects_are_told_with_and_without_replacements(page: Page, summary: RunSummary) -> None:
    cell = next(cell for cell in summary.cells if cell.generated)
    assert cell.generated is not None
    effect = cell.generated.effects[0]
    assert effect.replaced is not None
    assert effect.regenerated > effect.templates > 0
    assert f"By the audit, {effect.flagged:,} of {effect.pairs:,} pairs" in page.text
    assert f"{effect.regenerated:,} anew, {effect.templates:,} templates" in page.text
    assert "What they do to each bias" in page.text
    assert "Change in points with others in their place" in page.text


def test_a_run_without_replacements_has_no_columns_for_them(tmp_path: Path) -> None:
    run = make_written_run(tmp_path, models=("alpha",), writers=("writer",), stand_ins=False)
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "with others in their place" not in page.text
    assert "Change in points without them" in page.text


def test_figures_like_the_papers_are_there_with_words_for_them(page: Page) -> None:
    words = [found["aria-label"] or "" for found in page.all("div") if found.get("role") == "img"]
    assert any(text.startswith("Words per sentence: generated[by=writer]") for text in words)
    assert any("of 882 sentences have an issue; most often" in text for text in words)
    assert any(text.startswith("Written sentences give a higher value than templates on") for text in words)
    assert any(text.startswith("By the audit, ") and "The largest change of a bias" in text for text in words)
    assert any(text.startswith("6 biases over 2 models, widest and narrowest") for text in words)
    assert all(words)


def test_sources_and_models_are_ranked_against_one_another(page: Page, summary: RunSummary) -> None:
    pairs = {(one.first, one.second) for one in summary.correlations.sources}
    assert ("generated[by=writer]", "generated[by=scribe]") in pairs
    assert ("templates", "generated[by=writer]") in pairs
    assert set(summary.correlations.models) == {"templates", "written sentences"}
    one = summary.correlations.sources[0].found
    assert one.n == 6
    assert "Do sources and models rank the biases alike?" in page.text
    assert f"{one.value:+.2f}".replace("-", "−") in page.text


def test_pairs_on_which_sources_disagree_are_behind_the_warning(page: Page, summary: RunSummary) -> None:
    start = page.html.index('<details class="warning">')
    assert "Disagreement on “" in page.html[start:]
    assert "Disagreement on “" not in page.html[:start]
    assert "so much (writer" not in page.html[:start]
    gap = summary.comparisons[0].attributes[0]
    assert abs(gap.difference) == max(abs(one.difference) for one in summary.comparisons[0].attributes)


def test_with_labels_the_effects_stand_twice_and_agreement_is_told(run: Run, tmp_path: Path) -> None:
    summary = summarise_run(run, labels_of(run))
    page = page_of([(run, summary)], tmp_path)
    assert "The effect of the issues, by people" in page.text
    assert "the audit held against the majority of people" in page.text
    assert "how far annotators agree" in page.text
    assert "682 were judged by nobody" in page.text
    data = json.loads(json.dumps(summary.as_json()))
    people = data["sentences"]["people"]["generated[by=writer]"]
    assert {one["recall"] for one in people["audit"] if one["right"]} == {1.0}
    assert "effects_by_people" in next(cell for cell in data["cells"] if "generated" in cell)["generated"]


def test_without_the_extra_sentiment_is_left_out_and_said_to_be(run: Run, tmp_path: Path, monkeypatch) -> None:
    from tiltmeter.errors import MissingExtra
    from tiltmeter.results.summary import sentences

    def load(name: str) -> None:
        raise MissingExtra("ratings of sentiment", "text", "vaderSentiment")

    monkeypatch.setattr(sentences, "_rater", load)
    page = page_of([(run, summarise_run(run))], tmp_path)
    assert "Left out: ratings of sentiment" in page.text
    assert "Sentiment by VADER" not in page.html


def test_runs_with_other_sentences_under_one_label_are_told_apart(tmp_path: Path) -> None:
    runs = [
        replace(make_written_run(tmp_path / name, models=("alpha",), writers=("writer",)), folder=tmp_path / name)
        for name in "ab"
    ]
    pairs = tuple(
        replace(pair, texts=(f"{pair.texts[0]} ", pair.texts[1])) if pair.written_for else pair
        for pair in runs[1].pairs
    )
    changed = replace(runs[1], pairs=pairs)
    page = page_of([(run, summarise_run(run)) for run in (runs[0], changed)], tmp_path)
    section = page.html[page.html.index('id="order"') : page.html.index('id="examples"')]
    assert "generated[by=writer] (synthetic, a)" in section
    assert not re.search(r"templates \(synthetic", section)
