"""From scores to estimates: of a run, of a list of scored pairs, of a file that somebody else scored."""

from tiltmeter.results.files.scored import Columns, FileSummary, summarise_file
from tiltmeter.results.scores import of_the_test
from tiltmeter.results.summary.by_rater import Board, boards
from tiltmeter.results.summary.labels import Labels, read_labels
from tiltmeter.results.summary.people_ratings import PeopleRatings, read_ratings, write_sheet
from tiltmeter.results.summary.runs import Cell, RunSummary, correlate_runs, summarise_run, summarise_scores
from tiltmeter.results.summary.stereoset import summarise_predictions
from tiltmeter.results.summary.texts import ContinuationsSummary, summarise_continuations

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
