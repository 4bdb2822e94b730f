"""`tiltmeter gate` as a pipeline types it: checkpoints that are worse, equal and better, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as Xml

import pytest

from tests.cli.conftest import Command, Outcome

pytestmark = pytest.mark.slow

WORDS = {"tools": [f"tool{at}" for at in range(24)], "books": [f"book{at}" for at in range(24)]}
SPEC = f"""
name = "tools-books"
title = "Tools and books"
citation = "made up for a test"
templates = ["[T] has a [A]", "[T] likes the [A]"]
[groups.male]
terms = ["he", "man"]
[groups.female]
terms = ["she", "woman"]
[attributes.tools]
terms = {json.dumps(WORDS["tools"])}
stereotype_of = "male"
[attributes.books]
terms = {json.dumps(WORDS["books"])}
stereotype_of = "female"
"""
STUDY = """
name = "{name}"
models = ["planted:{model}.toml"]
specs = ["tools-books.toml"]
seed = {seed}
[pairs]
sources = ["templates"]
scorers = ["sum"]
"""


def checkpoint(folder: Path, name: str, words: int, *, delta: float = 1.0, seed: int = 0, title: str = "") -> Path:
    """A model that goes by the stereotype in so many words of either set, and its study."""
    tilts = [
        f"[[tilt]]\nwords = {json.dumps(terms)}\ncontexts = {json.dumps(WORDS[kind][:words])}\ndelta = {delta}\n"
        for terms, kind in ((["he", "man"], "tools"), (["she", "woman"], "books"))
    ]
    (folder / f"{name}.toml").write_text('model = "scripted"\n' + "".join(tilts), encoding="utf-8")
    (folder / "tools-books.toml").write_text(SPEC, encoding="utf-8")
    study = folder / f"study-{name}.toml"
    study.write_text(STUDY.format(name=title or name, model=name, seed=seed), encoding="utf-8")
    return study


@pytest.fixture
def baseline(tiltmeter: Command, tmp_path: Path) -> Path:
    done = tiltmeter("run", checkpoint(tmp_path, "release", 12), "--out", "before")
    assert done.status == 0, done.err
    return tmp_path / "before"


def gated(tiltmeter: Command, study: Path, *more: object, **environment: str) -> Outcome:
    return tiltmeter("gate", study, "--baseline", "before", *more, **environment)


@pytest.mark.usefixtures("baseline")
def test_a_worse_an_equal_and_a_better_checkpoint(tiltmeter: Command, tmp_path: Path) -> None:
    worse = gated(tiltmeter, checkpoint(tmp_path, "worse", 22), "--json")
    assert worse.status == 1, worse.err
    [line] = worse.json["lines"]
    assert (line["bias"], line["scorer"], line["outcome"]) == ("tools-books", "causal.sum.v1", "worse")
    gap = line["candidate"]["value"] - line["baseline"]["value"]
    assert line["worsening"]["value"] == pytest.approx(gap) and line["worsening"]["low"] > 0.02
    assert (line["n"], worse.json["verdict"]) == (192, "failed")
    assert (tmp_path / "runs" / "worse").is_dir()

    equal = gated(tiltmeter, checkpoint(tmp_path, "equal", 12), "--json")
    assert equal.status == 0, equal.err
    assert equal.json["power"] == 1.0
    better = gated(tiltmeter, checkpoint(tmp_path, "better", 4), "--json")
    assert better.status == 0, better.err
    assert better.json["lines"][0]["worsening"]["high"] < 0

    # A run that is there already is only compared.
    again = gated(tiltmeter, tmp_path / "runs" / "worse")
    assert again.status == 1
    assert "tools-books" in again.out and "scoring" not in again.err
    for figure in ("192", f"{100 * line['baseline']['value']:.1f}", f"{100 * line['candidate']['value']:.1f}"):
        assert figure in again.out


def test_the_files_of_a_pipeline(tiltmeter: Command, tmp_path: Path, baseline: Path) -> None:
    files = ("--junit", "out/gate.xml", "--summary", "out/gate.md")
    step = tmp_path / "step.md"
    step.write_text("before\n", encoding="utf-8")
    github = {"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": str(step)}
    done = gated(tiltmeter, checkpoint(tmp_path, "worse", 22), *files, **github)
    assert done.status == 1
    root = Xml.parse(tmp_path / "out" / "gate.xml").getroot()
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "1", "1", "0")
    [failure] = root.iter("failure")
    assert failure.get("type") == "worse" and "tools-books" in (failure.get("message") or "")
    summary = (tmp_path / "out" / "gate.md").read_text(encoding="utf-8")
    assert step.read_text(encoding="utf-8") == "before\n" + summary
    [line] = [line for line in done.err.splitlines() if line.startswith("::error ")]
    assert "tools-books" in line
    passed = gated(tiltmeter, baseline.parent / "runs" / "worse", "--tolerance", 0.9, *files, GITHUB_ACTIONS="true")
    assert passed.status == 0 and "::" not in passed.err
    assert Xml.parse(tmp_path / "out" / "gate.xml").getroot().get("failures") == "0"


@pytest.mark.usefixtures("baseline")
def test_a_gate_without_power_is_refused_and_may_be_insisted_on(tiltmeter: Command, tmp_path: Path) -> None:
    study = checkpoint(tmp_path, "near", 13)
    refused = gated(tiltmeter, study, "--tolerance", 0.005, "--junit", "gate.xml")
    assert refused.status == 2, refused.out
    assert "cannot detect its own tolerance" in refused.out
    [error] = Xml.parse(tmp_path / "gate.xml").getroot().iter("error")
    assert error.get("type") == "refused"
    assert gated(tiltmeter, study, "--tolerance", 0.005, "--insist").status == 1
    assert gated(tiltmeter, study, "--tolerance", 0.2).status == 0


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--fail-if", "tools-boks worse by more than 2 points"), "did you mean `tools-books`"),
        (("--fail-if", "pairs.overal.difference.low > 0.02"), "has no `pairs.overal"),
        (("--fail-if", "continuations worse"), "there is no view, bias"),
        (("--fail-if", "worse by 2 points"), "worse by more than 2 points"),
        (("--tolerance", "2"), "between 0 and 1"),
        (("--model", "other"), "there is no model `other`"),
        (("--out", "before"), "is the baseline"),
        (("--junit", "x", "--summary", "x"), "name two files"),
    ],
)
def test_what_cannot_be_decided_is_refused_before_anything_is_measured(
    tiltmeter: Command, tmp_path: Path, baseline: Path, more: tuple[str, ...], sentence: str
) -> None:
    ledger = (baseline / "ledger.sqlite").read_bytes() if (baseline / "ledger.sqlite").exists() else b""
    there = sorted(path.name for path in tmp_path.iterdir())
    study = checkpoint(tmp_path, "release", 12, title="candidate")
    done = gated(tiltmeter, study, *more)
    assert done.status == 2
    assert sentence in done.err
    assert not (tmp_path / "runs").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == there
    assert ledger == ((baseline / "ledger.sqlite").read_bytes() if ledger else b"")


@pytest.mark.usefixtures("baseline")
def test_a_candidate_that_is_asked_other_questions_is_refused(tiltmeter: Command, tmp_path: Path) -> None:
    done = gated(tiltmeter, checkpoint(tmp_path, "other", 12, seed=7))
    assert done.status == 2
    assert "asks other questions" in done.err and "seed" in done.err
    assert not (tmp_path / "runs").exists()


@pytest.mark.usefixtures("baseline")
def test_conditions_name_what_made_them_hold(tiltmeter: Command, tmp_path: Path) -> None:
    study = checkpoint(tmp_path, "worse", 22)
    done = gated(tiltmeter, study, "--fail-if", "pairs.overall.difference.high < -0.02")
    assert done.status == 1
    assert "causal.sum.v1" in done.out and "difference.high is -" in done.out
    compared = tiltmeter("compare", "before", "runs/worse", "--fail-if", "pairs.overall.difference.high < -0.02")
    assert compared.status == 1
    held = next(line for line in compared.err.splitlines() if "--fail-if holds" in line)
    for part in ("release.toml (A)", "worse.toml (B)", "causal.sum.v1", "n = 192"):
        assert part in held
    ran = tiltmeter("run", study, "--fail-if", "headline.low > 0.6")
    assert ran.status == 1
    held = next(line for line in ran.err.splitlines() if "--fail-if holds" in line)
    for part in ("headline.low is 0.", "worse.toml", "scorer causal.sum.v1", "source templates"):
        assert part in held


def test_help_says_how_it_exits(tiltmeter: Command) -> None:
    said = tiltmeter("gate", "--help").out
    for word in ("--baseline", "--junit", "--insist", "0: passed", "1: failed", "2: refused"):
        assert word in said
