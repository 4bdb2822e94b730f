"""The tables of next words as files: every word after every prompt, and every estimate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tiltmeter.records import Estimate, NextWord
from tiltmeter.results.cells import table_of
from tiltmeter.results.files.next_words import COLUMNS
from tiltmeter.results.measurements.columns import GAP, HIGHEST, WORD
from tiltmeter.results.summary.next_word_cells import NextWordCell, NextWordsSummary
from tiltmeter.results.summary.next_words import Part
from tiltmeter.store import Run

Rows = Iterator[dict[str, object]]
_KINDS: Mapping[str, type] = {"bounded": int, **dict.fromkeys(("probability", "logprob", "highest", "gap"), float)}

NEXT_WORDS: Mapping[str, type] = {
    **dict.fromkeys(("source", "bias", "words"), str),
    **{name: _KINDS.get(name, str) for name in COLUMNS},
}
"""The columns that `tiltmeter analyze next-words` reads, and which source, bias and set of words a row is of."""
NEXT_WORD_ESTIMATES: Mapping[str, type] = {
    **dict.fromkeys(("model", "source", "bias", "words"), str),
    "bounded": int,
    **dict.fromkeys(("combine", "perturbation", "part", "name", "pair", "measure"), str),
    **dict.fromkeys(("value", "low", "high", "level", "p", "p_adjusted"), float),
    **dict.fromkeys(("n", "n_unscored", "origins"), int),
    "note": str,
}


_WORDS = f"""
SELECT word.model, word.source, word.bias, word.words, word.bounded, item AS prompt, items.text,
       word.origin AS profession, word.template, status, word.perturbation, word."group", word.label AS word,
       word.value AS logprob, highest, gap, word.reason AS unscored
FROM ordered AS word
JOIN (SELECT model, words, bounded, item, perturbation, any_value(value) FILTER (measure = '{HIGHEST}') AS highest,
             any_value(value) FILTER (measure = '{GAP}') AS gap
      FROM ordered WHERE view = 'next words' AND measure IN ('{HIGHEST}', '{GAP}') GROUP BY ALL)
  USING (model, words, bounded, item, perturbation)
JOIN items USING (view, item, perturbation)
WHERE word.view = 'next words' AND word.measure = '{WORD}' ORDER BY word.place
"""


def next_word_rows(run: Run) -> Rows:
    """A row for each model, prompt, perturbation and word of each set; what is unscored is blank and has a reason."""
    for row in table_of(run).stream(_WORDS):
        yield {**row, "probability": NextWord(row["word"], row["logprob"]).probability}


def next_word_estimate_rows(found: NextWordsSummary) -> Rows:
    """Every estimate of every cell; `part` says of what, and `name` of which template, profession or group."""
    for cell in found.cells:
        place = {
            **{name: getattr(cell, name) for name in ("model", "source", "bias", "words", "combine")},
            "bounded": int(cell.bounded),
        }
        for row in _estimates(cell):
            yield {**place, **row}


def _estimates(cell: NextWordCell) -> Rows:
    for perturbation, found in cell.summary.perturbations.items():
        place = {"perturbation": perturbation}
        yield from _pairs(found.overall, {**place, "part": "overall"})
        for group, one in found.overall.groups.items():
            yield {**place, "part": "group", "name": group, "measure": "chance", **_estimate(one)}
        for measure, one in found.overall.certainty.items():
            yield {**place, "part": "certainty", "measure": measure, **_estimate(one)}
        for part, named in (("template", found.by_template), ("profession", found.by_profession)):
            for name, each in named.items():
                yield from _pairs(each, {**place, "part": part, "name": name})
                for measure, one in (*_chances(each), *each.certainty.items()):
                    yield {**place, "part": part, "name": name, "measure": measure, **_estimate(one)}
    for perturbation, pairs in cell.summary.contrasts.items():
        yield from _pairs(Part({}, {}, pairs, 0), {"perturbation": perturbation, "part": "contrast"})
    for name, one in cell.saliency.items():
        place = {"perturbation": cell.summary.main, "part": "saliency"}
        yield {**place, "name": name, "measure": "share", **_estimate(one)}


def _pairs(part: Part, place: Mapping[str, object]) -> Rows:
    for pair, measures in part.pairs.items():
        for measure, found in measures.items():
            yield {**place, "pair": pair, "measure": measure, **_estimate(found)}


def _chances(part: Part) -> list[tuple[str, Estimate]]:
    return [(f"P({group})", found) for group, found in part.groups.items()]


def _estimate(found: Estimate) -> dict[str, object]:
    return {**found.as_json(), "note": found.note}
