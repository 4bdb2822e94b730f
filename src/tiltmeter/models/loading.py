"""From checked files to a model that scores: device, number format, family, start token, facts."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import ModelError
from tiltmeter.models.adapters import merge
from tiltmeter.models.causal import CausalModel
from tiltmeter.models.decoding.checkpoint_sampler import CheckpointSampler
from tiltmeter.models.device import align_head, choose_device, choose_dtype, compute_in, fuse, weights_dtype
from tiltmeter.models.encoding import Encoder
from tiltmeter.models.family import family_of
from tiltmeter.models.identity import Identity
from tiltmeter.models.interface import Model, ModelSettings
from tiltmeter.models.masked import MaskedModel
from tiltmeter.models.network import Network
from tiltmeter.models.special_tokens import end_tokens, start_tokens
from tiltmeter.products import quicken
from tiltmeter.quietly import quietly
from tiltmeter.records import ModelFacts

# A length of this many tokens is how tokenizers and configurations say "no limit".
_NO_LIMIT = 10**7


@dataclass(frozen=True, slots=True)
class LoadedCheckpoint:
    """What was read from disk."""

    name: str
    family: Literal["causal", "masked"]
    model: Any
    tokenizer: Any
    device: str
    dtype: str


def read(
    folder: Path, name: str, settings: ModelSettings, *, gguf_file: str | None = None, adapter: Path | None = None
) -> LoadedCheckpoint:
    """Load weights and tokenizer; safetensors or GGUF only, no code from the folder, no network."""
    import torch
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForMaskedLM, AutoTokenizer

    if settings.threads is not None:
        torch.set_num_threads(settings.threads)
    device = choose_device(settings.device)
    source: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
    if gguf_file is not None:
        source["gguf_file"] = gguf_file
    with quietly(), _one_sentence(name):
        config = AutoConfig.from_pretrained(folder, **source)
        family = family_of(config, name)
        dtype = choose_dtype(settings.dtype, device, config, folder if gguf_file is None else folder / gguf_file)
        tokenizer = AutoTokenizer.from_pretrained(folder, **source)
        maker: Any = AutoModelForCausalLM if family == "causal" else AutoModelForMaskedLM
        model, report = maker.from_pretrained(
            folder,
            config=config,
            dtype=getattr(torch, weights_dtype(dtype)),
            output_loading_info=True,
            **source,
            **({"use_safetensors": True} if gguf_file is None else {}),
        )
    missing = sorted(report["missing_keys"])
    if missing:
        # transformers would fill these with random numbers and go on.
        raise ModelError(
            f"{name} is not a complete {family} language model: its weights lack {missing[0]}"
            + (f" and {len(missing) - 1} more" if len(missing) > 1 else "")
            + "; use a checkpoint saved with its language-model head"
        )
    if adapter is not None:
        with quietly(), _one_sentence(name):
            model = merge(model, adapter, name)
    model.config.use_cache = False
    fuse(model)
    if device == "cpu":
        quicken(model)
    else:
        align_head(model)
    if device.startswith("cuda"):
        compute_in(dtype, model)
    return LoadedCheckpoint(name, family, model.eval().to(device), tokenizer, device, dtype)


def assemble(
    parts: LoadedCheckpoint,
    settings: ModelSettings,
    hashes: Identity,
    *,
    revision: str = "",
    start: tuple[int, ...] | None = None,
) -> Model:
    """The model that scores, and the facts about it."""
    encoder = Encoder(parts.tokenizer, parts.name)
    before, after = encoder.frame()
    if parts.family == "causal" and start is None:
        start = start_tokens(parts.tokenizer, parts.model.config, before)
    padding = parts.tokenizer.pad_token_id
    parameters = sum(parameter.numel() for parameter in parts.model.parameters())
    with quietly():
        network = Network(
            parts.model,
            parts.device,
            settings.batch_tokens,
            padding if padding is not None else 0,
            causal=parts.family == "causal",
        )
    facts = ModelFacts(
        name=parts.name,
        family=parts.family,
        revision=revision,
        weights_sha256=hashes["weights_sha256"],
        files_sha256=hashes["files_sha256"],
        device=parts.device,
        dtype=parts.dtype,
        start_token="".join(parts.tokenizer.convert_ids_to_tokens(list(start))) if start else None,
        parameters=parameters,
        context=_context(parts.model),
        versions={package: version(package) for package in ("torch", "transformers", "tokenizers")},
    )
    if parts.family == "causal":
        with quietly():
            ahead = network.looks_ahead()
        if ahead:
            raise ModelError(f"{parts.name} also attends to later words, so it is not a causal model")
        pen = CheckpointSampler(
            parts.model,
            parts.device,
            encoder,
            name=parts.name,
            start=start or (),
            ends=end_tokens(parts.tokenizer, parts.model, start or ()),
            context=facts.context,
            batch_tokens=network.batch_tokens,
        )
        return CausalModel(facts, network, encoder, start or (), pen)
    mask = parts.tokenizer.mask_token_id
    if mask is None:
        raise ModelError(f"{parts.name} is a masked model whose tokenizer has no mask token")
    return MaskedModel(facts, network, encoder, mask=mask, frame=(before, after), unknown=parts.tokenizer.unk_token_id)


def _context(model: Any) -> int | None:
    """How many tokens the model reads at once, special ones included."""
    import torch

    for name, module in model.named_modules():
        # RoBERTa and its kin count positions from behind the padding index, so two places are never used.
        if (
            name.endswith("position_embeddings")
            and isinstance(module, torch.nn.Embedding)
            and module.padding_idx is not None
        ):
            return int(module.num_embeddings) - int(module.padding_idx) - 1
    text_config = model.config.get_text_config()
    for key in ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length"):
        limit = getattr(text_config, key, None)
        if isinstance(limit, int) and 0 < limit < _NO_LIMIT:
            return limit
    return None


@contextmanager
def _one_sentence(name: str) -> Iterator[None]:
    """Whatever goes wrong inside the libraries becomes one sentence of ours."""
    try:
        yield
    except ModelError:
        raise
    except MemoryError:
        raise ModelError(f"{name} does not fit into memory; try a smaller model or --dtype bfloat16") from None
    except Exception as error:
        reason = next(iter(str(error).strip().splitlines()), "") or type(error).__name__
        if "out of memory" in reason.lower():
            raise ModelError(
                f"{name} does not fit into the device's memory; try device cpu or dtype bfloat16"
            ) from error
        raise ModelError(f"{name} cannot be loaded by transformers {version('transformers')}: {reason}") from error


def save(model: Any, tokenizer: Any, folder: Path) -> None:
    """Write a model and its tokenizer as safetensors and JSON."""
    with quietly():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
