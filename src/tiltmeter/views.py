"""The views, which are the ways of looking at a model: the one list of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

View = Literal["continuations", "pairs", "next words"]


@dataclass(frozen=True, slots=True)
class ViewFacts:
    """What of a view has to be known outside of it."""

    name: View
    title: str
    """What it shows of a model, as a heading."""
    item: str
    """What one item of it is called."""
    resolved: str
    """Where a resolved study says that it has the view."""
    equal_origins: bool = False
    """Whether every origin weighs the same in a mean, however many items it has."""

    @property
    def key(self) -> str:
        """Its name in study files and JSON."""
        return self.name.replace(" ", "_")

    @property
    def flag(self) -> str:
        """Its name in commands and addresses."""
        return self.name.replace(" ", "-")


FACTS: Mapping[View, ViewFacts] = {
    one.name: one
    for one in (
        ViewFacts("continuations", "What it writes", "text", "continuations"),
        ViewFacts("pairs", "What it prefers", "pair", "sources", equal_origins=True),
        ViewFacts("next words", "Which group it expects", "prompt", "next_words"),
    )
}
VIEWS: tuple[View, ...] = tuple(FACTS)


def view_named(name: str) -> View | None:
    """The view of this name, however its words are joined.

    >>> view_named("next-words"), view_named("next_words"), view_named("sentences")
    ('next words', 'next words', None)
    """
    plain = name.replace("-", " ").replace("_", " ")
    return next((view for view in VIEWS if view == plain), None)
