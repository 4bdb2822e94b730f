"""Adapters: a checkpoint with LoRA weights merged into its own, `hf:BASE+ADAPTER`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.models.checkpoint import ADAPTER, check_safetensors, file_sha256, read_json

if TYPE_CHECKING:
    from tiltmeter.models.identity import Identity

WEIGHTS = "adapter_model.safetensors"


def split(argument: str) -> tuple[str, str]:
    """Base and adapter of a name; no adapter where the whole is a folder, or has no plus sign.

    >>> split("org/base+org/lora"), split("org/base")
    (('org/base', 'org/lora'), ('org/base', ''))
    """
    if "+" not in argument or Path(argument).expanduser().is_dir():
        return argument, ""
    signs = [at for at, sign in enumerate(argument) if sign == "+"][::-1]
    cuts = [(argument[:at], argument[at + 1 :]) for at in signs]
    # A folder may have a plus sign in its own name.
    here = (cut for cut in cuts if all(one and Path(one).expanduser().is_dir() for one in cut))
    return next(here, cuts[0])


def check_adapter(folder: Path) -> Path:
    """The weights of an adapter that is whole; otherwise one sentence on what is missing."""
    if not folder.is_dir():
        raise ModelError(f"there is no folder {folder}; an adapter folder holds {ADAPTER} and {WEIGHTS}")
    kind = read_json(folder, ADAPTER).get("peft_type")
    if not (folder / WEIGHTS).is_file():
        raise ModelError(f"{folder} has no {WEIGHTS}; other formats can run code when loaded, so they are never read")
    check_safetensors(folder / WEIGHTS)
    if kind is None or "PROMPT" in str(kind) or "PREFIX" in str(kind) or kind == "P_TUNING":
        raise ModelError(
            f"{folder} is an adapter of the kind {kind}, which cannot be merged; LoRA and its variants can"
        )
    return folder / WEIGHTS


def with_adapter(found: Identity, folder: Path) -> Identity:
    """The identity of a checkpoint into which an adapter is merged."""
    own = file_sha256(check_adapter(folder)), file_sha256(folder / ADAPTER)
    return found | {
        key: hashlib.sha256(f"{found[key]} {one}".encode()).hexdigest()
        for key, one in zip(("weights_sha256", "files_sha256"), own, strict=True)
    }


def merge(model: Any, folder: Path, name: str) -> Any:
    """The model with the adapter merged into its weights; refuses an adapter that does not fit."""
    try:
        import peft
    except ImportError:
        raise MissingExtra("adapters", "hf", "peft") from None
    from safetensors import safe_open

    with safe_open(folder / WEIGHTS, "pt") as file:
        given = set(file.keys())
    try:
        adapted = peft.PeftModel.from_pretrained(model, str(folder), use_safetensors=True)
    except (ValueError, RuntimeError, KeyError, TypeError) as error:
        # A heading, such as "errors in loading", says nothing yet.
        said = [line.strip() for line in str(error).splitlines() if not line.rstrip().endswith(":")]
        reason = next(iter(said), type(error).__name__)
        raise ModelError(f"{name}: the adapter does not fit this base: {reason}") from error
    known = set(peft.get_peft_model_state_dict(adapted))
    if strange := sorted(given ^ known):
        raise ModelError(
            f"{name}: the adapter does not fit this base: {len(strange)} of its weights have no place, first "
            f"{strange[0]}; name the base that it was trained on"
        )
    return adapted.merge_and_unload()
