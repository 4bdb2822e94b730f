"""Tables of a run as files."""

from tiltmeter.report.tables import export_items, scored_cells, write_parquet, write_tables

__all__ = ["export_items", "scored_cells", "write_parquet", "write_tables"]
