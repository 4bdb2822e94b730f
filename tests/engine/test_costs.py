"""What a plan says that a run takes is never less than what a server receives."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx")

from tests.models.api_server import START, Served, serving
from tests.models.writing_server import FAILURES, STYLES, Author, author_serving
from tests.shared import own_cache
from tiltmeter.engine import carry_out
from tiltmeter.engine.plan_size import size_of
from tiltmeter.errors import TiltmeterError
from tiltmeter.models.scripted import BUILT_IN, ScriptedModel
from tiltmeter.raters import issues
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

HEAD = 'name = "costs"\nspecs = ["gender-math-arts"]\nseed = 3\n'
PAIRS = '[pairs]\nsources = [{ templates = { per_attribute = 1 } }]\nscorers = ["sum", "forced-choice"]\n'
TEXTS = (
    "[continuations]\nsources = [{{ templates = {{ per_group = 3 }} }}]\nsamples = 2\n"
    "decoding = {{ temperature = [0.0, 1.0], max_new_tokens = [2, 4] }}\nraters = [{raters}]\n"
)
JUDGE = '{{ judge = {{ model = "{model}", question = "{question}" }} }}'
WORDS = '[next_words]\nsources = ["templates"]\nperturbations = ["original"]\n'


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", own_cache(tmp_path / "cache"))
    monkeypatch.setenv("TILTMETER_API_LONGEST_WAIT", "0.01")
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)


@dataclass
class Failing(Served):
    """Fails at each request a number of times, and refuses by chat what it is told to refuse."""

    failures: int = 0
    refused: tuple[str, ...] = ()
    seen: Counter[str] = field(default_factory=Counter)

    def reply(self, path: str, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        whole = json.dumps(body, sort_keys=True)
        self.seen[whole] += 1
        if self.seen[whole] <= self.failures:
            self.asked.append(body)
            return 500, {"error": "try again"}
        wrong = next((one for one in self.refused if one in body and "messages" in body), None)
        if wrong:
            self.asked.append(body)
            return 400, {"error": {"message": f"unsupported: {wrong}"}}
        return super().reply(path, body)


def served(**settings: Any) -> Failing:
    return Failing(ScriptedModel(BUILT_IN["weights"], BUILT_IN["tilts"]), answer=lambda _: "neutral", **settings)


def planned(text: str, folder: Path) -> dict[str, dict[str, int]]:
    """The costs of a study, which is then carried out as far as it goes."""
    made = plan(parse(text))
    costs: dict[str, dict[str, int]] = size_of(made).as_json()["api"]
    try:
        carry_out(made, folder)
    except TiltmeterError as error:
        assert "max_requests" in str(error) or "no written sentence" in str(error)
    return costs


def texts(url: str, *, judged: bool = True) -> str:
    judges = [JUDGE.format(model=f"chat:api:tested@{url}", question=one) for one in ("sentiment", "regard")]
    return TEXTS.format(raters=", ".join(judges if judged else ['"refusal"']))


STUDIES: dict[str, Callable[[str], str]] = {
    "pairs": lambda url: f'{HEAD}models = ["api:tested@{url}?start={START}"]\n{PAIRS}',
    "continuations": lambda url: f'{HEAD}models = ["chat:api:tested@{url}"]\n{texts(url, judged=False)}',
    "next words": lambda url: f'{HEAD}models = ["api:tested@{url}?start={START}"]\n{WORDS}',
    "judge": lambda url: f'{HEAD}models = ["scripted"]\n{texts(url)}',
    "all": lambda url: f'{HEAD}models = ["chat:api:tested@{url}"]\n{PAIRS}{texts(url)}',
}


REFUSED = {"refused": ("max_tokens", "top_p", "logprobs")}
STRICT = {"strict": frozenset({"top_k", "generation_config"})}


@pytest.mark.parametrize(
    ("study", "settings"),
    [
        *((study, {}) for study in STUDIES),
        ("continuations", REFUSED),
        ("judge", REFUSED),
        ("pairs", STRICT),
        ("next words", STRICT),
        ("pairs", {"failures": 2}),
        ("continuations", {"failures": 2}),
    ],
)
def test_a_server_receives_no_more_than_was_planned(study: str, settings: dict[str, Any], tmp_path: Path) -> None:
    server = served(**settings)
    with serving(server) as url:
        costs = planned(STUDIES[study](url), tmp_path / "run")
    received, bound = len(server.asked), "most" if "failures" in settings else "requests"
    assert 10 < received <= sum(cost[bound] for cost in costs.values())
    # And it is a plan, not a guess into the blue.
    assert sum(cost["requests"] for cost in costs.values()) < 2 * received + 100


@pytest.mark.parametrize("styles", [STYLES, ("numbered",), ("fewer",), FAILURES])
def test_sentences_yet_to_be_written_are_planned_for(
    styles: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The audit asks no server.
    monkeypatch.setattr(issues, "audit", lambda items, **_: [() for _ in items])
    author = Author(styles=styles)
    with author_serving(author) as url:
        name = f"chat:api:gpt-x@{url}"
        source = f'{{ generated = {{ by = "{name}", judge = false, per_attribute = 4 }} }}'
        text = f'{HEAD}models = ["{name}"]\n[pairs]\nsources = [{source}]\nscorers = ["forced-choice"]\n'
        costs = planned(text, tmp_path / "run")
    assert 40 < len(author.log) <= sum(cost["requests"] for cost in costs.values())


def test_a_limit_is_part_of_the_plan(tmp_path: Path) -> None:
    server = served(failures=1)
    with serving(server) as url:
        text = STUDIES["pairs"](url).replace("?start", "?max_requests=20&start")
        [cost] = planned(text, tmp_path / "run").values()
    assert len(server.asked) == cost["most"] == 20 < cost["requests"]
