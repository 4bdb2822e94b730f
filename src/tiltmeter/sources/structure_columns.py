"""The sentence structure that a row of a table names: `structure`, and perhaps `kind`, `family` and `skeleton`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast, get_args

from tiltmeter.english import AUXILIARIES
from tiltmeter.errors import InvalidData
from tiltmeter.records import Structure, StructureKind

_ASKING = AUXILIARIES | {"what", "who", "whom", "whose", "which", "where", "when", "why", "how"}


def structure_of(
    cells: Mapping[str, str], text: str, column: str | None, path: str | Path, line: int
) -> Structure | None:
    """The structure of a text, by the cells of its row; None where they name none.

    Without a kind it is a question if it ends or begins like one.

    >>> structure_of({"structure": "did-you-know"}, "Did you know that the nurse", "structure", "p.csv", 2).kind
    'interrogative'
    """
    name = cells.get(column, "").strip() if column else ""
    if not name:
        return None
    first = text.split(maxsplit=1)[0].casefold() if text.split() else ""
    asks = text.rstrip().endswith("?") or first in _ASKING
    kind = cells.get("kind", "").strip() or ("interrogative" if asks else "declarative")
    if kind not in get_args(StructureKind):
        problem = f"the kind of a structure must be declarative or interrogative, not {kind!r}"
        raise InvalidData(problem, file=path, line=line)
    family, skeleton = (cells.get(part, "").strip() for part in ("family", "skeleton"))
    return Structure(name, cast(StructureKind, kind), family, skeleton)
