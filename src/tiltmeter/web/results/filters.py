"""The page of a run's results: the blocks of its report, narrowed to what a reader chose."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tiltmeter.present.blocks import Block, Document, Place, Section, each
from tiltmeter.present.kept import FINDINGS, mark_of, read_findings
from tiltmeter.results.names import Names
from tiltmeter.store.rows import rows_of
from tiltmeter.store.run_folder import is_current
from tiltmeter.views import FACTS, View, view_named
from tiltmeter.web.pages import address
from tiltmeter.web.scratch import findings_scratch
from tiltmeter.web.texts.query import Filters

FILTERS = ("view", "model", "bias", "verdict")
"""What can be chosen, by what sections say that they are about."""
_ASKED = frozenset(Filters.__dataclass_fields__)


def findings_in(folder: Path, meta: Mapping[str, Any]) -> dict[str, Any] | None:
    """The findings of a run, made here; of an unfinished one those of when they were worked out. None: none fit."""
    mark = mark_of(meta)
    # What anybody else has put into the folder of the run is not looked at; of one under way all is out of date.
    is_own = bool(meta.get("finished")) and is_current(folder, FINDINGS)
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


def chosen_of(given: Mapping[str, str]) -> dict[str, str]:
    """What an address asks for; other names in it are not looked at."""
    return {name: given[name] for name in FILTERS if given.get(name)}


def options_of(page: Document, names: Names) -> dict[str, dict[str, str]]:
    """For each filter what can be chosen, with what readers call it; only where there is something to choose."""
    sections = [section.about for section in each(page.everything, Section)]
    found = {name: [_said(about, name) for about in sections if about.get(name)] for name in FILTERS}
    called: Mapping[str, Callable[[str], str]] = {"view": _view_title, "bias": lambda one: _sentence(names.bias(one))}
    listed = {name: {one: called.get(name, str)(one) for one in values} for name, values in found.items()}
    return {name: values for name, values in listed.items() if len(values) > 1}


def _said(about: Mapping[str, str], name: str, usual: str = "") -> str:
    """What a section says that it is about; a bias without the source that it was measured with."""
    value = about.get(name, usual)
    return value.rpartition("/")[2] if name == "bias" else value


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:]


def _view_title(name: str) -> str:
    view = view_named(name)
    return FACTS[view].title if view else name


def is_about(page: Document, chosen: Mapping[str, str]) -> bool:
    """Whether a section of the page is about all that was chosen."""
    return any(
        all(_said(section.about, name) == wanted for name, wanted in chosen.items())
        for section in each(page.everything, Section)
    )


def narrowed(page: Document, chosen: Mapping[str, str]) -> Document:
    """The page without sections about something else; the summary is always about the whole run."""
    blocks = tuple(_narrowed(page.blocks, chosen))
    details, appendix = (
        tuple(one for one in _narrowed(part, chosen) if isinstance(one, Section))
        for part in (page.details, page.appendix)
    )
    return replace(page, blocks=blocks, details=details, appendix=appendix)


def _narrowed(blocks: Iterable[Block], chosen: Mapping[str, str]) -> Iterable[Block]:
    for block in blocks:
        if not isinstance(block, Section):
            yield block
        elif all(_said(block.about, name, wanted) == wanted for name, wanted in chosen.items()):
            yield replace(block, blocks=tuple(_narrowed(block.blocks, chosen)))


def texts_address(run: str, place: Place) -> str:
    """Where the texts of a place are shown; blank where it names no view."""
    view = view_named(place.get("view", ""))
    if view is None:
        return ""
    flag = FACTS[view].flag
    asked = {name: value for name, value in place.items() if name in _ASKED and value and name != "view"}
    return f"{address('runs', run, 'texts', 'part')}?{urlencode({'view': flag, **asked})}"


@dataclass(frozen=True, slots=True)
class Counts:
    """How much of a view there is, and how much of it has no number."""

    view: View
    noun: str
    n: int
    unscored: int


_COUNTED: tuple[tuple[View, str, str, str], ...] = (
    ("pairs", "scores of pairs", "scores", "select count(*), count(*) - count(score_1) from scores"),
    (
        "continuations",
        "texts",
        "ratings",
        "select (select count(*) from completions), (select count(*) from ratings where value is null)",
    ),
    # A perturbation that does not fit a prompt was not asked, and is not missing.
    (
        "next words",
        "prompts asked",
        "items",
        "select count(*) - count(unscored), 0 from items where view = 'next words'",
    ),
)


def counts_of(folder: Path) -> list[Counts]:
    """How many pairs, texts and prompts a run has so far, straight from its ledger."""
    tables = {name for (name,) in rows_of(folder, "select name from sqlite_master where type = 'table'")}
    found = [
        Counts(view, noun, *next(iter(rows_of(folder, query))))
        for view, noun, table, query in _COUNTED
        if table in tables
    ]
    return [one for one in found if one.n]
