"""On an accelerator the next batch is asked about while the answers of one are written."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.answers import TEXT
from tiltmeter.engine import carry_out, continuations, next_words, scoring
from tiltmeter.engine.cached import CachedAnswers
from tiltmeter.engine.executor import HERE
from tiltmeter.errors import ModelError
from tiltmeter.models.scripted import ScriptedModel
from tiltmeter.results import summarise_run
from tiltmeter.store import Cache, CacheError, Ledger, Run
from tiltmeter.study import parse, plan

STUDY = """
name = "ahead"
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 4 } }]
decoding = { temperature = 1.0, max_new_tokens = 4 }
samples = 2
raters = ["sentiment.vader"]
[next_words]
sources = ["templates"]
words = "he-she"
"""
MEANT: ContextVar[str] = ContextVar("MEANT", default="")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (scoring, continuations, next_words):
        monkeypatch.setattr(module, "BATCH", 16)


@pytest.fixture
def accelerated(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (scoring, continuations, next_words):
        monkeypatch.setattr(module, "on_accelerator", lambda _: True)


def contents(run: Run) -> Any:
    return run.pairs, run.scores, summarise_run(run).as_json()


def test_the_next_batch_is_begun_before_one_is_done_with() -> None:
    begun = [threading.Event() for _ in range(4)]
    MEANT.set("this")

    def work(at: int) -> tuple[int, str]:
        begun[at].set()
        return at * 10, MEANT.get()

    done = []
    for batch, found in HERE.each(work, range(4), ahead=True):
        done.append((batch, found))
        assert batch == 3 or begun[batch + 1].wait(10)
    assert done == [(at, (at * 10, "this")) for at in range(4)]
    assert not list(HERE.each(work, [], ahead=True))


def test_batches_are_read_where_they_are_written() -> None:
    def read() -> Iterator[int]:
        for at in range(3):
            assert threading.current_thread() is threading.main_thread()
            yield at

    threads = [found for _, found in HERE.each(lambda _: threading.current_thread(), read(), ahead=True)]
    assert threading.main_thread() not in threads


@pytest.mark.usefixtures("small")
def test_a_run_that_asks_ahead_is_the_run_that_does_not(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    plainly = carry_out(plan(parse(STUDY)), tmp_path / "plainly")
    request.getfixturevalue("accelerated")
    assert contents(carry_out(plan(parse(STUDY)), tmp_path / "ahead")) == contents(plainly)


@pytest.mark.usefixtures("small", "accelerated")
def test_what_was_answered_before_a_model_fails_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    score, asked = ScriptedModel.score, []

    def failing(*given: Any, **more: Any) -> Any:
        asked.append(given)
        if len(asked) == 3:
            raise ModelError("it broke")
        return score(*given, **more)

    monkeypatch.setattr(ScriptedModel, "score", failing)
    with pytest.raises(ModelError, match="it broke"):
        carry_out(plan(parse(STUDY)), tmp_path / "run")
    with Ledger(tmp_path / "run", read_only=True) as ledger:
        assert ledger.steps("scoring", "scripted").done() == {0, 1}
    monkeypatch.setattr(ScriptedModel, "score", score)
    resumed = carry_out(plan(parse(STUDY)), tmp_path / "run")
    assert contents(resumed) == contents(carry_out(plan(parse(STUDY)), tmp_path / "whole"))


def test_what_is_put_into_the_cache_later_is_there_when_it_is_closed(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(20)]
    with Cache(tmp_path / "answers") as cache:
        kept = CachedAnswers(cache, "model", {"device": "cuda"}, later=True)
        assert [kept.get("say", [one], lambda at: ["yes"] * len(at), TEXT) for one in texts] == [["yes"]] * 20
    with Cache(tmp_path / "answers") as cache:
        kept = CachedAnswers(cache, "model", {"device": "cuda"}, later=True)
        assert kept.get("say", texts, lambda _: pytest.fail("it was asked again"), TEXT) == ["yes"] * 20
        assert cache.hits == 20


def test_a_cache_that_fails_later_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise CacheError("the disk is full")

    with Cache(tmp_path / "answers") as cache:
        monkeypatch.setattr(cache, "put", fails)
        kept = CachedAnswers(cache, "model", {"device": "cuda"}, later=True)
        for text in "abc":
            assert kept.get("say", [text], lambda at: ["yes"] * len(at), TEXT) == ["yes"]
    assert cache.trouble == "the disk is full"
