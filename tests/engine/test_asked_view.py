"""A view that nobody has heard of and that is asked by queries: it is declared, and everything else works for it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tiltmeter import registry
from tiltmeter.engine import carry_out
from tiltmeter.engine.plan_size import size_of
from tiltmeter.parquet import Rows
from tiltmeter.present.markdown import write_markdown
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.records import Item, Prompt, Query, TokenScores
from tiltmeter.results import summarise_run
from tiltmeter.results.cells import table_of
from tiltmeter.results.findings.evidence import Evidence
from tiltmeter.results.findings.findings import questions
from tiltmeter.results.measurements.columns import of_prompt, prompt_item, scale
from tiltmeter.results.views import RESULTS, ViewResults
from tiltmeter.store import GivenAnswers, Run, read_run
from tiltmeter.study import SourceChoice, parse, plan
from tiltmeter.study.asked import ASKED, AskedView
from tiltmeter.study.reader import Reader, prompt_sources
from tiltmeter.views import FACTS, ViewFacts, Words

VIEW = "endings"
WORDS = Words("Do sentences about {first} end worse than those about {second}?", "{first} end worse than {second}")


@dataclass(frozen=True)
class Ends:
    """Asks how probable a good and a bad ending are."""

    good: str
    bad: str

    def asks(self, prompt: Prompt) -> tuple[Query, ...]:
        return tuple(Query(f"{prompt.text} {word}", "left") for word in (self.good, self.bad))


@dataclass(frozen=True)
class Endings:
    """What a study file says of the view."""

    sources: tuple[SourceChoice, ...]

    def ways(self, conditionings: Collection[str] | None) -> list[Ends]:
        return [Ends("kindness", "cruelty")] if conditionings is None or "left" in conditionings else []

    def unfit(self, model: str) -> str:
        return f"{model} reads no endings"


def read(reader: Reader) -> Endings:
    return Endings(prompt_sources(reader, VIEW, ["templates"]))


def restored(_: Mapping[str, Any]) -> Endings:
    return Endings(())


def measured(run: Run) -> Rows:
    [way], given = Endings(()).ways(None), GivenAnswers(run.folder)
    for model in run.facts:
        for item in run.asked[VIEW]:
            assert isinstance(item, Prompt)
            answers = given.known(model, way.asks(item))
            if len(answers) == 2:
                good, bad = (_last(answers[query]) for query in way.asks(item))
                place = {"model": model, **of_prompt(item), "group": item.group, "scorer": "ends.v1"}
                yield {**place, "measure": "lead", "value": good - bad, **scale(None, None, None, -1)}


def _last(answer: object) -> float:
    assert isinstance(answer, TokenScores)
    return answer.logprobs[-1] or 0.0


def items(run: Run) -> Rows:
    return (prompt_item(item) for item in run.asked[VIEW] if isinstance(item, Prompt))


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = ViewFacts(VIEW, "How it ends", "sentence", VIEW, ("lead",), choices=("scorer",), words=WORDS)
    monkeypatch.setitem(FACTS, VIEW, facts)
    monkeypatch.setitem(RESULTS, VIEW, ViewResults(measured, items))
    monkeypatch.setitem(ASKED, VIEW, AskedView(Prompt, read, restored))
    place = registry.SOURCES["templates.v1"]
    monkeypatch.setitem(place, VIEW, place["continuations"])
    registry.table.cache_clear()
    yield
    registry.table.cache_clear()


def test_a_view_is_declared_and_works(declared: None, tmp_path: Path) -> None:
    text = 'name = "e"\nmodels = ["scripted"]\nspecs = ["gender-math-arts"]\n[endings]\n'
    made = plan(parse(text, file=tmp_path / "e.toml"))
    every: list[Item] = list(made.items[VIEW])
    assert size_of(made).as_json()[VIEW]["items"] == len(every) > 20
    run = carry_out(made, tmp_path / "run")
    [cell] = table_of(run).of(VIEW)
    assert len(cell.rows) == len(every)
    [asked] = [one for one in questions(Evidence([run])) if one.view == VIEW]
    assert asked.text == "Do sentences about men end worse than those about women?"
    written = write_markdown(report(Reported.of([(run, summarise_run(run))])), "")
    assert "How it ends (endings)" in written
    assert not summarise_run(read_run(tmp_path / "run")).missing
