"""Run folders: an SQLite ledger of every item, score and text, from which all result tables are made.

The ledger is in WAL mode, so that another process can read while a run writes. A batch of answers and the mark that it
is done are one transaction: killed at any moment, nothing that was marked is lost and nothing is written twice.
"""

from tiltmeter.store.continuations import ContinuationLedger, Step
from tiltmeter.store.exporting import completion_columns, completion_rows
from tiltmeter.store.folders import read_meta, read_run, read_written
from tiltmeter.store.ledger import Ledger
from tiltmeter.store.opening import LEDGER, locked, versions
from tiltmeter.store.reading import Continuations, UsedRater
from tiltmeter.store.records import Probes, Run

__all__ = [
    "LEDGER",
    "ContinuationLedger",
    "Continuations",
    "Ledger",
    "Probes",
    "Run",
    "Step",
    "UsedRater",
    "completion_columns",
    "completion_rows",
    "locked",
    "read_meta",
    "read_run",
    "read_written",
    "versions",
]
