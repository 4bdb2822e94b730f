"""Which text of each pair a model prefers, in a fast number format wherever that can tell, and else in float32.

Every pair is scored in the fast format. Those whose two scores are closer than that format errs are scored again. How
far it errs is read off the pairs that have been scored both ways, beginning with the closest. Then pairs drawn from all
others are scored again as well: where one of them changes its preference, the error was underestimated, so that more
pairs follow, and others are drawn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tiltmeter.engine.executor import Executor
from tiltmeter.engine.scoring import ask_all, queries_of, score_pairs, scored
from tiltmeter.measures.scorers import Scorer
from tiltmeter.models import Model
from tiltmeter.models.device import EXACT, HALVES
from tiltmeter.models.interface import on_accelerator
from tiltmeter.progress import Progress
from tiltmeter.records import SCREENED, Pair, PairScore, Query
from tiltmeter.store import Ledger

FIRST = 128
"""So many of the closest pairs, under each scorer, are scored both ways to begin with."""
DRAWN = 200
"""So many of the others are drawn."""
TRIED = 64
"""So many pairs show whether the numbers of a fast format stay finite."""
WIDTH, BEYOND = 4.5, 1.5
"""A pair is close within so many standard errors, and within so many times the largest error that was seen."""

Which = NDArray[np.bool_]
Scoring: TypeAlias = Callable[[Sequence[Pair]], Iterable[tuple[PairScore, ...]]]


@dataclass
class _Scores:
    """What one format made of pairs: two numbers under each scorer, or why there are none."""

    values: NDArray[np.float64]
    """By scorer, pair and text; none is not a number."""
    asked: Which
    reasons: dict[tuple[int, int], str | None] = field(default_factory=dict)
    """By scorer and pair."""

    @classmethod
    def of(cls, scorers: int, pairs: int) -> _Scores:
        return cls(np.full((scorers, pairs, 2), np.nan), np.zeros(pairs, bool))

    def take(self, at: int, made: Sequence[PairScore]) -> None:
        """What was made of a pair."""
        self.asked[at] = True
        for scorer, one in enumerate(made):
            if one.scores is None:
                self.reasons[scorer, at] = one.unscored
            else:
                self.values[scorer, at] = one.scores

    def score(self, pair: Pair, at: int, scorer: int, name: str) -> PairScore:
        """The score of a pair."""
        if (scorer, at) in self.reasons:
            return PairScore(pair, name, None, self.reasons[scorer, at])
        first, second = self.values[scorer, at].tolist()
        return PairScore(pair, name, (first, second))

    @property
    def margins(self) -> NDArray[np.float64]:
        """By scorer and pair, by how much the first text is preferred."""
        margins: NDArray[np.float64] = self.values[..., 0] - self.values[..., 1]
        return margins


@dataclass
class Screening:
    """The scoring of pairs in two formats; no pair is scored twice in one of them."""

    pairs: Sequence[Pair]
    scorers: Sequence[Scorer]
    in_fast: Scoring
    in_exact: Scoring
    seed: int = 0
    changed: int = 0
    """How many of the pairs drawn were preferred otherwise."""

    def __post_init__(self) -> None:
        self.quick, self.sure = (_Scores.of(len(self.scorers), len(self.pairs)) for _ in range(2))
        self.drawn = np.zeros(len(self.pairs), bool)

    def carry_out(self) -> None:
        """Score every pair as often as it takes."""
        self._score(np.ones(len(self.pairs), bool), self.quick, self.in_fast)
        chance = np.random.default_rng(self.seed)
        sure = False
        while not sure:
            while (close := self._close()).any():
                self._score(close, self.sure, self.in_exact)
            drawn = np.zeros_like(self.drawn)
            drawn[chance.permutation(np.flatnonzero(~self.sure.asked))[:DRAWN]] = True
            self._score(drawn, self.sure, self.in_exact)
            self.drawn |= drawn
            changed = self._changed(drawn)
            self.changed += changed
            sure = not changed and not self._close().any()

    def scores(self) -> Iterator[tuple[PairScore, ...]]:
        """The scores of each pair, both of its texts in the same format."""
        for at, pair in enumerate(self.pairs):
            best = self.sure if self.sure.asked[at] else self.quick
            yield tuple(best.score(pair, at, number, scorer.name) for number, scorer in enumerate(self.scorers))

    def account(self) -> dict[str, Any]:
        """What was done, and how sure it is."""
        return {
            "pairs": len(self.pairs),
            "close": int((self.sure.asked & ~self.drawn).sum()),
            "drawn": int(self.drawn.sum()),
            "changed": self.changed,
            "scorers": [
                {"scorer": scorer.name, "bound": bound, "largest": largest}
                for scorer, bound, (_, largest) in zip(self.scorers, self._bounds(), self._errors(), strict=True)
                if np.isfinite(bound)
            ],
        }

    def _score(self, which: Which, into: _Scores, scoring: Scoring) -> None:
        """Have some pairs scored, and take what comes of it."""
        places = np.flatnonzero(which).tolist()
        some = self.pairs if len(places) == len(self.pairs) else [self.pairs[at] for at in places]
        for at, made in zip(places, scoring(some) if places else (), strict=True):
            into.take(at, made)

    def _errors(self) -> list[tuple[float, float]]:
        """Of each scorer, the standard error and the largest error of the fast format, where both are known."""
        both = self.quick.margins - self.sure.margins
        known = [errors[np.isfinite(errors)] for errors in both]
        return [
            (float(np.sqrt(np.mean(errors**2))), float(np.abs(errors).max())) if len(errors) else (np.inf, np.inf)
            for errors in known
        ]

    def _bounds(self) -> list[float]:
        """Of each scorer, how close scores are that the fast format may have in the wrong order."""
        return [max(WIDTH * usual, BEYOND * largest) for usual, largest in self._errors()]

    def _close(self) -> Which:
        """The pairs still to be scored again: those of which the fast format cannot tell, or has no number for."""
        margins = np.abs(self.quick.margins)
        close = np.zeros(len(self.pairs), bool)
        for scorer, at in self.quick.reasons:
            # What is not asked about cannot be scored in any format.
            close[at] |= bool(self.scorers[scorer].asks(self.pairs[at]))
        if self.sure.asked.any():
            close |= (margins <= np.array(self._bounds())[:, None]).any(axis=0)
        else:
            for row in margins:
                known = np.flatnonzero(np.isfinite(row))
                close[known[np.argsort(row[known], kind="stable")[:FIRST]]] = True
        return close & ~self.sure.asked

    def _changed(self, which: Which) -> int:
        """How many of some pairs are preferred otherwise in float32."""
        quick, sure = (one.margins[:, which] for one in (self.quick, self.sure))
        return int(((np.sign(quick) != np.sign(sure)) & np.isfinite(quick - sure)).any(axis=0).sum())


def screen(
    pairs: Sequence[Pair],
    scorers: Sequence[Scorer],
    models: tuple[Model, Model],
    ledger: Ledger,
    executor: Executor,
    progress: Progress,
    *,
    seed: int,
    known: Iterable[Query],
) -> None:
    """Score the pairs of a run by a model in its fast and in its exact format, which knows some answers already."""
    fast, exact = models
    name = exact.facts.name

    asked, parts = set(known), count()

    def in_fast(some: Sequence[Pair]) -> Iterator[tuple[PairScore, ...]]:
        other = f"{name} in {fast.facts.dtype}"
        ask_all([(some, scorers)], fast, ledger, executor, progress, name=other)
        return scored(some, scorers, other, ledger)

    def in_exact(some: Sequence[Pair]) -> Iterator[tuple[PairScore, ...]]:
        part = f", part {next(parts)}"
        ask_all([(some, scorers)], exact, ledger, executor, progress, part=part, known=asked)
        asked.update(queries_of([(some, scorers)]))
        return scored(some, scorers, name, ledger)

    screening = Screening(pairs, scorers, in_fast, in_exact, seed)
    screening.carry_out()
    ledger.record_scores(name, [scorer.name for scorer in scorers], screening.scores())
    ledger.record_screening(name, {"format": fast.facts.dtype, **screening.account()})


def in_fast_format(
    name: str, model: Model, pairs: Sequence[Pair], scorers: Sequence[Scorer], executor: Executor
) -> Model | None:
    """The model in the fastest format whose numbers stay finite.

    None where it has no format but its own, and where pairs are so few that nearly all would be scored again.
    """
    facts = model.facts
    if executor.settings.dtype != SCREENED or not scorers or len(pairs) <= FIRST + DRAWN:
        return None
    if not facts.weights_sha256 or facts.dtype != EXACT or getattr(model, "given", None) is not None:
        return None
    *before, last = HALVES if on_accelerator(model) else ("bfloat16",)
    some = [pairs[at] for at in range(0, len(pairs), max(1, len(pairs) // TRIED))]

    def unscored(asked: Model) -> list[bool]:
        return [one.scores is None for scores in score_pairs(asked, some, scorers).values() for one in scores]

    for dtype in before:
        fast = executor.model(name, dtype)
        if unscored(fast) == unscored(model):
            return fast
    return executor.model(name, last)
