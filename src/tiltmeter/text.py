"""Text from elsewhere, made fit to be written down."""

from __future__ import annotations

from typing import Any

UNREADABLE = "\ufffd"
"""What stands for half a character: JSON may hold one, and no file, database or request can."""


def readable(text: str) -> str:
    """The text with halves of characters put together, and a replacement sign for each that is left alone.

    >>> readable("caf\\u00e9 \\ud83d\\ude42"), readable("a\\ud800b")
    ('café 🙂', 'a\ufffdb')
    """
    if is_readable(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_readable(text: str) -> bool:
    """Whether a text can be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def all_readable(value: Any) -> Any:
    """The same for every text in what was read from JSON, the names of its objects among them."""
    if isinstance(value, str):
        return readable(value)
    if isinstance(value, list):
        return [all_readable(one) for one in value]
    if isinstance(value, dict):
        return {readable(name): all_readable(one) for name, one in value.items()}
    return value
