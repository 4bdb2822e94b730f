"""The records of a leaderboard."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.results.compare.records import nested
from tiltmeter.results.compare.sides import Side
from tiltmeter.stats.comparing.ranking import Difference, Rank
from tiltmeter.stats.estimate import SHARE, Scale
from tiltmeter.views import FACTS, View

ALL = "all"
"""The bias of a board over all social biases."""
GAP = Scale(neutral=0.0)
"""Of the difference of two groups."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One model of a board: its figure on the items that all have, and its place."""

    side: Side
    value: Estimate
    standing: Rank

    def as_json(self) -> dict[str, Any]:
        """Who, what and where."""
        return {
            "name": self.side.name,
            "value": self.value.as_json(),
            "note": self.value.note,
            "standing": self.standing.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """All models on one question, the highest value first."""

    view: View
    choices: Mapping[str, str]
    entries: tuple[Entry, ...]
    differences: tuple[Difference, ...]
    """Of every two models; none where there are too few origins to tell any apart."""
    note: str | None = None
    """Why there are no places, or why some models could not have been told apart."""
    left_out: int = 0
    """Items that not all models were asked."""
    scale: Scale = GAP
    """Of the figure."""
    by_stereotype: bool = False
    """Whether the figure is how far models go by the stereotype of two groups."""

    @property
    def words(self) -> str:
        """What it is of, with places for the two groups and the rater."""
        facts = FACTS[self.view]
        return facts.stereotyped.board if self.by_stereotype and facts.stereotyped else facts.board

    @property
    def is_share(self) -> bool:
        """Whether the figure is a share, neutral at one half."""
        return self.scale == SHARE

    @property
    def neutral(self) -> float:
        """The figure of a model that leans to no side."""
        return self.scale.neutral or 0.0

    @property
    def pairs(self) -> int:
        """How many pairs of models there are."""
        return math.comb(len(self.entries), 2)

    @property
    def shown(self) -> int | None:
        """Of how many of these the order is shown; None where there are too few origins to tell."""
        return sum(len(entry.standing.above) for entry in self.entries) if self.differences else None

    def as_json(self) -> dict[str, Any]:
        """The board; null where there is none."""
        return {
            "view": self.view,
            **self.choices,
            "neutral": self.neutral,
            **self._order(),
            "note": self.note,
            "entries": [entry.as_json() for entry in self.entries],
            "differences": [one.as_json() for one in self.differences],
        }

    def for_conditions(self) -> list[dict[str, Any]]:
        """What `--fail-if` can name of it: `pairs.BIAS.MODEL…`, `continuations.BIAS.RATER.MODEL…`, or the order.

        By stereotype it is `next_words.BIAS.stereotype A/B.MODEL…`.
        """
        rater = [self.choices["rater"]] if "rater" in self.choices else []
        path = [self.view.replace(" ", "_"), self.choices["bias"], *rater]
        path += [f"stereotype {self.choices.get('groups', '')}".rstrip()] if self.by_stereotype else []
        return [
            nested(path, self._order()),
            *(nested([*path, entry.side.name], entry.as_json()) for entry in self.entries),
        ]

    def _order(self) -> dict[str, int | None]:
        return {"order_shown": self.shown, "order_pairs": self.pairs, "left_out": self.left_out}


@dataclass(frozen=True, slots=True)
class Leaderboards:
    """Every board that can be made of some models, and what differs between these besides the model."""

    sides: tuple[Side, ...]
    boards: tuple[Leaderboard, ...]
    notes: tuple[str, ...] = ()
    """What differs besides the model, and what not all of them have."""

    def as_json(self) -> dict[str, Any]:
        """Who was put in order, every board, and what must be known to trust it."""
        return {
            "models": [side.as_json() for side in self.sides],
            "boards": [board.as_json() for board in self.boards],
            "notes": list(self.notes),
        }

    def for_conditions(self) -> list[dict[str, Any]]:
        """What `--fail-if` can name."""
        return [found for board in self.boards for found in board.for_conditions()]
