"""Runs that no model made; drawing is tested elsewhere, and takes time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.drawings import draw_small
from tests.present.synthetic import make_run
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run


@pytest.fixture(scope="session")
def run() -> Run:
    return make_run(Path("nowhere"))


@pytest.fixture(scope="session")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)


@pytest.fixture(scope="module", autouse=True)
def small_drawings() -> None:
    """Charts are drawn as they are, unless a test asks otherwise."""


@pytest.fixture
def tiny_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    draw_small(monkeypatch.setattr)
