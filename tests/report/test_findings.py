"""The file of findings: the numbers of the summary, in rows that say what they are of."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tiltmeter.report.findings import FINDINGS, VERSION, findings_of, mark_of, read_findings, write_findings

from tests.report.synthetic import TILTS, make_run
from tests.web.found_runs import FINISHED, keep, make_whole_run
from tiltmeter.present.files import write_run
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.results.findings.findings import Findings, summarise_findings
from tiltmeter.store import Run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_whole_run(tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module")
def answered(run: Run, summary: RunSummary) -> Findings:
    return summarise_findings([(run, summary)])


@pytest.fixture(scope="module")
def found(run: Run, summary: RunSummary, answered: Findings) -> dict[str, Any]:
    return findings_of(run, summary, answered)


def test_what_is_written_is_read_back(run: Run, summary: RunSummary, answered: Findings, found: dict[str, Any]):
    path = write_findings(run, summary, answered)
    assert path == run.folder / FINDINGS
    assert read_findings(run.folder) == json.loads(json.dumps(found))


def test_no_number_is_undefined_but_null(found: dict[str, Any]):
    assert json.dumps(found, allow_nan=False)
    nulls = [row for row in found["pairs"]["estimates"] if row["low"] is None]
    assert all(row["note"] for row in nulls)


@pytest.mark.parametrize("version", [2, VERSION + 1])
def test_a_file_of_another_version_counts_for_nothing(tmp_path: Path, version: int):
    """Questions of version 2 have other verdicts, and none in words."""
    (tmp_path / FINDINGS).write_text(json.dumps({"version": version}))
    assert read_findings(tmp_path) is None


@pytest.mark.parametrize("text", ['{"version": 1', "[]", "\xff", ""])
def test_no_file_and_a_damaged_one_are_nothing(tmp_path: Path, text: str):
    assert read_findings(tmp_path) is None
    (tmp_path / FINDINGS).write_text(text, encoding="latin-1")
    assert read_findings(tmp_path) is None


def test_the_mark_tells_a_finished_run_from_an_unfinished_one(run: Run):
    assert mark_of(run.meta)["finished"] == FINISHED
    begun = {key: value for key, value in run.meta.items() if key != "finished"}
    assert mark_of(begun) == {**mark_of(run.meta), "finished": None}


def test_estimates_of_pairs_are_those_of_the_summary(found: dict[str, Any], summary: RunSummary):
    rows = {(row["scorer"], row["bias"]): row for row in found["pairs"]["estimates"]}
    for cell in summary.cells:
        for bias, one in cell.summary.headline_by_bias.items():
            assert {name: rows[cell.scorer, bias][name] for name in one.as_json()} == one.as_json()
        assert rows[cell.scorer, ""]["value"] == cell.summary.headline.value


def test_one_scorer_leads_each_source(found: dict[str, Any]):
    leading = {(row["source"], row["scorer"]) for row in found["pairs"]["estimates"] if row["leading"]}
    assert len(leading) == len({source for source, _ in leading}) == 1


def test_verdicts_are_in_the_words_of_the_analysis(found: dict[str, Any], answered: Findings):
    for row, one in zip(found["survives"]["questions"], answered.findings, strict=True):
        assert (row["strength"], row["sentence"]) == (one.verdict.strength, one.verdict.sentence)
        assert (row["verdict"], row["p"]) == (one.verdict.words, one.verdict.p_adjusted)
        effects = [cell["effect"] for cell in row["cells"] if cell["effect"] is not None]
        assert effects == sorted(effects)
        assert len(row["cells"]) == one.verdict.of


def test_each_cell_of_texts_knows_its_decoding_and_its_bias(found: dict[str, Any], run: Run):
    assert run.continuations
    decodings = run.continuations.decodings
    texts = [row for row in found["survives"]["questions"] if row["view"] == "continuations"]
    assert texts
    for cell in (cell for row in texts for cell in row["cells"]):
        assert cell["choices"]["new tokens"] == str(decodings[cell["decoding"]].max_new_tokens)
        assert cell["bias"] == "gender"


def test_boards_and_groups_are_of_decodings_by_their_numbers(found: dict[str, Any], summary: RunSummary, run: Run):
    assert summary.continuations
    assert run.continuations
    rows = {(row["decoding"], row["rater"], row["group"]): row for row in found["texts"]["groups"]}
    for cell in summary.continuations.cells:
        number = run.continuations.decodings.index(cell.decoding)
        for group, one in cell.summary.groups.items():
            assert rows[number, cell.rater, group]["value"] == one.mean.value
            assert rows[number, cell.rater, group]["n_unscored"] == one.mean.n_unscored
    assert {cell["decoding"] for board in found["texts"]["boards"] for cell in board["cells"]} == {0, 1}


def test_structures_have_a_point_each_and_the_plain_prompt_is_told_apart(found: dict[str, Any]):
    for strip in found["texts"]["structures"]:
        for line in strip["rows"]:
            kinds = [point["kind"] for point in line["points"]]
            assert len(kinds) == 5
            assert kinds.count("the plain prompt") == 1


def test_raters_of_one_kind_are_compared(found: dict[str, Any]):
    assert [(one["first"], one["second"]) for one in found["texts"]["agreement"]] == [
        ("sentiment.vader.v1", "sentiment.minilm.v1")
    ]


def test_next_words_have_shares_professions_and_labour(found: dict[str, Any]):
    (group,) = found["words"]
    assert [name for name, _ in group["groups"][:2]] == ["male", "female"]
    assert {row["perturbation"] for row in group["shares"]} <= {"original", "person", "start", "openers"}
    values = [row["value"] for row in group["professions"] if row["source"] == group["professions"][0]["source"]]
    assert values == sorted(values)
    assert len(values) == 6
    assert all(one["points"] for one in group["labour"])
    assert group["pictures"]


def test_no_text_of_a_model_is_in_the_file(found: dict[str, Any]):
    assert "would be late" not in json.dumps(found)


def test_numbers_of_models_and_raters_are_named(found: dict[str, Any]):
    assert found["names"]["raters"]["sentiment.vader.v1"] == "sentiment vader"
    assert len(found["names"]["decodings"]) == 2
    assert set(_biases(found)) <= set(found["names"]["biases"])


def _biases(found: dict[str, Any]) -> Iterator[str]:
    yield from (row["bias"] for row in found["pairs"]["estimates"] if row["bias"])
    yield from (row["bias"] for row in found["texts"]["groups"])
    yield from (group["bias"] for group in found["words"])


def test_a_run_without_a_view_has_none_of_it(run: Run, tmp_path: Path):
    alone = replace(run, folder=tmp_path, continuations=None, next_words=None)
    keep(alone)
    found = read_findings(tmp_path)
    assert found
    assert found["texts"] is None
    assert found["words"] == []
    assert found["pairs"]["headlines"]


def test_the_report_of_a_run_leaves_the_findings_beside_it(tmp_path: Path):
    pytest.importorskip("vl_convert")
    run = make_run(tmp_path, tilts=TILTS[:1], models=("alpha-135m",), scorers=("causal.sum.v1",))
    write_run(run, summarise_run(run))
    found = read_findings(tmp_path)
    assert found
    assert found["study"] == "synthetic"
    assert [one["model"] for one in found["pairs"]["headlines"]] == ["alpha-135m"]
