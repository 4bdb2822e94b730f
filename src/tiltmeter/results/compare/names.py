"""Two groups under one name, as in `women/men`, and back."""

from __future__ import annotations

from collections.abc import Sequence


def as_pair(groups: Sequence[str]) -> str:
    """The name of a pair of groups; blanks around the slash where a name has one of its own.

    >>> as_pair(["women", "men"]), as_pair(["Black/African", "White"])
    ('women/men', 'Black/African / White')
    """
    return (" / " if any("/" in group for group in groups) else "/").join(groups)


def split_pair(pair: str) -> tuple[str, str]:
    """The two groups of such a name.

    >>> split_pair("women/men"), split_pair("Black/African / White")
    (('women', 'men'), ('Black/African', 'White'))
    """
    first, _, second = pair.partition(" / " if " / " in pair else "/")
    return first, second
