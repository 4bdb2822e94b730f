"""The stage of next words: what is asked, once, and what is kept of the answers."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltmeter import models
from tiltmeter.engine import carry_out, next_words
from tiltmeter.errors import ModelError
from tiltmeter.records import ModelFacts, Saliency
from tiltmeter.results import summarise_run
from tiltmeter.results.summary.next_word_cells import NextWordCell
from tiltmeter.store import Run, read_run
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow

STUDY = """
name = "expecting"
seed = 3
models = ["scripted"]
[next_words]
sources = [{ profession-templates = { professions = ["nurse", "cook", "usher", "clerk", "pilot", "judge"] } }]
words = "he-she"
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return carry_out(plan(parse(STUDY)), tmp_path_factory.mktemp("expecting") / "run")


def cell_of(run: Run, source: str) -> NextWordCell:
    found = summarise_run(run).next_words
    assert found
    [cell] = [cell for cell in found.cells if cell.source.startswith(source)]
    return cell


def test_a_text_that_many_prompts_come_to_is_asked_once(run: Run) -> None:
    assert run.next_words
    texts = [question.text for question in run.next_words.questions]
    assert texts.count("The person said that") == 1
    persons = [one for one in run.next_words.asked if one.asked.prompt.text == "The person said that"]
    assert [one.asked.prompt.origin for one in persons] == ["nurse", "cook", "usher", "clerk", "pilot", "judge"]
    assert len({one.question for one in persons}) == 1
    # Original and hidden: one for each profession and template; person, deleted, man, woman: one for each template.
    assert len(texts) == 6 * 17 * 2 + 4 * 17 + 1 + 20


def test_what_is_kept_is_what_the_model_says(run: Run) -> None:
    assert run.next_words
    model = models.as_predictor(models.load("scripted"))
    answers = run.next_words.answers("scripted", bounded=False)
    for one in run.next_words.asked[:40]:
        assert one.question is not None
        [found] = model.next_words([one.asked.prompt.text], ["he", "she"], hidden=[one.asked.hidden])
        assert answers[one.question] == found


def test_the_figures_of_a_cell_are_those_of_its_answers(run: Run) -> None:
    assert run.next_words
    cell = cell_of(run, "profession-templates")
    answers = run.next_words.answers("scripted", bounded=False)
    shares = []
    for one in run.next_words.asked:
        if one.asked.perturbation == "original" and one.question is not None:
            he, she = (word.probability or 0 for word in answers[one.question].words)
            shares.append(he / (he + she))
    overall = cell.summary.perturbations["original"].overall
    assert overall.pairs["male/female"]["share"].value == pytest.approx(math.fsum(shares) / len(shares), abs=1e-12)
    assert overall.prompts == len(shares) == 6 * 17
    assert set(cell.summary.perturbations) == {"original", "person", "deleted", "hidden", "man", "woman"}


def test_the_models_habit_is_a_cell_of_its_own(run: Run) -> None:
    habit = cell_of(run, "default-behaviour")
    assert habit.of_habit
    assert {name: found.overall.prompts for name, found in habit.summary.perturbations.items()} == {
        "start": 1,
        "openers": 20,
    }


def test_every_choice_makes_a_cell(tmp_path: Path) -> None:
    study = STUDY.replace('words = "he-she"', 'words = ["he-she", { kin = ["mother"], work = ["boss", "clerk"] }]')
    study += 'bounded = [false, true]\ncombine = ["sum", "first"]\nperturbations = ["original"]\n'
    found = summarise_run(carry_out(plan(parse(study)), tmp_path / "run")).next_words
    assert found
    choices = [(cell.words, cell.bounded, cell.combine) for cell in found.cells]
    assert len(choices) == len(set(choices)) == 2 * 2 * 2
    assert {cell.pair for cell in found.cells} == {"male/female", "kin/work"}


def test_prompts_that_cannot_be_perturbed_are_unscored_and_say_why(tmp_path: Path) -> None:
    (tmp_path / "P.csv").write_text("text,profession\nThe nurse said that,nurse\nSomebody said that,cook\n")
    study = STUDY.replace(
        '{ profession-templates = { professions = ["nurse", "cook", "usher", "clerk", "pilot", "judge"] } }',
        '"prompts-file:P.csv"',
    )
    run = carry_out(plan(parse(study, file=tmp_path / "study.toml")), tmp_path / "run")
    part = cell_of(run, "prompts-file").summary.perturbations["person"]
    assert part.overall.pairs["male/female"]["share"].n_unscored == 1
    assert list(part.unscored["male"].values()) == [1]


def test_a_run_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(next_words, "BATCH", 16)
    made = plan(parse(STUDY))
    whole = carry_out(made, tmp_path / "whole")
    asked = 0
    ask = next_words.expected_after

    def stopping(*given: Any, **settings: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked == 4:
            raise KeyboardInterrupt
        return ask(*given, **settings)

    monkeypatch.setattr(next_words, "expected_after", stopping)
    with pytest.raises(KeyboardInterrupt):
        carry_out(made, tmp_path / "stopped")
    assert summarise_run(read_run(tmp_path / "stopped")).missing == ("scripted",)
    again = carry_out(made, tmp_path / "stopped")
    assert asked == 4 + (-(-len(again.next_words.questions) // 16) - 3)  # type: ignore[union-attr]
    assert again.next_words and whole.next_words
    assert again.next_words.answers("scripted", bounded=False) == whole.next_words.answers("scripted", bounded=False)
    assert summarise_run(again).missing == ()


class _Mute:
    """A model that scores texts and gives no next words."""

    facts = ModelFacts("mute", "causal")
    conditionings = ("whole",)


def test_a_model_without_next_words_is_refused_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tiltmeter.models.load", lambda *_: _Mute())
    with pytest.raises(ModelError, match="mute gives no probabilities for next words"):
        carry_out(plan(parse(STUDY)), tmp_path / "run")


SALIENCY = 'perturbations = ["original"]\nsaliency = "gradient-x-input"\n'


def test_saliency_needs_gradients_and_without_any_nothing_is_asked(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="scripted has no gradients and so no saliency; use a checkpoint"):
        carry_out(plan(parse(STUDY + SALIENCY)), tmp_path / "run")
    begun = read_run(tmp_path / "run").next_words
    assert begun
    assert begun.models == ()


class _Explaining:
    """The scripted model under another name, with made-up gradients."""

    def __init__(self) -> None:
        self._model = models.as_predictor(models.load("scripted"))
        self.facts = replace(self._model.facts, name="explaining")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def saliency(self, prompts: list[str], words: list[str], *, method: Any, steps: int = 64) -> list[Saliency]:
        found = []
        for prompt, word in zip(prompts, words, strict=True):
            middle = len(prompt) // 2
            found.append(Saliency(word, method, ((0, middle), (middle, len(prompt))), (1.0, 3.0), (1.0, 3.0)))
        return found


@pytest.mark.parametrize("pairs", [False, True])
def test_a_model_without_gradients_goes_without_saliency_and_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: bool
) -> None:
    load = models.load
    monkeypatch.setattr(
        "tiltmeter.models.load",
        lambda name, *settings: _Explaining() if name == "hf:explaining" else load(name, *settings),
    )
    study = STUDY.replace('["scripted"]', '["hf:explaining", "scripted"]') + SALIENCY
    if pairs:
        study = study.replace("[next_words]", 'specs = ["gender-math-arts"]\n[next_words]')
        study += "[pairs]\nsources = [{ templates = { per_attribute = 1 } }]\n"
    run = carry_out(plan(parse(study)), tmp_path / "run")
    found = summarise_run(run).next_words
    assert found
    assert found.without_saliency == ("scripted",)
    assert found.as_json()["without_saliency"] == ["scripted"]
    assert {cell.model: bool(cell.saliency) for cell in found.cells} == {"explaining": True, "scripted": False}


def test_where_no_saliency_is_asked_for_no_model_is_named(run: Run) -> None:
    found = summarise_run(run).next_words
    assert found
    assert found.without_saliency == ()
