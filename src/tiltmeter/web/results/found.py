"""What a results page shows: the findings of a run as far as they are there, and the filters that narrow them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tiltmeter.report.findings import FINDINGS, mark_of, read_findings
from tiltmeter.results.findings.questions import topic_of
from tiltmeter.store.rows import rows_of
from tiltmeter.store.run_folder import is_made_here
from tiltmeter.views import FACTS
from tiltmeter.web.pages import address
from tiltmeter.web.scratch import findings_scratch

FILTERS = ("view", "model", "bias", "source", "rater", "decoding", "scorer")
"""What can be chosen, by the names that it has in an address."""
EVERY = "every"
"""The choice of all scorers, where otherwise only the leading one of each source is shown."""
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Filters:
    """What was chosen; a name that is missing lets everything through."""

    chosen: Mapping[str, str]

    @classmethod
    def of(cls, given: Mapping[str, str]) -> Filters:
        """Those in an address; others in it are not looked at."""
        return cls({name: given[name] for name in FILTERS if given.get(name)})

    def fit(self, row: Row) -> bool:
        """Whether a row is of what was chosen; what it does not say does not matter."""
        return all(_agrees(name, wanted, row[name]) for name, wanted in self.chosen.items() if name in row)

    def narrow(self, rows: Iterable[Row]) -> list[Row]:
        """The rows that fit."""
        return [row for row in rows if self.fit(row)]

    def show(self, view: str) -> bool:
        """Whether a view is shown; what is chosen may be of one view alone."""
        return self.chosen.get("view", view) == view

    def query(self, **more: Any) -> str:
        """The choices as the end of an address."""
        return urlencode({**self.chosen, **more})

    def __contains__(self, name: str) -> bool:
        return name in self.chosen


def _agrees(name: str, wanted: str, value: Any) -> bool:
    if name == "bias":
        # Of a spec that compares several pairs of groups, each is a bias of its own.
        return wanted in (value, str(value).partition(":")[0]) or topic_of(wanted) == topic_of(str(value))
    if name == "scorer":
        return wanted in (EVERY, value)
    return wanted == view_key(str(value)) if name == "view" else wanted == str(value)


def view_key(view: str) -> str:
    """A view as it stands in an address.

    >>> view_key("next words")
    'next-words'
    """
    return view.replace(" ", "-")


def found_in(folder: Path, meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """The findings of a run, made here; of an unfinished one those of when they were worked out. None: none fit."""
    mark = mark_of(meta)
    # What anybody else has put into the folder of the run is not looked at; of one under way all is out of date.
    is_own = bool(meta.get("finished")) and is_made_here(folder, FINDINGS)
    for place in (findings_scratch(folder), *([folder] if is_own else [])):
        try:
            state = (place / FINDINGS).stat()
        except OSError:
            continue
        found = _read(place, state.st_mtime_ns, state.st_size)
        if found is not None and all(found.get(name) == value for name, value in mark.items()):
            return found
    return None


@lru_cache(maxsize=4)
def _read(place: Path, changed: int, size: int) -> dict[str, Any] | None:
    """Read once; the time and the size of the file are there to tell a new one."""
    return read_findings(place)


def options_of(found: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """For each filter what can be chosen, and what that is called; only where there is something to choose."""
    names = found["names"]
    rows = list(_rows(found))
    views = dict.fromkeys(row["view"] for row in rows)
    options = {
        "view": [(one.flag, one.title) for one in FACTS.values() if one.flag in views],
        "model": [(name, name) for name in names["models"]],
        "bias": [(bias, names["biases"].get(bias, bias)) for bias in _seen(rows, "bias") if bias],
        "source": [(source, source) for source in _seen(rows, "source")],
        "rater": [(rater, names["raters"].get(rater, rater)) for rater in _seen(rows, "rater")],
        "decoding": [(str(number), names["decodings"][number]) for number in _seen(rows, "decoding")],
        "scorer": [(name, words) for name, words in names["scorers"].items()],
    }
    if len(options["scorer"]) > 1:
        options["scorer"].append((EVERY, "every scorer"))
    return {name: listed for name, listed in options.items() if len(listed) > 1}


def _rows(found: Mapping[str, Any]) -> Iterable[Row]:
    texts = found["texts"]
    yield from ({**row, "view": "continuations"} for row in (texts["groups"] if texts else ()))
    yield from ({**row, "view": "pairs"} for row in found["pairs"]["estimates"])
    for group in found["words"]:
        own = [*group["shares"], *group["habit"]]
        yield from ({"bias": group["bias"], "source": row["source"], "view": "next-words"} for row in own)


def _seen(rows: Sequence[Row], name: str) -> list[Any]:
    return list(dict.fromkeys(row[name] for row in rows if name in row))


def texts_address(run: str, view: str, **query: Any) -> str:
    """Where the texts behind a figure are."""
    chosen = {name: value for name, value in query.items() if value not in (None, "")}
    return f"{address('runs', run, 'texts', 'part')}?{urlencode({'view': view, **chosen})}"


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of a view there is, and how much of it has no number."""

    view: str
    noun: str
    n: int
    unscored: int


def counts_of(folder: Path) -> list[Counts]:
    """How many pairs, texts and prompts a run has so far, straight from its ledger."""
    tables = {name for (name,) in rows_of(folder, "select name from sqlite_master where type = 'table'")}
    asked = (
        ("pairs", "scores of pairs", "scores", "select count(*), count(*) - count(score_1) from scores"),
        (
            "continuations",
            "texts",
            "ratings",
            "select (select count(*) from completions), (select count(*) from ratings where value is null)",
        ),
        (
            "next-words",
            "prompts asked",
            "asked",
            "select count(*), count(unscored) from items where view = 'next words'",
        ),
    )
    found = [
        Counts(view, noun, *next(iter(rows_of(folder, query)))) for view, noun, table, query in asked if table in tables
    ]
    return [one for one in found if one.n]
