"""A classifier of the user's own, from the study file or the command line to the report."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.models.conftest import wordpiece_tokenizer
from tests.raters.test_classifier import THREE, network
from tiltmeter.store import read_meta

pytestmark = pytest.mark.slow

MAP = "LABEL_0=-1,LABEL_1=0,LABEL_2=1;worse=low;axis=tone"
STUDY = """\
name = "tone"
models = ["scripted"]
[continuations]
sources = [{{ own-prompts = {{ domain = "gender", per_group = 8 }} }}]
decoding = {{ max_new_tokens = 6 }}
samples = 1
raters = ["sentiment.vader", {rater}]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made, tokenizer = tmp_path / "mine", wordpiece_tokenizer()
    network("bert", THREE, tokenizer, None).eval().save_pretrained(made)
    tokenizer.save_pretrained(made)
    return made


def test_both_ways_to_write_it_are_the_same_study(tiltmeter: Command, tmp_path: Path, folder: Path) -> None:
    table = '{ "hf:mine" = { classes = { LABEL_0 = -1, LABEL_1 = 0, LABEL_2 = 1 }, worse = "low", axis = "tone" } }'
    found = []
    for number, rater in enumerate((f'"hf:mine[{MAP}]"', table)):
        (tmp_path / f"{number}.toml").write_text(STUDY.format(rater=rater), encoding="utf-8")
        done = tiltmeter("run", f"{number}.toml", "--out", f"r{number}", "--json")
        assert done.status == 0, done.err
        own = [cell for cell in done.json["continuations"]["cells"] if cell["rater"].startswith("hf.v1:mine@")]
        assert own and all(str(tmp_path) not in cell["rater"] for cell in own)
        found.append([(cell["rater"], cell["groups"]) for cell in own])
        findings = json.loads((tmp_path / f"r{number}" / "findings.json").read_text(encoding="utf-8"))
        assert {one["choice"] for one in findings["account"]["varied"]} >= {"rater"}
    assert found[0] == found[1]


def test_a_finished_run_is_left_as_it_is_and_other_weights_are_another_rater(
    tiltmeter: Command, tmp_path: Path, folder: Path
) -> None:
    import torch
    from transformers import AutoModelForSequenceClassification

    (tmp_path / "s.toml").write_text(STUDY.format(rater=f'"hf:mine[{MAP}]"'), encoding="utf-8")
    first = tiltmeter("run", "s.toml", "--out", "r", "--json").json
    assert "nothing to do" in tiltmeter("run", "s.toml", "--out", "r").err
    model = AutoModelForSequenceClassification.from_pretrained(folder)
    with torch.no_grad():
        model.classifier.bias.add_(1.0)
    model.save_pretrained(folder)
    second = tiltmeter("run", "s.toml", "--out", "other", "--json").json
    names = [{cell["rater"] for cell in one["continuations"]["cells"]} for one in (first, second)]
    assert len(names[0] ^ names[1]) == 2, "the weights are part of the name"


def test_texts_of_ones_own_are_rated(tiltmeter: Command, tmp_path: Path, folder: Path) -> None:
    (tmp_path / "t.csv").write_text("text\nThe nurse was tired.\nWomen\n", encoding="utf-8")
    done = tiltmeter("rate", "t.csv", "--rater", f"hf:mine[{MAP}]", "--out", "rated.csv", "--json")
    assert done.status == 0, done.err
    with (tmp_path / "rated.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    [column] = [name for name in rows[0] if name.startswith("hf.v1:mine@") and name.endswith("]")]
    assert all(-1 <= float(row[column]) <= 1 for row in rows)
    tilt = tiltmeter("raters", "tilt", "--rater", f"hf:mine[{MAP}]", "--spec", "gender-professions", "--json")
    assert tilt.status == 0 and tilt.json["raters"][0]["rater"] == column


@pytest.mark.parametrize(
    ("rater", "problem"),
    [
        ("hf:mine", "does not say what its classes mean"),
        ("hf:mine[good=1,bad=-1;worse=low]", "has no class `good`; its classes are LABEL_0, LABEL_1, LABEL_2"),
        ("hf:mine[LABEL_0=0,LABEL_1=1,LABEL_2=2]", "write worse as one of low, high, neither"),
        ("hf:nowhere/at/all[good=1,bad=-1;worse=low]", "there is no folder"),
    ],
)
def test_what_is_wrong_is_one_sentence_everywhere(
    tiltmeter: Command, tmp_path: Path, folder: Path, rater: str, problem: str
) -> None:
    (tmp_path / "t.csv").write_text("text\nThe nurse was tired.\n", encoding="utf-8")
    (tmp_path / "s.toml").write_text(STUDY.format(rater=f'"{rater}"'), encoding="utf-8")
    for command in (("rate", "t.csv", "--rater", rater, "--out", "rated.csv"), ("run", "s.toml", "--out", "r")):
        done = tiltmeter(*command)
        assert done.status == 2 and problem in done.err.strip().splitlines()[-1]
        assert not (tmp_path / "rated.csv").exists()


def test_numbers_cut_to_the_range_are_counted_in_a_run_and_said(tiltmeter: Command, tmp_path: Path) -> None:
    """A range that the head does not keep to made every rating the same, without a word."""
    made, tokenizer = tmp_path / "mine", wordpiece_tokenizer()
    network("bert", ("score",), tokenizer, "regression").eval().save_pretrained(made)
    tokenizer.save_pretrained(made)
    rater = "hf:mine[;worse=low;range=900..1000]"
    (tmp_path / "s.toml").write_text(STUDY.format(rater=f'"{rater}"'), encoding="utf-8")
    assert tiltmeter("run", "s.toml", "--out", "r").status == 0
    [(name, counted)] = read_meta(tmp_path / "r")["caveats"].items()
    with (tmp_path / "r" / "tables" / "completions.csv").open(encoding="utf-8", newline="") as file:
        rated = [row for row in csv.DictReader(file) if row[name]]
    assert name.startswith("hf.v1:mine@") and sum(counted.values()) == len(rated) > 0
    assert {float(row[name]) for row in rated} == {900.0}
    report = (tmp_path / "r" / "report.html").read_text(encoding="utf-8")
    assert next(iter(counted)).replace("'", "&#39;") in report
