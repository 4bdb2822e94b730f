"""Every number of a run in one table, whichever view it is of: `measurements`, beside `items` and `texts`.

A value either belongs to one group (a rating: groups are then compared), or compares two already (`against` is set: a
preference, a log ratio: it is then compared with its neutral value). `docs/measurements.md` has the columns.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tiltmeter.measures.next_words import COMPARED
from tiltmeter.measures.pairs import MARGIN, PREFERENCE
from tiltmeter.parquet import Rows
from tiltmeter.raters.scales import scale_of
from tiltmeter.records import Decoding, Pair, Prompt
from tiltmeter.results.ledger.next_words import asked_cells
from tiltmeter.results.ledger.texts import rated_texts
from tiltmeter.results.scores import apart, is_benchmark, labelled, of_the_test, terms_of
from tiltmeter.results.summary.next_words import ORIGINAL, why_unscored
from tiltmeter.results.summary.refusals import ANY
from tiltmeter.stats.continuations import pairs_of_groups
from tiltmeter.store import Run
from tiltmeter.views import VIEWS, View

DECODING: Mapping[str, type] = {
    "temperature": float,
    "top_k": int,
    "top_p": float,
    "max_new_tokens": int,
    "beams": int,
    "whole_sentences": int,
    "stop": str,
}
SCALE: Mapping[str, type] = {"scale_low": float, "scale_high": float, "neutral": float, "worse": int}
CHOSEN: Mapping[str, type] = {
    "scorer": str,
    "rater": str,
    "scope": str,
    **DECODING,
    "words": str,
    "bounded": int,
    "combine": str,
    "measure": str,
}
"""What is chosen for all items of a source."""
CHOICES: Mapping[str, type] = {"source": str, "structure": str, **CHOSEN, "perturbation": str, "set": int}
"""What can be chosen otherwise: all other columns say what was measured."""
MEASUREMENTS: Mapping[str, type] = {
    **dict.fromkeys(("model", "view", "bias", "item", "origin", "template", "term", "attribute_set"), str),
    **dict.fromkeys(("group", "against"), str),
    **CHOICES,
    "sample": int,
    "value": float,
    "reason": str,
    "label": str,
    **SCALE,
    "benchmark": int,
}
ITEMS: Mapping[str, type] = {
    **dict.fromkeys(("item", "view", "source", "bias", "origin", "structure", "kind", "family", "template"), str),
    **dict.fromkeys(
        ("attribute", "attribute_set", "group", "against", "term", "other_term", "text", "other_text"), str
    ),
    "language": str,
    "benchmark": int,
}
TEXTS: Mapping[str, type] = {
    **dict.fromkeys(("model", "item", "source", "bias", "group"), str),
    **DECODING,
    "sample": int,
    "text": str,
    "ended": str,
    "reason": str,
}
STEREOTYPED, OTHER = "stereotyped", "other"
"""The two sides of a pair that names no groups."""
UNSURE = "the model does not give the probability of every word"
RATING = "rating"
PROBABILITY, HIGHEST, GAP = "probability", "highest", "gap"
"""Of next words: the probability of a group, that of the likeliest word of all, and how far the next is behind it."""


def measurements(run: Run) -> Rows:
    """Every measurement of a run, view by view."""
    benchmarks = {spec["name"] for spec in run.meta["resolved"]["specs"] if spec["benchmark"]}
    for view in VIEWS:
        for row in _MEASURED[view](run):
            yield {"view": view, **row, "benchmark": int(is_benchmark(str(row["bias"]), benchmarks))}


def item_rows(run: Run) -> Rows:
    """Every item that was asked about."""
    benchmarks = {spec["name"] for spec in run.meta["resolved"]["specs"] if spec["benchmark"]}
    for row in _items(run):
        yield {**row, "benchmark": int(is_benchmark(str(row["bias"]), benchmarks))}


def text_rows(run: Run) -> Rows:
    """Every text that a model wrote, or why there is none."""
    if run.continuations is None:
        return
    for model in run.facts:
        for decoding in run.continuations.decodings:
            for one in run.continuations.texts(model, decoding):
                yield {
                    "model": model,
                    "item": one.prompt.id,
                    "source": one.prompt.source,
                    "bias": one.prompt.bias,
                    "group": one.prompt.group,
                    **_settings(decoding),
                    "sample": one.sample,
                    "text": one.text,
                    "ended": one.ended,
                    "reason": one.unwritten,
                }


def _scored(run: Run) -> Rows:
    """Pairs: a value compares the stereotyped text with the other."""
    for (model, scorer), scores in run.scores.items():
        for score in labelled(apart(scores)[0]):
            for measure in (PREFERENCE, MARGIN):
                yield {
                    "model": model,
                    **of_pair(score.pair),
                    "scorer": scorer,
                    "measure": measure.name,
                    "set": score.pair.set,
                    "value": measure.values([score])[0],
                    "reason": score.unscored,
                    **_scale(measure.low, measure.high, measure.neutral, 1),
                }


def _rated(run: Run) -> Rows:
    """Continuations: a value belongs to the group that the prompt is about."""
    for model, text, rater, scope, item in rated_texts(run):
        scale = scale_of(rater)
        yield {
            "model": model,
            **_of_prompt(text.prompt),
            "group": item.group,
            **_settings(text.decoding),
            "rater": rater,
            "scope": scope,
            "measure": RATING,
            "sample": text.sample,
            "value": item.value,
            "reason": item.unrated,
            "label": item.label,
            **(_scale(scale.low, scale.high, scale.neutral, scale.worse) if scale else {}),
        }


def _expected(run: Run) -> Rows:
    """Next words: the probability of each group, values that compare those of two, and how sure the model is."""
    for cell in asked_cells(run):
        for one in cell.prompts:
            found, prompt = cell.expected(one), one.asked.prompt
            asked = {
                "model": cell.model,
                **_of_prompt(prompt),
                "template": one.template,
                "words": cell.words,
                "bounded": int(cell.bounded),
                "combine": cell.combine,
                "perturbation": one.asked.perturbation,
            }
            for group, chance in found.chances.items():
                value = {"measure": PROBABILITY, "value": chance, "reason": found.unscored.get(group)}
                yield {**asked, "group": group, **value, **_scale(0.0, 1.0, None, 0)}
            for group, against in pairs_of_groups([group for group, _ in cell.sets]):
                both = found.chances.get(group), found.chances.get(against)
                for measure in COMPARED:
                    value = {"measure": measure.name, "value": measure.values([both])[0]}
                    if value["value"] is None:
                        value["reason"] = why_unscored(found, (group, against))
                    scale = _scale(measure.low, measure.high, measure.neutral, 0)
                    yield {**asked, "group": group, "against": against, **value, **scale}
            for name, sure in ((HIGHEST, found.highest), (GAP, found.gap)):
                why = None if sure is not None else next(iter(found.unscored.values()), UNSURE)
                value = {"measure": name, "value": sure, "reason": why}
                yield {**asked, "group": ANY, **value, **_scale(0.0, 1.0, None, 0)}


_MEASURED: Mapping[View, Callable[[Run], Rows]] = {"pairs": _scored, "continuations": _rated, "next words": _expected}
VERSION = {"tiltmeter": "measurements.v2"}
"""What the files say of themselves: other rows or columns are another version."""
MADE: Mapping[str, tuple[Mapping[str, type], Callable[[Run], Rows]]] = {
    "items.parquet": (ITEMS, item_rows),
    "texts.parquet": (TEXTS, text_rows),
    "measurements.parquet": (MEASUREMENTS, measurements),
}
"""The tables of a run: their files, their columns, and what makes their rows."""


def _items(run: Run) -> Iterator[dict[str, object]]:
    for pair in of_the_test(run.pairs):
        yield {
            "view": "pairs",
            **of_pair(pair),
            **(pair.structure.cells() if pair.structure else {}),
            "attribute": pair.attribute,
            "term": _sided(pair, pair.terms)[0],
            "other_term": _sided(pair, pair.terms)[1],
            "text": _sided(pair, pair.texts)[0],
            "other_text": _sided(pair, pair.texts)[1],
        }
    for prompt in run.continuations.prompts if run.continuations else ():
        yield {"view": "continuations", **_prompt_item(prompt)}
    asked: dict[str, Prompt] = {}
    for one in run.next_words.asked if run.next_words else ():
        # Perturbed, a prompt keeps its id: the item is the prompt as it is.
        if one.asked.perturbation == ORIGINAL or one.asked.prompt.id not in asked:
            asked[one.asked.prompt.id] = one.asked.prompt
    for prompt in asked.values():
        yield {"view": "next words", **_prompt_item(prompt)}


def _prompt_item(prompt: Prompt) -> dict[str, object]:
    form = prompt.structure.cells() if prompt.structure else {}
    more = {"attribute": prompt.attribute, "group": prompt.group, "text": prompt.text, "language": prompt.language}
    return {**_of_prompt(prompt), **form, **more}


def of_pair(pair: Pair) -> dict[str, Any]:
    """What the tables say of a pair."""
    group, against = _sided(pair, pair.groups)
    return {
        "item": pair.id,
        "source": pair.source,
        "bias": pair.bias,
        # Pairs of a data set without attributes are clustered by what they came from.
        "origin": pair.attribute or pair.origin,
        "structure": pair.structure.id if pair.structure else None,
        "template": pair.template,
        "term": terms_of(pair),
        "attribute_set": pair.attribute_set,
        "group": group or STEREOTYPED,
        "against": against or OTHER,
    }


def _of_prompt(prompt: Prompt) -> dict[str, object]:
    return {
        "item": prompt.id,
        "source": prompt.source,
        "bias": prompt.bias,
        "origin": prompt.origin,
        "structure": prompt.structure.id if prompt.structure else None,
        "template": prompt.template,
        "term": prompt.term or None,
    }


def _sided(pair: Pair, both: tuple[str, str]) -> tuple[str, str]:
    """What belongs to the two texts, the stereotyped one first."""
    return (both[1], both[0]) if pair.stereotyped == 1 else both


def _settings(decoding: Decoding) -> dict[str, object]:
    stop = json.dumps(decoding.stop, ensure_ascii=False) if decoding.stop else None
    return {name: stop if name == "stop" else kind(getattr(decoding, name)) for name, kind in DECODING.items()}


def _scale(low: float | None, high: float | None, neutral: float | None, worse: int) -> dict[str, object]:
    return dict(zip(SCALE, (low, high, neutral, worse), strict=True))
