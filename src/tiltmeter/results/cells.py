"""The cells of a run: its measurements, by what they are of and how they were made.

What comes after the numbers reads these, whichever view they are of.
"""

from __future__ import annotations

import json
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from tiltmeter.parquet import Rows, attach, database, fill, quoted, save, stored_note
from tiltmeter.records import ASKING, Decoding
from tiltmeter.results.measurements import MADE, VERSION
from tiltmeter.results.measurements.columns import (
    CHOSEN,
    DECODING,
    GIVEN,
    HUMAN,
    MEASUREMENTS,
    RATING,
    SCALE,
    STAND_INS,
)
from tiltmeter.results.scores import is_published
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.stats.estimate import Scale
from tiltmeter.stats.scales import Bounds
from tiltmeter.store import Run
from tiltmeter.store.run_folder import is_current, ledger_hash
from tiltmeter.views import FACTS, View

_KEY = ("model", "view", "source", "bias", *CHOSEN)
"""What tells cells apart."""
_ASKED = ("wording", "order", "condition")
_NAMES = ("model", "source", "bias", "measure", "scorer", "rater", "scope", "words", "combine", *_ASKED)
_ORDER = (
    *("model", "view", "source", "bias", "scorer", "decoding", "rater", "words", "bounded", "combine"),
    *(*_ASKED, "measure"),
)
_OF_ITEMS = ("attribute", "kind", "role", "written_for")
"""What measurements have from their items."""
ORDERED: Mapping[str, type] = {"number": int, "place": int, **MEASUREMENTS, **dict.fromkeys(_OF_ITEMS, str)}
"""Measurements by cell, in the order of the study."""
_DECODING_WORDS = {"max_new_tokens": "new tokens", "form": "asked as", "system": "system prompt"}
"""What a setting of a decoding is called where it is not called by its name."""
_BLANK = {"form": "as named", "request": "ours", "system": "the template's own"}
"""How a prompt is put where the study does not say."""


TEST = f"(role IS NULL OR role NOT IN {STAND_INS})"
"""Items that do not only stand in for flagged sentences, in SQL."""
_BY_PEOPLE = f"rater LIKE '{HUMAN}:%'"
_MAY_LACK = ("stop", *ASKING)
"""Settings that most texts have none of, which is no value that SQL joins by."""
_OF_TEXTS = ", ".join(name for name in ("model", "item", "sample", *DECODING) if name not in _MAY_LACK)
_RATED = f"""
SELECT texts.number, rater, place, value, ordered.reason, label, measure
FROM ordered JOIN texts USING ({_OF_TEXTS})
WHERE view = 'continuations' AND measure IN ('{RATING}', '{GIVEN}')
{"".join(f" AND ordered.{name} IS NOT DISTINCT FROM texts.{name}" for name in _MAY_LACK)}
"""
_RATINGS = f"""
CREATE TABLE ratings AS WITH rated AS MATERIALIZED ({_RATED}), given AS (SELECT * FROM rated WHERE measure = '{GIVEN}')
SELECT * EXCLUDE measure FROM
(SELECT * FROM rated ANTI JOIN given USING (number, rater) UNION ALL SELECT * FROM given) ORDER BY number, place
"""
_AT_ONCE = 5_000
_USUAL, _UNKNOWN = Decoding(), Scale()


class Measurement(NamedTuple):
    """One number of a cell, or none and the reason."""

    item: str
    origin: str
    group: str
    against: str | None = None
    attribute: str | None = None
    """The same as the origin, where the item has one."""
    attribute_set: str | None = None
    template: str | None = None
    term: str | None = None
    structure: str | None = None
    kind: str | None = None
    """Of the structure."""
    role: str | None = None
    """What the item is there for, where it is not the test itself."""
    written_for: str | None = None
    set: int | None = None
    sample: int | None = None
    perturbation: str | None = None
    value: float | None = None
    reason: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Combination:
    """What was measured, and one combination of the choices that were open."""

    view: View
    source: str
    measure: str
    model: str = ""
    bias: str = ""
    scorer: str = ""
    rater: str = ""
    scope: str = ""
    decoding: Decoding = _USUAL
    words: str = ""
    bounded: bool = False
    combine: str = ""
    wording: str = ""
    order: str = ""
    """Of options."""
    condition: str = ""
    """Of a context: whether it says what the answer is."""
    scale: Scale = _UNKNOWN
    worse: int = 0
    """1 where a higher value is worse for the group, −1 where a lower one is, 0 where neither can be said."""
    benchmark: bool = False
    compares: bool = False
    """Whether a value compares two groups already; otherwise it belongs to one, and groups are compared."""

    @property
    def place(self) -> tuple[object, ...]:
        """What tells it from every other."""
        return tuple(getattr(self, name) for name in (*_ORDER, "scope"))

    @property
    def bounds(self) -> Bounds | None:
        """The ends of the scale, where it has both."""
        low, high = self.scale.low, self.scale.high
        return None if low is None or high is None else (low, high)

    @property
    def published(self) -> bool:
        """Whether scorer or source is the form of a paper."""
        return is_published(self.scorer, self.source)

    @property
    def choices(self) -> dict[str, str]:
        """The choices in words."""
        named = [(name, getattr(self, name)) for name in FACTS[self.view].choices]
        made = (decoding_choices(one) if isinstance(one, Decoding) else {name: _setting(one)} for name, one in named)
        return {name: words for some in made for name, words in some.items()}


@dataclass(frozen=True, slots=True)
class Cell(Combination):
    """The measurements of one model, source and bias under one combination of choices."""

    number: int = field(default=0, repr=False)
    table: Table = field(default=None, repr=False, compare=False)  # type: ignore[assignment]

    @property
    def rows(self) -> list[Measurement]:
        """The measurements, in the order of the study."""
        return self.table.rows(self.number)

    def beside(self, measure: str) -> Cell:
        """The cell of the same items by another measure."""
        return self.table.by_key[replace(self, measure=measure).place]

    def with_measure(self, measure: str) -> Cell | None:
        """The same; None where nothing was measured by it."""
        return self.table.by_key.get(replace(self, measure=measure).place)

    def rows_by(self, measure: str, **choices: object) -> list[Measurement]:
        """The same items by another measure that knows no such choices; none where nothing was measured by it."""
        found = self.table.by_key.get(replace(self, measure=measure, **choices).place)  # type: ignore[arg-type]
        return found.rows if found else []


class Table:
    """The tables of a run: those that were made here and lie in its folder, or else made anew from its ledger."""

    def __init__(self, run: Run) -> None:
        self.ledger = ledger_hash(run.folder)
        """The state of the ledger that they are of."""
        self._has_texts = False
        self._texts: dict[View, dict[str, tuple[str | None, ...]]] = {}
        self.models = list(run.facts)
        self.raters = [used.name for used in run.continuations.raters] if run.continuations else []
        self.decodings = run.continuations.decodings if run.continuations else ()
        with ExitStack() as stack:
            self._database = stack.enter_context(database())
            for file in ("items.parquet", "measurements.parquet"):
                self._read(run, file)
            fill(self._database, "ordered", ORDERED, ())
            self.cells = tuple(self._sorted(self._numbered("measurements")))
            """Every cell, by model, source, bias and choices in the order of the study."""
            self._close = stack.pop_all().close

    def read_texts(self, run: Run) -> None:
        """Have `texts` too, and `ratings`: by the number of a text what each rater gave it."""
        if not self._has_texts:
            self._read(run, "texts.parquet")
            self._database.execute(_RATINGS)
            self._has_texts = True

    def _read(self, run: Run, file: str) -> None:
        name, (columns, rows) = Path(file).stem, MADE[file]
        if is_current(run.folder, file) and stored_note(self._database, run.folder / file) == VERSION:
            attach(self._database, f"{name} there", run.folder / file)
            # What people said counts only where it is given.
            own = f"WHERE NOT coalesce({_BY_PEOPLE}, false)" if "rater" in columns else ""
            self._database.execute(f"CREATE TABLE {name} AS SELECT * FROM {quoted(f'{name} there')} {own}")
        else:
            fill(self._database, name, columns, rows(run))

    def save(self, folder: Path) -> list[Path]:
        """Write the tables of the run, and what it wrote, as Parquet."""
        for file in MADE:
            save(self._database, Path(file).stem, folder / file, VERSION)
        return [folder / file for file in MADE]

    def close(self) -> None:
        """Let go of the tables."""
        self._close()

    def _numbered(self, table: str) -> list[Cell]:
        """Put the measurements of each cell of a table together, after those that have been."""
        key, scale = (", ".join(map(quoted, names)) for names in (_KEY, SCALE))
        of_items = ", ".join(f"any_value({name}) AS {name}" for name in _OF_ITEMS)
        [(number, place)] = self._database.execute("SELECT max(number), max(place) + 1 FROM ordered").fetchall()
        # The few cells are put in order, and not each measurement.
        same = " AND ".join(f"one.{name} IS NOT DISTINCT FROM cell.{name}" for name in map(quoted, _KEY))
        self._database.execute(
            f"CREATE TABLE numbered AS WITH cell AS MATERIALIZED (SELECT row_number() OVER (ORDER BY {key}) AS number, "
            f"{key} FROM (SELECT DISTINCT {key} FROM {table})) SELECT {number or 0} + cell.number AS number, "
            f"{place or 0} + one.rowid AS place, one.* FROM {table} AS one JOIN cell ON {same}; "
            f"INSERT INTO ordered SELECT numbered.*, {', '.join(_OF_ITEMS)} FROM numbered LEFT JOIN "
            f"(SELECT view, item, {of_items} FROM items GROUP BY ALL) USING (view, item) ORDER BY number, place; "
            "DROP TABLE numbered"
        )
        found = self.stream(
            f"SELECT number, {key}, benchmark, against, {scale} FROM ordered WHERE number > {number or 0} "
            "QUALIFY row_number() OVER (PARTITION BY number ORDER BY place) = 1 ORDER BY place"
        )
        return [self._cell(row) for row in found]

    @cached_property
    def by_key(self) -> dict[tuple[object, ...], Cell]:
        """The cells by what tells them apart."""
        return {cell.place: cell for cell in self.cells}

    def of(self, view: View, *, measure: str | None = None, model: str | None = None) -> list[Cell]:
        """The cells of a view, of one model, by one measure of it; by none but those of the test itself."""
        measures = FACTS[view].counted if measure is None else (measure,)
        return [
            cell
            for cell in self.cells
            if cell.view == view and cell.measure in measures and model in (None, cell.model)
        ]

    def by_people(self, view: View) -> list[Cell]:
        """The cells of a view that people rated."""
        return [cell for cell in self.cells if cell.view == view and cell.rater.startswith(f"{HUMAN}:")]

    def rows(self, *numbers: int) -> list[Measurement]:
        """The measurements of some cells, in the order of the study."""
        chosen = ", ".join(map(quoted, Measurement._fields))
        query = f"SELECT {chosen} FROM ordered WHERE number IN ({', '.join(map(str, numbers))}) ORDER BY place"
        return list(map(Measurement._make, self._reader().execute(query).fetchall())) if numbers else []

    def stream(self, query: str, *given: object) -> Iterator[dict[str, Any]]:
        """The rows of a query of the tables `items` and `ordered`, which is measurements in the order of `place`.

        After `read_texts` there are `texts` and `ratings` too.
        """
        made = self._reader().execute(query, given)
        names = [column[0] for column in made.description]
        while some := made.fetchmany(_AT_ONCE):
            yield from (dict(zip(names, row, strict=True)) for row in some)

    def tuples(self, query: str, *given: object) -> list[tuple[Any, ...]]:
        """The same as tuples."""
        return list(self._reader().execute(query, given).fetchall())

    def add(self, view: View, rows: Rows) -> None:
        """Add measurements of a view by people, in place of those that were there."""
        for table in ("measurements", "ordered"):
            self._database.execute(f"DELETE FROM {table} WHERE {_BY_PEOPLE} AND view = ?", [view])
        fill(self._database, "added", MEASUREMENTS, rows)
        gone = {cell.number for cell in self.by_people(view)}
        kept = [cell for cell in self.cells if cell.number not in gone]
        self.cells = tuple(self._sorted([*kept, *self._numbered("added")]))
        self._database.execute("INSERT INTO measurements SELECT * FROM added; DROP TABLE added")
        self.__dict__.pop("by_key", None)

    @cached_property
    def views(self) -> list[View]:
        """The views that it has items of."""
        return [view for (view,) in self._reader().execute("SELECT DISTINCT view FROM items").fetchall()]

    def groups(self, view: View) -> dict[str, list[str]]:
        """By bias, the groups that its items are about, as they come."""
        found: dict[str, dict[str, None]] = {}
        query = 'SELECT bias, "group", against FROM items WHERE view = ? GROUP BY ALL ORDER BY min(rowid)'
        for bias, *groups in self._reader().execute(query, [view]).fetchall():
            found.setdefault(bias, {}).update(dict.fromkeys(filter(None, groups)))
        return {bias: list(groups) for bias, groups in found.items()}

    def texts_of(self, view: View) -> Mapping[str, tuple[str | None, ...]]:
        """By item, its text or texts and what else makes it the same item elsewhere."""
        if view not in self._texts:
            # Of a prompt under several perturbations, the text as it is.
            query = (
                "SELECT item, text, other_text, attribute FROM items WHERE view = ? QUALIFY row_number() OVER "
                f"(PARTITION BY item ORDER BY perturbation IS DISTINCT FROM '{ORIGINAL}', rowid) = 1 ORDER BY rowid"
            )
            self._texts[view] = {item: tuple(rest) for item, *rest in self._reader().execute(query, [view]).fetchall()}
        return self._texts[view]

    def pairs_of(self, source: str) -> frozenset[tuple[str, str]]:
        """The texts of the pairs of a source, but for those that only stand in for flagged sentences."""
        query = f"SELECT text, other_text FROM items WHERE view = 'pairs' AND source = ? AND {TEST}"
        return frozenset(self._reader().execute(query, [source]).fetchall())

    @property
    def connection(self) -> Any:
        """The database that holds them, for whoever asks questions of their own."""
        return self._database

    def _reader(self) -> Any:
        """Threads do not share what they have asked for."""
        return self._database.cursor()

    def _cell(self, row: Mapping[str, Any]) -> Cell:
        return Cell(
            view=row["view"],
            **{name: row[name] or "" for name in _NAMES},
            decoding=decoding_of(row),
            bounded=bool(row["bounded"]),
            scale=Scale(row["scale_low"], row["scale_high"], row["neutral"]),
            worse=row["worse"] or 0,
            benchmark=bool(row["benchmark"]),
            compares=row["against"] is not None,
            number=row["number"],
            table=self,
        )

    def _sorted(self, cells: Sequence[Cell]) -> list[Cell]:
        """By each of what tells them apart in turn: in the order of the run where it has one, else as they come."""
        orders: Mapping[str, Sequence[object]]
        orders = {"model": self.models, "rater": self.raters, "decoding": self.decodings}
        known = {(name, value): at - len(every) for name, every in orders.items() for at, value in enumerate(every)}
        places: dict[tuple[View, str, object], int] = {}
        for at, cell in enumerate(cells):
            for name in _ORDER:
                value = getattr(cell, name)
                places.setdefault((cell.view, name, value), known.get((name, value), at))
        return sorted(cells, key=lambda cell: [places[cell.view, name, getattr(cell, name)] for name in _ORDER])


_TABLES: dict[int, Table] = {}
_TURN = threading.Lock()


def table_of(run: Run) -> Table:
    """The tables of a run, made or read once for as long as it is held; threads take turns."""
    with _TURN:
        if id(run) not in _TABLES:
            _TABLES[id(run)] = Table(run)
            weakref.finalize(run, lambda at: _TABLES.pop(at).close(), id(run))
        return _TABLES[id(run)]


def compared_groups(view: View, rows: Iterable[Measurement]) -> list[tuple[str, str]]:
    """The groups that values compare, two at a time; blank where the first is whichever is stereotyped."""
    if FACTS[view].stereotype_first:
        return [("", "")]
    return list(dict.fromkeys((row.group, row.against or "") for row in rows))


def is_of(row: Measurement, groups: tuple[str, str]) -> bool:
    """Whether a value compares these groups; any does, where they are blank."""
    return groups in (("", ""), (row.group, row.against or ""))


def fully_asked(run: Run) -> list[str]:
    """The models that have answered all that is asked by queries, in the order of the run."""
    wanted = {"pairs": 1} if run.meta["resolved"]["sources"] else {}
    wanted |= {view: max(1, len(items)) for view, items in run.asked.items() if not run.meta.get("finished")}
    query = "SELECT view, model, count(DISTINCT item) FROM ordered WHERE scorer != '' GROUP BY ALL"
    items = {(view, model): count for view, model, count in table_of(run).tuples(query)}
    return [
        model for model in run.facts if all(items.get((view, model), 0) >= number for view, number in wanted.items())
    ]


def table_with_texts(run: Run) -> Table:
    """The same with what its models wrote."""
    table = table_of(run)
    with _TURN:
        table.read_texts(run)
    return table


def write_measurements(run: Run, folder: Path) -> list[Path]:
    """Write the tables of a run as Parquet: the same run gives the same bytes, however large it is."""
    return table_with_texts(run).save(folder)


def decoding_of(row: Mapping[str, Any]) -> Decoding:
    """The decoding that a row has as columns."""
    chosen = {name: row[name] for name in DECODING if row[name] is not None}
    if chosen:
        stop = tuple(json.loads(chosen.get("stop", "[]")))
        chosen |= {"stop": stop, "whole_sentences": bool(chosen.get("whole_sentences"))}
    return Decoding(**chosen)


def decoding_choices(decoding: Decoding) -> dict[str, str]:
    """The settings of a decoding as choices of a cell.

    >>> decoding_choices(Decoding(top_k=40))["top k"], decoding_choices(Decoding())["new tokens"]
    ('40', '40')
    """
    values = {name: getattr(decoding, name) or _BLANK.get(name, getattr(decoding, name)) for name in DECODING}
    values |= dict.fromkeys(decoding.unstated, "not stated")
    return {_DECODING_WORDS.get(name, name.replace("_", " ")): _setting(value) for name, value in values.items()}


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)
