"""Sections on sentences that a model wrote: figures and structure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.synthetic import make_written_run
from tiltmeter.errors import MissingExtra
from tiltmeter.present.blocks import Chart, Notice, Prose, Section, Table, each, plain
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.order import order
from tiltmeter.present.sections.pairs.written import written
from tiltmeter.present.words import percent
from tiltmeter.results import of_the_test, summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.results.summary.labels import Labels, sentence_of, written_text
from tiltmeter.sources.generated.annotations import Annotations
from tiltmeter.store import Run


def reported(run: Run) -> Reported:
    return Reported.of([(run, summarise_run(run))], Findings((), 0))


@pytest.fixture(scope="module")
def found() -> Reported:
    return reported(make_written_run(Path("nowhere"), models=("alpha", "beta")))


@pytest.fixture(scope="module")
def section(found: Reported) -> Section:
    (section,) = written(found)
    return section


def test_each_model_and_source_has_its_part(section: Section) -> None:
    titles = [one.title for one in section.blocks if isinstance(one, Section)]
    assert titles[-4:] == [f"{model}, generated[by={by}]" for model in ("alpha", "beta") for by in ("writer", "scribe")]


def test_effects_are_told_with_and_without_replacements(found: Reported, section: Section) -> None:
    cell = next(cell for cell in found.summaries[0].cells if cell.generated)
    assert cell.generated is not None
    effect = cell.generated.effects[0]
    assert effect.replaced is not None
    said = " ".join(plain(one.text) for one in each(section.blocks, Prose))
    assert f"{effect.flagged:,} of {effect.pairs:,} pairs" in said and percent(effect.replaced.value) in said
    table = next(one for one in each(section.blocks, Table) if one.columns[0].label == "Issue")
    assert len(table.columns) == 10 and len(table.rows) == 9
    assert table.rows[0][2].text == percent(effect.after.value)


def test_a_run_without_replacements_has_no_columns_for_them() -> None:
    run = make_written_run(Path("nowhere"), models=("alpha",), writers=("writer",), stand_ins=False)
    (section,) = written(reported(run))
    table = next(one for one in each([section], Table) if one.columns[0].label == "Issue")
    assert [column.label for column in table.columns][1:] == ["Flagged", "Without", "Change", "Lost", "Mean change"]


def test_templates_are_beside_written_sentences(found: Reported, section: Section) -> None:
    compared = found.summaries[0].comparisons[0]
    table = next(
        one for one in each(section.blocks, Table) if len(one.columns) == 4 and one.columns[1].label == "Templates"
    )
    assert [(row[1].text, row[2].text) for row in table.rows] == [
        (percent(first), percent(second)) for first, second in compared.biases.values()
    ]


def test_every_chart_has_words_and_ticks_are_the_sets(section: Section) -> None:
    charts = list(each(section.blocks, Chart))
    assert len(charts) == 1 + 4 * 2 and all(chart.alternative and chart.title for chart in charts)
    assert len({chart.name for chart in charts}) == len(charts)


def test_sets_are_beside_the_pooled_share(found: Reported, section: Section) -> None:
    cell = next(cell for cell in found.summaries[0].cells if cell.generated)
    assert cell.generated is not None
    table = next(one for one in each(section.blocks, Table) if one.columns[1].label == "Pooled")
    assert [column.label for column in table.columns][1:5] == [
        "Pooled",
        "Mean over sets",
        "SD over sets, in points",
        "Sets",
    ]
    for row, (bias, sets) in zip(table.rows, cell.generated.sets.items(), strict=False):
        assert sets.sd is not None
        assert row[1].text == percent(cell.summary.headline_by_bias[bias].value)
        assert [one.text for one in row[2:5]] == [percent(sets.mean), f"{100 * sets.sd:.1f}", "3"]
    last = table.rows[-1]
    assert last[0].mark == "mean" and last[1].text == percent(cell.summary.headline.value)
    assert last[2].text == percent(cell.generated.overall.mean)


def test_one_set_has_no_spread() -> None:
    run = make_written_run(Path("nowhere"), models=("alpha",), writers=("writer",), stand_ins=False)
    run = replace(run, pairs=tuple(replace(pair, set=0 if pair.written_for else None) for pair in run.pairs))
    scores = {
        key: tuple(replace(one, pair=pair) for one, pair in zip(found, run.pairs, strict=True))
        for key, found in run.scores.items()
    }
    (section,) = written(reported(replace(run, scores=scores)))
    table = next(one for one in each(section.blocks, Table) if one.columns[1].label == "Pooled")
    assert {(row[3].text, row[4].text) for row in table.rows} == {("one set only", "1")}
    assert all(row[1].text == row[2].text for row in table.rows)


def labels_of(run: Run) -> Labels:
    """Two annotators who judged the first 200 written sentences and found what the audit found."""
    chosen = [pair for pair in of_the_test(run.pairs) if pair.written_for]
    marks = {
        f"{pair.source}:{sentence_of(pair)}": frozenset(issue for issue, _ in run.flagged.get(pair.id, ()))
        for pair in chosen[:200]
    }
    texts = {f"{pair.source}:{sentence_of(pair)}": written_text(pair) for pair in chosen}
    sheets = Annotations({"ann": marks, "bob": marks})
    return Labels(sheets, texts)


def test_with_labels_effects_are_told_twice_and_agreement_is_shown() -> None:
    run = make_written_run(Path("nowhere"), models=("alpha",), writers=("writer",))
    (section,) = written(Reported.of([(run, summarise_run(run, labels_of(run)))], Findings((), 0)))
    assert sum(one.columns[0].label == "Issue" and len(one.columns) == 10 for one in each([section], Table)) == 2
    audit = next(one for one in each([section], Table) if one.columns[-1].label == "Kappa")
    assert {row[5].text for row in audit.rows if row[1].text != "0"} == {percent(1.0)}
    assert "682 were judged by nobody" in " ".join(plain(one.text) for one in each([section], Prose))


def test_without_the_extra_tone_is_left_out_and_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    from tiltmeter.results.summary import sentences

    def load(name: str) -> None:
        raise MissingExtra("ratings of sentiment", "text", "vaderSentiment")

    monkeypatch.setattr(sentences, "_rater", load)
    (section,) = written(reported(make_written_run(Path("nowhere"), models=("alpha",), writers=("writer",))))
    assert any("ratings of sentiment" in plain(one.text) for one in each([section], Notice))
    quality = next(each([section], Table))
    assert not any("tone" in row[0].text for row in quality.rows)


def test_runs_with_other_sentences_under_one_label_are_told_apart() -> None:
    first, second = (make_written_run(Path(name), models=("alpha",), writers=("writer",)) for name in "ab")

    def other(texts: tuple[str, str]) -> tuple[str, str]:
        return f"{texts[0]} ", texts[1]

    pairs = {pair.id: replace(pair, texts=other(pair.texts)) if pair.written_for else pair for pair in second.pairs}
    scores = {key: tuple(replace(one, pair=pairs[one.pair.id]) for one in some) for key, some in second.scores.items()}
    runs = [first, replace(second, pairs=tuple(pairs.values()), scores=scores)]
    (section,) = order(Reported.of([(run, summarise_run(run)) for run in runs], Findings((), 0)))
    names = {cell.text for one in each([section], Table) for row in one.rows for cell in row[:2]}
    assert "generated[by=writer] (synthetic, a)" in names
    assert not any(name.startswith("templates (synthetic") for name in names)
