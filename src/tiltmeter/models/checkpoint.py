"""A model folder, looked at before anything is loaded: is it whole, is it safe, and which bytes is it?"""

from __future__ import annotations

import hashlib
import json
import struct
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from tiltmeter.cache import cache_folder
from tiltmeter.errors import ModelError, RunError
from tiltmeter.files import listing_sha256, whole_file

_INDEX = "model.safetensors.index.json"
_SINGLE = "model.safetensors"
_SMALL = frozenset({".json", ".txt", ".model", ".jinja", ".spm", ".codes", ".tiktoken"})
_TEMPLATES = "additional_chat_templates"
ADAPTER = "adapter_config.json"
_SETTLED = 2_000_000_000
"""Nanoseconds after which the time of a change tells two changes apart, on any disk."""
# Each line is one complete tokenizer; the fast form alone is enough, the others can be converted to it.
_TOKENIZERS = (
    ("tokenizer.json",),
    ("vocab.txt",),
    ("vocab.json", "merges.txt"),
    ("tokenizer.model",),
    ("spiece.model",),
    ("sentencepiece.bpe.model",),
)
_BESIDE = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "chat_template.jinja",
    "generation_config.json",
)
"""What is read beside a GGUF file and its tokenizer, where it is there."""


def check_folder(folder: Path) -> list[Path]:
    """The weight files of a folder that is whole; otherwise one sentence on what is missing."""
    if not folder.is_dir():
        raise ModelError(f"there is no folder {folder}; a model folder holds config.json, weights and a tokenizer")
    if (folder / ADAPTER).is_file() and not (folder / "config.json").is_file():
        raise ModelError(f"{folder} is an adapter alone; name its base too: hf:BASE+{folder}")
    read_json(folder, "config.json")
    if (folder / ADAPTER).is_file():
        raise ModelError(
            f"{folder} has an adapter ({ADAPTER}) beside its weights, and whether it is used depends on "
            "installed packages; merge it into the weights, or remove it"
        )
    weights = _weight_files(folder)
    for file in weights:
        check_safetensors(file)
    if not any(all((folder / name).is_file() for name in names) for names in _TOKENIZERS):
        raise ModelError(
            f"{folder} has no tokenizer: tokenizer.json (or vocab.txt, or vocab.json and merges.txt) is needed"
        )
    return weights


def _weight_files(folder: Path) -> list[Path]:
    if (folder / _SINGLE).is_file():
        return [folder / _SINGLE]
    if (folder / _INDEX).is_file():
        return _shards(folder)
    pickles = sorted(file.name for file in folder.iterdir() if file.suffix in {".bin", ".pt", ".pth", ".ckpt"})
    if pickles:
        raise ModelError(
            f"{folder} has its weights only as {pickles[0]}, a format that can run code when loaded; convert it "
            f"on a machine you trust: AutoModel….from_pretrained(folder).save_pretrained(folder) writes {_SINGLE}"
        )
    raise ModelError(f"{folder} has no weights: {_SINGLE} (or {_INDEX} and its parts) is needed")


def shard_names(folder: Path) -> list[str]:
    """The names of the parts that the index of a sharded checkpoint lists."""
    listed = read_json(folder, _INDEX).get("weight_map")
    if not isinstance(listed, dict) or not listed:
        raise ModelError(f"{folder / _INDEX} lists no parts under `weight_map`; download the model again")
    names = sorted({str(name) for name in listed.values()})
    for name in names:
        if Path(name).name != name:
            raise ModelError(f"{folder / _INDEX} names a part outside the folder ({name}); do not use this model")
    return names


def _shards(folder: Path) -> list[Path]:
    names = shard_names(folder)
    missing = [name for name in names if not (folder / name).is_file()]
    if missing:
        raise ModelError(
            f"{folder} lacks {len(missing)} of {len(names)} weight files, first {missing[0]}; download them again"
        )
    return [folder / name for name in names]


def check_safetensors(file: Path) -> None:
    """Compare the length that the header promises with that of the file, which finds most broken downloads."""
    size = file.stat().st_size
    try:
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            # A damaged length could be any number; what is read is never more than the file.
            header = json.loads(stream.read(min(length, size)))
        end = max((entry["data_offsets"][1] for key, entry in header.items() if key != "__metadata__"), default=0)
    except (ValueError, struct.error, KeyError, TypeError, AttributeError):
        raise ModelError(f"{file} is not a safetensors file or is damaged; download it again") from None
    if size != 8 + length + end:
        raise ModelError(
            f"{file} is cut off or damaged: {size} bytes where its header says {8 + length + end}; download it again"
        )


def read_json(folder: Path, name: str) -> dict[str, object]:
    """A file of a folder that has to be one JSON object."""
    try:
        content = json.loads((folder / name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ModelError(f"{folder} has no {name}, so it is not a transformers model folder") from None
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict):
        raise ModelError(f"{folder / name} is not readable JSON; download it again")
    return content


def weights_sha256(files: list[Path]) -> str:
    """The SHA-256 of a weight file; of several, that of the list of their hashes and names."""
    if len(files) == 1:
        return file_sha256(files[0])
    lines = "".join(f"{file_sha256(file)}  {file.name}\n" for file in files)
    return hashlib.sha256(lines.encode()).hexdigest()


def files_sha256(folder: Path) -> str:
    """The SHA-256 of the names and hashes of the small files: what is read of a folder beside its weights."""
    return _small_sha256(folder, filter(is_small, folder.iterdir()))


def tokenizer_sha256(folder: Path) -> str:
    """The same of a tokenizer alone, which takes the place of that in a GGUF file beside it; empty without one."""
    names = {*_BESIDE, *(name for names in _TOKENIZERS for name in names)}
    return _small_sha256(folder, (folder / name for name in names if (folder / name).is_file()))


def _small_sha256(folder: Path, files: Iterable[Path]) -> str:
    return listing_sha256(folder, [*files, *folder.glob(f"{_TEMPLATES}/*.jinja")])


def is_small(file: Path) -> bool:
    """Whether a file of a folder is a configuration, a part of the tokenizer or a chat template, by its name."""
    return file.suffix in _SMALL and file.is_file()


def file_sha256(file: Path) -> str:
    """The SHA-256 of a file, remembered in the cache for as long as nobody wrote to it.

    The time of the last change of any kind tells that, since no program can set it back as it can that of the content.
    """
    began, status = time.time_ns(), file.resolve().stat()
    signature = [status.st_size, status.st_mtime_ns, status.st_ino, status.st_ctime_ns]
    note = cache_folder() / "hashes" / f"{hashlib.sha256(str(file.resolve()).encode()).hexdigest()[:32]}.json"
    with suppress(OSError, ValueError, KeyError, TypeError):
        remembered = json.loads(note.read_text(encoding="utf-8"))
        if remembered["signature"] == signature:
            return str(remembered["sha256"])
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    # What is written to within the same tick of the clock has the same time.
    if began - status.st_ctime_ns > _SETTLED:
        # A cache that cannot be written costs time at the next start, nothing else.
        with suppress(RunError), whole_file(note) as written:
            json.dump({"signature": signature, "sha256": digest}, written)
    return digest
