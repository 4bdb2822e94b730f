"""Which state of a network was measured: precision, adapters and hooks that no hash of weights shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.errors import ModelError
from tiltmeter.models import identity_of
from tiltmeter.models.adapters import split
from tiltmeter.models.given import wrap

from .conftest import SENTENCES

pytestmark = pytest.mark.slow


@pytest.fixture
def opened(checkpoint: Callable[[str], Path]) -> Callable[[str], tuple[Any, Any]]:
    def both(family: str) -> tuple[Any, Any]:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        folder = checkpoint(family)
        return AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)

    return both


def test_mixed_precision_around_a_network_changes_nothing(opened: Callable[[str], tuple[Any, Any]]) -> None:
    import torch

    network, tokenizer = opened("llama")
    plain = wrap(network, tokenizer, name="plain").score(SENTENCES)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert wrap(network, tokenizer, name="plain").score(SENTENCES) == plain
        assert torch.is_autocast_enabled("cpu")


def test_mixed_precision_that_accelerate_puts_around_a_network_is_left_out(
    opened: Callable[[str], tuple[Any, Any]],
) -> None:
    accelerate = pytest.importorskip("accelerate")
    network, tokenizer = opened("llama")
    plain = wrap(network, tokenizer, name="plain").score(SENTENCES)
    accelerate.state.AcceleratorState._reset_state(True)
    try:
        prepared = accelerate.Accelerator(mixed_precision="bf16", cpu=True).prepare(network)
    finally:
        accelerate.state.AcceleratorState._reset_state(True)
    forward = vars(prepared)["forward"]
    assert wrap(prepared, tokenizer, name="plain").score(SENTENCES) == plain
    assert vars(prepared)["forward"] is forward


def test_adapters_that_are_on_and_how_strongly_are_part_of_the_state(
    opened: Callable[[str], tuple[Any, Any]],
) -> None:
    peft = pytest.importorskip("peft")
    network, tokenizer = opened("llama")
    settings = peft.LoraConfig(task_type="CAUSAL_LM", init_lora_weights=False)
    adapted = peft.get_peft_model(network, settings)
    adapted.add_adapter("other", settings)
    wrap(adapted, tokenizer, name="two")
    states = [identity_of("python:two")]
    adapted.set_adapter("other")
    states.append(identity_of("python:two"))
    with adapted.disable_adapter():
        states.append(identity_of("python:two"))
    for module in adapted.modules():
        if isinstance(scaling := vars(module).get("scaling"), dict):
            module.scaling = {name: 3 * value for name, value in scaling.items()}
    states.append(identity_of("python:two"))
    assert len({str(one) for one in states}) == 4
    adapted.set_adapter("other")
    assert identity_of("python:two") == states[-1]


def test_a_network_with_hooks_is_another_and_is_not_cached(opened: Callable[[str], tuple[Any, Any]]) -> None:
    network, tokenizer = opened("gpt2")
    model = wrap(network, tokenizer, name="steered")
    plain = identity_of("python:steered")
    assert plain is not None
    hook = network.transformer.h[0].register_forward_hook(lambda module, given, found: found)
    steered = wrap(network, tokenizer, name="steered")
    assert identity_of("python:steered") is None
    assert steered.facts.revision != model.facts.revision == ""
    hook.remove()
    assert identity_of("python:steered") == plain
    network.enable_input_require_grads()
    assert identity_of("python:steered") == plain


def test_what_is_not_cached_still_notices_another_step(opened: Callable[[str], tuple[Any, Any]]) -> None:
    import torch

    from tiltmeter.models import load

    network, tokenizer = opened("gpt2")
    before = wrap(network, tokenizer, name="step", cache=False).facts.revision
    assert load("python:step").facts.revision == before
    with torch.no_grad():
        network.transformer.wte.weight.mul_(1.5)
    assert load("python:step").facts.revision != before


def test_folders_of_bases_and_adapters_may_have_a_plus_sign(tmp_path: Path) -> None:
    base, adapter = tmp_path / "a+b" / "base", tmp_path / "lo+ra"
    base.mkdir(parents=True)
    adapter.mkdir()
    assert split(f"{base}+{adapter}") == (str(base), str(adapter))
    assert split(str(base)) == (str(base), "")
    assert split("org/base+org/lora") == ("org/base", "org/lora")


def test_a_network_is_found_inside_whatever_is_around_it(opened: Callable[[str], tuple[Any, Any]]) -> None:
    import torch

    class Around(torch.nn.Module):
        def __init__(self, module: torch.nn.Module) -> None:
            super().__init__()
            self.module = module

    network, tokenizer = opened("gpt2")
    inside = wrap(Around(Around(network)), tokenizer, name="x").score(SENTENCES)
    assert inside == wrap(network, tokenizer, name="x").score(SENTENCES)


def test_a_network_that_cannot_be_measured_is_refused(
    opened: Callable[[str], tuple[Any, Any]], checkpoint: Callable[[str], Path]
) -> None:
    import torch
    import transformers

    network, tokenizer = opened("gpt2")
    without_head = transformers.AutoModel.from_pretrained(checkpoint("gpt2"))
    classifier = transformers.AutoModelForSequenceClassification.from_pretrained(checkpoint("bert"))
    small = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=100, n_embd=32, n_layer=1, n_head=2))
    with torch.device("meta"):
        nowhere = transformers.GPT2LMHeadModel(network.config)
    words = transformers.AutoTokenizer.from_pretrained(checkpoint("bert"))
    for refused, own, problem in (
        (without_head, tokenizer, "language-model head"),
        (classifier, words, "language-model head"),
        (small, tokenizer, "its own tokenizer"),
        (nowhere, tokenizer, "not in memory"),
    ):
        with pytest.raises(ModelError, match=problem):
            wrap(refused, own, name="x")
