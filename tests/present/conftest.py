"""Runs that no model made; drawing is tested elsewhere, and takes time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.present.every_block import SVG
from tests.present.synthetic import make_run
from tiltmeter.present import drawing
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run


@pytest.fixture(scope="session")
def run() -> Run:
    return make_run(Path("nowhere"))


@pytest.fixture(scope="session")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture
def tiny_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "svg", lambda spec, width=None: SVG)
    monkeypatch.setattr(drawing, "png", lambda spec, width=None: b"png")
    monkeypatch.setattr(drawing, "pdf", lambda spec, width=None: b"pdf")
