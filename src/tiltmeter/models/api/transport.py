"""One exchange with a server: what is sent, what comes back, and what a failure means."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import logging
import math
import random
import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import MissingExtra
from tiltmeter.models.api.address import Address
from tiltmeter.models.api.answers import Malformed, parsed
from tiltmeter.models.api.key import Key
from tiltmeter.models.api.settings import ApiSettings
from tiltmeter.text import all_readable

if TYPE_CHECKING:
    import httpx

UNREACHABLE = "the server cannot be reached"
_LARGEST = 64 * 2**20
_BLAMED = 8192
_GIVEN_BACK = {"input", "body", "request", "ctx"}
"""Parts of an error that hold what was sent."""
_TRANSIENT = {408, 409, 425, 429}


@dataclass(frozen=True, slots=True)
class Fault:
    """What became of one attempt."""

    kind: str
    again: bool = True
    wait: float | None = None
    status: int | None = None
    said: str = ""
    blamed: str = ""
    """Every text of what the server says, in which it may name what it does not take."""
    end: str | None = None
    """A sentence that ends everything."""
    tries: int | None = None
    """How often at most the same is asked; None: as often as anything."""


@dataclass(frozen=True, slots=True)
class Transport:
    """The way to a server."""

    address: Address
    settings: ApiSettings
    key: Key

    async def exchange(
        self, http: httpx.AsyncClient, method: str, path: str, body: Mapping[str, Any] | None = None
    ) -> bytes | Fault:
        """The body of a reply that means success, within the time for the whole of it; or what is wrong."""
        import httpx

        received = bytearray()
        try:
            async with (
                asyncio.timeout(self.settings.timeout),
                http.stream(method, f"{self.address.url}/{path}", json=body) as reply,
            ):
                async for chunk in reply.aiter_bytes():
                    received += chunk
                    if len(received) > _LARGEST:
                        return Fault("the reply is too large to be an answer")
                return self._refusal(reply.status_code, reply.headers, bytes(received)) or bytes(received)
        except (TimeoutError, httpx.TimeoutException):
            return Fault(f"no complete reply came within {self.settings.timeout:g} seconds")
        except (httpx.ConnectError, OSError):
            return Fault(UNREACHABLE)
        except (httpx.TransportError, httpx.DecodingError):
            return Fault("the connection was dropped")
        except (httpx.InvalidURL, ValueError):
            return Fault("the address is not a URL", end=f"{self.address.url} is not a valid address; check the URL")

    def open(self) -> httpx.AsyncClient:
        """What holds the connections, for as long as it is open."""
        import httpx

        class Bearer(httpx.Auth):
            def __init__(self, key: Key) -> None:
                self._key = key

            def auth_flow(self, request: httpx.Request) -> Iterator[httpx.Request]:  # type: ignore[override]
                request.headers["Authorization"] = self._key.header()
                yield request

        limits = httpx.Limits(max_connections=self.settings.concurrency)
        # A proxy has no business between two programs of one machine.
        trust_env = not self.address.is_loopback
        return httpx.AsyncClient(
            auth=Bearer(self.key) if self.key else None,
            # Compressed replies could be small on the way and endless here.
            headers={"Accept-Encoding": "identity", "User-Agent": "tiltmeter"},
            timeout=httpx.Timeout(self.settings.timeout),
            limits=limits,
            follow_redirects=False,
            trust_env=trust_env,
            verify=_certificates(trust_env),
        )

    def _refusal(self, status: int, headers: Mapping[str, str], body: bytes) -> Fault | None:
        """What a status other than success means."""
        if 200 <= status < 300:
            return None
        said, blamed = (self.key.out_of(text, error=True) for text in (_said(body), _blamed(body)))
        kind, where = f"the server answered with status {status}", self.address.host
        if 300 <= status < 400:
            # The key goes to the machine that the user named, and to no other.
            return Fault(kind, end=f"{where} redirects (status {status}); give the address it redirects to")
        if status in (401, 403):
            problem = "does not accept the key in" if self.key else "needs a key: set"
            sentence = f"{where} {problem} {self.key.variable} (status {status})"
            if self.key.withheld:
                sentence = f"{where} needs a key (status {status}); {self.key.hint(self.address)}"
            return Fault(kind, end=sentence, status=status, said=said)
        if status == 402 or (status == 429 and "insufficient_quota" in said):
            return Fault(kind, end=f"{where}: the account has no credit left (status {status})")
        if status in _TRANSIENT or status >= 500:
            again = status != 501
            return Fault(kind, again, retry_after(headers.get("retry-after")), status, said, blamed)
        return Fault(kind, again=False, status=status, said=said, blamed=blamed)


@cache
def _certificates(trust_env: bool) -> ssl.SSLContext:
    """The authorities that are trusted, read once: that takes longer than many a request."""
    import httpx

    return httpx.create_ssl_context(trust_env=trust_env)


def require_package() -> None:
    """Refuse, with the line that installs it, where httpx is not there."""
    if importlib.util.find_spec("httpx") is None:
        raise MissingExtra("models behind an API", "api", "httpx")


@contextmanager
def quiet() -> Iterator[None]:
    """Keep the libraries' own logs away: at their most talkative they print headers."""
    loggers = [logging.getLogger(name) for name in ("httpx", "httpcore")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _blamed(body: bytes) -> str:
    """The texts of an error, whatever its form, without the request that some servers give back in it."""
    try:
        found = all_readable(json.loads(body))
    except (ValueError, RecursionError):
        return body[:_BLAMED].decode(errors="replace")
    return " ".join(_texts(found))[:_BLAMED]


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for one in value if isinstance(value, list) else (value[name] for name in value if name not in _GIVEN_BACK):
            yield from _texts(one)


def _said(body: bytes) -> str:
    """The message of an error, in whichever form servers give it, short and on one line."""
    text = body[:4096].decode(errors="replace")
    try:
        found: Any = parsed(body)
        found = found.get("error", found)
        parts = [found.get(name) for name in ("message", "detail", "code")] if isinstance(found, dict) else [found]
        text = "; ".join(str(part) for part in parts if part)
    except Malformed:
        text = "" if "<" in text else text
    return " ".join(text.split())[:160]


FIRST = 0.5
"""Seconds before the second attempt, at most; doubled with every further one."""


def back_off(attempt: int, longest: float, chance: Callable[[], float] = random.random) -> float:
    """Seconds before the next attempt, the first failure being number 1: half of it fixed, half of it chance.

    Chance keeps requests that failed together from coming back together.

    >>> [back_off(attempt, 60.0, lambda: 1.0) for attempt in (1, 2, 3, 20)]
    [0.5, 1.0, 2.0, 60.0]
    """
    most = min(longest, FIRST * 2.0 ** min(attempt - 1, 30))
    return most / 2 + most / 2 * chance()


def retry_after(header: str | None, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or a date; None where it says nothing readable.

    >>> retry_after("3"), retry_after("soon"), retry_after("Thu, 01 Jan 1970 00:00:00 GMT")
    (3.0, None, 0.0)
    """
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            date = parsedate_to_datetime(header)
        except ValueError:
            return None
        seconds = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now().timestamp()
    return max(0.0, seconds) if math.isfinite(seconds) else None
