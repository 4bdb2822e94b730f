"""Texts and ratings of a run, read from its ledger when they are asked for: there may be very many."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter.errors import RunError
from tiltmeter.raters.tilt import TiltItem
from tiltmeter.records import Continuation, Decoding, Prompt, Rating, Scope
from tiltmeter.store.damage import fitting, number, record_reader
from tiltmeter.store.digests import check
from tiltmeter.store.opening import LEDGER, connect_to_read, is_held
from tiltmeter.store.rows import HELD, held_or_read

_prompt, _decoding = record_reader(Prompt), record_reader(Decoding)
_WHOLE: dict[Path, list[tuple[int, ...] | None]] = {}
"""Files that were checked, and as what."""
_TEXTS = """
select prompt, sample, text, tokens, ended, {unwritten} {more} from completions {joined}
where model = ? and decoding = ? and prompt in (select number from prompts where {chosen}) order by prompt, sample
"""


@dataclass(frozen=True, slots=True)
class UsedRater:
    """A rater as a run used it."""

    name: str
    scope: Scope
    facts: Mapping[str, str]


class Continuations:
    """What a run holds of the view of continuations. Nothing of it is kept in memory but settings, and few prompts."""

    def __init__(self, folder: str | Path, held: int = HELD) -> None:
        self.folder, self._held = Path(folder), held

    @cached_property
    def prompts(self) -> Sequence[Prompt]:
        """The prompts, in the order of the study; more than are to be held are read when they are asked for."""
        query = "select prompt from prompts where number >= ? and number < ? order by number"
        count = count_of(self.folder, "prompts")
        return held_or_read(count, lambda *of: (_prompt(text) for (text,) in self._rows(query, *of)), self._held)

    @cached_property
    def decodings(self) -> tuple[Decoding, ...]:
        """The settings under which each model wrote, in the order of the study."""
        return tuple(_decoding(text) for (text,) in self._rows("select decoding from decodings order by number"))

    @cached_property
    def count(self) -> int:
        """How many texts there are."""
        return count_of(self.folder, "completions")

    @cached_property
    def models(self) -> tuple[str, ...]:
        """The models that wrote something, in the order of the study."""
        rows = self._rows("select model from completions group by model order by min(number)")
        return tuple(model for (model,) in rows)

    @cached_property
    def raters(self) -> tuple[UsedRater, ...]:
        """The raters that were at work, in the order of the study; a refusal rater is always among the last."""
        rows = self._rows("select rater, scope, facts from raters order by number")
        with fitting(self.folder / LEDGER):
            return tuple(UsedRater(str(name), scope, dict(json.loads(facts))) for name, scope, facts in rows)

    def texts(
        self, model: str, decoding: Decoding, *, source: str | None = None, bias: str | None = None
    ) -> Iterator[Continuation]:
        """What a model wrote, prompt by prompt; `source` and `bias` choose among the prompts."""
        chosen, values = _chosen(source, bias)
        query = _TEXTS.format(unwritten=self._unwritten, more="", joined="", chosen=chosen)
        for row in self._rows(query, model, self._number(decoding), *values):
            with fitting(self.folder / LEDGER):
                made = self._continuation(decoding, row)
            yield made

    def rated(
        self, model: str, decoding: Decoding, rater: str, *, source: str | None = None, bias: str | None = None
    ) -> Iterator[tuple[Continuation, Rating]]:
        """The same with what a rater makes of each text; texts that are not for this rater are left out."""
        chosen, values = _chosen(source, bias)
        joined = "join ratings on completion = number and rater = (select number from raters where rater = ?)"
        more = ", value, label, unrated"
        query = _TEXTS.format(unwritten=self._unwritten, more=more, joined=joined, chosen=chosen)
        for row in self._rows(query, rater, model, self._number(decoding), *values):
            value, label, unrated = row[6:]
            with fitting(self.folder / LEDGER):
                made = self._continuation(decoding, row), Rating(rater, number(value), unrated, label=label)
            yield made

    def labelled(
        self,
        model: str,
        decoding: Decoding,
        said: tuple[str, str],
        *,
        source: str | None = None,
        bias: str | None = None,
    ) -> Iterator[tuple[str, int]]:
        """Of each text of which a rater says something, the id of its prompt and the sample; `said`: rater, label."""
        chosen, values = _chosen(source, bias)
        query = (
            "select prompt, sample from completions join ratings on completion = number "
            "and rater = (select number from raters where rater = ?) where label = ? and model = ? and decoding = ? "
            f"and prompt in (select number from prompts where {chosen}) order by prompt, sample"
        )
        for prompt, sample in self._rows(query, *said, model, self._number(decoding), *values):
            yield self.prompts[prompt].id, sample

    def with_ratings(self, model: str, decoding: Decoding) -> Iterator[tuple[Continuation, dict[str, Rating]]]:
        """What a model wrote with what every rater makes of it, one text at a time; not every rater reads all."""
        numbers = list(self._rows("select number, rater from raters order by number"))
        more = "".join(f", r{n}.rater, r{n}.value, r{n}.label, r{n}.unrated" for n, _ in numbers)
        joined = " ".join(
            f"left join ratings r{n} on r{n}.rater = {n} and r{n}.completion = completions.number" for n, _ in numbers
        )
        chosen, _ = _chosen(None, None)
        unwritten = "completions.unwritten" if self._unwritten == "unwritten" else "null"
        query = _TEXTS.format(unwritten=unwritten, more=more, joined=joined, chosen=chosen)
        for row in self._rows(query, model, self._number(decoding)):
            ratings: dict[str, Rating] = {}
            for place, (_, rater) in enumerate(numbers):
                rated_by, value, label, unrated = row[6 + 4 * place : 10 + 4 * place]
                if rated_by is not None:
                    ratings[rater] = Rating(rater, value, unrated, label=label)
            with fitting(self.folder / LEDGER):
                made = self._continuation(decoding, row)
                for rating in ratings.values():
                    number(rating.value)
            yield made, ratings

    def ratings(self, model: str, decoding: Decoding) -> Mapping[str, Mapping[tuple[str, int], Rating]]:
        """All ratings of what a model wrote: by rater, then by the id of the prompt and the sample."""
        found: dict[str, dict[tuple[str, int], Rating]] = {}
        rows = self._rows(
            "select raters.rater, prompt, sample, value, label, unrated from completions "
            "join ratings on completion = completions.number join raters on raters.number = ratings.rater "
            "where model = ? and decoding = ? order by raters.number, prompt, sample",
            model,
            self._number(decoding),
        )
        for rater, prompt, sample, value, label, unrated in rows:
            with fitting(self.folder / LEDGER):
                rating = Rating(rater, number(value), unrated, label=label)
                found.setdefault(rater, {})[self.prompts[prompt].id, sample] = rating
        return found

    def cells(self) -> list[tuple[str, str, str, Decoding, str, Scope]]:
        """Every (model, source, bias, decoding, rater, scope) that has ratings, in the order of the study."""
        rows = self._rows(
            "select model, source, bias, decoding, raters.rater, scope from completions "
            "join ratings on completion = completions.number join raters on raters.number = ratings.rater "
            "join prompts on prompts.number = completions.prompt "
            "group by model, source, bias, decoding, raters.number"
        )
        models, numbers = list(self.models), {used.name: at for at, used in enumerate(self.raters)}
        places = self._rows("select source, bias, min(number) from prompts group by source, bias")
        first = {(source, bias): number for source, bias, number in places}
        with fitting(self.folder / LEDGER):
            ordered = sorted(
                rows, key=lambda row: (models.index(row[0]), first[row[1], row[2]], row[3], numbers[row[4]])
            )
            return [(*row[:3], self.decodings[row[3]], *row[4:]) for row in ordered]

    def tilts(self, rater: str) -> list[tuple[str, TiltItem]]:
        """What a rater makes of sentences in which only the group changes, each with its bias."""
        rows = self._rows(
            'select bias, "group", term, kind, sentence, text, value, label, unrated from tilts '
            "join raters on raters.number = tilts.rater where raters.rater = ? order by tilts.rowid",
            rater,
        )
        with fitting(self.folder / LEDGER):
            return [
                (bias, TiltItem(group, term, kind, sentence, text, Rating(rater, number(value), unrated, label=label)))
                for bias, group, term, kind, sentence, text, value, label, unrated in rows
            ]

    def _continuation(self, decoding: Decoding, row: tuple[Any, ...]) -> Continuation:
        prompt, *written = row[:6]
        return Continuation(self.prompts[prompt], decoding, *written)

    @cached_property
    def _unwritten(self) -> str:
        """The column of that name, which the ledgers of earlier versions lack."""
        return (
            "unwritten" if ("unwritten",) in self._rows("select name from pragma_table_info('completions')") else "null"
        )

    def _number(self, decoding: Decoding) -> int:
        try:
            return self.decodings.index(decoding)
        except ValueError:
            raise RunError(f"{self.folder}: nothing was written with {decoding}") from None

    def _rows(self, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
        return rows_of(self.folder, query, *values)


def _chosen(source: str | None, bias: str | None) -> tuple[str, list[str]]:
    """A condition on prompts, and its values."""
    wanted = {"source": source, "bias": bias}
    given = {key: value for key, value in wanted.items() if value is not None}
    return " and ".join(["true", *(f"{key} = ?" for key in given)]), list(given.values())


def rows_of(folder: Path, query: str, *values: Any) -> Iterator[tuple[Any, ...]]:
    """The rows of a question to the ledger of a run folder, as they are read."""
    with _opened(folder) as database:
        for row in database.execute(query, values):
            if bytes in map(type, row):
                raise TypeError("it holds bytes where it should say something")
            yield row


def count_of(folder: Path, table: str) -> int:
    """How many rows a table of the ledger of a run folder has."""
    return next(int(count) for (count,) in rows_of(folder, f"select count(*) from {table}"))


def check_whole(path: Path, *, also_held: bool = True) -> None:
    """Refuse a file of a run that is not as it was written; what did not change is looked at once.

    One that a run is writing was looked at when the run began; with `also_held` it is again.
    """
    now = [_signature(path.with_name(f"{path.name}{end}")) for end in ("", "-wal")]
    if _WHOLE.get(path) == now or (not also_held and is_held(path.parent)):
        return
    with fitting(path), closing(connect_to_read(path)) as database:
        check(database, path)
    _WHOLE[path] = now


def _signature(path: Path) -> tuple[int, ...] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    # SQLite makes an empty log anew, or its own again, whenever a file is opened.
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns) if found.st_size else None


@contextmanager
def _opened(folder: Path) -> Iterator[sqlite3.Connection]:
    path = folder / LEDGER
    check_whole(path, also_held=False)
    with fitting(path), closing(connect_to_read(path)) as database:
        yield database
