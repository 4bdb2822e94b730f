"""Saliency against gradients worked out by hand and against plain autograd."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tiltmeter.errors import ModelError, UserError
from tiltmeter.models import ModelSettings, as_explainer, load
from tiltmeter.models.saliency import Target, explained
from tiltmeter.records import Saliency

from .conftest import CAUSAL, MASKED

pytestmark = pytest.mark.slow
ONE_THREAD = ModelSettings(device="cpu", threads=1)
PROMPTS = ["The metalsmith said that", "My brother-in-law is an engineer because"]


def linear_network() -> Any:
    """A network whose logit at a place is the sum over all places so far of weight[target] · embedding."""
    import torch

    from tiltmeter.models.network import Network

    class Linear(torch.nn.Module):
        config = SimpleNamespace(get_text_config=lambda: SimpleNamespace(vocab_size=3))

        def __init__(self) -> None:
            super().__init__()
            self.table = torch.nn.Embedding(3, 2)
            self.table.weight.data = torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]])
            self.head = torch.nn.Linear(2, 3, bias=False)
            self.head.weight.data = torch.tensor([[1.0, 1.0], [2.0, -1.0], [0.0, 1.0]])

        @property
        def base_model(self) -> Any:
            return self

        def get_input_embeddings(self) -> Any:
            return self.table

        def get_output_embeddings(self) -> Any:
            return self.head

        def forward(self, input_ids: Any) -> Any:
            return SimpleNamespace(logits=self.head(self.table(input_ids).cumsum(1)))

    return Network(Linear(), "cpu", 1024, 0)


def test_of_a_linear_network_the_parts_are_the_terms_of_the_sum() -> None:
    network = linear_network()
    # The logit of token 1, whose weight is (2, −1), after 0, 1, 2: its terms are 2·1 = 2, −1·2 = −2, 2·3 − 1·1 = 5.
    target = Target((0, 1, 2), 2, 1, (0, 1, 2), ((0, 1), (2, 3), (4, 5)))
    [plain] = explained(network, ["w"], [target], None, "gradient-x-input", 8)
    assert plain.signed == pytest.approx((2.0, -2.0, 5.0))
    assert plain.sizes == pytest.approx((2.0, 2.0, math.hypot(6, 1)))
    assert plain.shares() == pytest.approx([size / (4 + math.hypot(6, 1)) for size in (2, 2, math.hypot(6, 1))])
    assert plain.share_on(((2, 5),)) == pytest.approx(1 - plain.shares()[0])
    # Against the mean embedding (4/3, 1), whose own term is 8/3 − 1 = 5/3.
    [whole] = explained(network, ["w"], [target], None, "integrated-gradients", 3)
    assert whole.signed == pytest.approx((2 - 5 / 3, -2 - 5 / 3, 5 - 5 / 3), abs=1e-5)
    assert whole.residue == pytest.approx(0, abs=1e-5)
    # Against token 0, whose term is 2.
    [other] = explained(network, ["w"], [target], 0, "integrated-gradients", 3)
    assert other.signed == pytest.approx((0.0, -4.0, 3.0), abs=1e-5)


@pytest.mark.parametrize("family", CAUSAL)
def test_gradients_are_those_of_plain_autograd(family: str, checkpoint: Callable[[str], Path]) -> None:
    import torch

    from .test_next_words import Plain

    plain, model = Plain(checkpoint(family)), as_explainer(load(f"hf:{checkpoint(family)}", ONE_THREAD))
    start = list(model._start)
    for prompt, found in zip(PROMPTS, model.saliency(PROMPTS, ["he", "she"]), strict=True):
        ids = [*start, *plain.ids(prompt)]
        piece = plain.ids(f"{prompt} {found.word}")[len(ids) - len(start)]
        embedded = plain.model.get_input_embeddings()(torch.tensor([ids])).detach().requires_grad_(True)
        plain.model(inputs_embeds=embedded).logits[0, -1, piece].backward()
        product = (embedded.grad * embedded)[0, len(start) :]
        assert found.signed == pytest.approx(product.sum(-1).tolist(), rel=1e-3, abs=1e-4)
        assert found.sizes == pytest.approx(product.norm(dim=-1).tolist(), rel=1e-3, abs=1e-4)
        assert len(found.spans) == len(ids) - len(start)
        assert math.fsum(found.shares()) == pytest.approx(1)


@pytest.mark.parametrize("family", ["gpt2", *MASKED])
def test_integrated_gradients_add_up_to_the_change_of_the_logit(family: str, checkpoint: Callable[[str], Path]) -> None:
    model = as_explainer(load(f"hf:{checkpoint(family)}", ONE_THREAD))
    prompts = ["The metalsmith said that", "The nurse said that"]
    for found in model.saliency(prompts, ["he", "she"], method="integrated-gradients", steps=256):
        assert found.unscored is None
        assert found.residue == pytest.approx(0, abs=0.05)
        assert len(found.spans) == len(found.signed) == len(found.sizes)


def test_tokens_of_a_masked_prompt_lie_where_the_prompt_has_them(checkpoint: Callable[[str], Path]) -> None:
    model = as_explainer(load(f"hf:{checkpoint('bert')}", ONE_THREAD))
    prompt = "The nurse said [MASK] was tired."
    [found] = model.saliency([prompt], ["he"])
    assert "".join(prompt[start:end] for start, end in found.spans) == "Thenursesaidwastired."


def test_the_last_word_is_the_one_before_the_blank(checkpoint: Callable[[str], Path]) -> None:
    from tiltmeter.records import NextWords, Prompt
    from tiltmeter.sources.perturbations import Perturbed
    from tiltmeter.store import Answered

    model = as_explainer(load(f"hf:{checkpoint('bert')}", ONE_THREAD))
    text = "The nurse said that [MASK]."
    [found] = model.saliency([text], ["he"])
    shares = dict(zip((text[start:end] for start, end in found.spans), found.shares(), strict=True))
    answered = Answered(Perturbed(Prompt("1", "s", "b", "nurse", text, "all"), "original"), NextWords(()), found)
    assert answered.on_last == pytest.approx(shares["that"])
    assert shares["that"] != pytest.approx(shares["."])


def test_what_cannot_be_explained_says_why(checkpoint: Callable[[str], Path]) -> None:
    model = as_explainer(load(f"hf:{checkpoint('gpt2')}", ONE_THREAD))
    empty, middle = model.saliency(["", "The [MASK] was"], ["he", "he"])
    assert empty.unscored == "the prompt has no tokens"
    assert "left to right" in (middle.unscored or "")
    with pytest.raises(UserError, match="no saliency method"):
        model.saliency(["The nurse"], ["he"], method="attention")
    with pytest.raises(ModelError, match="no gradients"):
        as_explainer(load("scripted"))


def test_shares_of_nothing_are_nothing() -> None:
    assert Saliency("he", "gradient-x-input").shares() == ()
    assert Saliency("he", "gradient-x-input", ((0, 1),), (0.0,), (0.0,)).share_on(((0, 1),)) is None


@pytest.mark.parametrize("family", MASKED)
def test_masked_gradients_are_those_of_plain_autograd_over_the_tokens_of_the_prompt(
    family: str, checkpoint: Callable[[str], Path]
) -> None:
    """The start and end tokens, the mask and the full stop that is added are no part of the prompt."""
    import transformers

    folder = checkpoint(family)
    model = as_explainer(load(f"hf:{folder}", ONE_THREAD))
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    network = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    space = " " if family == "roberta" else ""
    piece = tokenizer(f"{space}he", add_special_tokens=False)["input_ids"][0]
    for prompt in ("The metalsmith said that", "The nurse said that [MASK] was tired."):
        text = prompt.replace("[MASK]", tokenizer.mask_token)
        text = text if "[MASK]" in prompt else f"{text} {tokenizer.mask_token}."
        ids = tokenizer(text, return_tensors="pt")["input_ids"]
        blank = ids[0].tolist().index(tokenizer.mask_token_id)
        embedded = network.get_input_embeddings()(ids).detach().requires_grad_(True)
        network(inputs_embeds=embedded).logits[0, blank, piece].backward()
        sizes = (embedded.grad * embedded)[0].norm(dim=-1).tolist()
        own = [*range(1, blank), *(range(blank + 1, len(sizes) - 1) if "[MASK]" in prompt else ())]
        whole = math.fsum(sizes[place] for place in own)
        [found] = model.saliency([prompt], ["he"])
        assert found.shares() == pytest.approx([sizes[place] / whole for place in own], abs=1e-5)


@pytest.mark.parametrize("method", ["gradient-x-input", "integrated-gradients"])
@pytest.mark.parametrize("family", ["gpt2", "roberta", "bert"])
def test_the_token_that_would_be_generated_is_explained_where_no_word_is_given(
    family: str, method: Any, checkpoint: Callable[[str], Path]
) -> None:
    model = as_explainer(load(f"hf:{checkpoint(family)}", ONE_THREAD))
    prompts = ["The nurse said that", "The metalsmith said that"]
    top = model.saliency(prompts, ["", ""], method=method, steps=4)
    again = model.saliency(prompts, ["he", ""], method=method, steps=4)
    assert top[1] == again[1]
    assert [found.unscored for found in top] == [None, None]
    assert again[0].word == "he"
    assert top[0].sizes != again[0].sizes
    [empty] = as_explainer(load(f"hf:{checkpoint('gpt2')}", ONE_THREAD)).saliency([""], [""])
    assert empty.unscored == "the prompt has no tokens"
