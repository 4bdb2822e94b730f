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

from tests.cli.warm import run_warm


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
def tiltmeter(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Command:
    """Run `tiltmeter` in an empty folder."""
    printed = tmp_path_factory.mktemp("printed")
    draws = request.node.get_closest_marker("drawings") is not None

    def run(*arguments: object, **environment: str) -> Outcome:
        own = {**os.environ, "TILTMETER_CACHE_LIMIT": "0", **environment}
        if any(name.startswith("PYTHON") or name == "LC_ALL" for name in environment):
            return _from_the_start(list(map(str, arguments)), tmp_path, own)
        status = run_warm(list(map(str, arguments)), tmp_path, own, printed, draws=draws)
        said = ((printed / name).read_text(encoding="utf-8", errors="replace") for name in ("out", "err"))
        return Outcome(status, *said)

    return run


def _from_the_start(arguments: list[str], folder: Path, environment: dict[str, str]) -> Outcome:
    """In a Python of its own, for what only that reads from its environment."""
    done = subprocess.run(
        [sys.executable, "-c", "from tiltmeter.cli import main; main()", *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        cwd=folder,
        env=environment,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr)
