"""The first part of the report: verdicts, curves, and what the choices do."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tiltmeter.report.figures import NARROW, WIDE, to_svg
from tiltmeter.report.figures.specification import SpecificationCell, SpecificationKey, specification
from tiltmeter.report.multiverse import curve_caption, multiverse_view, write_multiverse

from tests.report.completions import DECODINGS, Lean, make_rated_run
from tests.report.next_words import make_asked_run
from tests.report.synthetic import HOSTILE, Tilt, make_run
from tests.report.test_page import Page, page_of
from tests.results.test_multiverse import BEYOND_ONE, STEREOTYPED, stereotype_run
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.findings import Finding, Findings, finding, questions, summarise_findings
from tiltmeter.results.findings.material import Material, cells_of
from tiltmeter.stats.cells import CellData
from tiltmeter.stats.flips import Flips
from tiltmeter.stats.multiverse import multiverse
from tiltmeter.store import Run

pytestmark = pytest.mark.slow

pytest.importorskip("vl_convert")

RATERS = ("sentiment.vader.v1", "toxicity.linear.v1", "refusal.v5")


def rated(**choices: object) -> Run:
    lean = Lean({"sentiment.vader.v1": -0.6, "toxicity.linear.v1": 0.3}, noise=0.1)
    settings: dict[str, object] = {"decodings": DECODINGS[:3], "raters": RATERS, "lean": lean} | choices
    return make_rated_run(Path("nowhere"), **settings)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    run = rated()
    return page_of([(run, summarise_run(run))], tmp_path_factory.mktemp("page"))


def test_the_verdict_is_the_first_thing_on_the_page(page: Page) -> None:
    start = page.html.index("<main>")
    assert page.html.index('<section id="survives"') == page.html.index("<section", start)
    assert "Holds: texts about women rated worse than texts about men in 6 of 6 cells" in page.text
    assert '<a href="#survives">What survives</a>' in page.html


def test_the_curve_is_told_to_those_who_cannot_see_it(page: Page) -> None:
    labels = [found["aria-label"] or "" for found in page.all("div") if found.get("role") == "img"]
    [wide, narrow] = [label for label in labels if label.startswith("Specification curve of 6 cells")]
    assert wide == narrow
    assert "texts about women rated worse than texts about men in 6" in wide


def test_the_spread_is_a_table_with_bars_and_flips_are_sentences(page: Page) -> None:
    assert "What the spread of the cells is due to" in page.text
    assert "times its noise" in page.text
    assert "Which choice flips it" in page.text
    bars = [found for found in page.all("svg") if found.get("class") == "bar"]
    assert bars
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


def test_one_cell_has_a_sentence_and_no_figure(tmp_path: Path) -> None:
    run = rated(decodings=DECODINGS[:1], raters=("sentiment.vader.v1",))
    found = page_of([(run, summarise_run(run))], tmp_path)
    assert "Too little data: one cell has a value, which says nothing of other choices" in found.text
    assert "Specification curve" not in found.html


def test_cells_without_a_value_are_named_with_the_reason(tmp_path: Path) -> None:
    run = stereotype_run(tmp_path, BEYOND_ONE, inner="scripted")
    view = multiverse_view(summarise_findings([(run, summarise_run(run))]), str)
    plain, by_stereotype = view.shown
    assert (plain.title, by_stereotype.title) == (
        "Tools-books, whom it expects",
        "Tools-books, whom it expects by stereotype",
    )
    assert by_stereotype.figure.name != plain.figure.name
    [note] = [note for note in by_stereotype.notes if "without a value" in note]
    assert note.startswith("6 cells without a value (source templates, words own, bounded no, combine sum")
    assert "nothing was scored of attributes tied to male (the probabilities of its words add up to 1." in note
    assert "over attributes and templates" in by_stereotype.figure.caption


def test_a_question_with_one_cell_says_what_became_of_the_others(tmp_path: Path) -> None:
    found = answer_with_one_cell(tmp_path)
    [(_, sentence)] = multiverse_view(Findings((found,), 0), str).short
    assert sentence.startswith("Too little data: one cell has a value")
    assert "1 cell without a value (rater blind): nothing was scored of attributes" in sentence


def answer_with_one_cell(folder: Path) -> Finding:
    run = stereotype_run(folder, STEREOTYPED)
    material = Material([run])
    [question] = [one for one in questions(material) if one.by_stereotype]
    data = cells_of(question, material)[0]
    blind = CellData.of({"rater": "blind"}, [None, None], ["a", "b"], [0, 1])
    return Finding(question, multiverse([replace(data, choices={"rater": "seeing"}), blind], groups=question.groups))


def test_nothing_of_a_hostile_name_becomes_markup(tmp_path: Path) -> None:
    run = rated(biases=("religion",))
    material = Material([run])
    hostile = next(one for one in questions(material) if HOSTILE in (one.first, one.second))
    view = multiverse_view(Findings((finding(hostile, material),), 3), lambda bias: HOSTILE)
    assert "<img" not in view.figures[0].wide
    assert HOSTILE in view.shown[0].sentence  # It is escaped by the template.
    named = make_run(tmp_path, tilts=[Tilt("hostile", 0.4, title=HOSTILE)])
    found = page_of([(named, summarise_run(named))], tmp_path)
    assert not found.all("img")
    assert len(found.all("script")) == 1


def test_several_models_are_named_and_checks_are_marked(tmp_path: Path) -> None:
    tilts = [Tilt("gender-math-arts", 0.5, title="Gender"), Tilt("flowers-insects", 2.0, benchmark=True)]
    run = make_run(tmp_path, tilts=tilts)
    view = multiverse_view(summarise_findings([(run, summarise_run(run))]), lambda bias: bias)
    assert [one.title for one in view.shown] == [
        "alpha-135m: Gender-math-arts, what it prefers",
        "beta-1b: Gender-math-arts, what it prefers",
        "alpha-135m: Flowers-insects, what it prefers",
        "beta-1b: Flowers-insects, what it prefers",
    ]
    assert view.verdicts
    assert [row[0].mark for row in view.verdicts.rows] == ["", "", "check", "check"]
    assert [one.opened for one in view.shown] == [True, True, True, False]


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    run = make_run(tmp_path, tilts=[Tilt(f"bias-{number}", 0.1, terms=6) for number in range(26)], models=["m"])
    found = page_of([(run, summarise_run(run))], tmp_path)
    assert "2 more questions can be asked of these runs" in found.text


def test_answers_are_written_as_json_cells_and_figures(tmp_path: Path) -> None:
    material = Material([rated()])
    write_multiverse([finding(one, material) for one in questions(material)], tmp_path / "out")
    [found] = json.loads((tmp_path / "out" / "multiverse.json").read_text(encoding="utf-8"))["answers"]
    assert found["verdict"]["strength"] == "holds"
    with (tmp_path / "out" / "cells.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 6
    assert {row["rater"] for row in rows} == set(RATERS[:2])
    assert [float(row["effect"]) for row in rows] == sorted(cell["effect"]["value"] for cell in found["curve"]["cells"])
    assert {path.suffix for path in (tmp_path / "out" / "figures").iterdir()} == {".svg", ".png"}


def test_a_cell_beyond_all_bounds_stands_at_the_edge() -> None:
    cells = [
        SpecificationCell(-1, False, {"rater": "one"}, -0.2, -0.4, 0.1),
        SpecificationCell(1, True, {"rater": "two"}),
    ]
    key = SpecificationKey("worse", "better", "firm", "open")
    for layout in (WIDE, NARROW):
        assert to_svg(specification(cells, [("rater", ["one", "two"])], key, layout)).startswith("<svg")
    marks = [
        one["shape"]
        for layer in specification(cells, [], key)["layer"]
        if layer["mark"]["type"] == "point"
        for one in layer["data"]["values"]
    ]
    assert marks[-2:] == ["circle", "triangle-up"]


def test_very_many_cells_are_thinned_and_that_is_said() -> None:
    material = Material([rated(openers=3, samples=1)])
    [found] = [finding(one, material) for one in questions(material)]
    cell = found.multiverse.curve.cells[0]
    cells = tuple(replace(cell, choices={"seed": str(number)}) for number in range(500))
    many = replace(
        found,
        multiverse=replace(found.multiverse, curve=replace(found.multiverse.curve, cells=cells)),
    )
    view = multiverse_view(Findings((many,), 0), str)
    assert "Of 500 cells 240 are drawn, evenly spaced." in view.figures[0].caption


def test_flips_are_said_in_words() -> None:
    from tiltmeter.report.multiverse_words import flip_sentences

    assert flip_sentences([]) == [
        "No two cells differ in one choice alone, so that it cannot be said what one choice does."
    ]
    assert flip_sentences([Flips("rater", None, 4, 0, 0, 0)]) == [
        "No change of a single choice turns the sign or the conclusion."
    ]
    assert flip_sentences([Flips("rater", None, 4, 3, 2, 1)]) == [
        "Changing rater and nothing else turns the sign in 3 of 4 comparisons of two cells, and the conclusion after "
        "correction in 2, 1 of these to the opposite one."
    ]


def test_a_caption_names_templates_only_where_intervals_are_over_them(tmp_path: Path) -> None:
    run = make_asked_run(tmp_path)
    for one in summarise_findings([(run, summarise_run(run))]).findings:
        cells = one.multiverse.curve.cells
        for ways in (False, True):
            made = [replace(cell, both_ways=ways) for cell in cells if cell.effect.low is not None]
            assert made and ("templates" in curve_caption(one.question, made, len(made))) == ways
        bare = [replace(cell, effect=replace(cell.effect, low=None, high=None)) for cell in cells]
        assert "95" not in curve_caption(one.question, bare, len(bare)), "no interval, no level"
