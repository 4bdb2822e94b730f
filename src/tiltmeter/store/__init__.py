"""Run folders: an SQLite ledger of every item, score and text, from which all result tables are made.

The ledger is in WAL mode, so that another process can read while a run writes. A batch of answers and the mark that it
is done are one transaction: killed at any moment, nothing that was marked is lost and nothing is written twice.
"""

from tiltmeter.store.amending import Amendments
from tiltmeter.store.annotations import ANNOTATIONS, Annotations
from tiltmeter.store.cache import Cache, CacheError, CacheInfo, size_from
from tiltmeter.store.continuations import (
    ContinuationLedger,
    Continuations,
    UsedRater,
    WrittenText,
)
from tiltmeter.store.database import ANSWERS, LEDGER, changed_versions, holder_of, is_held, locked, versions
from tiltmeter.store.ledger import Ledger, NewItems, Run
from tiltmeter.store.next_words import (
    Answered,
    AskedPrompt,
    Expectations,
    Question,
    last_word,
    likeliest,
    questions_of,
    unasked,
)
from tiltmeter.store.progress import PROGRESS, ProgressFile, RunProgress, Stage, process_of, read_progress
from tiltmeter.store.replies import GivenAnswers
from tiltmeter.store.run_folder import (
    NotBegun,
    RunState,
    read_meta,
    read_run,
    read_written,
    recover,
    set_aside,
    spec_of,
    state_of,
)

__all__ = [
    "ANNOTATIONS",
    "ANSWERS",
    "LEDGER",
    "PROGRESS",
    "Amendments",
    "Annotations",
    "Answered",
    "AskedPrompt",
    "Cache",
    "CacheError",
    "CacheInfo",
    "ContinuationLedger",
    "Continuations",
    "Expectations",
    "GivenAnswers",
    "Ledger",
    "NewItems",
    "NotBegun",
    "ProgressFile",
    "Question",
    "Run",
    "RunProgress",
    "RunState",
    "Stage",
    "UsedRater",
    "WrittenText",
    "changed_versions",
    "holder_of",
    "is_held",
    "last_word",
    "likeliest",
    "locked",
    "process_of",
    "questions_of",
    "read_meta",
    "read_progress",
    "read_run",
    "read_written",
    "recover",
    "set_aside",
    "size_from",
    "spec_of",
    "state_of",
    "unasked",
    "versions",
]
