"""The views as options of commands name them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from tiltmeter.views import FACTS, View, view_named

ViewName = StrEnum("ViewName", {one.key: one.flag for one in FACTS.values()})  # type: ignore[misc]
"""The view."""


ViewsOption = Annotated[
    list[ViewName] | None, typer.Option("--view", help="Only this view; may be repeated; default: all.")
]


def views(given: list[ViewName] | None) -> list[View]:
    """The views as the analysis names them, each once."""
    return [view for one in dict.fromkeys(given or ()) if (view := view_named(one))]
