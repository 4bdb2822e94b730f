"""Trying readers on spoilt files: what each raised that is no sentence for a user, and what took too long."""

from __future__ import annotations

import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from tests.fuzz.mutations import mutated
from tests.fuzz.registry import Reader
from tests.fuzz.seeds import Files
from tiltmeter import errors
from tiltmeter.errors import TiltmeterError

SECONDS = 10
_SOURCE = Path(errors.__file__).parent


class TooLong(BaseException):
    """A reader that does not come to an end."""


@dataclass(slots=True)
class Tried:
    """What came of one reader."""

    name: str
    tried: int = 0
    read: int = 0
    refused: int = 0
    seconds: float = 0.0
    failures: Counter[str] = field(default_factory=Counter)
    """What went wrong, by the error and the place in our code that raised it."""
    example: dict[str, bytes] = field(default_factory=dict)
    """For each failure the first file that did it."""


def try_reader(reader: Reader, count: int, seed: int) -> Tried:
    """Read so many spoilt files; the same seed spoils them in the same way."""
    found = Tried(reader.name)
    began = time.perf_counter()
    good = [dict(files) for files in reader.seeds()]
    with tempfile.TemporaryDirectory(prefix="tiltmeter-fuzz-") as scratch:
        for number in range(count):
            chance = Random(f"{seed}/{reader.name}/{number}")
            files = chance.choice(good)
            name = chance.choice(sorted(files))
            spoilt = mutated(files[name], chance)
            place = Path(scratch) / str(number)
            _written(place, files | {name: spoilt})
            _try_one(reader, found, place if reader.folder else place / name, spoilt)
            _removed(place)
    found.seconds = time.perf_counter() - began
    return found


def _try_one(reader: Reader, found: Tried, path: Path, spoilt: bytes) -> None:
    found.tried += 1
    try:
        with _limited(SECONDS):
            reader.read(path)
        found.read += 1
    except (TiltmeterError, *reader.refusals) as error:
        # A sentence that cannot be shown is none.
        problem = "" if str(error).strip() and "\n" not in str(error)[:200] else "an error without a sentence"
        found.refused += not problem
    except (Exception, TooLong) as error:
        problem = f"{type(error).__name__} at {_place(error)}"
    else:
        return
    if problem:
        found.failures[problem] += 1
        found.example.setdefault(problem, spoilt)


def _place(error: BaseException) -> str:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if Path(one.filename).is_relative_to(_SOURCE)]
    if not frames:
        return "the reader"
    return f"{Path(frames[-1].filename).relative_to(_SOURCE).as_posix()}:{frames[-1].lineno}"


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _written(place: Path, files: Files) -> None:
    for name, data in files.items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _removed(place: Path) -> None:
    import shutil

    shutil.rmtree(place, ignore_errors=True)


def as_markdown(found: Sequence[Tried], seed: int) -> str:
    """The table of what was tried."""
    lines = [
        f"{sum(one.tried for one in found):,} spoilt files over {len(found)} readers (seed {seed}): "
        f"{sum(one.failures.total() for one in found):,} failures.",
        "",
        "| reader | tried | read | refused in a sentence | failures |",
        "|---|---:|---:|---:|---|",
    ]
    for one in found:
        failures = ", ".join(f"{count} × {what}" for what, count in one.failures.most_common()) or "0"
        lines.append(f"| {one.name} | {one.tried:,} | {one.read:,} | {one.refused:,} | {failures} |")
    return "\n".join(lines) + "\n"
