"""How figures on next words look in a cell of a table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tiltmeter.present.words import probability
from tiltmeter.records import Estimate
from tiltmeter.report.cells import Column, TableCell, sort_key
from tiltmeter.report.next_word_readings import Reading, ReadingGroup, why_no_interval
from tiltmeter.report.words import NONE, p_value, percent_range, signed


def chance_range(found: Estimate) -> str:
    """The interval of a chance, with the decimals of the value, or why there is none."""
    if found.low is None or found.high is None:
        return why_no_interval(found)
    return f"{probability(found.low, found.value)}–{probability(found.high, found.value)}"


def chance_cell(found: Estimate, *more: str, reason: bool = True) -> TableCell:
    """A chance, a distance or a ratio, with its interval below it (or the reason for none, if wanted) and more."""
    if found.value is None:
        return TableCell(NONE, why_no_interval(found) if found.note and reason else "")
    interval = "" if found.low is None and not reason else chance_range(found)
    return TableCell(probability(found.value), "\n".join(filter(None, (interval, *more))), sort_key(found.value))


def ratio_cell(found: Estimate) -> TableCell:
    """A ratio with two decimals and its interval."""
    interval = "" if found.low is None else f"{found.low:.2f}–{found.high:.2f}"
    return TableCell(NONE if found.value is None else f"{found.value:.2f}", interval, sort_key(found.value))


def signed_cell(found: Estimate, decimals: int = 2, *more: str) -> TableCell:
    """A figure that can lie on both sides of zero, with its interval and more."""
    if found.value is None:
        return TableCell(NONE, why_no_interval(found) if found.note else "")
    return TableCell(
        signed(found.value, decimals), "\n".join(filter(None, (signed_range(found, decimals), *more))),
        sort_key(found.value),
    )  # fmt: skip


def signed_range(found: Estimate, decimals: int = 2) -> str:
    """The interval of a difference, or why there is none."""
    if found.low is None:
        return why_no_interval(found)
    return f"{signed(found.low, decimals)} to {signed(found.high, decimals)}"


def in_points(found: Estimate) -> Estimate:
    """A difference of shares in points of per cent."""
    value, low, high = (None if end is None else 100 * end for end in (found.value, found.low, found.high))
    return replace(found, value=value, low=low, high=high)


def share_range(found: Estimate) -> str:
    """The interval of a share, or why there is none."""
    if found.value is None:
        return ""
    return why_no_interval(found) if found.low is None else percent_range(found.low, found.high)


def number_cell(number: int) -> TableCell:
    """How many there are."""
    return TableCell(f"{number:,}", sort=str(number))


def first_column(group: ReadingGroup) -> Column:
    """The column that `heading` stands in."""
    return Column("Prompts" if len(group.labels) == 1 else "Prompts, model")


def heading(group: ReadingGroup, one: Reading) -> TableCell:
    """Which prompts a row is about, and which model where there are several."""
    return TableCell(one.cell.source, one.label if len(group.labels) > 1 else "")


def labour_estimate(labour: Mapping[str, Any], name: str) -> Estimate:
    """A figure of labour statistics, with its note."""
    return Estimate(**labour[name], note=labour["notes"].get(name))


def p_words(found: Estimate) -> str:
    """The p-value of a figure, and below it as corrected; empty where there is none.

    >>> p_words(Estimate(0.1, p=0.0445, p_adjusted=0.0772))
    'p 0.044\\ncorrected 0.077'
    """
    if found.p is None:
        return ""
    corrected = "" if found.p_adjusted is None else f"\ncorrected {p_value(found.p_adjusted)}"
    return f"p {p_value(found.p)}{corrected}"
