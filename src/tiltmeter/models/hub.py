"""Models of the Hugging Face hub: the files that are needed, and no others, into the hub's own cache."""

from __future__ import annotations

from pathlib import Path

from tiltmeter.errors import ModelError
from tiltmeter.models.adapters import WEIGHTS
from tiltmeter.models.checkpoint import ADAPTER, shard_names

_SMALL_FILES = ["*.json", "*.txt", "*.model", "*.jinja"]


def fetch(argument: str) -> tuple[Path, str]:
    """The folder of `NAME` or `NAME@REVISION`, and its commit. What is in the cache is not fetched again."""
    from huggingface_hub import errors, hf_hub_download, snapshot_download
    from huggingface_hub.utils.tqdm import are_progress_bars_disabled, disable_progress_bars, enable_progress_bars

    name, _, revision = argument.partition("@")
    wanted = revision or None
    shown = not are_progress_bars_disabled()
    disable_progress_bars()
    try:
        # Files in subfolders are other formats of the same weights.
        folder = Path(snapshot_download(name, revision=wanted, allow_patterns=_SMALL_FILES, ignore_patterns=["*/*"]))
        sharded = (folder / "model.safetensors.index.json").is_file()
        lone = (folder / ADAPTER).is_file() and not (folder / "config.json").is_file()
        for file in shard_names(folder) if sharded else [WEIGHTS if lone else "model.safetensors"]:
            hf_hub_download(name, file, revision=folder.name)
    except errors.GatedRepoError:
        raise ModelError(
            f"hf:{argument} is gated: ask for access on its page, then log in with `hf auth login`"
        ) from None
    except errors.RevisionNotFoundError:
        raise ModelError(f"hf:{name} has no revision `{revision}`; give a branch, a tag or a commit") from None
    except errors.LocalEntryNotFoundError:
        raise ModelError(
            f"hf:{argument} is not in the cache and the hub cannot be reached; connect once, or give a folder: "
            "hf:./folder"
        ) from None
    except errors.RepositoryNotFoundError:
        raise ModelError(f"there is no model `{name}` on the Hugging Face hub, or it is private") from None
    except errors.EntryNotFoundError:
        raise ModelError(
            f"hf:{argument} has no safetensors weights; other formats can run code when loaded: convert it on a "
            "machine you trust and give the folder: hf:./folder"
        ) from None
    except errors.HFValidationError:
        raise ModelError(
            f"`{name}` cannot be the name of a hub model (it looks like org/name), nor is it a folder here"
        ) from None
    except (errors.HfHubHTTPError, OSError) as error:
        reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise ModelError(f"hf:{argument} cannot be downloaded: {reason}") from error
    finally:
        if shown:
            enable_progress_bars()
    return folder, folder.name
