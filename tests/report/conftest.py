from __future__ import annotations

from pathlib import Path

import pytest

from tests.present.synthetic import make_run
from tiltmeter.results import RunSummary, summarise_run
from tiltmeter.store import Run


@pytest.fixture(scope="session")
def run() -> Run:
    return make_run(Path("nowhere"))


@pytest.fixture(scope="session")
def summary(run: Run) -> RunSummary:
    return summarise_run(run)
