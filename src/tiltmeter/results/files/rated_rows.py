"""Which rows of a table of rated texts count, and what must not be averaged over."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from tiltmeter.errors import InvalidData, UnknownName
from tiltmeter.sources.numbers import as_number
from tiltmeter.sources.tables import Row, column

_NOT_MIXED = {
    "model": "which must not be mixed",
    "rater": "which must not be mixed",
    "max_new_tokens": "and a shorter text is the beginning of a longer one, so that each would count several times",
}
_POOLED = ("scope", "temperature", "top_k", "top_p", "beams", "whole_sentences", "source", "bias")


def chosen_rows(rows: Sequence[Row], header: Sequence[str], where: Mapping[str, str], path: str | Path) -> list[Row]:
    """The rows with the values that were asked for."""
    if not rows:
        raise InvalidData("the file has a header and no rows", file=path)
    kept = list(rows)
    for name, value in where.items():
        column(header, name, path, "--where")
        known = {cells[name] for _, cells in kept}
        kept = [(line, cells) for line, cells in kept if cells[name] == value]
        if not kept:
            raise InvalidData(UnknownName(f"row with `{name}` =", value, known).problem, file=path)
    return kept


def pooled_over(rows: Sequence[Row], used: Collection[str], path: str | Path) -> dict[str, list[str]]:
    """Choices that the rows differ in and that will be averaged over, each with its values; columns in `used` are not.

    Models, raters and lengths are an error: no average over them means anything.
    """
    found = {}
    for name in (*_NOT_MIXED, *_POOLED):
        values = _values(rows, name)
        if len(values) < 2 or name in used:
            continue
        if name in _NOT_MIXED:
            raise InvalidData(
                f"the column `{name}` holds {_listed(values)}, {_NOT_MIXED[name]}: choose one with "
                f"--where {name}={next(value for value in values if value)}",
                file=path,
            )
        found[name] = values
    return found


def pooled_note(name: str, values: Sequence[str]) -> str:
    """That the figures average over a choice.

    >>> pooled_note("temperature", ["0.5", "1.0"])
    'averaged over `temperature`, which is 0.5 and 1.0; --where temperature=0.5 takes one alone'
    """
    first = next(value for value in values if value)
    return f"averaged over `{name}`, which is {_listed(values)}; --where {name}={first} takes one alone"


def of_same_rater(rows: Sequence[Row], kept: Sequence[Row]) -> list[Row]:
    """All rows of the raters of the rows that are kept: in a table with a column `rater`, each has its own values."""
    raters = {cells.get("rater") for _, cells in kept}
    return [(line, cells) for line, cells in rows if cells.get("rater") in raters]


def _values(rows: Sequence[Row], name: str) -> list[str]:
    """The distinct values, in order; 1 and 1.0 are one."""
    distinct: dict[object, str] = {}
    for _, cells in rows:
        text = cells.get(name, "").strip()
        number = as_number(text)
        distinct.setdefault(text if number is None else number, text)
    return sorted(distinct.values(), key=lambda text: (as_number(text) is None, as_number(text) or 0.0, text))


def _listed(values: Sequence[str]) -> str:
    shown = [value or "blank" for value in values]
    if len(shown) > 6:
        return f"{', '.join(shown[:5])} and {len(shown) - 5} more"
    return f"{', '.join(shown[:-1])} and {shown[-1]}"
