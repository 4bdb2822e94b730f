"""A command that is killed at random moments and begun again until it ends by itself."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable
from pathlib import Path

from tests.cli.warm import begin_warm


def killed_until_done(
    main: Callable[[Path, Path], None], study: Path, folder: Path, steps: Callable[[], tuple[int, ...]], most: int = 12
) -> list[tuple[int, ...]]:
    """What `steps` counted after each kill; between two kills are at most so many steps."""
    moments = random.Random(4)
    killed_after = []
    for _ in range(60):
        process = begin_warm(main, study, folder)
        # The moment is chosen by progress, not by the clock: a slow machine must not change what is tested.
        enough = sum(steps()) + moments.randint(1, most)
        while process.is_alive() and sum(steps()) < enough:
            time.sleep(moments.uniform(0, 0.02))
        process.kill()
        process.join()
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        killed_after.append(steps())
    assert process.exitcode == 0, "the run never ended"
    return killed_after
