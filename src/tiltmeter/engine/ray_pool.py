"""The workers of a Ray cluster: found a place, given work, and replaced where one is lost."""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.engine.ray_worker import Place, Refused, Worker
from tiltmeter.errors import MissingExtra, RunError, UserError
from tiltmeter.version import __version__

IN_FLIGHT = 2
"""Calls on their way to a worker: one that it answers, and one that waits, so that it is never idle."""
_ATTEMPTS = 5
"""So many workers may be lost over one call, or while they begin; one more, and the call is what loses them."""
_PATIENCE = 300.0
"""Seconds without any worker: a cluster may be growing, or a machine slow."""
_GATHERING = 20.0
"""Seconds for the first workers to begin, before those that have go on without the others."""
_LEAVING = 10.0
"""Seconds for calls to end when the workers are closed."""
_OBJECTS = 256 * 1024**2
"""Bytes for answers on their way, in a cluster of our own."""
_ENVIRONMENT = ("TILTMETER_CACHE", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE")


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a study is carried out.

    `workers` None: one for each GPU share, or without GPUs one for each node. `address` None: RAY_ADDRESS, or a
    cluster of our own on this machine, for as long as the run takes. `tell` gets what a person should know.
    """

    workers: int | None = None
    gpus_per_worker: float = 0.0
    address: str | None = None
    tell: Callable[[str], None] = lambda _: None

    def __post_init__(self) -> None:
        if self.gpus_per_worker > 1 and self.gpus_per_worker % 1:
            raise UserError(
                f"{self.gpus_per_worker:g} GPUs per worker is not possible; give a share of one GPU, such as 0.5, "
                "or a whole number"
            )


@dataclass(slots=True, eq=False)
class _Slot:
    """A place on the pool."""

    actor: Any
    begins: Any
    """The promise that the worker has begun; None: it has."""
    busy: int = 0


@contextmanager
def worker_pool(cluster: Cluster, threads: int | None) -> Iterator[WorkerPool]:
    """The workers, for as long as the context lasts."""
    with _connected(cluster) as is_own:
        found = WorkerPool(cluster, threads, is_own)
        try:
            found.gather()
            yield found
        finally:
            found.close()


class WorkerPool:
    """Workers that are all alike: each call goes to the one that has the least to do."""

    def __init__(self, cluster: Cluster, threads: int | None, is_own: bool) -> None:
        import ray

        self._ray: Any = ray
        self._cluster, self._may_grow = cluster, not is_own
        room, nodes = self._room()
        wanted = cluster.workers or max(1, sum(room) if cluster.gpus_per_worker else nodes)
        self._room_for = min(wanted, sum(room))
        given = os.environ.get("OMP_NUM_THREADS", "")
        self._place = Place(
            str(Path.cwd()),
            {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ},
            threads or (int(given) if given.isdigit() else None),
            -(-wanted // nodes) - 1,
            cluster.gpus_per_worker > 0,
        )
        self._turn = threading.Condition()
        self._is_over = False
        self._failed = 0
        self._slots = [self._started() for _ in range(wanted)]

    @property
    def in_flight(self) -> int:
        """How many calls can be on their way at once."""
        return IN_FLIGHT * len(self._slots)

    @property
    def kind(self) -> str:
        """What machine a worker has: all have the same."""
        return "a worker with a GPU" if self._place.has_gpu else "a worker without a GPU"

    def gather(self) -> None:
        """Wait for the workers for which there is room, and at least for one; say where that is not all of them."""
        if not self._room_for:
            if not self._may_grow:
                raise RunError(self._no_room())
            self._cluster.tell(f"{self._no_room()}; waiting for more nodes")
        began = time.monotonic()
        with self._turn:
            while (present := self._present()) < max(1, self._room_for):
                waited = time.monotonic() - began
                if present and waited > _GATHERING:
                    break
                if waited > _PATIENCE:
                    raise RunError(self._no_room())
                self._turn.wait(0.05)
        if present < len(self._slots):
            self._cluster.tell(
                f"{present} of {len(self._slots)} workers have started in the cluster; continuing with those, and "
                "with the others when there is room"
            )

    def ask(self, method: str, *given: Any) -> Any:
        """The answer of a worker; where it is lost meanwhile, that of another."""
        from ray.exceptions import RayError, RayTaskError

        for _ in range(_ATTEMPTS):
            with self._free() as slot:
                try:
                    found = self._ray.get(getattr(slot.actor, method).remote(*given))
                except RayTaskError:
                    raise
                except RayError as error:
                    lost = error
                    self._replace(slot, error)
                    continue
            if isinstance(found, Refused):
                raise found.error()
            return found
        raise RunError(
            f"{_ATTEMPTS} workers were lost one after another over the same batch ({_reason(lost)}); a worker may "
            "need more memory than it has; run the same command to resume"
        )

    def close(self) -> None:
        """Let all workers go."""
        with self._turn:
            self._is_over = True
            for slot in self._slots:
                self._ray.kill(slot.actor)
            self._turn.notify_all()
            # A call that is still on its way must not outlive the connection.
            self._turn.wait_for(lambda: not any(slot.busy for slot in self._slots), timeout=_LEAVING)

    @contextmanager
    def _free(self) -> Iterator[_Slot]:
        """The worker that has the least to do, as soon as one can take a call."""
        with self._turn:
            last_seen = time.monotonic()
            while True:
                if self._is_over:
                    raise RunError("the workers of the run have been closed")
                if self._present():
                    last_seen = time.monotonic()
                elif time.monotonic() - last_seen > _PATIENCE:
                    raise RunError(self._no_room())
                able = [slot for slot in self._slots if slot.begins is None and slot.busy < IN_FLIGHT]
                if able:
                    break
                self._turn.wait(0.2)
            chosen = min(able, key=lambda slot: slot.busy)
            chosen.busy += 1
        try:
            yield chosen
        finally:
            with self._turn:
                chosen.busy -= 1
                self._turn.notify_all()

    def _present(self) -> int:
        """How many workers are there, after those that have just begun are welcomed."""
        from ray.exceptions import RayError

        for at, slot in enumerate(self._slots):
            if slot.begins is None or not self._ray.wait([slot.begins], timeout=0)[0]:
                continue
            try:
                found = self._ray.get(slot.begins)
            except RayError as error:
                self._failed += 1
                if self._failed > _ATTEMPTS:
                    raise RunError(f"the workers of the cluster do not start: {_reason(error)}") from error
                self._slots[at] = self._started()
                continue
            if found != __version__:
                raise RunError(
                    f"a worker of the cluster has tiltmeter {found}, and this is {__version__}; "
                    "install the same version on every node"
                )
            slot.begins, self._failed = None, 0
        return sum(slot.begins is None for slot in self._slots)

    def _replace(self, lost: _Slot, error: Exception) -> None:
        """Have a new worker in the place of one that is lost; once, however many of its calls say so."""
        with self._turn:
            if lost in self._slots and not self._is_over:
                self._cluster.tell(f"a worker was lost ({_reason(error)}); other workers take its batches")
                self._ray.kill(lost.actor)
                self._slots[self._slots.index(lost)] = self._started()

    def _started(self) -> _Slot:
        options = {
            "num_cpus": 1,
            "num_gpus": self._cluster.gpus_per_worker,
            # A lost worker is replaced here, so that its calls need not wait until there is room for another.
            "max_restarts": 0,
            "scheduling_strategy": "SPREAD",
        }
        actor = self._ray.remote(Worker).options(**options).remote(self._place)
        return _Slot(actor, actor.version.remote())

    def _room(self) -> tuple[list[int], int]:
        """How many workers each node could have, were it free, and how many nodes there are."""
        nodes = [node["Resources"] for node in self._ray.nodes() if node["Alive"]]
        share = self._cluster.gpus_per_worker
        cpus = [int(one.get("CPU", 0)) for one in nodes]
        gpus = [_shares(one.get("GPU", 0.0), share) if share else cpu for one, cpu in zip(nodes, cpus, strict=True)]
        return [min(pair) for pair in zip(cpus, gpus, strict=True)], max(1, len(nodes))

    def _no_room(self) -> str:
        share = self._cluster.gpus_per_worker
        needs = f"1 CPU and {share:g} GPU" if share else "1 CPU"
        total = self._ray.cluster_resources()
        return (
            f"the cluster has no room for a worker, which needs {needs} on one node; all nodes together have "
            f"{total.get('CPU', 0):g} CPU and {total.get('GPU', 0):g} GPU"
        )


def _shares(gpus: float, share: float) -> int:
    """How many workers the GPUs of a node are enough for: a share below one never spans two of them.

    >>> _shares(2, 0.5), _shares(2, 0.4), _shares(3, 2)
    (4, 4, 1)
    """
    return int(gpus) * int(1 / share + 1e-9) if share < 1 else int(gpus / share)


@contextmanager
def _connected(cluster: Cluster) -> Iterator[bool]:
    """A connection to the cluster; whether it is our own. One that the caller has already is used, and left alone."""
    address = cluster.address or os.environ.get("RAY_ADDRESS") or "local"
    is_own = address == "local"
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if is_own:
        # Whatever its name says, it keeps a cluster to this machine: nobody else is to reach ours.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
    except ModuleNotFoundError:
        raise MissingExtra("studies on a cluster", "ray", "ray") from None
    if ray.is_initialized():
        yield False
        return
    _silence()
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if is_own:
        cpus = max(cluster.workers or 1, os.cpu_count() or 1)
        ray.init(address, num_cpus=cpus, object_store_memory=_OBJECTS, include_dashboard=False, **quiet)
    else:
        try:
            _check_reachable(address)
            ray.init(address, **quiet)
        except (OSError, ValueError, RuntimeError) as error:
            raise UserError(
                f"there is no Ray cluster at {address} ({_reason(error)}); "
                "start one with `ray start --head`, or leave --ray-address out"
            ) from error
    try:
        yield is_own
    finally:
        ray.shutdown()


def _check_reachable(address: str) -> None:
    """Fail where nothing listens at HOST:PORT: Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if host and port.isdigit() and "://" not in address:
        with socket.create_connection((host, int(port)), timeout=10):
            pass


def _silence() -> None:
    """Keep Ray's messages away; what matters is said by us."""
    import ray._private.worker

    logging.getLogger("ray").setLevel(logging.ERROR)
    # What it says of lost workers goes to standard output, where our results are, and no public setting stops it.
    ray._private.worker._worker_logs_enabled = False


def _reason(error: Exception) -> str:
    """What Ray says last, which is what happened."""
    from ray.exceptions import ActorUnavailableError

    if isinstance(error, ActorUnavailableError):
        return "it can no longer be reached"
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1].split(". ")[0].rstrip(".")[:200] if lines else type(error).__name__
