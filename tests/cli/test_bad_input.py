"""Everything that goes wrong in practice: one sentence, status 2, nothing half-written."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Command, Outcome
from tiltmeter.cli import app
from tiltmeter.errors import UserError

pytestmark = pytest.mark.slow


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.csv"
    path.write_text("template,term_1,term_2\n" + "[T] is a nurse.,he,she\n" * 50, encoding="utf-8")
    return path


def expect_refusal(done: Outcome, *words: str) -> None:
    """One sentence on standard error, nothing on standard output, status 2."""
    assert done.status == 2, done.err
    assert done.out == ""
    sentences = [line for line in done.err.splitlines() if line.startswith("tiltmeter: ")]
    assert len(sentences) == 1, done.err
    assert "Traceback" not in done.err
    for word in words:
        assert word in sentences[0]


def test_a_truncated_table(tiltmeter: Command, pairs: Path, tmp_path: Path) -> None:
    text = pairs.read_text(encoding="utf-8")
    pairs.write_text(text[:-5], encoding="utf-8")
    done = tiltmeter("score", pairs, "--model", "scripted", "--out", "scored.csv")
    expect_refusal(done, "pairs.csv, line 51", "2 cells where the header has 3", "cut off")
    assert not (tmp_path / "scored.csv").exists()


def test_a_spec_with_uneven_groups(tiltmeter: Command, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(
        'name = "bad"\ntitle = "Bad"\ncitation = "none"\ntemplates = ["[T] is here"]\n'
        '[groups.male]\nterms = ["he", "man"]\n[groups.female]\nterms = ["she"]\n'
    )
    (tmp_path / "study.toml").write_text('models = ["scripted"]\nspecs = ["bad.toml"]\n')
    expect_refusal(
        tiltmeter("run", "study.toml"), "bad.toml, line 8", "1 term here, 2 in `male`", "matched by position"
    )
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("smollm2", ["there is no model `smollm2`", "smollm2-135m"]),
        ("./nowhere", ["nowhere"]),
        ("hf:./nowhere", ["nowhere"]),
        ("gguf:nowhere.gguf", ["nowhere.gguf"]),
        ("scripted:nowhere.toml", ["nowhere.toml"]),
    ],
)
def test_a_missing_model(tiltmeter: Command, pairs: Path, tmp_path: Path, model: str, words: list[str]) -> None:
    expect_refusal(tiltmeter("score", pairs, "--model", model, "--out", "scored.csv"), *words)
    assert not (tmp_path / "scored.csv").exists()


def test_a_model_folder_with_half_its_files(tiltmeter: Command, pairs: Path, tmp_path: Path) -> None:
    folder = tmp_path / "half"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}))
    expect_refusal(tiltmeter("score", pairs, "--model", "./half", "--out", "scored.csv"), "half")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_under_the_scored_file(tiltmeter: Command, pairs: Path) -> None:
    expect_refusal(tiltmeter("score", pairs, "--model", "scripted", "--out", "/dev/full"), "No space left on device")


@pytest.fixture
def tiny_disk(tmp_path: Path):
    """A file system of 200 kB; skips where this user may not mount one."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    command = [mount or "mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)]
    if mount is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small file system needs rights that this user does not have")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_under_the_run_folder(tiltmeter: Command, tmp_path: Path, tiny_disk: Path) -> None:
    (tmp_path / "study.toml").write_text('models = ["scripted"]\nspecs = ["gender-professions"]\n')
    done = tiltmeter("run", "study.toml", "--out", tiny_disk / "run")
    expect_refusal(done, "disk is full")
    assert not (tiny_disk / "run" / "report.html").exists()


def test_a_read_only_folder(tiltmeter: Command, tmp_path: Path, pairs: Path, tiny_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(tiny_disk)], check=True)
    (tmp_path / "study.toml").write_text('models = ["scripted"]\nspecs = ["gender-math-arts"]\n')
    expect_refusal(tiltmeter("run", "study.toml", "--out", tiny_disk / "run"), "Read-only file system")
    scored = tiltmeter("score", pairs, "--model", "scripted", "--out", tiny_disk / "scored.csv")
    expect_refusal(scored, "Read-only file system")


def test_an_output_below_a_file(tiltmeter: Command, pairs: Path) -> None:
    expect_refusal(tiltmeter("score", pairs, "--model", "scripted", "--out", pairs / "scored.csv"), "cannot be written")


def test_debug_shows_the_traceback(tiltmeter: Command, pairs: Path) -> None:
    done = tiltmeter("--debug", "score", pairs, "--model", "smollm2", "--out", "scored.csv")
    assert "Traceback" in done.err


def test_a_wrong_scorer_names_the_ones_that_fit(tiltmeter: Command, pairs: Path) -> None:
    done = tiltmeter("score", pairs, "--model", "scripted", "--scorer", "slot", "--out", "scored.csv")
    expect_refusal(done, "`slot` needs a masked model", "choose")


@pytest.mark.parametrize("given", [["--out", "-"], ["--out=-"], ["-o", "-"]])
def test_a_file_called_minus_is_refused(given: list[str]) -> None:
    with pytest.raises(UserError, match="nothing is written to standard output"):
        app(["calibrate", *given], standalone_mode=False)
