"""How long a study takes, from the runs that were made before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.web.texts_run import make_texts
from tiltmeter.engine import carry_out
from tiltmeter.store import PROGRESS, read_progress
from tiltmeter.study import parse, plan
from tiltmeter.web.studies.plan import outlook
from tiltmeter.web.studies.rates import TEXTS, Rates, rates_of

STUDY = """
models = ["scripted"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 1 } }]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 2 } }]
decoding = { temperature = 1.0, max_new_tokens = [10, 30] }
samples = 1
raters = ["readability.ari"]
"""


def _stage(what: str, done: int, seconds: float, first: int = 0) -> dict[str, object]:
    return {
        "what": what,
        "total": done,
        "done": done,
        "first": first,
        "failed": None,
        "began": 100.0,
        "changed": 100.0 + seconds,
    }


def _progress(folder: Path, *stages: dict[str, object]) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / PROGRESS).write_text(json.dumps({"process": 1, "state": "finished", "message": "", "stages": stages}))
    return folder


def test_the_slowest_run_counts_unless_it_was_too_short_to_tell(tmp_path: Path) -> None:
    folders = [
        _progress(tmp_path / "a", _stage("scoring with m", 100, 10.0)),
        _progress(tmp_path / "from the cache", _stage("scoring with m", 100, 2.0)),
        _progress(tmp_path / "short", _stage("scoring with m", 1, 0.9), _stage("rating by r.v1", 50, 0.5)),
        _progress(tmp_path / "nothing left", _stage("scoring with n", 100, 10.0, first=100)),
        tmp_path / "not there",
    ]
    rates = rates_of(folders)
    assert rates.of("scoring with", "m") == 10.0
    assert rates.of("rating by", "r.v1") == 100.0
    assert rates.of("scoring with", "n") is None


def test_a_model_in_a_file_is_the_same_wherever_the_file_is_named_from(tmp_path: Path) -> None:
    rates = rates_of([_progress(tmp_path / "a", _stage("scoring with scripted:studies/../x/m.toml", 30, 10.0))])
    assert rates.of("scoring with", "scripted:/home/me/x/m.toml") == 3.0
    assert rates.of("scoring with", "scripted:/home/me/x/other.toml") is None


def test_texts_are_timed_by_their_tokens(tmp_path: Path) -> None:
    carry_out(plan(parse(STUDY)), tmp_path / "run")
    _progress(tmp_path / "run", _stage("writing texts with scripted", 8, 4.0))
    # Of two lengths the longer is written, and the shorter cut from it.
    assert rates_of([tmp_path / "run"]).of(TEXTS, "scripted") == 2.0 * 30


def test_sentences_for_pairs_are_not_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved = {"continuations": {"decodings": [{"temperature": 1.0, "beams": 1, "max_new_tokens": 10}]}}
    monkeypatch.setattr("tiltmeter.web.studies.rates._resolved", lambda folder: resolved)
    both = _stage("writing sentences with m", 10, 10.0), _stage("writing texts with m", 40, 10.0)
    rates = rates_of([_progress(tmp_path / "a", *both)])
    assert (rates.of("writing sentences with", "m"), rates.of(TEXTS, "m")) == (1.0, 40.0)


def test_a_run_calls_sentences_and_texts_by_two_names(tmp_path: Path) -> None:
    folder = make_texts(tmp_path)
    progress = read_progress(folder)
    assert progress is not None
    said = [stage.what for stage in progress.stages]
    assert "writing sentences with hf:./writer" in said
    assert "writing texts with scripted" in said


def test_time_is_the_sum_of_what_is_known_and_says_what_is_not(tmp_path: Path) -> None:
    made = plan(parse(STUDY))
    known = {("scoring with", "scripted"): 10.0, (TEXTS, "scripted"): 100.0}
    ahead = outlook(made, tmp_path, Rates(known))
    assert ahead.unknown == ["rating by readability.ari.v1"]
    pairs, texts = ahead.lines
    assert ahead.seconds == pytest.approx(pairs.calls / 10 + texts.tokens / 100)
    whole = outlook(made, tmp_path, Rates({**known, ("rating by", "readability.ari.v1"): 5.0}))
    assert not whole.unknown
    assert whole.seconds == pytest.approx(ahead.seconds + texts.calls / 5)


def test_the_figures_are_those_of_the_command_line(tmp_path: Path) -> None:
    from tiltmeter.engine.plan_size import size_of

    made = plan(parse(STUDY + '[next_words]\nsources = [{ natural = { limit = 3 } }]\nsaliency = "gradient-x-input"\n'))
    size, ahead = size_of(made).as_json(), outlook(made, tmp_path, Rates({}))
    pairs, texts, words = ahead.lines
    assert (pairs.calls, pairs.tokens, pairs.cells) == (
        size["texts_per_model"],
        size["tokens_per_model"],
        size["cells"],
    )
    assert (texts.calls, texts.tokens) == (size["completions_per_model"], size["decoded_tokens_per_model"])
    assert texts.cells == size["continuation_cells"]
    assert (words.calls, words.gradients) == (size["questions_per_model"], size["gradients_per_model"])
    assert words.cells == size["next_word_cells"]
    assert dict(ahead.dropped) == size["dropped"]
