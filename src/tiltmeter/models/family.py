"""Causal or masked: decided by what the configuration says, never by the name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import ModelError

_SUPPORTED = (
    "causal (GPT-2, Llama, Qwen, …) and masked (BERT, RoBERTa, ELECTRA generator, …) language models can be scored"
)
# Heads for other tasks: the body was fine-tuned away from language modelling, even where a tied head could be rebuilt.
_OTHER_HEADS = ("Classification", "QuestionAnswering", "MultipleChoice", "Regression", "Retrieval")


def family_of(config: Any, name: str) -> Literal["causal", "masked"]:
    """The family of a checkpoint; refuses what is neither."""
    from transformers.models.auto.modeling_auto import (
        MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
        MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    )

    architecture = next(iter(getattr(config, "architectures", None) or []), "")
    kind = config.model_type
    if getattr(config, "is_encoder_decoder", False):
        raise ModelError(f"{name} is an encoder-decoder model ({architecture or kind}); {_SUPPORTED}")
    if architecture == "ElectraForPreTraining":
        raise ModelError(
            f"{name} is an ELECTRA discriminator, which has no language-model head; use the matching generator"
        )
    if any(head in architecture for head in _OTHER_HEADS):
        raise ModelError(f"{name} has a head for another task ({architecture}); {_SUPPORTED}")
    causal, masked = _flat(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES), _flat(MODEL_FOR_MASKED_LM_MAPPING_NAMES)
    decoder = bool(getattr(config, "is_decoder", False))
    if architecture in masked.get(kind, ()) and not decoder:
        return "masked"
    if architecture in causal.get(kind, ()) and (decoder or kind not in masked):
        return "causal"
    # Bodies saved without naming their head; whether the head is there is seen when the weights are read.
    if kind in masked and not decoder:
        return "masked"
    if kind in causal:
        return "causal"
    raise ModelError(f"{name} is {architecture or kind}; {_SUPPORTED}")


def fills_blanks(folder: Path) -> bool:
    """Whether the checkpoint in a folder says of itself that it fills blanks, which is seen without loading it."""
    try:
        said = json.loads((folder / "config.json").read_text(encoding="utf-8"))["architectures"]
        return bool(said) and str(said[0]).endswith("ForMaskedLM")
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _flat(mapping: Any) -> dict[str, tuple[str, ...]]:
    """transformers gives one class name for most kinds and several for some."""
    return {kind: (names,) if isinstance(names, str) else tuple(names) for kind, names in mapping.items()}
