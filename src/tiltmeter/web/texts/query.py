"""Which texts of a run are asked for: the filters of the texts pages, as they stand in an address."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Annotated, Literal, get_args
from urllib.parse import urlencode

from fastapi import Depends, Request

from tiltmeter.errors import UserError
from tiltmeter.store import LEDGER, NotBegun, read_meta
from tiltmeter.views import FACTS

VIEWS = tuple(one.flag for one in FACTS.values())
Order = Literal["", "highest", "lowest", "disagreement", "unrated"]
ORDERS: tuple[Order, ...] = get_args(Order)
_NUMBERS = ("low", "high")


@dataclass(frozen=True, slots=True)
class Filters:
    """What an address asks for; a field that is blank does not choose."""

    view: str = ""
    model: str = ""
    bias: str = ""
    source: str = ""
    group: str = ""
    other: str = ""
    """A second group, where two are compared."""
    rater: str = ""
    scorer: str = ""
    decoding: str = ""
    """Its number in the ledger."""
    origin: str = ""
    structure: str = ""
    kind: str = ""
    """The kind of its structure."""
    labelled: str = ""
    """Anything: of pairs only those of which one sentence is the stereotyped one."""
    perturbation: str = ""
    """What became of a prompt of the view of next words."""
    word: str = ""
    """Of the words asked about, the one whose chance counts."""
    q: str = ""
    low: str = ""
    high: str = ""
    reason: str = ""
    """Why there is no number."""
    order: Order = ""
    page: int = 1

    def range(self) -> tuple[float | None, float | None]:
        """The least and the greatest value that is asked for."""
        low, high = (_number(name, getattr(self, name)) for name in _NUMBERS)
        return low, high

    def decoding_number(self) -> int | None:
        """The number of the decoding."""
        if not self.decoding:
            return None
        if not (self.decoding.isascii() and self.decoding.isdigit() and len(self.decoding) < 10):
            raise UserError(f"`{self.decoding[:40]}` is not the number of a decoding; choose one of the list")
        return int(self.decoding)

    def query(self, **changes: object) -> str:
        """The filters as the query of an address; other filters than the page lead to the first page.

        >>> Filters(group="women & men", page=3).query(page=4)
        '?group=women+%26+men&page=4'
        """
        changed = asdict(replace(self, **{"page": 1, **changes}))  # type: ignore[arg-type]
        if changed["page"] == 1:
            del changed["page"]
        given = {name: value for name, value in changed.items() if value not in ("", None)}
        return f"?{urlencode(given)}" if given else ""


def filters_of(given: Mapping[str, str]) -> Filters:
    """The filters that an address or a form holds; other names in it are passed over."""
    known = {field.name: given.get(field.name, "").strip() for field in fields(Filters)}
    page = known.pop("page") or "1"
    if not (page.isascii() and page.isdigit() and 0 < len(page) < 10):
        raise UserError(f"`{page[:40]}` is not the number of a page")
    if known["view"] not in ("", *VIEWS):
        raise UserError(f"there is no view `{known['view'][:40]}`; it is one of {', '.join(VIEWS)}")
    if known["order"] not in ORDERS:
        raise UserError(f"texts have no order `{known['order'][:40]}`; it is one of {', '.join(ORDERS[1:])}")
    found = Filters(**known, page=max(1, int(page)))  # type: ignore[arg-type]
    # What is not a number is refused here, before anything is looked up.
    found.range()
    found.decoding_number()
    return found


def views_of(folder: Path) -> list[str]:
    """The views that the study of a run has; none where it has not begun."""
    if not (folder / LEDGER).is_file():
        return []
    try:
        resolved = read_meta(folder)["resolved"]
    except NotBegun:
        return []
    return [one.flag for one in FACTS.values() if resolved.get(one.resolved)]


def _of_request(request: Request) -> Filters:
    return filters_of(request.query_params)


Chosen = Annotated[Filters, Depends(_of_request)]
"""The filters of an address, as a parameter of a page."""


def _number(name: str, text: str) -> float | None:
    if not text:
        return None
    try:
        value = float(text.replace(",", ".").replace("−", "-"))
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        words = "least" if name == "low" else "greatest"
        raise UserError(f"`{text[:40]}` is not a number; the {words} value is one, such as 0.5")
    return value
