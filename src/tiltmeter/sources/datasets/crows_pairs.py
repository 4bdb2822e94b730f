"""CrowS-Pairs: pairs of sentences, one of which is the more stereotyped."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiltmeter.errors import InvalidData
from tiltmeter.files import read_csv
from tiltmeter.records import Dropped, Nature, Pair, Span
from tiltmeter.sources.differences import differences

NATURE: Nature = "authored"

Direction = Literal["stereo", "antistereo"]

_DIRECTIONS: dict[str, Direction] = {"stereo": "stereo", "antistereo": "antistereo"}
_NEEDED = ("sent_more", "sent_less", "stereo_antistereo", "bias_type")


@dataclass(frozen=True, slots=True)
class CrowsPair:
    """One pair of sentences.

    `sent_more` is always the more stereotyped one. `direction` says what the sentence about the disadvantaged
    group does: in a `stereo` row it shows the stereotype (it is `sent_more`), in an `antistereo` row it goes
    against it (it is `sent_less`).
    """

    id: str
    sent_more: str
    sent_less: str
    direction: Direction
    bias_type: str
    annotations: tuple[tuple[str, ...], ...]
    """What each validator took the bias to be; empty where the file has no such column."""


def read(path: str | Path) -> list[CrowsPair]:
    """All rows of a CrowS-Pairs file, refused as a whole where one of them is malformed."""
    columns, table = read_csv(path)
    missing = [name for name in _NEEDED if name not in columns]
    if missing:
        raise InvalidData(f"not a CrowS-Pairs file: it has no column `{missing[0]}`", file=path, line=1)
    rows = [_row(cells, number, path) for number, cells in enumerate(table)]
    doubled = [name for name, count in Counter(row.id for row in rows).items() if count > 1]
    if doubled:
        raise InvalidData(f"the row id `{doubled[0]}` is used more than once", file=path)
    return rows


def recognise(path: Path) -> bool:
    """Whether a file looks like CrowS-Pairs, judged by its header alone."""
    with path.open("rb") as file:
        header = file.readline(4096).decode("utf-8-sig", errors="replace")
    return all(name in header.strip().split(",") for name in _NEEDED)


def pairs(path: str | Path) -> tuple[list[Pair], list[Dropped]]:
    """One pair for each row; the attribute set is the row's direction, so that both can be balanced."""
    made: list[Pair] = []
    dropped: list[Dropped] = []
    for row in read(path):
        bias = f"crows-pairs/{row.bias_type}"
        if row.sent_more == row.sent_less:
            dropped.append(Dropped(bias, row.id, row.sent_more, "the two sentences are the same"))
            continue
        spans = differences(row.sent_more, row.sent_less)
        groups = ("disadvantaged", "advantaged")
        made.append(
            Pair(
                id=f"crows-pairs/{row.id}",
                source="crows-pairs.v1",
                bias=bias,
                origin=row.id,
                texts=(row.sent_more, row.sent_less),
                groups=groups if row.direction == "stereo" else (groups[1], groups[0]),
                terms=(_words(row.sent_more, spans[0]), _words(row.sent_less, spans[1])),
                stereotyped=0,
                attribute_set=row.direction,
                group_spans=spans,
            )
        )
    return made, dropped


def check(path: str | Path) -> dict[str, Any]:
    """What the file holds, and what in it may surprise."""
    rows = read(path)
    texts = [text for row in rows for text in (row.sent_more, row.sent_less)]
    return {
        "data_set": "crows-pairs",
        "pairs": len(rows),
        "by_direction": dict(Counter(row.direction for row in rows)),
        "by_bias": dict(Counter(row.bias_type for row in rows)),
        "pairs_of_unequal_word_count": sum(len(row.sent_more.split()) != len(row.sent_less.split()) for row in rows),
        "repeated_pairs": len(rows) - len({frozenset((row.sent_more, row.sent_less)) for row in rows}),
        "pairs_of_equal_sentences": sum(row.sent_more == row.sent_less for row in rows),
        "pairs_that_differ_in_several_places": sum(
            max(map(len, differences(row.sent_more, row.sent_less))) > 1 for row in rows
        ),
        "pairs_most_validators_see_otherwise": sum(_disputed(row) for row in rows),
        "sentences_with_stray_spaces": sum("  " in text or text != text.strip() for text in texts),
    }


def _row(cells: dict[str, str], number: int, path: str | Path) -> CrowsPair:
    # The first column has no name in the authors' file; one without it is numbered from 0, as theirs is.
    name = cells.get("", "").strip() or str(number)
    for column in _NEEDED:
        if not cells[column].strip():
            raise InvalidData(f"row `{name}` has nothing under `{column}`", file=path)
    direction = _DIRECTIONS.get(cells["stereo_antistereo"].strip())
    if direction is None:
        raise InvalidData(f"row `{name}` has neither stereo nor antistereo under `stereo_antistereo`", file=path)
    return CrowsPair(
        name,
        cells["sent_more"],
        cells["sent_less"],
        direction,
        cells["bias_type"].strip(),
        _annotations(cells.get("annotations", ""), name, path),
    )


def _annotations(cell: str, name: str, path: str | Path) -> tuple[tuple[str, ...], ...]:
    """Read a list of lists that was written as Python shows it; literals only, nothing is carried out."""
    if not cell.strip():
        return ()
    try:
        listed = ast.literal_eval(cell)
        return tuple(tuple(str(label) for label in labels) for labels in listed)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise InvalidData(f"row `{name}` has `annotations` that are not a list of lists", file=path) from None


def _disputed(row: CrowsPair) -> bool:
    """Whether fewer than half of the validators named the bias that the row is filed under."""
    return 2 * sum(row.bias_type in labels for labels in row.annotations) < len(row.annotations)


def _words(text: str, spans: tuple[Span, ...]) -> str:
    return " … ".join(text[start:end] for start, end in spans)
