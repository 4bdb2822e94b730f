"""A study whose sentences a chat model behind an API writes: the same choices as on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("httpx")

from typer.testing import CliRunner

from tests.models.writing_server import FAILURES, STYLES, Author, author_serving
from tests.shared import own_cache
from tiltmeter.cli import app
from tiltmeter.engine import carry_out
from tiltmeter.engine.sentences import read_written_sentences
from tiltmeter.errors import ModelError, RunError
from tiltmeter.sources.generated.checks import DECLINED
from tiltmeter.study import Plan, parse, plan

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", own_cache(tmp_path / "cache"))
    monkeypatch.setenv("TILTMETER_API_LONGEST_WAIT", "0.1")
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


def text(by: str, *others: str, more: str = "") -> str:
    sources = [*map(json.dumps, others), f"{{ generated = {{ by = {json.dumps(by)}, judge = false{more} }} }}"]
    return (
        'name = "written"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n'
        f"[pairs]\nsources = [{', '.join(sources)}]\nscorers = ['sum']\n"
    )


def study(by: str, *others: str, more: str = "") -> Plan:
    return plan(parse(text(by, *others, more=more)))


@pytest.mark.parametrize("before", ["api:", "chat:api:"])
def test_a_study_needs_no_option_either(before: str, tmp_path: Path) -> None:
    author = Author(styles=STYLES + FAILURES, faults=0.2)
    with author_serving(author) as url:
        made = study(f"{before}gpt-x@{url}", more=", replace_flagged = false")
        run = carry_out(made, tmp_path / "run")
        asked = len(author.log)
        carry_out(made, tmp_path / "run")
    assert len(author.log) == asked
    assert {pair.written_for for pair in run.pairs} == {"male", "female"}
    sentences, _ = read_written_sentences(run.folder)
    assert {one.strategy for one in sentences} == {"rejection, chat"}
    for told in author.texts():
        assert all(sign == "\n" or sign.isprintable() for sign in told)
    assert author.answered.total() == len(author.answered)
    assert run.meta["api"]


def test_a_setting_that_the_server_does_not_take_ends_the_study_before_any_request(tmp_path: Path) -> None:
    author = Author()
    with author_serving(author) as url:
        with pytest.raises(ModelError, match="takes no `top_k`"):
            carry_out(study(f"api:gpt-x@{url}", more=", top_k = 20"), tmp_path / "top")
        with pytest.raises(ModelError, match="cannot rank"):
            carry_out(study("scripted", more=f', reader = "chat:api:gpt-x@{url}"'), tmp_path / "reader")
    assert not author.used


def test_a_source_that_came_to_nothing_is_named(tmp_path: Path) -> None:
    author = Author(styles=("refusal", "declined"))
    with author_serving(author) as url:
        name = f"api:gpt-x@{url}"
        with pytest.raises(RunError, match=f"no written sentence makes a pair.*{DECLINED}"):
            carry_out(study(name), tmp_path / "alone")
        (tmp_path / "study.toml").write_text(text(name, "templates"), encoding="utf-8")
        command = ["run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "run"), "--json"]
        done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)["sentences"]
    [(source, reason)] = found["came_to_nothing"].items()
    assert (source, reason) == (f"generated[by={name}]", DECLINED)
    assert found["accounts"][source]["kept"] == 0
    assert {one["name"] for one in found["accounts"][source]["missing"]} >= {"male", "female", "math"}
    assert f"{source} has no pairs" in done.stderr
    assert f"{source} gave no usable sentence" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
