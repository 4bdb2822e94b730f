"""What a form sent: fields by name, each with one value or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Depends, Request

from tiltmeter.amounts import size
from tiltmeter.errors import UserError

_MOST = 20_000
"""Fields of one form; more are a mistake."""
_LONGEST = 64_000_000
"""Bytes of one form."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of a form."""

    values: dict[str, list[str]]

    def one(self, name: str, otherwise: str = "") -> str:
        """The value of a field, without spaces around it."""
        return self.values.get(name, [otherwise])[-1].strip()

    def text(self, name: str) -> str:
        """The value of a field as it was typed; browsers end lines in two characters."""
        return self.values.get(name, [""])[-1].replace("\r\n", "\n")

    def all(self, name: str) -> list[str]:
        """Every value of a field."""
        return self.values.get(name, [])

    def lines(self, name: str) -> list[str]:
        """The lines of a field that hold anything."""
        return [line.strip() for line in self.text(name).splitlines() if line.strip()]


async def _sent(request: Request) -> Fields:
    try:
        text = (await _body(request)).decode("utf-8", errors="replace")
        return Fields(parse_qs(text, keep_blank_values=True, max_num_fields=_MOST, errors="replace"))
    except ValueError:
        raise UserError(f"the form has more than {_MOST:,} fields; change the text of the file instead") from None


async def _body(request: Request) -> bytes:
    """What was sent, unless it is more than a form can be: it is all held in memory."""
    parts, length = [], 0
    async for part in request.stream():
        parts.append(part)
        length += len(part)
        if length > _LONGEST:
            raise UserError(f"this is more than {size(_LONGEST)}; take a smaller file")
    return b"".join(parts)


Sent = Annotated[Fields, Depends(_sent)]
"""The fields of the form that was sent, as a parameter of a page."""
