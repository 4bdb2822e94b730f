"""Where things that were fetched or computed once are kept: one folder, which the user can move or delete."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_folder() -> Path:
    """The root of the cache: `TILTMETER_CACHE`, or the platform's own place for a user's caches.

    The folder need not exist yet.
    """
    chosen = os.environ.get("TILTMETER_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tiltmeter"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "tiltmeter" / "Cache"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tiltmeter"
