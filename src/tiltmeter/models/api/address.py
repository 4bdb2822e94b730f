"""Where an API model is: `MODEL@URL`, as it stands behind `api:`."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, quote, urlsplit

from tiltmeter.errors import UserError
from tiltmeter.models.identity import planted_model

EXAMPLE = "api:NAME@http://localhost:8000/v1"
# The first @ with a scheme behind it: a model's own name may hold one (`org/name@revision`).
_SPLIT = re.compile(r"@(?=[A-Za-z][A-Za-z0-9+.-]*:)")


@dataclass(frozen=True, slots=True)
class Address:
    """A model of a server, and the settings that were written behind the `?` of its URL."""

    model: str
    url: str
    """Without a slash at the end and without settings, e.g. "http://localhost:8000/v1"."""
    options: Mapping[str, str]

    @property
    def host(self) -> str:
        """The machine alone."""
        return urlsplit(self.url).hostname or ""

    @property
    def is_loopback(self) -> bool:
        """Whether the server is on this machine, so that nothing said to it leaves it.

        >>> parse("m@http://127.0.0.1:8000/v1").is_loopback, parse("m@https://example.org/v1").is_loopback
        (True, False)
        """
        return is_loopback(self.host)

    def name(self, start: str | None) -> str:
        """What results call the model: of its settings, those alone that change what is measured.

        >>> parse("m@http://localhost:8000/v1/?concurrency=4").name("<s>")
        'api:m@http://localhost:8000/v1?start=%3Cs%3E'
        """
        return f"api:{self.model}@{self.url}" + (f"?start={quote(start, safe='')}" if start else "")


def is_loopback(host: str) -> bool:
    """Whether the name or number of a machine is that of this one."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def parse(argument: str) -> Address:
    """The parts of `MODEL@URL`; refuses what is not the address of a server.

    >>> parse("org/small@v2@https://example.org/v1?concurrency=4")
    Address(model='org/small@v2', url='https://example.org/v1', options={'concurrency': '4'})
    """
    model, at, rest = "", "", argument
    found = _SPLIT.search(argument)
    if found:
        model, at, rest = argument[: found.start()], "@", argument[found.end() :]
    if not at or not model.strip():
        raise UserError(f"`api:{argument}` does not name a model and a server; write `{EXAMPLE}`")
    try:
        parts = urlsplit(rest)
        port = parts.port
    except ValueError:
        raise UserError(f"`api:{model}@…` has no well-formed URL; write `{EXAMPLE}`") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"`api:{model}@{parts.scheme}:…` is not a server address; write http:// or https://")
    if parts.username is not None or parts.password is not None:
        # The sentence must not repeat them.
        raise UserError(
            f"`api:{model}@…` has a user or a key in its URL; a key belongs in the environment: TILTMETER_API_KEY"
        )
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    url = f"{parts.scheme}://{host}{'' if port is None else f':{port}'}{parts.path.rstrip('/')}"
    return Address(model, url, dict(parse_qsl(parts.query, keep_blank_values=True)))


def api_name(name: str, deepest: int = 8) -> str | None:
    """What follows `api:` in the name that a model's name comes to, whatever is wrapped around it; None: no API.

    `chat:` and `planted:` name another model, and do so in turn.

    >>> api_name("chat:chat:api:m@http://localhost:8000/v1"), api_name("hf:gpt2")
    ('m@http://localhost:8000/v1', None)
    """
    kind, _, argument = name.partition(":")
    if kind == "api":
        return argument
    inner: str | None = argument if kind == "chat" else None
    if kind == "planted":
        inner = planted_model(Path(argument).expanduser())
    # A file may name itself.
    return api_name(inner, deepest - 1) if inner and deepest else None
