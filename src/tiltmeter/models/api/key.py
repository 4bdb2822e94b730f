"""The key of an API: from the environment alone, sent to the servers that the environment names, shown nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from tiltmeter.errors import UserError
from tiltmeter.models.api.address import Address, is_loopback

VARIABLE = "TILTMETER_API_KEY"
"""Where the key is, unless the settings of a server name another variable."""
HOSTS = "_HOSTS"
"""Behind the name of a key: the variable with the servers that the key is for."""
SHOWN = "[key]"
_PORTS = {"http": 80, "https": 443}
# A shorter one ("EMPTY", as local servers want it) is no secret, and may stand in any text by chance.
_SECRET = 8


class Key:
    """A key that neither prints nor pickles. An empty one means that none is sent.

    >>> Key("sk-abcdefgh")
    Key([key])
    """

    __slots__ = ("_hosts", "_value", "variable", "withheld")

    def __init__(
        self, value: str = "", variable: str = VARIABLE, hosts: str | None = None, *, withheld: bool = False
    ) -> None:
        self._value, self.variable, self._hosts = value, variable, hosts
        self.withheld = withheld
        """Whether there is a key that is not for this server."""

    @classmethod
    def of(cls, variable: str = "", environ: Mapping[str, str] | None = None) -> Key:
        """The key of the environment; refuses one that no header can hold, and a variable that was named and is empty.

        >>> Key.of("MY_KEY", {"MY_KEY": "sk-abcdefgh"}).variable
        'MY_KEY'
        """
        name = variable or VARIABLE
        given = os.environ if environ is None else environ
        value = given.get(name, "").strip()
        if variable and not value:
            raise UserError(f"the environment variable {name}, which should hold the key, is not set; set it")
        if not value.isascii() or not value.isprintable():
            raise UserError(f"the key in {name} has characters that are not allowed in a key; copy it again")
        return cls(value, name, given.get(name + HOSTS))

    def sent_to(self, address: Address, *, named: bool) -> Key:
        """The key, where it is for that server; otherwise none, or, where its variable was `named`, a refusal.

        A study can come from somebody else, and so can the address in it; what is in the environment cannot. Without a
        list of servers, the usual key goes where the study says, and a variable that it names to this machine alone.

        >>> from tiltmeter.models.api.address import parse
        >>> key = Key.of("", {"TILTMETER_API_KEY": "sk-abcdefgh", "TILTMETER_API_KEY_HOSTS": "api.example.org"})
        >>> bool(key.sent_to(parse("m@https://api.example.org/v1"), named=False))
        True
        >>> bool(key.sent_to(parse("m@https://evil.example/v1"), named=False))
        False
        """
        if self._hosts is None:
            is_for = not named or address.is_loopback
        else:
            is_for = any(_is_for(entry.strip(), address.url) for entry in self._hosts.split(","))
        if is_for or not self._value:
            return self
        if named:
            raise UserError(f"{self.variable} is not sent to {address.url}: {self.hint(address)}")
        return Key("", self.variable, withheld=True)

    def hint(self, address: Address) -> str:
        """What to set so that the key is sent to a server."""
        return f"list the server in {self.variable}{HOSTS}, as {urlsplit(address.url).netloc}, to send it there"

    def header(self) -> str:
        """What the server is sent; never keep it."""
        return f"Bearer {self._value}"

    def out_of(self, text: str, *, error: bool = False) -> str:
        """A text without the key. In errors even a key too short to be a secret is taken out.

        >>> Key("sk-abcdefgh").out_of("wrong key sk-abcdefgh")
        'wrong key [key]'
        """
        if self._value and (error or len(self._value) >= _SECRET):
            return text.replace(self._value, SHOWN)
        return text

    def out_of_all(self, value: Any) -> Any:
        """The same for every text in what was read from JSON."""
        if isinstance(value, str):
            return self.out_of(value)
        if isinstance(value, list):
            return [self.out_of_all(one) for one in value]
        if isinstance(value, dict):
            return {self.out_of(name): self.out_of_all(one) for name, one in value.items()}
        return value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"Key({SHOWN if self._value else ''})"

    def __reduce__(self) -> Any:
        raise TypeError("a key must not be serialized")


def _is_for(entry: str, url: str) -> bool:
    """Whether an entry of the list of servers means that of a URL: `HOST`, `HOST:PORT`, `HOST:*`, or with a scheme.

    Without a scheme it is https, and on this machine http; without a port that of the scheme.

    >>> [_is_for("localhost:8000", url) for url in ("http://localhost:8000/v1", "http://localhost:9/v1")]
    [True, False]
    >>> [_is_for("api.example.org", url) for url in ("https://api.example.org/v1", "http://api.example.org/v1")]
    [True, False]
    """
    any_port = entry.endswith(":*")
    plain = entry.removesuffix(":*")
    asked = urlsplit(url)
    try:
        given = urlsplit(plain if "://" in plain else f"//{plain}")
        name, port = given.hostname or "", given.port
    except ValueError:
        return False
    scheme = given.scheme or ("http" if is_loopback(name) else "https")
    ports = (asked.port or _PORTS.get(asked.scheme), port or _PORTS.get(scheme))
    return (asked.scheme, asked.hostname) == (scheme, name) and (any_port or ports[0] == ports[1])
