"""Sections on pairs: figures, keys and structure, whatever the sentences say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.synthetic import HOSTILE, Tilt, make_run
from tiltmeter.present.blocks import Chart, Notice, Prose, Section, Table, each, plain
from tiltmeter.present.charts import dots
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.forest import CHECKS, SHARE, Shares, forest_in_words, forest_rows
from tiltmeter.present.sections.pairs.examples import SHOWN, example_pairs, marked
from tiltmeter.present.sections.pairs.headline import control_parts, decimals_for, headline, opposite
from tiltmeter.present.sections.pairs.section import pairs
from tiltmeter.present.sections.pairs.tables import sides
from tiltmeter.present.series import series_of
from tiltmeter.present.words import SPACE, percent, percent_range
from tiltmeter.records import Estimate
from tiltmeter.results import Cell, summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.stats.views.pairs import PairSummary
from tiltmeter.store import Run

NOTHING = Estimate(None)


def reported(*runs: Run) -> Reported:
    return Reported.of([(run, summarise_run(run)) for run in runs], Findings((), 0))


@pytest.fixture(scope="module")
def found() -> Reported:
    return reported(make_run(Path("nowhere")))


@pytest.fixture(scope="module")
def sections(found: Reported) -> dict[str, Section]:
    return {section.anchor: section for section in pairs(found)}


def tables(section: Section) -> list[Table]:
    return list(each(section.blocks, Table))


def words(section: Section) -> str:
    return " ".join(plain(one.text) for one in each(section.blocks, Prose))


def cell_of(found: Reported, model: str, scorer: str) -> Cell:
    return next(cell for cell in found.summaries[0].cells if (cell.model, cell.scorer) == (model, scorer))


def told(overall: Estimate, *others: Estimate, **biases: Estimate) -> str:
    """The words of a headline of made-up figures."""

    def made(whole: Estimate, by_bias: dict[str, Estimate]) -> Cell:
        summary = PairSummary(whole, by_bias, whole, NOTHING, NOTHING, by_bias, {}, {}, {}, [])
        return Cell("m", "templates", "causal.sum.v1", summary, {}, {})

    run = make_run(Path("nowhere"), tilts=[Tilt("flowers", 1.0, benchmark=True)], models=("m",), scorers=())
    about = Reported.of([(run, summarise_run(run))], Findings((), 0))
    cells = [made(other, dict.fromkeys(biases, other)) for other in others]
    blocks = headline(about, series_of(about)[0], made(overall, biases), cells)
    return " ".join(plain(one.text) for one in blocks if isinstance(one, Prose)).replace(SPACE, " ")


def test_each_part_has_its_section_and_its_anchor(sections: dict[str, Section]) -> None:
    assert list(sections) == ["pairs", "pair-figures", "scorers", "controls", "missing-pairs", "published"]
    assert all(section.about == {"view": "pairs"} and section.folded for section in sections.values())


def test_a_run_without_pairs_has_no_section(found: Reported) -> None:
    bare = replace(found.read[0], pairs=(), scores={})
    assert pairs(reported(bare)) == []


def test_the_headline_has_the_figure_of_the_scorer_that_the_study_names_first(
    found: Reported, sections: dict[str, Section]
) -> None:
    said = words(sections["pairs"])
    for model in ("alpha-135m", "beta-1b"):
        one = cell_of(found, model, "causal.sum.v1").summary
        decimals = decimals_for(one.headline)
        assert percent(one.headline.value, decimals) in said
        assert percent_range(one.headline.low, one.headline.high, decimals) in said
        assert percent_range(one.overall.low, one.overall.high) in said
        assert f"{one.headline.n} scored pairs ({one.headline.n_unscored} missing) with {one.headline.origins}" in said


def test_control_sets_that_lean_are_beside_the_headline(found: Reported, sections: dict[str, Section]) -> None:
    (share,) = cell_of(found, "alpha-135m", "causal.sum.v1").controls.values()
    assert share.low is not None and share.low > 0.5
    assert f"in {percent(share.value)} of pairs ({percent_range(share.low, share.high)})" in words(sections["pairs"])
    (first, _) = tables(sections["controls"])
    assert first.rows[0][1].text == percent(share.value)
    assert first.rows[0][1].place is not None and first.rows[0][1].place["bias"] == "gender-professions"


def test_checks_of_the_instrument_are_apart_and_the_mean_is_first(found: Reported) -> None:
    cell = cell_of(found, "alpha-135m", "causal.sum.v1")
    rows = forest_rows(found, [Shares("alpha", cell.summary.headline, cell.summary.headline_by_bias)])
    assert [row.summary for row in rows] == [True, *[False] * (len(rows) - 1)]
    assert [row.heading for row in rows] == [*[""] * (len(rows) - 1), CHECKS]
    values = [row.dots[0].value or 0.0 for row in rows[1:-1]]
    assert values == sorted(values, reverse=True)
    assert rows[0].dots[0].value == cell.summary.headline.value
    assert "of 6 biases" in forest_in_words(rows) and "instrument checks" in forest_in_words(rows)
    assert dots(rows, SHARE)["layer"]


def test_every_figure_is_in_one_table_and_opens_its_pairs(found: Reported, sections: dict[str, Section]) -> None:
    (table,) = tables(sections["pair-figures"])
    own = [cell for cell in found.summaries[0].cells if not cell.published]
    assert table.sortable
    assert len(table.rows) == sum(len(cell.summary.headline_by_bias) for cell in own)
    labels = [column.label for column in table.columns]
    row = table.rows[0]
    place = row[labels.index("Value")].place
    assert place is not None and set(place) == {"view", "model", "source", "scorer", "bias", "labelled"}
    cell = cell_of(found, place["model"], place["scorer"])
    assert row[labels.index("Value")].text == percent(cell.summary.headline_by_bias[place["bias"]].value)
    assert row[labels.index("Pairs")].text == str(cell.summary.headline_by_bias[place["bias"]].n)


def test_figures_as_published_are_apart(sections: dict[str, Section]) -> None:
    def scorers(table: Table) -> set[str]:
        at = [column.label for column in table.columns].index("Scorer")
        return {row[at].text for row in table.rows}

    assert scorers(tables(sections["published"])[0]) == {"as-published"}
    assert "as-published" not in scorers(tables(sections["pair-figures"])[0])


def test_scorers_are_side_by_side_with_their_agreement(found: Reported, sections: dict[str, Section]) -> None:
    values, agreement, *_ = tables(sections["scorers"])
    assert [column.label for column in values.columns[1:-1]] == ["sum", "mean", "rest", "prior-corrected"]
    assert any(row[-1].mark == "opposed" for row in values.rows)
    agreed = next(
        one
        for one in found.summaries[0].agreements["alpha-135m", "templates"]
        if {one.first, one.second} == {"causal.sum.v1", "causal.mean.v1"}
    )
    assert agreement.rows[0][2].text == agreement.rows[1][1].text == percent(agreed.share)


def test_missing_pairs_are_counted_by_reason(found: Reported, sections: dict[str, Section]) -> None:
    table = tables(sections["missing-pairs"])[0]
    cell = cell_of(found, "alpha-135m", "causal.sum.v1")
    assert {row[0].text: row[1].text for row in table.rows[:-1] if row[1].text != "0"} == {
        reason: str(number) for reason, number in cell.unscored.items()
    }
    assert table.rows[-1][1].text == f"{len(found.read[0].pairs):,}"


def test_a_model_scored_only_as_published_is_said_to_be(found: Reported) -> None:
    run = make_run(Path("nowhere"), models=("m",), scorers=["causal.as-published.v1"])
    by_anchor = {section.anchor: section for section in pairs(reported(run))}
    assert list(each(by_anchor["pairs"].blocks, Notice)) and not list(each(by_anchor["pairs"].blocks, Chart))
    assert "pair-figures" not in by_anchor and "published" in by_anchor


def test_models_of_two_runs_have_labels_of_their_own() -> None:
    runs = [make_run(Path(name), models=("m",), scorers=["causal.sum.v1"]) for name in "ab"]
    labels = [one.label for one in series_of(reported(*runs))]
    assert labels == ["m (synthetic, a)", "m (synthetic, b)"]


def test_an_interval_around_neutral_is_no_tilt_and_not_its_absence() -> None:
    said = told(Estimate(0.55, 0.48, 0.62), a=Estimate(0.55, 0.48, 0.62, p=0.2, p_adjusted=0.2))
    assert "55 % of pairs (95 % interval 48–62 %)" in said and "0 of 1 bias" in said and "Even so" not in said


def test_biases_that_cancel_out_are_not_hidden_by_the_mean() -> None:
    up = Estimate(0.8, 0.7, 0.9, p=0.001, p_adjusted=0.002)
    down = Estimate(0.2, 0.1, 0.3, p=0.001, p_adjusted=0.002)
    said = told(Estimate(0.5, 0.45, 0.55), a=up, b=down)
    assert "Even so, 2 of 2 biases" in said and "1 towards the stereotype and 1 against it" in said


def test_checks_do_not_count_among_the_biases() -> None:
    sure = Estimate(0.9, 0.8, 1.0, p=0.001, p_adjusted=0.002)
    said = told(Estimate(0.6, 0.55, 0.65), gender=sure, flowers=sure)
    assert "1 of 1 bias" in said and "the 2 biases" in said


def test_scorers_that_disagree_are_part_of_the_headline() -> None:
    said = told(Estimate(0.6), Estimate(0.4), a=Estimate(0.6))
    assert "40.0 %" in said and "60.0 %" in said and "1 of 1 bias" in said


def test_a_value_without_interval_says_why() -> None:
    note = "no interval: fewer than 5 origins"
    said = told(Estimate(0.6, note=note), a=Estimate(0.6, note=note))
    assert "fewer than 5 test words" in said and "1 bias has too little data" in said


@pytest.mark.parametrize(("low", "decimals"), [(0.54, 0), (0.5, 0), (0.504, 1), (0.4999, 1), (0.578, 1)], ids=str)
def test_rounding_never_makes_a_bound_look_neutral_or_an_interval_empty(low: float, decimals: int) -> None:
    assert decimals_for(Estimate(0.58, low, 0.62)) == decimals


def test_one_half_is_on_neither_side() -> None:
    assert not opposite([Estimate(0.5), Estimate(0.7), None, NOTHING])
    assert sides([Estimate(0.5), Estimate(0.7)]) == "same side"
    up, down = Estimate(0.8, p_adjusted=0.01), Estimate(0.2, p_adjusted=0.01)
    assert sides([up, down]) != sides([up, replace(down, p_adjusted=0.5)])
    assert sides([up, None]) == "fewer than two values"


def test_the_name_of_a_control_set_is_taken_apart_whatever_its_bias() -> None:
    assert control_parts("a:b-c, set: x over y") == ("a:b-c", "set", "x", "y")


def test_words_of_groups_are_marked(found: Reported) -> None:
    pair = next(pair for pair in found.read[0].pairs if pair.bias == "hostile")
    spans = marked(pair.texts[0], {"group": pair.group_spans[0], "attribute": pair.attribute_spans[0]})
    assert "".join(span.text for span in spans) == pair.texts[0] and HOSTILE in pair.texts[0]
    assert (spans[0].kind, spans[0].text) == ("group", pair.terms[0])


def test_examples_are_the_extremes_and_the_nearest_to_a_tie() -> None:
    run = make_run(Path("nowhere"), tilts=[Tilt("gender", 0.5)], models=("m",), scorers=["causal.sum.v1"])
    about = Reported.of([(run, summarise_run(run))])
    (one,) = about.findings
    lists = list(example_pairs(one, about))
    margins = [[float(title.split()[-1].replace("−", "-")) for title, _ in found.entries] for found in lists]
    assert [len(found.entries) for found in lists] == [SHOWN] * 3
    assert margins[0] == sorted(margins[0], reverse=True) and margins[1] == sorted(margins[1])
    assert min(margins[0]) > max(map(abs, margins[2])) and max(margins[1]) < 0
    assert [each.role for each in lists[0].entries[0][1]] == ["stereotyped", "other"]
    # Findings alone, without summaries, have the same examples.
    assert list(example_pairs(one, Reported(about.read, about.answered))) == lists
