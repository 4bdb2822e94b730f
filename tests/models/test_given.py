"""Models in memory: networks while they are trained, objects and functions."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiltmeter import models
from tiltmeter.engine.cached import open_model
from tiltmeter.engine.scoring import score_pairs
from tiltmeter.errors import ModelError, UserError
from tiltmeter.measures.scorers import find
from tiltmeter.models import ModelSettings, identity_of, load
from tiltmeter.models.given import wrap
from tiltmeter.models.interface import Explainer, Predictor, Writer
from tiltmeter.records import Decoding, TokenScores
from tiltmeter.sources.templates import pairs as template_pairs
from tiltmeter.specs import load as load_spec
from tiltmeter.store import Cache

from .conftest import SENTENCES

ON_CPU = ModelSettings(device="cpu", threads=1)


@pytest.fixture
def network(checkpoint: Callable[[str], Path]) -> Callable[[str], tuple[Any, Any]]:
    def opened(family: str) -> tuple[Any, Any]:
        from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

        kind: Any = AutoModelForMaskedLM if family == "bert" else AutoModelForCausalLM
        folder = checkpoint(family)
        return kind.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)

    return opened


@pytest.mark.slow
@pytest.mark.parametrize("family", ["gpt2", "llama", "bert"])
def test_a_network_in_memory_says_what_its_checkpoint_says(
    family: str, network: Callable[[str], tuple[Any, Any]], checkpoint: Callable[[str], Path]
) -> None:
    one, other = wrap(*network(family), name="here"), load(f"hf:{checkpoint(family)}", ON_CPU)
    for mine, theirs in zip(one.score(SENTENCES), other.score(SENTENCES), strict=True):
        assert mine.spans == theirs.spans
        assert [value or 0.0 for value in mine.logprobs] == pytest.approx([value or 0.0 for value in theirs.logprobs])
    assert (one.facts.family, one.facts.name) == (other.facts.family, "python:here")
    for verbs in (Writer, Predictor, Explainer):
        assert isinstance(one, verbs) == isinstance(other, verbs)


@pytest.mark.slow
def test_a_network_in_training_is_measured_at_rest_and_goes_on_as_it_was(
    network: Callable[[str], tuple[Any, Any]],
) -> None:
    import torch

    trained, tokenizer = network("gpt2")
    trained.train()
    trained.transformer.h[0].eval()
    trained.config.use_cache = True
    before = {name: module.training for name, module in trained.named_modules()}
    kinds = [type(module) for module in trained.modules()]
    state = torch.random.get_rng_state()
    model = wrap(trained, tokenizer)
    assert isinstance(model, Writer)
    assert model.score(SENTENCES) == model.score(SENTENCES)
    model.complete(["The nurse"], Decoding(max_new_tokens=4), seed=1)
    assert {name: module.training for name, module in trained.named_modules()} == before
    assert [type(module) for module in trained.modules()] == kinds
    assert trained.config.use_cache is True
    assert all(weight.grad is None for weight in trained.parameters())
    assert torch.equal(torch.random.get_rng_state(), state)


@pytest.mark.slow
def test_every_step_of_training_is_another_model_to_the_cache(
    network: Callable[[str], tuple[Any, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    monkeypatch.setattr("tiltmeter.engine.cached._WORTH_KEEPING", 0)
    trained, tokenizer = network("gpt2")
    wrap(trained, tokenizer, name="steps")

    def scored() -> list[TokenScores]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            found = open_model("python:steps", ON_CPU, cache).score(SENTENCES)
            hits.append(cache.hits)
            return found

    hits: list[int] = []
    first, identity = scored(), identity_of("python:steps")
    assert scored() == first
    with torch.no_grad():
        trained.transformer.wte.weight.mul_(1.5)
    assert identity_of("python:steps") != identity
    assert scored() != first
    # One of the sentences is there twice.
    assert hits == [1, len(SENTENCES), 1]


@pytest.mark.slow
@pytest.mark.parametrize(("cache", "kept"), [(False, False), ("step 4000", True)])
def test_the_user_says_what_is_cached(
    cache: bool | str, kept: bool, network: Callable[[str], tuple[Any, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tiltmeter.models.given._weights_sha256", lambda _: pytest.fail("hashed"))
    model = wrap(*network("gpt2"), name="told", cache=cache)
    found = identity_of("python:told")
    assert (found is not None) == kept
    assert model.facts.revision == (cache if kept else model.facts.revision)
    other = wrap(*network("gpt2"), name="told", cache=cache)
    assert (other.facts.revision == model.facts.revision) == kept


@pytest.mark.slow
def test_a_network_with_an_adapter_in_training_is_measured_with_it(network: Callable[[str], tuple[Any, Any]]) -> None:
    peft = pytest.importorskip("peft")
    plain, tokenizer = network("llama")
    adapted = peft.get_peft_model(copy.deepcopy(plain), peft.LoraConfig(task_type="CAUSAL_LM", init_lora_weights=False))
    merged = copy.deepcopy(adapted).merge_and_unload()
    own = [wrap(one, tokenizer, name="x").score(SENTENCES) for one in (adapted, merged, plain)]
    numbers = [[value or 0.0 for one in scores for value in one.logprobs] for scores in own]
    assert numbers[0] == pytest.approx(numbers[1], abs=1e-4)
    assert numbers[0] != pytest.approx(numbers[2], abs=1e-2)


@pytest.mark.slow
def test_an_adapter_is_merged_into_its_base_by_name(
    network: Callable[[str], tuple[Any, Any]], checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    peft = pytest.importorskip("peft")
    plain, tokenizer = network("llama")
    adapted = peft.get_peft_model(plain, peft.LoraConfig(task_type="CAUSAL_LM", init_lora_weights=False))
    adapted.save_pretrained(tmp_path / "lora")
    name = f"hf:{checkpoint('llama')}+{tmp_path / 'lora'}"
    by_name, in_memory = load(name, ON_CPU), wrap(adapted, tokenizer, name="x")
    for one, other in zip(by_name.score(SENTENCES), in_memory.score(SENTENCES), strict=True):
        assert [value or 0.0 for value in one.logprobs] == pytest.approx(
            [value or 0.0 for value in other.logprobs], abs=1e-4
        )
    base = load(f"hf:{checkpoint('llama')}", ON_CPU)
    assert by_name.facts.weights_sha256 != base.facts.weights_sha256
    found = identity_of(name)
    assert found is not None
    assert found["weights_sha256"] == by_name.facts.weights_sha256
    assert found["files_sha256"] == by_name.facts.files_sha256
    with pytest.raises(ModelError, match="is an adapter alone"):
        load(f"hf:{tmp_path / 'lora'}", ON_CPU)
    with pytest.raises(ModelError, match="does not fit"):
        load(f"hf:{checkpoint('gpt2')}+{tmp_path / 'lora'}", ON_CPU)
    (tmp_path / "lora" / "adapter_model.safetensors").rename(tmp_path / "lora" / "adapter_model.bin")
    with pytest.raises(ModelError, match="can run code"):
        load(name, ON_CPU)


class Thermometer:
    """Somebody's own scorer: longer is less probable."""

    def score(self, texts: list[str]) -> list[float | None]:
        return [None if "?" in text else -float(len(text)) for text in texts]

    def next_words(self, prompts: list[str], words: list[str]) -> list[dict[str, float]]:
        return [{word: 1 / len(word) / 10 for word in words} for _ in prompts]


def test_an_object_has_the_verbs_that_it_has() -> None:
    model = wrap(Thermometer())
    assert model.facts.name == "python:Thermometer"
    assert model.score(["She is.", "Is she?"]) == [
        TokenScores(((0, 7),), (-7.0,)),
        TokenScores(unscored="the model gave no number"),
    ]
    assert isinstance(model, Predictor)
    assert not isinstance(model, Writer)
    [found] = model.next_words(["The nurse said that"], ["he", "she"])
    assert [word.probability for word in found.words] == pytest.approx([0.05, 1 / 30])


def test_one_number_for_a_text_has_a_sum_and_no_mean() -> None:
    pairs, _ = template_pairs(load_spec("gender-math-arts"), per_attribute=2)
    found = score_pairs(wrap(Thermometer()), pairs[:4], [find("sum", "causal"), find("mean", "causal")])
    for one in found["causal.sum.v1"]:
        assert one.scores == tuple(-float(len(text)) for text in one.pair.texts)
    assert {one.unscored for one in found["causal.mean.v1"]} == {
        "the model gives one number for the whole text, so there is no mean over its tokens"
    }


def test_tokens_with_their_log_probabilities_are_found_in_the_text() -> None:
    class Tokens:
        def score(self, texts: list[str]) -> list[list[tuple[str, float | None]]]:
            return [[("The", None), (" nurse", -2.5), (" said", -1.0)] for _ in texts]

    [found] = wrap(Tokens()).score(["The nurse said"])
    assert found == TokenScores(((0, 3), (4, 9), (10, 14)), (None, -2.5, -1.0))


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([0.5], "log-probability"),
        (["x"], "log-probability"),
        ([], "0 results for 1"),
        (-3.0, "a list"),
        ({"a": 1}, "a list"),
    ],
)
def test_scores_that_are_none_are_refused(answer: Any, problem: str) -> None:
    class Wrong:
        def score(self, texts: list[str]) -> Any:
            return answer

    with pytest.raises(ModelError, match=problem) as caught:
        wrap(Wrong()).score(["The nurse"])
    assert str(caught.value).startswith("python:Wrong ")
    assert "\n" not in str(caught.value)


def test_a_function_is_told_what_it_can_be_told() -> None:
    told = []

    def answer(prompt: str, temperature: float, max_tokens: int, seed: int) -> str:
        told.append((prompt, temperature, max_tokens, seed))
        return "ok"

    model = wrap(answer)
    assert isinstance(model, Writer)
    found = model.complete(["a", "b"], Decoding(temperature=0.5, max_new_tokens=9), samples=2, seed=[3, 7])
    assert [[one.text for one in texts] for texts in found] == [["ok", "ok"]] * 2
    assert sorted(told) == [("a", 0.5, 9, 3), ("a", 0.5, 9, 4), ("b", 0.5, 9, 7), ("b", 0.5, 9, 8)]


def test_a_function_that_cannot_be_told_the_temperature_is_not_believed_to_have_it() -> None:
    model = wrap(lambda prompt: "ok", name="deaf")
    assert isinstance(model, Writer)
    assert model.complete(["a"], Decoding())[0][0].text == "ok"
    with pytest.raises(ModelError, match="temperature = 0.5"):
        model.complete(["a"], Decoding(temperature=0.5))


def test_an_answer_that_is_none_is_unwritten_and_not_empty() -> None:
    model = wrap(lambda prompts: [None, ""], name="silent")
    assert isinstance(model, Writer)
    [[none], [empty]] = model.complete(["a", "b"], Decoding())
    assert none.ended == "unwritten"
    assert (empty.ended, empty.unwritten) == ("end", None)


def test_what_the_users_code_raises_is_one_sentence_with_its_name() -> None:
    def broken(prompt: str) -> str:
        raise KeyError("choices")

    model = wrap(broken)
    assert isinstance(model, Writer)
    with pytest.raises(ModelError, match="python:broken failed: KeyError: 'choices'"):
        model.complete(["a"], Decoding())


@pytest.mark.parametrize(
    ("given", "more", "problem"),
    [
        (3, {}, "is not a model"),
        (object(), {}, "is not a model"),
        ("gpt2", {}, "is a name"),
        (len, {"tokenizer": "x"}, "takes no tokenizer"),
        (len, {"name": "a:b"}, "cannot name a model"),
        (len, {"cache": True}, "has no weights"),
    ],
)
def test_what_is_no_model_is_refused(given: Any, more: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        wrap(given, **more)


def test_models_are_loaded_from_paths_and_from_memory(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text("[weights]\nhe = 1\nshe = 2\nother = 5\n", encoding="utf-8")
    assert load(lambda prompt: "x").facts.name.startswith("python:")
    with pytest.raises(ModelError, match="there is no folder"):
        load(tmp_path / "nowhere")
    with pytest.raises(ModelError, match="no model of this name is in memory"):
        models.check_name("python:nobody")


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ([[]], "no token for “The nurse”"),
        ([[("The", -1.0)]], "no token for “nurse”"),
        ([[("nurse", -1.0)]], "all of the text"),
    ],
)
def test_what_no_token_has_is_not_taken_for_certain(answer: Any, problem: str) -> None:
    class Partial:
        def score(self, texts: list[str]) -> Any:
            return answer

    with pytest.raises(ModelError, match=problem):
        wrap(Partial()).score(["The nurse"])


def test_the_first_parameter_takes_the_prompts_whatever_it_is_called() -> None:
    model = wrap(lambda n: [*n], name="n")
    assert isinstance(model, Writer)
    assert [one.text for [one] in model.complete(["a", "b"], Decoding())] == ["a", "b"]


def test_halves_of_characters_do_not_stop_a_run() -> None:
    model = wrap(lambda prompts: ["a\ud83d\ude00", "a\ud800"], name="half")
    assert isinstance(model, Writer)
    assert [one.text for [one] in model.complete(["a", "b"], Decoding())] == ["a😀", "a\ufffd"]


class Strange(Thermometer):
    family = "weird"


class Conditioned(Thermometer):
    conditionings = 5


@pytest.mark.parametrize(
    ("given", "more", "problem"),
    [
        (Strange(), {}, "expected causal or masked"),
        (Conditioned(), {}, "conditionings"),
        (len, {"name": 5}, "cannot name a model"),
        (len, {"cache": 5}, "cache=5"),
    ],
)
def test_what_an_object_says_of_itself_is_checked(given: Any, more: dict[str, Any], problem: str) -> None:
    with pytest.raises(UserError, match=problem):
        wrap(given, **more)


@pytest.mark.slow
def test_a_pipeline_of_transformers_is_its_network(network: Callable[[str], tuple[Any, Any]]) -> None:
    from transformers import pipeline

    plain, tokenizer = network("gpt2")
    made = wrap(pipeline("text-generation", model=plain, tokenizer=tokenizer), name="piped")
    assert made.facts.family == "causal"
    assert made.score(SENTENCES) == wrap(plain, tokenizer, name="piped").score(SENTENCES)
