"""This process and others: what not every system can do, in one place; where it cannot, the next best is done."""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import subprocess
from collections.abc import Iterator


def give_way(by: int) -> None:
    """Let other processes go first, where the system knows of that."""
    if hasattr(os, "nice"):
        with contextlib.suppress(OSError):
            os.nice(by)


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Put off Python's search for cycles while many small records are made, of which it would look at each anew."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def end_with_children(process: subprocess.Popen[str], patience: float) -> None:
    """End a process that has a session of its own, and all that it started; by force when it does not end in time."""
    if process.poll() is not None:
        return
    _signal(process, signal.SIGTERM)
    try:
        process.wait(patience)
    except subprocess.TimeoutExpired:
        # Windows knows no other way than force.
        _signal(process, getattr(signal, "SIGKILL", signal.SIGTERM))
        process.wait()


def _signal(process: subprocess.Popen[str], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
