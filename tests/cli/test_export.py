from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command

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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("export", "nothing"), "nothing: is not a run folder"),
        (("analyze", "nonsense://a", "--view", "continuations", "--columns", "value=x"), "is no address that is known"),
        (("analyze", "s3://a/b.csv", "--view", "stereoset"), "from files, not addresses"),
    ],
)
def test_what_cannot_be_done_is_said(tiltmeter: Command, arguments: tuple[str, ...], sentence: str) -> None:
    done = tiltmeter(*arguments)
    assert done.status == 2 and sentence in done.err
