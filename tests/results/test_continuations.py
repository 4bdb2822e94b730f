"""Summaries of the continuations of a run, and what people said of some of them."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.completions import DECODINGS, Lean, make_rated_run
from tests.present.synthetic import make_run
from tiltmeter.errors import InvalidData
from tiltmeter.results import PeopleRatings, boards, read_ratings, summarise_continuations, write_sheet
from tiltmeter.results.summary.people_ratings import text_id
from tiltmeter.store import Run

TWO = DECODINGS[:2]


@pytest.fixture(scope="module")
def run() -> Run:
    raters = ("sentiment.vader.v1", "sentiment.minilm.v1", "toxicity.linear.v1", "refusal.v5")
    return make_rated_run(Path("nowhere"), decodings=TWO, raters=raters)


def judged(run: Run, value: float = 0.0) -> PeopleRatings:
    """Two people who rate texts about women lower by one, and agree."""
    assert run.continuations
    values = {}
    for one in run.continuations.texts("alpha-135m", TWO[0]):
        said = value - 1 if one.prompt.group == "women" else value + one.sample / 10
        values[text_id("alpha-135m", one)] = {"ann": said, "bob": said}
    return PeopleRatings(values, "sentiment")


def test_a_run_of_pairs_has_no_such_summary():
    assert summarise_continuations(make_run(Path("nowhere"))) is None


def test_cells_stand_in_the_order_of_the_study_and_refusals_apart(run: Run):
    found = summarise_continuations(run)
    assert found
    assert [(cell.decoding, cell.rater) for cell in found.cells] == [
        (decoding, rater)
        for decoding in TWO
        for rater in ("sentiment.vader.v1", "sentiment.minilm.v1", "toxicity.linear.v1")
    ]
    [refusals] = found.refusals
    assert (refusals.model, refusals.source, refusals.bias) == ("alpha-135m", "own-prompts", "gender")
    assert (refusals.groups["women"].refused, refusals.groups["women"].asked) == (12, 48)
    assert (refusals.groups["men"].refused, refusals.groups["men"].asked) == (0, 48)
    [pair] = refusals.pairs
    assert (pair.a, pair.b, pair.difference.value) == ("women", "men", 0.25)


def test_signed_ratings_have_no_ratio_and_toxicity_has_the_highest_texts(run: Run):
    found = summarise_continuations(run)
    assert found
    by_rater = {cell.rater: cell.summary for cell in found.cells}
    assert by_rater["sentiment.vader.v1"].pairs[0].ratio is None
    assert by_rater["toxicity.linear.v1"].pairs[0].ratio is not None
    assert {"most_k=1", "most_k=4", "any_above"} <= set(by_rater["toxicity.linear.v1"].extremes)


def test_a_difference_no_larger_than_the_raters_tilt_is_marked(run: Run):
    lean = Lean({"toxicity.linear.v1": 0.05}, noise=0.01)
    small = make_rated_run(Path("nowhere"), decodings=TWO[:1], raters=("toxicity.linear.v1",), lean=lean)
    large = make_rated_run(
        Path("nowhere"), decodings=TWO[:1], raters=("toxicity.linear.v1",), lean=Lean({"toxicity.linear.v1": 0.6}, 0.01)
    )
    marks = [summarise_continuations(one) for one in (small, large)]
    assert [bool(found and found.cells[0].within_tilt) for found in marks] == [True, False]
    assert marks[0]
    assert marks[0].tilts[0].of("women", "men") == pytest.approx(0.11)
    assert marks[0].tilts[0].of("men", "women") == pytest.approx(-0.11)


def test_the_curve_over_samples_ends_at_the_whole(run: Run):
    found = summarise_continuations(run)
    assert found
    [curve] = found.sizes
    assert (curve.cell.model, curve.cell.bias) == (found.cells[0].model, found.cells[0].bias)
    sizes = [(samples, pair.difference) for rater, samples, pair in curve.points if rater == "sentiment.vader.v1"]
    assert [samples for samples, _ in sizes] == [1, 2, 3, 4]
    assert sizes[-1][1].value == found.cells[0].summary.pairs[0].difference.value
    assert sizes[0][1].n == 24 - 2  # the first sample of one opener of each group is empty


def test_raters_of_one_kind_that_point_to_opposite_groups_are_named(run: Run):
    found = summarise_continuations(run)
    assert found
    [one] = found.agreement
    assert (one.first, one.second) == ("sentiment.vader.v1", "sentiment.minilm.v1")
    assert one.opposite == (("gender", "women", "men"),)


def test_of_very_many_texts_some_are_compared(run: Run, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tiltmeter.results.summary.raters.MOST_TEXTS", 50)
    found = summarise_continuations(run)
    assert found
    assert 0 < found.agreement[0].n <= 50


def test_the_summary_is_json(run: Run):
    found = summarise_continuations(run, judged(run))
    assert found
    again = json.loads(json.dumps(found.as_json(), allow_nan=False))
    assert again["cells"][0]["pairs"][0]["a"] == "women"
    assert again["people"]["texts"] == 96


def test_people_are_one_more_rater(run: Run):
    found = summarise_continuations(run, judged(run))
    assert found and found.people
    [column] = [cell for cell in found.cells if cell.rater == "people.sentiment"]
    assert column.decoding == TWO[0]
    assert column.summary.pairs[0].difference.value == pytest.approx(-1.15)
    [board] = boards(found, {})
    assert board.raters[-1] == "people.sentiment"
    assert found.people.krippendorff == pytest.approx(1.0)
    with_people = [one for one in found.agreement if one.first == "people.sentiment"]
    assert {one.second for one in with_people} == {"sentiment.vader.v1", "sentiment.minilm.v1"}
    assert all(one.n == 82 for one in with_people), "as everywhere, a refusal is no text that was rated"
    by_rater = {one.second: one.opposite for one in with_people}
    assert by_rater["sentiment.minilm.v1"] == (("gender", "women", "men"),)


def test_people_are_pooled_over_settings_with_an_interval_and_other_is_no_number(tmp_path: Path):
    run = make_rated_run(tmp_path, biases=("religion",), decodings=TWO, raters=("regard.minilm.v2",))
    resolved = {**run.meta["resolved"], "continuations": {"reference": ["Muslims"]}}
    run = replace(run, meta={**run.meta, "resolved": resolved})
    assert run.continuations
    rows = ["id,value,annotator,kind"]
    expected: dict[str, list[float]] = {"Muslims": [], "Jews": []}
    other = 0
    for decoding in TWO:
        for one in run.continuations.texts("alpha-135m", decoding):
            if one.prompt.group in expected and one.sample == 0:
                value = {"Muslims": -1, "Jews": 1}[one.prompt.group] if one.prompt.origin[-1] in "13579" else 2
                other += value == 2
                expected[one.prompt.group] += [value] if value != 2 else []
                rows.append(f"{text_id('alpha-135m', one)},{value},ann,regard")
    assert other and all(expected.values())
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("\n".join(rows), encoding="utf-8")
    found = summarise_continuations(run, read_ratings([sheet]))
    assert found
    [pooled] = found.people_pooled
    [pair] = pooled.summary.pairs
    assert (pair.a, pair.b) == ("Jews", "Muslims"), "the reference of the study, though it comes first in the file"
    assert pair.difference.value == 2.0
    assert pair.difference.n == sum(map(len, expected.values()))
    assert pair.difference.n_unscored == other
    assert (
        max(cell.summary.pairs[0].difference.n for cell in found.cells if "people" in cell.rater) * 2
        == pair.difference.n
    )
    assert set(pooled.beside) == {"regard.minilm.v2"}
    beside = pooled.beside["regard.minilm.v2"]
    assert beside.pairs[0].difference.n + beside.pairs[0].difference.n_unscored == pair.difference.n
    assert json.loads(json.dumps(found.as_json()))["people_pooled"][0]["pairs"][0]["difference"]["value"] == 2.0


def test_people_pooled_have_an_interval_where_they_differ(run: Run):
    found = summarise_continuations(run, judged(run))
    assert found
    [pooled] = found.people_pooled
    difference = pooled.summary.pairs[0].difference
    assert difference.value == pytest.approx(-1.15)
    assert difference.low is not None and difference.high is not None and difference.low < -1.15 < difference.high
    assert set(pooled.beside) == {"sentiment.vader.v1", "sentiment.minilm.v1"}


def test_a_sheet_comes_back_as_ratings(run: Run, tmp_path: Path):
    sheet = tmp_path / "sheet.csv"
    assert write_sheet(run, sheet, 20, seed=3) == 20
    rows = list(csv.DictReader(sheet.open(newline="")))
    assert len({row["id"] for row in rows}) == 20
    # The sheet is drawn evenly, and tells neither the group apart from the text nor any rating.
    assert sum("women" in row["text"] for row in rows) == 10
    assert set(rows[0]) == {"id", "text", "kind", "value", "annotator"}
    with sheet.open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "value", "annotator"])
        writer.writeheader()
        writer.writerows({"id": row["id"], "value": "0.5", "annotator": "ann"} for row in rows)
        writer.writerow({"id": rows[0]["id"], "value": "", "annotator": "bob"})
    people = read_ratings([sheet])
    found = summarise_continuations(run, people)
    assert found and found.people
    assert found.people.rater == "people"
    assert found.people.annotators == {"ann": 20}
    write_sheet(run, tmp_path / "again.csv", 20, seed=3)
    assert {row["id"] for row in csv.DictReader((tmp_path / "again.csv").open(newline=""))} == set(people.values)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id,value\n1,2\n", "has no column `annotator`"),
        ("id,value,annotator\n1,high,ann\n", "line 2, `value`: 'high' is no rating"),
        ("id,value,annotator,kind\n1,3,ann,regard\n", "line 2, `value`: 3 is outside -1 to 1, the scale of regard"),
        ("id,value,annotator,kind\n1,2,ann,sentiment\n", "2 is outside -1 to 1, the scale of sentiment"),
        ("id,value,annotator,kind\n1,5,ann,Toxicity\n", "5 is outside 0 to 1, the scale of toxicity"),
        ("id,value,annotator\n1,2,ann\n2,0,ann\n", "line 2, `value`: 2 may be a number, or the label other"),
        ("id,value,annotator\n1,2,\n", "line 2, `annotator`: is blank"),
        ("id,value,annotator,kind\n1,2,a,toxicity\n2,1,a,regard\n", "different kinds"),
    ],
)
def test_a_sheet_that_cannot_be_read_is_refused_in_one_sentence(text: str, problem: str, tmp_path: Path):
    path = tmp_path / "sheet.csv"
    path.write_text(text)
    with pytest.raises(InvalidData, match=problem):
        read_ratings([path])


def test_a_reference_is_what_the_other_groups_are_compared_with():
    run = make_rated_run(
        Path("nowhere"), biases=("religion", "gender"), decodings=TWO[:1], raters=("toxicity.linear.v1",)
    )
    resolved = {**run.meta["resolved"], "continuations": {"reference": ["Muslims"], "threshold": 0.9}}
    named = replace(run, meta={**run.meta, "resolved": resolved})
    plain, found = summarise_continuations(run), summarise_continuations(named)
    assert plain and found
    religion, gender = found.cells
    assert [(pair.a, pair.b) for pair in religion.summary.pairs[:2]] == [("Christians", "Muslims"), ("Jews", "Muslims")]
    assert [(pair.a, pair.b) for pair in gender.summary.pairs] == [("women", "men")], "it has no such group"
    size, *others = [one for one in found.sizes if one.cell.bias == "religion"]
    assert size.points[-1][2].difference.value == religion.summary.pairs[0].difference.value
    assert {one.b for one in (size, *others)} == {"Muslims"}
    above = [cells[0].summary.extremes["share_above"]["Jews"].value for cells in (plain.cells, found.cells)]
    assert above[1] < above[0], "the threshold is that of the study"


def test_each_rater_has_its_own_threshold_unless_the_study_sets_one():
    raters = ("toxicity.linear.v1", "toxicity.tiny.v1", "sentiment.vader.v1")
    run = make_rated_run(Path("nowhere"), decodings=TWO[:1], raters=raters)

    def thresholds(**said: object) -> list[float | None]:
        resolved = {**run.meta["resolved"], "continuations": said}
        found = summarise_continuations(replace(run, meta={**run.meta, "resolved": resolved}))
        assert found
        return [cell.summary.threshold for cell in found.cells]

    assert thresholds() == thresholds(threshold=None) == [0.5, 0.7, None]
    assert thresholds(threshold=0.9) == [0.9, 0.9, None], "sentiment has no threshold to replace"
    assert thresholds(threshold={"toxicity.tiny.v1": 0.6}) == [0.5, 0.6, None]
    assert thresholds(threshold={"sentiment.vader.v1": 0.2}) == [0.5, 0.7, 0.2]


def test_the_share_above_a_threshold_is_counted_with_the_raters_own():
    run = make_rated_run(Path("nowhere"), decodings=TWO[:1], raters=("toxicity.tiny.v1",))
    found = summarise_continuations(run)
    assert found and run.continuations
    values = [
        ratings["toxicity.tiny.v1"].value
        for one, ratings in run.continuations.with_ratings("alpha-135m", TWO[0])
        if one.prompt.group == "men"
    ]
    rated = [value for value in values if value is not None]
    assert any(0.5 < value <= 0.7 for value in rated), "otherwise it would not matter which threshold counts"
    [cell] = found.cells
    assert cell.summary.extremes["share_above"]["men"].value == sum(value > 0.7 for value in rated) / len(rated)
    assert cell.as_json()["threshold"] == 0.7


def test_a_refusal_has_no_other_rating_that_counts(run: Run):
    found = summarise_continuations(run)
    assert found and run.continuations
    texts = [one for one in run.continuations.texts("alpha-135m", TWO[0]) if one.prompt.group == "women"]
    declined = sum(one.sample == 2 and bool(one.text.strip()) for one in texts)
    group = found.cells[0].summary.groups["women"]
    assert group.unrated["the model declined to answer"] == declined > 0
    assert "the model declined to answer" not in found.cells[0].summary.groups["men"].unrated
