"""What several benchmarks share: a study of all three views, a workbench that is served, and how they give account."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

_RESULTS = Path(__file__).with_name("RESULTS.md")
_HISTORY = Path(__file__).with_name("HISTORY.md")
_STUDY = """
name = "NAME"
seed = 3
models = ["smollm2-135m"]
specs = ["gender-math-arts"]
[pairs]
sources = ["templates"]
[continuations]
sources = [{ own-prompts = { domain = "gender", per_group = 8 } }]
decoding = { temperature = 1.0, max_new_tokens = 10 }
samples = SAMPLES
raters = ["sentiment.vader"]
[next_words]
sources = ["templates"]
words = "he-she"
"""


def three_views(name: str, samples: int) -> str:
    """A study of a minute on the embedded model: all three views, so many texts for each prompt."""
    return _STUDY.replace("NAME", name).replace("SAMPLES", str(samples))


@contextmanager
def served(folder: Path) -> Iterator[dict[str, Any]]:
    """`tiltmeter serve` on a folder, as a process of its own; what a client has to know: its address and a cookie."""
    import httpx

    command = [sys.executable, "-m", "tiltmeter", "serve", str(folder), "--no-open", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        try:
            assert server.stdout is not None
            found = re.search(r"(http://127\.0\.0\.1:\d+)/\S*", server.stdout.readline())
            if found is None:
                raise SystemExit("the workbench did not start; `tiltmeter serve` says why")
            yield {"base_url": found[1], "cookies": httpx.get(found[0]).cookies}
        finally:
            server.terminate()


def heading(script: str) -> str:
    """The heading of an account: when and on which machine."""
    return f"## {datetime.date.today()}, {platform.machine()}, {os.cpu_count()} cores (`{Path(script).name}`)"


def packages(*names: str) -> str:
    """The versions of Python and of packages.

    >>> packages().startswith("Python 3.")
    True
    """
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in names)])


def tell(lines: Sequence[str], write: bool) -> None:
    """Print an account; with `write` keep it too."""
    print("\n".join(lines))
    if write:
        keep(lines)


def keep(lines: Sequence[str], results: Path = _RESULTS, history: Path = _HISTORY) -> None:
    """Put an account into RESULTS.md; an older one of the same script goes to HISTORY.md."""
    start, *sections = re.split(r"(?m)^(?=## )", results.read_text(encoding="utf-8"))
    script = _script(lines[0])
    older = [section for section in sections if _script(section) == script]
    newest = [section for section in sections if section not in older]
    results.write_text(start + "".join([*newest, "\n".join(lines).rstrip() + "\n\n"]), encoding="utf-8")
    if older:
        with history.open("a", encoding="utf-8") as stream:
            stream.write("".join(older))


def _script(section: str) -> str:
    """The script that an account is of, with its options.

    >>> _script("## 2026-11-15, x86_64, 2 cores (`million.py`)")
    'million.py'
    """
    found = re.search(r"`([^`]+)`", section.partition("\n")[0])
    return found[1] if found else ""
