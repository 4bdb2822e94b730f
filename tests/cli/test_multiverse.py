"""`tiltmeter multiverse` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.results.planted_studies import texts_run
from tests.results.test_multiverse import BEYOND_ONE, BY_STEREOTYPE, stereotype_run

pytestmark = pytest.mark.slow

QUESTION = "are texts about female rated worse than texts about male"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return texts_run(tmp_path_factory.mktemp("planted"), women=0.8, men=0.2).folder


def test_the_verdict_comes_first_and_the_tables_after_it(tiltmeter: Command, folder: Path) -> None:
    done = tiltmeter("multiverse", folder, "--question", QUESTION)
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    places = [
        said.index(words)
        for words in (
            "Are texts about women rated worse than texts about men?",
            "Holds: texts about women are rated worse than texts about men in all 8 methods",
            "Why the methods differ",
            "What it does not mean",
        )
    ]
    assert places == sorted(places)


def test_without_a_question_every_one_is_answered(tiltmeter: Command, folder: Path) -> None:
    done = tiltmeter("multiverse", folder, "--permutations", 99)
    assert done.status == 0, done.err
    assert done.out.startswith("Are texts about women rated worse than texts about men?")
    assert done.out.count("?") == 3
    assert "--question" in done.err
    listed = tiltmeter("multiverse", folder, "--list", "--json").json["questions"]
    assert [one["main"] for one in listed] == [True, True, True]
    assert (
        "Are texts about men rated worse than texts about nonbinary people?"
        in tiltmeter("multiverse", folder, "--list").out
    )


def test_one_question_has_the_verdict_of_the_report(tiltmeter: Command, folder: Path) -> None:
    """Three groups are three questions, and each verdict counts all of them, whichever is asked for and however."""
    assert tiltmeter("report", folder).status == 0
    reported = json.loads((folder / "findings.json").read_text(encoding="utf-8"))["findings"]
    assert [one["question"]["groups"] for one in reported] == [
        ["female", "male"],
        ["female", "nonbinary"],
        ["male", "nonbinary"],
    ]
    every = tiltmeter("multiverse", folder, "--json").json["answers"]
    for number, known in enumerate(reported, 1):
        [found] = tiltmeter("multiverse", folder, "--question", number, "--json").json["answers"]
        assert found == every[number - 1]
        assert found["verdict"] == known["verdict"]
        assert known["verdict"]["questions"] == 3
    [turned] = tiltmeter(
        "multiverse", folder, "-q", "are texts about male rated worse than texts about female", "--json"
    ).json["answers"]
    assert turned["verdict"]["p_adjusted"] == reported[0]["verdict"]["p_adjusted"]
    assert turned["verdict"]["direction"] == "second"


def test_json_has_everything_and_a_finding_stops_a_pipeline(tiltmeter: Command, folder: Path, tmp_path: Path) -> None:
    done = tiltmeter("multiverse", folder, "-q", QUESTION, "--json", "--out", "out", "--fail-if", "test.p < 0.05")
    assert done.status == 1
    [found] = done.json["answers"]
    assert found["question"]["groups"] == ["female", "male"]
    assert found["verdict"]["strength"] == "holds"
    assert len(found["curve"]["cells"]) == 8
    assert json.loads((tmp_path / "out" / "multiverse.json").read_text(encoding="utf-8")) == done.json
    assert tiltmeter("multiverse", folder, "-q", QUESTION, "--fail-if", "verdict.opposed > 0").status == 0


def test_a_stereotype_of_next_words_is_asked_for_and_cells_without_a_value_say_why(
    tiltmeter: Command, tmp_path: Path
) -> None:
    folder = stereotype_run(tmp_path / "planted", BEYOND_ONE, inner="scripted").folder
    listed = tiltmeter("multiverse", folder, "--list", "--json").json["questions"]
    assert [one["by_stereotype"] for one in listed] == [False, True]
    done = tiltmeter("multiverse", folder, "--question", BY_STEREOTYPE)
    assert done.status == 0, done.err
    said = " ".join(done.out.split())
    assert "the model expects the stereotyped group more often in all 6 methods" in said
    assert "6 methods have no value" in said
    assert "combine sum" in said
    assert "the probabilities of its words add up to" in " ".join(done.out.split())
    every = tiltmeter("multiverse", folder)
    assert "6 methods have no value: nothing was scored of attributes tied to" in every.out
    [found] = tiltmeter("multiverse", folder, "-q", BY_STEREOTYPE, "--json").json["answers"]
    without = [cell for cell in found["curve"]["cells"] if cell["sign"] is None]
    assert len(without) == 6
    assert all(sum(cell["unscored"].values()) == cell["raw"]["n_unscored"] == 96 for cell in without)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--question", "bananas"),
            "'bananas' fits none of the 3 questions that can be asked; give the number",
        ),
        (("--model", "nobody"), "there is no model `nobody`"),
        (("--fail-if", "p is small"), "write PATH SIGN NUMBER"),
    ],
)
def test_bad_input_is_one_sentence(tiltmeter: Command, folder: Path, arguments: tuple[str, ...], sentence: str) -> None:
    done = tiltmeter("multiverse", folder, *arguments)
    assert done.status == 2
    assert sentence in done.err
    assert not done.out


def test_a_folder_that_is_no_run_is_said(tiltmeter: Command, tmp_path: Path) -> None:
    done = tiltmeter("multiverse", tmp_path)
    assert (done.status, done.out) == (2, "")
    assert "is not a run folder" in done.err


def test_a_run_that_is_given_twice_is_refused_however_it_is_spelt(
    tiltmeter: Command, folder: Path, tmp_path: Path
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder, target_is_directory=True)
    for other in (folder, folder / ".." / folder.name, link):
        done = tiltmeter("multiverse", folder, other)
        assert (done.status, done.out) == (2, "")
        assert "give each run once" in done.err
