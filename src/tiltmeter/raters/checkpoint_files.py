"""Where the files of a published checkpoint are: a folder that the user names, or the Hugging Face hub."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import MissingExtra, ModelError

_FILES = ["*.json", "*.txt", "*.model", "model.safetensors", "model-*-of-*.safetensors"]


@dataclass(frozen=True, slots=True)
class CheckpointFolder:
    """The folder of a checkpoint, and the commit where it came from the hub."""

    folder: Path
    revision: str = ""


def find(name: str, repository: str, revision: str, argument: str) -> CheckpointFolder:
    """The files of a checkpoint; `argument` is a folder, `@REVISION`, or nothing for the revision that is pinned."""
    if argument and not argument.startswith("@"):
        folder = Path(argument).expanduser()
        if not folder.is_dir():
            raise ModelError(f"`{name}`: there is no folder {argument}; give one, or @REVISION of {repository}")
        return CheckpointFolder(folder)
    return _fetched(name, repository, argument.removeprefix("@") or revision)


def _fetched(name: str, repository: str, revision: str) -> CheckpointFolder:
    try:
        from huggingface_hub import errors, snapshot_download
    except ModuleNotFoundError:
        raise MissingExtra(f"ratings by {name}", "hf", "huggingface_hub") from None
    wanted = f"{repository}@{revision}" if revision else repository
    try:
        # Subfolders hold other formats of the same weights.
        folder = snapshot_download(
            repository, revision=revision or None, allow_patterns=_FILES, ignore_patterns=["*/*"]
        )
    except errors.LocalEntryNotFoundError:
        raise ModelError(
            f"`{name}` needs {wanted}, which is not in the cache, and the hub cannot be reached; connect once, or "
            f"give a folder: {name}:FOLDER"
        ) from None
    except errors.RevisionNotFoundError:
        raise ModelError(f"{repository} has no revision `{revision}`; give a branch, a tag or a commit") from None
    except (errors.HfHubHTTPError, errors.HFValidationError, OSError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ModelError(f"`{name}` needs {wanted}, which cannot be downloaded: {reason}") from error
    return CheckpointFolder(Path(folder), Path(folder).name)
