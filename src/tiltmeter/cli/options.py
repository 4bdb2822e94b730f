"""Options that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tiltmeter.models import ModelSettings

DeviceOption = Annotated[str, typer.Option(help="Where the model runs: auto, cpu, cuda, mps.")]
DtypeOption = Annotated[str, typer.Option(help="Number format of the weights: auto, float32, bfloat16, float16.")]
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="CPU threads; the default is torch's own.")]


def model_settings(device: str, dtype: str, threads: int | None) -> ModelSettings:
    """The settings record of the shared options."""
    from tiltmeter.models import ModelSettings

    return ModelSettings(device=device, dtype=dtype, threads=threads)
