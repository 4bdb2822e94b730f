"""The file of findings: the records of the analysis, the page without texts, and what makes it out of date."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.present.reading import reported
from tests.present.synthetic import TILTS, make_run
from tests.web.found_runs import FINISHED, make_whole_run
from tiltmeter.errors import MissingExtra
from tiltmeter.present.blocks import Examples, each
from tiltmeter.present.files import write_page, write_run
from tiltmeter.present.kept import FINDINGS, VERSION, findings_of, keep_findings, mark_of, read_findings
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.present.verdicts import finding_json
from tiltmeter.results import summarise_run
from tiltmeter.store.run_folder import is_current


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Reported:
    return reported(make_whole_run(tmp_path_factory.mktemp("run")))


def test_what_is_written_is_read_back(found: Reported, tmp_path: Path) -> None:
    page = report(found)
    kept = findings_of(found, page)
    assert keep_findings(kept, tmp_path) == tmp_path / FINDINGS
    read = read_findings(tmp_path)
    assert read and read["page"] == page.without(Examples)
    assert {**read, "page": None} == json.loads(json.dumps({**kept, "page": None}))


def test_records_are_those_of_the_analysis(found: Reported) -> None:
    kept = findings_of(found, report(found))
    assert kept["findings"] == [finding_json(one) for one in found.findings]
    assert kept["instrument"] == found.summaries[0].instrument.as_json()
    assert (kept["study"], kept["finished"], kept["version"]) == ("synthetic", FINISHED, VERSION)


def test_no_text_of_a_model_is_in_the_file(found: Reported) -> None:
    assert "would be late" not in json.dumps(findings_of(found, report(found)))
    assert not list(each(report(found).without(Examples).everything, Examples))


@pytest.mark.parametrize("version", [1, VERSION - 1, VERSION + 1])
def test_a_file_of_another_version_counts_for_nothing(found: Reported, tmp_path: Path, version: int) -> None:
    kept = {**findings_of(found, report(found)), "version": version}
    keep_findings(kept, tmp_path)
    assert read_findings(tmp_path) is None


@pytest.mark.parametrize("text", ['{"version": 4', "[]", "\xff", "", '{"version": 4, "page": {"block": "Prose"}}'])
def test_no_file_and_a_damaged_one_are_nothing(tmp_path: Path, text: str) -> None:
    assert read_findings(tmp_path) is None
    (tmp_path / FINDINGS).write_text(text, encoding="latin-1")
    assert read_findings(tmp_path) is None


def test_the_mark_tells_a_finished_run_from_an_unfinished_one(found: Reported) -> None:
    meta = found.read[0].meta
    begun = {key: value for key, value in meta.items() if key != "finished"}
    assert mark_of(meta)["finished"] == FINISHED
    assert mark_of(begun) == {**mark_of(meta), "finished": None}


@pytest.mark.usefixtures("tiny_drawings")
def test_a_run_folder_gets_tables_figures_findings_and_report(tmp_path: Path) -> None:
    run = make_run(tmp_path, tilts=TILTS[:2], models=("alpha-135m",), scorers=("causal.sum.v1", "causal.rest.v2"))
    assert write_run(run, summarise_run(run)) == tmp_path / "report.html"
    names = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    drawn = {name for name in names if name.startswith("figures/")}
    charts = report(reported(run)).charts()
    assert drawn == {f"figures/{name}.{ending}" for name in charts for ending in ("svg",)}
    assert {"overview"} < set(charts)
    assert names - drawn == {
        *("report.html", FINDINGS, "summary.json"),
        *("items.parquet", "texts.parquet", "measurements.parquet"),
        *("tables/pairs.csv", "tables/estimates.csv", "tables/dropped.csv"),
    }
    # Nothing is believed to be made here whose ledger is not.
    assert not is_current(tmp_path, FINDINGS)


def test_without_the_plotting_package_nothing_is_left_half_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    run = make_run(tmp_path, tilts=TILTS[:1], models=("m",), scorers=("causal.sum.v1",))
    with pytest.raises(MissingExtra, match=r"pip install"):
        write_page(report(reported(run)), tmp_path / "page.html", figures=None)
    assert not (tmp_path / "page.html").exists()


def test_the_same_run_gives_the_same_file(found: Reported) -> None:
    other = replace(found)
    assert json.dumps(findings_of(found, report(found))) == json.dumps(findings_of(other, report(other)))
