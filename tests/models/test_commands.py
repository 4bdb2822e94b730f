"""`tiltmeter models` and `tiltmeter doctor`."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tiltmeter.cli.doctor import _EXTRAS, doctor, examine
from tiltmeter.cli.models import app

runner = CliRunner()
alone = typer.Typer()
alone.command()(doctor)


def test_list_names_every_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    models = {model["name"]: model for model in json.loads(runner.invoke(app, ["list", "--json"]).stdout)}
    assert models.keys() >= {"smollm2-135m", "scripted", "hf:NAME", "gguf:PATH"}
    assert models["smollm2-135m"]["cached"] is False
    assert "smollm2-135m" in runner.invoke(app, ["list"]).stdout


def test_get_prints_the_facts() -> None:
    facts = json.loads(runner.invoke(app, ["get", "scripted", "--json"]).stdout)
    assert (facts["name"], facts["family"], facts["start_token"]) == ("scripted", "causal", "<start>")
    assert "weights_sha256" in runner.invoke(app, ["get", "scripted"]).stdout


def test_doctor_takes_a_program_of_vllm_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_VLLM", sys.executable)
    findings = {finding["subject"]: finding for finding in json.loads(runner.invoke(alone, ["--json"]).stdout)}
    assert (findings["extra vllm"]["ok"], findings["extra vllm"]["mend"]) == (True, "")


def test_doctor_knows_every_extra_and_all_its_packages() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    told = {name: set(packages) for name, (_, packages) in _EXTRAS.items()}
    needed = {
        name: {re.match(r"[\w-]+", line)[0] for line in lines}  # type: ignore[index]
        for name, lines in extras.items()
        if name not in ("all", "dev", "docs", "parquet", "vllm")
    }
    assert told == needed
    subjects = {finding.subject for finding in examine()}
    assert {f"extra {name}" for name in (*needed, "vllm")} <= subjects


def test_doctor_names_what_is_missing_and_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    from tiltmeter.cli import doctor as module

    def version(package: str) -> str:
        if package in ("fsspec", "ray", "vllm"):
            raise metadata.PackageNotFoundError(package)
        return "1.0"

    monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path))
    monkeypatch.setenv("TILTMETER_VLLM", str(tmp_path / "nothing"))
    monkeypatch.setattr(sys.modules[module.__name__], "version", version)
    findings = {finding["subject"]: finding for finding in json.loads(runner.invoke(alone, ["--json"]).stdout)}
    assert findings["extra hf"]["ok"] is True
    assert findings["extra big"]["ok"] is False
    assert findings["extra big"]["mend"] == "pip install 'tiltmeter[big]'"
    assert findings["extra ray"]["mend"] == "pip install 'tiltmeter[ray]'"
    assert findings["extra vllm"]["mend"] == "pip install 'tiltmeter[vllm]'"
    assert findings["embedded model"]["mend"] == "tiltmeter models get smollm2-135m"
    assert str(tmp_path) in findings["cache"]["found"]
    assert findings.keys() >= {"Python", "tiltmeter", "device", "threads", "extra report"}
    assert "pip install 'tiltmeter[big]'" in runner.invoke(alone, []).stdout
