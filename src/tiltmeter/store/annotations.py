"""What people say of the texts of a run: a log of marks beside its ledger, to which lines are only ever added.

The last mark of an annotator on a text counts; taking one back adds a line that says so. The ledger is never touched,
and several annotators may write at the same time.
"""

from __future__ import annotations

import json
import sqlite3
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import RunError, UserError
from tiltmeter.store.database import connect, connect_to_read, writing
from tiltmeter.store.rows import check_unchanged
from tiltmeter.store.validation import create

ANNOTATIONS = "annotations.sqlite"
_LONGEST_NAME = 80
_SCHEMA = """
create table if not exists items (id text primary key, view text not null, number integer not null, text text not null,
                                  term text not null, attribute text not null);
create table if not exists scales (kind text primary key, low real not null, high real not null, steps text not null);
create table if not exists queues (number integer primary key, made text not null, task text not null,
                                   about text not null, aware integer not null, items text not null);
create table if not exists marks (number integer primary key, made text not null, annotator text not null,
                                  task text not null, item text not null, value text, skipped integer not null,
                                  aware integer not null, undoes integer);
create index if not exists marks_of on marks (task, annotator, item)
"""
_STANDING = """
select annotator, item, value, skipped, aware, number from marks
where task = ? and undoes is null and number not in (select undoes from marks where undoes is not null)
order by number
"""

AnnotatedView = Literal["continuations", "pairs"]


@dataclass(frozen=True, slots=True)
class Item:
    """A text to be judged: its id on sheets, where it is in the ledger, and what a sheet says of it."""

    id: str
    view: AnnotatedView
    number: int
    text: str
    term: str = ""
    attribute: str = ""


@dataclass(frozen=True, slots=True)
class Scale:
    """How a kind of rating is given in a run: numbers from `low` to `high`, or only those of `steps`."""

    kind: str
    low: float
    high: float
    steps: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()
    """What each step means; empty, or one for each."""
    instructions: str = ""

    @property
    def numbers(self) -> tuple[float, float, tuple[float, ...]]:
        """What can be given, whatever it is called."""
        return self.low, self.high, self.steps

    def checked(self, value: float) -> float:
        """The value, where it is one of the scale."""
        if self.steps and value not in self.steps:
            raise UserError(f"{value:g} is not on the scale; {self.kind} is one of {listed(self.steps)}")
        if not self.low <= value <= self.high:
            raise UserError(f"{value:g} is not on the scale; {self.kind} goes from {self.low:g} to {self.high:g}")
        return value


@dataclass(frozen=True, slots=True)
class Mark:
    """What an annotator last said of a text: issues with blanks between them, or a number; None: it was skipped."""

    value: str | None
    aware: bool
    """Whether others' marks were in sight."""

    @property
    def issues(self) -> frozenset[str]:
        """The issues; none of them: the sentence is clean.

        >>> sorted(Mark("I1 I4", False).issues), sorted(Mark("", False).issues)
        (['I1', 'I4'], [])
        """
        return frozenset((self.value or "").split())

    @property
    def number(self) -> float:
        """The rating."""
        return float(self.value or "nan")


@dataclass(frozen=True, slots=True)
class Queue:
    """Texts in the order in which they are to be judged: the ids of the items, each with its place in the ledger."""

    number: int
    made: str
    task: str
    about: str
    """In words, which texts they are."""
    aware: bool
    """Whether it shows what others marked."""
    items: tuple[tuple[str, AnnotatedView, int], ...]


Marks = Mapping[str, Mapping[str, Mark]]
"""By annotator, then by the id of the item."""


def annotator_name(given: str) -> str:
    """The name of an annotator, where it can be one.

    >>> annotator_name("  Ann ")
    'Ann'
    """
    # One name can be typed in two ways that look the same.
    name = " ".join(unicodedata.normalize("NFC", given).split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise UserError(f"give your name, in at most {_LONGEST_NAME} characters: marks are stored by annotator")
    return name


def listed(numbers: Sequence[float]) -> str:
    """Numbers with commas between them.

    >>> listed([-1.0, 0.0, 0.5])
    '−1, 0, 0.5'
    """
    return ", ".join(f"{number:g}".replace("-", "−") for number in numbers)


class Annotations:
    """The annotations of a run folder; there need not be any."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.path = self.folder / ANNOTATIONS

    def mark(self, annotator: str, task: str, items: Sequence[tuple[Item, str | None]], *, aware: bool = False) -> None:
        """Add what an annotator says of some texts, all of it or nothing; None: the text is skipped."""
        name, now = annotator_name(annotator), _now()
        with self._writing() as database:
            for item, value in items:
                database.execute(
                    "insert into items values (?, ?, ?, ?, ?, ?) on conflict (id) do nothing",
                    tuple(asdict(item).values()),
                )
                database.execute(
                    "insert into marks (made, annotator, task, item, value, skipped, aware) "
                    "values (?, ?, ?, ?, ?, ?, ?)",
                    (now, name, task, item.id, value, int(value is None), int(aware)),
                )

    def undo(self, annotator: str, task: str) -> str | None:
        """Take back the last thing that an annotator did, and name its item; None where there is nothing left."""
        name = annotator_name(annotator)
        with self._writing() as database:
            last = None
            for found, item, _, _, _, number in database.execute(_STANDING, (task,)):
                if found == name:
                    last = number, item
            if last is None:
                return None
            database.execute(
                "insert into marks (made, annotator, task, item, skipped, aware, undoes) values (?, ?, ?, ?, 0, 0, ?)",
                (_now(), name, task, last[1], last[0]),
            )
            return str(last[1])

    def marks(self, task: str, *, blind: bool = False) -> Marks:
        """The marks that count; `blind`: the last that each made before others' marks were in sight.

        Skipped texts are not there.
        """
        found: dict[str, dict[str, Mark]] = {}
        seen: set[tuple[str, str]] = set()
        for annotator, item, value, skipped, aware, _ in self._rows(_STANDING, task):
            own = found.setdefault(annotator, {})
            if aware:
                seen.add((annotator, item))
            # Who has seen what others say of a text cannot judge it blind any more.
            if blind and (annotator, item) in seen:
                continue
            if skipped:
                own.pop(item, None)
            else:
                own[item] = Mark(value, bool(aware))
        return {annotator: own for annotator, own in sorted(found.items()) if own}

    def own(self, annotator: str, task: str) -> dict[str, Mark]:
        """What an annotator marked or skipped, by item."""
        rows = self._rows(_STANDING, task)
        return {
            item: Mark(None if skipped else value, bool(aware))
            for name, item, value, skipped, aware, _ in rows
            if name == annotator
        }

    def tasks(self) -> list[str]:
        """What is annotated in this run: `issues`, or `rating:KIND`."""
        return [task for (task,) in self._rows("select task from marks group by task order by min(number)")]

    def items(self, ids: Sequence[str]) -> dict[str, Item]:
        """The items of these ids, in their order."""
        chosen = json.dumps(list(ids))
        rows = self._rows("select * from items where id in (select value from json_each(?))", chosen)
        found = {row[0]: Item(*row) for row in rows}
        return {id_: found[id_] for id_ in ids if id_ in found}

    def scales(self) -> dict[str, Scale]:
        """How each kind is rated in this run, by its name."""
        rows = self._rows("select kind, low, high, steps from scales order by rowid")
        return {kind: Scale(kind, low, high, **_steps(json.loads(steps))) for kind, low, high, steps in rows}

    def keep_scale(self, scale: Scale) -> None:
        """Note how a kind is rated; refuses a second scale for it, since the two could not be held together."""
        before = self.scales().get(scale.kind)
        if before is not None and before.numbers == scale.numbers:
            return
        if before is not None:
            which = listed(before.steps) if before.steps else f"{before.low:g} to {before.high:g}"
            raise UserError(f"`{scale.kind}` is rated as {which} in this run; use that scale, or another name")
        with self._writing() as database:
            steps = {"steps": scale.steps, "labels": scale.labels, "instructions": scale.instructions}
            row = (scale.kind, scale.low, scale.high, json.dumps(steps))
            database.execute("insert into scales values (?, ?, ?, ?)", row)

    def add_queue(self, task: str, about: str, items: Sequence[Item], *, aware: bool = False) -> int:
        """Keep a list of texts to be judged, so that several annotators judge the same; its number."""
        places = json.dumps([(item.id, item.view, item.number) for item in items])
        with self._writing() as database:
            cursor = database.execute(
                "insert into queues (made, task, about, aware, items) values (?, ?, ?, ?, ?)",
                (_now(), task, about, int(aware), places),
            )
            return int(cursor.lastrowid or 0)

    def queues(self) -> list[Queue]:
        """The lists of texts, the newest first."""
        rows = self._rows("select number, made, task, about, aware, items from queues order by number desc")
        return [
            Queue(number, made, task, about, bool(aware), tuple(tuple(item) for item in json.loads(items)))
            for number, made, task, about, aware, items in rows
        ]

    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        if not self.path.is_file():
            return []
        check_unchanged(self.path)
        try:
            with closing(connect_to_read(self.path)) as database:
                rows = database.execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise self._damaged(error) from error
        if any(isinstance(cell, bytes) for row in rows for cell in row):
            raise self._damaged("it holds bytes instead of text")
        return rows

    def _damaged(self, problem: object) -> RunError:
        said = " ".join(str(problem).split())
        return RunError(f"{self.path}: is damaged, or is not a tiltmeter file of annotations ({said:.160})")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(connect(self.path)) as database, writing(database, self.folder):
            create(database, _SCHEMA)
            yield database


def _steps(stored: Any) -> dict[str, Any]:
    """The steps of a scale; files of earlier versions have a list of them and nothing else."""
    found = stored if isinstance(stored, dict) else {"steps": stored}
    lists = {name: tuple(found.get(name, ())) for name in ("steps", "labels")}
    return {**lists, "instructions": found.get("instructions", "")}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
