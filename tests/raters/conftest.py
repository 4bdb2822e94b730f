"""One thread for torch: tests share two cores."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
