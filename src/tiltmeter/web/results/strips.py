"""Structure by structure: whether a finding on pairs or on texts holds in every form of the sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from tiltmeter.report.words import percent, signed
from tiltmeter.views import FACTS
from tiltmeter.web.results.figures import figure_of
from tiltmeter.web.results.found import Row
from tiltmeter.web.results.rows import Results, Rows, range_words, tip
from tiltmeter.web.results.tables import ESTIMATE, field

_NOUN = {one.flag: one.item for one in FACTS.values()}


def strips_fitting(results: Results, kind: str) -> list[tuple[int, Mapping[str, Any]]]:
    """The strips of one view that fit the filters, with their numbers."""
    place = ("model", "source", "bias", "rater", "decoding", "scorer")
    found = results.found[kind]["structures"]
    return [
        (at, one)
        for at, one in enumerate(found)
        if results.filters.fit({name: one[name] for name in place if name in one})
    ]


def strips_title(results: Results, one: Mapping[str, Any]) -> str:
    """What a strip is about."""
    if "rater" not in one:
        return f"{one['model']}, {one['source']}"
    bias = results.names["biases"].get(one["bias"], one["bias"])
    return f"{one['model']}, {bias}, {results.rater(one['rater'])}, {results.decoding(one['decoding'])}"


def strips_shown(results: Results, kind: str, at: int) -> dict[str, Any]:
    """The structures of sentences, one mark each."""
    one = results.found[kind]["structures"][at]
    view = "continuations" if kind == "texts" else "pairs"
    points, _ = strip_rows(results, one, view)
    columns = (field("Comparison", "label"), field("Structure", "structure"), field("Kind", "kind"), *ESTIMATE)
    what = (
        "Difference of the mean ratings of two groups, a mark for each structure. Diamond: all structures together, "
        "with 95\N{NO-BREAK SPACE}% interval over structures and verb phrases."
        if kind == "texts"
        else "Share of stereotyped choices, a mark for each structure. Diamond: all structures together, with "
        "95\N{NO-BREAK SPACE}% interval."
    )
    words = " ".join(one["sentences"]) if kind == "texts" else one["words"]
    if kind == "pairs" and "bias" in results.filters:
        words = f"Of every bias in this model and source: {words}"
    figure = figure_of(results, f"{kind.removesuffix('s')}-structures", words, what, points, columns, at=at)
    return {
        "title": strips_title(results, one),
        "sentences": one.get("sentences", [one.get("words", "")]),
        "basis": one.get("basis", ""),
        "figure": figure,
    }


def strip_rows(results: Results, found: Mapping[str, Any], view: str) -> tuple[Rows, Rows]:
    """A mark for each structure, and one for all of them together, for every line of a strip."""
    points, wholes = [], []
    for line in found["rows"]:
        label = line["label"] if view == "pairs" else f"{line['a']} − {line['b']}"
        bias = line["bias"] if view == "pairs" else found["bias"]
        if not results.filters.fit({"bias": bias}):
            continue
        place = {**found, "bias": bias}
        opened = partial(_texts, results, place, view, [] if view == "pairs" else [line["a"], line["b"]])
        says = percent if view == "pairs" else lambda value: signed(value, 3)
        kept = "" if line["kept"] is None else f"\n{percent(line['kept'], 0)} of the structures on this side"
        for point in line["points"]:
            if point["value"] is not None:
                about = f"{label}, structure {point['structure']} ({point['kind']})"
                points.append(
                    {
                        **point,
                        "label": label,
                        "shown": says(point["value"]),
                        "range": range_words(point, share=view == "pairs"),
                        "tip": tip(point, about, says(point["value"]), _NOUN[view], share=view == "pairs"),
                        "open": opened(structure=point["structure"]),
                    }
                )
        whole = line["whole"]
        about = f"{label}, all structures together"
        words = tip(whole, about, says(whole["value"]), _NOUN[view], share=view == "pairs") + kept
        wholes.append({**whole, "label": label, "tip": words, "open": opened()})
    return points, wholes


def _texts(results: Results, place: Row, view: str, groups: Sequence[str], **query: Any) -> str:
    if view == "pairs":
        return results.texts(view, place, "scorer", labelled="yes", **query)
    return results.texts_of_two(place, groups, **query)
