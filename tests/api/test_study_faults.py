"""What goes wrong with studies from Python: it is said at once, names the key, and mixes nothing up."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiltmeter as tm
from tiltmeter.errors import InvalidStudy, ModelError, UserError

PLAIN: dict[str, Any] = {"name": "x", "models": ["scripted"], "specs": ["gender-math-arts"]}
TEXTS: dict[str, Any] = {
    "sources": [{"own-prompts": {"per_group": 2, "domain": "gender"}}],
    "raters": ["sentiment.vader"],
    "samples": 1,
}


@pytest.mark.parametrize(
    ("wrong", "key"),
    [
        ({"models": "scripted"}, "models"),
        ({"models": None}, "models"),
        ({"specs": "gender-math-arts"}, "specs"),
        ({"specs": tm.load_spec("gender-math-arts")}, "specs"),
        ({"name": None}, "name"),
        ({"seed": None}, "seed"),
        ({"pairs": ["sum"]}, "pairs"),
        ({"pairs": {"scorers": None}}, "pairs.scorers"),
        ({"pairs": {"scorers": {"sum"}}}, "pairs.scorers"),
        ({"pairs": {"scorers": [object()]}}, "pairs.scorers"),
        ({"continuations": TEXTS | {"raters": [len]}}, "continuations.raters"),
        ({"continuations": TEXTS | {"raters": [tm.load_rater("sentiment.vader")]}}, "continuations.raters"),
    ],
)
def test_what_is_wrong_names_its_key_and_no_line(wrong: dict[str, Any], key: str) -> None:
    with pytest.raises(InvalidStudy) as caught:
        tm.Study(**{**PLAIN, **wrong})
    assert (caught.value.key, caught.value.line) == (key, None)


def test_numbers_of_numpy_and_whatever_has_an_order_are_taken() -> None:
    study = tm.Study(**PLAIN | {"seed": np.int64(3)}, pairs={"scorers": (one for one in ("sum", "mean"))})
    same = tm.Study(**PLAIN, seed=3, pairs={"scorers": ["sum", "mean"]})
    assert study.checked == same.checked


def test_what_a_model_lacks_is_said_before_it_is_asked_anything(tmp_path: Path) -> None:
    asked: list[str] = []

    def writes(prompt: str) -> str:
        asked.append(prompt)
        return "x"

    model = tm.wrap(writes, name="writes")
    for more in (
        {"next_words": {}},
        {"pairs": {}},
        {"continuations": TEXTS | {"decoding": {"temperature": [1.0, 0.5]}}},
    ):
        study = tm.Study(**PLAIN | {"models": [model], "continuations": TEXTS} | more)
        with pytest.raises(ModelError, match="python:writes"):
            study.run(tmp_path / "run", progress=False, report=False)
    assert not asked and not (tmp_path / "run").exists()


def test_studies_in_two_threads_ask_each_its_own_model(tmp_path: Path) -> None:
    ready = threading.Barrier(2, timeout=60)
    said: dict[str, set[str]] = {}

    def carried_out(word: str) -> None:
        model = tm.wrap(lambda prompt: f"{word}.", name="same")
        study = tm.Study(name=word, models=[model], continuations=TEXTS)
        ready.wait()
        run = study.run(tmp_path / word, cache=False, progress=False, report=False)
        said[word] = {row["text"] for row in run.texts()}

    threads = [threading.Thread(target=carried_out, args=(word,)) for word in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == {"one": {"one."}, "two": {"two."}}


def test_an_earlier_result_of_another_function_is_set_aside(tmp_path: Path) -> None:
    for word in ("one", "two"):
        study = tm.Study(name="x", models=[tm.wrap(lambda prompt, word=word: word, name="x")], continuations=TEXTS)
        run = study.run(tmp_path / "run", progress=False, report=False)
        assert {row["text"] for row in run.texts()} == {word}
    assert (tmp_path / "run" / "before.1").is_dir()


def test_settings_are_a_record(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="ModelSettings"):
        tm.Study(**PLAIN).run(tmp_path / "run", settings={"device": "cpu"})  # type: ignore[arg-type]
