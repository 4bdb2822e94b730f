"""Pairs of a run and their scores, read from its ledger: all at once, or when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path

from tiltmeter.answers import Kind, spans_of
from tiltmeter.errors import RunError
from tiltmeter.records import Dropped, Pair, PairScore, Query, Span, TokenScores
from tiltmeter.store.database import LEDGER
from tiltmeter.store.rows import count_items, count_of, items_of, rows_of, rows_or_reader
from tiltmeter.store.validation import number, valid_ledger


def _answer_cells(scores: TokenScores) -> tuple[str, str | None]:
    triples = [(*span, value) for span, value in zip(scores.spans, scores.logprobs, strict=True)]
    return json.dumps(triples), scores.unscored


def _answer(tokens: str, unscored: str | None) -> TokenScores:
    triples = json.loads(tokens)
    starts, ends, values = zip(*triples, strict=True) if triples else ((), (), ())
    return TokenScores(tuple(zip(starts, ends, strict=True)), values, unscored)


@lru_cache(maxsize=1000)
def _spans_cell(spans: tuple[Span, ...]) -> str:
    """Spans as text; of most queries there are none."""
    return json.dumps(spans)


SCORED: Kind[Query, TokenScores] = Kind(
    "answers",
    ("model",),
    ("conditioning", "text", "spans"),
    ("tokens", "unscored"),
    "unscored",
    _answer_cells,
    _answer,
    lambda query: (query.conditioning, query.text, _spans_cell(query.spans)),
    lambda conditioning, text, spans: Query(text, conditioning, spans_of(json.loads(spans))),
)


def dropped_of(folder: Path, held: int = 0) -> Sequence[Dropped]:
    """Every item that could not be made."""
    return rows_or_reader(count_of(folder, "dropped"), partial(_dropped, folder), held)


def scored_pairs(folder: Path, held: int) -> tuple[Sequence[Pair], Mapping[tuple[str, str], Sequence[PairScore]]]:
    """The pairs, and by model and scorer, in the order of the study, their scores in the order of the pairs."""
    counts = (
        "select model, scorer, count(*) from scores join cells using (model, scorer) group by number order by number"
    )
    cells = list(rows_of(folder, counts))
    if len({(model, count) for model, _, count in cells}) > len({model for model, *_ in cells}):
        raise RunError(f"{folder / LEDGER}: is damaged: the scorers of a model have not scored the same pairs")
    is_held = max(count_items(folder, "pairs"), sum(count for *_, count in cells)) <= held
    pairs = items_of(folder, "pairs", Pair, held if is_held else 0)
    scores = {
        (model, scorer): rows_or_reader(count, partial(_scores, folder, pairs, model, scorer), held if is_held else 0)
        for model, scorer, count in cells
    }
    return pairs, scores


def _dropped(folder: Path, start: int, stop: int) -> Iterator[Dropped]:
    query = "select bias, origin, text, reason from dropped where number >= ? and number < ? order by number"
    return (Dropped(*row) for row in rows_of(folder, query, start, stop))


def _scores(folder: Path, pairs: Sequence[Pair], model: str, scorer: str, start: int, stop: int) -> Iterator[PairScore]:
    query = (
        "select pair, score_1, score_2, unscored from scores "
        "where model = ? and scorer = ? and pair >= ? and pair < ? order by pair"
    )
    with valid_ledger(folder / LEDGER):
        for at, *found, unscored in rows_of(folder, query, model, scorer, start, stop):
            first, second = map(number, found)
            if (first is None) != (second is None):
                raise ValueError("half of a score")
            yield PairScore(pairs[at], scorer, None if first is None else (first, second), unscored)
