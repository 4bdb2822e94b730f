"""Which files of a run folder were made here, from its ledger as it is: what else is in the folder is not believed.

What was made is noted in the cache of this user, by the hash of the ledger, so that a copy of the folder is known too.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from tiltmeter.cache import cache_folder
from tiltmeter.errors import RunError
from tiltmeter.files import plain_file, whole_file
from tiltmeter.store.opening import LEDGER

_LARGEST = 1 << 20
"""Bytes of a note."""
_MOST = 2_000
"""Ledgers of which it is noted what was made; of others it is made again."""


def note_made(folder: Path, files: Iterable[Path]) -> None:
    """Note files of a run folder as made here; what cannot be noted is made again when somebody asks for it."""
    hashes = {path.relative_to(folder).as_posix(): _hash(path) for path in files}
    _write(ledger_hash(folder), _noted(ledger_hash(folder)) | hashes)


def is_made_here(folder: Path, name: str) -> bool:
    """Whether a file of a run folder is what was made here from the ledger as it is."""
    path = plain_file(folder, name)
    noted = _noted(ledger_hash(folder)) if path else {}
    return path is not None and name in noted and noted[name] == _hash(path)


def made_here(folder: Path) -> Iterator[Path]:
    """All such files of a run folder."""
    return (folder / name for name in sorted(_noted(ledger_hash(folder))) if is_made_here(folder, name))


@contextmanager
def same_results(folder: Path, are_same: Callable[[], bool] = lambda: True) -> Iterator[None]:
    """A change of the ledger that is no change of what was made from it, unless it turns out to be one."""
    noted = _noted(ledger_hash(folder))
    yield
    if noted and are_same():
        _write(ledger_hash(folder), noted)


def ledger_hash(folder: Path) -> str:
    """What tells one state of a ledger from every other; empty where there is none."""
    found = []
    for name in (LEDGER, f"{LEDGER}-wal"):
        # Whoever closes the ledger takes its log away.
        with suppress(FileNotFoundError):
            path = plain_file(folder, name)
            found += [_hash(path)] if path is not None and path.stat().st_size else []
    return " ".join(found)


def _hash(path: Path) -> str:
    state = path.stat()
    return _hashed(path.absolute(), state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)


@lru_cache(maxsize=1024)
def _hashed(path: Path, *state: int) -> str:
    """Worked out once; the state of the file is there to tell when it has changed."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _place(ledger: str) -> Path:
    return cache_folder() / "made" / f"{hashlib.sha256(ledger.encode()).hexdigest()}.json"


def _write(ledger: str, hashes: dict[str, str]) -> None:
    place = _place(ledger)
    with suppress(OSError, RunError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(place) as file:
            json.dump(hashes, file)
        place.chmod(0o600)
        for old in sorted(place.parent.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST]:
            old.unlink()


def _noted(ledger: str) -> dict[str, str]:
    """The files that were made from a ledger, with their hashes; nothing that others could have written."""
    place = _place(ledger)
    try:
        if not ledger or not all(_is_ours(path) for path in (place.parent, place)) or place.stat().st_size > _LARGEST:
            return {}
        found = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {str(name): str(value) for name, value in found.items()} if isinstance(found, dict) else {}


def _is_ours(path: Path) -> bool:
    state = path.lstat()
    return not hasattr(os, "geteuid") or (state.st_uid == os.geteuid() and not state.st_mode & 0o022)
