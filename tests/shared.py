"""What tests share with one another: public data sets beside the checkout, never part of it, and what was fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

from tiltmeter.cache import cache_folder

ROOT = Path(__file__).resolve().parents[1]


def own_cache(folder: Path) -> str:
    """A new cache that knows no answers, but has the models and packages that were fetched already."""
    folder.mkdir()
    for name in ("models", "packages"):
        fetched = cache_folder() / name
        fetched.mkdir(parents=True, exist_ok=True)
        (folder / name).symlink_to(fetched, target_is_directory=True)
    return str(folder)


def shared(path: str) -> Path:
    """The path of a shared data file; skips the test, saying so, where it is missing."""
    found = ROOT.parent / "shared" / "data" / path
    if not found.exists():
        pytest.skip(f"the data set {path} is not beside the checkout (../shared/data)")
    return found
