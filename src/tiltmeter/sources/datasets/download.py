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
    sha256: str
    downloaded: bool
    """False where a sound copy was there already and nothing was asked of the network."""
    report: dict[str, Any]
    """What the reader's check found."""


def get(dataset: DataSet, folder: str | Path | None = None, *, timeout: float = 60.0) -> Fetched:
    """Download a data set into a folder (the cache, unless told), and check it before it appears there.

    A sound copy that is already there is kept.
    """
    target = (Path(folder) if folder is not None else cache_folder() / "data" / dataset.name) / dataset.file
    check = dataset.reader().check
    if target.exists():
        try:
            return Fetched(target, _sha256(target.read_bytes()), False, check(target))
        except InvalidData as error:
            if folder is not None:
                # The user's own file: not ours to replace.
                raise InvalidData(
                    f"already there, and not sound ({error.problem}); move it away", file=target
                ) from None
    content = _download(dataset.url, timeout)
    with tempfile.TemporaryDirectory() as temporary:
        unchecked = Path(temporary) / dataset.file
        unchecked.write_bytes(content)
        try:
            report = check(unchecked)
        except InvalidData as error:
            raise RunError(f"{dataset.url}: what came is not {dataset.title}: {error.problem}") from None
    with whole_file(target, "wb") as file:
        file.write(content)
    return Fetched(target, _sha256(content), True, report)


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
