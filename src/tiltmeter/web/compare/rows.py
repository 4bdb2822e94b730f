"""The rows of a comparison as the page shows them, each with the way to the texts behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from tiltmeter.report.cells import TableCell
from tiltmeter.report.comparison import titles
from tiltmeter.report.comparison_cells import change_cell, difference_cell, level_cell, names
from tiltmeter.report.words import p_value
from tiltmeter.results.compare.names import both_of
from tiltmeter.results.compare.records import Compared, ComparedView, RunComparison
from tiltmeter.results.compare.sides import Matched, Side, decoding_words
from tiltmeter.views import View
from tiltmeter.web.compare.choice import Chosen

ROWS = 200
"""Rows of a table; the page that can be saved has all."""
MAIN = ("preference", "share")
"""Of the measures of one item, those that are shown first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One difference."""

    name: str
    choices: str
    a: TableCell
    b: TableCell
    difference: TableCell
    p: str
    p_adjusted: str
    p_holm: str
    change: TableCell
    n: int
    unscored: int
    origins: int
    texts: str
    """Where the texts behind it are."""
    compared: Compared


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that belong together."""

    caption: str
    main: bool
    """Whether it is what the view is about."""
    rows: tuple[Row, ...]
    left: int
    """How many rows there was no room for."""


def tables(view: ComparedView, found: RunComparison) -> list[Table]:
    """The differences of a view; gaps between groups before the groups themselves, other measures last."""
    parts: dict[tuple[str, str], list[Compared]] = {}
    for one in (*(view.overall if _has_mean(view) else ()), *view.cells):
        parts.setdefault((_caption(one), one.choices.get("rater", "")), []).append(one)
    order = sorted(parts, key=lambda part: _CAPTIONS.index(part[0]))
    return [_table(*part, parts[part], found) for part in order]


def _table(caption: str, rater: str, cells: Sequence[Compared], found: RunComparison) -> Table:
    label, places = titles(found), _Places(found)
    named = zip(cells[:ROWS], names(cells, label)[:ROWS], strict=True)
    return Table(
        f"{caption}, {rater}" if rater else caption,
        caption in _MAIN_CAPTIONS,
        tuple(
            Row(
                name.short,
                name.choices,
                level_cell(one, one.found.a),
                level_cell(one, one.found.b),
                difference_cell(one),
                p_value(one.difference.p),
                p_value(one.p_adjusted),
                p_value(one.p_holm),
                change_cell(one),
                one.difference.n,
                one.difference.n_unscored,
                one.difference.origins,
                places.address(one),
                one,
            )
            for one, name in named
        ),
        max(0, len(cells) - ROWS),
    )


_CAPTIONS = (
    "Stereotyped choices",
    "Gap between groups",
    "Share of the first of two groups",
    "Mean rating of each group",
    "Margins, in units of log-probability",
    "Other ways to measure the same",
)
_MAIN_CAPTIONS = _CAPTIONS[:3]


def _caption(one: Compared) -> str:
    if one.view == "pairs":
        return _CAPTIONS[0] if one.choices["measure"] == "preference" else _CAPTIONS[4]
    if one.view == "continuations":
        return _CAPTIONS[1] if one.is_gap else _CAPTIONS[3]
    return _CAPTIONS[2] if one.choices["measure"] in MAIN else _CAPTIONS[5]


def _has_mean(view: ComparedView) -> bool:
    """Whether there is a mean over several biases: only of pairs is an overall line no cell as well."""
    return view.view == "pairs" and len({one.choices["bias"] for one in view.cells}) > 1


class _Places:
    """Knows what A and B call the sources and decodings that they share."""

    def __init__(self, found: RunComparison) -> None:
        self._sides = found.a, found.b
        self._sources = {view.view: self._named(view.view) for view in found.views}
        self._decodings = [_decodings(side) for side in self._sides]

    def address(self, one: Compared) -> str:
        """Where the texts behind a difference are shown, those of A beside those of B."""
        wanted: list[tuple[str, str]] = []
        for letter, side, sources, decodings in zip(
            "ab", self._sides, self._sources[one.view], self._decodings, strict=True
        ):
            wanted.append((letter, Chosen(side.run.folder.name, side.model).key))
            source = one.choices.get("source", "")
            wanted.append((f"source_{letter}", sources.get(source, source)))
            number = decodings.get(one.choices.get("decoding", ""))
            wanted += [(f"decoding_{letter}", str(number))] if number is not None else []
        wanted.append(("view", one.view.replace(" ", "-")))
        for name in ("bias", "rater", "scorer", "group"):
            value = one.choices.get(name, "")
            wanted += [(name, value)] if value and value != "all" else []
        if one.is_gap:
            wanted += zip(("group", "other"), both_of(one.choices["groups"]), strict=True)
        return f"/compare/texts?{urlencode(wanted)}"

    def _named(self, view: View) -> tuple[Mapping[str, str], Mapping[str, str]]:
        matched = Matched.of(*self._sides, view)
        first, second = ({name: label for label, name in own.items()} for own in (matched.of_a, matched.of_b))
        return first, second


def _decodings(side: Side) -> dict[str, int]:
    """The numbers of the decodings in the ledger, by what they are called."""
    found = side.run.continuations
    return {} if found is None else {decoding_words(one): at for at, one in enumerate(found.decodings)}
