"""What the pages show of sets of sentences: a list of all, the rows that filters leave, and the account."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Request

from tiltmeter import specs
from tiltmeter.errors import TiltmeterError, UserError
from tiltmeter.files import read_text
from tiltmeter.models import embedded
from tiltmeter.raters.issues import ISSUES
from tiltmeter.records import Pair
from tiltmeter.web.runs.live import Live, look
from tiltmeter.web.sentences.folder import ACCOUNT, SENTENCES
from tiltmeter.web.sentences.requests import SentenceRequest, known_specs, read_request
from tiltmeter.web.sentences.sheet import Row, Sheet, read_sheet
from tiltmeter.web.specs.entries import Segment, marked
from tiltmeter.web.studies.presets import preset
from tiltmeter.web.studies.validation import reference_to
from tiltmeter.web.workbench import Workbench, changed

_ROWS = 50
"""Rows on a page."""
STATES = {"": "all", "kept": "kept", "struck": "struck"}
ANY, CLEAN, UNLOOKED, ALONE = "any", "none", "unchecked", "alone"
FOUND = {ANY: "any issue", CLEAN: "no issue", UNLOOKED: "not checked", ALONE: "makes no pair"}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which rows are asked for; what is blank does not choose."""

    q: str = ""
    attribute: str = ""
    group: str = ""
    issue: str = ""
    state: str = ""
    page: int = 1

    def query(self, **changes: object) -> str:
        """The filters as the query of an address; other filters than the page lead to the first page.

        >>> Filters(group="women & men").query(page=2)
        '?group=women+%26+men&page=2'
        """
        chosen = asdict(replace(self, **{"page": 1, **changes}))  # type: ignore[arg-type]
        given = {name: value for name, value in chosen.items() if value not in ("", 1)}
        return f"?{urlencode(given)}" if given else ""

    def fits(self, row: Row) -> bool:
        """Whether a row is asked for."""
        one = row.sentence
        return (
            self.q.casefold() in one.text.casefold()
            and self.attribute in ("", one.attribute)
            and self.group in ("", one.group)
            and (not self.state or (self.state == "struck") == row.is_struck)
            and (not self.issue or self._has_issue(row))
        )

    def _has_issue(self, row: Row) -> bool:
        if self.issue == UNLOOKED:
            return row.issues is None and not row.is_struck
        if self.issue == ALONE:
            return not row.pairs and not row.is_struck
        found = row.issues
        if self.issue == CLEAN:
            return found == ()
        return any(self.issue in (ANY, one.issue) for one in found or ())


def _of_request(request: Request) -> Filters:
    known = {one.name: request.query_params.get(one.name, "").strip() for one in fields(Filters)}
    page = known.pop("page") or "1"
    if not (page.isascii() and page.isdigit() and 0 < len(page) < 10):
        raise UserError(f"`{page[:40]}` is not the number of a page")
    return Filters(**known, page=max(1, int(page)))


Chosen = Annotated[Filters, Depends(_of_request)]
"""The filters of an address, as a parameter of a page."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many sentences there are, and what can be said of those that are kept."""

    total: int
    struck: int
    flawed: int
    unlooked: int
    alone: int
    """Kept ones that make no pair, and so test nothing."""

    @property
    def tested(self) -> int:
        """Those that a study tests."""
        return self.total - self.struck - self.alone


@dataclass(frozen=True, slots=True)
class Listing:
    """The rows of one page, and what there is to choose from."""

    filters: Filters
    rows: Sequence[Row]
    total: int
    attributes: Sequence[str]
    groups: Sequence[str]
    issues: Mapping[str, str]
    """What can be asked for about issues, with the words for it."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return -(-self.total // _ROWS)

    @property
    def first(self) -> int:
        """The number of the first row."""
        return (self.filters.page - 1) * _ROWS + 1


@dataclass(frozen=True, slots=True)
class Entry:
    """A set in the list of all."""

    name: str
    live: Live
    wanted: SentenceRequest | None
    when: float
    problem: str = ""


def entries(bench: Workbench) -> list[Entry]:
    """Every set of the folder."""
    found = []
    for name, folder in bench.sentences().items():
        wanted, problem = _wanted(folder)
        found.append(Entry(name, look(bench.writing, folder, 0), wanted, changed(folder), problem))
    return found


def sets_about(bench: Workbench, spec: str) -> list[str]:
    """The sets that were ordered on the page of a spec."""
    found = {name: _wanted(folder)[0] for name, folder in bench.sentences().items()}
    return [name for name, wanted in found.items() if wanted is not None and wanted.spec == spec]


def sheet_of(bench: Workbench, name: str) -> Sheet:
    """The sentences of a set."""
    folder = bench.sentence_set(name)
    return read_sheet(folder, known_specs(folder, bench.specs()))


def counts_of(rows: Sequence[Row]) -> Counts:
    """How many of them are what."""
    kept = [row for row in rows if not row.is_struck]
    return Counts(
        len(rows),
        len(rows) - len(kept),
        sum(bool(row.issues) for row in kept),
        sum(row.issues is None for row in kept),
        sum(not row.pairs for row in kept),
    )


def listing(rows: Sequence[Row], filters: Filters) -> Listing:
    """The rows that filters leave."""
    fitting = [row for row in rows if filters.fits(row)]
    start = (filters.page - 1) * _ROWS
    seen = Counter(one.issue for row in rows for one in row.issues or ())
    issues = {issue: f"{issue} {words}" for issue, words in ISSUES.items() if seen[issue]}
    return Listing(
        filters,
        fitting[start : start + _ROWS],
        len(fitting),
        list(dict.fromkeys(row.sentence.attribute for row in rows)),
        list(dict.fromkeys(row.sentence.group for row in rows)),
        {**FOUND, **issues},
    )


def sides(row: Row) -> tuple[tuple[Segment, ...], list[tuple[str, tuple[Segment, ...]]]]:
    """The sentence with its terms marked, and each counterpart that it makes, by the group it is about."""
    others = []
    for pair in row.pairs:
        at = pair.groups.index(row.sentence.group)
        others.append((pair.groups[1 - at], _marked(pair, 1 - at)))
    own = _marked(row.pairs[0], row.pairs[0].groups.index(row.sentence.group)) if row.pairs else None
    return own or (Segment(row.sentence.text, ""),), others


@dataclass(frozen=True, slots=True)
class Account:
    """How the sentences came to be, as far as that was written down."""

    ranked_by: str = ""
    """The model that chose among them, and so must not be tested with them; blank: nobody."""
    drawn: int = 0
    accepted: int = 0
    kept: int = 0
    groups: tuple[tuple[str, int, int, int], ...] = ()
    """By the group that they were written for: drawn, refused by the judge, kept."""
    missing: tuple[tuple[str, str], ...] = ()
    """What has no sentence, and why."""
    dropped: tuple[tuple[str, int], ...] = ()
    spent: tuple[tuple[str, int, int, int], ...] = ()
    """Models behind an API, with requests, tokens sent and tokens received."""


def account_of(folder: Path) -> Account:
    """The account of a set; an empty one where there is none, or one that is not ours."""
    try:
        found = json.loads(read_text(folder / ACCOUNT))
        one = next(iter(found["specs"].values()))
        return Account(
            found["ranked_by"] or "",
            int(one["attempts"]),
            int(one["accepted"]),
            int(one["kept"]),
            tuple(
                (str(group["group"]), int(group["drawn"]), int(group["flagged"]), int(group["kept"]))
                for group in one.get("groups", ())
            ),
            tuple((_gap(gap), str(gap["reason"])) for gap in one["missing"]),
            tuple((str(reason), int(count)) for reason, count in one["dropped"]),
            tuple(
                (str(model), int(spent["requests"]), int(spent["tokens_in"]), int(spent["tokens_out"]))
                for model, spent in found.get("api", {}).items()
            ),
        )
    except (TiltmeterError, ValueError, TypeError, KeyError, AttributeError, StopIteration, RecursionError):
        return Account()


def _gap(missing: Mapping[str, Any]) -> str:
    of = f"{missing['of']}, " if missing["kind"] == "group" and missing["of"] else ""
    return f"{of}{missing['name']}"


def study_of(bench: Workbench, name: str) -> dict[str, Any]:
    """A study that tests the sentences of a set; whoever ranked them is not the model to begin with."""
    folder = bench.sentence_set(name)
    data = dict(preset("quick").data)
    data["name"] = f"sentences {name}"
    data["specs"] = _references(bench, folder)
    data["models"] = [] if account_of(folder).ranked_by == embedded.NAME else [embedded.NAME]
    data["pairs"] = {**data["pairs"], "sources": [f"pairs-file:../sentences/{name}/{SENTENCES}"]}
    return {key: value for key, value in data.items() if value != []}


def _references(bench: Workbench, folder: Path) -> list[str]:
    wanted, _ = _wanted(folder)
    whose, _, spec = wanted.spec.partition("/") if wanted else ("", "", "")
    if whose == "own" and spec in bench.specs():
        return [reference_to(spec)]
    return [spec] if whose == "library" and spec in specs.names() else []


def _wanted(folder: Path) -> tuple[SentenceRequest | None, str]:
    try:
        return read_request(folder), ""
    except TiltmeterError as error:
        return None, str(error)


def _marked(pair: Pair, side: int) -> tuple[Segment, ...]:
    return marked(pair.texts[side], pair.group_spans[side], pair.attribute_spans[side])
