"""Studies on models behind an API: what they cost, what is kept, and that nothing is paid for twice."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from typer.testing import CliRunner

from tests.models.api_server import START, Served, serving
from tiltmeter import models
from tiltmeter.cli import app
from tiltmeter.engine import carry_out
from tiltmeter.engine.costs import expected_costs
from tiltmeter.engine.run import scorers_for
from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings
from tiltmeter.models.api import BudgetSpent
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.store import Run, read_run
from tiltmeter.study import Plan, parse, plan

pytestmark = pytest.mark.slow

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "api_faults.py"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


@pytest.fixture
def served() -> Served:
    return Served(ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"]), answer=lambda text: "AB"[len(text) % 2])


@pytest.fixture
def url(served: Served) -> Iterator[str]:
    with serving(served) as found:
        yield found


def study(*names: str, scorers: tuple[str, ...] = ("sum", "rest"), more: str = "") -> Plan:
    return plan(
        parse(
            f'name = "api"\nspecs = ["gender-math-arts"]\nmodels = {json.dumps(names)}\n[pairs]\n'
            f"sources = [{{ templates = {{ per_attribute = 1 }} }}]\nscorers = {json.dumps(scorers)}\n{more}"
        )
    )


def by_scorer(run: Run, model: str) -> dict[str, list[Any]]:
    return {
        scorer: [one.scores for one in found] for (name, scorer), found in run.scores.items() if name.startswith(model)
    }


def test_a_study_gives_the_scores_of_the_model_itself_and_says_what_it_took(
    served: Served, url: str, tmp_path: Path
) -> None:
    made = study("scripted", f"api:tested@{url}?start={START}")
    run = carry_out(made, tmp_path)
    near, far = by_scorer(run, "scripted"), by_scorer(run, "api:")
    assert {*near} == {*far} == {"causal.sum.v1", "causal.rest.v2"}
    for scorer, scores in near.items():
        assert far[scorer] == [pytest.approx(both, abs=1e-9) for both in scores]
    [(name, spent)] = run.meta["api"].items()
    assert name == f"api:tested@{url}"
    assert spent["requests"] == spent["answered"] == len(served.asked)
    asked = len(served.asked)
    carry_out(made, tmp_path)
    assert len(served.asked) == asked


@pytest.mark.slow
def test_a_study_on_real_weights_gives_the_scores_of_the_model_itself(tmp_path: Path) -> None:
    few = tmp_path / "pairs.csv"
    few.write_text(
        "sentence_1,sentence_2,term_1,term_2,attribute\n"
        "The man likes math.,The woman likes math.,man,woman,math\n"
        "My uncle is good at poetry.,My aunt is good at poetry.,uncle,aunt,poetry\n"
        "He wrote a symphony.,She wrote a symphony.,He,She,symphony\n",
        encoding="utf-8",
    )
    local = models.load("smollm2-135m", ModelSettings(device="cpu", threads=1))
    with serving(Served(local, start="<|endoftext|>")) as url:
        names = ["smollm2-135m", f"api:tested@{url}?start=<|endoftext|>"]
        made = plan(
            parse(
                f"models = {json.dumps(names)}\n[pairs]\nsources = {json.dumps([f'pairs-file:{few}'])}\n"
                'scorers = ["sum", "mean", "as-published"]\n'
            )
        )
        run = carry_out(made, tmp_path / "run", ModelSettings(device="cpu", threads=1))
    near, far = by_scorer(run, "smollm2"), by_scorer(run, "api:")
    assert len(near) == len(far) == 3
    assert all(None not in both for scores in near.values() for both in scores)
    for scorer, scores in near.items():
        assert far[scorer] == [pytest.approx(both, abs=1e-3) for both in scores]


def test_each_model_is_asked_what_it_can_answer(served: Served, url: str, tmp_path: Path) -> None:
    served.echo = False
    run = carry_out(study("scripted", f"api:tested@{url}", scorers=("sum", "forced-choice")), tmp_path)
    assert [(name[:3], scorer) for name, scorer in run.scores] == [
        ("scr", "causal.sum.v1"),
        ("api", "causal.forced-choice.v1"),
    ]


def test_a_plan_says_at_most_what_it_takes(served: Served, url: str, tmp_path: Path) -> None:
    more = '[continuations]\nsources = ["templates"]\ndecoding = { max_new_tokens = [3] }\nsamples = 1\n'
    more += 'raters = ["refusal"]\n'
    name = f"api:tested@{url}?start={START}&price_in=1&price_out=3&concurrency=2"
    made = study(name, more=more)
    [(called, cost)] = expected_costs(made, scorers_for(made.study, "causal")).items()
    assert called == models.lasting_name(name)
    assert cost.money == pytest.approx((cost.tokens_in + 3 * cost.tokens_out) / 1e6)
    spent = carry_out(made, tmp_path).meta["api"][f"api:tested@{url}"]
    # What it takes to see what the server can do is part of it; here it is one request.
    assert cost.requests - 30 < spent["requests"] <= cost.requests <= cost.most
    assert spent["tokens_out"] - 1 <= cost.tokens_out


def test_a_limit_that_is_raised_makes_no_other_study(served: Served, url: str, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(BudgetSpent, match="the budget of 5 requests is used up"):
            carry_out(study(f"api:tested@{url}?start={START}&max_requests=5"), tmp_path)
        assert len(served.asked) == 5
        assert next(iter(read_run(tmp_path).meta["api"].values()))["answered"] == 5
    run = carry_out(study(f"api:tested@{url}?start={START}&max_requests=500"), tmp_path)
    assert len({json.dumps(body, sort_keys=True) for body in served.asked}) == len(served.asked)
    assert next(iter(run.meta["api"].values()))["answered"] == len(served.asked)


def test_the_command_says_the_cost_before_and_the_count_after(url: str, tmp_path: Path) -> None:
    text = study(f"api:tested@{url}?start={START}&price_in=1&price_out=2").study.text
    (tmp_path / "study.toml").write_text(text, encoding="utf-8")
    found = CliRunner().invoke(app, ["run", str(tmp_path / "study.toml"), "--out", str(tmp_path / "run"), "--json"])
    assert found.exit_code == 0, found.output
    assert f"plan: api:tested@{url}?start=%3C%7Cstart%7C%3E: at most " in found.stderr
    [after] = [line for line in found.stderr.splitlines() if line.startswith(f"api:tested@{url}: ")]
    assert re.search(r"(\d+) requests, \1 answered; [\d,]+ tokens read and \1 written, which cost 0\.00\d+$", after)
    assert json.loads(found.stdout)["api"][f"api:tested@{url}"]["answered"] > 0


def test_scoring_pairs_of_a_file_says_what_it_took_and_asks_nothing_twice(
    url: str, served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "pairs.csv").write_text("sentence_1,sentence_2\nShe is kind.,He is kind.\n", encoding="utf-8")
    name = f"api:tested@{url}"
    command = ["score", str(tmp_path / "pairs.csv"), "-m", f"{name}?start={START}&price_in=1&price_out=2", "--json"]
    took = []
    for out in ("first.csv", "second.csv"):
        before = len(served.asked)
        found = CliRunner().invoke(app, [*command, "-o", str(tmp_path / out)])
        assert found.exit_code == 0, found.output
        [line] = [line for line in found.stderr.splitlines() if line.startswith(f"{name}: ")]
        spent = json.loads(found.stdout)["api"][name]
        assert spent["answered"] == len(served.asked) - before
        assert line.startswith(f"{name}: {spent['requests']} requests, {spent['answered']} answered; ")
        assert "which cost" in line
        took.append(spent["answered"])
    assert took[0] > took[1]
    assert (tmp_path / "first.csv").read_bytes() == (tmp_path / "second.csv").read_bytes()


@pytest.mark.slow
def test_a_run_that_is_killed_midway_sends_no_answered_request_again() -> None:
    found = subprocess.run(
        [sys.executable, str(BENCHMARK), "--requests", "400"], capture_output=True, text=True, check=False, timeout=300
    )
    assert found.returncode == 0, found.stdout + found.stderr
    assert found.stdout.count("- holds: ") == 7


def test_a_server_that_says_it_has_another_model_is_asked_again(
    served: Served, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = study(f"api:tested@{url}?start={START}")
    first = by_scorer(carry_out(made, tmp_path), "api:")
    asked = len(served.asked)
    weights = {**BUILT_IN["weights"], "math": 40.0}
    listed = {"object": "list", "data": [{"id": "tested", "owned_by": "tests", "root": "other", "max_model_len": 8192}]}
    monkeypatch.setattr(served, "model", ScriptedModel(weights, BUILT_IN["tilts"]))
    monkeypatch.setattr(served, "models", lambda: listed)
    second = by_scorer(carry_out(made, tmp_path), "api:")
    assert len(served.asked) > asked
    assert first != second
    assert by_scorer(read_run(tmp_path / "before.1"), "api:") == first


def test_a_server_that_is_gone_leaves_a_finished_run_alone(tmp_path: Path, served: Served) -> None:
    with serving(served) as url:
        made = study(f"api:tested@{url}?start={START}&attempts=1")
        first = by_scorer(carry_out(made, tmp_path), "api:")
    with pytest.raises(ModelError):
        carry_out(made, tmp_path)
    assert by_scorer(read_run(tmp_path), "api:") == first
