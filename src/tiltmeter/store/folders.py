"""Reading a run folder, without any model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiltmeter.errors import RunError
from tiltmeter.records import AttributeSet, Group, Spec
from tiltmeter.sources.generated.settings import UnitResult
from tiltmeter.store.damage import fitting
from tiltmeter.store.ledger import Ledger
from tiltmeter.store.opening import LEDGER
from tiltmeter.store.reading import check_whole
from tiltmeter.store.records import Run
from tiltmeter.store.rows import HELD


class NotBegun(RunError):
    """A ledger that nothing was written into yet."""


def read_run(folder: str | Path, *, held: int = HELD) -> Run:
    """Read a run folder, also while another process writes it.

    Items that are more than `held` are not held in memory, but read when they are asked for.
    """
    with _reading(folder) as ledger:
        check_whole(ledger.folder / LEDGER)
        return ledger.run(held)


def read_written(folder: str | Path) -> dict[str, list[UnitResult]]:
    """What the generators of a run wrote for its test, by the label of the source; replacements are left out."""
    with _reading(folder) as ledger:
        check_whole(ledger.folder / LEDGER)
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
        raise RunError(f"{path}: is not a run folder (it has no {LEDGER}); `tiltmeter run` makes one")
    with fitting(path / LEDGER), Ledger(path, read_only=True) as ledger:
        if not ledger.has_plan():
            raise NotBegun(f"{path}: the run has not begun; start it with `tiltmeter run`")
        yield ledger
