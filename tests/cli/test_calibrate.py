"""Calibrate as a user does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

SMALL = ("--model", "scripted", "--quick", "--studies", 60, "--origins", 20, "--workers", 1)


@pytest.mark.slow
def test_a_calibration_in_json_and_as_a_table(tiltmeter: Command, tmp_path: Path) -> None:
    cache = {"TILTMETER_CACHE": str(tmp_path / "cache")}
    views = ("--view", "natural", "--view", "continuations")
    done = tiltmeter("calibrate", *SMALL, *views, "--json", "--out", "c.json", **cache)
    assert done.status == 0, done.err
    found = done.json
    assert json.loads((tmp_path / "c.json").read_text(encoding="utf-8")) == found
    reading = found["natural"]["log_ratio"]["20"]
    assert reading["no_tilt"]["studies"] == 60
    assert reading["no_tilt"]["truth"] == pytest.approx(0, abs=1e-9)
    assert list(reading["tilts"]) == ["0.05", "0.1", "0.2", "0.5", "1"]
    truths = [reading["tilts"][tilt]["truth"] for tilt in reading["tilts"]]
    assert truths == sorted(truths)
    assert found["natural"]["emd"]["20"]["coverage"] is None
    assert set(found["sentences"]) == {"natural", "continuations"}
    again = tiltmeter(
        "calibrate", *SMALL, "--view", "natural", "--fail-if", "natural.log_ratio.20.studies > 1", **cache
    )
    assert again.status == 2
    held = tiltmeter(
        "calibrate", *SMALL, "--view", "natural", "--fail-if", "natural.log_ratio.20.coverage.low < 1", **cache
    )
    assert held.status == 1
    assert "log_ratio" in held.out
    assert "natural, log_ratio:" in held.out
    assert held.err.startswith("simulated studies: 137 to do\n")


@pytest.mark.slow
def test_with_too_few_studies_nothing_is_called_right_and_no_power_is_told(tiltmeter: Command) -> None:
    done = tiltmeter("calibrate", *SMALL, "--view", "continuations")
    assert done.status == 0, done.err
    rows = [line for line in done.out.splitlines() if line.startswith(("sentiment_", "negative_")) and "%" in line]
    assert len(rows) == 9
    assert all(row.rstrip().endswith("too few studies") for row in rows)
    few = "too few studies to say what a study can detect (3 of each tilt where 100 are needed: raise --studies)"
    assert f"continuations, negative_shared: {few}" in done.out
    assert "9 of 9 checks rest on too few studies to pass" in done.err
    found = tiltmeter("calibrate", *SMALL, "--view", "continuations", "--json").json
    assert (found["failing"], len(found["too_few_studies"])) == ([], 9)
    assert found["continuations"]["negative_shared"]["20"]["smallest_tilt"] is None


def test_what_is_not_a_view_is_refused(tiltmeter: Command) -> None:
    done = tiltmeter("calibrate", "--model", "scripted", "--view", "moods")
    assert (done.status, done.out) == (2, "")
    assert "moods" in done.err


def test_a_condition_that_cannot_be_read_is_refused_before_any_work(tiltmeter: Command) -> None:
    done = tiltmeter("calibrate", "--model", "scripted", "--fail-if", "nonsense")
    assert (done.status, done.out) == (2, "")


@pytest.mark.slow
def test_the_numbers_of_test_words_may_be_those_of_a_run(tiltmeter: Command, tmp_path: Path) -> None:
    study = 'models = ["scripted"]\nspecs = ["gender-math-arts"]\n[pairs]\nsources = ["templates"]\n'
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    assert tiltmeter("run", "study.toml", "--out", "run").status == 0
    cache, few = {"TILTMETER_CACHE": str(tmp_path / "cache")}, ("--quick", "--studies", 20, "--workers", 1)
    options = ("--model", "scripted", "--view", "natural", *few, "--like", "run")
    found = tiltmeter("calibrate", *options, "--json", **cache).json
    assert list(found["natural"]["log_ratio"]) == ["16"]
    refused = tiltmeter("calibrate", *options, "--origins", 20, **cache)
    assert (refused.status, "leave --origins out" in refused.err) == (2, True)
