"""From scores to estimates: of a run, of a list of scored pairs, of a file that somebody else scored."""

from tiltmeter.analysis.runs import Cell, RunSummary, summarise_run, summarise_scores
from tiltmeter.analysis.scored_files import Columns, FileSummary, summarise_file
from tiltmeter.analysis.stereoset import summarise_predictions

__all__ = [
    "Cell",
    "Columns",
    "FileSummary",
    "RunSummary",
    "summarise_file",
    "summarise_predictions",
    "summarise_run",
    "summarise_scores",
]
