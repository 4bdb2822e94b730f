"""How a server is asked: limits, patience and prices, from the environment or from behind the `?` of the URL."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from tiltmeter.errors import UnknownName, UserError
from tiltmeter.models.api.address import Address
from tiltmeter.models.api.budget import Price

PREFIX = "TILTMETER_API_"


@dataclass(frozen=True, slots=True)
class ApiSettings:
    """How a server is asked; nothing but `start` changes what is measured.

    Each is `TILTMETER_API_…` of the environment, in capitals, or stands behind the `?` of the URL, which comes first.
    """

    start: str = ""
    """The start token as the server's tokenizer reads it, where the server itself puts none before a text."""
    answers_as: str = ""
    """What the server's replies call the model, where that is another name than the one it is asked by; `*`: any."""
    key_variable: str = ""
    """The variable of the environment that has the key, where it is not `TILTMETER_API_KEY`."""
    concurrency: int = 8
    """Requests on their way at once, at most."""
    timeout: float = 120.0
    """Seconds for one request from beginning to end, however it drips."""
    attempts: int = 8
    """How often one request is sent, at most, before its item is left without an answer."""
    longest_wait: float = 60.0
    """Seconds between two attempts, at most; a server that asks for more ends the run, which can be resumed."""
    max_requests: int | None = None
    max_tokens: int | None = None
    price_in: float | None = None
    """For a million tokens read, in whatever currency."""
    price_out: float | None = None
    """For a million tokens written."""
    top: int = 20
    """How many of the most probable next tokens are asked for."""
    allow_http: bool = False
    """Whether a server on another machine may be asked without encryption."""

    @property
    def price(self) -> Price | None:
        """The prices, where both are known."""
        if self.price_in is None or self.price_out is None:
            return None
        return Price(self.price_in, self.price_out)


_KINDS: Mapping[str, tuple[type, float, str]] = {
    "concurrency": (int, 1, "a whole number from 1 up"),
    "timeout": (float, 0.001, "seconds, above 0"),
    "attempts": (int, 1, "a whole number from 1 up"),
    "longest_wait": (float, 0, "seconds, from 0 up"),
    "max_requests": (int, 0, "a whole number from 0 up"),
    "max_tokens": (int, 0, "a whole number from 0 up"),
    "price_in": (float, 0, "a number from 0 up"),
    "price_out": (float, 0, "a number from 0 up"),
    "top": (int, 1, "a whole number from 1 up"),
}
_NAME = re.compile(r"[A-Z][A-Z0-9_]*")
_YES_NO = {"1": True, "yes": True, "true": True, "0": False, "no": False, "false": False, "": False}


def settings_for(address: Address, environ: Mapping[str, str] | None = None) -> ApiSettings:
    """The settings with which a server is asked; refuses plain http to another machine."""
    made = settings_of(address, environ)
    if address.url.startswith("http://") and not address.is_loopback and not made.allow_http:
        raise UserError(
            f"{address.url} is on another machine and not encrypted, so prompts and key could be read on the way; "
            f"write https://, or set {PREFIX}ALLOW_HTTP=1 if you trust the network"
        )
    return made


def settings_of(address: Address, environ: Mapping[str, str] | None = None) -> ApiSettings:
    """The settings that were given for a server; refuses one that means nothing.

    >>> from tiltmeter.models.api.address import parse
    >>> settings_of(parse("m@http://localhost:1/v1?concurrency=2"), {"TILTMETER_API_ATTEMPTS": "3"}).concurrency
    2
    """
    given = os.environ if environ is None else environ
    names = [field.name for field in fields(ApiSettings)]
    unknown = next((name for name in address.options if name not in names), None)
    if unknown is not None:
        raise UserError(UnknownName("setting of an API model", unknown, names).problem)
    found: dict[str, Any] = {}
    for name in names:
        if name in address.options:
            found[name] = _read(name, address.options[name], f"`{name}` of api:{address.model}")
        elif given.get(PREFIX + name.upper()):
            found[name] = _read(name, given[PREFIX + name.upper()], PREFIX + name.upper())
    return ApiSettings(**found)


def _read(name: str, text: str, place: str) -> Any:
    if name in ("start", "answers_as"):
        return text
    if name == "key_variable":
        if not _NAME.fullmatch(text):
            # It may be the key itself, so the sentence does not repeat it.
            raise UserError(f"{place} must be the name of an environment variable in capitals, such as MY_KEY")
        return text
    if name == "allow_http":
        if text.lower() not in _YES_NO:
            raise UserError(f"{place} must be yes or no, not {text!r:.40}")
        return _YES_NO[text.lower()]
    kind, least, right = _KINDS[name]
    try:
        value = kind(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or value < least:
        raise UserError(f"{place} must be {right}, not {text!r:.40}")
    return value
