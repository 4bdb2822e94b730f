"""From scores to estimates: of a run, of a list of scored pairs, of a file that somebody else scored."""

from tiltmeter.analysis.items import of_the_test
from tiltmeter.analysis.labels import Labels, read_labels
from tiltmeter.analysis.runs import Cell, RunSummary, correlate_runs, summarise_run, summarise_scores
from tiltmeter.analysis.scored_files import Columns, FileSummary, summarise_file
from tiltmeter.analysis.stereoset import summarise_predictions

__all__ = [
    "Cell",
    "Columns",
    "FileSummary",
    "Labels",
    "RunSummary",
    "correlate_runs",
    "of_the_test",
    "read_labels",
    "summarise_file",
    "summarise_predictions",
    "summarise_run",
    "summarise_scores",
]
