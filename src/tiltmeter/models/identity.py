"""The files that a model is read from, so that one can tell without loading it whether it is still the same."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tiltmeter.models.adapters import split, with_adapter
from tiltmeter.models.checkpoint import check_folder, file_sha256, files_sha256, tokenizer_sha256, weights_sha256

Identity = dict[str, str]
"""Facts of a model by their names: what it is called, its revision, and the hashes of the contents of its files."""


def identity_of(kind: str, argument: str, *, fetch: bool) -> Identity | None:
    """What the files of a model say of it; None where that cannot be told without loading it.

    `fetch`: the hub may be asked to which commit a name leads.
    """
    if kind == "gguf":
        return gguf_identity(Path(argument).expanduser())
    if kind == "smollm2-135m":
        from tiltmeter.models import embedded

        # Without its files there is what they are made from, which is pinned.
        return (folder_identity(embedded.home()) if embedded.is_cached() else {}) | {"revision": embedded.REVISION}
    if kind in ("hf", "vllm"):
        base, adapter = split(argument)
        places = [_place(one, fetch=fetch) for one in (base, adapter) if one]
        if not all(folder and folder.is_dir() for folder, _ in places):
            return None
        folders = [folder for folder, _ in places if folder]
        return folder_identity(*folders) | {"revision": "+".join(one for _, one in places if one)}
    return None


def folder_identity(folder: Path, adapter: Path | None = None) -> Identity:
    """The hashes of the weights of a folder and of all that is read beside them; refuses one that is not whole."""
    weights = check_folder(folder)
    found = {"weights_sha256": weights_sha256(weights), "files_sha256": files_sha256(folder)}
    return with_adapter(found, adapter) if adapter else found


def _place(name: str, *, fetch: bool) -> tuple[Path | None, str]:
    """The folder of a model or adapter, and its commit, of one of the hub."""
    given = Path(name).expanduser()
    if given.is_dir():
        return given, ""
    folder = _fetched(name) if fetch else _snapshot(name)
    return folder, folder.name if folder else ""


def gguf_identity(file: Path) -> Identity:
    """The same of a GGUF file, and of what lies beside it and takes the place of what is in it."""
    return {"weights_sha256": file_sha256(file), "files_sha256": tokenizer_sha256(file.parent)}


def planted_model(path: Path) -> str | None:
    """The name of the model that a file tilts; None where it cannot be read."""
    try:
        name = tomllib.loads(path.read_text(encoding="utf-8")).get("model")
    except (OSError, ValueError):
        return None
    return name if isinstance(name, str) else None


def _fetched(argument: str) -> Path:
    from tiltmeter.models.hub import fetch

    return fetch(argument)[0]


def _snapshot(argument: str) -> Path | None:
    """The folder of a hub model at a commit. A branch may have moved on, which only the hub can tell."""
    repository, _, revision = argument.partition("@")
    if len(revision) != 40:
        return None
    from huggingface_hub import constants
    from huggingface_hub.file_download import repo_folder_name

    home = Path(constants.HF_HUB_CACHE) / repo_folder_name(repo_id=repository, repo_type="model")
    return home / "snapshots" / revision
