"""Cells that a spreadsheet would take for a formula: defused in sheets for people, and undone when they return."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"'*(?:[\t\r\n]|\s*[=+\-@＝＋－＠])")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def defused(cell: str) -> str:
    """The cell behind an apostrophe where a spreadsheet would calculate; a number stays a number.

    >>> [defused(cell) for cell in ("=1+1", "-0.5", "- no", "'=1", "Anna")]
    ["'=1+1", '-0.5', "'- no", "''=1", 'Anna']
    """
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.fullmatch(cell) else cell


def undone(cell: str) -> str:
    """The cell as it was before it was defused.

    >>> [undone(cell) for cell in ("'=1+1", "-0.5", "''=1", "=1+1", "'Anna'")]
    ['=1+1', '-0.5', "'=1", '=1+1', "'Anna'"]
    """
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
