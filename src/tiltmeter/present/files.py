"""What a report leaves in the folder of its run: tables, measurements, figures, findings and the page."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tiltmeter.files import refuse_links_in, whole_file
from tiltmeter.present import drawing, html
from tiltmeter.present.blocks import Chart, Document
from tiltmeter.present.kept import FINDINGS, findings_of, keep_findings
from tiltmeter.present.report import report
from tiltmeter.present.reported import Reported
from tiltmeter.processes import uncollected
from tiltmeter.results import RunSummary
from tiltmeter.results.cells import table_of, write_measurements
from tiltmeter.results.measurements import MADE
from tiltmeter.results.tables import write_tables
from tiltmeter.store import Run
from tiltmeter.store.run_folder import ledger_hash, record_made_files

REPORT = "report.html"
"""The name of the report in a run folder."""


@uncollected()
def write_run(run: Run, summary: RunSummary, found: Reported | None = None) -> Path:
    """Put tables, figures, findings and report into the run's own folder; the path of the report."""
    refuse_links_in(run.folder, "tables", "figures", "summary.json", FINDINGS, REPORT, *MADE)
    known = found or Reported.of([(run, summary)])
    page = report(known)
    with ThreadPoolExecutor(1, "tiltmeter-drawing") as pool:
        # Charts are drawn outside Python, and meanwhile the tables are written.
        sizes = [(chart.spec, width) for chart in page.charts().values() for width in (drawing.WIDE, drawing.NARROW)]
        drawn = [pool.submit(drawing.svg, *size) for size in sizes]
        written = [*write_tables(run, summary, run.folder), *write_measurements(run, run.folder)]
        for one in drawn:
            one.result()
    written.append(keep_findings(findings_of(known, page), run.folder))
    out = run.folder / REPORT
    write_page(page, out, figures=run.folder / "figures")
    # What another process has added meanwhile is not in what was made.
    if table_of(run).ledger == ledger_hash(run.folder):
        record_made_files(run.folder, [*written, out])
    return out


def write_page(page: Document, out: Path, *, figures: Path | None) -> None:
    """Write a page as HTML; `figures` is a folder for its charts as files."""
    text = html.page(page)
    if figures is not None:
        write_figures(page.charts(), figures)
    with whole_file(out) as file:
        file.write(text)


def write_figures(charts: Mapping[str, Chart], folder: Path) -> None:
    """Write each chart under its name as SVG."""
    for name, chart in charts.items():
        with whole_file(folder / f"{name}.svg") as file:
            file.write(drawing.svg(chart.spec, html.WIDE))
