"""A command that is killed at random moments and begun again until it ends by itself."""

from __future__ import annotations

import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def killed_until_done(command: Sequence[str], steps: Callable[[], tuple[int, ...]]) -> list[tuple[int, ...]]:
    """What `steps` counted after each kill."""
    moments = random.Random(4)
    killed_after = []
    for _ in range(60):
        process = subprocess.Popen(command, stderr=subprocess.PIPE, cwd=ROOT)
        # The moment is chosen by progress, not by the clock: a slow machine must not change what is tested.
        enough = sum(steps()) + moments.randint(1, 12)
        while process.poll() is None and sum(steps()) < enough:
            time.sleep(moments.uniform(0, 0.02))
        process.kill()
        _, error = process.communicate()
        if process.returncode == 0:
            break
        assert process.returncode == -signal.SIGKILL, error.decode()
        killed_after.append(steps())
    assert process.returncode == 0, "the run never ended"
    return killed_after
