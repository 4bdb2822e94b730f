"""Fetching a data set from its authors, when the user asks for it by name, whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import tempfile
import urllib.error
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.cache import cache_folder
from tiltmeter.errors import InvalidData, RunError, UserError
from tiltmeter.files import whole_file
from tiltmeter.sources.datasets import DataSet

LARGEST = 200 * 2**20
"""More bytes than any known data set has: a server that sends more is sending something else."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A data set on this machine."""

    path: Path
    """The file, or the folder where the data set is more than one."""
    files: tuple[tuple[Path, str], ...]
    """Each file with its SHA-256."""
    downloaded: bool
    """False where a sound copy was there already and nothing was asked of the network."""
    report: dict[str, Any]
    """What the reader's check found."""


def get(dataset: DataSet, folder: str | Path | None = None, *, timeout: float = 60.0) -> Fetched:
    """Download a data set into a folder (the cache, unless told), and check it before it appears there.

    A sound copy that is already there is kept.
    """
    home = Path(folder) if folder is not None else cache_folder() / "data" / dataset.name
    targets = [home / file.name for file in dataset.files]
    if all(target.exists() for target in targets):
        try:
            return _fetched(dataset, home, downloaded=False)
        except InvalidData as error:
            if folder is not None:
                # The user's own file: not ours to replace.
                raise InvalidData(
                    f"already there, and not sound ({error.problem}); move it away", file=error.file or home
                ) from None
    elif folder is not None and any(target.exists() for target in targets):
        there = next(target for target in targets if target.exists())
        raise InvalidData("already there, without the other files of the data set; move it away", file=there)
    contents = [_download(file.url, timeout) for file in dataset.files]
    with tempfile.TemporaryDirectory() as temporary:
        for file, content in zip(dataset.files, contents, strict=True):
            (Path(temporary) / file.name).write_bytes(content)
        try:
            _fetched(dataset, Path(temporary), downloaded=True)
        except InvalidData as error:
            name = Path(error.file).name if error.file else ""
            url = next((file.url for file in dataset.files if file.name == name), dataset.files[0].url)
            raise RunError(f"{url}: what came is not {dataset.title}: {error.problem}") from None
    for target, content in zip(targets, contents, strict=True):
        with whole_file(target, "wb") as written:
            written.write(content)
    return _fetched(dataset, home, downloaded=True)


def _fetched(dataset: DataSet, home: Path, *, downloaded: bool) -> Fetched:
    path = home if dataset.is_folder else home / dataset.files[0].name
    report = dataset.reader().check(path)
    files = tuple((home / file.name, _sha256((home / file.name).read_bytes())) for file in dataset.files)
    return Fetched(path, files, downloaded, report)


def _download(url: str, timeout: float) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            promised = response.headers.get("Content-Length")
            content: bytes = response.read(LARGEST + 1)
    except urllib.error.HTTPError as error:
        raise UserError(f"{url}: the server answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise UserError(f"{url}: cannot be reached ({error.reason}); is this machine online?") from None
    except (OSError, http.client.HTTPException) as error:
        raise UserError(f"{url}: the connection failed ({error or type(error).__name__}); try again") from None
    if len(content) > LARGEST:
        raise RunError(f"{url}: more than {LARGEST // 2**20} MiB came, so this is not the data set")
    if promised is not None and promised.isdigit() and int(promised) != len(content):
        raise RunError(f"{url}: only {len(content):,} of {int(promised):,} bytes came; try again")
    return content


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
