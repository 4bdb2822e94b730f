"""What models replied to queries in their own words, as a ledger has it; and answers to queries of a finished run."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from tiltmeter.answers import Answers, Kind
from tiltmeter.models.asking import REPLIES
from tiltmeter.records import Completion, Query, TokenScores
from tiltmeter.store.continuations import WRITTEN
from tiltmeter.store.database import LEDGER, connect_to_read
from tiltmeter.store.pairs import SCORED
from tiltmeter.store.validation import valid_ledger

SCHEMA = """
create table if not exists replies (model text, conditioning text, text text, spans text, reply text, tokens integer,
                                    ended text, unwritten text,
                                    primary key (model, conditioning, text, spans)) without rowid
"""


REPLIED: Kind[Query, Completion] = Kind(
    "replies",
    SCORED.whose,
    SCORED.asked,
    ("reply", *WRITTEN.said[1:]),
    WRITTEN.reason,
    WRITTEN.cells,
    WRITTEN.answer_of,
    SCORED.question_cells,
    SCORED.question_of,
)
"""Questions as those that are scored, answers as texts that are written."""


class GivenAnswers:
    """The answers to queries in the ledger of a run folder, whichever verb they were asked by."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LEDGER

    def known(self, model: str, queries: Iterable[Query]) -> dict[Query, TokenScores | Completion]:
        """Those of the queries that a model has answered."""
        found: dict[Query, TokenScores | Completion] = {}
        asked = list(dict.fromkeys(queries))
        with valid_ledger(self._path), closing(connect_to_read(self._path)) as database:
            there = {name for (name,) in database.execute("select name from sqlite_master")}
            for kind, in_words in ((SCORED, False), (REPLIED, True)):
                own = [query for query in asked if (query.conditioning in REPLIES) == in_words]
                if own and kind.table in there:
                    found.update(Answers(kind, database).known((model,), own))  # type: ignore[misc]
        return found
