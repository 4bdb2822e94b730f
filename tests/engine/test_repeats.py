"""Samples that are all the same are counted, and said, whoever wrote them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from typer.testing import CliRunner

from tests.models.api_server import Served, serving
from tests.present.reading import limits_of
from tests.shared import own_cache
from tiltmeter import models
from tiltmeter.cli import app
from tiltmeter.engine import carry_out
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.results import summarise_run
from tiltmeter.store import read_run
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

STUDY = """
name = "repeats"
specs = ["gender-math-arts"]
models = [{model}]
[continuations]
sources = [{{ templates = {{ per_group = 4 }} }}]
samples = 3
decoding = {{ temperature = [0.0, 1.0], max_new_tokens = [6] }}
raters = ["readability.ari"]
"""


class Deaf(Served):
    """A server that ignores seeds."""

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        status, reply = super().reply(path, body | {"seed": 1})
        self.asked[-1] = body
        return status, reply


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", own_cache(tmp_path / "cache"))
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


@pytest.mark.parametrize("kind", [Served, Deaf])
def test_a_server_that_ignores_seeds_is_found_out(kind: type[Served], tmp_path: Path) -> None:
    served, study = kind(ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"])), tmp_path / "study.toml"
    with serving(served) as url:
        study.write_text(STUDY.format(model=f'"api:tested@{url}"'), encoding="utf-8")
        done = CliRunner().invoke(app, ["run", str(study), "--out", str(tmp_path / "run"), "--json"])
    assert done.exit_code == 0, done.output
    [found] = json.loads(done.stdout)["continuations"]["repeats"]
    assert (found["prompts"], found["texts"], found["decoding"]["temperature"]) == (8, 24, 1.0)
    is_deaf = kind is Deaf
    assert found["suspect"] == is_deaf == ("WARNING" in done.stderr)
    assert (found["same"], found["distinct"]) == ((8, 8) if is_deaf else (found["same"], found["distinct"]))
    assert is_deaf or found["distinct"] > 16
    run = read_run(tmp_path / "run")
    summary = summarise_run(run)
    said = " ".join(limits_of(run, summary))
    assert ("24 texts are worth 8" in said) == is_deaf
    seeds = [body["seed"] for body in served.asked if body["temperature"] and body["max_tokens"] == 6]
    assert len({*seeds}) == len(seeds) == 24


def test_a_local_model_that_is_seeded_wrongly_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load = models.load

    def stuck(name: str, *more: Any) -> Any:
        model = load(name, *more)
        write = model.complete
        model.complete = lambda prompts, decoding, *, samples=1, seed=0: [
            one * samples for one in write(prompts, decoding, samples=1, seed=seed)
        ]
        return model

    monkeypatch.setattr(models, "load", stuck)
    found = summarise_run(carry_out(plan(parse(STUDY.format(model='"scripted"'))), tmp_path)).continuations
    assert found is not None
    [one] = found.repeats
    assert (one.prompts, one.same, one.texts, one.distinct, one.is_suspect) == (8, 8, 24, 8, True)
