"""Carries out a calibration: pools kept in the cache, and simulated studies on all cores."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from tiltmeter.cache import cache_folder
from tiltmeter.engine.calibration_pools import VERSION, PoolSettings
from tiltmeter.files import whole_file
from tiltmeter.progress import NoProgress, Progress
from tiltmeter.stats.calibration.coverage import (
    Pool,
    Tally,
    ViewCalibration,
    World,
    simulate,
    studies_of,
    together,
    view_calibrations,
)
from tiltmeter.stats.estimate import Scale
from tiltmeter.version import __version__

PART = 250
"""Studies in a part: what one process does at a time. A part of the result, since every part has a seed of its own."""
_SLOW_ORIGINS = 100
"""From here on, figures that have nothing but a p take a second for each study of next words."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """How many studies are drawn of each world."""

    neutral: int = 5000
    as_it_is: int = 5000
    tilted: int = 1000
    """For each tilt."""
    p_alone: int = 1000
    """Of figures that have a p from exchanging and no claim of coverage."""
    large_p_alone: bool = True
    """Also with many origins, which takes long."""

    @classmethod
    def of(cls, studies: int, *, quick: bool) -> Repeats:
        """The usual numbers for so many studies without a tilt.

        >>> Repeats.of(5000, quick=True).tilted
        250
        """
        if quick:
            return cls(studies, studies, max(1, studies // 20), max(1, studies // 25), False)
        return cls(studies, studies, max(1, studies // 5), max(1, studies // 5))


@dataclass(frozen=True, slots=True)
class _Task:
    """A part of the studies of one world."""

    pool: int
    studies: int
    origins: int
    world: World
    number: int
    part: int


def calibrate(
    pools: Sequence[Pool],
    origins: Sequence[int],
    repeats: Repeats,
    *,
    seed: int = 0,
    workers: int = 1,
    progress: Progress | None = None,
) -> list[ViewCalibration]:
    """Simulate studies of every view; neither the number of processes nor their speed shows in the result."""
    progress = progress or NoProgress()
    tasks = [task for place, pool in enumerate(pools) for task in _tasks(place, pool, origins, repeats)]
    progress.start("simulated studies", sum(task.number for task in tasks), 0)
    found: dict[_Task, dict[str, Tally]] = {}
    # Long ones first, so that no process is left with them at the end.
    for task, tallies in _done(sorted(tasks, key=lambda task: -task.origins), pools, seed, workers):
        found[task] = tallies
        progress.advance(task.number)
    made = []
    for place, pool in enumerate(pools):
        for which, studies in enumerate(studies_of(pool)):
            for size in origins:
                worlds: dict[World, list[dict[str, Tally]]] = defaultdict(list)
                for task in tasks:
                    if (task.pool, task.studies, task.origins) == (place, which, size):
                        worlds[task.world].append(found[task])
                if worlds:
                    tallied = {world: together(parts) for world, parts in worlds.items()}
                    made += view_calibrations(studies, pool.tilts, size, tallied)
    return made


def kept(facts_sha256: str, settings: PoolSettings, view: str, make: Callable[[], Pool]) -> Pool:
    """The pool of a view, from the cache where the same model made it before; otherwise made, and kept."""
    asked = json.dumps([VERSION, __version__, facts_sha256, view, settings.as_json()], sort_keys=True)
    path = cache_folder() / "calibration" / f"{view}-{hashlib.sha256(asked.encode()).hexdigest()[:32]}.npz"
    found = _read(path, view)
    if found is None:
        found = make()
        _write(path, found)
    return found


def _read(path: Path, view: str) -> Pool | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            tables = {name.removeprefix("table."): file[name] for name in file.files if name.startswith("table.")}
            ends = {name.removeprefix("ends."): file[name] for name in file.files if name.startswith("ends.")}
            tilts = tuple(file["tilts"].tolist())
    except (OSError, ValueError, KeyError, EOFError):
        return None
    scales = {name: Scale(*(None if np.isnan(end) else float(end) for end in each)) for name, each in ends.items()}
    return Pool(view, tilts, tables, scales) if scales else None


def _write(path: Path, pool: Pool) -> None:
    arrays = {f"table.{name}": table for name, table in pool.tables.items()}
    for name, scale in pool.scales.items():
        ends = (scale.low, scale.high, scale.neutral)
        arrays[f"ends.{name}"] = np.array([np.nan if end is None else end for end in ends])
    content = BytesIO()
    np.savez_compressed(content, tilts=np.array(pool.tilts), **arrays)  # type: ignore[arg-type]
    with whole_file(path, "wb") as file:
        file.write(content.getvalue())


def _tasks(place: int, pool: Pool, origins: Sequence[int], repeats: Repeats) -> Iterator[_Task]:
    for which, studies in enumerate(studies_of(pool)):
        for size in origins:
            worlds = {World(0, True): repeats.neutral, World(0, False): repeats.as_it_is}
            worlds |= {World(tilt, True): repeats.tilted for tilt in range(1, len(pool.tilts))}
            if studies.p_alone:
                slow = size >= _SLOW_ORIGINS and pool.view == "next_words" and not repeats.large_p_alone
                worlds = {} if slow else {World(0, True): repeats.p_alone}
            for world, number in worlds.items():
                for part, start in enumerate(range(0, number, PART)):
                    yield _Task(place, which, size, world, min(PART, number - start), part)


_POOLS: list[Pool] = []
_SEED = [0]


def _prepare(pools: Sequence[Pool], seed: int) -> None:
    _POOLS[:], _SEED[:] = pools, [seed]


def _carry_out(task: _Task) -> dict[str, Tally]:
    studies = studies_of(_POOLS[task.pool])[task.studies]
    return simulate(studies, task.origins, task.world, task.number, seed=_SEED[0], part=task.part)


def _done(
    tasks: Sequence[_Task], pools: Sequence[Pool], seed: int, workers: int
) -> Iterable[tuple[_Task, dict[str, Tally]]]:
    if workers == 1:
        _prepare(pools, seed)
        for task in tasks:
            yield task, _carry_out(task)
        return
    # A new process each, since one with a model in it may not be copied; and one thread, since all cores are taken.
    context = multiprocessing.get_context("spawn")
    with (
        _one_thread(),
        ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare, initargs=(list(pools), seed)) as pool,
    ):
        running = {pool.submit(_carry_out, task): task for task in tasks}
        for each in as_completed(running):
            yield running[each], each.result()


@contextmanager
def _one_thread() -> Iterator[None]:
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(dict.fromkeys(names, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
