"""Every number of a run in one table, whichever view it is of: `measurements`, beside `items` and `texts`.

A value either belongs to one group (a rating: groups are then compared), or compares two already (`against` is set: a
preference, a log ratio: it is then compared with its neutral value).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tiltmeter.parquet import Rows
from tiltmeter.results.measurements import continuations
from tiltmeter.results.measurements.columns import ITEMS, MEASUREMENTS, TEXTS
from tiltmeter.results.scores import benchmarks_of, is_benchmark
from tiltmeter.results.views import RESULTS, results_of
from tiltmeter.store import Run
from tiltmeter.views import VIEWS

VERSION = {"tiltmeter": "measurements.v6"}
"""What the files say of themselves: other rows or columns are another version."""


def measurements(run: Run) -> Rows:
    """Every measurement of a run, view by view."""
    return (row for view in VIEWS for row in marked(run, view, results_of(view).measured(run)))


def item_rows(run: Run) -> Rows:
    """Every item that was asked about."""
    for view in RESULTS:
        yield from ({"number": at, **row} for at, row in enumerate(marked(run, view, results_of(view).items(run))))


def marked(run: Run, view: str, rows: Rows) -> Rows:
    """Rows of a view, and whether their bias checks the instrument."""
    benchmarks = benchmarks_of(run)
    known: dict[object, int] = {}
    for row in rows:
        bias = row["bias"]
        if bias not in known:
            known[bias] = int(is_benchmark(str(bias), benchmarks))
        yield {"view": view, **row, "benchmark": known[bias]}


MADE: Mapping[str, tuple[Mapping[str, type], Callable[[Run], Rows]]] = {
    "items.parquet": (ITEMS, item_rows),
    "texts.parquet": (TEXTS, continuations.texts),
    "measurements.parquet": (MEASUREMENTS, measurements),
}
"""The tables of a run: their files, their columns, and what makes their rows."""
