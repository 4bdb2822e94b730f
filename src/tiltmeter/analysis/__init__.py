"""From scores to estimates: of a run, of a list of scored pairs, of a file that somebody else scored."""

from tiltmeter.analysis.boards import Board, boards
from tiltmeter.analysis.continuations import ContinuationsSummary, summarise_continuations
from tiltmeter.analysis.items import of_the_test
from tiltmeter.analysis.labels import Labels, read_labels
from tiltmeter.analysis.people_ratings import PeopleRatings, read_ratings, write_sheet
from tiltmeter.analysis.runs import Cell, RunSummary, correlate_runs, summarise_run, summarise_scores
from tiltmeter.analysis.scored_files import Columns, FileSummary, summarise_file
from tiltmeter.analysis.stereoset import summarise_predictions

__all__ = [
    "Board",
    "Cell",
    "Columns",
    "ContinuationsSummary",
    "FileSummary",
    "Labels",
    "PeopleRatings",
    "RunSummary",
    "boards",
    "correlate_runs",
    "of_the_test",
    "read_labels",
    "read_ratings",
    "summarise_continuations",
    "summarise_file",
    "summarise_predictions",
    "summarise_run",
    "summarise_scores",
    "write_sheet",
]
