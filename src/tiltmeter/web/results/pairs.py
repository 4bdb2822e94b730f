"""What a model prefers: forest plots by source, and how far scorers agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.records import Estimate
from tiltmeter.report.words import count, percent, percent_range, what_the_forest_shows
from tiltmeter.web.results.figures import Figure, figure_of
from tiltmeter.web.results.found import EVERY
from tiltmeter.web.results.rows import Results, Rows, named, seen, tip
from tiltmeter.web.results.tables import ESTIMATE, VALUE, Column, field


@dataclass(frozen=True, slots=True)
class Preferred:
    """What a model prefers on one source of pairs."""

    source: str
    headlines: Sequence[Mapping[str, Any]]
    figure: Figure


def preferred(results: Results) -> list[Preferred]:
    """One for each source of pairs that fits the filters."""
    found = results.found["pairs"]
    made = []
    for source in seen(results.filters.narrow(found["estimates"]), "source"):
        rows = forest_rows(results, source)
        if rows:
            # A headline is of all biases, by the leading scorer.
            told = [] if {"bias", "scorer"} & set(results.filters.chosen) else found["headlines"]
            headlines = results.filters.narrow([one for one in told if one["source"] == source])
            caption = (
                "Share of pairs in which the stereotyped sentence is preferred, with 95\N{NO-BREAK SPACE}% intervals; "
                "open marks have none. At 50\N{NO-BREAK SPACE}% the model leans neither way."
            )
            columns = (field("Bias", "label"), field("Model, scorer", "series"), *ESTIMATE)
            figure = figure_of(results, "forest", _forest_words(rows), caption, rows, columns, of=source)
            made.append(Preferred(source, headlines, figure))
    return made


def forest_rows(results: Results, source: str) -> Rows:
    """The share of stereotyped choices by bias; of several scorers the leading one, unless another is chosen."""
    own = [row for row in results.found["pairs"]["estimates"] if row["source"] == source]
    if "scorer" not in results.filters:
        own = [row for row in own if row["leading"]] or own
    # A mean is of no one bias, so that it goes where one is chosen.
    fitting = [row for row in results.filters.narrow(own) if row["bias"] or "bias" not in results.filters]
    several = len({row["model"] for row in fitting}) > 1
    all_scorers = results.filters.chosen.get("scorer") == EVERY or len({row["scorer"] for row in fitting}) > 1
    made = []
    # By the first model, highest first, so that every chart has the models in one order.
    leads = {row["bias"]: row["value"] or 0.0 for row in reversed(fitting)}
    for row in sorted(fitting, key=lambda row: (bool(row["bias"]), row["check"], -leads[row["bias"]])):
        parts = [row["model"]] * (several or not all_scorers) + [results.scorer(row["scorer"])] * all_scorers
        label = f"{row['label']} (check)" if row["check"] else row["label"]
        made.append(
            {
                **row,
                "label": label,
                "series": ", ".join(parts),
                "shown": percent(row["value"]),
                "range": percent_range(row["low"], row["high"]),
                "tip": tip(row, f"{label}, {', '.join(parts)}", percent(row["value"]), "pair", share=True),
                "open": results.texts("pairs", row, "scorer", labelled="yes"),
            }
        )
    return made


def _forest_words(rows: Rows) -> str:
    """What the chart shows, in words; a mean over biases is none of them."""
    series = seen(rows, "series")
    places = {(row["label"], row["series"]): Estimate(row["value"], row["low"], row["high"]) for row in rows}
    biases, checks = (
        [
            (label, [places.get((label, one)) for one in series])
            for label in seen([row for row in rows if row["bias"] and bool(row["check"]) == check], "label")
        ]
        for check in (False, True)
    )
    return what_the_forest_shows(series, biases, checks) or "No bias has a figure."


def scorers_shown(results: Results) -> Figure | None:
    """How far scorers agree; None where there is one alone."""
    rows = scorer_rows(results)
    if not rows:
        return None
    lowest = min(rows, key=lambda row: row["value"])
    words = f"The two that agree least, {named(lowest, rows)}, prefer the same sentence in {lowest['shown']} of pairs."
    pairs = Column("Pairs", lambda row: f"{row['n']:,}", number=True)
    columns = (field("Scorers", "label"), field("Model, source", "series"), VALUE, pairs)
    return figure_of(
        results, "scorers", words, "Share of pairs in which two scorers prefer the same sentence.", rows, columns
    )


def scorer_rows(results: Results) -> Rows:
    """In how many pairs two scorers prefer the same sentence."""
    made = []
    for one in results.filters.narrow(results.found["pairs"]["agreement"]):
        if one["share"] is None or one["first"] == one["second"]:
            continue
        label = f"{results.scorer(one['first'])} and {results.scorer(one['second'])}"
        made.append(
            {
                **one,
                "label": label,
                "series": f"{one['model']}, {one['source']}",
                "value": one["share"],
                "low": None,
                "high": None,
                "shown": percent(one["share"]),
                "tip": f"{label}\nthe same sentence in {percent(one['share'])} of {count(one['n'], 'pair')}",
                "open": results.texts("pairs", one),
            }
        )
    return made
