"""The report of a run: tables, figures and one HTML page. Computes nothing that the API cannot."""

from tiltmeter.report.page import REPORT, write_report, write_run
from tiltmeter.report.tables import export_items, scored_cells, write_parquet, write_tables

__all__ = ["REPORT", "export_items", "scored_cells", "write_parquet", "write_report", "write_run", "write_tables"]
