"""Views whose items are put to a model as queries: all that planning, asking, costs and the ledger know of them.

A view of this kind is a module whose `ASKED` says how its table in a study file is read, and in which ways an item is
asked about. Its answers are kept by their queries, so that it needs no tables and no stage of its own.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from tiltmeter.records import Item, Query
from tiltmeter.registry import unversioned
from tiltmeter.views import View

if TYPE_CHECKING:
    from tiltmeter.study.reader import Reader
    from tiltmeter.study.records import SourceChoice


class Asking(Protocol):
    """One way of asking about items."""

    def asks(self, item: Any, /) -> tuple[Query, ...]:
        """The queries of an item; none where it is clear beforehand that nothing can be said of it."""
        ...


class Asked(Protocol):
    """What a study file says of such a view: a frozen record."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def sources(self) -> tuple[SourceChoice, ...]:
        """Where its items come from."""
        ...

    def ways(self, conditionings: Collection[str] | None) -> Sequence[Asking]:
        """The ways of asking a model that answers by these; of a model that is not known yet, all of them.

        Nothing, where the model can be asked in none of those that the study names.
        """
        ...

    def unfit(self, model: str) -> str:
        """Why a model can be asked in none of the ways that the study names, in a sentence."""
        ...


@dataclass(frozen=True, slots=True)
class AskedView:
    """A view whose items are put to a model as queries."""

    item: type[Item]
    """What its sources make."""
    read: Callable[[Reader], Asked]
    """Its table in a study file."""
    restored: Callable[[Mapping[str, Any]], Asked]
    """The same from what a run keeps of it."""
    lists: Mapping[str, Callable[[], Mapping[str, str]]] = field(default_factory=dict)
    """The keys of its table that name some of several, with all that they may name and what each is."""


def listed_name(name: str) -> str:
    """A name as its list has it, without family and version.

    >>> listed_name("choice.letter.v1"), listed_name("plain")
    ('letter', 'plain')
    """
    return unversioned(name).rpartition(".")[2]


ASKED: dict[View, AskedView | str] = {"choices": "tiltmeter.study.choices"}
"""By view, how it is asked, or the module whose `ASKED` says so."""


def asked_view(view: View) -> AskedView:
    """How a view is asked."""
    found = ASKED[view]
    if isinstance(found, str):
        found = ASKED[view] = importlib.import_module(found).ASKED
    assert isinstance(found, AskedView)
    return found


def asked_in(resolved: Mapping[str, Any]) -> Iterator[tuple[View, Asked]]:
    """The views of this kind that a resolved study has, and what it says of them."""
    from tiltmeter.views import FACTS

    for view in ASKED:
        given = resolved.get(FACTS[view].resolved)
        if given:
            yield view, asked_view(view).restored(given)
