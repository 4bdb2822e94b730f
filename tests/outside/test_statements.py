"""What a plan and a report say of a study is true of what was run."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.sources.datasets import prompt_samples

pytestmark = pytest.mark.slow

BOLD = """\
name = "bold"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
[continuations]
sources = ["bold:bold"]
decoding = { temperature = 1.0, max_new_tokens = 4 }
samples = 1
raters = ["sentiment.vader"]
"""
TEXTS = """\
name = "texts"
models = ["scripted"]
[continuations]
sources = [{{ own-prompts = {{ domain = "gender", per_group = {origins} }} }}]
decoding = {{ temperature = [0.5, 1.0], max_new_tokens = 4 }}
samples = 1
raters = ["sentiment.vader"]
"""
CHECKED = """\
name = "rivers"
title = "Rivers and deserts: a check"
benchmark = true
templates = ["[T] are [A]"]
[groups.rivers]
terms = ["rivers"]
[groups.deserts]
terms = ["deserts"]
[attributes.wet]
terms = ["wet", "cool", "green", "deep", "flowing", "fishy", "muddy", "blue"]
stereotype_of = "rivers"
[attributes.dry]
terms = ["dry", "hot", "sandy", "dusty", "bare", "stony", "burning", "thirsty"]
stereotype_of = "deserts"
"""


def words_of(page: Path) -> str:
    text = html.unescape(re.sub(r"<(script|style).*?</\1>|<[^>]+>", " ", page.read_text(encoding="utf-8"), flags=re.S))
    return re.sub(r"\s+", " ", text)


def test_a_report_says_of_sources_and_intervals_what_was_run(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 22: BOLD is natural text, and where no interval was computed none is said to be by any method."""
    (tmp_path / "bold").mkdir()
    prompt_samples.bold(tmp_path / "bold")
    (tmp_path / "s.toml").write_text(BOLD, encoding="utf-8")
    done = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert done.status == 0, done.err
    report = words_of(tmp_path / "r" / "report.html")
    assert "No test sentence was found in natural text" not in report
    done_of = json.loads((tmp_path / "r" / "findings.json").read_text(encoding="utf-8"))["account"]
    assert [one["natures"] for one in done_of["sources"] if one["view"] == "continuations"] == [{"natural": 7}]
    assert done_of["intervals"]["continuations"]["methods"] == {}


def test_no_method_of_intervals_is_named_where_there_is_no_interval(tiltmeter: Command, tmp_path: Path) -> None:
    """Line 22: Student's t is cited only if something was computed by it."""
    (tmp_path / "s.toml").write_text(TEXTS.format(origins=2), encoding="utf-8")
    done = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert done.status == 0, done.err
    assert re.search(r'"low": -?\d', json.dumps(done.json["continuations"]["cells"])) is None
    assert "Student" not in words_of(tmp_path / "r" / "report.html")


@pytest.mark.parametrize(("tied", "status", "result"), [("rivers", 0, "passed"), ("deserts", 1, "failed")])
def test_the_check_of_the_instrument_is_applied(
    tied: str, status: int, result: str, tiltmeter: Command, tmp_path: Path
) -> None:
    """Line 23: it has passed or failed, and a gate can ask which."""
    wet, dry = re.findall(r"^terms = (\[.*,.*\])$", CHECKED, re.M)
    (tmp_path / "rivers.toml").write_text(CHECKED, encoding="utf-8")
    other = "deserts" if tied == "rivers" else "rivers"
    tilts = "".join(
        f"[tilts.{group}]\n" + "".join(f"{word} = 2.0\n" for word in json.loads(terms))
        for group, terms in ((tied, wet), (other, dry))
    )
    weights = "".join(
        f"{word} = 1.0\n" for word in ("other", "rivers", "deserts", "are", *json.loads(wet), *json.loads(dry))
    )
    (tmp_path / "m.toml").write_text(f"[weights]\n{weights}{tilts}", encoding="utf-8")
    (tmp_path / "s.toml").write_text(
        'models = ["scripted:m.toml"]\nspecs = ["rivers.toml"]\n[pairs]\nsources = ["templates"]\n', encoding="utf-8"
    )
    plain = tiltmeter("run", "s.toml", "--out", "r", "--json")
    assert plain.status == 0, plain.err
    value = plain.json["cells"][0]["by_bias"]["rivers"]["value"]
    assert value == (1.0 if tied == "rivers" else 0.0)
    gate = tiltmeter("run", "s.toml", "--out", "r", "--fail-if", "instrument.failed > 0")
    assert gate.status == status, gate.err
    assert [one["result"] for one in plain.json["instrument"]["results"]] == [result]


@pytest.mark.parametrize("origins", [2, 8])
def test_a_plan_says_which_questions_can_only_end_in_too_little_data(
    origins: int, tiltmeter: Command, tmp_path: Path
) -> None:
    """Line 24: what the run will not be able to say is said before it."""
    (tmp_path / "s.toml").write_text(TEXTS.format(origins=origins), encoding="utf-8")
    planned = tiltmeter("run", "s.toml", "--plan", "--json").json
    assert tiltmeter("run", "s.toml", "--out", "r").status == 0
    found = json.loads((tmp_path / "r" / "findings.json").read_text(encoding="utf-8"))["findings"]
    ended = {one["question"]["bias"] for one in found if one["verdict"]["strength"] == "too little data"}
    assert {one["bias"] for one in planned.get("reach", []) if one["why"]} == ended
    assert bool(ended) == (origins == 2)
