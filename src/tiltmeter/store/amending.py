"""What servers left without an answer in a ledger, and what they said when they were asked again.

A server's bad moment is no property of its model: such items are not final, as a refusal is. What is amended leaves the
run unfinished, so that what was made of it is made again.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import NO_ANSWER, Completion, NextWords, Query, Rating, TokenScores
from tiltmeter.store.continuations import KeptText, Place, tilt_cells
from tiltmeter.store.damage import fitting
from tiltmeter.store.next_words import packed_words
from tiltmeter.store.opening import LEDGER, writing
from tiltmeter.store.scored import answer_cells, question_cells

_LACKS = "instr({}, '" + NO_ANSWER + "') > 0"
_UNRATED = f"rater = (select number from raters where rater = ?) and {_LACKS.format('unrated')}"


def is_passing(reason: str | None) -> bool:
    """Whether a reason is that of a server which said nothing, and may do so another time."""
    return reason is not None and NO_ANSWER in reason


class Amendments:
    """The part of an open ledger that is asked for again."""

    def __init__(self, database: sqlite3.Connection, folder: Path) -> None:
        self._database, self._folder = database, folder

    def missing(self) -> Counter[str]:
        """How many answers are missing because of a server, by the reason."""
        found: Counter[str] = Counter()
        with fitting(self._folder / LEDGER):
            known = {name for (name,) in self._database.execute("select name from sqlite_master")}
            places = {"answers": ("unscored", ""), "completions": ("unwritten", ""), "tilts": ("unrated", "")}
            places["ratings"] = (
                "unrated",
                "and completion in (select number from completions where unwritten is null)",
            )
            for table, (column, more) in places.items():
                if table in known:
                    query = f"select {column}, count(*) from {table} where {_LACKS.format(column)} {more} group by 1"
                    found.update(dict(self._database.execute(query)))
            if "expected" in known:
                for (words,) in self._database.execute(f"select words from expected where {_LACKS.format('words')}"):
                    found.update({reason for _, _, reason, *_ in json.loads(words) if is_passing(reason)})
        return found

    def questions(self, model: str) -> list[Query]:
        """The questions of scorers that a model was asked, and its server did not answer."""
        query = f"select conditioning, text, spans from answers where model = ? and {_LACKS.format('unscored')}"
        rows = self._database.execute(query, (model,))
        return [
            Query(text, conditioning, tuple((start, end) for start, end in json.loads(spans)))
            for conditioning, text, spans in rows
        ]

    def answered(self, model: str, answers: Mapping[Query, TokenScores]) -> None:
        """Write what was answered."""
        with self._amended(answers) as database:
            database.executemany(
                "update answers set tokens = ?, unscored = ? "
                "where model = ? and conditioning = ? and text = ? and spans = ?",
                ((*answer_cells(one), model, *question_cells(query)) for query, one in answers.items()),
            )

    def texts(self, model: str) -> set[Place]:
        """The texts of a model that its server did not write."""
        query = f"select decoding, prompt, sample from completions where model = ? and {_LACKS.format('unwritten')}"
        return set(self._database.execute(query, (model,)))

    def written(self, model: str, texts: Mapping[Place, Completion], batch: int) -> None:
        """Write texts in their places; batches of ratings, of so many texts, that they are in are to be done again."""
        place = "model = ? and decoding = ? and prompt = ? and sample = ?"
        with self._amended(texts) as database:
            for at, one in texts.items():
                cells = (one.text, one.tokens, one.ended, one.unwritten)
                database.execute(
                    f"update completions set text = ?, tokens = ?, ended = ?, unwritten = ? where {place}",
                    (*cells, model, *at),
                )
                [(number,)] = database.execute(f"select number from completions where {place}", (model, *at))
                database.execute("delete from ratings where completion = ?", (number,))
                database.execute("delete from steps where stage = 'rating' and batch = ?", ((number - 1) // batch,))
            if texts:
                database.execute("update meta set value = 'false' where key = 'all_rated'")

    def expectations(self, model: str, *, bounded: bool) -> list[int]:
        """The questions about next words of which the server left something without an answer."""
        query = f"select question from expected where model = ? and bounded = ? and {_LACKS.format('words')}"
        return [number for (number,) in self._database.execute(query, (model, int(bounded)))]

    def expected(self, model: str, bounded: bool, answers: Mapping[int, NextWords]) -> None:
        """Write what was answered."""
        with self._amended(answers) as database:
            database.executemany(
                "update expected set words = ?, highest = ?, gap = ? where model = ? and bounded = ? and question = ?",
                (
                    (packed_words(found), found.highest, found.gap, model, int(bounded), number)
                    for number, found in answers.items()
                ),
            )

    def ratings(self, rater: str) -> list[KeptText]:
        """The texts that a rater was to read, and its server did not rate."""
        query = (
            "select number, prompt, text, unwritten from completions where unwritten is null and number in "
            f"(select completion from ratings where {_UNRATED}) order by number"
        )
        return [KeptText(*row) for row in self._database.execute(query, (rater,))]

    def rated(self, ratings: Sequence[tuple[int, Rating]]) -> None:
        """Write ratings, each with the number of its text."""
        with self._amended(ratings) as database:
            database.executemany(
                "update ratings set value = ?, label = ?, unrated = ? "
                "where completion = ? and rater = (select number from raters where rater = ?)",
                ((one.value, one.label, one.unrated, number, one.rater) for number, one in ratings),
            )

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
