"""Checkpoints of Hugging Face transformers: from the hub, from a folder, from a GGUF file."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtra, ModelError
from tiltmeter.models.adapters import split
from tiltmeter.models.identity import Identity, folder_identity, gguf_identity
from tiltmeter.models.interface import Model, ModelSettings

_PATH_SIGNS = (".", "/", "~", "\\")


def load(argument: str, settings: ModelSettings) -> Model:
    """The model of a hub name (`gpt2`, `org/name@revision`) or of a folder (`./folder`).

    Only a hub name may touch the network; an existing folder of that name comes first.
    """
    require_packages()
    base, adapter = split(argument)
    folder, revision = folder_of(base)
    beside, own = folder_of(adapter) if adapter else (None, "")
    revision = f"{revision}+{own}" if revision or own else ""
    return open_folder(folder, f"hf:{argument}", settings, revision=revision.rstrip("+"), adapter=beside)


def folder_of(name: str) -> tuple[Path, str]:
    """The folder of a model or an adapter, and its commit, of one of the hub."""
    folder = Path(name).expanduser()
    if folder.is_dir() or name.startswith(_PATH_SIGNS):
        return folder, ""
    from tiltmeter.models.hub import fetch

    return fetch(name)


def load_gguf(argument: str, settings: ModelSettings) -> Model:
    """The causal model of a GGUF file, with its weights expanded to the chosen dtype."""
    require_packages("gguf")
    from tiltmeter.models import loading

    file = Path(argument).expanduser()
    if not file.is_file():
        raise ModelError(f"there is no file {file}; `gguf:` takes the path of a GGUF file")
    with file.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ModelError(f"{file} is not a GGUF file, or it is damaged")
    found = gguf_identity(file)
    parts = loading.read(file.parent, f"gguf:{argument}", settings, gguf_file=file.name)
    _refuse_changed(parts.name, found, gguf_identity(file))
    return loading.assemble(parts, settings, found)


def open_folder(
    folder: Path,
    name: str,
    settings: ModelSettings,
    *,
    revision: str = "",
    start: tuple[int, ...] | None = None,
    adapter: Path | None = None,
) -> Model:
    """The model of a folder. `start` sets aside the rule for the start token, for a model where it is known."""
    found = folder_identity(folder, adapter)
    from tiltmeter.models import loading

    parts = loading.read(folder, name, settings, adapter=adapter)
    _refuse_changed(name, found, folder_identity(folder, adapter))
    return loading.assemble(parts, settings, found, revision=revision, start=start)


def _refuse_changed(name: str, before: Identity, now: Identity) -> None:
    """Refuse a model of which nobody can tell which of two it is."""
    if before != now:
        raise ModelError(f"{name}: its files changed while being read; start again when they are complete")


def require_packages(*more: str) -> None:
    """Refuse, with the line that installs them, where torch and its companions are not there."""
    for package in ("torch", "transformers", "safetensors", *more):
        if not _is_installed(package):
            raise MissingExtra("models from Hugging Face", "hf", package)


def _is_installed(package: str) -> bool:
    import sys

    module: Any = sys.modules.get(package)
    return module is not None or importlib.util.find_spec(package) is not None
