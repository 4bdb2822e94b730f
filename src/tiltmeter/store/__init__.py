"""Run folders: an SQLite ledger of every item, score and text, from which all result tables are made.

The ledger is in WAL mode, so that another process can read while a run writes. A batch of answers and the mark that it
is done are one transaction: killed at any moment, nothing that was marked is lost and nothing is written twice.
"""

from tiltmeter.store.answers import Answered, last_word, likeliest, unasked
from tiltmeter.store.continuations import ContinuationLedger
from tiltmeter.store.exporting import completion_columns, completion_rows
from tiltmeter.store.folders import read_meta, read_run, read_written, spec_of
from tiltmeter.store.ledger import Ledger
from tiltmeter.store.next_words import AskedPrompt, Expectations, Question, questions_of
from tiltmeter.store.opening import LEDGER, locked, versions
from tiltmeter.store.reading import Continuations, UsedRater
from tiltmeter.store.records import Probes, Run
from tiltmeter.store.steps import Step

__all__ = [
    "LEDGER",
    "Answered",
    "AskedPrompt",
    "ContinuationLedger",
    "Continuations",
    "Expectations",
    "Ledger",
    "Probes",
    "Question",
    "Run",
    "Step",
    "UsedRater",
    "completion_columns",
    "completion_rows",
    "last_word",
    "likeliest",
    "locked",
    "questions_of",
    "read_meta",
    "read_run",
    "read_written",
    "spec_of",
    "unasked",
    "versions",
]
