"""The table `[choices]` of a study file: questions with options, and the ways of asking them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import UnknownName
from tiltmeter.measures.scorers.options import (
    FORCED_CHOICE,
    LETTER,
    ORDERS,
    TEXT,
    WORDINGS,
    OptionScorer,
    Way,
    scorer_named,
    scorer_names,
)
from tiltmeter.records import Question
from tiltmeter.study.asked import AskedView
from tiltmeter.study.reader import Reader, prompt_sources
from tiltmeter.study.records import SourceChoice

_PLACE = "choices"
_USUAL, _IN_WORDS = (LETTER, TEXT), (FORCED_CHOICE,)
"""The scorers of a study that names none, for models that give log-probabilities and for those that do not."""


@dataclass(frozen=True, slots=True)
class QuestionChoices:
    """What a study file says of the view."""

    sources: tuple[SourceChoice, ...]
    scorers: tuple[str, ...] = ()
    """Full names; without any, those that suit the model."""
    wordings: tuple[str, ...] = ("plain",)
    orders: tuple[str, ...] = ("rotations",)

    def ways(self, conditionings: Collection[str] | None) -> list[Way]:
        """Every combination of scorer, wording and, where options are listed, order."""
        named = [scorer_named(name) for name in self.scorers]
        found = [one for one in named or _USUAL if _fits(one, conditionings)]
        if not named and not found:
            found = [one for one in _IN_WORDS if _fits(one, conditionings)]
        return self._combined(found)

    def every_way(self) -> list[Way]:
        """Those in which any model may have been asked."""
        return self._combined([scorer_named(name) for name in self.scorers] or [*_USUAL, *_IN_WORDS])

    def _combined(self, scorers: Sequence[OptionScorer]) -> list[Way]:
        return [
            Way(scorer, wording, order)
            for scorer in scorers
            for wording in self.wordings
            for order in (self.orders if scorer.lists else ("",))
        ]

    def unfit(self, model: str) -> str:
        """Why a model can be asked in none of these ways."""
        named = [scorer_named(name) for name in self.scorers] or [*_USUAL, *_IN_WORDS]
        written = any(one.counts for one in named)
        logs = any(not one.counts for one in named)
        lacks = [*["gives no log-probabilities of a given text"] * logs, *["does not write"] * written]
        others = [name for name in scorer_names() if scorer_named(name).counts != written] if self.scorers else []
        better = f"choose {' or '.join(f'`{name}`' for name in others)}, or " if logs != written and others else ""
        return (
            f"{model} {' and '.join(lacks)} from left to right, so no question can be put to it in the view "
            f"`choices`; {better}leave it out of this study"
        )


def _fits(scorer: OptionScorer, conditionings: Collection[str] | None) -> bool:
    return conditionings is None or scorer.conditioning in conditionings


def _read(reader: Reader) -> QuestionChoices:
    reader.table(_PLACE, {"sources", "scorers", "wordings", "orders"})
    return QuestionChoices(
        sources=prompt_sources(reader, _PLACE, ["templates"]),
        scorers=tuple(_scorer(reader, name) for name in reader.names((_PLACE, "scorers"))),
        wordings=_some(reader, "wordings", WORDINGS, ("plain",)),
        orders=_some(reader, "orders", ORDERS, ("rotations",)),
    )


def _scorer(reader: Reader, name: str) -> str:
    try:
        return scorer_named(name).name
    except UnknownName:
        raise reader.error((_PLACE, "scorers"), UnknownName("scorer", name, scorer_names()).problem) from None


def _some(reader: Reader, key: str, known: Collection[str], usual: tuple[str, ...]) -> tuple[str, ...]:
    """Some of the known names, or "all" of them."""
    if reader.table(_PLACE, {"sources", "scorers", "wordings", "orders"}).get(key) == "all":
        return tuple(known)
    given = reader.names((_PLACE, key))
    for name in given:
        if name not in known:
            raise reader.error((_PLACE, key), UnknownName(key.removesuffix("s"), name, known).problem)
    return tuple(given) or usual


def _restored(given: Mapping[str, Any]) -> QuestionChoices:
    return QuestionChoices((), *(tuple(given[name]) for name in ("scorers", "wordings", "orders")))


def _scorers() -> Mapping[str, str]:
    return {name: scorer_named(name).meaning for name in scorer_names()}


ASKED = AskedView(
    Question,
    _read,
    _restored,
    {"scorers": _scorers, "wordings": lambda: dict.fromkeys(WORDINGS, ""), "orders": lambda: dict.fromkeys(ORDERS, "")},
)


def choices_in(resolved: Mapping[str, Any]) -> QuestionChoices | None:
    """What a resolved study says of the view; None where it has no such view."""
    given = resolved.get(_PLACE)
    return _restored(given) if given else None
