"""By which library torch multiplies matrices on a CPU."""

from __future__ import annotations

import platform
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any


def quicken(model: Any) -> None:
    """Multiply float32 on a CPU by oneDNN where that is faster than MKL, which takes a slow way on other makers' CPUs.

    Both round as float32 does. oneDNN knows no gradients, so with them MKL does it.
    """
    import torch
    from transformers.pytorch_utils import Conv1D

    if not _mkl_is_slow():
        return
    linear = torch.ops.mkldnn._linear_pointwise

    class Linear(torch.nn.Linear):
        def forward(self, states: torch.Tensor) -> torch.Tensor:
            if torch.is_grad_enabled() or states.dtype != torch.float32:
                return super().forward(states)
            found: torch.Tensor = linear(states, self.weight, self.bias, "none", [], "")
            return found

    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, Conv1D):
                inward, outward = child.weight.shape
                made = torch.nn.Linear(inward, outward, device="meta")
                made.weight = torch.nn.Parameter(child.weight.detach().t().contiguous(), requires_grad=False)
                made.bias = child.bias
                setattr(module, name, child := made)
            if type(child) is torch.nn.Linear and child.weight.dtype == torch.float32:
                child.__class__ = Linear


@cache
def _mkl_is_slow() -> bool:
    """Whether torch multiplies by MKL, and the CPU is not of those that MKL is made for."""
    import torch

    maker = platform.processor()
    with suppress(OSError, StopIteration):
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        maker = next(line for line in lines if line.startswith("vendor_id"))
    is_there: bool = torch.backends.mkl.is_available() and torch.backends.mkldnn.is_available()  # type: ignore[no-untyped-call]
    return is_there and "AMD" in maker and hasattr(torch.ops.mkldnn, "_linear_pointwise")
