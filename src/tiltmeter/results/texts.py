"""The items and texts of a run's tables as the records that they were made from, to be shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from tiltmeter.records import Continuation, NextWord, NextWords, Pair, Prompt, Rating, Saliency, Span, Structure
from tiltmeter.results.cells import TEST, Cell, Table, decoding_of
from tiltmeter.results.measurements.columns import CONTROL, DECODING, MEANING, SALIENCY, WORD
from tiltmeter.results.summary.next_words import ORIGINAL
from tiltmeter.sources.perturbations import Perturbed
from tiltmeter.store import Answered

_TEXTS = f"""
WITH chosen AS MATERIALIZED (
  SELECT items.*, t.rowid AS place, t.number AS text_number, t.model, sample, t.text AS completion, tokens, ended,
         t.reason AS unwritten, {", ".join(DECODING)}
  FROM texts AS t JOIN items ON view = 'continuations' AND items.item = t.item WHERE {{where}}),
rated AS (
  SELECT number AS text_number,
         list({{{{'rater': rater, 'value': value, 'reason': reason, 'label': label}}}} ORDER BY place) AS ratings
  FROM ratings WHERE number IN (SELECT text_number FROM chosen) GROUP BY number)
SELECT * FROM chosen LEFT JOIN rated USING (text_number) ORDER BY place
"""


class RatedText(NamedTuple):
    """A text of a run: who wrote it, and what each rater gave it."""

    model: str
    one: Continuation
    ratings: Mapping[str, Rating]


def rated_texts(table: Table, where: str = "true", *given: object) -> Iterator[RatedText]:
    """The texts for which a condition on `t` and `items` holds, in the order of the study."""
    for row in table.stream(_TEXTS.format(where=where), *given):
        written = (row[name] for name in ("sample", "completion", "tokens", "ended", "unwritten", "text_number"))
        ratings = {
            one["rater"]: Rating(one["rater"], one["value"], one["reason"], label=one["label"])
            for one in row["ratings"] or ()
        }
        one = Continuation(prompt_of(row), decoding_of(row), *written)
        yield RatedText(row["model"], one, ratings)


def pairs_of_test(table: Table) -> Iterator[Pair]:
    """The pairs of a run, but for those that only stand in for flagged sentences."""
    return map(pair_of, table.stream(f"SELECT * FROM items WHERE view = 'pairs' AND {TEST} ORDER BY number"))


def pair_of(row: Mapping[str, Any]) -> Pair:
    """A row of items as a pair, its texts as the source has them."""
    swapped, role = bool(row["swapped"]), row["role"]
    marks = [json.loads(row[name] or "{}") for name in ("marks", "other_marks")]

    def both(one: Any, other: Any) -> tuple[Any, Any]:
        return (other, one) if swapped else (one, other)

    return Pair(
        row["item"],
        row["source"],
        row["bias"],
        row["origin"],
        both(row["text"], row["other_text"]),
        both(row["group"] or "", row["against"] or ""),
        both(row["term"] or "", row["other_term"] or ""),
        None if role in (CONTROL, MEANING) else 1 if swapped else 0,
        row["attribute_set"],
        both(*(_spans(one, "group") for one in marks)),
        both(*(_spans(one, "attribute") for one in marks)),
        attribute=row["attribute"],
        template=row["template"],
        structure=_structure(row),
        contrast="meaning" if role == MEANING else "stereotype",
        written_for=row["written_for"],
        set=row["set"],
        stands_in=None if role in (CONTROL, MEANING) else role,
    )


def prompt_of(row: Mapping[str, Any]) -> Prompt:
    """A row of items as a prompt."""
    marks = json.loads(row["marks"] or "{}")
    return Prompt(
        row["item"],
        row["source"],
        row["bias"],
        row["origin"],
        row["text"],
        row["group"],
        tuple((group, tuple(words)) for group, words in json.loads(row["words"] or "[]")),
        row["term"] or "",
        group_spans=_spans(marks, "group"),
        language=row["language"],
        subject_spans=_spans(marks, "attribute"),
        status=row["status"] or "",
        stereotyped=row["stereotyped"],
        attribute=row["attribute"],
        template=row["template"],
        structure=_structure(row),
    )


def answered_prompts(cell: Cell, items: Sequence[str], method: str) -> list[Answered]:
    """Prompts of a cell as they were answered, with what each token has to do with that."""
    words: dict[str, list[NextWord]] = {}
    for word in cell.rows_by(WORD, combine="") if items else ():
        if word.perturbation == ORIGINAL:
            words.setdefault(word.item, []).append(NextWord(word.label or "", word.value, word.reason))
    query = (
        "SELECT items.*, label, parts, o.reason AS unscored FROM ordered AS o "
        "JOIN items USING (view, item, perturbation) "
        "WHERE view = 'next words' AND model = ? AND measure = ? AND item IN (SELECT unnest(?))"
    )
    found = {}
    for row in cell.table.stream(query, cell.model, SALIENCY[0], items) if items else ():
        asked = Perturbed(prompt_of(row), ORIGINAL)
        found[row["item"]] = Answered(asked, NextWords(tuple(words[row["item"]])), saliency_of(row, method))
    return [found[item] for item in items]


def hidden_in(row: Mapping[str, Any]) -> tuple[Span, ...]:
    """What of a prompt is hidden from the model."""
    return _spans(json.loads(row["marks"] or "{}"), "hidden")


def saliency_of(row: Mapping[str, Any], method: str) -> Saliency:
    """What each token of a prompt has to do with the answer, by a measurement of saliency."""
    parts = json.loads(row["parts"] or "[]")
    spans = tuple((start, end) for start, end, _ in parts)
    return Saliency(row["label"], method, spans, sizes=tuple(size for *_, size in parts), unscored=row["unscored"])


def _spans(marks: Mapping[str, list[list[int]]], kind: str) -> tuple[Span, ...]:
    return tuple((start, end) for start, end in marks.get(kind, ()))


def _structure(row: Mapping[str, Any]) -> Structure | None:
    return Structure(row["structure"], row["kind"], row["family"], row["skeleton"]) if row["structure"] else None
