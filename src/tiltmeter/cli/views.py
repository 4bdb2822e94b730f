"""The views as options of commands name them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tiltmeter.analysis.questions import View


class ViewName(StrEnum):
    """What is asked of a model."""

    pairs = "pairs"
    continuations = "continuations"
    next_words = "next-words"


ViewsOption = Annotated[
    list[ViewName] | None, typer.Option("--view", help="Only this view; may be repeated; default: all there are.")
]


def views(given: list[ViewName] | None) -> list[View]:
    """The views as the analysis names them, each once."""
    names: dict[ViewName, View] = {
        ViewName.pairs: "pairs",
        ViewName.continuations: "continuations",
        ViewName.next_words: "next words",
    }
    return [names[one] for one in dict.fromkeys(given or ())]
