"""What the rows of all charts share: the findings under some filters, and how their numbers read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.report.words import NONE, count, p_value, percent_range, signed
from tiltmeter.web.results.found import Filters, Row, texts_address

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Results:
    """The findings of a run under some filters; `run` is its name in addresses."""

    run: str
    found: Mapping[str, Any]
    filters: Filters

    @property
    def names(self) -> Mapping[str, Any]:
        """What things are called on the page."""
        names: Mapping[str, Any] = self.found["names"]
        return names

    def rater(self, name: str) -> str:
        """What a rater is called."""
        return str(self.names["raters"].get(name, name))

    def scorer(self, name: str) -> str:
        """What a scorer is called."""
        return str(self.names["scorers"].get(name, name))

    def decoding(self, number: int) -> str:
        """What a decoding is called."""
        return str(self.names["decodings"][number])

    def texts(self, view: str, row: Row, *more: str, **query: Any) -> str:
        """The address of the texts behind a row: of its model, source, bias, and of what else is named."""
        place = {name: row.get(name) for name in ("model", "source", "bias", *more)}
        if place.get("rater") not in self.names["raters"]:
            # People rate too, once that is worked into the report; the pages of texts know the tools alone.
            place.pop("rater", None)
        return texts_address(self.run, view, **place, **query)

    def texts_of_two(self, row: Row, groups: Sequence[str], **query: Any) -> str:
        """The address of the texts about two groups that are compared; those that name no group before it is written
        are the same for all."""
        named = (
            {} if str(row.get("rater")).startswith("groups.") else dict(zip(("group", "other"), groups, strict=False))
        )
        return self.texts("continuations", row, "rater", "decoding", **named, **query)


def counted(row: Row, noun: str) -> str:
    """How many items a figure rests on, and how many of them have no number."""
    return f"{count(row['n'], noun)}, {row['n_unscored']:,} unscored"


def tip(row: Row, about: str, shown: str, noun: str, *, share: bool = False) -> str:
    """What stands beside the pointer."""
    interval = range_words(row, share=share)
    note = (row.get("note") or "no interval").removeprefix("no interval: ")
    lines = [
        about,
        f"{shown} ({interval})" if row["low"] is not None else f"{shown} (no interval: {note})",
        *([f"corrected p {p_value(row['p_adjusted'])}"] if row.get("p_adjusted") is not None else []),
        *([counted(row, noun)] if "n_unscored" in row else []),
    ]
    return "\n".join(lines)


def range_words(row: Row, *, share: bool = False) -> str:
    """The interval of a figure."""
    if row["low"] is None:
        return NONE
    return percent_range(row["low"], row["high"]) if share else f"{signed(row['low'], 3)} to {signed(row['high'], 3)}"


def named(row: Row, rows: Sequence[Row]) -> str:
    """What a row is called among others: with its series, where there are several.

    >>> named({"label": "nurse", "series": "b"}, [{"series": "a"}, {"series": "b"}])
    'nurse (b)'
    """
    return f"{row['label']} ({row['series']})" if len(seen(rows, "series")) > 1 else str(row["label"])


def seen(rows: Iterable[Row], name: str) -> list[Any]:
    """The different values of a field, in order."""
    return list(dict.fromkeys(row[name] for row in rows))
