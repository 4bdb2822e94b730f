"""Shows the examples in docstrings as code: an extension of the docs builder, which expects them in a section."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?:^>>> .*\n?(?:^(?!>>> |\s*$).*\n?)*)+", re.MULTILINE)


class Doctests(griffe.Extension):
    """Puts a fence around every run of doctest lines."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of whatever was read."""
        if obj.docstring:
            obj.docstring.value = _EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
