"""Attributes that the audit leaves short get clean sentences, or templates; both are marked and are scored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sources.generated.fakes import FakeGenerator
from tiltmeter import models
from tiltmeter.engine import carry_out, writing
from tiltmeter.engine.sentences import read_written_sentences
from tiltmeter.raters.issues import Finding
from tiltmeter.results import summarise_run
from tiltmeter.sources.generated import GenerationSettings
from tiltmeter.specs import load
from tiltmeter.store import Run
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

STUDY = """
name = "written"
seed = 3
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ generated = { by = "hf:./writer", sets = 2, judge = false, replace_flagged = true } }]
"""
LABEL = "generated[by=hf:./writer]"


@pytest.fixture
def carried_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Run]:
    """Carry the study out with a writer and an audit that are stand-ins: `flag` says which texts have an issue."""
    (tmp_path / "writer").mkdir()
    monkeypatch.chdir(tmp_path)
    load_model = models.load
    monkeypatch.setattr(models, "identity_of", lambda *_, **__: None)

    def run(flag: Callable[[str], bool], text: str = STUDY, folder: str = "run") -> Run:
        generator = FakeGenerator()
        monkeypatch.setattr(
            models,
            "load",
            lambda name, *settings: generator if name.endswith("writer") else load_model(name, *settings),
        )
        monkeypatch.setattr(
            "tiltmeter.raters.issues.audit",
            lambda items, explain=True: [(Finding("I1", "odd", 1.0),) if flag(one.text) else () for one in items],
        )
        return carry_out(plan(parse(text)), tmp_path / folder)

    return run


def clean_pairs(run: Run) -> Counter[tuple[str | None, int]]:
    return Counter((pair.attribute, pair.set) for pair in run.pairs if not run.flagged.get(pair.id))


def test_an_attribute_left_short_gets_other_sentences(carried_out: Callable[..., Run]) -> None:
    run = carried_out(lambda text: text.startswith(("The", "My", "A ", "Nobody")))
    regenerated = [pair for pair in run.pairs if pair.stands_in == "regenerated"]
    assert regenerated
    assert not any(pair.texts[0].startswith(("The", "My", "A ", "Nobody")) for pair in regenerated)
    assert all(pair.source == LABEL and "/round-1/" in pair.id and pair.written_for for pair in regenerated)
    assert {pair.id for pair in regenerated}.isdisjoint(run.flagged)
    counts = clean_pairs(run)
    assert len(counts) == 16 * 2
    assert min(counts.values()) >= 2
    assert len({pair.id for pair in run.pairs}) == len(run.pairs)
    [scores] = run.scores.values()
    assert len(scores) == len(run.pairs)


def test_an_attribute_that_has_enough_is_left_alone(carried_out: Callable[..., Run]) -> None:
    run = carried_out(lambda text: " algebra " in text and not text.startswith("I asked"))
    assert {pair.attribute for pair in run.pairs if pair.stands_in} <= {"algebra"}


def test_what_cannot_be_written_cleanly_is_a_template(carried_out: Callable[..., Run]) -> None:
    run = carried_out(lambda text: " algebra " in text)
    filled = [pair for pair in run.pairs if pair.stands_in]
    assert {pair.stands_in for pair in filled} == {"template"}
    assert Counter((pair.attribute, pair.set) for pair in filled) == {("algebra", 0): 2, ("algebra", 1): 2}
    spec = load("gender-math-arts")
    for pair in filled:
        assert (pair.source, pair.bias, pair.attribute_set) == (LABEL, spec.name, "math")
        assert pair.template in spec.templates
        assert pair.written_for is None


def test_the_test_itself_is_the_same_with_and_without(carried_out: Callable[..., Run]) -> None:
    def flag(text: str) -> bool:
        return text.startswith(("The", "My", "A "))

    without = carried_out(flag, STUDY.replace(", replace_flagged = true", ""), "without")
    run = carried_out(flag)
    assert not any(pair.stands_in for pair in without.pairs)
    assert run.pairs[: len(without.pairs)] == without.pairs
    assert all(pair.stands_in for pair in run.pairs[len(without.pairs) :])
    assert run.dropped == without.dropped
    assert read_written_sentences(run.folder)[0] == read_written_sentences(without.folder)[0]


def test_stopped_while_replacing_a_run_goes_on(carried_out: Callable[..., Run], monkeypatch) -> None:
    def flag(text: str) -> bool:
        return text not in clean

    clean: set[str] = set()
    whole = carried_out(flag, folder="whole")
    write = writing.write_units
    stops = iter([True, False])

    def stop_after_replacing(todo, *rest):
        results = write(todo, *rest)
        if any(unit.round for _, block in todo for unit in block) and next(stops):
            raise KeyboardInterrupt
        return results

    monkeypatch.setattr(writing, "write_units", stop_after_replacing)
    with pytest.raises(KeyboardInterrupt):
        carried_out(flag)
    assert carried_out(flag).pairs == whole.pairs


def test_every_comparison_of_a_spec_must_have_enough() -> None:
    spec = load("regard-six-groups")
    settings = GenerationSettings(per_attribute=3)
    short = writing.lacking(spec, [], settings)
    assert set(short.values()) == {3}
    assert {bias for bias, *_ in short} == {f"{spec.name}:{one}-{two}" for one, two in spec.compare}
    todo = writing.replacement_units(spec, short)
    assert len(todo) == len({(unit.attribute_set, unit.attribute) for unit in todo})
    assert all(unit.round == 1 for unit in todo)
    assert writing.replacement_settings(replace(settings, max_requests=40)).max_requests == 10
    assert writing.replacement_settings(replace(settings, max_requests=4)).max_requests == 4


def test_an_audit_that_finds_nothing_is_not_taken_for_none(carried_out: Callable[..., Run]) -> None:
    run = carried_out(lambda text: False)
    assert not run.flagged
    [cell] = summarise_run(run).cells
    assert cell.generated is not None
    assert cell.generated.by_audit is not None
    assert {effect.flagged for effect in cell.generated.by_audit.overall} == {0}
