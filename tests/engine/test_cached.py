"""Models that recall: the same answers, each asked for once, and no model loaded where nothing is open."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.engine.slow_continuing import small_steps
from tests.models.conftest import save_checkpoint
from tiltmeter import models
from tiltmeter.engine import cached, carry_out
from tiltmeter.engine.cached import cached_rater as recalling_rater
from tiltmeter.engine.cached import open_model
from tiltmeter.errors import ModelError
from tiltmeter.models import Explainer, Model, ModelSettings, Predictor, Writer
from tiltmeter.progress import NoProgress
from tiltmeter.records import Completion, Decoding, Rating, TokenScores
from tiltmeter.results import summarise_run
from tiltmeter.results.tables import write_tables
from tiltmeter.store import Cache, Run, state_of
from tiltmeter.study import parse, plan

pytestmark = pytest.mark.slow
SETTINGS = ModelSettings(device="cpu", threads=1)
TEXTS = ["She is a nurse.", "He is a nurse.", "She is a nurse.", ""]
WRITE = Decoding(temperature=1.0, max_new_tokens=5)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    made = {family: tmp_path_factory.mktemp(family) / family for family in ("gpt2", "bert")}
    for family, folder in made.items():
        save_checkpoint(family, folder)
    return {family: f"hf:{folder}" for family, folder in made.items()}


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cache:
    monkeypatch.setattr(cached, "_WORTH_KEEPING", 0)
    return Cache(tmp_path / "answers.sqlite")


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the models that were loaded."""
    found: list[str] = []
    load = models.load

    def counted(name: str, settings: ModelSettings) -> Model:
        found.append(name)
        return load(name, settings)

    monkeypatch.setattr(models, "load", counted)
    return found


def everything(model: Any) -> list[Any]:
    """What every verb of a model says."""
    found: list[Any] = [model.score(TEXTS)]
    if isinstance(model, Predictor):
        found.append(model.next_words(["The nurse said that", "The man"], ["he", "she"]))
        found.append(model.next_words(["The man", "The man"], [["he"], ["she", "he"]], bounded=True))
    if isinstance(model, Explainer):
        found.append(model.saliency(["The nurse said that"], ["she"]))
    if isinstance(model, Writer):
        found.append(model.complete(["The nurse", "The man", "The nurse"], WRITE, samples=2, seed=[1, 1, 2]))
        found.append(model.complete(["The nurse"], replace(WRITE, temperature=0.0)))
        found.append(model.complete_with(["The"], [["nurse"]], replace(WRITE, max_new_tokens=20), seed=3))
    return found


@pytest.mark.parametrize("family", ["gpt2", "bert"])
def test_what_is_recalled_is_what_the_model_says(
    family: str, folders: dict[str, str], kept: Cache, loads: list[str]
) -> None:
    plain = models.load(folders[family], SETTINGS)
    first, second = (open_model(folders[family], SETTINGS, kept) for _ in range(2))
    expected = everything(plain)
    assert everything(first) == expected
    loads.clear()
    assert everything(second) == expected
    assert loads == []
    for model in (first, second):
        assert (model.facts, model.conditionings) == (plain.facts, plain.conditionings)
        for kind in (Writer, Predictor, Explainer):
            assert isinstance(model, kind) == isinstance(plain, kind)


def test_only_what_is_open_is_asked_and_each_question_once(
    folders: dict[str, str], kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(folders["gpt2"], SETTINGS, kept)
    asked = spied(model, monkeypatch, "score")
    model.score(["a nurse", "a man", "a nurse"])
    model.score(["a man", "a cook"])
    assert asked == [["a nurse", "a man"], ["a cook"]]


def spied(model: Any, monkeypatch: pytest.MonkeyPatch, verb: str) -> list[list[str]]:
    asked: list[list[str]] = []
    inner = model._model
    ask: Callable[..., Any] = getattr(inner, verb)

    def counted(texts: list[str], *given: Any, **settings: Any) -> Any:
        asked.append(texts)
        return ask(texts, *given, **settings)

    monkeypatch.setattr(inner, verb, counted)
    return asked


def test_another_setting_is_another_question(
    folders: dict[str, str], kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    model: Any = open_model(folders["gpt2"], SETTINGS, kept)
    asked = spied(model, monkeypatch, "complete")
    for decoding, samples, seed in [(WRITE, 1, 0), (WRITE, 1, 1), (WRITE, 2, 0), (replace(WRITE, top_k=3), 1, 0)]:
        for _ in range(2):
            model.complete(["The nurse"], decoding, samples=samples, seed=seed)
    assert len(asked) == 4
    scored = spied(model, monkeypatch, "score")
    for conditioning in (None, "left", "left-no-start"):
        model.score(["a nurse"], conditioning=conditioning)
    assert len(scored) == 2


def test_another_model_has_answers_of_its_own(tmp_path: Path, kept: Cache) -> None:
    names = []
    for number in (1, 2):
        path = tmp_path / f"{number}.toml"
        path.write_text(f"[weights]\nshe = {number}\nhe = 1\nother = 3\n", encoding="utf-8")
        names.append(f"scripted:{path}")
    one, other = (open_model(name, SETTINGS, kept).score(["she"]) for name in names)
    assert one != other
    assert kept.info().answers == 2


def test_files_that_changed_are_read_again(tmp_path: Path, kept: Cache, loads: list[str]) -> None:
    folder = tmp_path / "model"
    save_checkpoint("gpt2", folder)
    name = f"hf:{folder}"
    open_model(name, SETTINGS, kept)
    open_model(name, SETTINGS, kept)
    assert len(loads) == 1
    config = folder / "tokenizer_config.json"
    config.write_text(config.read_text(encoding="utf-8") + " ", encoding="utf-8")
    open_model(name, SETTINGS, kept)
    assert len(loads) == 2


def edited_config(folder: Path) -> None:
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    (folder / "config.json").write_text(json.dumps(config | {"layer_norm_epsilon": 0.3}), encoding="utf-8")


def edited_tokenizer(folder: Path) -> None:
    """Let two words change places in the vocabulary."""
    file = folder / "tokenizer.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    words = content["model"]["vocab"]
    one, other = (next(word for word in words if word.endswith(end)) for end in ("nurse", "said"))
    words[one], words[other] = words[other], words[one]
    file.write_text(json.dumps(content), encoding="utf-8")


def edited_chat_template(folder: Path) -> None:
    (folder / "chat_template.jinja").write_text("Q: {{ messages[0].content }} A:", encoding="utf-8")


@pytest.mark.parametrize("edit", [edited_config, edited_tokenizer, edited_chat_template])
def test_another_file_beside_the_same_weights_is_another_model(
    edit: Callable[[Path], None], tmp_path: Path, kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    save_checkpoint("gpt2", folder)
    (folder / "chat_template.jinja").write_text("User: {{ messages[0].content }} Bot:", encoding="utf-8")
    times = {file: (file.stat().st_atime_ns, file.stat().st_mtime_ns) for file in folder.iterdir()}

    def answers(model: Any) -> list[Any]:
        return [model.score(TEXTS), model.chat_prompt("Who is it?")]

    before: Any = open_model(f"hf:{folder}", SETTINGS, kept)
    first = answers(before)
    edit(folder)
    # A copy may keep its times: what a file says is what counts.
    for file, stamps in times.items():
        os.utime(file, ns=stamps)
    after: Any = open_model(f"hf:{folder}", SETTINGS, kept)
    assert after.facts.weights_sha256 == before.facts.weights_sha256
    assert after.facts.files_sha256 != before.facts.files_sha256
    assert answers(after) == answers(models.load(f"hf:{folder}", SETTINGS)) != first
    planted = tmp_path / "tilt.toml"
    planted.write_text(f'model = "hf:{folder}"\n[[tilt]]\nwords = ["nurse"]\ndelta = 1\n', encoding="utf-8")
    assert models.load(f"planted:{planted}", SETTINGS).facts.files_sha256 == after.facts.files_sha256


def test_what_is_no_part_of_a_model_may_change(tmp_path: Path, kept: Cache, loads: list[str]) -> None:
    folder = tmp_path / "model"
    save_checkpoint("gpt2", folder)
    for words in ("about it", "more about it"):
        (folder / "README.md").write_text(words, encoding="utf-8")
        facts = open_model(f"hf:{folder}", SETTINGS, kept).facts
        assert facts == models.load(f"hf:{folder}", SETTINGS).facts


def test_a_planted_model_changes_with_its_file_and_with_the_model_below(
    tmp_path: Path, folders: dict[str, str], kept: Cache, loads: list[str]
) -> None:
    path = tmp_path / "tilt.toml"
    values = []
    for delta in (0.5, 1.0):
        path.write_text(
            f'model = "{folders["gpt2"]}"\n[[tilt]]\nwords = ["nurse"]\ndelta = {delta}\n', encoding="utf-8"
        )
        for _ in range(2):
            values.append(open_model(f"planted:{path}", SETTINGS, kept).score(["a nurse"]))
    assert values[0] == values[1] != values[2] == values[3]
    # A planted model loads the one below.
    assert Counter(name.split(":")[0] for name in loads) == {"planted": 2, "hf": 2}


def test_a_small_table_is_not_worth_a_cache(tmp_path: Path) -> None:
    kept = Cache(tmp_path / "answers.sqlite")
    open_model("scripted", SETTINGS, kept).score(["she"])
    assert kept.info().answers == 0


def test_without_a_cache_the_model_is_the_model() -> None:
    assert type(open_model("scripted", SETTINGS, None)) is type(models.load("scripted"))


def test_a_cache_that_fails_does_not_stop_anybody(folders: dict[str, str], kept: Cache) -> None:
    model = open_model(folders["gpt2"], SETTINGS, kept)
    expected = model.score(["a nurse", "a man"])
    kept.close()
    assert model.score(["a nurse", "a man"]) == expected
    assert kept.trouble and "cannot be used" in kept.trouble


def test_what_a_server_could_not_answer_is_asked_again(kept: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    scripted = models.load("scripted")
    served = replace(scripted.facts, device="server", parameters=None, weights_sha256="")
    answers = iter([[TokenScores(unscored="time-out")], [TokenScores(((0, 3),), (-1.0,))]])
    asked: list[str] = []

    class Server:
        facts, conditionings = served, ("left",)

        def score(self, texts: list[str], **_: Any) -> list[TokenScores]:
            asked.extend(texts)
            return next(answers)

    monkeypatch.setattr(models, "load", lambda *_: Server())
    model = open_model("scripted", SETTINGS, kept)
    assert model.score(["she"])[0].unscored == "time-out"
    assert model.score(["she"])[0].logprobs == model.score(["she"])[0].logprobs == (-1.0,)
    assert asked == ["she", "she"]


def test_a_conditioning_that_a_model_does_not_have_is_refused_as_ever(folders: dict[str, str], kept: Cache) -> None:
    with pytest.raises(ModelError, match="cannot score by `masked`"):
        open_model(folders["gpt2"], SETTINGS, kept).score(["a nurse"], conditioning="masked")


def test_a_network_that_rates_recalls_and_a_lexicon_does_not(kept: Cache) -> None:
    asked: list[str] = []

    class Rates:
        name, wants_mask, languages = "toxicity.made-up.v1", False, ("en", "fr")

        def __init__(self, **facts: str) -> None:
            self.facts = facts

        def rate(self, texts: list[str]) -> list[Rating]:
            asked.extend(texts)
            return [Rating(self.name, len(text) / 10) for text in texts]

    for facts in ({"weights_sha256": "abc"}, {"weights_sha256": "abd"}, {"package": "1.0"}):
        rater = recalling_rater(Rates(**facts), kept)
        assert rater.rate(["one", "three", "one"]) == [Rating(rater.name, n) for n in (0.3, 0.5, 0.3)]
        assert rater.rate(["three"]) == [Rating(rater.name, 0.5)]
        assert rater.languages == ("en", "fr")  # type: ignore[attr-defined]
    assert asked == ["one", "three"] * 2 + ["one", "three", "one", "three"]


def test_a_completion_keeps_what_is_needed_to_cut_it(folders: dict[str, str], kept: Cache) -> None:
    found = [open_model(folders["gpt2"], SETTINGS, kept) for _ in range(2)]
    [[one]], [[other]] = (model.complete(["The nurse"], WRITE) for model in found if isinstance(model, Writer))
    assert isinstance(other, Completion) and one.offsets
    assert one.at(2) == other.at(2)


STUDY = """
name = "t"
seed = 2
models = ["MODEL"]
specs = ["gender-math-arts"]
[pairs]
sources = [{ templates = { per_attribute = 2 } }]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 2 } }]
decoding = { temperature = 1.0, max_new_tokens = 6 }
raters = ["sentiment.vader"]
[next_words]
sources = [{ natural = { limit = 6 } }]
words = "he-she"
"""


def tables(run: Run, folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in write_tables(run, summarise_run(run), folder)}


def test_the_second_run_of_a_study_loads_no_model_and_has_the_same_tables(
    tmp_path: Path, folders: dict[str, str], kept: Cache, loads: list[str]
) -> None:
    study = plan(parse(STUDY.replace("MODEL", folders["gpt2"])))
    first, second = (carry_out(study, tmp_path / name, SETTINGS, cache=kept) for name in ("first", "second"))
    assert loads == [folders["gpt2"]]
    assert tables(first, tmp_path / "first") == tables(second, tmp_path / "second")
    assert tables(carry_out(study, tmp_path / "plain", SETTINGS), tmp_path / "plain") == tables(first, tmp_path)


@pytest.mark.parametrize("stop", [3, 7, 11])
def test_a_cache_that_a_stopped_run_left_half_filled_changes_no_table(
    stop: int, tmp_path: Path, folders: dict[str, str], kept: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_steps(monkeypatch)
    study = plan(parse(STUDY.replace("MODEL", folders["gpt2"])))

    class Stopping(NoProgress):
        left = stop

        def advance(self, steps: int, failed: int | None = None) -> None:
            self.left -= 1
            if not self.left:
                raise InterruptedError

    with pytest.raises(InterruptedError):
        carry_out(study, tmp_path / "stopped", SETTINGS, Stopping(), cache=kept)
    run = carry_out(study, tmp_path / "whole", SETTINGS, cache=kept)
    assert kept.hits and kept.misses
    plain = carry_out(study, tmp_path / "plain", SETTINGS)
    assert tables(run, tmp_path / "whole") == tables(plain, tmp_path / "plain")


def test_of_a_changed_study_only_what_changed_is_asked(
    tmp_path: Path, folders: dict[str, str], kept: Cache, loads: list[str]
) -> None:
    text = STUDY.replace("MODEL", folders["gpt2"])
    carry_out(plan(parse(text)), tmp_path / "run", SETTINGS, cache=kept)
    loads.clear()
    more = text.replace('raters = ["sentiment.vader"]', 'raters = ["sentiment.vader", "toxicity.linear"]')
    run = carry_out(plan(parse(more)), tmp_path / "run", SETTINGS, cache=kept)
    assert run.continuations and {used.name for used in run.continuations.raters} >= {"toxicity.linear.v1"}
    assert loads == []
    kept.misses = 0
    longer = more.replace("per_attribute = 2", "per_attribute = 3")
    assert state_of(tmp_path / "run", plan(parse(longer))).changes == (
        "sources.templates[per_attribute=2]",
        "sources.templates[per_attribute=3]",
    )
    carry_out(plan(parse(longer)), tmp_path / "run", SETTINGS, cache=kept)
    assert loads == [folders["gpt2"]]
    # A third pair of sentences for each of 16 attributes, of which some words may coincide.
    assert 0 < kept.misses <= 32
    assert len(list((tmp_path / "run").glob("before.*/ledger.sqlite"))) == 2
