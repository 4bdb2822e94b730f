"""What is done to a network before it is used: steps that change how it computes, and not what it says."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiltmeter import products
from tiltmeter.models.device import align_head, compute_in, fuse
from tiltmeter.products import quicken

pytestmark = pytest.mark.slow


@pytest.fixture
def network(checkpoint: Callable[[str], Path]) -> Any:
    from transformers import AutoModelForCausalLM

    return AutoModelForCausalLM.from_pretrained(checkpoint("gpt2"), attn_implementation="eager").eval()


def logits(network: Any) -> Any:
    import torch

    with torch.inference_mode():
        return network(input_ids=torch.arange(10)[None] % network.config.vocab_size).logits


@pytest.mark.parametrize("bias", [False, True])
def test_a_head_is_widened_to_whole_eighths_and_says_no_more_than_before(network: Any, bias: bool) -> None:
    import torch

    head = network.get_output_embeddings()
    odd = head.out_features - 3
    own = torch.nn.Linear(head.in_features, odd, bias=bias)
    network.set_output_embeddings(own)
    before = logits(network)
    align_head(network)
    wider = network.get_output_embeddings()
    assert wider.out_features % 8 == 0
    assert wider.out_features >= odd
    after = logits(network)
    assert after.shape == before.shape == (1, 10, odd)
    assert torch.allclose(after, before, atol=1e-6)
    assert torch.equal(wider.weight[odd:], torch.zeros_like(wider.weight[odd:]))


def test_a_head_of_whole_eighths_is_left_alone(network: Any) -> None:
    import torch

    head = torch.nn.Linear(network.get_output_embeddings().in_features, 64, bias=False)
    network.set_output_embeddings(head)
    align_head(network)
    assert network.get_output_embeddings() is head


def test_one_step_of_gelu_is_the_eight_that_it_stands_for(network: Any) -> None:
    import torch

    network.transformer.h[0].mlp.c_fc.weight.data.mul_(50)
    plain = copy.deepcopy(network)
    fuse(network)
    kinds = {type(block.mlp.act) for block in network.transformer.h}
    assert kinds == {torch.nn.GELU}
    assert torch.allclose(logits(network), logits(plain), atol=1e-4)


@pytest.mark.parametrize(("dtype", "precision"), [("tf32", "high"), ("float32", "highest")])
def test_the_precision_holds_inside_the_model_and_nowhere_else(network: Any, dtype: str, precision: str) -> None:
    import torch

    seen = []
    block = network.transformer.h[0]
    block.register_forward_hook(lambda *_: seen.append(torch.get_float32_matmul_precision()))
    compute_in(dtype, network)
    before = torch.get_float32_matmul_precision()
    logits(network)
    assert seen == [precision]
    assert torch.get_float32_matmul_precision() == before


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_the_other_library_gives_the_same_products_and_leaves_gradients_alone(
    checkpoint: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch, family: str
) -> None:
    import torch
    from transformers import AutoModelForCausalLM

    if not hasattr(torch.ops.mkldnn, "_linear_pointwise"):
        pytest.skip("this build of torch has no oneDNN")
    monkeypatch.setattr(products, "_mkl_is_slow", lambda: True)
    plain = AutoModelForCausalLM.from_pretrained(checkpoint(family)).eval()
    quick = copy.deepcopy(plain)
    quicken(quick)
    # Every product goes another way, also those that a family keeps transposed.
    changed = [one for one in quick.modules() if isinstance(one, torch.nn.Linear)]
    assert changed
    assert not any(type(one) is torch.nn.Linear or type(one).__name__ == "Conv1D" for one in quick.modules())
    assert torch.allclose(logits(quick), logits(plain), atol=1e-5)
    slopes = []
    for one in (plain, quick):
        states = one.get_input_embeddings()(torch.arange(10)[None]).detach().requires_grad_()
        one(inputs_embeds=states).logits[0, -1].max().backward()
        slopes.append(states.grad)
    assert slopes[1].abs().max() > 0
    assert torch.allclose(*slopes, atol=1e-5)


def test_norms_are_computed_in_one_step_where_that_gives_the_same(checkpoint: Callable[[str], Path]) -> None:
    import torch
    from transformers import AutoModelForCausalLM
    from transformers.models.gemma.modeling_gemma import GemmaRMSNorm

    network = AutoModelForCausalLM.from_pretrained(checkpoint("llama")).eval()
    torch.nn.init.normal_(network.model.norm.weight)
    plain = copy.deepcopy(network)
    fuse(network)
    assert {type(one) for one in network.modules() if "Norm" in type(one).__name__} == {torch.nn.RMSNorm}
    assert torch.allclose(logits(network), logits(plain), atol=1e-6)
    # One that adds one to its weights is another norm.
    other = torch.nn.ModuleDict({"norm": GemmaRMSNorm(8)})
    fuse(other)
    assert type(other["norm"]) is GemmaRMSNorm
