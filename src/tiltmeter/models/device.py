"""Where a model runs and in which number format: the rule behind "auto"."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from tiltmeter.errors import ModelError
from tiltmeter.records import SCREENED

HALVES = ("float16", "bfloat16")
"""The formats that are faster, the least rough first."""
EXACT = "float32"
DTYPES = (EXACT, "tf32", *HALVES, SCREENED)
# Weights may fill this share of an accelerator's free memory; the rest is for the numbers in between.
_COMFORTABLE = 0.6
_ALIGNED = 8


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
    """`auto`: float32 on a CPU, because the differences measured are small.

    On a CUDA device it is the format of the checkpoint itself where that is a half format, and tf32 for all others:
    float32 whose products are rounded to ten bits. If these would fill more than 60 % of the free memory, bfloat16.
    """
    import torch

    if wanted == SCREENED:
        return EXACT
    if wanted != "auto":
        if wanted not in DTYPES:
            raise ModelError(f"there is no dtype `{wanted}`; known: auto, {', '.join(DTYPES)}")
        if wanted == "tf32" and not device.startswith("cuda"):
            raise ModelError(f"dtype `tf32` is arithmetic of CUDA devices, and the device is {device}; use float32")
        return wanted
    if not device.startswith("cuda"):
        return "float32"
    half = "bfloat16" if torch.cuda.is_bf16_supported(including_emulation=False) else "float16"
    own = stored_dtype(config)
    if own in HALVES:
        return half if own == "bfloat16" else own
    free, _ = torch.cuda.mem_get_info(device)
    return full_precision(device) if _float32_bytes(config, weights) <= _COMFORTABLE * free else half


def full_precision(device: str) -> str:
    """The format of weights that were stored in fewer bits than they are computed in."""
    return "tf32" if device.startswith("cuda") else "float32"


def stored_dtype(config: Any) -> str:
    """The number format that the configuration of a checkpoint names, or nothing."""
    return str(getattr(config, "dtype", None) or "").removeprefix("torch.")


def weights_dtype(dtype: str) -> str:
    """The format that weights are held in.

    >>> weights_dtype("tf32"), weights_dtype("bfloat16")
    ('float32', 'bfloat16')
    """
    return "float32" if dtype == "tf32" else dtype


def compute_in(dtype: str, model: Any) -> None:
    """Let a model and its body, whoever calls them, multiply float32 in TF32 or in full, as the format says."""
    import torch

    precision = "high" if dtype == "tf32" else "highest"

    def in_precision(plain: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(plain)
        def forward(*given: Any, **named: Any) -> Any:
            before = torch.get_float32_matmul_precision()
            torch.set_float32_matmul_precision(precision)
            try:
                return plain(*given, **named)
            finally:
                torch.set_float32_matmul_precision(before)

        return forward

    for module in {id(one): one for one in (model, model.base_model)}.values():
        module.forward = in_precision(module.forward)


def fuse(model: Any) -> None:
    """Compute in one step each what transformers writes out in several, which all read and write: norms, and GELU."""
    import torch
    from transformers import activations

    written_out = tuple(
        kind
        for name in ("NewGELUActivation", "FastGELUActivation", "AccurateGELUActivation")
        if (kind := getattr(activations, name, None)) is not None
    )
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, written_out):
                setattr(module, name, torch.nn.GELU(approximate="tanh"))
            elif type(child).__name__.endswith("RMSNorm") and (norm := _in_one_step(child)) is not None:
                setattr(module, name, norm)


def _in_one_step(norm: Any) -> Any:
    """The root-mean-square norm of torch, where it gives what this one does: some families add one to the weights."""
    import torch

    epsilon = getattr(norm, "variance_epsilon", getattr(norm, "eps", None))
    weight = getattr(norm, "weight", None)
    if weight is None or not isinstance(epsilon, float):
        return None
    made = torch.nn.RMSNorm(weight.shape, epsilon, device="meta")
    made.weight = weight
    states = torch.linspace(-2, 2, weight.numel(), dtype=weight.dtype, device=weight.device).reshape(1, *weight.shape)
    with torch.inference_mode():
        usual, found = norm(states), made(states)
    rounding = 8 * torch.finfo(weight.dtype).eps
    is_same = usual.dtype == found.dtype and torch.allclose(usual, found, rtol=rounding, atol=rounding)
    return made if is_same else None


def align_head(model: Any) -> None:
    """Widen the projection to the vocabulary to a multiple of eight, since matrix units take a slow way with others.

    What it says beyond the vocabulary is cut off.
    """
    import torch

    head = model.get_output_embeddings()
    if not isinstance(head, torch.nn.Linear) or head.out_features % _ALIGNED == 0:
        return
    size, missing = head.out_features, -head.out_features % _ALIGNED
    with torch.no_grad():
        weight = torch.nn.functional.pad(head.weight, (0, 0, 0, missing))
        wider = torch.nn.Linear(head.in_features, size + missing, bias=head.bias is not None, device="meta")
        wider.weight = torch.nn.Parameter(weight, requires_grad=False)
        if head.bias is not None:
            wider.bias = torch.nn.Parameter(torch.nn.functional.pad(head.bias, (0, missing)), requires_grad=False)
    wider.register_forward_hook(lambda module, given, found: found[..., :size])
    model.set_output_embeddings(wider)


def _float32_bytes(config: Any, weights: Path) -> int:
    """The size of the weights in float32, from the size of the files and the format they are in."""
    if weights.is_file():
        # GGUF files are mostly of 4 to 5 bits a weight; assume the worst.
        return weights.stat().st_size * 8
    stored = sum(file.stat().st_size for file in weights.glob("*.safetensors"))
    return stored * 4 // (2 if stored_dtype(config) in HALVES else 4)
