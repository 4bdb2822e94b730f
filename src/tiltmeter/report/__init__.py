"""The report of a run: tables, figures, one HTML page, and the same as PDF, Markdown, LaTeX or a bias card.

Computes nothing that the API cannot.
"""

from tiltmeter.report.card import Card, make_cards
from tiltmeter.report.formats import FORMATS, write_formats
from tiltmeter.report.page import REPORT, Page, make_page, write_page, write_report, write_run
from tiltmeter.report.tables import export_items, scored_cells, write_parquet, write_tables

__all__ = [
    "FORMATS",
    "REPORT",
    "Card",
    "Page",
    "export_items",
    "make_cards",
    "make_page",
    "scored_cells",
    "write_formats",
    "write_page",
    "write_parquet",
    "write_report",
    "write_run",
    "write_tables",
]
