"""Where a model runs and in which number format: the rule behind "auto"."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tiltmeter.errors import ModelError

DTYPES = ("float32", "float16", "bfloat16")
# Weights may fill this share of an accelerator's free memory; the rest is for the numbers in between.
_COMFORTABLE = 0.6


def choose_device(wanted: str) -> str:
    """`auto`: the first of cuda, mps, cpu that is there."""
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if wanted == "auto":
        return next(device for device, available in there.items() if available)
    kind = wanted.partition(":")[0]
    if kind not in there:
        raise ModelError(f"there is no device `{wanted}`; known: auto, {', '.join(there)}")
    if not there[kind]:
        found = ", ".join(device for device, available in there.items() if available)
        raise ModelError(f"the device `{wanted}` is not available on this machine; available: {found}")
    return wanted


def choose_dtype(wanted: str, device: str, config: Any, weights: Path) -> str:
    """`auto`: float32, because the differences measured are small.

    Only on a CUDA device whose free memory the float32 weights would fill to more than 60 % is it bfloat16 (float16
    where the device has none of that).
    """
    import torch

    if wanted != "auto":
        if wanted not in DTYPES:
            raise ModelError(f"there is no dtype `{wanted}`; known: auto, {', '.join(DTYPES)}")
        return wanted
    if not device.startswith("cuda"):
        return "float32"
    free, _ = torch.cuda.mem_get_info(device)
    if _float32_bytes(config, weights) <= _COMFORTABLE * free:
        return "float32"
    return "bfloat16" if torch.cuda.is_bf16_supported() else "float16"


def _float32_bytes(config: Any, weights: Path) -> int:
    """The size of the weights in float32, from the size of the files and the format they are in."""
    if weights.is_file():
        # GGUF files are mostly of 4 to 5 bits a weight; assume the worst.
        return weights.stat().st_size * 8
    stored = sum(file.stat().st_size for file in weights.glob("*.safetensors"))
    width = {"float16": 2, "bfloat16": 2}.get(str(getattr(config, "dtype", "")).removeprefix("torch."), 4)
    return stored * 4 // width
