"""A folder of the server's own, for what belongs into the folder of a run that is not ours to write to."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory


def scratch_of(folder: Path) -> Path:
    """Where things of a run are kept that cannot be written into its folder; gone when the server ends."""
    return Path(_home().name) / hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16]


@cache
def _home() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="tiltmeter-")
