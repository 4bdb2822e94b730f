from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tiltmeter.cli.export import Form
from tiltmeter.present.exports import FORMS

pytestmark = pytest.mark.slow

STUDY = """
name = "t"
models = ["scripted"]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 6 } }]
decoding = { temperature = 1.0, max_new_tokens = 5 }
raters = ["sentiment.vader"]
"""


def test_a_run_is_exported_to_an_address_and_analysed_there(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    assert tiltmeter("run", "study.toml", "--out", "run").status == 0
    place = f"file://{tmp_path}/far"
    done = tiltmeter("export", "run", "--out", place, "--json")
    assert done.status == 0
    assert done.json["written"] == [f"{place}/completions.parquet", f"{place}/dropped.parquet"]
    options = ("--view", "continuations", "--columns", "value=sentiment.vader", "--json")
    there = tiltmeter("analyze", f"{place}/completions.parquet", *options)
    assert there.status == 0, there.err
    assert tiltmeter("export", "run").out.splitlines()[0] == "run/tables/completions.parquet"
    here = tiltmeter("analyze", "run/tables/completions.csv", *options)
    assert {name: (one["n"], round(one["mean"], 9)) for name, one in there.json["groups"].items()} == {
        name: (one["n"], round(one["mean"], 9)) for name, one in here.json["groups"].items()
    }


def test_the_command_knows_every_form() -> None:
    assert tuple(str(one) for one in Form) == FORMS


def test_a_spec_a_study_and_a_run_are_exported(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text(STUDY, encoding="utf-8")
    done = tiltmeter("specs", "show", "gender-math-arts")
    (tmp_path / "own.toml").write_text(done.out, encoding="utf-8")
    for given, out in (("gender-math-arts", "a"), ("own.toml", "b"), ("study.toml", "c")):
        done = tiltmeter("export", given, "--as", "lm-eval", "--out", out, "--json")
        assert done.status == 0, done.err
        assert f"{out}/utils.py" in done.json["written"]
    for one in (tmp_path / "a").iterdir():
        assert one.read_bytes() == (tmp_path / "b" / one.name).read_bytes()
    assert tiltmeter("run", "study.toml", "--out", "run").status == 0
    for form, out in (("inspect", "d"), ("hf-dataset", "e"), ("evaluate", "f.json")):
        done = tiltmeter("export", "run", "--as", form, "--out", out)
        assert done.status == 0, done.err
    assert {path.name for path in (tmp_path / "e").iterdir()} >= {"README.md", "measurements.parquet"}
    again = tiltmeter("export", "run", "--as", "lm-eval", "--out", "e")
    assert again.status == 2 and "is not of this export" in again.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("export", "nothing"), "nothing: is not a run folder"),
        (("analyze", "nonsense://a", "--view", "continuations", "--columns", "value=x"), "is no address that is known"),
        (("analyze", "s3://a/b.csv", "--view", "stereoset"), "from files, not addresses"),
        (("export", "gender-math-art", "--as", "lm-eval", "--out", "x"), "did you mean `gender-math-arts`?"),
        (("export", "gender-math-arts", "--as", "inspect"), "--out"),
        (("export", "gender-math-arts", "--as", "evaluate", "--out", "x"), "only a run has"),
        (("export", "gender-math-arts", "--as", "lm-eval", "--out", "s3://a/b"), "name a path"),
        (("export", "gender-math-arts", "--as", "lm-eval", "--out", "x", "--with-texts"), "for --as hf-dataset"),
    ],
)
def test_what_cannot_be_done_is_said(tiltmeter: Command, arguments: tuple[str, ...], sentence: str) -> None:
    done = tiltmeter(*arguments)
    assert done.status == 2 and sentence in done.err
