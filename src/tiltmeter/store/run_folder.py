"""Run folders: reading them without any model, what they hold seen from a plan, and which files were made here.

What was made from a ledger is noted in the cache of this user, by the hash of the ledger: what else is in the folder is
not believed, and a copy of the folder is known too.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from pathlib import Path, PurePath
from typing import Any, Literal

from tiltmeter.cache import cache_folder
from tiltmeter.errors import OtherRun, RunError
from tiltmeter.files import plain_file
from tiltmeter.processes import uncollected
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.sources.generated.settings import UnitResult
from tiltmeter.store.database import LEDGER, connect
from tiltmeter.store.ledger import Ledger, Run
from tiltmeter.store.rows import HELD, check_unchanged
from tiltmeter.store.validation import valid_ledger
from tiltmeter.study import Plan


class NotBegun(RunError):
    """A ledger that nothing was written into yet."""


@uncollected()
def read_run(folder: str | Path, *, held: int = HELD) -> Run:
    """Read a run folder, also while another process writes it.

    Items that are more than `held` are not held in memory, but read when they are asked for.
    """
    with _reading(folder) as ledger:
        check_unchanged(ledger.folder / LEDGER)
        return ledger.run(held)


def read_written(folder: str | Path) -> dict[str, list[UnitResult]]:
    """What the generators of a run wrote for its test, by the label of the source; replacements are left out."""
    with _reading(folder) as ledger:
        check_unchanged(ledger.folder / LEDGER)
        labels = [source["label"] for source in ledger.meta()["resolved"]["sources"]]
        found = {label: [one for one in ledger.units(label).values() if not one.unit.round] for label in labels}
    return {label: results for label, results in found.items() if results}


def read_meta(folder: str | Path) -> dict[str, Any]:
    """The study of a run as given and as resolved, and the versions of the packages."""
    with _reading(folder) as ledger:
        return ledger.meta()


def spec_of(data: Mapping[str, Any]) -> Spec:
    """A spec as a run keeps it."""

    def tuples(value: Any) -> Any:
        return tuple(map(tuples, value)) if isinstance(value, list) else value

    plain = {key: tuples(value) for key, value in data.items() if key not in ("groups", "attributes")}
    groups = tuple(Group(**{key: tuples(value) for key, value in one.items()}) for one in data["groups"])
    attributes = tuple(AttributeSet(**{key: tuples(value) for key, value in one.items()}) for one in data["attributes"])
    return Spec(groups=groups, attributes=attributes, **plain)


@contextmanager
def _reading(folder: str | Path) -> Iterator[Ledger]:
    path = Path(folder)
    if not (path / LEDGER).is_file():
        raise RunError(f"{path}: is not a run folder (it has no {LEDGER}); `tiltmeter run` creates one")
    with valid_ledger(path / LEDGER), Ledger(path, read_only=True) as ledger:
        if not ledger.has_plan():
            raise NotBegun(f"{path}: the run has not started; start it with `tiltmeter run`")
        yield ledger


_NAMES = ("label", "name")
"""What tells the tables of a list apart."""
_BEFORE = "before."
"""How the folders of earlier results begin, in the folder of the run."""
_MADE = (
    *("report.*", "report-*", "comparison.*", "comparison-*", "card.*", "card-*", "summary.json", "findings.json"),
    *("items.parquet", "texts.parquet", "measurements.parquet"),
    *("tables", "figures", "workbench"),
)
"""What is made of a ledger and lies beside it; files that people gave names of their own are theirs."""


@dataclass(frozen=True, slots=True)
class RunState:
    """Whether a plan was begun or finished in a folder, or whether the folder holds the run of another study."""

    kind: Literal["new", "begun", "finished", "changed", "outdated", "lacking"]
    """`changed`: the study; `outdated`: what it was measured with, as `engine.current_state` finds; `lacking`:
    finished, but for answers that a server did not give."""
    changes: tuple[str, ...] = ()
    """What differs since then."""
    reported: bool = False
    """Whether its tables and report are written as well: a run may be killed before the last of them."""


def state_of(folder: str | Path, plan: Plan) -> RunState:
    """What a run folder holds; one that was begun with another study and has no answer yet is new."""
    path = Path(folder)
    if not (path / LEDGER).is_file():
        return RunState("new")
    with valid_ledger(path / LEDGER), Ledger(path, read_only=True) as ledger:
        if not ledger.has_plan():
            return RunState("new")
        check_unchanged(path / LEDGER)
        before = ledger.meta()
        if before["fingerprint"] == plan.fingerprint:
            kind: Literal["finished", "begun"] = "finished" if before.get("finished") else "begun"
            return RunState(kind, reported=bool(before.get("reported")))
        if not ledger.has_answers():
            return RunState("new")
    if before["resolved"]["name"] != plan.study.name:
        raise OtherRun(
            f"{path}: holds the run of the study `{before['resolved']['name']}`, and this one is `{plan.study.name}`; "
            "name another folder with --out"
        )
    return RunState(
        "changed", tuple(changes(before["resolved"], json.loads(json.dumps(plan.resolved)))) or ("its data",)
    )


def recover(folder: Path) -> None:
    """Put what was written before a run was killed into the file of its ledger; what cannot be read is done again."""
    log = folder / f"{LEDGER}-wal"
    if log.is_file() and log.stat().st_size:
        with valid_ledger(folder / LEDGER), closing(connect(folder / LEDGER)) as database:
            database.execute("pragma wal_checkpoint(truncate)").fetchall()


def set_aside(folder: Path, *, ledger: bool = True) -> Path | None:
    """Move the result of a run, or without its ledger what was made of it, to where nothing is lost; None: nothing is.

    The folder that it is in is a run folder itself. The answers of APIs and the marks of people stay where they are.
    """
    if not (folder / LEDGER).is_file():
        return None
    found = [path for path in sorted(folder.iterdir()) if any(path.match(name) for name in _MADE)]
    if not found and not ledger:
        return None
    moved = [*found, *([folder / LEDGER] if ledger else ())]
    # What an earlier start was killed over is gone on with; nothing takes the place of anything.
    places = (folder / f"{_BEFORE}{number}" for number in count(1))
    place = next(one for one in places if not any((one / name).exists() for name in (LEDGER, *(f.name for f in moved))))
    try:
        if ledger:
            _close_log(folder / LEDGER)
        place.mkdir(exist_ok=True)
        # The ledger is the last: killed before, the next start moves it.
        for path in moved:
            path.rename(place / path.name)
    except OSError as error:
        raise RunError(f"{place}: the earlier result cannot be moved there: {error.strerror or error}") from error
    return place


def _close_log(path: Path) -> None:
    """Put what is in the write-ahead log of a ledger into its file."""
    database = connect(path)
    try:
        database.execute("pragma journal_mode = delete").fetchall()
    except sqlite3.Error as error:
        if "locked" not in str(error):
            raise RunError(f"{path}: cannot be written: {error}") from error
        raise RunError(f"{path}: another process is reading it ({error}); wait for it, or stop it") from error
    finally:
        database.close()


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The keys of a resolved study whose values differ, from the top, as deep as tables go.

    >>> changes({"seed": 1, "specs": [{"name": "a", "terms": 1}]}, {"seed": 2, "specs": [{"name": "a", "terms": 2}]})
    ['seed', 'specs.a.terms']
    >>> changes({"models": ["scripted:studies/../m.toml"]}, {"models": ["scripted:../m.toml"]})
    ['models: the same file names under different paths']
    """
    found = sorted(_changes(dict(before), dict(now), ""))
    first, second = ([_without_folders(str(name)) for name in one.get("models", ())] for one in (before, now))
    moved = "models: the same file names under different paths"
    return [moved if place == "models" and first == second else place for place in found]


def _without_folders(model: str) -> str:
    kind, colon, path = model.partition(":")
    return f"{kind}{colon}{PurePath(path).name}" if path.endswith((".toml", ".gguf")) else model


def _changes(before: Any, now: Any, place: str) -> Iterator[str]:
    before, now = _by_name(before), _by_name(now)
    if not isinstance(before, dict) or not isinstance(now, dict):
        if before != now:
            yield place
        return
    for key in {**before, **now}:
        inner = f"{place}.{key}" if place else str(key)
        if key not in before or key not in now:
            yield inner
        else:
            yield from _changes(before[key], now[key], inner)


def _by_name(value: Any) -> Any:
    """A list of tables by the name of each, where all have one of their own."""
    for key in _NAMES:
        if isinstance(value, list) and value and all(isinstance(one, dict) and key in one for one in value):
            named = {str(one[key]): one for one in value}
            if len(named) == len(value):
                return named
    return value


_LARGEST = 1 << 20
"""Bytes of a note."""
_MOST = 2_000
"""Ledgers of which it is noted what was made; of others it is made again."""


def record_made_files(folder: Path, files: Iterable[Path]) -> None:
    """Note files of a run folder as made here; what cannot be noted is made again when somebody asks for it."""
    _write(ledger_hash(folder), {(path.relative_to(folder).as_posix(), _hash(path)) for path in files})


def is_current(folder: Path, name: str) -> bool:
    """Whether a file of a run folder is what was made here from the ledger as it is."""
    path = plain_file(folder, name)
    return path is not None and (name, _hash(path)) in _noted(ledger_hash(folder))


def current_files(folder: Path) -> Iterator[Path]:
    """All such files of a run folder."""
    names = sorted({name for name, _ in _noted(ledger_hash(folder))})
    return (folder / name for name in names if is_current(folder, name))


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
    return cache_folder() / "made" / f"{hashlib.sha256(ledger.encode()).hexdigest()}.jsonl"


def _write(ledger: str, files: Set[tuple[str, str]]) -> None:
    """Add to the note of a ledger: a line at its end, so that two who note at once both do."""
    place = _place(ledger)
    with suppress(OSError, RunError):
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if place.exists() and place.stat().st_size > _LARGEST // 2:
            place.unlink()
        with os.fdopen(os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab", buffering=0) as file:
            file.write(f"{json.dumps(sorted(files))}\n".encode())
        for old in sorted(place.parent.iterdir(), key=lambda path: path.stat().st_mtime)[:-_MOST]:
            old.unlink()


def _noted(ledger: str) -> set[tuple[str, str]]:
    """The files that were made from a ledger, with their hashes; nothing that others could have written."""
    place = _place(ledger)
    try:
        if not ledger or not all(_is_ours(path) for path in (place.parent, place)) or place.stat().st_size > _LARGEST:
            return set()
        lines = [json.loads(line) for line in place.read_text(encoding="utf-8").splitlines()]
        return {(str(name), str(value)) for line in lines for name, value in line}
    except (OSError, ValueError, TypeError, RecursionError):
        return set()


def _is_ours(path: Path) -> bool:
    state = path.lstat()
    return not hasattr(os, "geteuid") or (state.st_uid == os.geteuid() and not state.st_mode & 0o022)
