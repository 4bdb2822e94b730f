"""What servers left without an answer in a ledger, and what they said when they were asked again.

A server's bad moment is no property of its model: such items are not final, as a refusal is. What is amended leaves the
run unfinished, so that what was made of it is made again.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tiltmeter.answers import Answer, Answers, Question, Whose, is_transient
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import NO_ANSWER, Completion
from tiltmeter.store.continuations import WRITTEN, Place, tilt_cells
from tiltmeter.store.database import LEDGER, writing
from tiltmeter.store.validation import valid_ledger

_UNRATED = f"rater = (select number from raters where rater = ?) and instr(unrated, '{NO_ANSWER}') > 0"


class Amendments:
    """The part of an open ledger that is asked for again."""

    def __init__(self, database: sqlite3.Connection, folder: Path, kept: Sequence[Answers[Any, Any]]) -> None:
        self._database, self._folder, self._kept = database, folder, kept

    def missing(self) -> Counter[str]:
        """How many answers are missing because of a server, by the reason."""
        found: Counter[str] = Counter()
        with valid_ledger(self._folder / LEDGER):
            known = {name for (name,) in self._database.execute("select name from sqlite_master")}
            for answers in self._kept:
                if answers.kind.table in known:
                    found.update(answers.missing())
            if "tilts" in known:
                query = f"select unrated, count(*) from tilts where instr(unrated, '{NO_ANSWER}') > 0 group by 1"
                found.update(dict(self._database.execute(query)))
        return found

    def amend(self, kept: Answers[Question, Answer], whose: Whose, answers: Mapping[Question, Answer]) -> int:
        """Write what was answered this time, and say how much that is."""
        found = {question: one for question, one in answers.items() if not is_transient(one)}
        with self._amended(found):
            kept.put(whose, found.items(), again=True)
        return len(found)

    def amend_texts(self, model: str, texts: Mapping[Place, Completion], batch: int) -> None:
        """Write texts in their places; batches of ratings, of so many texts, that they are in are to be done again."""
        place = "model = ? and decoding = ? and prompt = ? and sample = ?"
        with self._amended(texts) as database:
            Answers(WRITTEN, database).put((model,), texts.items(), again=True)
            for at in texts:
                [(number,)] = database.execute(f"select number from completions where {place}", (model, *at))
                database.execute("delete from ratings where completion = ?", (number,))
                database.execute("delete from steps where stage = 'rating' and batch = ?", ((number - 1) // batch,))
            if texts:
                database.execute("update meta set value = 'false' where key = 'all_rated'")

    def tilts(self, rater: str) -> int:
        """How many sentences of a rater's own tilt its server did not rate."""
        return int(self._database.execute(f"select count(*) from tilts where {_UNRATED}", (rater,)).fetchone()[0])

    def tilted(self, rater: str, items: Sequence[tuple[str, TiltItem]]) -> None:
        """Write the tilt of a rater in the place of the one before."""
        with self._amended(items) as database:
            [(number,)] = database.execute("select number from raters where rater = ?", (rater,))
            database.execute("delete from tilts where rater = ?", (number,))
            cells = ((number, bias, *tilt_cells(one)) for bias, one in items)
            database.executemany("insert into tilts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", cells)

    @contextmanager
    def _amended(self, found: Sized) -> Iterator[sqlite3.Connection]:
        """A writing after which the run is not finished any more, if anything was found."""
        with writing(self._database, self._folder) as database:
            yield database
            if found:
                database.execute("delete from meta where key in ('finished', 'reported')")
