"""A folder of the server's own, for what is made of a run and nobody else may have a hand in."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from tiltmeter.store import read_meta
from tiltmeter.store.run_folder import ledger_hash


def scratch_of(folder: Path) -> Path:
    """Where what is made of a run is kept; gone when the server ends."""
    return Path(_home().name) / hashlib.sha256(str(folder.absolute()).encode()).hexdigest()[:16]


def findings_scratch(folder: Path) -> Path:
    """Where the findings of a run are kept; of a finished one those of its ledger as it is."""
    state = ledger_hash(folder) if read_meta(folder).get("finished") else ""
    return scratch_of(folder) / f"findings {hashlib.sha256(state.encode()).hexdigest()[:16]}"


@cache
def _home() -> TemporaryDirectory[str]:
    return TemporaryDirectory(prefix="tiltmeter-")
