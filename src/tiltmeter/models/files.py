"""The files that a model is read from, so that one can tell without loading it whether it is still the same."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path

from tiltmeter.models.checkpoint import files_sha256, is_small, tokenizer_sha256

Listing = list[list[str | int]]
"""Of each large file its path, size and time of change; of small ones a path and the hash of their content."""


def files_of(kind: str, argument: str) -> Listing | None:
    """What a model is read from; None where that cannot be told without loading it."""
    if kind == "gguf":
        file = Path(argument).expanduser()
        large = _listed([file])
        return [[str(file.parent.resolve()), tokenizer_sha256(file.parent)], *large] if large else None
    if kind == "hf":
        given = Path(argument).expanduser()
        return _folder(given if given.is_dir() else _snapshot(argument))
    if kind == "smollm2-135m":
        from tiltmeter.models import embedded

        return _folder(embedded.home())
    return None


def planted_files(path: Path) -> tuple[str, Listing] | None:
    """The name of the model that a file tilts, and the file; None where it cannot be read."""
    try:
        content = path.read_bytes()
        name = tomllib.loads(content.decode()).get("model")
    except (OSError, ValueError):
        return None
    return (name, [[str(path.absolute()), hashlib.sha256(content).hexdigest()]]) if isinstance(name, str) else None


def _snapshot(argument: str) -> Path | None:
    """The folder of a hub model at a commit. A branch may have moved on, which only the hub can tell."""
    repository, _, revision = argument.partition("@")
    if len(revision) != 40:
        return None
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    home = Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=repository, repo_type="model")
    return home / "snapshots" / revision


def _folder(folder: Path | None) -> Listing | None:
    if folder is None or not folder.is_dir():
        return None
    try:
        small: Listing = [[str(folder.resolve()), files_sha256(folder)]]
        large = _listed(sorted(path for path in folder.iterdir() if path.is_file() and not is_small(path)))
    except OSError:
        return None
    return small + large if large else None


def _listed(paths: list[Path]) -> Listing | None:
    try:
        found = [(path.resolve(), path.stat()) for path in paths]
    except OSError:
        return None
    return [[str(path), about.st_size, about.st_mtime_ns] for path, about in found] or None
