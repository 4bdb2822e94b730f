"""The cells of a run: what they hold, and which tables they are read from."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.present.synthetic import Tilt, make_run
from tiltmeter.engine import carry_out
from tiltmeter.parquet import database, fill, save
from tiltmeter.records import Pair, PairScore
from tiltmeter.results import cells as module
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import ORDERED, Table, table_of, write_measurements
from tiltmeter.results.findings.evidence import Evidence, cells_of
from tiltmeter.results.findings.findings import finding, questions
from tiltmeter.results.measurements import MADE, measurements
from tiltmeter.results.measurements.columns import ITEMS, MEASUREMENTS
from tiltmeter.store import Run, read_run
from tiltmeter.store.run_folder import record_made_files
from tiltmeter.study import parse, plan

STUDY = """
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
scorers = ["mean", "sum"]
[continuations]
sources = [{ templates = { per_group = 2 } }]
raters = ["toxicity.linear", "sentiment.vader"]
decoding = { temperature = [1.0, 0], max_new_tokens = 4 }
[next_words]
sources = [{ natural = { limit = 4 } }]
words = "he-she"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return carry_out(plan(parse(STUDY)), tmp_path_factory.mktemp("run"))


def shown(table: Table) -> list[tuple[object, ...]]:
    return [(cell, *cell.rows) for cell in table.cells]


def test_choices_come_in_the_order_of_the_study(run: Run) -> None:
    assert run.continuations
    found = table_of(run).cells
    assert [cell.scorer for cell in found if cell.view == "pairs" and cell.measure == "margin"] == [
        "causal.mean.v1",
        "causal.sum.v1",
    ]
    rated = [cell for cell in found if cell.measure == "rating"]
    decodings = list(dict.fromkeys(cell.decoding for cell in rated))
    assert decodings == list(run.continuations.decodings)
    raters = list(dict.fromkeys(cell.rater for cell in rated))
    assert raters == [used.name for used in run.continuations.raters]


def test_a_cell_has_beside_it_the_same_items_by_another_measure(run: Run) -> None:
    for cell in table_of(run).of("pairs", measure="preference"):
        assert [row.item for row in cell.rows] == [row.item for row in cell.beside("margin").rows]
    for cell in table_of(run).of("next words", measure="difference"):
        known = {(row.item, row.group): row.value for row in cell.beside("probability").rows}
        for row in cell.rows:
            one, other = (known[row.item, group or ""] for group in (row.group, row.against))
            if one is not None and other is not None:
                assert row.value == pytest.approx(one - other)


def again(run: Run) -> Run:
    return read_run(run.folder)


def test_tables_that_were_made_here_are_read_and_others_are_made_anew(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(table_of(run))
    files = write_measurements(run, run.folder)
    # Nobody noted who wrote them.
    assert shown(table_of(again(run))) == before
    record_made_files(run.folder, files)

    def no_ledger(_: Run):
        raise AssertionError("the ledger was read")
        yield

    with monkeypatch.context() as patch:
        patch.setattr(module, "MADE", {file: (columns, no_ledger) for file, (columns, _) in MADE.items()})
        assert shown(table_of(again(run))) == before
        table = run.folder / "measurements.parquet"
        table.write_bytes(table.read_bytes() + b" ")
        with pytest.raises(AssertionError, match="the ledger was read"):
            table_of(again(run))
    # What another version wrote is not read either, whoever noted it.
    [whole] = [(columns, rows) for file, (columns, rows) in MADE.items() if file == table.name]
    with database() as found:
        fill(found, "rows", whole[0], (row for at, row in enumerate(whole[1](run)) if at % 2))
        save(found, "rows", table, {"tiltmeter": "measurements.v1"})
    record_made_files(run.folder, [table])
    assert shown(table_of(again(run))) == before


def test_tables_are_let_go_of_with_their_run(run: Run) -> None:
    held = again(run)
    table_of(held)
    at = id(held)
    assert at in module._TABLES
    del held
    assert at not in module._TABLES


def test_threads_may_read_the_same_cells_at_once(run: Run) -> None:
    held = again(run)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: shown(table_of(held)), range(8)))
    assert all(one == found[0] for one in found)


def test_two_decodings_that_differ_in_what_they_stop_at_are_two_cells(run: Run) -> None:
    [first, *_] = measurements(run)
    both = [{**first, "stop": stop, "sample": at} for at, stop in enumerate((None, '["."]'))]
    table = Table(again(run))
    with database() as found:
        fill(found, "measurements", MEASUREMENTS, both)
        fill(found, "items", ITEMS, [])
        fill(found, "ordered", ORDERED, [])
        table._database = found
        cells = table._numbered("measurements")
        assert [cell.decoding.stop for cell in cells] == [(), (".",)]
        assert [len(cell.rows) for cell in cells] == [1, 1]


def test_a_table_stays_as_it_is_when_its_files_are_written_twice(run: Run, tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, of in ((one, run), (other, again(run))):
        folder.mkdir()
        write_measurements(of, folder)
    for file in MADE:
        assert (one / file).read_bytes() == (other / file).read_bytes()


def test_the_headline_of_pairs_and_their_cell_of_a_question_are_the_same_figure() -> None:
    """Twice how far the balanced share is from one half is what lies between the two sides of a cell."""
    made = make_run(Path("nowhere"), tilts=[Tilt("gender-professions", 0.6), Tilt("age-work", 0.5)])
    noise, terms = (
        random.Random(1),
        [("he", "she"), ("John", "Amy"), ("the boy", "the girl"), ("him", "her"), ("A", "B")],
    )
    pairs = [
        replace(pair, terms=terms[at % 5], template=f"template {at // 5 % 6}") for at, pair in enumerate(made.pairs)
    ]
    lean = {one: noise.gauss(0, 1) for pair in pairs for one in (pair.terms, pair.template, pair.attribute)}
    scores = {
        place: [
            PairScore(pair, place[1], (lean[pair.terms] + lean[pair.template] + noise.gauss(0, 1), 0.0))
            for pair in pairs
        ]
        for place in made.scores
    }
    run = replace(made, pairs=pairs, scores=scores)
    headlines = {
        (cell.model, cell.scorer, bias): one
        for cell in summarise_run(run).cells
        for bias, one in cell.summary.headline_by_bias.items()
    }
    material = Evidence([run])
    checked = 0
    for question in [one for one in questions(material) if one.view == "pairs"]:
        for cell in finding(question, material, permutations=19).multiverse.curve.cells:
            if cell.choices["measure"] == "preference":
                own = headlines[question.model, cell.choices["scorer"], question.bias]
                both = zip((own.value, own.low, own.high), (cell.raw.value, cell.raw.low, cell.raw.high), strict=True)
                for shown_there, raw in both:
                    assert shown_there is not None and raw is not None
                    assert 2 * (shown_there - 0.5) == pytest.approx(raw, abs=1e-9)
                assert own.p == pytest.approx(cell.raw.p)
                checked += 1
    assert checked == sum("as-published" not in scorer for _, scorer, _ in headlines) > 3


def test_a_folder_whose_name_looks_like_a_pattern_is_read_like_any_other(tmp_path: Path) -> None:
    run = carry_out(plan(parse(STUDY)), tmp_path / "run [1] *")
    before = shown(table_of(run))
    record_made_files(run.folder, write_measurements(run, run.folder))
    assert shown(table_of(again(run))) == before


def test_two_data_sets_on_one_topic_answer_one_question_each_with_the_groups_that_it_has() -> None:
    made = make_run(Path("nowhere"), tilts=[Tilt("gender-professions", 0.6)], models=["m"], scorers=["causal.sum.v1"])
    noise = random.Random(2)

    def pair(source: str, at: int, groups: tuple[str, str], **more: Any) -> Pair:
        texts = (f"{source} one {at} {groups}", f"{source} other {at} {groups}")
        return Pair(f"{source}:{at}{groups}", source, f"{source}/gender", f"origin {at}", texts, groups, **more)

    pairs = [
        *(pair("one", at, ("women", "men"), stereotyped=at % 2) for at in range(12)),
        *(pair("other", at, ("stereotype", "anti-stereotype"), stereotyped=0) for at in range(12)),
        *(pair("other", at, ("stereotype", "unrelated"), contrast="meaning") for at in range(12)),
    ]
    scores = {place: [PairScore(one, place[1], (noise.gauss(0, 1), 0.0)) for one in pairs] for place in made.scores}
    material = Evidence([replace(made, pairs=pairs, scores=scores)])
    [question] = [one for one in questions(material) if one.view == "pairs"]
    assert (question.bias, question.first, question.second) == ("gender", "women", "men")
    cells = cells_of(question, material)
    assert {(cell.choices["source"], cell.sides is not None) for cell in cells} == {("one", True), ("other", False)}
    assert all(len(cell.values) == 12 for cell in cells), "meaningless sentences are no test"
