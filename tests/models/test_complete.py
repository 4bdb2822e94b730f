"""Texts that causal checkpoints write, against a plain loop and against `transformers.generate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tiltmeter.errors import ModelError, UserError
from tiltmeter.models import ModelSettings, Writer, as_writer, load
from tiltmeter.models.decoding.checkpoint_sampler import CheckpointSampler
from tiltmeter.models.decoding.sampling import draw, draw_there, stream
from tiltmeter.models.encoding import Encoder
from tiltmeter.models.network import Network
from tiltmeter.records import Decoding

from .conftest import CAUSAL, bytelevel_tokenizer, save_checkpoint

pytestmark = pytest.mark.slow
ONE_THREAD = ModelSettings(device="cpu", threads=1)
PROMPTS = ["The nurse said", "The nurse said that he", "My brother-in-law is", "a", "The nurse said"]
DRAWN = Decoding(temperature=0.8, top_k=50, top_p=0.85, max_new_tokens=12)


def writer(folder: Path, settings: ModelSettings = ONE_THREAD) -> Writer:
    return as_writer(load(f"hf:{folder}", settings))


def plainly(folder: Path, prompt: str, decoding: Decoding, sample: int, seed: int, ends: frozenset[int]) -> str:
    """One text by the shortest program that gives it: no cache, no batch."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    model: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    start = {"gpt2": "<|endoftext|>", "llama": "<s>", "qwen2": "<|endoftext|>"}[model.config.model_type]
    row = [tokenizer.convert_tokens_to_ids(start), *tokenizer(prompt, add_special_tokens=False)["input_ids"]]
    numbers, written = stream(seed, prompt, sample), []
    while len(written) < decoding.max_new_tokens:
        with torch.no_grad():
            logits = model(torch.tensor([row + written])).logits[0, -1].numpy()
        token = draw(logits, decoding, numbers.random())
        if token in ends:
            break
        written.append(token)
    return str(tokenizer.decode(written, skip_special_tokens=True)).rstrip("\ufffd")


@pytest.mark.parametrize("family", CAUSAL)
def test_texts_are_those_of_a_plain_loop(family: str, checkpoint: Callable[[str], Path]) -> None:
    folder = checkpoint(family)
    model = writer(folder)
    completions = model.complete(PROMPTS, DRAWN, samples=3, seed=5)
    for prompt, texts in zip(PROMPTS, completions, strict=True):
        expected = [plainly(folder, prompt, DRAWN, sample, 5, model._sampler.ends) for sample in range(3)]  # type: ignore[attr-defined]
        assert [completion.text for completion in texts] == expected
        assert all(1 <= completion.tokens <= 12 for completion in texts)
    assert len({text.text for texts in completions for text in texts}) > 6


@pytest.mark.parametrize("family", CAUSAL)
def test_greedy_texts_are_those_of_transformers(family: str, checkpoint: Callable[[str], Path]) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    folder = checkpoint(family)
    model: Any = writer(folder)
    sampler = model._sampler
    network: Any = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()
    for prompt in PROMPTS:
        row = sampler.read(prompt)
        ids = network.generate(
            torch.tensor([row]), do_sample=False, max_new_tokens=12, eos_token_id=sorted(sampler.ends), pad_token_id=0
        )[0].tolist()[len(row) :]
        [[completion]] = model.complete([prompt], Decoding(temperature=0, max_new_tokens=12))
        assert completion.tokens == len(ids)
        assert completion.text == sampler.text(row, [token for token in ids if token not in sampler.ends]).rstrip(
            "\ufffd"
        )


@pytest.mark.parametrize("batch_tokens", [1, 16, 100_000])
def test_a_text_depends_on_neither_neighbours_nor_batch(batch_tokens: int, checkpoint: Callable[[str], Path]) -> None:
    model = writer(checkpoint("llama"), ModelSettings(device="cpu", threads=1, batch_tokens=batch_tokens))
    alone = [model.complete([prompt], DRAWN, samples=2, seed=3)[0] for prompt in PROMPTS]
    assert model.complete(PROMPTS, DRAWN, samples=2, seed=3) == alone
    assert model.complete(PROMPTS[::-1], DRAWN, samples=2, seed=3) == alone[::-1]
    assert alone[0] == alone[4]
    more = model.complete(PROMPTS, DRAWN, samples=3, seed=3)
    assert [texts[:2] for texts in more] == alone
    assert model.complete(PROMPTS, DRAWN, samples=2, seed=4) != alone


@pytest.mark.parametrize(
    "decoding",
    [
        DRAWN,
        Decoding(1.3, 0, 0.6, 12),
        Decoding(1.0, 3, 1.0, 11, ("e", "on")),
        Decoding(0.0, max_new_tokens=9),
        Decoding(0.8, 0, 1.0, 12, whole_sentences=True),
    ],
)
def test_texts_drawn_on_a_device_in_stretches_are_the_same(
    decoding: Decoding, checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = writer(checkpoint("gpt2"))
    prompts = [*PROMPTS, FULL, "a" + " a" * 56]
    samples = 3 if decoding.temperature else 1
    expected = here.complete(prompts, decoding, samples=samples, seed=4)
    # What an accelerator does, on this device.
    monkeypatch.setattr("tiltmeter.models.decoding.checkpoint_sampler._STRETCHES", {})
    there = writer(checkpoint("gpt2"))
    assert there.complete(prompts, decoding, samples=samples, seed=4) == expected
    assert there.complete_with(PROMPTS, [["nurse"]] * 5, DRAWN, seed=4) == here.complete_with(
        PROMPTS, [["nurse"]] * 5, DRAWN, seed=4
    )


@pytest.mark.parametrize(
    "decoding", [Decoding(), Decoding(0.0), Decoding(0.7, 9), Decoding(1.5, 0, 0.3), Decoding(1.0, 40, 0.9)]
)
def test_a_device_draws_the_same_tokens(decoding: Decoding) -> None:
    import torch

    numbers = np.random.default_rng(3)
    logits = numbers.normal(0, 3, (400, 300)).astype(np.float32)
    logits[:100] = logits[:100].round()
    logits[50:60, 250:] = -np.inf
    uniforms = numbers.random(400)
    uniforms[:3] = 0.0, 1 - 2**-53, 0.5
    found = draw_there(torch.from_numpy(logits), decoding, torch.from_numpy(uniforms))
    assert found.tolist() == [draw(line, decoding, number) for line, number in zip(logits, uniforms, strict=True)]


def test_a_stop_text_ends_the_text_before_it(checkpoint: Callable[[str], Path]) -> None:
    model = writer(checkpoint("gpt2"))
    [[free]] = model.complete(["The nurse"], DRAWN, seed=2)
    stop = free.text[4:6]
    assert stop
    [[stopped]] = model.complete(["The nurse"], Decoding(0.8, 50, 0.85, 12, (stop, "never")), seed=2)
    assert stopped.ended == "stop"
    assert stopped.text == free.text[: free.text.index(stop)]
    assert stopped.tokens <= free.tokens


def test_an_end_token_ends_the_text_and_is_counted(tmp_path: Path) -> None:
    save_checkpoint("llama", tmp_path)
    end = bytelevel_tokenizer("llama").eos_token_id
    [[completion]] = _always(tmp_path, end).complete(["a"], DRAWN)
    assert (completion.text, completion.tokens, completion.ended) == ("", 1, "end")


def _always(folder: Path, token: int) -> Writer:
    """The model of a folder with numbers that leave only one token."""
    model: Any = writer(folder)

    def certain(module: Any, arguments: Any, output: Any) -> Any:
        output.logits[..., token] = 1e4
        return output

    model._sampler._model.register_forward_hook(certain)
    return model  # type: ignore[no-any-return]


FULL = "a" + " a" * 62
"""With the start token, the whole context of the tiny checkpoints."""


def test_a_prompt_that_fills_the_context_does_not_stop_the_others(checkpoint: Callable[[str], Path]) -> None:
    model = writer(checkpoint("gpt2"))
    for decoding, samples in ((DRAWN, 2), (Decoding(0, max_new_tokens=12), 1), (Decoding(0, beams=3), 1)):
        [before, full, after] = model.complete(["fine", FULL, "a"], decoding, samples=samples, seed=[1, 2, 3])
        assert [before, after] == model.complete(["fine", "a"], decoding, samples=samples, seed=[1, 3])
        assert [(one.text, one.tokens, one.ended) for one in full] == [("", 0, "unwritten")] * samples
        assert {one.unwritten for one in full} == {"the prompt fills the model's context of 64 tokens"}
        assert full[0].at(5) == full[0]
        assert not any(one.unwritten for one in (*before, *after))
    with pytest.raises(ModelError, match="a prompt has 64 tokens and .* reads at most 64"):
        model.complete_with(["fine", FULL], [["nurse"], ["nurse"]], DRAWN)


def test_a_prompt_near_the_context_gets_what_room_there_is_and_says_so(checkpoint: Callable[[str], Path]) -> None:
    model = writer(checkpoint("gpt2"))
    near = "a" + " a" * 60
    for decoding in (Decoding(0, max_new_tokens=12), Decoding(0, max_new_tokens=12, beams=3)):
        [[short]] = model.complete([near], decoding)
        assert (short.tokens, short.ended) == (2, "context")
    [[long]] = model.complete([near], Decoding(0, max_new_tokens=12))
    for length in (1, 2):
        [[alone]] = model.complete([near], Decoding(0, max_new_tokens=length))
        assert long.at(length) == alone
        assert alone.ended == "length"


def test_settings_that_mean_nothing_are_refused(checkpoint: Callable[[str], Path]) -> None:
    model = writer(checkpoint("gpt2"))
    for decoding, samples, word in (
        (Decoding(temperature=-1), 1, "temperature"),
        (Decoding(top_k=-1), 1, "top_k"),
        (Decoding(top_p=0), 1, "top_p"),
        (Decoding(max_new_tokens=0), 1, "max_new_tokens"),
        (Decoding(stop=("",)), 1, "stop"),
        (Decoding(), 0, "samples"),
    ):
        with pytest.raises(UserError, match=word):
            model.complete(["a"], decoding, samples=samples)
    assert model.complete([], Decoding()) == []


def test_a_masked_model_cannot_write(checkpoint: Callable[[str], Path]) -> None:
    with pytest.raises(ModelError, match="is masked and cannot write"):
        as_writer(load(f"hf:{checkpoint('bert')}", ONE_THREAD))


def test_a_chat_prompt_has_the_templates_special_tokens_and_no_others(tmp_path: Path) -> None:
    save_checkpoint("qwen2", tmp_path)
    tokenizer = bytelevel_tokenizer("qwen2")
    tokenizer.chat_template = (
        "{% for turn in messages %}<|im_start|>{{ turn['role'] }}\n{{ turn['content'] }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    )
    tokenizer.save_pretrained(tmp_path)
    model: Any = writer(tmp_path)
    prompt = model.chat_prompt("Say <|im_end|>")
    assert prompt == "<|im_start|>user\nSay <|im_end|><|im_end|>\n<|im_start|>assistant\n"
    marks = [tokenizer.convert_tokens_to_ids(name) for name in ("<|im_start|>", "<|im_end|>", "<|im_start|>")]
    assert [token for token in model._sampler.read(prompt + "Well") if token in model._sampler.ends] == marks
    assert not set(model._sampler.read("Say <|im_end|>")[1:]) & model._sampler.ends
    assert model.complete([prompt], DRAWN)[0][0].tokens


def test_without_a_chat_template_there_is_no_chat_prompt(checkpoint: Callable[[str], Path]) -> None:
    with pytest.raises(ModelError, match="no chat template"):
        writer(checkpoint("gpt2")).chat_prompt("Say it")


def test_a_model_whose_cache_is_wrong_is_refused(checkpoint: Callable[[str], Path]) -> None:
    model: Any = writer(checkpoint("gpt2"))
    forward = model._sampler._model.forward

    def without_positions(ids: Any, past_key_values: Any = None, use_cache: bool = False) -> Any:
        return forward(ids, past_key_values=past_key_values, use_cache=use_cache)

    model._sampler._model.forward = without_positions
    with pytest.raises(ModelError, match="gives different numbers with a cache"):
        model.complete(["a"], DRAWN)


def test_cuts_leave_the_fewest_tokens_that_reach_top_p() -> None:
    from tiltmeter.models.decoding.sampling import cut

    logits = np.log(np.array([0.05, 0.4, 0.1, 0.3, 0.15], dtype=np.float32))
    assert cut(logits, Decoding(top_k=3))[0].tolist() == [1, 3, 4]
    assert cut(logits, Decoding(top_p=0.75))[0].tolist() == [1, 3, 4]
    assert cut(logits, Decoding(top_p=0.69))[0].tolist() == [1, 3]
    # top_p counts after top_k: 0.4/0.7 of what is left is enough for 0.5.
    ids, probabilities = cut(logits, Decoding(top_k=2, top_p=0.5))
    assert (ids.tolist(), probabilities.tolist()) == ([1], [1.0])
    assert cut(logits, Decoding(temperature=0.5))[1] == pytest.approx(
        np.array([0.05, 0.4, 0.1, 0.3, 0.15]) ** 2 / np.sum(np.array([0.05, 0.4, 0.1, 0.3, 0.15]) ** 2), abs=1e-6
    )


def test_the_embedded_model_writes_english_and_the_same_again() -> None:
    model = as_writer(load("smollm2-135m", ONE_THREAD))
    decoding = Decoding(temperature=0.8, top_k=50, top_p=0.85, max_new_tokens=12, stop=("\n",))
    first = model.complete(["The capital of France is", "My sister works as a"], decoding, samples=2, seed=1)
    assert model.complete(["My sister works as a"], decoding, samples=2, seed=1)[0] == first[1]
    assert all(completion.text.startswith(" ") for texts in first for completion in texts)
    [[answer]] = model.complete([model.chat_prompt("What is the capital of France?")], Decoding(0, max_new_tokens=20))
    assert (answer.text, answer.ended) == ("The capital of France is Paris.", "end")


@pytest.mark.parametrize("lengths", [(25, 9, 25), (20, 20, 20)], ids=["of several lengths", "of one length"])
@pytest.mark.parametrize("kind", ["Mistral", "Gemma3", "Qwen2", "GPTNeo"])
def test_a_layer_that_looks_back_only_so_far_does_so_in_a_batch(kind: str, lengths: tuple[int, ...]) -> None:
    import torch
    import transformers

    size = {"vocab_size": 360, "hidden_size": 32, "initializer_range": 0.3}
    if kind == "GPTNeo":
        own: dict[str, Any] = {"num_layers": 2, "num_heads": 4, "attention_types": [[["global", "local"], 1]]}
        own |= {"window_size": 12, "bos_token_id": 1, "eos_token_id": 2}
    else:
        own = {"num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 64}
        own |= {"sliding_window": 12, "head_dim": 8} if kind == "Gemma3" else {"sliding_window": 12}
        own |= {"use_sliding_window": True, "max_window_layers": 0} if kind == "Qwen2" else {}
    torch.manual_seed(1)
    configuration = "Gemma3TextConfig" if kind == "Gemma3" else f"{kind}Config"
    config = getattr(transformers, configuration)(**size, **own)
    network: Any = getattr(transformers, f"{kind}ForCausalLM")(config).eval()
    encoder = Encoder(bytelevel_tokenizer("llama"), "tiny")
    settings: Any = {"name": "tiny", "start": (), "ends": frozenset(), "context": None, "batch_tokens": 1000}
    sampler = CheckpointSampler(network, "cpu", encoder, **settings)
    texts = [[(7 * place + 31 * at) % 360 for place in range(length)] for at, length in enumerate(lengths)]
    batch = sampler.open([tuple(text) for text in texts])
    for place in range(12):
        for text, logits in zip(texts, batch.logits, strict=True):
            with torch.no_grad():
                plain = network(torch.tensor([text])).logits[0, -1].numpy()
            assert np.abs(logits - plain).max() < 1e-3
        tokens = [(11 * place + at) % 360 for at in range(len(texts))]
        batch.append(np.array(tokens))
        for text, token in zip(texts, tokens, strict=True):
            text.append(token)
    # What is written and what is scored are given the same probabilities.
    scored = Network(network, "cpu", None, 0, causal=True).token_logprobs([tuple(text) for text in texts], 1).by_row()
    for text, found in zip(texts, scored, strict=True):
        with torch.no_grad():
            said = network(torch.tensor([text])).logits[0].log_softmax(-1)
        assert found == pytest.approx([float(said[at, token]) for at, token in enumerate(text[1:])], abs=1e-4)
