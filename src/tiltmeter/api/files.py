"""Numbers and logs that others made: estimates of a table of measurements, and logs of other programs as runs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tiltmeter.api.frames import Frame
from tiltmeter.api.runs import Run
from tiltmeter.api.tables import Tabular, rows_of, write_rows
from tiltmeter.raters import Rater
from tiltmeter.results.files import logs
from tiltmeter.results.files.measurements import measured
from tiltmeter.results.measurements.columns import MEASUREMENTS


def analyze(
    data: Tabular,
    *,
    columns: Mapping[str, str] | None = None,
    where: Mapping[str, str] | None = None,
    level: float = 0.95,
) -> Frame:
    """Every estimate of a table with the columns of measurements: bias, group, origin and value, and what else it has.

    A value belongs to its group, or compares it with that of the column `against`. `columns` says what a column is
    called in the table, `where` keeps the rows that have a value.

    >>> rows = {"bias": ["age"] * 12, "origin": list("aabbccddeeff"), "group": ["old", "young"] * 6}
    >>> frame = analyze({**rows, "value": [0.3, 0.1, 0.5, 0.2, 0.4, 0.2, 0.6, 0.1, 0.2, 0.2, 0.5, 0.3]})
    >>> [round(row["value"], 3) for row in frame if row["figure"] == "difference"]
    [0.233]
    """
    with tempfile.TemporaryDirectory(prefix="tiltmeter-") as folder:
        place: str | Path = data if isinstance(data, str | Path) else Path(folder) / "rows.jsonl"
        if place is not data:
            write_rows(Path(place), rows_of(data))
        found = measured(place, columns=columns, where=where, level=level)
    return Frame.of_rows(found["cells"])


def read_log(
    path: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    model: str | None = None,
    raters: Sequence[Rater | str] | None = None,
) -> Frame:
    """A log of lm-evaluation-harness, of Inspect or of a chat model as measurements, a row for each number.

    `columns` says where the log has `bias`, `group` and `origin` if it calls them otherwise; `raters` rate what a model
    wrote, by default those of a study that names none.
    """
    return Frame.of(MEASUREMENTS, logs.read_log(path, columns, model=model, raters=raters))


def import_log(
    paths: str | Path | Sequence[str | Path],
    folder: str | Path,
    *,
    columns: Mapping[str, str] | None = None,
    model: str | None = None,
    raters: Sequence[Rater | str] | None = None,
    reference: Sequence[str] = (),
) -> Run:
    """Make a run of logs, which is compared, ranked, reported and gated as any other; nothing is asked again."""
    listed = [paths] if isinstance(paths, str | Path) else list(paths)
    query = logs.LogQuery(columns, model, raters, reference=tuple(reference))
    return Run.of(logs.import_log(listed, folder, query).run)
