"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tiltmeter.errors import UnknownName, UserError

if TYPE_CHECKING:
    from tiltmeter.models import ModelSettings

DeviceOption = Annotated[str, typer.Option(help="Where the model runs: auto, cpu, cuda, mps.")]
DtypeOption = Annotated[
    str, typer.Option(help="Number format: auto, float32, tf32 (CUDA), bfloat16, float16, screened (pairs of a run).")
]
OutOption = Annotated[Path, typer.Option("--out", "-o", help="The file to write.")]
ShowOption = Annotated[int, typer.Option(min=0, help="Print this many of them; they may offend.")]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--settings", metavar="NAME=VALUE,…", help="Other settings, as in a study file: sets=2,top_k=0."),
]
ThreadsOption = Annotated[int | None, typer.Option(min=1, help="CPU threads; the default is torch's own.")]


def model_settings(device: str, dtype: str, threads: int | None) -> ModelSettings:
    """The settings record of the shared options."""
    from tiltmeter.models import ModelSettings

    return ModelSettings(device=device, dtype=dtype, threads=threads)


def named_values(option: str, given: Sequence[str] | None) -> dict[str, str]:
    """What NAME=VALUE,NAME=VALUE says; a comma that is not followed by NAME= is part of a value.

    >>> named_values("--columns", ["group=G,value=V"]), named_values("--columns", ["value=how good, or bad"])
    ({'group': 'G', 'value': 'V'}, {'value': 'how good, or bad'})
    """
    pairs = [one.strip() for text in given or () for one in re.split(r",(?=\s*\w+=)", text) if one.strip()]
    kind, example = ("COLUMN", "group=G,value=V,origin=O") if option == "--columns" else ("VALUE", "seed=1,samples=5")
    for one in pairs:
        if not re.match(r"\w+\s*=\s*\S", one):
            raise UserError(f"{option} {one!r}: write NAME={kind}, e.g. {example}")
    found = [(name.strip(), value.strip()) for name, _, value in (one.partition("=") for one in pairs)]
    double = next((name for at, (name, _) in enumerate(found) if name in dict(found[:at])), None)
    if double is not None:
        raise UserError(f"{option} names `{double}` twice; name it once")
    return dict(found)


def check_names(noun: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a name that means nothing."""
    for name in given:
        if name not in known:
            raise UserError(UnknownName(noun, name, known).problem)


def settings_of(given: Sequence[str] | None) -> dict[str, Any]:
    """The settings of `--settings`, with numbers and yes or no as such.

    >>> settings_of(["sets=2,top_p=0.9", "chat=true,shots=fixed"])
    {'sets': 2, 'top_p': 0.9, 'chat': True, 'shots': 'fixed'}
    """
    return {name: _value(text) for name, text in named_values("--settings", given).items()}


def _value(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
