"""Public data sets that lie beside the checkout on some machines, and are never part of it."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def shared(path: str) -> Path:
    """The path of a shared data file; skips the test, saying so, where it is missing."""
    found = ROOT.parent / "shared" / "data" / path
    if not found.exists():
        pytest.skip(f"the data set {path} is not beside the checkout (../shared/data)")
    return found
