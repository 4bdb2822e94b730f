"""Libraries that print what nobody asked for."""

from __future__ import annotations

import io
import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any


@contextmanager
def quietly() -> Iterator[None]:
    """Keep the progress bars and warnings of transformers away; what matters is checked and said by us."""
    from transformers.utils import logging as transformers_logging

    library: Any = transformers_logging
    verbosity, bars = library.get_verbosity(), library.is_progress_bar_enabled()
    library.set_verbosity(logging.CRITICAL)
    library.disable_progress_bar()
    try:
        # The bar of the GGUF reader knows no switch; it writes to standard error.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        library.set_verbosity(verbosity)
        if bars:
            library.enable_progress_bar()
