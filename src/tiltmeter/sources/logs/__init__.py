"""Logs of other programs: which program wrote a file, and the answers that are in it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType

from tiltmeter.errors import InvalidData, UserError
from tiltmeter.sources.logs import chats, harness, inspect_logs
from tiltmeter.sources.logs.answers import LogFile
from tiltmeter.sources.tables import kind_of, stream_objects

_SAMPLES = ("samples_*.jsonl", "*.eval")
"""The files of a folder that are logs by their names."""
_LOOKED_AT = 20
"""Rows by which it is told what a file is."""
_NEEDED = (
    "is no log that is known: the samples of lm-evaluation-harness (with `doc`, `arguments` and `filtered_resps`), "
    "a log of Inspect (`.eval`, `.json`), or exchanges with a chat model (`messages` and an answer)"
)


def is_log(path: str | Path) -> bool:
    """Whether a file or folder is a log that can be read, and no table."""
    place = Path(path)
    if place.is_dir():
        return any(next(place.rglob(name), None) for name in _SAMPLES)
    try:
        return place.is_file() and _reader(place) is not None
    except InvalidData:
        # Whoever reads it says what is wrong with it.
        return False


def files_of(paths: Sequence[str | Path]) -> list[Path]:
    """The logs that are named, and those in folders that are named."""
    found: list[Path] = []
    for path in map(Path, paths):
        if path.is_dir():
            inside = sorted({one for name in _SAMPLES for one in path.rglob(name) if one.is_file()})
            if not inside:
                problem = "holds no log: no `samples_TASK.jsonl` of lm-evaluation-harness, and no `.eval` of Inspect"
                raise UserError(problem, file=path)
            found += inside
        elif path.is_file():
            found.append(path)
        else:
            raise UserError("there is no such file or folder", file=path)
    return list(dict.fromkeys(found))


def open_log(path: Path) -> LogFile:
    """The answers of a log."""
    reader = _reader(path)
    if reader is None:
        raise InvalidData(_NEEDED, file=path)
    found: LogFile = reader.read(path)
    return found


def _reader(path: Path) -> ModuleType | None:
    if inspect_logs.is_log(path):
        return inspect_logs
    if kind_of(path) not in ("json", "json-lines"):
        return None
    some = [row for _, row in islice(stream_objects(path), _LOOKED_AT)]
    if any(map(harness.is_sample, some)):
        return harness
    # A request may have failed.
    return chats if 2 * sum(map(chats.is_exchange, some)) > len(some) else None
