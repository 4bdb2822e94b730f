"""Logs of other programs as runs: what they hold is measured as it is, and nothing is asked again."""

from tiltmeter.results.files.logs.importing import Imported, LogQuery, import_log, measured_log, read_log
from tiltmeter.results.files.logs.placing import rater_in_log

__all__ = ["Imported", "LogQuery", "import_log", "measured_log", "rater_in_log", "read_log"]
