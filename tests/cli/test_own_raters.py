"""A function, a column and a question of the user's, from the study file or the command line to the report."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tiltmeter.engine import carry_out
from tiltmeter.raters.functions import rater
from tiltmeter.results import summarise_continuations
from tiltmeter.study import parse, plan, read

SCALE = "range=0..1;worse=high;axis=toxicity"
FUNCTION = """\
open("ran", "a").close()


def score(texts):
    return [text.count("e") / len(text) for text in texts]
"""
STUDY = """\
name = "own"
models = ["scripted"]
[continuations]
sources = [{{ own-prompts = {{ domain = "gender", per_group = 6 }} }}]
decoding = {{ max_new_tokens = 6 }}
samples = 1
raters = ["toxicity.linear", {rater}]
"""
TABLE = '{ "python:mine.py:score" = { range = [0, 1], worse = "high", axis = "toxicity" } }'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(FUNCTION, encoding="utf-8")
    return tmp_path / "mine.py"


@pytest.mark.slow
def test_a_function_has_figures_a_tilt_and_agreement_and_is_not_run_to_read_them(
    tiltmeter: Command, tmp_path: Path, file: Path
) -> None:
    found = []
    for number, given in enumerate((f'"python:mine.py:score[{SCALE}]"', TABLE)):
        (tmp_path / f"{number}.toml").write_text(STUDY.format(rater=given), encoding="utf-8")
        done = tiltmeter("run", f"{number}.toml", "--out", f"r{number}", "--json")
        assert done.status == 0, done.err
        cells = [one for one in done.json["continuations"]["cells"] if one["rater"].startswith("python.v1:mine.py:")]
        assert cells and all(str(tmp_path) not in cell["rater"] for cell in cells)
        found.append([(cell["rater"], cell["groups"]) for cell in cells])
        both = {"toxicity.linear.v1", cells[0]["rater"]}
        assert both in [{*one["raters"]} for one in done.json["continuations"]["agreement"]]
        assert both <= {one["rater"] for one in done.json["continuations"]["tilts"]}
    assert found[0] == found[1]
    assert "nothing to do" in tiltmeter("run", "0.toml", "--out", "r0").err
    (tmp_path / "ran").unlink()
    before = (tmp_path / "r0" / "report.html").read_bytes()
    assert tiltmeter("report", "r0").status == 0 and tiltmeter("multiverse", "r0", "--list").status == 0
    assert tiltmeter("compare", "r0", "r1").status == 0 and tiltmeter("run", "0.toml", "--plan").status == 0
    assert not (tmp_path / "ran").exists(), "the code of the function was run"
    assert b"toxicity (mine.py:score@" in before
    shutil.move(file, tmp_path / "gone")
    assert tiltmeter("report", "r0").status == 0 and (tmp_path / "r0" / "report.html").read_bytes() == before
    refused = tiltmeter("run", "0.toml", "--out", "r0")
    assert refused.status == 2 and "there is no file" in refused.err


@pytest.mark.slow
def test_a_changed_function_is_measured_again(tiltmeter: Command, tmp_path: Path, file: Path) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format(rater=TABLE), encoding="utf-8")
    first = tiltmeter("run", "s.toml", "--out", "r", "--json").json
    file.write_text(FUNCTION.replace('"e"', '"o"'), encoding="utf-8")
    second = tiltmeter("run", "s.toml", "--out", "r", "--json").json
    means = [
        [cell["groups"] for cell in one["continuations"]["cells"] if cell["rater"].startswith("python")]
        for one in (first, second)
    ]
    assert means[0] != means[1] and (tmp_path / "r" / "before.1").is_dir()


@pytest.mark.slow
def test_a_function_that_fails_ends_the_run_in_a_sentence_and_the_run_goes_on_with_one_that_does_not(
    tiltmeter: Command, tmp_path: Path, file: Path
) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format(rater=TABLE), encoding="utf-8")
    file.write_text(FUNCTION.replace("/ len(text)", "/ (0 if 'woman' in text else 100)"), encoding="utf-8")
    done = tiltmeter("run", "s.toml", "--out", "r")
    assert done.status == 2 and "line 5: `score` cannot rate a list of" in done.err.strip().splitlines()[-1]
    assert not (tmp_path / "r" / "report.html").exists()
    (tmp_path / "t.csv").write_text("text\nA woman left.\n", encoding="utf-8")
    done = tiltmeter("rate", "t.csv", "--rater", f"python:mine.py:score[{SCALE}]", "--out", "rated.csv")
    assert done.status == 2 and "ZeroDivisionError" in done.err and not (tmp_path / "rated.csv").exists()
    file.write_text(FUNCTION, encoding="utf-8")
    assert tiltmeter("run", "s.toml", "--out", "r").status == 0


@pytest.mark.slow
def test_a_function_that_was_handed_over_is_named_in_a_study(tmp_path: Path) -> None:
    def score(texts: list[str]) -> list[float]:
        return [len(text) / 1000 for text in texts]

    made = rater(score, name="length", range=(0, 1), worse="neither", axis="length")
    study = parse(STUDY.format(rater='"python:length"'), file=tmp_path / "s.toml")
    run = carry_out(plan(study), tmp_path / "r")
    assert made.name in {cell.rater for cell in summarise_continuations(run).cells}


def test_texts_and_tilts_of_ones_own(tiltmeter: Command, tmp_path: Path, file: Path) -> None:
    (tmp_path / "t.csv").write_text("text,stars\nThe nurse was tired.,2\nWomen,\n", encoding="utf-8")
    column = "column:t.csv:stars[range=1..5;worse=low;axis=sentiment]"
    own = f"python:mine.py:score[{SCALE}]"
    done = tiltmeter("rate", "t.csv", "--rater", own, "--rater", column, "--out", "rated.csv", "--json")
    assert done.status == 0, done.err
    with (tmp_path / "rated.csv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    first, second = (next(name for name in rows[0] if name.startswith(kind)) for kind in ("python.v1:", "column.v1:"))
    assert [row[first] for row in rows] == ["0.15", "0.2"] and [row[second] for row in rows] == ["2.0", ""]
    tilt = tiltmeter("raters", "tilt", "--rater", own, "--spec", "gender-professions", "--json")
    assert tilt.status == 0 and tilt.json["raters"][0]["rater"] == first


@pytest.mark.slow
def test_a_judge_is_asked_ones_own_question_on_the_command_line(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("text\nThe nurse was tired.\n", encoding="utf-8")
    judge = "judge:Is the text polite?:smollm2-135m[yes=1,no=0;worse=low;axis=politeness]"
    done = tiltmeter("rate", "t.csv", "--rater", judge, "--out", "rated.csv", "--json")
    assert done.status == 0, done.err
    [found] = done.json["raters"]
    assert found["rater"].startswith("judge.chat.v1:own@") and found["column"] == found["rater"]
    assert "Is the text polite?" in found["facts"]["instruction"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ('"python:none.py:score[range=0..1;worse=high]"', "there is no file none.py"),
        ('"python:mine.py:score"', "does not say its scale"),
        ('"python:mine.py[range=0..1;worse=high]"', "names no function"),
        (f'{{ "python:mine.py:score[{SCALE}]" = {{ worse = "low" }} }}', "gives its scale twice"),
        ('{ "python:mine.py:score" = { range = [0, 1] } }', "write worse as one of low, high, neither"),
        ('"column:t.csv:stars[range=1..5;worse=low]"', "there is no file t.csv"),
        ('{ judge = { model = "smollm2-135m", question = "Polite?" } }', "needs `answers` or a `scale`"),
        ('{ judge = { model = "smollm2-135m", question = "XYZ?", scale = [0, 9], worse = "low" } }', "mask = true"),
        ('{ judge = { model = "smollm2-135m" } }', "a judge needs a chat model and a question"),
    ],
)
def test_what_is_wrong_in_a_study_is_one_sentence_with_its_line(
    tiltmeter: Command, tmp_path: Path, file: Path, given: str, problem: str
) -> None:
    (tmp_path / "s.toml").write_text(STUDY.format(rater=given), encoding="utf-8")
    done = tiltmeter("run", "s.toml", "--out", "r")
    assert done.status == 2 and problem in done.err and "s.toml, line 7" in done.err
    assert not (tmp_path / "r").exists() and not (tmp_path / "ran").exists()


def test_a_threshold_is_on_the_scale_of_an_own_rater(tmp_path: Path, file: Path) -> None:
    own = STUDY.format(rater=TABLE) + 'threshold = { "python" = 0.3 }\n'
    (tmp_path / "s.toml").write_text(own, encoding="utf-8")
    choices = read(tmp_path / "s.toml").continuations
    assert choices is not None and choices.threshold == {"python.v1": 0.3}
