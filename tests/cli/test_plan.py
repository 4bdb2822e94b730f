"""`tiltmeter plan` as a user types it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.results import planned_worlds as worlds

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def pilot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pilot")
    worlds.pairs_world(folder)
    return worlds.pairs_run(folder, "pilot", "{ templates = { per_attribute = 4 } }").folder


def test_sizes_and_the_lines_of_the_study_file_are_printed(tiltmeter: Command, pilot: Path) -> None:
    done = tiltmeter("plan", pilot, "--width", 0.1)
    assert done.status == 0, done.err
    assert done.out.startswith("For 95 % intervals 0.1 wide, from low to high (± 0.05)")
    assert "60 attribute terms × " in done.out
    lines = done.out.partition("In the study file:")[2]
    found = tomllib.loads(lines)
    assert found["pairs"]["sources"][0]["templates"]["per_attribute"] > 4
    assert "alternatives" in done.out


def test_json_has_components_designs_and_floors(tiltmeter: Command, pilot: Path) -> None:
    found = tiltmeter("plan", pilot, "--width", 0.1, "--json").json
    [target] = found["targets"]
    assert target["components"]["variances"]["prompts"] > 0
    assert target["study"]["options"]["per_attribute"] == target["study"]["prompts"]
    assert target["plan"]["best"]["width"] <= 0.1 * 1.001
    assert {"origins", "prompts", "samples", "sets"} == set(target["plan"]["floors"])
    assert found["calls"]["pairs"] == target["study"]["cost"]


def test_a_width_out_of_reach_says_what_to_add(tiltmeter: Command, pilot: Path) -> None:
    done = tiltmeter("plan", pilot, "--width", 0.01)
    assert done.status == 0
    assert "with 60 attribute terms × 32 pairs: add attribute terms (from " in done.out
    assert "In the study file" not in done.out


def test_a_pilot_with_too_few_origins_is_refused_in_words(tiltmeter: Command, tmp_path: Path) -> None:
    worlds.texts_world(tmp_path, openers=4)
    run = worlds.texts_run(tmp_path, "small", '{ "prompts-file:prompts.csv" = { per_group = 4 } }', 2)
    done = tiltmeter("plan", run.folder, "--width", 0.2)
    assert (done.status, done.out) == (2, "")
    assert "nothing can be planned: prompts: the pilot has 4 origins of female with a value" in done.err
    assert len(done.err.strip().splitlines()) == 1


def test_bad_input_is_one_sentence(tiltmeter: Command, pilot: Path, tmp_path: Path) -> None:
    for arguments, sentence in (
        ((pilot, "--width", 0), "a width is a number above 0"),
        ((pilot, "--width", "inf"), "a width is a number above 0"),
        ((pilot, "--width", 0.1, "--max-origins", 3), "an interval takes 5 origins or more"),
        ((pilot, "--width", 0.1, "--bias", "none"), "there is no bias 'none' to plan for; there are qualities"),
        ((pilot, "--width", 0.1, "--model", "nobody"), "there is no model `nobody`"),
        ((tmp_path, "--width", 0.1), "is not a run folder"),
    ):
        done = tiltmeter("plan", *arguments)
        assert (done.status, done.out) == (2, ""), arguments
        assert sentence in done.err
        assert len(done.err.strip().splitlines()) == 1
