"""Fetching a data set from its authors, when the user asks for it by name, whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import json
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter.cache import cache_folder
from tiltmeter.errors import InvalidData, RunError, UserError
from tiltmeter.files import whole_file
from tiltmeter.sources.datasets import DataSet, RemoteFile

LARGEST = 200 * 2**20
"""More bytes than any known data set has: a server that sends more is sending something else."""

LONGEST = 3600.0
"""Seconds for one file from beginning to end, however it drips."""
PINS = "sha256.json"
"""In the folder of data sets in the cache: the SHA-256 of each file that was fetched, by its URL."""


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
    noted: tuple[str, ...] = ()
    """Files of which nobody had said what they must be: what came is noted, and anything else refused from now on."""


def get(
    dataset: DataSet, folder: str | Path | None = None, *, timeout: float = 60.0, sha256: Collection[str] = ()
) -> Fetched:
    """Download a data set into a folder (the cache, unless told), and check it before it appears there.

    Each file must have the SHA-256 that is pinned for it: by us, by `sha256`, or by the first time that it was fetched
    here. A sound copy that is already there is kept.
    """
    given = frozenset(one.strip().lower() for one in sha256)
    home = Path(folder) if folder is not None else cache_folder() / "data" / dataset.name
    targets = [home / file.name for file in dataset.files]
    if all(target.exists() for target in targets):
        try:
            return _noted(dataset, _fetched(dataset, home, given, downloaded=False))
        except InvalidData as error:
            if folder is not None:
                # The user's own file: not ours to replace.
                raise InvalidData(
                    f"already exists and is damaged ({error.problem}); move it away", file=error.file or home
                ) from None
    elif folder is not None and any(target.exists() for target in targets):
        there = next(target for target in targets if target.exists())
        raise InvalidData("already exists without the other files of the data set; move it away", file=there)
    contents = [_download(file.url, timeout) for file in dataset.files]
    with tempfile.TemporaryDirectory() as temporary:
        for file, content in zip(dataset.files, contents, strict=True):
            (Path(temporary) / file.name).write_bytes(content)
        try:
            _fetched(dataset, Path(temporary), given, downloaded=True)
        except InvalidData as error:
            name = Path(error.file).name if error.file else ""
            url = next((file.url for file in dataset.files if file.name == name), dataset.files[0].url)
            raise RunError(f"{url}: the download is not {dataset.title}: {error.problem}") from None
    for target, content in zip(targets, contents, strict=True):
        with whole_file(target, "wb") as written:
            written.write(content)
    return _noted(dataset, _fetched(dataset, home, given, downloaded=True))


def _fetched(dataset: DataSet, home: Path, given: Collection[str], *, downloaded: bool) -> Fetched:
    """What is in a folder, if it is what it must be."""
    path = home if dataset.is_folder else home / dataset.files[0].name
    files = tuple((home / file.name, _sha256((home / file.name).read_bytes())) for file in dataset.files)
    pins = _pins()
    for file, (place, digest) in zip(dataset.files, files, strict=True):
        wanted = _wanted(file, given, pins)
        if wanted and digest not in wanted:
            raise InvalidData(
                f"its SHA-256 is {digest}, not {' or '.join(sorted(wanted))}, the pinned value; if the authors "
                "have changed the file, give the new value with --sha256",
                file=place,
            )
    return Fetched(path, files, downloaded, dataset.reader().check(path))


def _wanted(file: RemoteFile, given: Collection[str], pins: Mapping[str, str]) -> frozenset[str]:
    """The digests of which a file must have one; none: nobody has said."""
    if given:
        return frozenset(given)
    return frozenset(one for one in (file.sha256 or pins.get(file.url, ""),) if one)


def _noted(dataset: DataSet, fetched: Fetched) -> Fetched:
    """The same, with what each file is pinned to from now on."""
    pins = _pins()
    found = {file.url: digest for file, (_, digest) in zip(dataset.files, fetched.files, strict=True)}
    unknown = tuple(file.name for file in dataset.files if not file.sha256 and file.url not in pins)
    if any(pins.get(url) != digest for url, digest in found.items()):
        with whole_file(cache_folder() / "data" / PINS) as written:
            json.dump(pins | found, written, indent=1, sort_keys=True)
    return replace(fetched, noted=unknown)


def _pins() -> dict[str, str]:
    path = cache_folder() / "data" / PINS
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise InvalidData(f"cannot be read ({error}); it holds the pinned SHA-256 of data sets", file=path) from None
    if not isinstance(found, dict) or not all(isinstance(one, str) for one in found.values()):
        raise InvalidData("was changed after it was written; it holds the pinned SHA-256 of data sets", file=path)
    return found


def _download(url: str, timeout: float) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=timeout) as response:
            promised = response.headers.get("Content-Length")
            content = _read(response, url)
    except urllib.error.HTTPError as error:
        raise UserError(f"{url}: the server answered {error.code} {error.reason}") from None
    except urllib.error.URLError as error:
        raise UserError(f"{url}: cannot be reached ({error.reason}); is this machine online?") from None
    except (OSError, http.client.HTTPException) as error:
        raise UserError(f"{url}: the connection failed ({error or type(error).__name__}); try again") from None
    if len(content) > LARGEST:
        raise RunError(f"{url}: sent more than {LARGEST // 2**20} MiB, so this is not the data set")
    if promised is not None and promised.isdigit() and int(promised) != len(content):
        raise RunError(f"{url}: only {len(content):,} of {int(promised):,} bytes arrived; try again")
    return content


def _read(response: Any, url: str) -> bytes:
    """What a response holds, as long as it takes no longer than any data set does."""
    content, ends = bytearray(), time.monotonic() + LONGEST
    while len(content) <= LARGEST and (chunk := response.read1(2**16)):
        content += chunk
        if time.monotonic() > ends:
            raise RunError(f"{url}: the download did not finish within {LONGEST:g} seconds; try again")
    return bytes(content)


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
