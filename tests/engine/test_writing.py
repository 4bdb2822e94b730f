"""A study whose sentences a model writes: units are kept, resumed, paired, audited and scored."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.sources.generated.fakes import SPEC, FakeGenerator
from tiltmeter import models
from tiltmeter.engine import carry_out, sentence_units, writing
from tiltmeter.engine.sentences import read_written_sentences
from tiltmeter.errors import ModelError, RunError
from tiltmeter.present.blocks import Table, each
from tiltmeter.present.files import write_run
from tiltmeter.present.reported import Reported
from tiltmeter.present.sections.pairs.written import written as written_section
from tiltmeter.records import ModelFacts
from tiltmeter.results import summarise_run
from tiltmeter.results.findings.findings import Findings
from tiltmeter.sources import generated
from tiltmeter.sources.generated import GenerationSettings
from tiltmeter.sources.generated.interface import NO_REVIEW
from tiltmeter.sources.generated.matching import contains
from tiltmeter.sources.generated.shots import chooser
from tiltmeter.specs import load as load_spec
from tiltmeter.store import Ledger, Run, read_run, read_written
from tiltmeter.study import Plan, parse, plan

pytestmark = pytest.mark.slow

STUDY = """
name = "written"
seed = 3
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = ["templates", { generated = { by = "hf:./writer", per_attribute = 2, sets = 3, judge = false } }]
scorers = ["sum", "mean"]
"""


def stand_in(folder: Path, patch: pytest.MonkeyPatch) -> Plan:
    """A study with a writer that is a stand-in: what it writes is fixed, how it is used is real."""
    (folder / "writer").mkdir()
    patch.chdir(folder)
    load = models.load

    def load_or_fake(name, *settings):
        return FakeGenerator() if name.endswith("writer") else load(name, *settings)

    patch.setattr(models, "load", load_or_fake)
    patch.setattr(models, "identity_of", lambda *_, **__: None)
    return plan(parse(STUDY))


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    return stand_in(tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The study, carried out once; who changes it takes a copy."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        return carry_out(stand_in(folder, patch), folder / "run")


def test_every_attribute_gets_sentences_in_every_set(run: Run) -> None:
    written = [pair for pair in run.pairs if pair.written_for]
    assert {pair.source for pair in written} == {"generated[by=hf:./writer]"}
    assert {pair.set for pair in written} == {0, 1, 2}
    for number in range(3):
        found = [pair for pair in written if pair.set == number]
        assert len({pair.attribute for pair in found}) == 16
        assert all(
            {pair.written_for for pair in found if pair.attribute == name} == {"male", "female"} for name in ("math",)
        )
    assert set(run.writers) == {"fake"}
    assert set(run.facts) == {"scripted"}


def test_an_interrupted_writing_goes_on_where_it_stopped(
    study: Plan, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_block = sentence_units.generated.write_block
    written: list[str] = []
    calls = 0

    def write_and_stop(spec, block, *rest, **more):
        nonlocal calls
        calls += 1
        if calls % 3 == 2:
            raise KeyboardInterrupt
        written.extend(unit.id for unit in block)
        return write_block(spec, block, *rest, **more)

    monkeypatch.setattr(sentence_units.generated, "write_block", write_and_stop)
    for _ in range(40):
        try:
            broken = carry_out(study, tmp_path / "broken")
            break
        except KeyboardInterrupt:
            continue
    assert len(written) == len(set(written)) == 3 * 16, "a unit was written twice, or left out"
    assert broken.pairs == run.pairs
    assert broken.scores == run.scores


class Counting:
    """A watcher that adds up."""

    def __init__(self) -> None:
        self.steps, self.failed = 0, 0

    def start(self, what: str, total: int, done: int) -> None:
        pass

    def advance(self, steps: int, failed: int | None = None) -> None:
        assert failed is not None
        self.steps, self.failed = self.steps + steps, self.failed + failed


def test_a_unit_of_which_no_sentence_is_kept_has_come_to_nothing() -> None:
    shots = chooser("fixed", SPEC)
    todo = [(SPEC, generated.units(SPEC, GenerationSettings(sets=2)))]

    def heard(write: Callable[..., str] | None) -> Counting:
        author = sentence_units.Author(
            FakeGenerator(write), GenerationSettings(max_requests=2), {SPEC.name: shots}, NO_REVIEW
        )
        watcher = Counting()
        sentence_units.write_units(todo, lambda: author, sentence_units.Journal(), watcher, "writing")
        return watcher

    well, badly = heard(None), heard(lambda source, term, attribute: "No such words here.")
    assert (well.steps, well.failed, badly.steps, badly.failed) == (8, 0, 8, 8)


def test_the_sentences_of_a_run_can_be_read_back_under_their_ids(run: Run) -> None:
    sentences, specs = read_written_sentences(run.folder)
    assert specs["gender-math-arts"] == load_spec("gender-math-arts")
    kept = {one.id for one in sentences if one.dropped is None}
    [label] = {pair.source for pair in run.pairs if pair.written_for}
    made = {pair.id.removeprefix(f"{label}:").rpartition("/")[0] for pair in run.pairs if pair.written_for}
    assert made <= kept
    assert all(one.dropped or one.id in kept for one in sentences)


def test_a_summary_has_sets_halves_and_templates_beside_them(run: Run) -> None:
    summary = summarise_run(run)
    cell = next(cell for cell in summary.cells if cell.generated)
    assert cell.generated is not None
    assert len(cell.generated.sets["gender-math-arts"].values) == 3
    assert set(cell.generated.halves["gender-math-arts"]) == {"male", "female"}
    [comparison] = [one for one in summary.comparisons if one.scorer == "causal.sum.v1"]
    assert (comparison.first, comparison.second) == ("templates", "generated[by=hf:./writer]")
    page = write_run(run, summary).read_text(encoding="utf-8")
    assert "Sentences that a model wrote" in page
    assert "Mean over sets" in page
    assert json.loads((run.folder / "summary.json").read_text(encoding="utf-8"))["comparisons"]


def test_the_account_of_a_run_is_told_spec_by_spec_and_set_by_set(run: Run) -> None:
    summary = summarise_run(run)
    assert summary.sentences is not None
    [(source, account)] = summary.sentences.accounts.items()
    by_spec = summary.sentences.accounts_by_spec[source]
    assert list(by_spec) == ["gender-math-arts"]
    results = read_written(run.folder)[source]
    sentences = [one for result in results for one in result.sentences]
    assert (account.requests, account.decoded) == (sum(one.requests for one in results), len(sentences))
    assert account.kept == by_spec["gender-math-arts"].kept <= account.accepted <= account.decoded
    assert sum(dict(account.dropped).values()) == account.decoded - account.kept
    for number, share in enumerate(summary.sentences.controllability[source].values):
        own = [one for one in sentences if one.set == number]
        both = [contains(one.text, one.term) and contains(one.text, one.attribute) for one in own]
        assert share == pytest.approx(sum(both) / len(own))
    (section,) = written_section(Reported.of([(run, summary)], Findings((), 0)))
    tables = {one.caption: one for one in each([section], Table)}
    [row] = tables["What was asked for, and what was kept"].rows
    assert [row[1].text, row[3].text, row[8].text] == [
        f"{account.requests:,}",
        f"{account.decoded:,}",
        f"{account.kept:,}",
    ]
    reasons = {row[0].text: row[1].text for row in tables["Why the rest were dropped"].rows}
    assert reasons == {reason: f"{number:,}" for reason, number in account.dropped}
    groups = tables["By group"].rows
    assert [row[6].text for row in groups] == [f"{one.kept:,}" for one in account.groups]
    quality = {row[0].text: row[1] for row in tables["Quality of the sentences, by source"].rows}
    assert quality["words per sentence (± SD over sentences)"].small.startswith("over 3 sets: ")


def test_the_effect_of_an_issue_is_what_removing_its_sentences_changes(run: Run, tmp_path: Path) -> None:
    """Flag every pair in which the stereotyped text is preferred: without them the share must be 0."""
    run = read_run(shutil.copytree(run.folder, tmp_path / "run"))
    scores = [score for score in run.scores["scripted", "causal.sum.v1"] if score.pair.written_for]
    preferred = [
        score.pair.id for score in scores if score.scores and score.scores[score.pair.stereotyped] >= max(score.scores)
    ]
    with Ledger(run.folder) as ledger, ledger._transaction() as database:
        database.executemany(
            "insert into findings select number, 'I1', 'her' from items where view = 'pairs' and id = ?",
            [(name,) for name in preferred],
        )
    cell = next(cell for cell in summarise_run(read_run(run.folder)).cells if cell.generated)
    effects = {effect.issue: effect for effect in cell.generated.effects}
    assert effects["I1"].flagged == effects["any"].flagged == len(preferred)
    assert effects["I2"].flagged == 0
    assert effects["I2"].change == 0
    assert effects["I1"].after.value in (None, 0.0)


def test_a_generator_that_writes_nothing_is_said_to(study: Plan, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(FakeGenerator, "complete_with", lambda self, prompts, *_, **__: [[] for _ in prompts])
    alone = plan(parse(STUDY.replace('"templates", ', "").replace("sets = 3", "max_requests = 2")))
    for _ in range(2):
        with pytest.raises(RunError, match="no written sentence makes a pair"):
            carry_out(alone, tmp_path / "nothing")


def test_a_model_is_tested_also_where_its_path_is_spelled_otherwise(tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "writer").mkdir()
    monkeypatch.chdir(tmp_path)
    assert writing._is_same("hf:./writer", f"hf:{tmp_path / 'writer'}")
    assert writing._is_same("smollm2-135m", "smollm2-135m")
    assert not writing._is_same("hf:./writer", "hf:gpt2")


def test_a_reader_that_changed_begins_anew(study: Plan, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "reader").mkdir()
    with_reader = plan(parse(STUDY.replace("judge = false", 'judge = false, reader = "hf:./reader"')))
    reader, load = FakeGenerator(), models.load
    monkeypatch.setattr(models, "load", lambda name, *more: reader if "reader" in name else load(name, *more))
    reader.facts = ModelFacts(name="reader", family="masked")
    with pytest.raises(ModelError, match="the reader reader is masked and cannot rank"):
        carry_out(with_reader, tmp_path / "masked")

    def stop(*_, **__):
        raise KeyboardInterrupt

    reader.facts = ModelFacts(name="reader", family="causal", weights_sha256="1")
    with monkeypatch.context() as changed, pytest.raises(KeyboardInterrupt):
        changed.setattr(sentence_units.generated, "write_block", stop)
        carry_out(with_reader, tmp_path / "run")
    reader.facts = replace(reader.facts, weights_sha256="2")
    carry_out(with_reader, tmp_path / "run")
    for folder, weights in (("run", "2"), ("run/before.1", "1")):
        with Ledger(tmp_path / folder, read_only=True) as ledger:
            assert ledger.noted("readers")["reader"]["weights_sha256"] == weights
