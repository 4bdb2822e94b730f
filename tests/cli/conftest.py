"""Running commands as a user would: through the program's own entry point."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Outcome:
    """What a command printed and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Command = Callable[..., Outcome]


@pytest.fixture
def tiltmeter(tmp_path: Path) -> Command:
    """Run `tiltmeter` in an empty folder."""

    def run(*arguments: object, **environment: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, "-c", "from tiltmeter.cli import main; main()", *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            cwd=tmp_path,
            env={**os.environ, "TILTMETER_CACHE_LIMIT": "0", **environment},
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run
