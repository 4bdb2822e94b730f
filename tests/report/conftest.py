from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.synthetic import make_run
from tiltmeter.analysis import RunSummary, summarise_run
from tiltmeter.store import Run


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return make_run(tmp_path / "run")


@pytest.fixture
def summary(run: Run) -> RunSummary:
    return summarise_run(run)
