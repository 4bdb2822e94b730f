"""The key of an API: from the environment alone, shown nowhere."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from tiltmeter.errors import UserError

VARIABLE = "TILTMETER_API_KEY"
"""Where the key is, unless the settings of a server name another variable."""
SHOWN = "[key]"
# A shorter one ("EMPTY", as local servers want it) is no secret, and may stand in any text by chance.
_SECRET = 8


class Key:
    """A key that neither prints nor pickles. An empty one means that none is sent.

    >>> Key("sk-abcdefgh")
    Key([key])
    """

    __slots__ = ("_value", "variable")

    def __init__(self, value: str = "", variable: str = VARIABLE) -> None:
        self._value, self.variable = value, variable

    @classmethod
    def of(cls, variable: str = "", environ: Mapping[str, str] | None = None) -> Key:
        """The key of the environment; refuses one that no header can hold, and a variable that was named and is empty.

        >>> Key.of("MY_KEY", {"MY_KEY": "sk-abcdefgh"}).variable
        'MY_KEY'
        """
        name = variable or VARIABLE
        value = (os.environ if environ is None else environ).get(name, "").strip()
        if variable and not value:
            raise UserError(f"the environment has no {name}, which was named as the place of the key; set it")
        if not value.isascii() or not value.isprintable():
            raise UserError(f"the key in {name} has characters that no key has; copy it again")
        return cls(value, name)

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
        raise TypeError("a key is not to be written anywhere")
